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

/* Does @o mean something to the command? */
static bool parser_fits(const struct lsr_parser *p, const struct lsr_option *o)
{
        return o->commands >> p->action & 1;
}

/* Of several, the one for the command; NULL: there is none. */
static const struct lsr_option *parser_find_letter(const struct lsr_parser *p, char letter)
{
        const struct lsr_option *found = NULL;

        for (const struct lsr_option *o = lsr_options; o < lsr_options + lsr_n_options; o++) {
                if (o->letter != letter || (p->gnu && o->extra))
                        continue;
                if (parser_fits(p, o))
                        return o;
                found = found ? found : o;
        }
        return found;
}

/* Of those with the name of @named, the one for the command; if there is none, rather one that takes the @argument. */
static const struct lsr_option *parser_choose(const struct lsr_parser *p, const struct lsr_option *named, bool argument)
{
        const struct lsr_option *found = named;

        if (p->gnu || parser_fits(p, named))
                return named;
        for (const struct lsr_option *o = lsr_options; o < lsr_options + lsr_n_options; o++) {
                if (!o->name || strcmp(o->name, named->name) != 0)
                        continue;
                if (parser_fits(p, o) || (argument && o->argument != LSR_ARG_NONE))
                        found = o;
        }
        return found;
}

/* Which options an abbreviation may mean, one kind after the other. */
enum { PARSER_GNU, PARSER_FITTING, PARSER_EXTRA, PARSER_KINDS };

static bool parser_is(const struct lsr_parser *p, const struct lsr_option *o, unsigned kind)
{
        return o->name && o->extra == (kind != PARSER_GNU) && (kind != PARSER_FITTING || parser_fits(p, o));
}

/* Nearly all differ in the first byte: a call of strncmp() for each would be most of what parsing takes. */
static bool parser_begins(const char *name, const char *with, size_t len)
{
        size_t same = 0;

        while (same < len && name[same] == with[same])
                same++;
        return same == len;
}

/* Of one kind, the options with names that begin with a word.  One that is the word is the only one. */
struct parser_found {
        size_t n;
        const struct lsr_option *first;
        bool whole;
};

static void parser_find(const struct lsr_parser *p, const char *word, size_t len,
                        struct parser_found ret_found[PARSER_KINDS])
{
        memset(ret_found, 0, PARSER_KINDS * sizeof(*ret_found));
        for (const struct lsr_option *o = lsr_options; o < lsr_options + lsr_n_options; o++) {
                if (!o->name || !parser_begins(o->name, word, len))
                        continue;
                for (unsigned kind = 0; kind < PARSER_KINDS; kind++) {
                        struct parser_found *f = &ret_found[kind];
                        bool whole = !o->name[len];

                        if (!parser_is(p, o, kind) || f->whole)
                                continue;
                        f->first = f->n == 0 || whole ? o : f->first;
                        f->n = whole ? 1 : f->n + 1;
                        f->whole = whole;
                }
        }
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
static int parser_ambiguous(struct lsr_parser *p, const char *text, size_t len, unsigned kind)
{
        lsr_auto(lsr_out_free) struct lsr_out list = LSR_OUT_MEMORY;

        for (size_t i = 0; i < lsr_n_options; i++) {
                const struct lsr_option *o = &lsr_options[i];

                if (parser_is(p, o, kind) && parser_begins(o->name, text, len))
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
        struct parser_found found[PARSER_KINDS];
        const struct lsr_option *o;
        unsigned kind = PARSER_GNU;

        parser_find(p, text, len, found);
        /* Whole names come first, then rather an abbreviation of what the command takes. */
        if (found[PARSER_GNU].n == 0 && !p->gnu)
                kind = found[PARSER_EXTRA].whole || found[PARSER_FITTING].n == 0 ? PARSER_EXTRA : PARSER_FITTING;
        if (found[kind].n > 1)
                return parser_ambiguous(p, text, len, kind);
        if (found[kind].n == 0) {
                p->unknown = text;
                p->unknown_len = len;
                return parser_problem(p, "unrecognized option '--%s'", text);
        }
        o = parser_choose(p, found[kind].first, equals);
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
        struct parser_found found[PARSER_KINDS];
        bool next = !*p->letters && p->next < p->argc;
        const char *number = next ? p->argv[p->next] : p->letters;

        if (!p->levels || !*number || number[strspn(number, "0123456789")])
                return false;
        p->next += next;
        p->letters = "";
        *ret_value = number;
        parser_find(p, "level", strlen("level"), found);
        *ret_option = found[PARSER_EXTRA].first;
        return found[PARSER_EXTRA].whole;
}

static int parser_parse_letter(struct lsr_parser *p, const struct lsr_option **ret_option, const char **ret_value)
{
        char letter = *p->letters++;
        const struct lsr_option *o = parser_find_letter(p, letter);

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
                        p->only_operands |= p->n_operands == 0 && getenv("POSIXLY_CORRECT");
                        p->operands[p->n_operands++] = word;
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
