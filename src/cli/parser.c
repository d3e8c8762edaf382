/*
 * parser - see the header
 *
 * getopt_long would do most of this, but it can neither prefer GNU's options
 * over ours when an abbreviation fits both nor suggest a name; and it prints.
 */
#include "cli/parser.h"

#include <stdlib.h>
#include <string.h>

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

/* Edits from @a to @b: insertions, deletions, substitutions (Levenshtein), for short words. */
static size_t parser_distance(const char *a, size_t a_len, const char *b)
{
        size_t row[64], b_len = strlen(b);

        if (b_len >= 64)
                return 64;
        for (size_t j = 0; j <= b_len; j++)
                row[j] = j;
        for (size_t i = 1; i <= a_len; i++) {
                size_t diagonal = row[0];

                row[0] = i;
                for (size_t j = 1; j <= b_len; j++) {
                        size_t best = diagonal + (a[i - 1] != b[j - 1]);

                        best = row[j] + 1 < best ? row[j] + 1 : best;
                        best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
                        diagonal = row[j];
                        row[j] = best;
                }
        }
        return row[b_len];
}

static const char *parser_nearest(const char *name, size_t len)
{
        const char *nearest = NULL;
        size_t best = len / 3 + 1; /* what is further off is no typing error */

        for (size_t i = 0; i < lsr_n_options; i++) {
                size_t d = lsr_options[i].name ? parser_distance(name, len, lsr_options[i].name) : 64;

                if (d <= best && (!nearest || d < best)) {
                        nearest = lsr_options[i].name;
                        best = d;
                }
        }
        return nearest;
}

/* The first @len bytes of @text begin several names. */
static int parser_ambiguous(const char *text, size_t len, bool extra, int (*report)(const char *format, ...))
{
        lsr_auto(lsr_out_free) struct lsr_out list = LSR_OUT_MEMORY;

        for (size_t i = 0; i < lsr_n_options; i++) {
                const struct lsr_option *o = &lsr_options[i];

                if (o->name && o->extra == extra && strncmp(o->name, text, len) == 0)
                        lsr_out_printf(&list, " '--%s'", o->name);
        }
        lsr_out_putc(&list, '\0');
        report("option '--%s' is ambiguous; possibilities:%s", text, list.buf);
        return -1;
}

static int parser_parse_long(struct lsr_parser *p, const char *text, int (*report)(const char *format, ...),
                             const struct lsr_option **ret_option, const char **ret_value)
{
        const char *equals = strchr(text, '=');
        size_t len = equals ? (size_t)(equals - text) : strlen(text);
        const struct lsr_option *o = NULL;
        size_t n = parser_find_prefix(text, len, false, &o);
        bool extra = n == 0 && !p->gnu_messages;

        if (extra)
                n = parser_find_prefix(text, len, true, &o);
        if (n > 1)
                return parser_ambiguous(text, len, extra, report);
        if (n == 0) {
                const char *nearest = p->gnu_messages ? NULL : parser_nearest(text, len);

                report("unrecognized option '--%s'", text);
                if (nearest)
                        report("did you mean '--%s'?", nearest);
                return -1;
        }
        *ret_value = equals ? equals + 1 : NULL;
        if (equals && o->argument == LSR_ARG_NONE) {
                report("option '--%s' doesn't allow an argument", o->name);
                return -1;
        }
        if (!equals && o->argument == LSR_ARG_REQUIRED) {
                if (p->next >= p->argc) {
                        report("option '--%s' requires an argument", o->name);
                        return -1;
                }
                *ret_value = p->argv[p->next++];
        }
        *ret_option = o;
        return 1;
}

static int parser_parse_letter(struct lsr_parser *p, int (*report)(const char *format, ...),
                               const struct lsr_option **ret_option, const char **ret_value)
{
        char letter = *p->letters++;
        const struct lsr_option *o = parser_find_letter(letter);

        *ret_value = NULL;
        if (!o) {
                report("invalid option -- '%c'", letter);
                return -1;
        }
        if (o->argument == LSR_ARG_REQUIRED) {
                if (*p->letters) {
                        *ret_value = p->letters;
                } else if (p->next < p->argc) {
                        *ret_value = p->argv[p->next++];
                } else {
                        report("option requires an argument -- '%c'", letter);
                        return -1;
                }
                p->letters = "";
        }
        *ret_option = o;
        return 1;
}

int lsr_parse_option(struct lsr_parser *p, int (*report)(const char *format, ...), const struct lsr_option **ret_option,
                     const char **ret_value)
{
        if (p->letters && *p->letters)
                return parser_parse_letter(p, report, ret_option, ret_value);
        while (p->next < p->argc) {
                const char *word = p->argv[p->next++];

                if (p->only_operands || word[0] != '-' || !word[1]) {
                        p->operands[p->n_operands++] = word;
                        p->only_operands |= getenv("POSIXLY_CORRECT") != NULL;
                } else if (word[1] != '-') {
                        p->letters = word + 1;
                        return parser_parse_letter(p, report, ret_option, ret_value);
                } else if (word[2]) {
                        return parser_parse_long(p, word + 2, report, ret_option, ret_value);
                } else {
                        p->only_operands = true;
                }
        }
        return 0;
}
