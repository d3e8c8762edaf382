/*
 * given - the command line between argv and the settings
 *
 * parser.c finds options in argv; options.c stores options in the settings as they come; resolve.c derives from struct
 * lsr_given what depends on several of them, on the environment and on the terminal. settings-command.c refuses options
 * that do not apply to the command.
 */
#pragma once

#include "cli/options.h"
#include "cli/settings.h"

#define UNSET (-1)

/* Sets of commands. */
#define LIST (1u << LSR_ACTION_LIST)
#define CAT (1u << LSR_ACTION_CAT)
#define CHECK (1u << LSR_ACTION_CHECK)
#define UNPACK (1u << LSR_ACTION_UNPACK)
#define DIFF (1u << LSR_ACTION_DIFF)
#define READ (CAT | CHECK | UNPACK | DIFF)
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

/* ---- parser.c ---- */

/*
 * Go through argv as getopt_long(3) does: options and operands in any order,
 * unless POSIXLY_CORRECT is set; abbreviations of long options as far as they
 * are unambiguous among GNU's, and only then among lsr's own.
 */
struct lsr_parser {
        char **argv;
        int argc;
        bool gnu;               /* called as ls: no options of our own */
        enum lsr_action action; /* of options that share a letter or a name, those for it are meant */
        int next;               /* index in argv */
        bool levels;            /* a number behind -L is one: there are levels */
        const char *letters;    /* rest of a group of short options */
        bool only_operands;     /* "--" was seen */
        const char **operands;  /* collected, room for argc */
        size_t n_operands;
        char *problem;       /* after an error: what is wrong, to be freed */
        const char *unknown; /* the letter, or the name without its value, that no option has; NULL: another error */
        size_t unknown_len;
};

/* The next option with its argument (NULL if it has none).  Returns 1; 0 at the end; -1 after an error. */
int lsr_parse_option(struct lsr_parser *p, const struct lsr_option **ret_option, const char **ret_value);

/* ---- settings-command.c ---- */

/* What must be known of all words of a command line before the first of them is handled. */
struct lsr_glance {
        enum lsr_action action; /* the first command that is named */
        bool help;              /* so is --help or --version */
        bool levels;            /* so is --tree or -R */
        bool no_config;
};

/* What is wrong with words does not matter yet. */
struct lsr_glance lsr_given_glance(struct lsr_parser parser);

/* Does @option apply to @action?  Returns 0 if so, or the exit status after an error. */
int lsr_given_check_command(const struct lsr_option *option, enum lsr_action action);

/*
 * What was probably meant by @word (@len bytes), which is no option of @action: the meaning that it has for other
 * programs, or else the option with nearly the same letters.  To be freed; NULL if nothing is near.
 */
char *lsr_given_meant(const char *word, size_t len, enum lsr_action action);

/*
 * The command that was probably meant by @operands that begin as those of tar and 7z do: "xf a.tgz".  To be freed; NULL
 * if they do not.
 */
char *lsr_given_letters_meant(const char *const *operands, size_t n);

/* ---- resolve.c ---- */

/* Resolve the settings after all options were stored.  Returns 0, or the exit status after an error. */
int lsr_given_resolve(struct lsr_settings *s);
