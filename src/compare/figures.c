/*
 * figures - three significant digits
 *
 * Numbers are formatted from integers, since printf's %f follows the locale,
 * and JSON and SVG must not.
 */
#include "compare/figures.h"

#include <math.h>
#include <stdio.h>

#include "formats/format.h"

#define FIGURE_MAX 1e19 /* what an integer holds */

struct lsr_figure lsr_figure_count(uint64_t n)
{
        struct lsr_figure f;

        snprintf(f.text, sizeof(f.text), "%s", lsr_grouped(n));
        return f;
}

struct lsr_figure lsr_figure_whole(double value)
{
        return lsr_figure_count(value >= FIGURE_MAX ? (uint64_t)FIGURE_MAX : (uint64_t)(value + 0.5));
}

struct lsr_figure lsr_figure_fixed(double value, unsigned decimals)
{
        struct lsr_figure f;
        unsigned long long scale = 1, scaled;

        for (unsigned i = 0; i < decimals; i++)
                scale *= 10;
        scaled = (unsigned long long)(fmin(fabs(value) * (double)scale, FIGURE_MAX) + 0.5);
        if (decimals == 0)
                snprintf(f.text, sizeof(f.text), "%s%llu", value < 0 && scaled ? "-" : "", scaled);
        else
                snprintf(f.text, sizeof(f.text), "%s%llu.%0*llu", value < 0 && scaled ? "-" : "", scaled / scale,
                         (int)decimals, scaled % scale);
        return f;
}

struct lsr_figure lsr_figure_value(double value)
{
        if (value >= 999.5)
                return lsr_figure_whole(value);
        /* Bounds where the last digit would be rounded up to one more in front. */
        return lsr_figure_fixed(value, value == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : value >= 0.9995 ? 2 : 3);
}

struct lsr_figure lsr_figure_speedup(double speedup)
{
        struct lsr_figure f;

        /* Around 1, two decimals tell enough. */
        if (speedup >= 0.0995)
                return speedup < 1 ? lsr_figure_fixed(speedup, 2) : lsr_figure_value(speedup);
        snprintf(f.text, sizeof(f.text), "1/%.39s", lsr_figure_whole(1 / speedup).text);
        return f;
}

static struct lsr_figure figure_unit(double value, const char *unit)
{
        struct lsr_figure number = lsr_figure_value(value), f;

        snprintf(f.text, sizeof(f.text), "%.39s %s", number.text, unit);
        return f;
}

struct lsr_figure lsr_figure_bytes(uint64_t bytes)
{
        static const char *const units[] = { "kB", "MB", "GB", "TB", "PB", "EB" };
        double value = (double)bytes / 1e3;
        size_t unit = 0;

        if (bytes < 1000) {
                struct lsr_figure f;

                snprintf(f.text, sizeof(f.text), "%u byte%s", (unsigned)bytes, bytes == 1 ? "" : "s");
                return f;
        }
        for (; value >= 999.5 && unit + 1 < sizeof(units) / sizeof(*units); unit++)
                value /= 1e3;
        return figure_unit(value, units[unit]);
}

struct lsr_figure lsr_figure_time(double ns)
{
        if (ns < 999.5)
                return figure_unit(ns, "ns");
        if (ns < 999.5e3)
                return figure_unit(ns / 1e3, "us");
        if (ns < 999.5e6)
                return figure_unit(ns / 1e6, "ms");
        return figure_unit(ns / 1e9, "s");
}

bool lsr_way_counts(const struct lsr_way_result *way)
{
        return !way->error && !way->differs && way->n_runs > 0 && way->median.total_ns > 0;
}

static uint64_t figure_distance(uint64_t a, uint64_t b)
{
        return a < b ? b - a : a - b;
}

const struct lsr_cost *lsr_way_typical(const struct lsr_way_result *way)
{
        const struct lsr_cost *typical = &way->median;

        for (size_t i = 0; i < way->n_runs; i++)
                if (i == 0 || figure_distance(way->runs[i].total_ns, way->median.total_ns) <
                                      figure_distance(typical->total_ns, way->median.total_ns))
                        typical = &way->runs[i];
        return typical;
}

bool lsr_way_cut(const struct lsr_experiment *x, const struct lsr_way_result *way)
{
        return x->random > 0 && way->members > 0 && way->members < x->ways[0].members;
}

double lsr_way_time(const struct lsr_experiment *x, const struct lsr_way_result *way, uint64_t ns)
{
        if (!lsr_way_cut(x, way))
                return (double)ns;
        return (double)ns * ((double)x->ways[0].members / (double)way->members);
}

static double figure_total(const struct lsr_experiment *x, const struct lsr_way_result *way)
{
        return lsr_way_time(x, way, way->median.total_ns);
}

double lsr_way_speedup(const struct lsr_experiment *x, const struct lsr_way_result *way)
{
        if (!lsr_way_counts(&x->ways[0]) || !lsr_way_counts(way))
                return 0;
        return figure_total(x, &x->ways[0]) / figure_total(x, way);
}

bool lsr_way_same_speed(const struct lsr_experiment *x, const struct lsr_way_result *way)
{
        double speedup = lsr_way_speedup(x, way);

        return speedup > 0.8 && speedup < 1.25 &&
               lsr_way_time(x, way, way->total_min) <= (double)x->ways[0].total_max &&
               lsr_way_time(x, way, way->total_max) >= (double)x->ways[0].total_min;
}

bool lsr_way_noisy(const struct lsr_way_result *way)
{
        return lsr_way_counts(way) && way->n_runs > 1 && way->total_max - way->total_min > way->median.total_ns / 2;
}

uint64_t lsr_way_pays_after(const struct lsr_experiment *x, const struct lsr_way_result *way)
{
        double saved, reads;

        if (!way->format || way->pack_ns == 0 || lsr_way_speedup(x, way) == 0)
                return 0;
        saved = figure_total(x, &x->ways[0]) - figure_total(x, way);
        if (saved <= 0)
                return LSR_NEVER;
        reads = ceil((double)way->pack_ns / saved);
        return reads < FIGURE_MAX ? (uint64_t)reads : LSR_NEVER;
}

const struct lsr_way_result *lsr_fastest_way(const struct lsr_experiment *x, bool bundles)
{
        const struct lsr_way_result *fastest = NULL;

        for (size_t i = 0; i < x->n_ways; i++) {
                const struct lsr_way_result *way = &x->ways[i];

                if (!!way->format == bundles && lsr_way_counts(way) &&
                    (!fastest || figure_total(x, way) < figure_total(x, fastest)))
                        fastest = way;
        }
        return fastest;
}
