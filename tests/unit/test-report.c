/* Reports of known figures. */
#include <criterion/criterion.h>
#include <string.h>

#include "compare/figures.h"
#include "compare/report.h"
#include "compare/conclusions.h"
#include "experiment.h"

/* --- figures --- */

Test(report, figures)
{
        static const struct {
                double value;
                const char *text;
        } values[] = {
                { 0, "0" },         { 0.0004, "0.000" },   { 0.0123, "0.012" },      { 0.9994, "0.999" },
                { 0.9996, "1.00" }, { 1.234, "1.23" },     { 9.994, "9.99" },        { 9.996, "10.0" },
                { 12.34, "12.3" },  { 99.94, "99.9" },     { 99.96, "100" },         { 999.4, "999" },
                { 999.6, "1,000" }, { 104000, "104,000" }, { 1234567, "1,234,567" },
        };

        for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
                cr_assert_str_eq(lsr_figure_value(values[i].value).text, values[i].text, "%g: %s", values[i].value,
                                 lsr_figure_value(values[i].value).text);
        cr_assert_str_eq(lsr_figure_count(0).text, "0");
        cr_assert_str_eq(lsr_figure_count(UINT64_MAX).text, "18,446,744,073,709,551,615");
        cr_assert_str_eq(lsr_figure_whole(1e300).text, "10,000,000,000,000,000,000");
        cr_assert_str_eq(lsr_figure_fixed(-0.25, 2).text, "-0.25");
        cr_assert_str_eq(lsr_figure_fixed(-0.001, 2).text, "0.00");
        cr_assert_str_eq(lsr_figure_speedup(0.754).text, "0.75");
        cr_assert_str_eq(lsr_figure_speedup(0.996).text, "1.00");
        cr_assert_str_eq(lsr_figure_speedup(0.0996).text, "0.10");
        cr_assert_str_eq(lsr_figure_speedup(0.048).text, "1/21");
        cr_assert_str_eq(lsr_figure_speedup(1 / 10525.0).text, "1/10,525");
        cr_assert_str_eq(lsr_figure_speedup(42.85).text, "42.9");
}

Test(report, units)
{
        cr_assert_str_eq(lsr_figure_bytes(0).text, "0 bytes");
        cr_assert_str_eq(lsr_figure_bytes(1).text, "1 byte");
        cr_assert_str_eq(lsr_figure_bytes(999).text, "999 bytes");
        cr_assert_str_eq(lsr_figure_bytes(1000).text, "1.00 kB");
        cr_assert_str_eq(lsr_figure_bytes(999499).text, "999 kB");
        cr_assert_str_eq(lsr_figure_bytes(999600).text, "1.00 MB");
        cr_assert_str_eq(lsr_figure_bytes(1130000000).text, "1.13 GB");
        cr_assert_str_eq(lsr_figure_bytes(UINT64_MAX).text, "18.4 EB");
        cr_assert_str_eq(lsr_figure_time(12).text, "12.0 ns");
        cr_assert_str_eq(lsr_figure_time(999.6).text, "1.00 us");
        cr_assert_str_eq(lsr_figure_time(14500).text, "14.5 us");
        cr_assert_str_eq(lsr_figure_time(1.506e9).text, "1.51 s");
}

/* --- medians --- */

static void summary_check(const uint64_t *totals, size_t n, uint64_t median, uint64_t min, uint64_t max)
{
        struct lsr_cost runs[8] = { 0 };
        struct lsr_way_result way = { .runs = runs, .n_runs = n };

        for (size_t i = 0; i < n; i++) {
                runs[i].total_ns = totals[i];
                runs[i].ring_enters = 7;
        }
        lsr_way_summarize(&way);
        cr_assert_eq(way.median.total_ns, median);
        cr_assert_eq(way.total_min, min);
        cr_assert_eq(way.total_max, max);
        cr_assert_eq(way.median.ring_enters, n > 0 ? 7 : 0);
}

