/*
 * options - the one table of options
 *
 * Parsing, the effect of an option, --help, the man page and the completions all come from it.  Options of GNU ls
 * come first and in GNU's order, which is the order in which it lists the possibilities of an ambiguous
 * abbreviation.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/out.h"
#include "base/words.h"

/* The commands. */
enum lsr_action {
        LSR_ACTION_LIST,
        LSR_ACTION_CAT,
        LSR_ACTION_CHECK,
        LSR_ACTION_UNPACK,
        LSR_ACTION_PACK,
        LSR_ACTION_COMPARE,
        LSR_ACTION_DIFF,
        LSR_ACTION_HELP,
        LSR_ACTION_VERSION,
        LSR_ACTIONS,
};
_Static_assert(LSR_ACTIONS <= 16, "a bit each in struct lsr_option");

struct lsr_settings;

enum lsr_argument { LSR_ARG_NONE, LSR_ARG_REQUIRED, LSR_ARG_OPTIONAL };

enum lsr_group {
        LSR_GROUP_WHAT,    /* which entries */
        LSR_GROUP_ORDER,   /* sorting */
        LSR_GROUP_LAYOUT,  /* format of the output */
        LSR_GROUP_FIELDS,  /* what is shown of an entry */
        LSR_GROUP_NAMES,   /* quoting, colour, marks */
        LSR_GROUP_READ,    /* other commands: reading bundles back */
        LSR_GROUP_ENGINE,  /* how it is read */
        LSR_GROUP_PACK,    /* making bundles */
        LSR_GROUP_COMPARE, /* measuring */
        LSR_GROUP_OTHER,
        LSR_GROUPS,
};


struct lsr_option {
        char letter;      /* 0 if there is none */
        const char *name; /* long form, NULL if there is none */
        enum lsr_group group;
        uint16_t commands; /* to which it means something, 1 << enum lsr_action; an error with others */
        bool extra;        /* not in GNU ls */
        const char *help;
        enum lsr_argument argument;
        const char *value;                    /* what the argument is called in texts */
        const struct lsr_word *words;         /* what the argument may be, for completions at least; NULL: anything */
        void (*choices)(struct lsr_out *out); /* the same, with blanks between them, of what has its table elsewhere */
        enum lsr_action command;              /* which the option itself asks for; LSR_ACTION_LIST: none */
        /*
         * Its effect, NULL for a command; @value is NULL if there is none.  Returns 0, or the exit status after
         * an error, which was reported.  The fields below are its parameters, as most options do the
         * same few things to different fields.
         */
        int (*set)(struct lsr_settings *s, const struct lsr_option *o, const char *value);
        bool long_rows; /* the format is that of -l then */
        size_t at;      /* offset in struct lsr_settings of what changes */
        int from, to;   /* bounds of a number; @to is also what is stored if no argument says it */
};

extern const struct lsr_option lsr_options[];
extern const size_t lsr_n_options;
extern const char *const lsr_group_titles[LSR_GROUPS];
extern const char *const lsr_action_names[LSR_ACTIONS]; /* "listings", or the option that asks for it */

/* The usage of @o, such as "-w, --width=COLS".  To be freed. */
char *lsr_option_usage(const struct lsr_option *o);

/* The commands that @o is for, in words: "listings, --pack and --compare". */
void lsr_option_commands(const struct lsr_option *o, char ret_text[128]);
