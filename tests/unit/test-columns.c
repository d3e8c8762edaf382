/* Every column of the table: its cells are as wide as was measured, and take no more room than was promised. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/locale.h"
#include "base/width.h"
#include "cli/options.h"
#include "render/view.h"

static struct lsr_view view;

static void columns_init(void)
{
        view = (struct lsr_view){ .o = { .format = LSR_FORMAT_LONG, .end = '\n' } };
        view.o.size_style = (struct lsr_size_style){ 0, 1 };
        view.o.block_style = (struct lsr_size_style){ 0, 1024 };
        lsr_locale_init();
        lsr_users_init(&view.users, "passwd");
        lsr_users_init(&view.groups, "group");
        lsr_when_init(&view.when, LSR_WHEN_LONG_ISO);
        view.when.now_sec = 1700000000;
}

static struct lsr_entry columns_entry(const char *name, unsigned known)
{
        struct lsr_entry e = { .name = name, .name_len = (uint32_t)strlen(name), .flags = LSR_ENTRY_STAT };

        e.meta = (struct lsr_meta){ .known = known,
                                    .mode = S_IFREG | 04755,
                                    .nlink = 12,
                                    .size = 1234567,
                                    .blocks = 2416,
                                    .inode = 987654321,
                                    .sec = { 1699990000, 1, -1, INT64_MAX } };
        return e;
}

static bool columns_ragged;

/* The cells of @e with the columns of @list, in memory of just the room that was promised. */
static char *columns_put(const char *list, struct lsr_entry *entries, size_t n, size_t i)
{
        struct lsr_entry *rows[8];
        const struct lsr_span span = { rows, n };
        char *text, *end, *anew;

        cr_assert_null(lsr_cells_parse(&view.cells, list), "%s", list);
        view.cells.ragged = columns_ragged;
        for (size_t k = 0; k < n; k++)
                rows[k] = &entries[k];
        lsr_cells_measure(&view, &span, 1);
        text = malloc(view.cells.room + LSR_CELL_TEXT_MAX + 1);
        end = lsr_cells_put(&view, &entries[i], text, &anew);
        cr_assert_leq((size_t)(end - text), view.cells.room, "%s takes %zu of %zu", list, (size_t)(end - text),
                      view.cells.room);
        *end = '\0';
        return text;
}

static void columns_check(const char *list, struct lsr_entry *entries, size_t n, size_t i, const char *want)
{
        char *got = columns_put(list, entries, n, i);

        cr_assert_str_eq(got, want, "%s: '%s'", list, got);
        free(got);
}

Test(columns, names_are_unique_and_found, .init = columns_init)
{
        for (size_t i = 0; i < lsr_n_columns; i++) {
                for (size_t k = 0; k < i; k++)
                        cr_assert_str_neq(lsr_columns[i].name, lsr_columns[k].name);
                if (!lsr_columns[i].title) {
                        cr_assert_not_null(lsr_cells_parse(&view.cells, lsr_columns[i].name), "is in no row");
                        continue;
                }
                cr_assert_null(lsr_cells_parse(&view.cells, lsr_columns[i].name));
                cr_assert_eq(view.cells.n, 1);
                cr_assert_eq(view.cells.all[0].column, &lsr_columns[i]);
        }
}

/* The words of --columns, for completions, are the names of the table. */
Test(columns, words_of_the_option, .init = columns_init)
{
        lsr_auto(lsr_out_free) struct lsr_out want = LSR_OUT_MEMORY, got = LSR_OUT_MEMORY;
        const struct lsr_option *o = lsr_options;

        while (!o->name || strcmp(o->name, "columns") != 0)
                o++;
        o->choices(&got);
        lsr_out_putc(&got, '\0');
        for (size_t i = 0; i < lsr_n_columns; i++)
                if (lsr_columns[i].title)
                        lsr_out_printf(&want, "%s%s", i > 0 ? " " : "", lsr_columns[i].name);
        cr_assert_str_eq(got.buf, want.buf);
}

/* The names of the cells, with blanks between them. */
static const char *columns_names(void)
{
        static char names[200];

        names[0] = '\0';
        for (size_t i = 0; i < view.cells.n; i++) {
                strcat(names, i > 0 ? " " : "");
                strcat(names, view.cells.all[i].column->name);
        }
        return names;
}

