/* Which names of a directory are listed: dots, -I and --hide. */
#include <criterion/criterion.h>
#include <dirent.h>
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
        cr_assert(lsr_filter_keeps(&visible, "a.b", DT_REG) && lsr_filter_keeps(&almost, "a.b", DT_REG) &&
                  lsr_filter_keeps(&all, "a.b", DT_REG));
        cr_assert(!lsr_filter_keeps(&visible, ".a", DT_REG) && lsr_filter_keeps(&almost, ".a", DT_REG) &&
                  lsr_filter_keeps(&all, ".a", DT_REG));
        cr_assert(!lsr_filter_keeps(&visible, "...", DT_REG) && lsr_filter_keeps(&almost, "...", DT_REG));
        cr_assert(!lsr_filter_keeps(&visible, ".", DT_REG) && !lsr_filter_keeps(&almost, ".", DT_REG) &&
                  lsr_filter_keeps(&all, ".", DT_REG));
        cr_assert(!lsr_filter_keeps(&visible, "..", DT_REG) && !lsr_filter_keeps(&almost, "..", DT_REG) &&
                  lsr_filter_keeps(&all, "..", DT_REG));
}

Test(filter, hide_gives_way_to_a_and_ignore_does_not)
{
        const struct lsr_list_options hide = { .show = LSR_SHOW_VISIBLE, .hide = filter_patterns },
                                      hide_almost = { .show = LSR_SHOW_ALMOST, .hide = filter_patterns },
                                      ignore = { .show = LSR_SHOW_ALL, .ignore = filter_patterns };

        filter_begin("C");
        cr_assert(!lsr_filter_keeps(&hide, "old~", DT_REG) && lsr_filter_keeps(&hide_almost, "old~", DT_REG));
        cr_assert(!lsr_filter_keeps(&ignore, "old~", DT_REG) && !lsr_filter_keeps(&ignore, "bx", DT_REG) &&
                  lsr_filter_keeps(&ignore, "dx", DT_REG));
        /* A dot at the beginning is matched by a dot alone. */
        cr_assert(lsr_filter_keeps(&ignore, ".old~", DT_REG) && !lsr_filter_keeps(&ignore, ".hidden", DT_REG));
        cr_assert(lsr_filter_keeps(&ignore, ".", DT_REG));
}

Test(filter, a_question_mark_is_a_character)
{
        const struct lsr_list_options o = { .show = LSR_SHOW_VISIBLE, .ignore = filter_patterns };

        filter_begin("C");
        cr_assert(lsr_filter_keeps(&o, "\xc3\xa4", DT_REG));
        filter_begin("C.UTF-8");
        cr_assert_not(lsr_filter_keeps(&o, "\xc3\xa4", DT_REG));
        cr_assert(lsr_filter_keeps(&o, "\xc3\xa4\xc3\xa4", DT_REG));
}

/* What is decided by name and d_type, and what waits for more. */
Test(filter, only)
{
        static const char *const patterns[] = { "*.c", "?x", NULL };
        const struct lsr_list_options here = { .only = patterns }, below = { .only = patterns, .recursive = true },
                                      dirs = { .kinds = LSR_KINDS_DIRS }, files = { .kinds = LSR_KINDS_FILES },
                                      tree = { .only = patterns, .recursive = true, .tree = true };
        struct lsr_entry dir = { .name = "d", .type = DT_DIR }, file = { .name = "f.c", .type = DT_REG };

        filter_begin("C");
        cr_assert(lsr_filter_keeps(&here, "a.c", DT_REG) && !lsr_filter_keeps(&here, "a.h", DT_REG) &&
                  !lsr_filter_keeps(&here, "d", DT_DIR));
        cr_assert(!lsr_filter_keeps(&below, "a.h", DT_REG) && lsr_filter_keeps(&below, "d", DT_DIR) &&
                  lsr_filter_keeps(&below, "d", DT_UNKNOWN) && lsr_filter_keeps(&below, "d", DT_LNK));
        cr_assert(!lsr_filter_keeps(&dirs, "a", DT_REG) && lsr_filter_keeps(&dirs, "a", DT_UNKNOWN));
        cr_assert(!lsr_filter_keeps(&files, "a", DT_DIR) && lsr_filter_keeps(&files, "a", DT_LNK));
        cr_assert(!lsr_filter_shows(&below, &dir) && lsr_filter_shows(&tree, &dir) && lsr_filter_shows(&below, &file));
        cr_assert(lsr_filter_shows(&dirs, &dir) && !lsr_filter_shows(&dirs, &file) && !lsr_filter_shows(&files, &dir));
}
