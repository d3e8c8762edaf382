/*
 * parser - from argv to options of the table, and operands
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cli/options.h"

/*
 * Go through argv as getopt_long(3) does: options and operands in any order,
 * unless POSIXLY_CORRECT is set; abbreviations of long options as far as they
 * are unambiguous among GNU's, and only then among lsr's own.
 */
struct lsr_parser {
        char **argv;
        int argc;
        bool gnu;              /* called as ls: no options of our own */
        int next;              /* index in argv */
        const char *letters;   /* rest of a group of short options */
        bool only_operands;    /* "--" was seen */
        const char **operands; /* collected, room for argc */
        size_t n_operands;
        char *problem;       /* after an error: what is wrong, to be freed */
        const char *unknown; /* the letter, or the name without its value, that no option has; NULL: another error */
        size_t unknown_len;
};

/* The next option with its argument (NULL if it has none).  Returns 1; 0 at the end; -1 after an error. */
int lsr_parse_option(struct lsr_parser *p, const struct lsr_option **ret_option, const char **ret_value);
