/* width - columns of text and of names, as ls reckons with them */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"
#include "base/width.h"

static void width_locale(const char *name)
{
        setenv("LC_ALL", name, 1);
        lsr_locale_init();
}

Test(width, utf8)
{
        static const struct {
                const char *text;
                size_t width;
        } cases[] = {
                { "", 0 },         { "abc", 3 },       { "\u4e2d\ta\xff", 4 }, { "e\u0301", 1 },
                { "\xc2\x85", 0 }, { "\xff\x80x", 3 }, { "x\xf0\x9f\x98", 2 },
        };

        width_locale("C.UTF-8");
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                size_t len = strlen(cases[i].text);

                cr_assert_eq(lsr_text_width(cases[i].text, len), cases[i].width, "case %zu", i);
                cr_assert_eq(lsr_file_name_width(cases[i].text, len), cases[i].width, "name, case %zu", i);
        }
}

Test(width, bytes)
{
        width_locale("C");
        cr_assert_eq(lsr_file_name_width("a\u00e9\t", 4), 1, "of a name what prints");
        cr_assert_eq(lsr_text_width("a\u00e9\t", 4), 3, "other text than names: bytes count");
        cr_assert_eq(lsr_text_width("", 0), 0);
}

Test(width, units)
{
        size_t len;
        wint_t wide;

        width_locale("C.UTF-8");
        cr_assert_eq(lsr_width_unit("\u4e2dx", 4, &len, &wide), 2);
        cr_assert(len == 3 && wide == 0x4e2d);
        cr_assert_eq(lsr_width_unit("\xf0\x9f\x98", 3, &len, &wide), -1, "an unfinished one is one unit");
        cr_assert(len == 3 && wide == WEOF);
        cr_assert_eq(lsr_width_unit("\n", 1, &len, &wide), -1);
        cr_assert(len == 1 && wide == '\n');
        cr_assert_eq(lsr_width_unit("", 1, &len, &wide), 0, "NUL has no columns");
}
