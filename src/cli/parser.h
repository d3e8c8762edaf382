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
int lsr_parse_option(struct lsr_parser *p, int (*report)(const char *format, ...), const struct lsr_option **ret_option,
                     const char **ret_value);
