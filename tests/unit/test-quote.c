/*
 * Quoting of names.  The expectations are what ls (coreutils 9.1) printed for
 * files of these names; --zero shows them without the line's own newline:
 *
 *      LC_ALL=C.UTF-8 ls -d --zero --quoting-style=STYLE [-q] -- NAME
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"
#include "base/out.h"
#include "render/quote.h"

enum { SHOW, HIDE };

struct quote_case {
        enum lsr_quoting style;
        const char *name;
        const char *want;
        size_t width;
        bool quoted;
};

static void quote_locale(const char *name)
{
        setenv("LC_ALL", name, 1);
        lsr_locale_init();
}

static void quote_check(const struct lsr_quote *q, const struct quote_case *c)
{
        struct lsr_quote_table t;
        struct lsr_quoted put, measured;
        struct lsr_out out;
        size_t len = strlen(c->name);

        lsr_quote_compile(&t, q);
        lsr_out_init(&out, -1);
        put = lsr_quote_put(&t, &out, c->name, len);
        measured = lsr_quote_measure(&t, c->name, len);

        cr_assert(out.len == strlen(c->want) && !memcmp(out.buf, c->want, out.len), "style %d, '%s': '%.*s', not '%s'",
                  q->style, c->name, (int)out.len, out.buf, c->want);
        cr_assert_eq(put.len, out.len);
        cr_assert_eq(put.width, c->width, "style %d, '%s': width %zu, not %zu", q->style, c->name, put.width, c->width);
        cr_assert_eq(put.quoted, c->quoted, "style %d, '%s': quoted", q->style, c->name);
        cr_assert(measured.len == put.len && measured.width == put.width && measured.quoted == put.quoted);
        if (lsr_quote_plain(&t, c->name, len)) {
                cr_assert_str_eq(c->want, c->name);
                cr_assert_eq(put.width, len);
        }
        lsr_out_free(&out);
}

static void quote_check_all(const struct quote_case *cases, size_t n, bool hide)
{
        for (size_t i = 0; i < n; i++) {
                struct lsr_quote q = { .style = cases[i].style, .hide_control = hide };

                if (q.style == LSR_QUOTE_ESCAPE)
                        lsr_quote_also(&q, ' ');
                quote_check(&q, &cases[i]);
        }
}

#define CHECK_ALL(cases, hide) quote_check_all((cases), sizeof(cases) / sizeof(*(cases)), (hide))

Test(quote, words)
{
        static const char *const words[] = {
                "literal", "shell",   "shell-always", "shell-escape", "shell-escape-always",
                "c",       "c-maybe", "escape",       "locale",       "clocale"
        };

        for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
                cr_assert_str_eq(lsr_quoting_words[i].word, words[i]);
                cr_assert_eq(lsr_quoting_words[i].value, (int)i);
        }
        cr_assert_not(lsr_quoting_words[sizeof(words) / sizeof(*words)].word);
}

Test(quote, shell)
{
        static const struct quote_case cases[] = {
                { LSR_QUOTE_SHELL, "plain-1.2_x", "plain-1.2_x", 11, false },
                { LSR_QUOTE_SHELL, "a b", "'a b'", 5, true },
                { LSR_QUOTE_SHELL, "a'b", "\"a'b\"", 5, true },
                { LSR_QUOTE_SHELL, "a'b\"", "'a'\\''b\"'", 9, true },
                { LSR_QUOTE_SHELL, "~x", "'~x'", 4, true },
                { LSR_QUOTE_SHELL, "x~", "x~", 2, false },
                { LSR_QUOTE_SHELL, "#x", "'#x'", 4, true },
                { LSR_QUOTE_SHELL, "x#", "x#", 2, false },
                { LSR_QUOTE_SHELL, "{", "'{'", 3, true },
                { LSR_QUOTE_SHELL, "{}", "{}", 2, false },
                { LSR_QUOTE_SHELL, "a=b", "'a=b'", 5, true },
                { LSR_QUOTE_SHELL, "a:b]", "a:b]", 4, false },
                { LSR_QUOTE_SHELL, "a\\b", "'a\\b'", 5, true },
                { LSR_QUOTE_SHELL, "a\nb", "'a\nb'", 4, true },
                { LSR_QUOTE_SHELL, "a\001b", "a\001b", 2, false },
                { LSR_QUOTE_SHELL, "#'", "\"#'\"", 4, true },
                { LSR_QUOTE_SHELL, "x'#", "'x'\\''#'", 8, true },
                { LSR_QUOTE_SHELL_ALWAYS, "a", "'a'", 3, true },
                { LSR_QUOTE_SHELL_ALWAYS, "it's", "\"it's\"", 6, true },
        };

        quote_locale("C.UTF-8");
        CHECK_ALL(cases, SHOW);
}

Test(quote, shell_escape)
{
        static const struct quote_case cases[] = {
                { LSR_QUOTE_SHELL_ESCAPE, "a\nb", "'a'$'\\n''b'", 11, true },
                { LSR_QUOTE_SHELL_ESCAPE, "\001", "''$'\\001'", 9, true },
                { LSR_QUOTE_SHELL_ESCAPE, "a\a\177", "'a'$'\\a\\177'", 12, true },
                { LSR_QUOTE_SHELL_ESCAPE, "a\n'b", "'a'$'\\n'\\''b'", 13, true },
                { LSR_QUOTE_SHELL_ESCAPE, "\001'", "''$'\\001'\\'''", 13, true },
                { LSR_QUOTE_SHELL_ESCAPE, "it's", "\"it's\"", 6, true },
                { LSR_QUOTE_SHELL_ESCAPE, "caf\xc3\xa9", "caf\xc3\xa9", 4, false },
                { LSR_QUOTE_SHELL_ESCAPE, "\xc3", "''$'\\303'", 9, true },
                { LSR_QUOTE_SHELL_ESCAPE, "\xe2\x82", "''$'\\342\\202'", 13, true },
                { LSR_QUOTE_SHELL_ESCAPE_ALWAYS, "a", "'a'", 3, true },
        };

        quote_locale("C.UTF-8");
        CHECK_ALL(cases, SHOW);
        CHECK_ALL(cases, HIDE);
}

/* GNU starts as if inside $'...' when a name has a ' and ends in an escape. */
Test(quote, shell_escape_second_look)
{
        static const struct quote_case cases[] = {
                { LSR_QUOTE_SHELL_ESCAPE, "'\001", "''\\'''$'\\001'", 13, true },
                { LSR_QUOTE_SHELL_ESCAPE, "a\001'b\002", "'''a'$'\\001'\\''b'$'\\002'", 24, true },
        };

        quote_locale("C.UTF-8");
        CHECK_ALL(cases, SHOW);
}

