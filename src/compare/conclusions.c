/*
 * conclusions - a sentence for each conclusion, in one order
 *
 * Each function adds one sentence or nothing.  Conclusions are stated only
 * where they hold: a difference within the noise of the runs is no difference.
 */
#include "compare/conclusions.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "compare/figures.h"

/* How a duration compares: below the first the difference is small, below the second a fraction is easy to grasp. */
#define WORDS_AS_LONG 0.05
#define WORDS_FRACTION 4.5

static void words_counted(struct lsr_out *out, uint64_t n, const char *singular)
{
        lsr_out_printf(out, "%s %s%s", lsr_figure_count(n).text, singular, n == 1 ? "" : "s");
}

static void words_begin(struct lsr_out *out)
{
        if (out->len > 0)
                lsr_out_putc(out, ' ');
}

void lsr_compare_shown(struct lsr_out *out, const char *text, enum lsr_quoting style)
{
        struct lsr_quote quote = { .style = style, .hide_control = style == LSR_QUOTE_LITERAL, .escape_bidi = true };
        struct lsr_quote_table table;

        lsr_quote_compile(&table, &quote);
        lsr_quote_put(&table, out, text, strlen(text));
}

void lsr_compare_tree(struct lsr_out *out, const struct lsr_experiment *x)
{
        words_counted(out, x->files, "file");
        if (x->members > x->files) {
                lsr_out_puts(out, ", ");
                words_counted(out, x->members - x->files, "other member");
        }
        lsr_out_printf(out, ", %s", lsr_figure_bytes(x->bytes).text);
}

void lsr_compare_reads(struct lsr_out *out, const struct lsr_experiment *x)
{
        size_t runs = 0;

        if (x->random) {
                words_counted(out, x->random, "file");
                lsr_out_puts(out, " in random order");
        } else {
                lsr_out_puts(out, "every file");
        }
        if (x->names_warm)
                lsr_out_puts(out, ", contents not cached, names and inodes cached");
        else
                lsr_out_puts(out, x->cold ? ", cold cache" : ", warm cache");
        if (x->each)
                lsr_out_puts(out, "; a bundle for each subdirectory");
        for (size_t i = 0; i < x->n_ways; i++)
                runs = x->ways[i].n_runs > runs ? x->ways[i].n_runs : runs;
        lsr_out_puts(out, "; ");
        words_counted(out, runs, "run");
        lsr_out_puts(out, runs == 1 ? " of each way" : " of each way, medians");
}

/* "1,351 tar.zst bundles", "a tar.zst bundle", "1,351 bundles (zip, stored)" */
static void words_bundles(struct lsr_out *out, const struct lsr_experiment *x, const struct lsr_way_result *way)
{
        bool phrase = strpbrk(way->name, ", (") != NULL;

        if (way->files == 1)
                lsr_out_puts(out, "a ");
        else
                lsr_out_printf(out, "%s ", lsr_figure_count(way->files).text);
        if (!phrase)
                lsr_out_printf(out, "%s ", way->name);
        lsr_out_puts(out, way->files == 1 ? "bundle" : "bundles");
        if (phrase)
                lsr_out_printf(out, " (%s)", way->name);
        if (x->bundles_warm)
                lsr_out_puts(out, " in memory");
}

/* "1/9", "44 %", "as long as", "1.4 times as long": what @way takes of the first one's time. */
static void words_share(struct lsr_out *out, const struct lsr_experiment *x, const struct lsr_way_result *way)
{
        double speedup = lsr_way_speedup(x, way), share = 1 / speedup;

        if (lsr_way_same_speed(x, way))
                lsr_out_puts(out, "about as long, as far as these runs can tell");
        else if (share > 1 - WORDS_AS_LONG && share < 1 + WORDS_AS_LONG)
                lsr_out_puts(out, "about as long");
        else if (speedup >= WORDS_FRACTION)
                lsr_out_printf(out, "1/%s of the time", lsr_figure_whole(speedup).text);
        else if (speedup > 1)
                lsr_out_printf(out, "%s %% of the time", lsr_figure_fixed(100 * share, 0).text);
        else
                lsr_out_printf(out, "%s times as long", lsr_figure_value(share).text);
}

