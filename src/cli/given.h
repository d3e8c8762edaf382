/*
 * given - the command line between options.c and resolve.c
 *
 * options.c stores options in the settings as they come; resolve.c derives from struct lsr_given what depends on
 * several of them, on the environment and on the terminal. settings-command.c refuses options that do not apply to
 * the command.
 */
#pragma once

#include "cli/options.h"
#include "cli/parser.h"
#include "cli/settings.h"

#define UNSET (-1)

/* Sets of commands. */
#define LIST (1u << LSR_ACTION_LIST)
#define CAT (1u << LSR_ACTION_CAT)
#define CHECK (1u << LSR_ACTION_CHECK)
#define UNPACK (1u << LSR_ACTION_UNPACK)
#define READ (CAT | CHECK | UNPACK)
#define PACK (1u << LSR_ACTION_PACK)
#define COMPARE (1u << LSR_ACTION_COMPARE)
#define ANY (LIST | READ | PACK | COMPARE)

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
 * Is standard output a terminal?  If it is closed, this also keeps its number
 * from being given to another file, so that writes to it fail.
 */
bool lsr_given_tty(struct lsr_settings *s);

/* Does WHEN hold for this output?  */
bool lsr_given_now(struct lsr_settings *s, int when);

/* A number in C's notation. */
enum number lsr_given_number(const char *text, long long *ret_value);

/* Parse a width; one that is too large means no limit.  False: it is not a number. */
bool lsr_given_width(const char *value, long long *ret_value);

/* The command among the words of @parser, at any place; what is wrong with other words does not matter yet. */
enum lsr_action lsr_given_command(struct lsr_parser parser);

/* Does @option apply to @action?  Returns 0 if so, or the exit status after an error. */
int lsr_given_check_command(const struct lsr_option *option, enum lsr_action action);

/*
 * What was probably meant by @word (@len bytes), which is no option of @action: the meaning that it has for other
 * programs, or else the option with nearly the same letters.  To be freed; NULL if nothing is near.
 */
char *lsr_given_meant(const char *word, size_t len, enum lsr_action action);

/* Resolve the settings after all options were stored.  Returns 0, or the exit status after an error. */
int lsr_given_resolve(struct lsr_settings *s);
