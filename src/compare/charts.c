/*
 * charts - bars, lines and points as SVG
 *
 * Straight lines and rectangles take percent in SVG, paths do not; so there
 * are no paths.  Shapes at a distance in pixels from a point in percent are in
 * a nested svg element.  Scales are chosen from the data; labels that would
 * overlap are moved apart and keep a line to their point.
 */
#include "compare/charts.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "compare/figures.h"

#define CHART_BAR 48     /* pixels that a way takes among the bars */
#define CHART_HEIGHT 300 /* of the plots */
#define CHART_TOP 22
#define CHART_FOOT 40
#define CHART_LABEL 16 /* least distance of two labels */

void lsr_html_text(struct lsr_out *out, const char *text, size_t len)
{
        for (size_t i = 0; i < len; i++) {
                switch (text[i]) {
                case '&':
                        lsr_out_puts(out, "&amp;");
                        break;
                case '<':
                        lsr_out_puts(out, "&lt;");
                        break;
                case '>':
                        lsr_out_puts(out, "&gt;");
                        break;
                case '"':
                        lsr_out_puts(out, "&quot;");
                        break;
                case '\'':
                        lsr_out_puts(out, "&#39;");
                        break;
                default:
                        lsr_out_putc(out, text[i]);
                }
        }
}

static void chart_text(struct lsr_out *out, const char *text)
{
        lsr_html_text(out, text, strlen(text));
}

/* Two decimals are a tenth of a pixel. */
static struct lsr_figure chart_number(double value)
{
        return lsr_figure_fixed(value, 2);
}

static void chart_open(struct lsr_out *out, int height, const char *label)
{
        lsr_out_printf(out,
                       "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%%\" height=\"%d\" role=\"img\" "
                       "aria-label=\"%s\">\n",
                       height, label);
}

/* The class that colours a way. */
static const char *chart_class(const struct lsr_experiment *x, const struct lsr_way_result *way)
{
        static const char *const classes[] = { "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7" };
        unsigned bundles = 0;

        if (!way->format)
                return way == &x->ways[0] ? "first" : "files";
        for (const struct lsr_way_result *w = x->ways; w < way; w++)
                bundles += w->format != NULL;
        return classes[bundles % 8];
}

/* --- bars --- */

#define TIMES_FIRST 8 /* of the first way's time is what a bar shows at most */

static void chart_segment(struct lsr_out *out, const char *class, const char *title, int y, double from, double to,
                          double scale)
{
        to = fmin(to, scale);
        if (to <= from)
                return;
        lsr_out_printf(
                out,
                "<rect class=\"%s\" x=\"%s%%\" y=\"%d\" width=\"%s%%\" height=\"16\"><title>%s: %s</title></rect>\n",
                class, chart_number(100 * from / scale).text, y, chart_number(100 * (to - from) / scale).text, title,
                lsr_figure_time(to - from).text);
}

/*
 * I/O from the left, decoding behind it; where both together take longer than
 * the whole, decoding ends with the bar, and the part they share is hatched.
 */
static void chart_bar(struct lsr_out *out, const struct lsr_experiment *x, const struct lsr_way_result *way, int y,
                      double scale)
{
        const struct lsr_cost *run = lsr_way_typical(way);
        double total = lsr_way_time(x, way, run->total_ns);
        double io = fmin(lsr_way_time(x, way, run->io_ns), total);
        double decode = fmin(lsr_way_time(x, way, run->decode_ns), total);
        double start = fmin(io, total - decode), end = start + decode;

        chart_segment(out, "io", "I/O", y, 0, start, scale);
        chart_segment(out, "both", "I/O and decoding at once", y, start, fmin(io, end), scale);
        chart_segment(out, "io", "I/O", y, end, io, scale);
        chart_segment(out, "decode", "decoding", y, fmax(start, io), end, scale);
        chart_segment(out, "rest", "the rest", y, fmax(io, end), total, scale);
        if (total > scale)
                lsr_out_printf(out, "<text class=\"end more\" x=\"100%%\" y=\"%d\">more \xe2\x80\xba</text>\n", y + 13);
        else if (way->n_runs > 1)
                lsr_out_printf(out, "<line class=\"whisker\" x1=\"%s%%\" x2=\"%s%%\" y1=\"%d\" y2=\"%d\"/>\n",
                               chart_number(100 * lsr_way_time(x, way, way->total_min) / scale).text,
                               chart_number(100 * fmin(1, lsr_way_time(x, way, way->total_max) / scale)).text, y + 8,
                               y + 8);
}