/* "Reading 104,000 files one by one spends 83 % of its time in 312,000 syscalls" */
static void words_first(struct lsr_out *out, const struct lsr_experiment *x)
{
        const struct lsr_way_result *first = &x->ways[0];
        double share = (double)first->median.io_ns / (double)first->median.total_ns;
        uint64_t files = x->random ? first->members : x->files;

        if (x->names_warm)
                lsr_out_puts(out, "With contents dropped from the cache, but names and inodes still in it, reading ");
        else
                lsr_out_puts(out, x->cold ? "From a cold cache, reading " : "Reading ");
        words_counted(out, files, "file");
        if (files != 1)
                lsr_out_puts(out, x->random ? " in random order" : " one by one");
        lsr_out_printf(out, " takes %s", lsr_figure_time((double)first->median.total_ns).text);
        if (files > 1)
                lsr_out_printf(out, " (%s each)", lsr_figure_time((double)first->median.total_ns / (double)files).text);
        lsr_out_printf(out, ", %s %% of it in ", lsr_figure_fixed(100 * (share > 1 ? 1 : share), 0).text);
        if (first->untraced || first->n_syscalls == 0)
                lsr_out_puts(out, "opening, reading and closing");
        else
                words_counted(out, first->n_syscalls, "syscall");
}

/* "; the same bytes from 1,351 tar.zst bundles take 1/9; packing pays after 2 reads." */
static void words_best_bundle(struct lsr_out *out, const struct lsr_experiment *x)
{
        const struct lsr_way_result *best = lsr_fastest_way(x, true);
        uint64_t reads;

        if (!best) {
                lsr_out_putc(out, '.');
                return;
        }
        lsr_out_puts(out, "; the same bytes from ");
        words_bundles(out, x, best);
        lsr_out_puts(out, " take ");
        words_share(out, x, best);
        reads = lsr_way_same_speed(x, best) ? 0 : lsr_way_pays_after(x, best);
        if (reads == LSR_NEVER)
                lsr_out_puts(out, "; in time, packing never pays");
        else if (reads == 1)
                lsr_out_puts(out, x->random ? "; packing pays with the first such round"
                                            : "; packing pays with the first read");
        else if (reads > 1)
                lsr_out_printf(out, "; packing pays after %s %s", lsr_figure_count(reads).text,
                               x->random ? "such rounds" : "reads");
        lsr_out_putc(out, '.');
        if (!x->random && x->ways[0].allocated > 0)
                lsr_out_printf(out, " On disk %s %s instead of %s.", best->files == 1 ? "it takes" : "they take",
                               lsr_figure_bytes(best->allocated).text, lsr_figure_bytes(x->ways[0].allocated).text);
}

/* Files can be read in better ways than one by one. */
static void words_best_files(struct lsr_out *out, const struct lsr_experiment *x)
{
        const struct lsr_way_result *best = lsr_fastest_way(x, false);
        unsigned others = 0;

        for (size_t i = 1; i < x->n_ways; i++)
                others += !x->ways[i].format && lsr_way_counts(&x->ways[i]);
        if (others == 0)
                return;
        words_begin(out);
        if (best == &x->ways[0] || lsr_way_same_speed(x, best)) {
                lsr_out_puts(out, others == 1 ? "The other way to read the files themselves is not faster"
                                              : "No other way to read the files themselves is faster");
                lsr_out_puts(out, best == &x->ways[0] ? "." : ", as far as these runs can tell.");
                return;
        }
        lsr_out_printf(out, "Of the ways to read the files themselves, the fastest is \"%s\": it takes ", best->name);
        words_share(out, x, best);
        lsr_out_putc(out, '.');
}

/* The names of bundles that are slower than the files by more than the noise. */
static void words_slower(struct lsr_out *out, const struct lsr_experiment *x)
{
        const struct lsr_way_result *best = lsr_fastest_way(x, true);
        unsigned n = 0;

        for (size_t i = 1; i < x->n_ways; i++) {
                const struct lsr_way_result *way = &x->ways[i];

                if (!way->format || way == best || !lsr_way_counts(way) || lsr_way_same_speed(x, way) ||
                    lsr_way_speedup(x, way) > 1 - WORDS_AS_LONG)
                        continue;
                if (n++ == 0) {
                        words_begin(out);
                        lsr_out_puts(out, "Slower than the files: ");
                } else {
                        lsr_out_puts(out, "; ");
                }
                lsr_out_printf(out, "%s (%s times as long)", way->name,
                               lsr_figure_value(1 / lsr_way_speedup(x, way)).text);
        }
        if (n > 0)
                lsr_out_putc(out, '.');
}

