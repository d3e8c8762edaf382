/* result - medians, and freeing */
#include "compare/result.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static int result_order(const void *a, const void *b)
{
        uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

        return x < y ? -1 : x > y;
}

void lsr_way_summarize(struct lsr_way_result *way)
{
        static const size_t fields[] = {
                offsetof(struct lsr_cost, io_ns),      offsetof(struct lsr_cost, decode_ns),
                offsetof(struct lsr_cost, user_ns),    offsetof(struct lsr_cost, system_ns),
                offsetof(struct lsr_cost, peak_bytes), offsetof(struct lsr_cost, device_bytes),
                offsetof(struct lsr_cost, ring_ops),   offsetof(struct lsr_cost, ring_enters),
                offsetof(struct lsr_cost, total_ns), /* the last one: its extremes are wanted too */
        };
        size_t n = way->n_runs;
        uint64_t *values, median;

        static_assert(sizeof(fields) / sizeof(*fields) == sizeof(struct lsr_cost) / sizeof(uint64_t),
                      "a field is missing");
        way->median = (struct lsr_cost){ 0 };
        way->total_min = way->total_max = 0;
        if (n == 0)
                return;
        values = lsr_xmalloc(n * sizeof(*values));
        for (size_t f = 0; f < sizeof(fields) / sizeof(*fields); f++) {
                for (size_t i = 0; i < n; i++)
                        memcpy(&values[i], (const char *)&way->runs[i] + fields[f], sizeof(*values));
                qsort(values, n, sizeof(*values), result_order);
                median = n % 2 ? values[n / 2] : values[n / 2 - 1] + (values[n / 2] - values[n / 2 - 1]) / 2;
                memcpy((char *)&way->median + fields[f], &median, sizeof(median));
        }
        way->total_min = values[0];
        way->total_max = values[n - 1];
        free(values);
}

void lsr_experiment_free(struct lsr_experiment *x)
{
        if (!x)
                return;
        for (size_t i = 0; i < x->n_facts; i++)
                free(x->facts[i].value);
        for (size_t i = 0; i < x->n_ways; i++) {
                free(x->ways[i].runs);
                free(x->ways[i].calls);
                free(x->ways[i].error);
        }
        free(x->facts);
        free(x->ways);
        *x = (struct lsr_experiment){ 0 };
}