void lsr_chart_times(struct lsr_out *out, const struct lsr_experiment *x)
{
        double scale = 0;
        int y = 0;

        for (size_t i = 0; i < x->n_ways; i++)
                if (lsr_way_counts(&x->ways[i]))
                        scale = fmax(scale, lsr_way_time(x, &x->ways[i], x->ways[i].total_max));
        if (lsr_way_counts(&x->ways[0]))
                scale = fmin(scale, TIMES_FIRST * (double)x->ways[0].total_max);
        chart_open(out, (int)x->n_ways * CHART_BAR, "Time of each way: I/O, decoding and the rest");
        lsr_out_puts(out, "<defs><pattern id=\"both\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
                          "patternTransform=\"rotate(45)\"><rect class=\"io\" width=\"6\" height=\"6\"/>"
                          "<rect class=\"decode\" width=\"3\" height=\"6\"/></pattern></defs>\n");
        for (size_t i = 0; i < x->n_ways; i++, y += CHART_BAR) {
                const struct lsr_way_result *way = &x->ways[i];
                double speedup = lsr_way_speedup(x, way);

                lsr_out_printf(out, "<text x=\"0\" y=\"%d\">", y + 16);
                chart_text(out, way->name);
                lsr_out_printf(out, "</text>\n<text class=\"end\" x=\"100%%\" y=\"%d\">", y + 16);
                if (!lsr_way_counts(way)) {
                        lsr_out_puts(out, way->error ? "failed" : way->differs ? "differs" : "not measured");
                } else {
                        lsr_out_printf(out, "%s%s", lsr_way_cut(x, way) ? "about " : "",
                                       lsr_figure_time(lsr_way_time(x, way, way->median.total_ns)).text);
                        if (i > 0 && speedup > 0)
                                lsr_out_printf(out, " \xc2\xb7 %s\xc3\x97", lsr_figure_speedup(speedup).text);
                        if (lsr_way_noisy(way))
                                lsr_out_puts(out, " \xc2\xb7 noisy");
                }
                lsr_out_puts(out, "</text>\n");
                if (lsr_way_counts(way))
                        chart_bar(out, x, way, y + 22, scale);
        }
        lsr_out_puts(out, "</svg>\n");
}

/* --- axes --- */

/* 1, 2 or 5 times a power of ten, so that @range has five steps at most. */
static double chart_step(double range)
{
        double power = pow(10, floor(log10(range / 5)));
        double least = range / 5 / power;

        return power * (least <= 1 ? 1 : least <= 2 ? 2 : least <= 5 ? 5 : 10);
}

static double chart_y(double share)
{
        return CHART_TOP + (1 - share) * CHART_HEIGHT;
}

/* A line across, with @text above its left end. */
static void chart_grid_y(struct lsr_out *out, double share, const char *text)
{
        lsr_out_printf(out, "<line class=\"grid\" x1=\"0\" x2=\"100%%\" y1=\"%s\" y2=\"%s\"/>\n",
                       chart_number(chart_y(share)).text, chart_number(chart_y(share)).text);
        lsr_out_printf(out, "<text class=\"tick\" x=\"0\" y=\"%s\">%s</text>\n", chart_number(chart_y(share) - 4).text,
                       text);
}

/* A mark below the plot at @percent. */
static void chart_tick_x(struct lsr_out *out, double percent, const char *text)
{
        lsr_out_printf(out, "<line class=\"grid\" x1=\"%s%%\" x2=\"%s%%\" y1=\"%d\" y2=\"%d\"/>\n",
                       chart_number(percent).text, chart_number(percent).text, CHART_TOP + CHART_HEIGHT,
                       CHART_TOP + CHART_HEIGHT + 5);
        lsr_out_printf(out, "<text class=\"tick middle\" x=\"%s%%\" y=\"%d\">%s</text>\n", chart_number(percent).text,
                       CHART_TOP + CHART_HEIGHT + 18, text);
}