Test(quote, backslash)
{
        static const struct quote_case cases[] = {
                { LSR_QUOTE_C, "a", "\"a\"", 3, true },
                { LSR_QUOTE_C, "a\"\\'", "\"a\\\"\\\\'\"", 8, true },
                { LSR_QUOTE_C, "\a\b\t\n\v\f\r\033", "\"\\a\\b\\t\\n\\v\\f\\r\\033\"", 20, true },
                { LSR_QUOTE_C, "\?\?=", "\"\?\?=\"", 5, true },
                { LSR_QUOTE_C_MAYBE, "a b", "a b", 3, false },
                { LSR_QUOTE_C_MAYBE, "a\\b", "a\\b", 3, false },
                { LSR_QUOTE_C_MAYBE, "a\\\n", "\"a\\\\\\n\"", 7, true },
                { LSR_QUOTE_C_MAYBE, "\"", "\"\\\"\"", 4, true },
                { LSR_QUOTE_ESCAPE, "a b", "a\\ b", 4, false },
                { LSR_QUOTE_ESCAPE, "a\\'\"", "a\\\\'\"", 5, false },
                { LSR_QUOTE_ESCAPE, "\xff\n", "\\377\\n", 6, false },
        };

        quote_locale("C.UTF-8");
        CHECK_ALL(cases, SHOW);
        CHECK_ALL(cases, HIDE);
}

