/*
 * given - the command line between options.c and resolve.c
 *
 * options.c notes options in the settings as they come; resolve.c makes of struct lsr_given what depends on several of
 * them, on the environment and on the terminal.  settings-command.c refuses what means nothing to the command.
 */
#pragma once

#include "cli/options.h"
#include "cli/parser.h"
#include "cli/settings.h"
#include "cli/words.h"

#define UNSET (-1)

enum when { WHEN_NEVER, WHEN_ALWAYS, WHEN_AUTO };

enum number {
        NUMBER_OK,
        NUMBER_NONE,     /* it is none, or a negative one */
        NUMBER_LARGE,    /* above LLONG_MAX, which is returned instead */
        NUMBER_OVERFLOW, /* does not fit into 64 bits either */
};

/* The words of --icons=WHEN and LSR_ICONS, of --confine and LSR_CONFINE, of --time-style and TIME_STYLE. */
extern const struct lsr_word lsr_when_words[];
extern const struct lsr_word lsr_confine_words[];
extern const struct lsr_word lsr_time_style_words[];

/*
 * Is standard output a terminal?  Also notices that it is closed, and then
 * keeps its number from being given to something else: what is written to it
 * must fail.
 */
bool lsr_given_tty(struct lsr_settings *s);

/* Does WHEN hold at this output? */
bool lsr_given_now(struct lsr_settings *s, int when);

/* A number in C's notation. */
enum number lsr_given_number(const char *text, long long *ret_value);

/* A width too large to count with is none at all.  False: it is no number. */
bool lsr_given_width(const char *value, long long *ret_value);

/* The command that @parser's words ask for, wherever in them. */
enum lsr_action lsr_given_command(struct lsr_parser parser);

/* Does @option mean anything to @action?  Returns UNSET if so, or the exit status after an error. */
int lsr_given_check_command(const struct lsr_option *option, enum lsr_action action);

/* All options are noted: resolve them.  Returns UNSET to go on, or the exit status after an error. */
int lsr_given_resolve(struct lsr_settings *s);