static void chart_axis_x(struct lsr_out *out, const char *text)
{
        lsr_out_printf(out, "<text class=\"tick end\" x=\"100%%\" y=\"%d\">%s</text>\n", CHART_TOP + CHART_HEIGHT + 36,
                       text);
}

/* --- labels --- */

struct chart_label {
        const struct lsr_way_result *way;
        double percent; /* of the point */
        double y;       /* of the point */
        double text_y;  /* of the label's middle */
};

static int chart_label_order(const void *a, const void *b)
{
        const struct chart_label *x = a, *y = b;

        return x->y < y->y ? -1 : x->y > y->y;
}

/* Downwards to keep the distance, then upwards from the foot for what was pushed out. */
static void chart_spread(struct chart_label *labels, size_t n)
{
        double foot = CHART_TOP + CHART_HEIGHT - 4;

        qsort(labels, n, sizeof(*labels), chart_label_order);
        for (size_t i = 0; i < n; i++) {
                labels[i].text_y = labels[i].y;
                if (i > 0)
                        labels[i].text_y = fmax(labels[i].y, labels[i - 1].text_y + CHART_LABEL);
        }
        for (size_t i = n; i-- > 0;) {
                labels[i].text_y = fmin(labels[i].text_y, i + 1 < n ? labels[i + 1].text_y - CHART_LABEL : foot);
        }
}

/* Each right of its point. */
static void chart_put_labels(struct lsr_out *out, const struct lsr_experiment *x, struct chart_label *labels, size_t n)
{
        chart_spread(labels, n);
        for (size_t i = 0; i < n; i++) {
                const struct chart_label *l = &labels[i];
                const char *class = chart_class(x, l->way);

                lsr_out_printf(
                        out,
                        "<svg x=\"%s%%\" y=\"0\" overflow=\"visible\"><line class=\"line thin %s\" x1=\"5\" y1=\"%s\" "
                        "x2=\"16\" y2=\"%s\"/>",
                        chart_number(l->percent).text, class, chart_number(l->y).text, chart_number(l->text_y).text);
                lsr_out_printf(out, "<text class=\"label %s\" x=\"19\" y=\"%s\">", class,
                               chart_number(l->text_y + 4).text);
                chart_text(out, l->way->name);
                lsr_out_puts(out, "</text></svg>\n");
        }
}

/* --- when packing pays --- */

#define PAYS_LEFT 10.0  /* percent: for the ticks */
#define PAYS_WIDTH 62.0 /* the rest is for the labels of the lines */

struct pays_plot {
        double reads; /* at the right end */
        double top;   /* ns */
};

static double pays_cost(const struct lsr_experiment *x, const struct lsr_way_result *way, double reads)
{
        return (double)way->pack_ns + reads * lsr_way_time(x, way, way->median.total_ns);
}

static double pays_x(const struct pays_plot *plot, double reads)
{
        return PAYS_LEFT + reads / plot->reads * PAYS_WIDTH;
}

/* Far enough to see the lines cross, without the latest ones if they are far from the first. */
static struct pays_plot pays_scale(const struct lsr_experiment *x)
{
        uint64_t least = LSR_NEVER, most = 0;
        struct pays_plot plot;

        for (size_t i = 1; i < x->n_ways; i++) {
                uint64_t pays = lsr_way_pays_after(x, &x->ways[i]);

                if (pays > 0 && pays < least)
                        least = pays;
        }
        for (size_t i = 1; i < x->n_ways; i++) {
                uint64_t pays = lsr_way_pays_after(x, &x->ways[i]);

                if (pays > most && pays != LSR_NEVER && pays / 10 <= least)
                        most = pays;
        }
        plot.reads = fmax(4, ceil(1.5 * (double)most));
        plot.top = 1.1 * pays_cost(x, &x->ways[0], plot.reads);
        return plot;
}

static bool pays_shown(const struct lsr_experiment *x, const struct lsr_way_result *way, const struct pays_plot *plot)
{
        return way == &x->ways[0] || (lsr_way_pays_after(x, way) > 0 && pays_cost(x, way, plot->reads) <= plot->top);
}