Test(quote, locale_marks)
{
        static const struct quote_case utf8[] = {
                { LSR_QUOTE_LOCALE, "a'b", "\u2018a'b\u2019", 5, true },
                { LSR_QUOTE_LOCALE, "\u2018a\u2019", "\u2018\u2018a\\\u2019\u2019", 6, true },
                { LSR_QUOTE_CLOCALE, "a", "\u2018a\u2019", 3, true },
        };
        static const struct quote_case c[] = {
                { LSR_QUOTE_LOCALE, "a'b", "'a\\'b'", 6, true },
                { LSR_QUOTE_CLOCALE, "a'\"", "\"a'\\\"\"", 6, true },
                { LSR_QUOTE_LOCALE, "\xc3\xa9", "'\\303\\251'", 10, true },
        };

        quote_locale("C.UTF-8");
        CHECK_ALL(utf8, SHOW);
        quote_locale("C");
        CHECK_ALL(c, SHOW);
}

Test(quote, hidden)
{
        static const struct quote_case cases[] = {
                { LSR_QUOTE_LITERAL, "a\nb\177", "a?b?", 4, false },
                { LSR_QUOTE_LITERAL, "\u00e9\xc2\x85", "\u00e9?", 2, false },
                { LSR_QUOTE_LITERAL, "\xe2\x82", "?", 1, false },
                { LSR_QUOTE_LITERAL, "\xe2\x82x", "??x", 3, false },
                { LSR_QUOTE_LITERAL, "\u4e2d\xff", "\u4e2d?", 3, false },
                { LSR_QUOTE_SHELL, "\xe2\x82", "?", 1, false },
                { LSR_QUOTE_SHELL, "a\nb", "'a?b'", 5, true },
                { LSR_QUOTE_SHELL_ALWAYS, "\xe2\x82", "'\?\?'", 4, true },
        };
        static const struct quote_case c[] = {
                { LSR_QUOTE_LITERAL, "\u00e9", "??", 2, false },
        };

        quote_locale("C.UTF-8");
        CHECK_ALL(cases, HIDE);
        quote_locale("C");
        CHECK_ALL(c, HIDE);
}

/* ls -x --show-control-chars: the columns it reckons with. */
Test(quote, widths)
{
        static const struct quote_case utf8[] = {
                { LSR_QUOTE_LITERAL, "a\tb\n", "a\tb\n", 2, false },
                { LSR_QUOTE_LITERAL, "\u4e2d\u6587", "\u4e2d\u6587", 4, false },
                { LSR_QUOTE_LITERAL, "e\u0301", "e\u0301", 1, false },
                { LSR_QUOTE_LITERAL, "\xc2\x85", "\xc2\x85", 0, false },
                { LSR_QUOTE_LITERAL, "\u0378", "\u0378", 1, false },
                { LSR_QUOTE_LITERAL, "\xff\x80x", "\xff\x80x", 3, false },
                { LSR_QUOTE_LITERAL, "x\xf0\x9f\x98", "x\xf0\x9f\x98", 2, false },
        };
        static const struct quote_case c[] = {
                { LSR_QUOTE_LITERAL, "a\u00e9\t", "a\u00e9\t", 1, false },
        };

        quote_locale("C.UTF-8");
        CHECK_ALL(utf8, SHOW);
        quote_locale("C");
        CHECK_ALL(c, SHOW);
}

/* --indicator-style=file-type has *=>@| quoted also. */
Test(quote, also)
{
        static const struct quote_case cases[] = {
                { LSR_QUOTE_LITERAL, "a@b", "a@b", 3, false },
                { LSR_QUOTE_SHELL, "a@b", "'a@b'", 5, true },
                { LSR_QUOTE_SHELL, "a@'b", "\"a@'b\"", 6, true },
                { LSR_QUOTE_SHELL_ALWAYS, "a@'b", "\"a\\@'b\"", 7, true },
                { LSR_QUOTE_C, "a@b*", "\"a\\@b\\*\"", 8, true },
                { LSR_QUOTE_C_MAYBE, "a@b", "\"a@b\"", 5, true },
                { LSR_QUOTE_ESCAPE, "a@b", "a\\@b", 4, false },
        };

        quote_locale("C.UTF-8");
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                struct lsr_quote q = { .style = cases[i].style };

                for (const char *p = "*=>@|"; *p; p++)
                        lsr_quote_also(&q, *p);
                quote_check(&q, &cases[i]);
        }
}