void lsr_compare_words(struct lsr_out *out, const struct lsr_experiment *x)
{
        lsr_auto(lsr_out_free) struct lsr_out text = LSR_OUT_MEMORY;

        if (x->n_ways == 0)
                lsr_out_puts(&text, "Nothing was measured.");
        else if (x->files == 0)
                lsr_out_puts(&text, "There is no file to read: nothing to compare.");
        else if (!lsr_way_counts(&x->ways[0]))
                lsr_out_printf(&text, "There is no result of \"%s\" to compare the other ways with.", x->ways[0].name);
        else {
                words_first(&text, x);
                words_best_bundle(&text, x);
                words_best_files(&text, x);
                words_slower(&text, x);
        }
        lsr_out_put(out, text.buf, text.len);
}

/* --- advice ---------------------------------------------------------------------------- */

/* The bundles that take the least space, or NULL. */
static const struct lsr_way_result *advice_smallest(const struct lsr_experiment *x)
{
        const struct lsr_way_result *best = NULL;

        for (size_t i = 1; i < x->n_ways; i++) {
                const struct lsr_way_result *way = &x->ways[i];

                if (way->format && lsr_way_counts(way) && (!best || way->allocated < best->allocated))
                        best = way;
        }
        return best;
}

/* "Read all of it again and again: zip, stored, 7.5 times as fast as the files; packing pays after 2 reads." */
static void advice_fastest(struct lsr_out *out, const struct lsr_experiment *x)
{
        const struct lsr_way_result *best = lsr_fastest_way(x, true);
        uint64_t pays;

        if (!best || lsr_way_same_speed(x, best) || lsr_way_speedup(x, best) < 1 + WORDS_AS_LONG) {
                lsr_out_puts(out, "To read it: leave the files as they are. No bundle of them was read faster here.\n");
                return;
        }
        pays = lsr_way_pays_after(x, best);
        lsr_out_printf(out, "To %s, again and again: %s, %s times as fast as the files",
                       x->random ? "read single files" : "read all of it", best->name,
                       lsr_figure_speedup(lsr_way_speedup(x, best)).text);
        if (pays != LSR_NEVER)
                lsr_out_printf(out, "; packing pays after %s read%s", lsr_figure_count(pays).text,
                               pays == 1 ? "" : "s");
        lsr_out_puts(out, ".\n");
}

/* "To store or send it: tar.zst, 184 MB on disk instead of 1.3 GB; it is read 1.2 times as fast as the files." */
static void advice_stored(struct lsr_out *out, const struct lsr_experiment *x)
{
        const struct lsr_way_result *best = advice_smallest(x);

        if (!best || x->ways[0].allocated == 0)
                return;
        if (best->allocated >= x->ways[0].allocated) {
                lsr_out_puts(out, "To store or send it: no bundle is smaller than the files.\n");
                return;
        }
        lsr_out_printf(out, "To store or send it: %s, %s on disk instead of %s", best->name,
                       lsr_figure_bytes(best->allocated).text, lsr_figure_bytes(x->ways[0].allocated).text);
        if (lsr_way_speedup(x, best) > 0 && !lsr_way_same_speed(x, best)) {
                double speedup = lsr_way_speedup(x, best);

                if (speedup >= 1)
                        lsr_out_printf(out, "; it is read %s times as fast as the files",
                                       lsr_figure_value(speedup).text);
                else
                        lsr_out_printf(out, "; reading it takes %s times as long as reading the files",
                                       lsr_figure_value(1 / speedup).text);
        }
        lsr_out_puts(out, ".\n");
}

/* Where the files must stay what they are. */
static void advice_files(struct lsr_out *out, const struct lsr_experiment *x)
{
        const struct lsr_way_result *best = lsr_fastest_way(x, false);

        if (!best || best == &x->ways[0] || lsr_way_same_speed(x, best))
                return;
        lsr_out_printf(
                out,
                "Where the files must stay files: a program that reads them as \"%s\" does takes %s %% of the time.\n",
                best->name, lsr_figure_fixed(100 / lsr_way_speedup(x, best), 0).text);
}