Test(report, medians)
{
        summary_check(NULL, 0, 0, 0, 0);
        summary_check((uint64_t[]){ 5 }, 1, 5, 5, 5);
        summary_check((uint64_t[]){ 9, 4 }, 2, 6, 4, 9);
        summary_check((uint64_t[]){ 30, 10, 20 }, 3, 20, 10, 30);
        summary_check((uint64_t[]){ 400, 100, 300, 200 }, 4, 250, 100, 400);
        summary_check((uint64_t[]){ UINT64_MAX, UINT64_MAX - 2 }, 2, UINT64_MAX - 1, UINT64_MAX - 2, UINT64_MAX);
}

/* Every field has a median of its own. */
Test(report, medians_by_field)
{
        struct lsr_cost runs[3];
        uint64_t *cells = (uint64_t *)runs, *median;
        size_t fields = sizeof(*runs) / sizeof(uint64_t);
        struct lsr_way_result way = { .runs = runs, .n_runs = 3 };

        for (size_t r = 0; r < 3; r++)
                for (size_t f = 0; f < fields; f++)
                        cells[r * fields + f] = 100 * f + (r + f) % 3;
        lsr_way_summarize(&way);
        median = (uint64_t *)&way.median;
        for (size_t f = 0; f < fields; f++)
                cr_assert_eq(median[f], 100 * f + 1, "field %zu", f);
}

Test(report, free)
{
        struct lsr_experiment x = experiment_make();

        x.ways[1].error = experiment_text("gone");
        lsr_experiment_free(&x);
        cr_assert_null(x.ways);
        lsr_experiment_free(&x);
        lsr_experiment_free(NULL);
}

/* --- table --- */

Test(report, table)
{
        struct lsr_experiment x = report_small(2, 25000, 150000);

        experiment_fact(&x, "kernel", "6.18.44");
        cr_assert_str_eq(report_of(&x, LSR_REPORT_TABLE, 0),
                         "tree    d: 10 files, 2 other members, 4.00 kB\n"
                         "read    every file, warm cache; 3 runs of each way, medians\n"
                         "kernel  6.18.44\n"
                         "\n"
                         "way          files  on disk  syscalls  ring ops   I/O  decode  total    min-max "
                         "  CPU  peak   pack  pays after  speed-up\n"
                         "                                                   ms      ms     ms         ms "
                         "   ms   MiB      s       reads\n"
                         "files, sync     10  41.0 kB        42         0  90.0       -    100    100-100 "
                         " 90.0  5.00      -           -      1.00\n"
                         "tar              1  10.2 kB        15         0  1.00   0.010   25.0  25.0-25.0 "
                         " 22.5  5.00  0.150           2      4.00\n"
                         "\n"
                         "Reading 10 files one by one takes 100 ms (10.0 ms each), 90 % of it in 42 syscalls; the same "
                         "bytes from a tar bundle take 25 % of the time; packing pays after 2 reads. On disk it takes "
                         "10.2 kB instead of 41.0 kB.\n");
        lsr_experiment_free(&x);
}

/* Columns end where their headings end, no line ends in blanks, and none is wider than the terminal. */
Test(report, table_widths)
{
        static const size_t widths[] = { 0, 200, 100, 80 };
        struct lsr_experiment x = experiment_make();

        experiment_fact(&x, "mount",
                        "a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g h i j k l m n "
                        "o p q r s t u v w x y z a b c d e f g h i j k l m n o p q r s t u v w x y z");
        for (size_t w = 0; w < 4; w++) {
                const char *text = report_of(&x, LSR_REPORT_TABLE, widths[w]);
                size_t total = 0, parts = 0;

                for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
                        size_t len = (size_t)(strchr(line, '\n') - line);
                        const char *heading = memmem(line, len, "total", 5);

                        cr_assert(len == 0 || line[len - 1] != ' ');
                        cr_assert(widths[w] == 0 || len <= widths[w], "%zu of %zu", len, widths[w]);
                        if (strncmp(line, "way ", 4) == 0) {
                                parts++;
                                total = heading ? (size_t)(heading - line) + 5 : 0;
                        } else if (strncmp(line, "tar.zst ", 8) == 0 && total) {
                                cr_assert_eq(strncmp(line + total - 5, "  167", 5), 0);
                        } else if (strncmp(line, "files, mmap ", 12) == 0 && total) {
                                cr_assert_eq(strncmp(line + total - 5, "1,990", 5), 0);
                        }
                }
                cr_assert_eq(parts, widths[w] == 0 || widths[w] == 200 ? 1 : 2);
        }
        lsr_experiment_free(&x);
}

