/*
 * raw - the command line as it was given, between settings.c and resolve.c
 *
 * settings.c notes options in it as they come, later ones overruling earlier
 * ones; resolve.c makes of it what depends on several of them, on the
 * environment and on the terminal.  settings-pack.c and settings-compare.c do the
 * same for packing and comparing; settings-command.c refuses what means nothing to
 * the command.
 */
#pragma once

#include "cli/options.h"
#include "cli/settings.h"
#include "cli/words.h"

#define UNSET (-1)

enum when { WHEN_NEVER, WHEN_ALWAYS, WHEN_AUTO };

/* The command line as it was given. */
struct raw {
        struct lsr_settings *s;
        int format, sort, quoting, hide_control, follow, color;
        long long width, tabsize;
        const char *time_style;
        const char *columns; /* of --columns; NULL: those of the format */
        bool time_given;     /* -c, -u or --time */
        bool kibibytes;
        bool size_given;
        bool hyperlink;
        bool acl;
        bool json;
        int confine;
        int tty; /* is standard output a terminal? UNSET until asked */
};

enum number {
        NUMBER_OK,
        NUMBER_NONE,     /* it is none, or a negative one */
        NUMBER_LARGE,    /* above LLONG_MAX, which is returned instead */
        NUMBER_OVERFLOW, /* does not fit into 64 bits either */
};

/* The words of --quoting-style and QUOTING_STYLE. */
extern const struct lsr_word lsr_quoting_words[];

/*
 * Is standard output a terminal?  Also notices that it is closed, and then
 * keeps its number from being given to something else: what is written to it
 * must fail.
 */
bool lsr_raw_tty(struct raw *r);

/* Does WHEN hold at this output? */
bool lsr_raw_now(struct raw *r, int when);

/* A number in C's notation. */
enum number lsr_raw_number(const char *text, long long *ret_value);

/* A width too large to count with is none at all.  False: it is no number. */
bool lsr_raw_width(const char *value, long long *ret_value);

/* The command that @parser's words ask for, wherever in them. */
enum lsr_action lsr_raw_command(struct lsr_parser parser);

/* Does @option mean anything to @action?  Returns UNSET if so, or the exit status after an error. */
int lsr_raw_check_command(const struct lsr_option *option, enum lsr_action action);

/* One more pattern, which stays where it is. */
void lsr_raw_add_pattern(struct lsr_patterns *patterns, const char *pattern);

/* An option of packing.  Returns UNSET to go on, or the exit status after an error. */
int lsr_raw_pack(struct raw *r, const struct lsr_option *option, const char *value);

/* The same of comparing. */
int lsr_raw_compare(struct raw *r, const struct lsr_option *option, const char *value);

/* All options are noted: resolve them.  Returns UNSET to go on, or the exit status after an error. */
int lsr_raw_resolve(struct raw *r);
