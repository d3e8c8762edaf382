/*
 * quote - how a name looks: GNU's quoting styles, and its width in columns
 *
 * The styles are those of ls(1) --quoting-style and of the coreutils manual,
 * section "Formatting the file names"; behaviour follows coreutils 9.1.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/out.h"
#include "base/words.h"

enum lsr_quoting {
        LSR_QUOTE_LITERAL,
        LSR_QUOTE_SHELL,
        LSR_QUOTE_SHELL_ALWAYS,
        LSR_QUOTE_SHELL_ESCAPE,
        LSR_QUOTE_SHELL_ESCAPE_ALWAYS,
        LSR_QUOTE_C,
        LSR_QUOTE_C_MAYBE, /* internal to GNU: C quoting only where it is needed */
        LSR_QUOTE_ESCAPE,
        LSR_QUOTE_LOCALE,
        LSR_QUOTE_CLOCALE,
};

struct lsr_quote {
        enum lsr_quoting style;
        bool hide_control; /* -q: characters that do not print become '?' */
        bool escape_bidi;  /* bidirectional overrides (U+202A..E, U+2066..9, U+200E/F, U+061C) count as not printable */
        uint32_t also[8];  /* bit set of further bytes to quote, as -b quotes spaces and -F its marks */
};

/* What quoting did to a name. */
struct lsr_quoted {
        size_t len;   /* bytes appended */
        size_t width; /* columns on a terminal */
        bool quoted;  /* differs from the literal form by an opening quote */
};

/* The words of --quoting-style, in the order of the styles and of GNU's messages. */
extern const struct lsr_word lsr_quoting_words[];

/* Mark a byte as to be quoted also. */
void lsr_quote_also(struct lsr_quote *q, char c);

/*
 * Prepare @q for fast checks; call once after its fields are set.  Afterwards
 * lsr_quote_plain() answers whether a name passes through unchanged, with as
 * many columns as bytes: true for the ordinary ASCII names of most listings.
 */
struct lsr_quote_table {
        struct lsr_quote quote;
        bool safe[256];  /* byte needs no thought anywhere in a name */
        bool first[256]; /* nor at its start ('~' and '#' do, for instance) */
        bool always;     /* the style adds marks to every name */
};
void lsr_quote_compile(struct lsr_quote_table *ret_table, const struct lsr_quote *q);

static inline bool lsr_quote_plain(const struct lsr_quote_table *t, const char *name, size_t len)
{
        if (t->always || !len || !t->first[(unsigned char)name[0]])
                return false;
        for (; len > 4; len -= 4, name += 4)
                if (!(t->safe[(unsigned char)name[1]] & t->safe[(unsigned char)name[2]] &
                      t->safe[(unsigned char)name[3]] & t->safe[(unsigned char)name[4]]))
                        return false;
        for (size_t i = 1; i < len; i++)
                if (!t->safe[(unsigned char)name[i]])
                        return false;
        return true;
}

/* Append @name in the given style to @out. */
struct lsr_quoted lsr_quote_put(const struct lsr_quote_table *t, struct lsr_out *out, const char *name, size_t len);

/* The same without output: only the measure. */
struct lsr_quoted lsr_quote_measure(const struct lsr_quote_table *t, const char *name, size_t len);

/* Columns that @s takes on a terminal; unprintable and broken sequences count as in GNU ls (mbsnwidth without flags). */
size_t lsr_text_width(const char *s, size_t len);
