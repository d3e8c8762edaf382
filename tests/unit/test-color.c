/*
 * test-color - LS_COLORS, against results recorded from GNU ls 9.1
 */
#include "render/color.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/stat.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define TEXT_IS(t, s) ((t) && (t)->len == sizeof(s) - 1 && memcmp((t)->text, s, sizeof(s) - 1) == 0)

/* The sequence picked as a C string, "-" for none. */
static const char *color_pick(const struct lsr_colors *c, const struct lsr_color_subject *s, char buf[64])
{
        const struct lsr_color_text *t = lsr_colors_pick(c, s);

        if (!t)
                return "-";
        cr_assert_lt(t->len, 64);
        memcpy(buf, t->text, t->len);
        buf[t->len] = '\0';
        return buf;
}

static void color_expect(const char *value, const struct lsr_color_subject *s, const char *expected)
{
        struct lsr_colors c;
        char bad[3], buf[64];

        cr_assert_eq(lsr_colors_parse(&c, value, true, bad), 0, "%s", value);
        const char *got = color_pick(&c, s, buf);
        cr_expect_str_eq(got, expected, "%s: %.*s is %s, not %s", value ? value : "(unset)", (int)s->name_len, s->name,
                         got, expected);
        lsr_colors_free(&c);
}

static struct lsr_color_subject color_subject(const char *name, mode_t mode)
{
        return (struct lsr_color_subject){
                .name = name,
                .name_len = strlen(name),
                .mode = mode,
                .nlink = 1,
                .stat_ok = true,
        };
}

Test(color, decodes_escapes)
{
        static const struct {
                const char *value;
                const char *text;
                size_t len;
        } cases[] = {
#define CASE(value, text) { value, text, sizeof(text) - 1 }
                CASE("fi=", ""),
                CASE("fi=31;;:", "31;;"),
                CASE("fi=a=b", "a=b"),
                CASE("fi=^?", "\177?"), /* GNU ls does not step over the '?' */
                CASE("fi=^A", "\1"),
                CASE("fi=^@", "\0"),
                CASE("fi=^~", "\36"),
                CASE("fi=\\0339", "\0339"),
                CASE("fi=\\7777", "\377"),
                CASE("fi=\\8", "8"),
                CASE("fi=\\x1bq", "\033q"),
                CASE("fi=\\X41", "A"),
                CASE("fi=\\x4142", "B"),
                CASE("fi=\\x", "\0"),
                CASE("fi=\\xg", "\0g"),
                CASE("fi=\\q\\:\\=", "q:="),
                CASE("fi=\\\nx", "\nx"),
                CASE("fi=\\?\\_\\a\\b\\e\\f\\n\\r\\t\\v\\^\\\\", "\177 \a\b\033\f\n\r\t\v^\\"),
                CASE(":::fi=1::", "1"),
#undef CASE
        };

        for (size_t i = 0; i < COUNT(cases); i++) {
                struct lsr_colors c;
                char bad[3];
                cr_assert_eq(lsr_colors_parse(&c, cases[i].value, true, bad), 0, "%s", cases[i].value);
                const struct lsr_color_text *t = &c.kinds[LSR_COLOR_FILE];
                cr_expect_eq(t->len, cases[i].len, "%s: length %zu", cases[i].value, t->len);
                cr_expect(t->len == cases[i].len && memcmp(t->text, cases[i].text, t->len) == 0, "%s", cases[i].value);
                cr_expect_str_eq(bad, "");
                lsr_colors_free(&c);
        }
}

Test(color, refuses_malformed_values)
{
        static const struct {
                const char *value;
                const char *bad;
        } cases[] = {
                { "f", "" },
                { "fi", "" },
                { ":f", "" },
                { "fi =3", "" },
                { "fi:31", "" },
                { "\\fi=3", "" },
                { "*", "" },
                { "*.txt", "" },
                { "*.txt:31", "" },
                { "*.x=^!", "" },
                { "*.x=\\", "" },
                { "*\\", "" },
                { "xx=1", "xx" },
                { "Fi=3", "Fi" },
                { "f:=1", "f:" },
                { "fi=31:xx=2", "xx" },
                { "fi=^", "fi" },
                { "fi=^:", "fi" },
                { "fi=^!", "fi" },
                { "fi=\\", "fi" },
                { "*.t=31:fi=\\", "fi" },
                { "x\n=3", "x\n" },
                { "\xc3\xa4=2", "\xc3\xa4" },
        };

        for (size_t i = 0; i < COUNT(cases); i++) {
                struct lsr_colors c = { .link_as_target = true };
                char bad[3] = "??";
                cr_expect_eq(lsr_colors_parse(&c, cases[i].value, true, bad), 1, "%s", cases[i].value);
                cr_expect_str_eq(bad, cases[i].bad, "%s: '%s'", cases[i].value, bad);
                cr_expect(c.link_as_target, "written on failure");
        }
}

