/* Which locale holds: LC_ALL before LC_* before LANG; one that is not installed makes all of it C. */
#include <criterion/criterion.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"

/* Begin anew with @lang, @ctype and @all; NULL: not set. */
static void locale_begin(const char *lang, const char *ctype, const char *all)
{
        clearenv();
        if (lang)
                setenv("LANG", lang, 1);
        if (ctype)
                setenv("LC_CTYPE", ctype, 1);
        if (all)
                setenv("LC_ALL", all, 1);
        lsr_locale_init();
}

static void locale_is_plain(void)
{
        cr_expect(lsr_locale_collates_bytes());
        cr_expect(lsr_locale_plain_time());
        cr_expect(lsr_locale_plain_numeric());
        cr_expect(lsr_locale_posix_time());
        cr_expect_not(lsr_locale_multibyte());
        cr_expect_str_eq(nl_langinfo_l(CODESET, lsr_locale()), nl_langinfo_l(CODESET, newlocale(LC_ALL_MASK, "C", 0)));
}

Test(locale, nothing_set_is_c)
{
        locale_begin(NULL, NULL, NULL);
        locale_is_plain();
        locale_begin("", "", "");
        locale_is_plain();
        locale_begin("POSIX", NULL, NULL);
        locale_is_plain();
}

Test(locale, the_first_that_is_set_counts)
{
        locale_begin("C.UTF-8", NULL, "C");
        locale_is_plain();
        locale_begin("C", "C.UTF-8", NULL);
        cr_expect(lsr_locale_multibyte());
        cr_expect(lsr_locale_posix_time());
        locale_begin("C.UTF-8", "C", NULL);
        cr_expect_not(lsr_locale_multibyte());
        cr_expect_not(lsr_locale_posix_time());
        locale_begin("C", "C", "C.utf8");
        cr_expect(lsr_locale_multibyte());
}

Test(locale, c_utf8_sorts_by_bytes_and_has_characters)
{
        locale_begin("C.UTF-8", NULL, NULL);
        cr_expect(lsr_locale_collates_bytes());
        cr_expect(lsr_locale_plain_time());
        cr_expect(lsr_locale_multibyte());
        cr_expect_not(lsr_locale_posix_time());
        cr_expect_str_eq(nl_langinfo_l(CODESET, lsr_locale()), "UTF-8");
}

Test(locale, one_that_is_not_installed_makes_all_of_it_c)
{
        if (newlocale(LC_ALL_MASK, "xx_XX.UTF-8", 0))
                cr_skip_test("for musl any name is a locale");
        locale_begin("xx_XX.UTF-8", NULL, NULL);
        locale_is_plain();
        locale_begin("C.UTF-8", NULL, NULL);
        setenv("LC_PAPER", "xx_XX.UTF-8", 1);
        lsr_locale_init();
        locale_is_plain();
}