Test(report, device_only_if_read)
{
        struct lsr_experiment x = report_small(2, 25000, 1);

        report_lacks(report_of(&x, LSR_REPORT_TABLE, 0), "device");
        x.ways[1].median.device_bytes = 12345;
        report_has(report_of(&x, LSR_REPORT_TABLE, 0), "device");
        report_has(report_of(&x, LSR_REPORT_TABLE, 0), "12.3 kB");
        lsr_experiment_free(&x);
}

Test(report, names_do_not_act)
{
        struct lsr_experiment x = report_small(2, 25000, 1);
        const char *text;

        x.dir = "a\033[2J\nb";
        experiment_fact(&x, "mount", "/x\033[31m\ny");
        x.ways[1].error = experiment_text("bad\033 thing\n");
        text = report_of(&x, LSR_REPORT_TABLE, 0);
        report_lacks(text, "\033");
        report_has(text, "'a'$'\\033''[2J'$'\\n''b'");
        report_has(text, "/x?[31m?y");
        report_has(text, "tar failed: bad? thing?\n");
        lsr_experiment_free(&x);
}

/* --- words --- */

static void words_check(struct lsr_experiment x, const char *part)
{
        struct lsr_out out;

        lsr_out_init(&out, -1);
        lsr_compare_words(&out, &x);
        report_has(report_text(&out), part);
        lsr_experiment_free(&x);
}

Test(report, words_full)
{
        words_check(experiment_make(),
                    "Reading 104,000 files one by one takes 1.51 s (14.5 us each), 83 % of it in 312,012 syscalls; the "
                    "same bytes from 1,351 tar.zst bundles take 1/9 of the time; packing pays after 2 reads. On disk "
                    "they take 212 MB instead of 1.34 GB. Of the ways to read the files themselves, the fastest is "
                    "\"files, threads\": it takes 65 % of the time. Slower than the files: tar.gz (1.36 times as "
                    "long); zip, deflate (1.25 times as long); sqlar (1.39 times as long).");
}

Test(report, words_of_one_bundle)
{
        words_check(report_small(1, 0, 0), "90 % of it in 42 syscalls.");
        words_check(report_small(2, 1000, 1000),
                    "from a tar bundle take 1/100 of the time; packing pays with the first "
                    "read. On disk it takes");
        words_check(report_small(2, 25000, 75001), "; packing pays after 2 reads.");
        words_check(report_small(2, 25000, 75000), "; packing pays with the first read.");
        words_check(report_small(2, 10, 100000000), "take 1/10,000 of the time; packing pays after 1,001 reads.");
        words_check(report_small(2, 20000, 0), "take 1/5 of the time. On disk");
        words_check(report_small(2, 98000, 100), "take about as long");
        words_check(report_small(2, 102000, 100), "take about as long; in time, packing never pays.");
        words_check(report_small(2, 140000, 100), "take 1.40 times as long; in time, packing never pays.");
        words_check(report_small(2, 5000000, 100), "take 50.0 times as long; in time, packing never pays.");
        words_check(report_small(2, 25000, 0), "take 25 % of the time. On disk");
}

/* Medians differ by a tenth, but so do the runs. */
Test(report, words_of_noise)
{
        struct lsr_experiment x = report_small(2, 90000, 1000000);

        x.ways[1].runs[0].total_ns = 120000000;
        lsr_way_summarize(&x.ways[1]);
        words_check(x, "take about as long, as far as these runs can tell. On disk");
        words_check(report_small(2, 90000, 1000000), "take 90 % of the time; packing pays after 100 reads.");
}

