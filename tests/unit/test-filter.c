/* Which names of a directory are listed: dots, -I and --hide. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/locale.h"
#include "listing/filter.h"

static const char *const filter_patterns[] = { "*~", "?", "[a-c]x", ".h*", NULL };

static void filter_begin(const char *locale)
{
        setenv("LC_ALL", locale, 1);
        lsr_locale_init();
}

Test(filter, dots)
{
        const struct lsr_list_options visible = { .show = LSR_SHOW_VISIBLE }, almost = { .show = LSR_SHOW_ALMOST },
                                      all = { .show = LSR_SHOW_ALL };

        filter_begin("C");
        cr_assert(lsr_filter_keeps(&visible, "a.b") && lsr_filter_keeps(&almost, "a.b") &&
                  lsr_filter_keeps(&all, "a.b"));
        cr_assert(!lsr_filter_keeps(&visible, ".a") && lsr_filter_keeps(&almost, ".a") && lsr_filter_keeps(&all, ".a"));
        cr_assert(!lsr_filter_keeps(&visible, "...") && lsr_filter_keeps(&almost, "..."));
        cr_assert(!lsr_filter_keeps(&visible, ".") && !lsr_filter_keeps(&almost, ".") && lsr_filter_keeps(&all, "."));
        cr_assert(!lsr_filter_keeps(&visible, "..") && !lsr_filter_keeps(&almost, "..") &&
                  lsr_filter_keeps(&all, ".."));
}

Test(filter, hide_gives_way_to_a_and_ignore_does_not)
{
        const struct lsr_list_options hide = { .show = LSR_SHOW_VISIBLE, .hide = filter_patterns },
                                      hide_almost = { .show = LSR_SHOW_ALMOST, .hide = filter_patterns },
                                      ignore = { .show = LSR_SHOW_ALL, .ignore = filter_patterns };

        filter_begin("C");
        cr_assert(!lsr_filter_keeps(&hide, "old~") && lsr_filter_keeps(&hide_almost, "old~"));
        cr_assert(!lsr_filter_keeps(&ignore, "old~") && !lsr_filter_keeps(&ignore, "bx") &&
                  lsr_filter_keeps(&ignore, "dx"));
        /* A dot at the beginning is matched by a dot alone. */
        cr_assert(lsr_filter_keeps(&ignore, ".old~") && !lsr_filter_keeps(&ignore, ".hidden"));
        cr_assert(lsr_filter_keeps(&ignore, "."));
}

Test(filter, a_question_mark_is_a_character)
{
        const struct lsr_list_options o = { .show = LSR_SHOW_VISIBLE, .ignore = filter_patterns };

        filter_begin("C");
        cr_assert(lsr_filter_keeps(&o, "\xc3\xa4"));
        filter_begin("C.UTF-8");
        cr_assert_not(lsr_filter_keeps(&o, "\xc3\xa4"));
        cr_assert(lsr_filter_keeps(&o, "\xc3\xa4\xc3\xa4"));
}
