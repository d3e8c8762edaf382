/*
 * parser - see the header
 *
 * getopt_long would do most of this, but it can neither prefer GNU's options
 * over ours when an abbreviation fits both nor tell what it did not know; and
 * it prints.
 */
#include "cli/given.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/out.h"

static const struct lsr_option *parser_find_letter(char letter)
{
        for (size_t i = 0; i < lsr_n_options; i++)
                if (lsr_options[i].letter == letter)
                        return &lsr_options[i];
        return NULL;
}

/* Options with names that begin with @name: their number, and the first one.  An exact match counts as the only one. */
static size_t parser_find_prefix(const char *name, size_t len, bool extra, const struct lsr_option **ret_first)
{
        size_t n = 0;

        for (const struct lsr_option *o = lsr_options; o < lsr_options + lsr_n_options; o++) {
                if (!o->name || o->extra != extra || strncmp(o->name, name, len) != 0)
                        continue;
                if (n++ == 0 || !o->name[len])
                        *ret_first = o;
                if (!o->name[len])
                        return 1;
        }
        return n;
}

/* What is wrong.  Returns -1. */
__attribute__((format(printf, 2, 3))) static int parser_problem(struct lsr_parser *p, const char *format, ...)
{
        va_list args;

        va_start(args, format);
        if (vasprintf(&p->problem, format, args) < 0)
                lsr_exhausted();
        va_end(args);
        return -1;
}

/* The first @len bytes of @text begin several names. */
static int parser_ambiguous(struct lsr_parser *p, const char *text, size_t len, bool extra)
{
        lsr_auto(lsr_out_free) struct lsr_out list = LSR_OUT_MEMORY;

        for (size_t i = 0; i < lsr_n_options; i++) {
                const struct lsr_option *o = &lsr_options[i];

                if (o->name && o->extra == extra && strncmp(o->name, text, len) == 0)
                        lsr_out_printf(&list, " '--%s'", o->name);
        }
        lsr_out_putc(&list, '\0');
        return parser_problem(p, "option '--%s' is ambiguous; possibilities:%s", text, list.buf);
}

static int parser_parse_long(struct lsr_parser *p, const char *text, const struct lsr_option **ret_option,
                             const char **ret_value)
{
        const char *equals = strchr(text, '=');
        size_t len = equals ? (size_t)(equals - text) : strlen(text);
        const struct lsr_option *o = NULL;
        size_t n = parser_find_prefix(text, len, false, &o);
        bool extra = n == 0 && !p->gnu;

        if (extra)
                n = parser_find_prefix(text, len, true, &o);
        if (n > 1)
                return parser_ambiguous(p, text, len, extra);
        if (n == 0) {
                p->unknown = text;
                p->unknown_len = len;
                return parser_problem(p, "unrecognized option '--%s'", text);
        }
        *ret_value = equals ? equals + 1 : NULL;
        /* GNU's --help takes none. */
        if (equals && (o->argument == LSR_ARG_NONE || (p->gnu && o->command == LSR_ACTION_HELP)))
                return parser_problem(p, "option '--%s' doesn't allow an argument", o->name);
        if (!equals && o->argument == LSR_ARG_REQUIRED) {
                if (p->next >= p->argc)
                        return parser_problem(p, "option '--%s' requires an argument", o->name);
                *ret_value = p->argv[p->next++];
        }
        *ret_option = o;
        return 1;
}

/* -L2 or -L 2, where there are levels: --level=2. */
static bool parser_parse_level(struct lsr_parser *p, const struct lsr_option **ret_option, const char **ret_value)
{
        bool next = !*p->letters && p->next < p->argc;
        const char *number = next ? p->argv[p->next] : p->letters;

        if (!p->levels || !*number || number[strspn(number, "0123456789")])
                return false;
        p->next += next;
        p->letters = "";
        *ret_value = number;
        return parser_find_prefix("level", strlen("level"), true, ret_option) == 1;
}

static int parser_parse_letter(struct lsr_parser *p, const struct lsr_option **ret_option, const char **ret_value)
{
        char letter = *p->letters++;
        const struct lsr_option *o = parser_find_letter(letter);

        *ret_value = NULL;
        if (letter == 'L' && parser_parse_level(p, ret_option, ret_value))
                return 1;
        if (!o) {
                p->unknown = p->letters - 1;
                p->unknown_len = 1;
                return parser_problem(p, "invalid option -- '%c'", letter);
        }
        if (o->argument == LSR_ARG_REQUIRED) {
                if (*p->letters) {
                        *ret_value = p->letters;
                } else if (p->next < p->argc) {
                        *ret_value = p->argv[p->next++];
                } else {
                        return parser_problem(p, "option requires an argument -- '%c'", letter);
                }
                p->letters = "";
        }
        *ret_option = o;
        return 1;
}

int lsr_parse_option(struct lsr_parser *p, const struct lsr_option **ret_option, const char **ret_value)
{
        if (p->letters && *p->letters)
                return parser_parse_letter(p, ret_option, ret_value);
        while (p->next < p->argc) {
                const char *word = p->argv[p->next++];

                if (p->only_operands || word[0] != '-' || !word[1]) {
                        p->operands[p->n_operands++] = word;
                        p->only_operands |= getenv("POSIXLY_CORRECT") != NULL;
                } else if (word[1] != '-') {
                        p->letters = word + 1;
                        return parser_parse_letter(p, ret_option, ret_value);
                } else if (word[2]) {
                        return parser_parse_long(p, word + 2, ret_option, ret_value);
                } else {
                        p->only_operands = true;
                }
        }
        return 0;
}
