/* merge - runs of 1, 2, 4 ... items are merged, from the array to a spare one and back */
#include "base/merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

struct merge {
        size_t size;
        int (*compare)(const void *a, const void *b, void *ctx);
        void *ctx;
};

/* The runs [left, middle) and [middle, end) to @to. */
static void merge_runs(const struct merge *m, const char *left, const char *middle, const char *end, char *to)
{
        const char *right = middle;

        while (left < middle && right < end) {
                const char **from = m->compare(left, right, m->ctx) <= 0 ? &left : &right;

                memcpy(to, *from, m->size);
                to += m->size;
                *from += m->size;
        }
        memcpy(to, left, (size_t)(middle - left));
        memcpy(to + (middle - left), right, (size_t)(end - right));
}

void lsr_merge_sort(void *items, size_t n, size_t size, int (*compare)(const void *a, const void *b, void *ctx),
                    void *ctx)
{
        const struct merge m = { size, compare, ctx };
        char *from = items, *spare = n > 1 ? lsr_xmalloc(n * size) : NULL, *to = spare;

        for (size_t run = 1; run < n; run *= 2) {
                char *swap = from;

                for (size_t at = 0; at < n; at += 2 * run) {
                        size_t middle = at + run < n ? at + run : n, end = at + 2 * run < n ? at + 2 * run : n;

                        merge_runs(&m, from + at * size, from + middle * size, from + end * size, to + at * size);
                }
                from = to;
                to = swap;
        }
        if (from != items)
                memcpy(items, from, n * size);
        free(spare);
}
