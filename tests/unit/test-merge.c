/* The sort for items from bundles: order, stability, and the most comparisons that anybody can make it take. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/merge.h"

struct item {
        unsigned key;
        unsigned at;
};

static int by_key(const void *a, const void *b, void *ctx)
{
        const struct item *x = a, *y = b;

        ++*(size_t *)ctx;
        return (x->key > y->key) - (x->key < y->key);
}

Test(merge, sorts_stably)
{
        for (unsigned n = 0; n < 70; n++) {
                struct item items[70];
                size_t steps = 0;

                for (unsigned i = 0; i < n; i++)
                        items[i] = (struct item){ i * 7919 % 13, i };
                lsr_merge_sort(items, n, sizeof(*items), by_key, &steps);
                for (unsigned i = 1; i < n; i++)
                        cr_expect(items[i - 1].key < items[i].key ||
                                  (items[i - 1].key == items[i].key && items[i - 1].at < items[i].at));
        }
}

/* "A Killer Adversary for Quicksort" (McIlroy, 1999): values are decided upon as they are compared, for the worst. */
struct adversary {
        unsigned *values;
        unsigned solid, gas, candidate;
        size_t steps;
};

static int by_worst(const void *a, const void *b, void *ctx)
{
        struct adversary *v = ctx;
        unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

        v->steps++;
        if (v->values[x] == v->gas && v->values[y] == v->gas)
                v->values[x == v->candidate ? x : y] = v->solid++;
        if (v->values[x] == v->gas)
                v->candidate = x;
        else if (v->values[y] == v->gas)
                v->candidate = y;
        return (v->values[x] > v->values[y]) - (v->values[x] < v->values[y]);
}

Test(merge, bounded_at_worst)
{
        const unsigned n = 1 << 14;
        struct adversary v = { .values = lsr_xmalloc(n * sizeof(unsigned)), .gas = n };
        unsigned *items = lsr_xmalloc(n * sizeof(*items));

        for (unsigned i = 0; i < n; i++) {
                items[i] = i;
                v.values[i] = v.gas;
        }
        lsr_merge_sort(items, n, sizeof(*items), by_worst, &v);
        cr_expect_leq(v.steps, (size_t)n * 14);
        free(items);
        free(v.values);
}
