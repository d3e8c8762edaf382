/*
 * quote - file names as shell words, C strings, or with their bad bytes hidden
 *
 * A name is read in units (base/width.h), and three writers share them:
 *
 *      copy        literal
 *      shell       'a b'   "it's"   'a'$'\n''b'      scans first, to choose the form
 *      backslash   "a\nb"  a\ b  ‘a’                 C, escape, locale
 *
 * The writers fill a buffer that is reserved for the worst case beforehand, so
 * they test no bounds.  -q works on what they have written, not on the name,
 * because GNU's does: an unfinished character at the end of a name is one '?'
 * alone, but one per byte once a quote mark stands behind it.
 *
 * Rejected: one state machine for all styles (each special case then has to
 * exclude the other styles), and a table of replacement strings per byte (most
 * rules depend on the whole name, and names that need quoting are rare).
 */

#include "render/quote.h"

#include <ctype.h>
#include <langinfo.h>
#include <stdlib.h>
#include <wchar.h>
#include <wctype.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "base/width.h"

/* A byte grows at most to '$'\ooo, seven bytes; the marks around come on top. */
#define QUOTE_ROOM(len) (8 * (len) + 16)

/* Longer results than this many bytes are measured on the heap. */
#define QUOTE_STACK 4096

/* What an ASCII byte means to a shell. */
enum {
        QUOTE_SPECIAL = 1 << 0,  /* needs quotes */
        QUOTE_AT_START = 1 << 1, /* needs quotes as first byte */
        QUOTE_ALONE = 1 << 2,    /* needs quotes as only byte */
        QUOTE_DOUBLE = 1 << 3,   /* means itself between double quotes, in C too */
};

static const unsigned char quote_class[128] = {
        ['\t' ... '\n'] = QUOTE_SPECIAL,
        ['\r'] = QUOTE_SPECIAL,
        [' '] = QUOTE_SPECIAL | QUOTE_DOUBLE,
        ['!' ... '"'] = QUOTE_SPECIAL,
        ['#'] = QUOTE_AT_START,
        ['$'] = QUOTE_SPECIAL,
        ['%'] = QUOTE_DOUBLE,
        ['&'] = QUOTE_SPECIAL,
        ['\''] = QUOTE_SPECIAL | QUOTE_DOUBLE,
        ['(' ... '*'] = QUOTE_SPECIAL,
        ['+' ... ':'] = QUOTE_DOUBLE,  /* + , - . / 0-9 : */
        [';' ... '?'] = QUOTE_SPECIAL, /* ; < = > ? */
        ['@' ... 'Z'] = QUOTE_DOUBLE,
        ['[' ... '\\'] = QUOTE_SPECIAL,
        [']'] = QUOTE_DOUBLE,
        ['^'] = QUOTE_SPECIAL,
        ['_'] = QUOTE_DOUBLE,
        ['`'] = QUOTE_SPECIAL,
        ['a' ... 'z'] = QUOTE_DOUBLE,
        ['{'] = QUOTE_ALONE,
        ['|'] = QUOTE_SPECIAL,
        ['}'] = QUOTE_ALONE,
        ['~'] = QUOTE_AT_START,
};

const struct lsr_word lsr_quoting_words[] = {
        { "literal", LSR_QUOTE_LITERAL },
        { "shell", LSR_QUOTE_SHELL },
        { "shell-always", LSR_QUOTE_SHELL_ALWAYS },
        { "shell-escape", LSR_QUOTE_SHELL_ESCAPE },
        { "shell-escape-always", LSR_QUOTE_SHELL_ESCAPE_ALWAYS },
        { "c", LSR_QUOTE_C },
        { "c-maybe", LSR_QUOTE_C_MAYBE },
        { "escape", LSR_QUOTE_ESCAPE },
        { "locale", LSR_QUOTE_LOCALE },
        { "clocale", LSR_QUOTE_CLOCALE },
        {},
};

void lsr_quote_also(struct lsr_quote *q, char c)
{
        unsigned byte = (unsigned char)c;

        q->also[byte / 32] |= (uint32_t)1 << (byte % 32);
}

static bool quote_is_also(const struct lsr_quote *q, unsigned char c)
{
        return q->also[c / 32] >> (c % 32) & 1;
}

/* Units */

