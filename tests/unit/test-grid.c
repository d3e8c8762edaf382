/* Names in columns: the most columns that fit, down and across, with blanks and with tabs. */
#include <criterion/criterion.h>
#include <string.h>

#include "render/view.h"

#define GRID_MAX 16u /* names */

/* The grid of @names, which blanks separate. */
static void grid_check(enum lsr_layout format, size_t width, size_t tabsize, const char *names, const char *want)
{
        struct lsr_view v = { .o = { .format = format, .end = '\n', .width = width, .tabsize = tabsize } };
        struct lsr_entry entries[GRID_MAX] = {}, *rows[GRID_MAX];
        struct lsr_set set = { .dir = "", .rows = rows, .measured = rows };
        char text[256], *rest = text;
        struct lsr_out out;

        cr_assert_lt(strlen(names), sizeof(text));
        strcpy(text, names);
        for (char *name; (name = strtok_r(rest, " ", &rest)); set.n++) {
                entries[set.n] = (struct lsr_entry){ .name = name, .name_len = (uint32_t)strlen(name) };
                rows[set.n] = &entries[set.n];
        }
        set.n_measured = set.n;
        lsr_quote_compile(&v.quote, &(struct lsr_quote){ .style = LSR_QUOTE_LITERAL });
        lsr_out_init(&out, -1);
        v.out = &out;
        lsr_grid_set(&v, &set);
        lsr_out_putc(&out, '\0');
        cr_expect_str_eq(out.buf, want, "%s in %zu columns:\n%s", names, width, out.buf);
        lsr_out_free(&out);
}

Test(grid, down)
{
        grid_check(LSR_FORMAT_GRID, 12, 0, "aa bb cc dd ee ff gg", "aa  dd  gg\nbb  ee\ncc  ff\n");
        grid_check(LSR_FORMAT_GRID, 80, 0, "a b c d e f g", "a  b  c  d  e  f  g\n");
        grid_check(LSR_FORMAT_GRID, 1, 0, "a b", "a\nb\n");
        grid_check(LSR_FORMAT_GRID, 5, 0, "longer-than-that b", "longer-than-that\nb\n");
        grid_check(LSR_FORMAT_GRID, 11, 0, "long b c d", "long  c\nb     d\n");
}

Test(grid, across)
{
        grid_check(LSR_FORMAT_ACROSS, 12, 0, "aa bb cc dd ee ff gg", "aa  bb  cc\ndd  ee  ff\ngg\n");
        grid_check(LSR_FORMAT_ACROSS, 11, 0, "long b c d", "long  b\nc     d\n");
}

/* A layout that is as wide as the terminal does not fit, as for GNU ls. */
Test(grid, one_column_is_left_free)
{
        grid_check(LSR_FORMAT_GRID, 9, 0, "abcd efg", "abcd\nefg\n");
        grid_check(LSR_FORMAT_GRID, 10, 0, "abcd efg", "abcd  efg\n");
}

Test(grid, tabs_where_one_saves_a_blank)
{
        grid_check(LSR_FORMAT_GRID, 40, 8, "abcdef ghijkl mno", "abcdef\tghijkl\tmno\n");
        grid_check(LSR_FORMAT_GRID, 40, 4, "a bcdefghij k", "a  bcdefghij  k\n");
}

Test(grid, without_a_limit_one_line)
{
        grid_check(LSR_FORMAT_GRID, 0, 8, "a longer b", "a  longer  b\n");
        grid_check(LSR_FORMAT_ACROSS, 0, 0, "a b", "a  b\n");
}
