/* The order of a set: whatever keys and merges do, it is that of a plain stable sort by comparison. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"
#include "listing/sort.h"

#define SORT_MAX 3000

static struct lsr_entry sort_entries[SORT_MAX];
static char sort_names[SORT_MAX][40];
static struct lsr_entry *sort_rows[SORT_MAX], *sort_want[SORT_MAX], *sort_got[SORT_MAX];
static const struct lsr_list_options *sort_o;
static struct lsr_arena sort_arena;

static void sort_width_set(void *ctx, struct lsr_entry *const *entries, size_t n)
{
        (void)ctx;
        (void)entries;
        (void)n;
}

static size_t sort_width(void *ctx, const struct lsr_entry *e)
{
        (void)ctx;
        return e->name_len % 5;
}

static bool sort_is_dir(const struct lsr_entry *e)
{
        return lsr_entry_is_dir(e);
}

static int sort_cmp_numbers(int64_t a, int64_t b)
{
        return (a > b) - (a < b);
}

static const char *sort_suffix(const char *name)
{
        const char *dot = strrchr(name, '.');

        return dot ? dot : "";
}

/* Straight from the definition; larger and newer come first. */
static int sort_reference(const struct lsr_entry *a, const struct lsr_entry *b)
{
        bool x = lsr_entry_stat_ok(a), y = lsr_entry_stat_ok(b);
        int r = 0;

        if (sort_o->dirs_first && sort_is_dir(a) != sort_is_dir(b))
                return sort_is_dir(a) ? -1 : 1;
        switch (sort_o->sort) {
        case LSR_SORT_NAME:
        case LSR_SORT_NONE:
        case LSR_SORT_NUMBER:
                break;
        case LSR_SORT_SIZE:
                r = sort_cmp_numbers(y ? (int64_t)b->meta.size : 0, x ? (int64_t)a->meta.size : 0);
                break;
        case LSR_SORT_TIME:
                r = sort_cmp_numbers(y ? b->meta.sec[sort_o->time] : 0, x ? a->meta.sec[sort_o->time] : 0);
                if (!r)
                        r = sort_cmp_numbers(y ? b->meta.nsec[sort_o->time] : 0, x ? a->meta.nsec[sort_o->time] : 0);
                break;
        case LSR_SORT_WIDTH:
                r = sort_cmp_numbers((int64_t)sort_width(NULL, a), (int64_t)sort_width(NULL, b));
                break;
        case LSR_SORT_EXTENSION:
                r = strcmp(sort_suffix(a->name), sort_suffix(b->name));
                break;
        case LSR_SORT_VERSION:
                r = lsr_version_compare(a->name, a->name_len, b->name, b->name_len);
                break;
        case LSR_SORT_NATURAL:
                r = lsr_natural_compare(a->name, b->name);
                break;
        case LSR_SORT_INODE:
                r = sort_cmp_numbers(x ? (int64_t)a->meta.inode : 0, y ? (int64_t)b->meta.inode : 0);
                break;
        }
        if (!r)
                r = strcmp(a->name, b->name);
        return sort_o->reverse ? -r : r;
}

static int sort_qsort(const void *a, const void *b)
{
        const struct lsr_entry *x = *(struct lsr_entry *const *)a, *y = *(struct lsr_entry *const *)b;
        int r = sort_reference(x, y);

        /* Equal ones keep the order in which they came. */
        return r ? r : (x > y) - (x < y);
}

enum sort_shape { NOISE, SHARED, PREFIXES, BYTES, FEW, DOTS, BELOW_DOTS, NUMBERS, SORT_SHAPES };

static void sort_make_name(char *name, enum sort_shape shape, size_t i)
{
        size_t len = (size_t)rand() % 20 + 1;

        switch (shape) {
        case NOISE:
                for (size_t c = 0; c < len; c++)
                        name[c] = (char)('a' + rand() % 26);
                name[len] = '\0';
                break;
        case SHARED:
                sprintf(name, "a-shared-prefix-%05d", rand() % 100000);
                break;
        case PREFIXES:
                memset(name, 'x', len);
                name[len] = '\0';
                break;
        case BYTES:
                for (size_t c = 0; c < len; c++)
                        name[c] = (char)(rand() % 255 + 1);
                name[len] = '\0';
                break;
        case FEW:
                sprintf(name, "%c", 'a' + rand() % 3);
                break;
        case DOTS:
                strcpy(name, i == 0 ? "." : i == 1 ? ".." : "");
                if (i > 1)
                        sprintf(name, "%s%d%s%d", rand() % 2 ? "." : "pre.", rand() % 30, rand() % 2 ? "." : "",
                                rand() % 30);
                break;
        case BELOW_DOTS:
                /* What all others share sorts before "." and "..". */
                strcpy(name, i == 0 ? "." : i == 1 ? ".." : "");
                if (i > 1)
                        sprintf(name, "-shared-%d", rand() % 5000);
                break;
        case NUMBERS:
                sprintf(name, "file%d.%s", rand() % 1000, rand() % 2 ? "c" : "h~");
                break;
        case SORT_SHAPES:
                break;
        }
}