void lsr_compare_advice(struct lsr_out *out, const struct lsr_experiment *x)
{
        if (x->n_ways == 0 || x->files == 0 || !lsr_way_counts(&x->ways[0]))
                return;
        advice_fastest(out, x);
        advice_stored(out, x);
        advice_files(out, x);
        if (!x->random)
                lsr_out_puts(out,
                             "To read single files of it: measure that with --random=1000. A tar without a table of "
                             "contents is read from its start for each of them; a zip, a sqlar and the .tar.zst "
                             "of --pack are not.\n");
        if (!x->cold)
                lsr_out_puts(out, "These times are those of a warm cache. From a disk, files cost more: measure that "
                                  "with --cold.\n");
}

/* --- problems ---------------------------------------------------------------------------- */

static void words_seen(struct lsr_out *out, const struct lsr_way_result *way)
{
        words_counted(out, way->members, "member");
        lsr_out_printf(out, ", %s, digest %016" PRIx64, lsr_figure_bytes(way->bytes).text, way->digest);
}

static void words_differs(struct lsr_out *out, const struct lsr_experiment *x, const struct lsr_way_result *way)
{
        if (way->changed) {
                lsr_out_printf(out, "%s did not see the same bytes in each run", way->name);
        } else {
                lsr_out_printf(out, "%s did not see the same bytes: ", way->name);
                words_seen(out, way);
                if (!lsr_way_cut(x, way)) {
                        lsr_out_puts(out, " instead of ");
                        words_seen(out, &x->ways[0]);
                }
        }
        lsr_out_puts(out, "; its times are ignored\n");
}

/* Ways whose runs say little.  Returns the number of lines. */
static unsigned words_noisy(struct lsr_out *out, const struct lsr_experiment *x)
{
        unsigned n = 0;

        for (size_t i = 0; i < x->n_ways; i++)
                if (lsr_way_noisy(&x->ways[i]))
                        lsr_out_printf(out, "%s%s", n++ > 0 ? "; " : "", x->ways[i].name);
        if (n == 0)
                return 0;
        lsr_out_puts(out, ": the runs differ by more than half of their median; the machine is busy: run it again\n");
        return 1;
}

unsigned lsr_compare_troubles(struct lsr_out *out, const struct lsr_experiment *x)
{
        unsigned n = words_noisy(out, x);
        bool differs = false;

        for (size_t i = 0; i < x->n_ways; i++) {
                const struct lsr_way_result *way = &x->ways[i];

                if (way->error) {
                        lsr_out_printf(out, "%s failed: ", way->name);
                        lsr_compare_shown(out, way->error, LSR_QUOTE_LITERAL);
                        lsr_out_putc(out, '\n');
                        n++;
                        continue;
                }
                if (way->differs) {
                        words_differs(out, x, way);
                        n++;
                        differs = true;
                }
        }
        if (differs) {
                lsr_out_puts(out, "a tree must not change while it is compared; if it did not, this is a bug\n");
                n++;
        }
        for (size_t i = 0; i < x->n_ways; i++) {
                const struct lsr_way_result *way = &x->ways[i];

                if (!lsr_way_counts(way) || !lsr_way_cut(x, way))
                        continue;
                lsr_out_printf(out, "%s read ", way->name);
                words_counted(out, way->members, "file");
                lsr_out_printf(out, " instead of %s: its speed-up is that of each file\n",
                               lsr_figure_count(x->ways[0].members).text);
                n++;
        }
        for (size_t i = 0; i < x->n_ways; i++) {
                const struct lsr_way_result *way = &x->ways[i];
                bool told = false;

                for (size_t j = 0; j < i && !told; j++)
                        told = !x->ways[j].error && x->ways[j].untraced && way->untraced &&
                               strcmp(x->ways[j].untraced, way->untraced) == 0;
                if (way->error || !way->untraced || told)
                        continue;
                lsr_out_puts(out, "syscalls not counted: ");
                lsr_compare_shown(out, way->untraced, LSR_QUOTE_LITERAL);
                lsr_out_putc(out, '\n');
                n++;
        }
        return n;
}