struct quote_unit {
        size_t len;
        bool printable;
        bool wide; /* a whole character of a multibyte locale */
};

static struct quote_unit quote_unit(const struct lsr_quote *q, const char *s, size_t n)
{
        unsigned char c = (unsigned char)*s;
        locale_t locale;
        wint_t wide;
        size_t len;

        if (c < 0x80)
                return (struct quote_unit){ 1, lsr_ascii_prints(c), false };
        switch (lsr_charset(&locale)) {
        case LSR_CHARSET_BYTES:
                return (struct quote_unit){ 1, false, false };
        case LSR_CHARSET_SINGLE:
                return (struct quote_unit){ 1, isprint_l(c, locale), false };
        case LSR_CHARSET_MULTI:
                break;
        }
        len = lsr_width_decode(s, n, &wide);
        return (struct quote_unit){
                .len = len,
                .printable = wide != WEOF && iswprint(wide) && !(q->escape_bidi && lsr_is_bidi(wide)),
                .wide = wide != WEOF,
        };
}

/* Writers: all return the end of what they wrote to @at */

static char *quote_copy(char *at, const char *s, size_t n)
{
        memcpy(at, s, n);
        return at + n;
}

static char *quote_copys(char *at, const char *s)
{
        return quote_copy(at, s, strlen(s));
}

/* Bytes as \n or \ooo. */
static char *quote_escape(char *at, const char *s, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                unsigned char c = (unsigned char)s[i];

                *at++ = '\\';
                if (c >= '\a' && c <= '\r') {
                        *at++ = "abtnvfr"[c - '\a'];
                        continue;
                }
                *at++ = (char)('0' + (c >> 6));
                *at++ = (char)('0' + (c >> 3 & 7));
                *at++ = (char)('0' + (c & 7));
        }
        return at;
}

/*
 * Between @open and @close, with backslashes.  Only one-byte units can be in
 * @also (NULL: none); a unit that spells the closing mark is escaped.
 */
static char *quote_backslash(const struct lsr_quote *q, const struct lsr_quote *also, const char *open,
                             const char *close, char *at, const char *name, size_t len)
{
        size_t close_len = strlen(close);
        struct quote_unit u;

        at = quote_copys(at, open);
        for (size_t i = 0; i < len; i += u.len) {
                const char *s = name + i;

                u = quote_unit(q, s, len - i);
                if (!u.printable) {
                        at = quote_escape(at, s, u.len);
                        continue;
                }
                if (*s == '\\' || (close_len == u.len && !memcmp(s, close, close_len)) ||
                    (also && u.len == 1 && quote_is_also(also, (unsigned char)*s)))
                        *at++ = '\\';
                at = quote_copy(at, s, u.len);
        }
        return quote_copys(at, close);
}

/* C_MAYBE: a backslash alone is no reason for quotes. */
static bool quote_needs_c(const struct lsr_quote *q, const char *name, size_t len)
{
        struct quote_unit u;

        for (size_t i = 0; i < len; i += u.len) {
                u = quote_unit(q, name + i, len - i);
                if (!u.printable || name[i] == '"')
                        return true;
                if (u.len == 1 && name[i] != '\\' && quote_is_also(q, (unsigned char)name[i]))
                        return true;
        }
        return false;
}

/* What the locale styles put around a name. */
static void quote_locale_marks(enum lsr_quoting style, const char **ret_open, const char **ret_close)
{
        locale_t locale;

        *ret_open = *ret_close = style == LSR_QUOTE_CLOCALE ? "\"" : "'";
        if (lsr_charset(&locale) != LSR_CHARSET_MULTI)
                return;
        if (!strcmp(nl_langinfo_l(CODESET, locale), "UTF-8")) {
                *ret_open = "\xe2\x80\x98";
                *ret_close = "\xe2\x80\x99";
        } else if (!strcmp(nl_langinfo_l(CODESET, locale), "GB18030")) {
                *ret_open = "\xa1\a\x65"; /* meant to be A1 AE; this is what ls 9.1 prints */
                *ret_close = "\xa1\xaf";
        }
}

/* Shell words */

struct quote_shell {
        bool always;       /* quotes even where nothing needs them */
        bool escape;       /* the style knows $'\n' */
        bool special;      /* something in the name needs quotes */
        bool single;       /* it has a ' */
        bool doubles;      /* all of it means itself between double quotes */
        bool ends_escaped; /* its last unit is written as $'...' */
};

