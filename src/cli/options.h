/*
 * options - the one table of options
 *
 * Parsing, --help, the man page and the completions are all made from it.
 * Rows that GNU ls has come first and in GNU's order, as that is the order in
 * which it names the possibilities of an ambiguous abbreviation.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a command line asks for. */
enum lsr_action {
        LSR_ACTION_LIST,
        LSR_ACTION_CAT,
        LSR_ACTION_CHECK,
        LSR_ACTION_UNPACK,
        LSR_ACTION_PACK,
        LSR_ACTION_COMPARE,
        LSR_ACTION_HELP,
        LSR_ACTION_VERSION,
        LSR_ACTIONS,
};
_Static_assert(LSR_ACTIONS <= 8, "a bit each in struct lsr_option");

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

enum {
        /* Ids of options without a letter; others have their letter. */
        LSR_OPT_AUTHOR = 256,
        LSR_OPT_BLOCK_SIZE,
        LSR_OPT_COLOR,
        LSR_OPT_DEREFERENCE_DIR,
        LSR_OPT_FILE_TYPE,
        LSR_OPT_FORMAT,
        LSR_OPT_FULL_TIME,
        LSR_OPT_DIRS_FIRST,
        LSR_OPT_HIDE,
        LSR_OPT_HYPERLINK,
        LSR_OPT_INDICATOR_STYLE,
        LSR_OPT_QUOTING_STYLE,
        LSR_OPT_SHOW_CONTROL,
        LSR_OPT_SI,
        LSR_OPT_SORT,
        LSR_OPT_TIME,
        LSR_OPT_TIME_STYLE,
        LSR_OPT_ZERO,
        LSR_OPT_HELP,
        LSR_OPT_VERSION,
        LSR_OPT_ACL,
        LSR_OPT_BUNDLES,
        LSR_OPT_CAT,
        LSR_OPT_CHECK,
        LSR_OPT_COLUMNS,
        LSR_OPT_CONFINE,
        LSR_OPT_FORCE,
        LSR_OPT_GIT,
        LSR_OPT_ICONS,
        LSR_OPT_IO,
        LSR_OPT_JSON,
        LSR_OPT_LEVEL,
        LSR_OPT_NO_CACHE,
        LSR_OPT_OUTPUT,
        LSR_OPT_STATS,
        LSR_OPT_TITLES,
        LSR_OPT_TOTAL_SIZE,
        LSR_OPT_TREE,
        LSR_OPT_UNPACK,
        LSR_OPT_PACK,
        LSR_OPT_BUNDLE_FORMAT,
        LSR_OPT_COMPRESSION_LEVEL,
        LSR_OPT_THREADS,
        LSR_OPT_EXCLUDE,
        LSR_OPT_GITIGNORE,
        LSR_OPT_EACH,
        LSR_OPT_OWNER,
        LSR_OPT_MTIME,
        LSR_OPT_NO_XATTRS,
        LSR_OPT_NO_VERIFY,
        LSR_OPT_COMPARE,
        LSR_OPT_FORMATS,
        LSR_OPT_RUNS,
        LSR_OPT_COLD,
        LSR_OPT_RANDOM,
        LSR_OPT_CSV,
        LSR_OPT_HTML,
};

struct lsr_option {
        int id;           /* the letter, or LSR_OPT_* */
        const char *name; /* long form, NULL if there is none */
        enum lsr_argument argument;
        const char *value;  /* what the argument is called in texts */
        const char *values; /* its words, separated by blanks, for completions; NULL */
        enum lsr_group group;
        uint8_t commands; /* to which it means something, 1 << enum lsr_action; an error with others */
        bool extra;       /* not in GNU ls */
        const char *help;
};

extern const struct lsr_option lsr_options[];
extern const size_t lsr_n_options;
extern const char *const lsr_group_titles[LSR_GROUPS];
extern const char *const lsr_action_names[LSR_ACTIONS]; /* "listings", or the option that asks for it */

/* Does @o have a letter?  Returns it, or 0. */
static inline char lsr_option_letter(const struct lsr_option *o)
{
        return o->id < 256 ? (char)o->id : 0;
}

/* The commands that @o is for, in words: "listings, --pack and --compare". */
void lsr_option_commands(const struct lsr_option *o, char ret_text[128]);

/*
 * Go through argv as getopt_long(3) does: options and operands in any order,
 * unless POSIXLY_CORRECT is set; abbreviations of long options as far as they
 * are unambiguous among GNU's, and only then among lsr's own.
 */
struct lsr_parser {
        char **argv;
        int argc;
        bool gnu_messages;     /* called as ls: no suggestions, no options of our own */
        int next;              /* index in argv */
        const char *letters;   /* rest of a group of short options */
        bool only_operands;    /* "--" was seen */
        const char **operands; /* collected, room for argc */
        size_t n_operands;
};

/*
 * The next option with its argument (NULL if it has none).  Returns 1; 0 at the
 * end; -1 after an error, which @report was told as complete lines of text.
 */
int lsr_parse_option(struct lsr_parser *p, void (*report)(const char *format, ...),
                     const struct lsr_option **ret_option, const char **ret_value);