static void sort_make(enum sort_shape shape, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                struct lsr_entry *e = &sort_entries[i];

                sort_make_name(sort_names[i], shape, i);
                *e = (struct lsr_entry){ .name = sort_names[i],
                                         .name_len = (uint32_t)strlen(sort_names[i]),
                                         .type = rand() % 4 ? 8 : 4,
                                         .flags = LSR_ENTRY_STAT };
                e->meta.mode = (uint32_t)e->type << 12;
                e->meta.size = (uint64_t)rand() % 50 << rand() % 40;
                for (unsigned t = 0; t < LSR_TIMES; t++) {
                        e->meta.sec[t] = rand() % 20 - 10;
                        e->meta.nsec[t] = (uint32_t)rand() % 3;
                }
                if (rand() % 20 == 0) {
                        memset(&e->meta, 0x5a, sizeof(e->meta));
                        e->meta.error = -5;
                        e->meta.known = 0;
                }
                sort_rows[i] = sort_want[i] = e;
        }
}

static void sort_check(const struct lsr_list_options *o, enum sort_shape shape, size_t n)
{
        /* In place, or into another array. */
        struct lsr_entry **got = shape % 2 ? sort_rows : sort_got;

        sort_o = o;
        sort_make(shape, n);
        qsort(sort_want, n, sizeof(*sort_want), sort_qsort);
        lsr_sort(o, sort_rows, got, n, &sort_arena);
        for (size_t i = 0; i < n; i++)
                cr_assert_eq(got[i], sort_want[i], "sort %d, shape %d%s%s: row %zu of %zu is '%s', not '%s'", o->sort,
                             shape, o->reverse ? ", reverse" : "", o->dirs_first ? ", dirs first" : "", i, n,
                             got[i]->name, sort_want[i]->name);
}

static void sort_check_shapes(enum lsr_sort sort)
{
        static const size_t sizes[] = { 0, 1, 2, 3, 11, 12, 13, 24, 25, 100, 1000, SORT_MAX };

        setenv("LC_ALL", "C", 1);
        lsr_locale_init();
        srand(1);
        for (unsigned flags = 0; flags < 4; flags++) {
                struct lsr_list_options o = { .sort = sort,
                                              .width = sort_width,
                                              .width_set = sort_width_set,
                                              .reverse = flags & 1,
                                              .dirs_first = flags & 2,
                                              .time = (enum lsr_time)flags };

                for (unsigned shape = 0; shape < SORT_SHAPES; shape++)
                        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
                                sort_check(&o, shape, sizes[i]);
        }
}

Test(sort, name)
{
        sort_check_shapes(LSR_SORT_NAME);
}
Test(sort, size)
{
        sort_check_shapes(LSR_SORT_SIZE);
}
Test(sort, time)
{
        sort_check_shapes(LSR_SORT_TIME);
}
Test(sort, width)
{
        sort_check_shapes(LSR_SORT_WIDTH);
}
Test(sort, extension)
{
        sort_check_shapes(LSR_SORT_EXTENSION);
}
Test(sort, version)
{
        sort_check_shapes(LSR_SORT_VERSION);
}

/* -U, and then -r and dirs first say nothing. */
Test(sort, none)
{
        struct lsr_list_options o = { .sort = LSR_SORT_NONE, .reverse = true, .dirs_first = true };

        sort_make(NOISE, 100);
        lsr_sort(&o, sort_rows, sort_rows, 100, &sort_arena);
        for (size_t i = 0; i < 100; i++)
                cr_assert_eq(sort_rows[i], sort_want[i]);
}

/* C.UTF-8 sorts by bytes too; en_US does not. */
Test(sort, locale)
{
        static const char *const names[] = { "b", "B", "a", "A", "\xc3\xa4", ".c", "z" };
        static const char *const want[] = { "a", "A", "\xc3\xa4", "b", "B", ".c", "z" };
        struct lsr_list_options o = { .sort = LSR_SORT_NAME };

        setenv("LC_ALL", "en_US.UTF-8", 1);
        lsr_locale_init();
        if (lsr_locale_collates_bytes() || strcoll_l("a", "B", lsr_locale()) > 0)
                cr_skip_test("no locale en_US.UTF-8");
        for (size_t i = 0; i < 7; i++) {
                sort_entries[i] = (struct lsr_entry){ .name = names[i], .name_len = (uint32_t)strlen(names[i]) };
                sort_rows[i] = &sort_entries[i];
        }
        lsr_sort(&o, sort_rows, sort_rows, 7, &sort_arena);
        for (size_t i = 0; i < 7; i++)
                cr_assert_str_eq(sort_rows[i]->name, want[i]);
}

Test(sort, by_name_only)
{
        struct lsr_list_options o = { .sort = LSR_SORT_NAME };

        cr_assert(lsr_sort_by_name_only(&o));
        o.dirs_first = true;
        cr_assert_not(lsr_sort_by_name_only(&o));
        o = (struct lsr_list_options){ .sort = LSR_SORT_SIZE };
        cr_assert_not(lsr_sort_by_name_only(&o));
        o.sort = LSR_SORT_TIME;
        cr_assert_not(lsr_sort_by_name_only(&o));
        o.sort = LSR_SORT_VERSION;
        cr_assert(lsr_sort_by_name_only(&o));
}