Test(color, matches_suffixes)
{
        static const struct {
                const char *value;
                const char *name;
                const char *expected;
        } cases[] = {
                { "*.txt=31", "f.txt", "31" },
                { "*.txt=31", "f.TXT", "31" },
                { "*.TXT=31", "f.txt", "31" },
                { "*.txt=31:*.TXT=32", "f.txt", "32" },
                { "*.TXT=31:*.txt=32", "f.TXT", "32" },
                { "*.txt=31:*txt=32", "f.txt", "32" },
                { "*txt=32:*.txt=31", "f.txt", "31" },
                { "*.txt=31", ".txt", "31" },
                { "*.txt=31", "txt", "-" },
                { "*=35", "anything", "35" },
                { "*.txt=31:*=35", "f.txt", "35" },
                { "*=35:*.txt=31", "f.txt", "31" },
                { "*README=31", "README", "31" },
                { "*README=31", "README.md", "-" },
                { "*.tx\\x74=31", "f.txt", "31" },
                { "**.txt=1", "f.txt", "-" },
                { "**.txt=1", "f*.txt", "1" },
                { "*a\\=b=c", "a=b", "c" },
                { "fi=31:*.txt=", "f.txt", "" },
                { "fi=31:*.txt=0", "f.txt", "0" },
                { "*.txt=31:fi=7", "f.c", "7" },
                { "*\\0.c=31", "x.c", "-" },
        };

        for (size_t i = 0; i < COUNT(cases); i++) {
                struct lsr_color_subject s = color_subject(cases[i].name, S_IFREG | 0644);
                color_expect(cases[i].value, &s, cases[i].expected);
                s.stat_ok = false;
                color_expect(cases[i].value, &s, cases[i].expected);
        }
}

Test(color, has_the_compiled_in_table)
{
        static const struct {
                mode_t mode;
                const char *expected;
        } cases[] = {
                { S_IFREG | 0644, "-" },      { S_IFREG | 0755, "01;32" }, { S_IFREG | 04755, "37;41" },
                { S_IFREG | 02755, "30;43" }, { S_IFREG | 01644, "-" },    { S_IFDIR | 0755, "01;34" },
                { S_IFDIR | 01755, "37;44" }, { S_IFDIR | 0757, "34;42" }, { S_IFDIR | 01777, "30;42" },
                { S_IFLNK | 0777, "01;36" },  { S_IFIFO | 0644, "33" },    { S_IFSOCK | 0755, "01;35" },
                { S_IFBLK | 0644, "01;33" },  { S_IFCHR | 0644, "01;33" }, { 0, "-" },
        };

        for (size_t i = 0; i < COUNT(cases); i++) {
                struct lsr_color_subject s = color_subject("f.tar", cases[i].mode);
                s.nlink = 2;
                s.has_cap = s.link_broken = true;
                color_expect(NULL, &s, cases[i].expected);
                color_expect("", &s, cases[i].expected);
                color_expect("*.c=1", &s, cases[i].expected);
        }
}

Test(color, falls_through_what_does_not_colour)
{
        static const struct {
                const char *value;
                mode_t mode;
                unsigned nlink;
                bool has_cap;
                const char *expected;
        } cases[] = {
                { "su=0:sg=00:ex=31", S_IFREG | 06755, 1, false, "31" },
                { "su=:sg=", S_IFREG | 06755, 1, false, "01;32" },
                { "su=000", S_IFREG | 04755, 1, false, "000" },
                { "ca=33", S_IFREG | 0755, 1, true, "33" },
                { "ca=33", S_IFREG | 04755, 1, true, "37;41" },
                { "ca=00", S_IFREG | 0755, 1, true, "01;32" },
                { "ex=0:mh=35", S_IFREG | 0755, 2, false, "35" },
                { "mh=35", S_IFREG | 0755, 2, false, "01;32" },
                { "mh=35", S_IFREG | 0644, 1, false, "-" },
                { "mh=0:*.tar=36", S_IFREG | 0644, 2, false, "36" },
                { "ex=0:fi=4", S_IFREG | 0755, 1, false, "4" },
                { "tw=0", S_IFDIR | 01777, 2, false, "34;42" },
                { "tw=0:ow=00", S_IFDIR | 01777, 2, false, "37;44" },
                { "tw=0:ow=0:st=0", S_IFDIR | 01777, 2, false, "01;34" },
                { "di=0", S_IFDIR | 0755, 2, false, "0" },
                { "ln=", S_IFLNK | 0777, 1, false, "" },
        };

        for (size_t i = 0; i < COUNT(cases); i++) {
                struct lsr_color_subject s = color_subject("f.tar", cases[i].mode);
                s.nlink = cases[i].nlink;
                s.has_cap = cases[i].has_cap;
                color_expect(cases[i].value, &s, cases[i].expected);
        }
}