Test(report, words_of_conditions)
{
        struct lsr_experiment x = report_small(2, 25000, 150000);

        x.cold = true;
        x.ways[0].untraced = "not allowed";
        words_check(
                x, "From a cold cache, reading 10 files one by one takes 100 ms (10.0 ms each), 90 % of it in opening, "
                   "reading and closing; the same bytes from a tar bundle take 25 %");

        x = report_small(2, 25000, 150000);
        x.cold = x.names_warm = true;
        words_check(x, "With contents dropped from the cache, but names and inodes still in it, reading 10 files one "
                       "by one takes 100 ms (10.0 ms each), 90 % of it in 42 syscalls; the same bytes from");

        x = report_small(2, 4000000, 150000);
        x.random = x.ways[0].members = x.ways[1].members = 4;
        words_check(x,
                    "Reading 4 files in random order takes 100 ms (25.0 ms each), 90 % of it in 42 syscalls; the same "
                    "bytes from a tar bundle take 40.0 times as long; in time, packing never pays.");
        x = report_small(2, 25000, 150000);
        x.random = x.ways[0].members = x.ways[1].members = 4;
        words_check(x, "; packing pays after 2 such rounds.");

        x = report_small(2, 25000, 150000);
        x.files = 1;
        words_check(x, "Reading 1 file takes 100 ms, 90 % of it");
        x = report_small(2, 25000, 150000);
        x.ways[0].n_syscalls = 1;
        words_check(x, "in 1 syscall;");
        x = report_small(2, 25000, 150000);
        x.ways[0].median.io_ns *= 2;
        words_check(x, ", 100 % of it");
        x = report_small(2, 25000, 150000);
        x.ways[1].name = "zip, stored";
        words_check(x, "from a bundle (zip, stored) take");
        x = report_small(2, 25000, 150000);
        x.ways[1].name = "zip, stored";
        x.ways[1].files = 7;
        words_check(x, "from 7 bundles (zip, stored) take 25 % of the time; packing pays after 2 reads. On disk they");
}

Test(report, words_of_other_ways_to_read)
{
        struct lsr_experiment x = report_small(1, 0, 0);

        experiment_way(&x, "files, mmap", NULL, 10, 40960, 1, 0, 130000, 0);
        words_check(x, ". The other way to read the files themselves is not faster.");
        x = report_small(1, 0, 0);
        experiment_way(&x, "files, mmap", NULL, 10, 40960, 1, 0, 130000, 0);
        experiment_way(&x, "files, threads", NULL, 10, 40960, 1, 0, 99500, 0);
        words_check(x, ". No other way to read the files themselves is faster, as far as these runs can tell.");
        x = report_small(1, 0, 0);
        experiment_way(&x, "files, threads", NULL, 10, 40960, 1, 0, 10000, 0);
        words_check(x, "the fastest is \"files, threads\": it takes 1/10 of the time.");
}

Test(report, words_of_nothing)
{
        struct lsr_experiment x = { .dir = "d" };

        words_check(x, "Nothing was measured.");
        x = report_small(2, 25000, 1);
        x.files = 0;
        words_check(x, "There is no file to read: nothing to compare.");
        x = report_small(2, 25000, 1);
        x.ways[0].error = experiment_text("no");
        words_check(x, "There is no result of \"files, sync\" to compare the other ways with.");
        x = report_small(2, 25000, 1);
        x.ways[1].differs = true;
        words_check(x, "90 % of it in 42 syscalls.");
}

static void advice_check(struct lsr_experiment x, const char *text)
{
        struct lsr_out out;

        lsr_out_init(&out, -1);
        lsr_compare_advice(&out, &x);
        if (*text)
                cr_assert_str_eq(report_text(&out), text);
        else
                cr_assert_eq(out.len, 0);
        lsr_experiment_free(&x);
}

#define ADVICE_OF_SINGLE                                                                                               \
        "To read single files of it: measure that with --random=1000. A tar without a table of contents is read from " \
        "its start for each of them; a zip, a sqlar and the .tar.zst of --pack are not.\n"
#define ADVICE_OF_DISKS \
        "These times are those of a warm cache. From a disk, files cost more: measure that with --cold.\n"

