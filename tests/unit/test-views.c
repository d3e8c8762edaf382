/* The table of views: a row is all that a view takes. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/options.h"
#include "cli/settings.h"

static struct lsr_settings views_settings;

/* lsr --format=@word @more d */
static const struct lsr_view_kind *views_parse(const char *word, const char *more)
{
        char format[64];
        char *argv[] = { (char *)"lsr", (char *)"--no-config", format, (char *)more, (char *)"d" };

        snprintf(format, sizeof(format), "--format=%s", word);
        free(views_settings.operands);
        cr_assert_eq(lsr_settings_parse(&views_settings, 5, argv, false), 0);
        return lsr_view_kind(&views_settings.view);
}

Test(views, words_lead_to_rows)
{
        lsr_auto(lsr_out_free) struct lsr_out want = LSR_OUT_MEMORY, got = LSR_OUT_MEMORY;
        const struct lsr_option *o = lsr_options;

        for (const struct lsr_view_kind *kind = lsr_view_kinds; kind < lsr_view_kinds + lsr_n_view_kinds; kind++)
                for (const char *const *word = kind->words; *word; word++) {
                        cr_assert_eq(views_parse(*word, "-a"), kind, "%s", *word);
                        lsr_out_printf(&want, "%s%s", want.len ? " " : "", *word);
                }
        while (!o->name || strcmp(o->name, "format") != 0)
                o++;
        o->choices(&got);
        cr_assert_eq(want.len, got.len);
        cr_assert_arr_eq(want.buf, got.buf, got.len);
}

/* One that has none of its own gets that of names. */
Test(views, all_have_trees)
{
        for (const struct lsr_view_kind *kind = lsr_view_kinds; kind < lsr_view_kinds + lsr_n_view_kinds; kind++)
                for (const char *const *word = kind->words; *word; word++) {
                        const struct lsr_view_kind *shown = views_parse(*word, "--tree");

                        cr_assert_not_null(shown->tree, "%s", *word);
                        cr_assert_eq(shown, kind->tree ? kind : &lsr_view_kinds[LSR_FORMAT_ONE], "%s", *word);
                }
}

Test(views, all_show_names)
{
        struct lsr_entry e = { .name = "name-of-it", .name_len = 10, .flags = LSR_ENTRY_STAT };
        struct lsr_entry *rows[] = { &e };
        struct lsr_set set = { .dir = "d", .rows = rows, .n = 1, .measured = rows, .n_measured = 1 };

        for (size_t i = 0; i < lsr_n_view_kinds; i++) {
                lsr_auto(lsr_out_free) struct lsr_out out = LSR_OUT_MEMORY;
                struct lsr_view v = { .o = { .format = (enum lsr_layout)i, .end = '\n', .block_style.unit = 1024 },
                                      .out = &out };
                bool heading;

                set.heading = true;
                lsr_view_set(&v, &set);
                lsr_view_end(&v);
                lsr_out_putc(&out, '\0');
                heading = strstr(out.buf, "d:\n");
                cr_assert(strstr(out.buf, "name-of-it"), "%zu: %s", i, out.buf);
                cr_assert_eq(heading, !lsr_view_kinds[i].plain, "%zu: %s", i, out.buf);
                cr_assert_eq(strstr(out.buf, "total ") != NULL, lsr_view_kinds[i].rows, "%zu: %s", i, out.buf);
        }
}