Test(color, uses_only_the_type_without_a_stat)
{
        struct lsr_color_subject s = color_subject("f.tar", S_IFREG | 06755);

        s.stat_ok = false;
        s.nlink = 2;
        s.has_cap = true;
        color_expect("mh=1:ca=2:*.tar=3", &s, "3");
        s.mode = S_IFDIR | 01777;
        color_expect(NULL, &s, "01;34");
        s.mode = 0;
        color_expect("or=5", &s, "5");
}

Test(color, colours_broken_links)
{
        static const struct {
                const char *value;
                const char *link;
                const char *target;
        } cases[] = {
                { NULL, "01;36", "-" },
                { "or=1", "1", "1" },
                { "or=0:mi=35", "01;36", "35" },
                { "or=36:mi=0", "36", "36" },
                { "or=31:mi=32:ln=target", "31", "32" },
                { "or=0:mi=0:ln=target", "0", "0" },
                { "ln=target", "-", "-" },
        };

        for (size_t i = 0; i < COUNT(cases); i++) {
                struct lsr_color_subject s = color_subject("or", S_IFLNK | 0777);
                s.link_broken = true;
                color_expect(cases[i].value, &s, cases[i].link);
                s.is_target = s.missing = true;
                color_expect(cases[i].value, &s, cases[i].target);
        }
}

Test(color, knows_the_dircolors_database)
{
        static const struct {
                const char *name;
                mode_t mode;
                const char *expected;
        } cases[] = {
                { "a.tar", S_IFREG | 0644, "01;31" },     { "a.tar.gz", S_IFREG | 0644, "01;31" },
                { "a.esd", S_IFREG | 0644, "01;31" },     { "a.AVIF", S_IFREG | 0644, "01;35" },
                { "a.ogx", S_IFREG | 0644, "01;35" },     { "a.xspf", S_IFREG | 0644, "00;36" },
                { "a~", S_IFREG | 0644, "00;90" },        { "#a#", S_IFREG | 0644, "00;90" },
                { "a.rpmsave", S_IFREG | 0644, "00;90" }, { "a.txt", S_IFREG | 0644, "-" },
                { "a.tar", S_IFREG | 0755, "01;32" },     { "fifo", S_IFIFO | 0644, "40;33" },
                { "a", S_IFBLK | 0644, "40;33;01" },      { "a", S_IFLNK | 0777, "01;36" },
        };
        struct lsr_colors c;
        char bad[3], buf[64];

        cr_assert_eq(lsr_colors_parse(&c, NULL, false, bad), 0);
        for (size_t i = 0; i < COUNT(cases); i++) {
                struct lsr_color_subject s = color_subject(cases[i].name, cases[i].mode);
                s.nlink = 2;
                cr_expect_str_eq(color_pick(&c, &s, buf), cases[i].expected, "%s", cases[i].name);
        }
        cr_expect(lsr_colors_has(&c, LSR_COLOR_ORPHAN));
        cr_expect_not(lsr_colors_has(&c, LSR_COLOR_CAP));
        cr_expect_not(lsr_colors_has(&c, LSR_COLOR_MISSING));
        cr_expect_not(lsr_colors_has(&c, LSR_COLOR_RESET));
        cr_expect_not(lsr_colors_has(&c, LSR_COLOR_NORMAL));
        cr_expect(TEXT_IS(&c.kinds[LSR_COLOR_LEFT], "\033["));
        cr_expect(TEXT_IS(&c.kinds[LSR_COLOR_RIGHT], "m"));
        cr_expect(TEXT_IS(&c.kinds[LSR_COLOR_CLEAR_TO_EOL], "\033[K"));
        lsr_colors_free(&c);
        lsr_colors_free(&c);
        lsr_colors_free(NULL);
}

Test(color, knows_terminals)
{
        static const char *const known[] = { "Eterm",       "xcolory",  "con80x25",     "con8ax2",  "cons25",
                                             "adirecty",    "linux-c",  "rxvt-unicode", "screen.x", "st",
                                             "st-256color", "tmux-256", "vt100",        "xterm",    "xterm-256color" };
        static const char *const unknown[] = { "",          "dumb", "conAx1", "con1x", "vt102",
                                               "alacritty", "foot", "linuxx", "COLOR", NULL };

        for (size_t i = 0; i < COUNT(known); i++)
                cr_expect(lsr_colors_terminal_known(NULL, known[i]), "%s", known[i]);
        for (size_t i = 0; i < COUNT(unknown); i++) {
                cr_expect_not(lsr_colors_terminal_known("", unknown[i]), "%s", unknown[i]);
                cr_expect(lsr_colors_terminal_known("truecolor", unknown[i]));
        }
}