static void pays_axes(struct lsr_out *out, const struct pays_plot *plot, bool random)
{
        double step = chart_step(plot->top), unit = step >= 1e9 ? 1e9 : step >= 1e6 ? 1e6 : step >= 1e3 ? 1e3 : 1;
        const char *name = unit == 1e9 ? "s" : unit == 1e6 ? "ms" : unit == 1e3 ? "\xc2\xb5s" : "ns";
        char text[64];

        for (unsigned i = 0; i * step <= plot->top; i++) {
                snprintf(text, sizeof(text), "%s %s", lsr_figure_whole(i * step / unit).text, name);
                chart_grid_y(out, i * step / plot->top, i > 0 ? text : "0");
        }
        step = fmax(1, chart_step(plot->reads));
        for (unsigned i = 0; i * step <= plot->reads; i++)
                chart_tick_x(out, pays_x(plot, i * step), lsr_figure_whole(i * step).text);
        chart_axis_x(out, random ? "number of such rounds" : "number of reads");
}

static void pays_line(struct lsr_out *out, const struct lsr_experiment *x, const struct lsr_way_result *way,
                      const struct pays_plot *plot)
{
        const char *class = chart_class(x, way);
        double saved = pays_cost(x, &x->ways[0], 1) - lsr_way_time(x, way, way->median.total_ns);
        double crossing = saved > 0 ? (double)way->pack_ns / saved : 0;

        lsr_out_printf(out, "<line class=\"line %s\" x1=\"%s%%\" y1=\"%s\" x2=\"%s%%\" y2=\"%s\"/>\n", class,
                       chart_number(pays_x(plot, 0)).text, chart_number(chart_y(pays_cost(x, way, 0) / plot->top)).text,
                       chart_number(pays_x(plot, plot->reads)).text,
                       chart_number(chart_y(pays_cost(x, way, plot->reads) / plot->top)).text);
        if (way != &x->ways[0] && crossing > 0 && crossing <= plot->reads)
                lsr_out_printf(out, "<circle class=\"dot %s\" cx=\"%s%%\" cy=\"%s\" r=\"4\"/>\n", class,
                               chart_number(pays_x(plot, crossing)).text,
                               chart_number(chart_y(pays_cost(x, way, crossing) / plot->top)).text);
}

/* The bundles that are outside the plot. */
static void pays_note(struct lsr_out *out, const struct lsr_experiment *x, const struct pays_plot *plot)
{
        unsigned n = 0;

        for (size_t i = 1; i < x->n_ways; i++) {
                const struct lsr_way_result *way = &x->ways[i];
                uint64_t pays = lsr_way_pays_after(x, way);

                if (pays == 0 || pays_shown(x, way, plot))
                        continue;
                lsr_out_puts(out, n++ == 0 ? "<p class=\"note\">Above the chart: " : "; ");
                chart_text(out, way->name);
                lsr_out_printf(out, " (%s to pack, pays ", lsr_figure_time((double)way->pack_ns).text);
                if (pays == LSR_NEVER)
                        lsr_out_puts(out, "never)");
                else
                        lsr_out_printf(out, "after %s)", lsr_figure_count(pays).text);
        }
        if (n > 0)
                lsr_out_puts(out, ".</p>\n");
}

void lsr_chart_pays(struct lsr_out *out, const struct lsr_experiment *x)
{
        struct chart_label *labels = lsr_xmalloc(x->n_ways * sizeof(*labels));
        struct pays_plot plot = pays_scale(x);
        size_t n = 0;

        chart_open(out, CHART_TOP + CHART_HEIGHT + CHART_FOOT, "Time to pack and read, by the number of reads");
        pays_axes(out, &plot, x->random > 0);
        for (size_t i = x->n_ways; i-- > 0;) {
                const struct lsr_way_result *way = &x->ways[i];

                if (!pays_shown(x, way, &plot))
                        continue;
                pays_line(out, x, way, &plot);
                labels[n++] = (struct chart_label){
                        .way = way,
                        .percent = PAYS_LEFT + PAYS_WIDTH,
                        .y = chart_y(pays_cost(x, way, plot.reads) / plot.top),
                };
        }
        chart_put_labels(out, x, labels, n);
        lsr_out_puts(out, "</svg>\n");
        pays_note(out, x, &plot);
        free(labels);
}
