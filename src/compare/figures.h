/*
 * figures - numbers for people, and comparisons of ways
 *
 * Texts are returned by value: lsr_figure_count(n).text lives to the end of the
 * statement.  The point is a point in every locale.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "compare/result.h"

struct lsr_figure {
        char text[48];
};

struct lsr_figure lsr_figure_count(uint64_t n);                      /* 104,000 */
struct lsr_figure lsr_figure_whole(double value);                    /* the same, rounded */
struct lsr_figure lsr_figure_fixed(double value, unsigned decimals); /* 12.300; of 9 digits before the point at most */
struct lsr_figure lsr_figure_value(double value);                    /* three digits or more: 0.123, 12.3, 1,234 */
struct lsr_figure lsr_figure_bytes(uint64_t bytes);                  /* 1.13 GB */
struct lsr_figure lsr_figure_time(double ns);                        /* 12.3 us, 1.13 s */
struct lsr_figure lsr_figure_speedup(double speedup);                /* 0.75, 9.02, 12.3, 1,234, 1/21 */

#define LSR_NEVER UINT64_MAX

/* Did the way run to its end and read the same as the first one?  Only then do its times count. */
bool lsr_way_counts(const struct lsr_way_result *way);

/* The median run: its parts add up to its total, unlike medians of parts. */
const struct lsr_cost *lsr_way_typical(const struct lsr_way_result *way);

/*
 * A time of @way, for as much as the first way read: of --random, slow ways read fewer members than asked for, and
 * @ns is then scaled up.
 */
double lsr_way_time(const struct lsr_experiment *x, const struct lsr_way_result *way, uint64_t ns);

/* Did the way read fewer members than asked for?  */
bool lsr_way_cut(const struct lsr_experiment *x, const struct lsr_way_result *way);

/* How many times as fast as the first way, by the medians; 0 if one of them does not count. */
double lsr_way_speedup(const struct lsr_experiment *x, const struct lsr_way_result *way);

/* Do the runs of both overlap, and the medians differ by less than a quarter? */
bool lsr_way_same_speed(const struct lsr_experiment *x, const struct lsr_way_result *way);

/* Do its runs differ by more than half of their median?  Then the machine was busy, and they say little. */
bool lsr_way_noisy(const struct lsr_way_result *way);

/* The number of reads after which packing has cost less than reading files; LSR_NEVER; 0 if nothing was packed. */
uint64_t lsr_way_pays_after(const struct lsr_experiment *x, const struct lsr_way_result *way);

/* The fastest way that counts, of bundles or of files; NULL if there is none. */
const struct lsr_way_result *lsr_fastest_way(const struct lsr_experiment *x, bool bundles);