/* Ours, not GNU's. */
Test(quote, hostile_bidi)
{
        static const struct quote_case cases[] = {
                { LSR_QUOTE_SHELL_ESCAPE, "a\u202egpj", "'a'$'\\342\\200\\256''gpj'", 23, true },
                { LSR_QUOTE_ESCAPE, "\u2066", "\\342\\201\\246", 12, false },
                { LSR_QUOTE_C, "\u061c", "\"\\330\\234\"", 10, true },
                { LSR_QUOTE_LITERAL, "a\u200f", "a?", 2, false },
                { LSR_QUOTE_SHELL_ESCAPE, "\u05d0\u05d1", "\u05d0\u05d1", 2, false },
        };

        quote_locale("C.UTF-8");
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                struct lsr_quote q = { .style = cases[i].style, .hide_control = true, .escape_bidi = true };

                quote_check(&q, &cases[i]);
        }
}

/* What passes the quick check must come out of the thorough way unchanged. */
Test(quote, plain_is_exact)
{
        quote_locale("C.UTF-8");
        for (int style = LSR_QUOTE_LITERAL; style <= LSR_QUOTE_CLOCALE; style++) {
                struct lsr_quote q = { .style = (enum lsr_quoting)style };
                struct lsr_quote_table quick, thorough;

                lsr_quote_also(&q, '@');
                lsr_quote_compile(&quick, &q);
                thorough = quick;
                thorough.always = true;
                for (int byte = 1; byte < 256 * 3; byte++) {
                        char c = (char)(byte % 256);
                        char name[3] = { byte < 512 ? c : 'x', byte < 256 ? '\0' : byte < 512 ? 'x' : c, '\0' };
                        size_t len = strlen(name);
                        struct lsr_quoted r;
                        struct lsr_out out;

                        if (!lsr_quote_plain(&quick, name, len))
                                continue;
                        lsr_out_init(&out, -1);
                        r = lsr_quote_put(&thorough, &out, name, len);
                        cr_assert(out.len == len && !memcmp(out.buf, name, len), "style %d: '%s'", style, name);
                        cr_assert(r.width == len && !r.quoted);
                        lsr_out_free(&out);
                }
        }
}

/* Longer than the buffer on the stack, and as long as output can get. */
Test(quote, hostile_long)
{
        struct lsr_quote q = { .style = LSR_QUOTE_SHELL_ESCAPE };
        struct lsr_quote_table t;
        struct lsr_quoted r;
        struct lsr_out out;
        char name[4000];

        quote_locale("C");
        for (size_t i = 0; i < sizeof(name); i++)
                name[i] = i % 2 ? 'a' : '\001';
        lsr_quote_compile(&t, &q);
        lsr_out_init(&out, -1);
        r = lsr_quote_put(&t, &out, name, sizeof(name));
        cr_assert_eq(r.len, 2 + sizeof(name) / 2 * 10);
        cr_assert_eq(r.width, lsr_quote_measure(&t, name, sizeof(name)).width);
        lsr_out_free(&out);
}

Test(locale, kinds)
{
        unsetenv("LANG");
        quote_locale("C");
        cr_assert(lsr_locale_collates_bytes() && lsr_locale_plain_time() && lsr_locale_plain_numeric());
        cr_assert_not(lsr_locale_multibyte());
        quote_locale("C.utf8");
        cr_assert(lsr_locale_collates_bytes() && lsr_locale_plain_time() && lsr_locale_multibyte());
        if (!newlocale(LC_ALL_MASK, "nowhere_XX.UTF-8", (locale_t)0)) { /* for musl any name is a locale */
                quote_locale("nowhere_XX.UTF-8");
                cr_assert(lsr_locale_collates_bytes() && lsr_locale_plain_time() && lsr_locale_plain_numeric());
                cr_assert_not(lsr_locale_multibyte());
        }
        quote_locale("");
        setenv("LANG", "C.UTF-8", 1);
        setenv("LC_CTYPE", "POSIX", 1);
        lsr_locale_init();
        cr_assert_not(lsr_locale_multibyte(), "LC_CTYPE comes before LANG");
        setenv("LC_CTYPE", "", 1);
        lsr_locale_init();
        cr_assert(lsr_locale_multibyte(), "empty is unset");
}
