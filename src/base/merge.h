/*
 * merge - a sort whose worst case is known
 *
 * qsort(3) of glibc before 2.37 falls back to a quicksort where it cannot find out how much memory there is, as in
 * the confined worker, and input chosen for that purpose makes it quadratic.  Use this for items that come from a
 * bundle.
 */
#pragma once

#include <stddef.h>

/* Sort @n items of @size bytes, stably, with at most n * log2(n) comparisons.  @compare: as for qsort_r(3). */
void lsr_merge_sort(void *items, size_t n, size_t size, int (*compare)(const void *a, const void *b, void *ctx),
                    void *ctx);