/* What other options add stands before the first that the table has behind it, and once. */
Test(columns, added, .init = columns_init)
{
        cr_assert_null(lsr_cells_parse(&view.cells, "age,size,mode"));
        lsr_cells_add(&view.cells, LSR_SHOW_INODE | LSR_SHOW_BLOCKS);
        cr_assert_str_eq(columns_names(), "inode blocks age size mode");
        lsr_cells_add(&view.cells, LSR_SHOW_GIT | LSR_SHOW_INODE);
        cr_assert_str_eq(columns_names(), "inode blocks age size mode git");
        cr_assert_null(lsr_cells_parse(&view.cells, "mode,size"));
        lsr_cells_add(&view.cells, LSR_SHOW_AUTHOR | LSR_SHOW_CONTEXT);
        cr_assert_str_eq(columns_names(), "mode author context size");
        lsr_cells_add(&view.cells, 0);
        cr_assert_eq(view.cells.n, 4);
}

Test(columns, lists, .init = columns_init)
{
        char many[4 * (LSR_CELLS_MAX + 1) + 1] = "";

        cr_assert_str_eq(lsr_cells_parse(&view.cells, "size,sizes,mode"), "sizes,mode");
        cr_assert_str_eq(lsr_cells_parse(&view.cells, "size,"), "");
        cr_assert_str_eq(lsr_cells_parse(&view.cells, ""), "");
        cr_assert_null(lsr_cells_parse(&view.cells, "size,size"), "twice is twice");
        cr_assert_eq(view.cells.n, 2);
        for (int i = 0; i <= LSR_CELLS_MAX; i++)
                strcat(many, i ? ",age" : "age");
        cr_assert_str_eq(lsr_cells_parse(&view.cells, many), "age", "more than there is room for");
}

Test(columns, all_of_them_at_all_values, .init = columns_init)
{
        static const char long_name[] =
                "an-owner-whose-name-is-longer-than-what-is-kept-of-a-cell-and-\xc3\xa4\xc3\xb6\xcc\x81";
        struct lsr_entry_extra extra = {
                .user = long_name, .group = long_name, .context = "system_u:object_r:etc_t:s0", .acl = LSR_ACL_YES
        };
        struct lsr_entry e[4] = { columns_entry("a", ~0u), columns_entry("b", 0), columns_entry("c", ~0u),
                                  columns_entry("d", ~0u) };

        e[0].extra = &extra;
        e[0].git = 'M' << 8 | '?';
        e[2].meta.mode = S_IFCHR;
        e[2].meta.rdev = UINT32_MAX;
        e[3].meta.error = -2;
        for (size_t i = 0; i < lsr_n_columns; i++) {
                if (!lsr_columns[i].title)
                        continue;
                for (size_t row = 0; row < 4; row++) {
                        char *text = columns_put(lsr_columns[i].name, e, 4, row);
                        /* Times that cannot be shown are as long as they are. */
                        if (lsr_columns[i].needs != LSR_NEED_ZONE)
                                cr_assert_eq(lsr_text_width(text, strlen(text)), view.cells.width, "%s '%s'",
                                             lsr_columns[i].name, text);
                        free(text);
                }
        }
}

Test(columns, numbers_and_modes, .init = columns_init)
{
        struct lsr_entry e[2] = { columns_entry("a", ~0u), columns_entry("b", ~0u) };

        e[1].meta.size = 5;
        e[1].meta.nlink = 1;
        e[1].meta.mode = S_IFDIR | 01777;
        columns_check("octal,size,links", e, 2, 0, "4755 1234567 12 ");
        columns_check("octal,size,links", e, 2, 1, "1777       5  1 ");
        columns_check("links,mode", e, 2, 1, " 1 drwxrwxrwt ");
        e[1].meta.known = 0;
        columns_check("octal,size,links,mode", e, 2, 1, "   ?       ?  ? d????????? ");
        columns_check("blocks", e, 2, 0, "1208 ");
        columns_ragged = true;
        columns_check("size,links", e, 2, 1, "? ? ");
}