static void quote_shell_scan(const struct lsr_quote *q, const char *name, size_t len, struct quote_shell *w)
{
        struct quote_unit u;

        w->special = !len;
        w->doubles = true;
        for (size_t i = 0; i < len; i += u.len) {
                unsigned char c = (unsigned char)name[i];
                unsigned class = c < 0x80 ? quote_class[c] : 0;

                u = quote_unit(q, name + i, len - i);
                if (class & QUOTE_AT_START && i == 0)
                        class = QUOTE_SPECIAL | QUOTE_DOUBLE;
                if (class & QUOTE_ALONE && len == 1)
                        class = QUOTE_SPECIAL;
                if (c >= 0x80 && u.printable)
                        class = QUOTE_DOUBLE;

                w->ends_escaped = w->escape && !u.printable;
                w->special |= class & QUOTE_SPECIAL || w->ends_escaped;
                w->special |= u.len == 1 && quote_is_also(q, c);
                w->doubles &= (class & QUOTE_DOUBLE) != 0;
                w->single |= c == '\'';

                /* Outside UTF-8, shells may take a character's second byte for a special one. */
                for (size_t k = 1; u.wide && k < u.len; k++)
                        w->special |= memchr("[\\^`|", name[i + k], 5) != NULL;
        }
}

/*
 * 'a'\''b'$'\n''c'.  GNU looks twice at names with a ' in them and starts the
 * second time in the state in which the first one ended; a name that also ends
 * in an escape therefore starts as if inside $'...'.  Scripts see it: so do we.
 */
static char *quote_shell_single(const struct lsr_quote *q, const struct quote_shell *w, char *at, const char *name,
                                size_t len)
{
        bool dollar = w->single && w->ends_escaped;
        struct quote_unit u;

        *at++ = '\'';
        for (size_t i = 0; i < len; i += u.len) {
                u = quote_unit(q, name + i, len - i);
                if (w->escape && !u.printable) {
                        if (!dollar)
                                at = quote_copys(at, "'$'");
                        at = quote_escape(at, name + i, u.len);
                        dollar = true;
                        continue;
                }
                if (name[i] == '\'') {
                        at = quote_copys(at, "'\\''");
                } else {
                        if (dollar)
                                at = quote_copys(at, "''");
                        at = quote_copy(at, name + i, u.len);
                }
                dollar = false;
        }
        *at++ = '\'';
        return at;
}

static char *quote_shell(const struct lsr_quote *q, char *at, const char *name, size_t len, bool *ret_quoted)
{
        struct quote_shell w = {
                .always = q->style == LSR_QUOTE_SHELL_ALWAYS || q->style == LSR_QUOTE_SHELL_ESCAPE_ALWAYS,
                .escape = q->style == LSR_QUOTE_SHELL_ESCAPE || q->style == LSR_QUOTE_SHELL_ESCAPE_ALWAYS,
        };

        quote_shell_scan(q, name, len, &w);
        *ret_quoted = w.always || w.special;
        if (!*ret_quoted)
                return quote_copy(at, name, len);
        /* Here GNU has the further bytes escaped, though a shell would not undo that, in the always styles only. */
        if (w.single && w.doubles)
                return quote_backslash(q, w.always ? q : NULL, "\"", "\"", at, name, len);
        return quote_shell_single(q, &w, at, name, len);
}

static char *quote_write(const struct lsr_quote *q, char *at, const char *name, size_t len, bool *ret_quoted)
{
        const char *open = "\"", *close = "\"";

        *ret_quoted = false;
        switch (q->style) {
        case LSR_QUOTE_LITERAL:
                return quote_copy(at, name, len);
        case LSR_QUOTE_SHELL:
        case LSR_QUOTE_SHELL_ALWAYS:
        case LSR_QUOTE_SHELL_ESCAPE:
        case LSR_QUOTE_SHELL_ESCAPE_ALWAYS:
                return quote_shell(q, at, name, len, ret_quoted);
        case LSR_QUOTE_ESCAPE:
                return quote_backslash(q, q, "", "", at, name, len);
        case LSR_QUOTE_C_MAYBE:
                *ret_quoted = quote_needs_c(q, name, len);
                if (!*ret_quoted)
                        return quote_copy(at, name, len);
                return quote_backslash(q, NULL, open, close, at, name, len);
        case LSR_QUOTE_LOCALE:
        case LSR_QUOTE_CLOCALE:
                quote_locale_marks(q->style, &open, &close);
                break;
        case LSR_QUOTE_C:
                break;
        }
        *ret_quoted = true;
        return quote_backslash(q, q, open, close, at, name, len);
}

