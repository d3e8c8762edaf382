/* The order that the builder makes, and which of several of one name counts: compared with qsort(3). */
#include "base/arena.h"
#include "catalogues.h"

#define FINISH_NAMES 3000u
#define FINISH_NAME_MAX 64u

static char finish_names[FINISH_NAMES][FINISH_NAME_MAX];

static uint32_t finish_state;

static unsigned finish_random(unsigned below)
{
        finish_state = finish_state * 1664525 + 1013904223;
        return (finish_state >> 8) % below;
}

static int finish_by_name(const void *a, const void *b)
{
        return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names as files, sizes counting up: of equal names the last is to be found. */
static void finish_check(unsigned n)
{
        static const char *order[FINISH_NAMES];
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_catalogue *c;
        struct lsr_slice below;
        unsigned distinct = 0;

        for (unsigned i = 0; i < n; i++) {
                add_file(b, finish_names[i], i + 1);
                order[i] = finish_names[i];
        }
        c = finish(b);
        check(c);
        qsort(order, n, sizeof(*order), finish_by_name);
        below = lsr_catalogue_children(c, 0);
        for (unsigned i = 0; i < n; i++) {
                struct lsr_member m;
                unsigned last = 0;

                if (i + 1 < n && strcmp(order[i], order[i + 1]) == 0)
                        continue;
                cr_assert_lt(distinct, below.n);
                lsr_catalogue_get(c, below.first + distinct++, &m);
                cr_assert_str_eq(m.path, order[i]);
                for (unsigned k = 0; k < n; k++)
                        if (strcmp(finish_names[k], order[i]) == 0)
                                last = k + 1;
                cr_assert_eq(m.meta.size, last, "%s", m.path);
        }
        cr_assert_eq(distinct, below.n);
        lsr_catalogue_free(c);
}

/* Few letters, so that much is shared and much is equal; lengths around the eight bytes of a key. */
Test(order, noise)
{
        static const char letters[] = "ab\x80\xff";

        finish_state = 1;
        for (unsigned round = 0; round < 150; round++) {
                unsigned n = 1 + finish_random(round % 10 == 9 ? FINISH_NAMES : 40), most = 1 + finish_random(26);
                unsigned first = finish_random(3) ? finish_random(20) : 0, kinds = 1 + finish_random(4);

                for (unsigned i = 0; i < n; i++) {
                        unsigned len = first + 1 + finish_random(most);

                        memset(finish_names[i], 'x', first);
                        for (unsigned k = first; k < len; k++)
                                finish_names[i][k] = letters[finish_random(kinds)];
                        finish_names[i][len] = '\0';
                }
                finish_check(n);
        }
}

/* Each name is the beginning of the next one, both ways around: a turn for every eight. */
Test(order, hostile_prefixes)
{
        for (unsigned turned = 0; turned < 2; turned++) {
                for (unsigned i = 0; i < FINISH_NAME_MAX - 1; i++) {
                        unsigned len = turned ? FINISH_NAME_MAX - 1 - i : i + 1;

                        memset(finish_names[i], 'x', len);
                        finish_names[i][len] = '\0';
                }
                finish_check(FINISH_NAME_MAX - 1);
        }
}

/* The same with a stack that would not last for a turn each. */
Test(order, hostile_long_prefixes)
{
        enum { N = 4000 };
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_catalogue *c;
        char *name = memset(lsr_xmalloc(N * 8 + 1), 'x', N * 8);

        for (unsigned i = 1; i <= N; i++) {
                name[i * 8] = '\0';
                add_file(b, name, i);
                name[i * 8] = 'x';
        }
        c = finish(b);
        check(c);
        cr_assert_eq(lsr_catalogue_children(c, 0).n, N);
        lsr_catalogue_free(c);
        free(name);
}
