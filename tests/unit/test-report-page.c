/* The page: its elements close, and its pictures stay on it, whatever the figures are. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/report.h"
#include "experiment.h"

static const char *report_page(const struct lsr_experiment *x)
{
        struct lsr_out out;

        lsr_out_init(&out, -1);
        lsr_report_html(&out, x);
        return report_text(&out);
}

/* Every element that is opened is closed, in order; what stands alone is known. */
static void page_check_elements(const char *text)
{
        static const char *const alone[] = { "!DOCTYPE", "meta" };
        char open[64][16];
        size_t depth = 0;

        for (const char *p = strchr(text, '<'); p; p = strchr(p, '<')) {
                const char *end = strchr(p, '>');
                char name[16];
                bool single = false;

                cr_assert(end && sscanf(p, "<%15[!/a-zA-Z0-9]", name) == 1, "%.40s", p);
                for (size_t i = 0; i < 2; i++)
                        single |= strcmp(name, alone[i]) == 0;
                if (name[0] == '/') {
                        cr_assert(depth > 0 && strcmp(open[depth - 1], name + 1) == 0, "%s closes %s", name,
                                  depth > 0 ? open[depth - 1] : "nothing");
                        depth--;
                } else if (!single && end[-1] != '/') {
                        cr_assert_lt(depth, 64);
                        strcpy(open[depth++], name);
                }
                p = end;
        }
        cr_assert_eq(depth, 0);
}

/* All figures in attributes of pictures are numbers, and lie on the page. */
static void page_check_places(const char *text)
{
        for (const char *p = strstr(text, "%\""); p; p = strstr(p + 1, "%\"")) {
                const char *start = p;
                double value;

                while (start[-1] != '"')
                        start--;
                value = strtod(start, NULL);
                cr_assert(value >= 0 && value <= 100.005, "%.20s", start);
        }
        report_lacks(text, "\"nan");
        report_lacks(text, "\"-nan");
        report_lacks(text, "inf");
}

static const char *page_check(const struct lsr_experiment *x)
{
        const char *text = report_page(x);

        page_check_elements(text);
        page_check_places(text);
        report_lacks(text, "<script");
        report_lacks(text, "href");
        report_lacks(text, "src=");
        return text;
}

Test(report_page, full)
{
        struct lsr_experiment x = experiment_make();
        const char *text = page_check(&x);

        report_has(text, "/srv/packages: 104,000 files");
        report_has(text, "take 1/9 of the time; packing pays after 2 reads.");
        report_has(text, "<title>I/O: 16.5 ms</title>");
        report_has(text, "Above the chart: tar.gz (29.0 s to pack, pays never); zip, deflate");
        report_has(text, "<dt>kernel</dt><dd>6.18.44</dd>");
        report_has(text, "<dd>read 208,000, openat 104,012</dd>");
        report_has(text, "<td>9.02</td></tr>");
        report_lacks(text, "both at once");
        lsr_experiment_free(&x);
}

Test(report_page, escapes)
{
        struct lsr_experiment x = experiment_make();
        const char *text;

        x.dir = "<script>alert(1)</script>&\"'";
        experiment_fact(&x, "<b>", "</dd><script>");
        x.ways[4].error = experiment_text("<img onerror=x>");
        x.ways[5].name = "\"<i>\"";
        x.ways[6].untraced = "<u>";
        text = page_check(&x);
        report_has(text, "&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;");
        report_has(text, "&lt;img onerror=x&gt;");
        report_lacks(text, "<i>\"");
        report_lacks(text, "<img");
        report_lacks(text, "<u>");
        report_lacks(text, "<b>");
        lsr_experiment_free(&x);
}

/* Decoding beside I/O: what is both is drawn as both. */
Test(report_page, overlap)
{
        struct lsr_experiment x = report_small(2, 100000, 100);

        /* The medians of the parts may be of other runs. */
        x.ways[1].runs[0] = (struct lsr_cost){ .io_ns = 1, .decode_ns = 1, .total_ns = 50000000 };
        x.ways[1].runs[1] = (struct lsr_cost){ .io_ns = 60000000, .decode_ns = 70000000, .total_ns = 100000000 };
        x.ways[1].runs[2] = (struct lsr_cost){ .io_ns = 2, .decode_ns = 2, .total_ns = 150000000 };
        lsr_way_summarize(&x.ways[1]);
        report_has(
                page_check(&x),
                "<rect class=\"io\" x=\"0.00%\" y=\"70\" width=\"20.00%\" height=\"16\"><title>I/O: 30.0 ms</title></rect>\n"
                "<rect class=\"both\" x=\"20.00%\" y=\"70\" width=\"20.00%\" height=\"16\"><title>I/O and decoding at "
                "once: 30.0 ms</title></rect>\n"
                "<rect class=\"decode\" x=\"40.00%\" y=\"70\" width=\"26.67%\" height=\"16\"><title>decoding: 40.0 "
                "ms</title></rect>\n");
        lsr_experiment_free(&x);
}

/* Any figures at all. */
Test(report_page, of_extremes)
{
        static const uint64_t values[] = { 0, 1, 999, 1000000, UINT64_C(3600000000000), UINT64_MAX / 1000000 };
        enum { N = sizeof(values) / sizeof(*values) };

        for (unsigned i = 0; i < N * N * N * N; i++) {
                struct lsr_experiment x = report_small(2, values[i % N], values[i / N % N]);

                report_set(&x, 0, values[i / N / N % N], values[i / N / N / N], 0);
                x.ways[1].apparent = values[i / N % N];
                x.ways[1].files = values[i / N / N % N];
                x.random = i % 3 == 0 ? values[i % N] : 0;
                page_check(&x);
                page_check_places(report_of(&x, LSR_REPORT_TABLE, 80));
                report_lacks(report_of(&x, LSR_REPORT_JSON, 0), "nan");
                lsr_experiment_free(&x);
        }
}

Test(report_page, of_little)
{
        struct lsr_experiment x = { .dir = "d" };

        page_check(&x);
        report_of(&x, LSR_REPORT_TABLE, 80);
        x = report_small(2, 25000, 100);
        x.files = 0;
        report_lacks(page_check(&x), "<svg");
        x.files = 10;
        x.ways[0].differs = x.ways[1].differs = true;
        report_lacks(page_check(&x), "<svg");
        x.ways[1].differs = false;
        report_has(page_check(&x), "<svg");
        lsr_experiment_free(&x);
}

/* A way that had no time for all of --random, and is a hundred times as slow. */
Test(report_page, random_cut)
{
        struct lsr_experiment x = report_small(2, 50000, 150000);
        const char *text;

        x.random = x.ways[0].members = 1000;
        x.ways[1].members = 5;
        text = page_check(&x);
        report_has(text, "about 10.0 s");
        report_has(text, ">more ");
        report_lacks(text, "When packing pays");
        lsr_experiment_free(&x);
}

Test(report_page, full_disk)
{
        struct lsr_experiment x = experiment_make();
        struct lsr_out out;

        lsr_out_init(&out, 12345);
        for (int i = 0; i < 200; i++)
                lsr_report_html(&out, &x);
        cr_assert_lt(lsr_out_flush(&out), 0);
        lsr_out_free(&out);
        lsr_experiment_free(&x);
}