/* Hiding */

/* Replace what does not print in @s..@end with '?'.  It only ever shrinks. */
static char *quote_hide(const struct lsr_quote *q, char *s, char *end, size_t *ret_width)
{
        size_t len, width = 0;
        char *to = s;
        wint_t wide;

        for (; s < end; s += len) {
                int columns = lsr_width_unit(s, (size_t)(end - s), &len, &wide);

                if (columns < 0 || (q->escape_bidi && lsr_is_bidi(wide))) {
                        *to++ = '?';
                        width++;
                        continue;
                }
                memmove(to, s, len);
                to += len;
                width += (size_t)columns;
        }
        *ret_width = width;
        return to;
}

/* Interface */

static bool quote_is_shell(enum lsr_quoting style)
{
        return style == LSR_QUOTE_SHELL || style == LSR_QUOTE_SHELL_ESCAPE;
}

/* Is an ASCII byte inside a name written as it is? */
static bool quote_is_safe(const struct lsr_quote *q, unsigned char c)
{
        if (!lsr_ascii_prints(c))
                return false;
        if (q->style == LSR_QUOTE_LITERAL)
                return true;
        if (quote_is_also(q, c))
                return false;
        if (quote_is_shell(q->style))
                return !(quote_class[c] & QUOTE_SPECIAL);
        return q->style == LSR_QUOTE_C_MAYBE ? c != '"' : c != '\\';
}

void lsr_quote_compile(struct lsr_quote_table *ret_table, const struct lsr_quote *q)
{
        struct lsr_quote_table t = { .quote = *q };

        t.always = q->style != LSR_QUOTE_LITERAL && q->style != LSR_QUOTE_C_MAYBE && q->style != LSR_QUOTE_ESCAPE &&
                   !quote_is_shell(q->style);
        for (unsigned c = 0; c < 0x80; c++) {
                bool exposed = quote_class[c] & (QUOTE_AT_START | QUOTE_ALONE);

                t.safe[c] = quote_is_safe(q, (unsigned char)c);
                t.first[c] = t.safe[c] && !(exposed && quote_is_shell(q->style));
        }
        *ret_table = t;
}

/* Write to @at, which has QUOTE_ROOM(@len) bytes. */
static struct lsr_quoted quote_name(const struct lsr_quote_table *t, char *at, const char *name, size_t len)
{
        const struct lsr_quote *q = &t->quote;
        struct lsr_quoted r;
        char *end;

        if (lsr_quote_plain(t, name, len)) {
                memcpy(at, name, len);
                return (struct lsr_quoted){ .len = len, .width = len };
        }
        end = quote_write(q, at, name, len, &r.quoted);
        if (q->hide_control &&
            (q->style == LSR_QUOTE_LITERAL || q->style == LSR_QUOTE_SHELL || q->style == LSR_QUOTE_SHELL_ALWAYS))
                end = quote_hide(q, at, end, &r.width);
        else
                r.width = lsr_file_name_width(at, (size_t)(end - at));
        r.len = (size_t)(end - at);
        return r;
}

struct lsr_quoted lsr_quote_put(const struct lsr_quote_table *t, struct lsr_out *out, const char *name, size_t len)
{
        char *at = lsr_out_reserve(out, QUOTE_ROOM(len));
        struct lsr_quoted r = quote_name(t, at, name, len);

        lsr_out_commit(out, at + r.len);
        return r;
}

struct lsr_quoted lsr_quote_measure(const struct lsr_quote_table *t, const char *name, size_t len)
{
        char stack[QUOTE_STACK], *heap;
        struct lsr_quoted r;

        if (lsr_quote_plain(t, name, len))
                return (struct lsr_quoted){ .len = len, .width = len };
        if (QUOTE_ROOM(len) <= sizeof(stack))
                return quote_name(t, stack, name, len);
        heap = lsr_xmalloc(QUOTE_ROOM(len));
        r = quote_name(t, heap, name, len);
        free(heap);
        return r;
}