Test(report, advice)
{
        struct lsr_experiment x = report_small(2, 25000, 150000);

        x.cold = true;
        advice_check(x,
                     "To read all of it, again and again: tar, 4.00 times as fast as the files; packing pays after 2 "
                     "reads.\nTo store or send it: tar, 10.2 kB on disk instead of 41.0 kB; it is read 4.00 times as "
                     "fast as the files.\n" ADVICE_OF_SINGLE);
        x = report_small(2, 200000, 150000);
        x.ways[1].allocated = x.ways[0].allocated;
        advice_check(x, "To read it: leave the files as they are. No bundle of them was read faster here.\nTo store or "
                        "send it: no bundle is smaller than the files.\n" ADVICE_OF_SINGLE ADVICE_OF_DISKS);
        x = report_small(1, 0, 0);
        x.random = 4;
        x.cold = true;
        experiment_way(&x, "files, threads", NULL, 10, 40960, 1, 0, 50000, 0);
        advice_check(x, "To read it: leave the files as they are. No bundle of them was read faster here.\nWhere the "
                        "files must stay files: a program that reads them as \"files, threads\" does takes 50 % of the "
                        "time.\n");
        x = report_small(2, 25000, 150000);
        x.ways[0].error = experiment_text("no");
        advice_check(x, "");
}

/* One run far from the others says that the machine was busy. */
Test(report, noise)
{
        struct lsr_experiment x = report_small(2, 25000, 150000);
        struct lsr_out out;

        cr_assert(!lsr_way_noisy(&x.ways[1]));
        x.ways[1].runs[2].total_ns *= 2;
        lsr_way_summarize(&x.ways[1]);
        cr_assert(lsr_way_noisy(&x.ways[1]));
        lsr_out_init(&out, -1);
        cr_assert_eq(lsr_compare_troubles(&out, &x), 1);
        cr_assert_str_eq(report_text(&out),
                         "tar: the runs differ by more than half of their median; the machine is busy: run it again\n");
        x.ways[1].error = experiment_text("no");
        cr_assert(!lsr_way_noisy(&x.ways[1]));
        lsr_experiment_free(&x);
}

Test(report, troubles)
{
        struct lsr_experiment x = experiment_make();
        const char *text;

        x.ways[3].error = experiment_text("No space left on device");
        x.ways[6].differs = true;
        x.ways[6].digest++;
        x.ways[6].bytes = 1120000000;
        x.ways[2].differs = x.ways[2].changed = true;
        for (size_t i = 0; i < x.n_ways; i++)
                x.ways[i].untraced = i < 5 ? "ptrace: Operation not permitted" : "killed";
        text = report_of(&x, LSR_REPORT_TABLE, 0);
        report_has(text,
                   "\n\nfiles, threads did not see the same bytes in each run; its times are ignored\n"
                   "files, io_uring failed: No space left on device\n"
                   "tar.zst did not see the same bytes: 105,351 members, 1.12 GB, digest 000000001234abce instead "
                   "of 105,351 members, 1.13 GB, digest 000000001234abcd; its times are ignored\n"
                   "a tree must not change while it is compared; if it did not, this is a bug\n"
                   "syscalls not counted: ptrace: Operation not permitted\n"
                   "syscalls not counted: killed\n\nReading ");
        report_has(text, "1.34 GB  not counted ");
        report_has(text, "differs\n");
        report_has(text, "failed\n");
        /* The next best one. */
        report_has(text, "from 1,351 tar bundles take 28 %");
        report_lacks(text, "167");
        lsr_experiment_free(&x);
}

/* A way that had no time for all of --random is as slow as each of its reads is. */
Test(report, random_cut)
{
        struct lsr_experiment x = report_small(2, 50000, 150000);
        const char *text;

        x.random = x.ways[0].members = 1000;
        x.ways[1].members = 5;
        text = report_of(&x, LSR_REPORT_TABLE, 0);
        report_has(text, "files, sync     10  41.0 kB  1,000 ");
        report_has(text, "tar              1  10.2 kB      5 ");
        report_has(text,
                   "\n\ntar read 5 files instead of 1,000: its speed-up is that of each file\n\nReading 1,000 files in "
                   "random order takes 100 ms (100 us each)");
        report_has(text, "take 100 times as long; in time, packing never pays.");
        report_has(text, "never     1/100\n");
        report_has(report_of(&x, LSR_REPORT_JSON, 0), "\"speedup\":0.010000000000,\"pays_after_reads\":null,");
        x.ways[1].members = 1000;
        text = report_of(&x, LSR_REPORT_TABLE, 0);
        report_lacks(text, "instead of");
        report_has(text, "3      2.00\n");
        lsr_experiment_free(&x);
}