Test(columns, devices, .init = columns_init)
{
        struct lsr_entry e[2] = { columns_entry("a", ~0u), columns_entry("b", ~0u) };

        e[0].meta.size = 123456789;
        e[1].meta.mode = S_IFBLK | 0660;
        e[1].meta.rdev = 8u << 20 | 17;
        columns_check("size", e, 2, 0, "123456789 ");
        columns_check("size", e, 2, 1, "    8, 17 ");
        e[0].meta.size = 1;
        columns_check("size", e, 2, 0, "    1 ");
        columns_check("size", e, 2, 1, "8, 17 ");
}

Test(columns, ages, .init = columns_init)
{
        static const struct {
                int64_t ago;
                const char *text;
        } cases[] = { { 0, "0s " },        { 59, "59s " },    { 60, "1m " },      { 3599, "59m " },
                      { 3600, "1h " },     { 86399, "23h " }, { 86400, "1d " },   { 31556951, "365d " },
                      { 31556952, "1y " }, { -1, "-1s " },    { -86400, "-1d " }, { INT64_MAX, "292277024626y " } };

        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                struct lsr_entry e = columns_entry("a", ~0u);

                e.meta.sec[LSR_MTIME] = view.when.now_sec - cases[i].ago;
                columns_check("age", &e, 1, 0, cases[i].text);
        }
}

/* What was put for the row before is put again only if it would be the same. */
Test(columns, owners_of_rows_before, .init = columns_init)
{
        struct lsr_entry_extra stored = { .user = "stored" };
        struct lsr_entry e[4] = { columns_entry("a", ~0u), columns_entry("b", ~0u), columns_entry("c", ~0u),
                                  columns_entry("d", 0) };
        struct lsr_entry *rows[4] = { &e[0], &e[1], &e[2], &e[3] };
        const struct lsr_span span = { rows, 4 };
        static const char *const want[4] = { "seven  ", "stored ", "eight  ", "?      " };
        static char passwd[] = "seven:x:7:\neight:x:8:\n";

        lsr_users_load(&view.users, passwd, sizeof(passwd) - 1);
        e[0].meta.uid = e[1].meta.uid = 7;
        e[2].meta.uid = 8;
        e[1].extra = &stored;
        cr_assert_null(lsr_cells_parse(&view.cells, "user"));
        lsr_cells_measure(&view, &span, 1);
        for (size_t i = 0; i < 40; i++) {
                char text[256], *anew, *end;
                size_t row = i / 2 * 7 % 4; /* each twice, in changing order */

                end = lsr_cells_put(&view, rows[row], text, &anew);
                *end = '\0';
                cr_assert_str_eq(text, want[row]);
        }
        lsr_users_free(&view.users);
}

/* With colours they take the same columns on the screen, and the room for the sequences was promised, too. */
Test(columns, painted, .init = columns_init)
{
        struct lsr_entry e = columns_entry("x", ~0u), *rows[] = { &e };
        const struct lsr_span span = { rows, 1 };

        e.git = (uint16_t)('M' << 8 | '?');
        e.meta.sec[LSR_BTIME] = 5;
        for (size_t i = 0; lsr_column_name(i); i++) {
                char *text, *end, *anew;
                bool paints;

                cr_assert_null(lsr_cells_parse(&view.cells, lsr_column_name(i)));
                lsr_cells_paint(&view.cells, true);
                paints = view.cells.all[0].column->paint;
                lsr_cells_measure(&view, &span, 1);
                text = malloc(view.cells.room + 1);
                end = lsr_cells_put(&view, &e, text, &anew);
                cr_assert_leq((size_t)(end - text), view.cells.room, "%s", lsr_column_name(i));
                cr_assert_eq((size_t)(end - text) - view.cells.painted, view.cells.width, "%s", lsr_column_name(i));
                cr_assert_eq(text[0] == '\033', paints, "%s", lsr_column_name(i));
                free(text);
                /* Of those of ls -l only a terminal sees colours. */
                lsr_cells_parse(&view.cells, lsr_column_name(i));
                view.cells.paints = false;
                lsr_cells_paint(&view.cells, false);
                cr_assert_eq(view.cells.paints,
                             strcmp(lsr_column_name(i), "git") == 0 || strcmp(lsr_column_name(i), "age") == 0);
        }
}