/* --- JSON and CSV --- */

Test(report, json)
{
        struct lsr_experiment x = report_small(2, 25000, 150000);
        const char *text;

        x.dir = "a\"b\\\n\xff";
        x.ways[1].error = experiment_text("can't");
        x.ways[0].runs[1].ring_ops = 77;
        experiment_fact(&x, "kernel", "6.18");
        experiment_fact(&x, "cpu", "a \"b\"");
        text = report_of(&x, LSR_REPORT_JSON, 20);
        report_has(text,
                   "{\"dir\":\"a\\\"b\\\\\\u000a\xef\xbf\xbd\",\"members\":12,\"files\":10,\"content_bytes\":4000,"
                   "\"cold\":false,\"random\":null,\"each\":false,\"facts\":{\"kernel\":\"6.18\",\"cpu\":\"a "
                   "\\\"b\\\"\"},\"ways\":[\n {\"name\":\"files, sync\",\"format\":null,\"error\":null,");
        report_has(text, "\"digest\":\"000000001234abcd\",\"members\":12,\"content_bytes\":4000,\"differs\":false,"
                         "\"speedup\":1.0000,\"pays_after_reads\":null,\"syscalls\":42,\"untraced\":null,"
                         "\"calls\":{\"read\":20,\"openat\":22},\"total_min_ns\":100000000,\"total_max_ns\":100000000,"
                         "\"median\":{\"io_ns\":90000000,\"decode_ns\":0,\"total_ns\":100000000,");
        report_has(text, "\"ring_ops\":77,");
        report_has(text, "{\"name\":\"tar\",\"format\":\"tar\",\"error\":\"can't\",");
        report_has(text, "\"digest\":null,\"members\":null,\"content_bytes\":null,\"differs\":false,\"speedup\":null,"
                         "\"pays_after_reads\":null,\"syscalls\":null,\"untraced\":null,\"calls\":null,");
        cr_assert_eq(text[strlen(text) - 2], '}');
        lsr_experiment_free(&x);
}

Test(report, json_of_nothing)
{
        struct lsr_experiment x = { .dir = "" };

        cr_assert_str_eq(report_of(&x, LSR_REPORT_JSON, 0),
                         "{\"dir\":\"\",\"members\":0,\"files\":0,\"content_bytes\":0,\"cold\":false,\"random\":null,"
                         "\"each\":false,\"facts\":{},\"ways\":[],\"words\":\"Nothing was measured.\"}\n");
}

Test(report, csv)
{
        struct lsr_experiment x = report_small(2, 25000, 150000);
        const char *text;
        unsigned columns = 0, commas = 0, rows = 0;
        bool quoted = false;

        x.ways[1].error = experiment_text("a \"b\", c\nd");
        text = report_of(&x, LSR_REPORT_CSV, 0);
        report_has(text, "way,format,files,apparent_bytes,allocated_bytes,syscalls,runs,io_ns,");
        report_has(text, "\r\n\"files, sync\",,10,36864,40960,42,3,90000000,0,100000000,");
        report_has(text, ",false,\"a \"\"b\"\", c\nd\"\r\n");
        strcpy(x.ways[1].error, "\"b\"");
        report_has(report_of(&x, LSR_REPORT_CSV, 0), ",false,\"\"\"b\"\"\"\r\n");
        strcpy(x.ways[1].error, "a b");
        report_has(report_of(&x, LSR_REPORT_CSV, 0), ",false,a b\r\n");
        strcpy(x.ways[1].error, "a \"b\", c\nd");
        text = report_of(&x, LSR_REPORT_CSV, 0);
        for (; *text; text++) {
                quoted ^= *text == '"';
                commas += !quoted && *text == ',';
                if (quoted || *text != '\n')
                        continue;
                columns = rows++ == 0 ? commas : columns;
                cr_assert_eq(commas, columns, "row %u", rows);
                cr_assert_eq(text[-1], '\r');
                commas = 0;
        }
        cr_assert_eq(rows, 3);
        lsr_experiment_free(&x);
}
