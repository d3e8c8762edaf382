/*
 * html - the page
 *
 * The page is complete and has no script: it looks the same in a mail, on a
 * telephone and in ten years.  Its content security policy forbids scripts, so
 * no name in it can become one.
 */
#include <string.h>

#include "base/cleanup.h"
#include "compare/charts.h"
#include "compare/columns.h"
#include "compare/figures.h"
#include "compare/report.h"
#include "compare/conclusions.h"

static const char html_style[] =
        ":root{color-scheme:light dark;--paper:#fff;--ink:#1c1e21;--soft:#5c636b;--hair:#dde1e6;--track:#f4f5f7;"
        "--io:#2f6fdb;--decode:#e08a1e;--rest:#b9c0c9;--bad:#b3261e;"
        "--c0:#8250df;--c1:#bf3989;--c2:#1a7f37;--c3:#0b7a8f;--c4:#a35200;--c5:#cf222e;--c6:#4d6b00;--c7:#5b5bd6}\n"
        "@media(prefers-color-scheme:dark){:root{--paper:#14171a;--ink:#e8eaed;--soft:#9aa3ad;--hair:#333a41;"
        "--track:#1c2024;--io:#5f97f5;--decode:#f0a94a;--rest:#59626c;--bad:#ff8a80;"
        "--c0:#b794ff;--c1:#f28cc6;--c2:#56d364;--c3:#4cc6dd;--c4:#f0a25a;--c5:#ff8182;--c6:#b5d13b;--c7:#9d9dff}}\n"
        "*{box-sizing:border-box}\n"
        "body{margin:0 auto;max-width:64rem;padding:1.5rem 1rem 3rem;background:var(--paper);color:var(--ink);"
        "font:16px/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,\"Noto Sans\",sans-serif}\n"
        "h1{font-size:1.7rem;line-height:1.2;margin:0}\n"
        "h2{font-size:1.15rem;margin:2.4rem 0 .3rem}\n"
        "p{margin:.4rem 0;max-width:50rem}\n"
        ".tree{color:var(--soft);overflow-wrap:anywhere}\n"
        ".words{font-size:1.1rem;margin:1.1rem 0}\n"
        ".note,.key,footer{color:var(--soft);font-size:.88rem}\n"
        ".bad{border-left:4px solid var(--bad);padding:.2rem .8rem;margin:1rem 0;overflow-wrap:anywhere}\n"
        ".key span{display:inline-block;margin-right:1.1rem}\n"
        ".key i{display:inline-block;width:.9em;height:.9em;margin-right:.35em;vertical-align:-.1em;border-radius:2px}\n"
        "svg{display:block;overflow:visible;margin-top:.5rem}\n"
        "svg text{fill:var(--ink);font-size:14px;font-family:inherit}\n"
        "svg .end{text-anchor:end}svg .middle{text-anchor:middle}\n"
        "svg .tick{fill:var(--soft);font-size:12px}\n"
        "svg .label{font-size:13px;fill:var(--c);paint-order:stroke;stroke:var(--paper);stroke-width:3px}\n"
        ".io{fill:var(--io);background:var(--io)}.decode{fill:var(--decode);background:var(--decode)}"
        ".rest{fill:var(--rest);background:var(--rest)}\n"
        ".both{fill:url(#both);background:repeating-linear-gradient(45deg,var(--io) 0 3px,var(--decode) 3px 6px)}\n"
        "svg .more{fill:var(--paper);font-size:12px}\n"
        ".whisker{stroke:var(--ink);stroke-width:1.5}\n"
        ".grid{stroke:var(--hair)}\n"
        ".line{stroke:var(--c);stroke-width:2}.thin{stroke-width:1;opacity:.6}\n"
        ".dot{fill:var(--c);stroke:var(--paper);stroke-width:1.5}\n"
        ".first{--c:var(--ink)}.files{--c:var(--soft)}\n"
        ".c0{--c:var(--c0)}.c1{--c:var(--c1)}.c2{--c:var(--c2)}.c3{--c:var(--c3)}"
        ".c4{--c:var(--c4)}.c5{--c:var(--c5)}.c6{--c:var(--c6)}.c7{--c:var(--c7)}\n"
        /* A bar that is always there, and shadows where the table goes on. */
        ".scroll{overflow-x:auto;background:linear-gradient(90deg,var(--paper),var(--paper)) 0 0/1rem 100% local,"
        "linear-gradient(90deg,var(--paper),var(--paper)) 100% 0/1rem 100% local,"
        "linear-gradient(90deg,var(--rest),transparent) 0 0/.8rem 100%,"
        "linear-gradient(270deg,var(--rest),transparent) 100% 0/.8rem 100%;background-repeat:no-repeat}\n"
        ".scroll::-webkit-scrollbar{height:10px}.scroll::-webkit-scrollbar-track{background:var(--track)}"
        ".scroll::-webkit-scrollbar-thumb{background:var(--rest);border-radius:5px}\n"
        ".wide{display:none}\n"
        "table{border-collapse:collapse;font-size:.82rem;font-variant-numeric:tabular-nums;width:100%}\n"
        "th,td{padding:.35rem .4rem;text-align:right;white-space:nowrap;border-bottom:1px solid var(--hair)}\n"
        "th{vertical-align:bottom;font-weight:600}th small{display:block;font-weight:400;color:var(--soft)}\n"
        ".left{text-align:left;position:sticky;left:0;background:var(--paper)}\n"
        "dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1.2rem;font-size:.92rem;margin:.5rem 0}\n"
        "dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}\n"
        "@media(max-width:62rem){.wide{display:block}}\n"
        "@media print{@page{size:A4;margin:12mm}body{max-width:none;padding:0;font-size:10pt}.wide{display:none}"
        "h2{break-after:avoid}svg,tr,li{break-inside:avoid}.scroll{overflow:visible;background:none}"
        "table{font-size:6.6pt}th,td{padding:.2em .25em;white-space:normal}.left{position:static;min-width:6em}}\n"
        "@media(max-width:32rem){dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.5rem}}\n"
        "summary{cursor:pointer}\n";

static void html_text(struct lsr_out *out, const struct lsr_out *text)
{
        lsr_html_text(out, text->buf, text->len);
}

/* A name or a value, which may contain any bytes. */
static void html_shown(struct lsr_out *out, const char *text, enum lsr_quoting style)
{
        lsr_auto(lsr_out_free) struct lsr_out shown = LSR_OUT_MEMORY;

        lsr_compare_shown(&shown, text, style);
        html_text(out, &shown);
}

static void html_head(struct lsr_out *out, const struct lsr_experiment *x)
{
        lsr_out_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
                          "'unsafe-inline'\">\n"
                          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>Reading ");
        html_shown(out, x->dir, LSR_QUOTE_SHELL_ESCAPE);
        lsr_out_printf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", html_style);
}

static void html_conclusions(struct lsr_out *out, const struct lsr_experiment *x)
{
        lsr_auto(lsr_out_free) struct lsr_out text = LSR_OUT_MEMORY;

        lsr_out_puts(out, "<h1>What do small files cost?</h1>\n<p class=\"tree\">");
        html_shown(out, x->dir, LSR_QUOTE_SHELL_ESCAPE);
        lsr_compare_tree(&text, x);
        lsr_out_puts(&text, "; ");
        lsr_compare_reads(&text, x);
        lsr_out_puts(out, ": ");
        html_text(out, &text);
        text.len = 0;
        lsr_compare_words(&text, x);
        lsr_out_puts(out, "</p>\n<p class=\"words\">");
        html_text(out, &text);
        lsr_out_puts(out, "</p>\n");
        text.len = 0;
        if (lsr_compare_troubles(&text, x) > 0) {
                lsr_out_puts(out, "<div class=\"bad\">\n");
                for (size_t i = 0, end; i < text.len; i = end + 1) {
                        end = i + (size_t)((char *)memchr(text.buf + i, '\n', text.len - i) - (text.buf + i));
                        lsr_out_puts(out, "<p>");
                        lsr_html_text(out, text.buf + i, end - i);
                        lsr_out_puts(out, "</p>\n");
                }
                lsr_out_puts(out, "</div>\n");
        }
}

static void html_charts(struct lsr_out *out, const struct lsr_experiment *x)
{
        const struct lsr_way_result *bundle = lsr_fastest_way(x, true);
        bool both = false;

        for (size_t i = 0; i < x->n_ways; i++) {
                const struct lsr_cost *run = lsr_way_typical(&x->ways[i]);

                both |= run->decode_ns > 0 && run->io_ns + run->decode_ns > run->total_ns;
        }
        lsr_out_printf(out,
                       "<h2>Where the time goes</h2>\n<p class=\"key\">"
                       "<span><i class=\"io\"></i>I/O: open, read, close</span>"
                       "<span><i class=\"decode\"></i>decoding</span>%s"
                       "<span><i class=\"rest\"></i>the rest, mostly the digest</span>"
                       "<span>thin line: fastest to slowest run</span></p>\n",
                       both ? "<span><i class=\"both\"></i>both at once</span>" : "");
        lsr_chart_times(out, x);
        if (bundle && lsr_way_pays_after(x, bundle) > 0 && lsr_way_pays_after(x, bundle) != LSR_NEVER) {
                lsr_out_puts(out, "<h2>When packing pays</h2>\n<p class=\"note\">Time to pack once and then read, "
                                  "against reading files. A dot is where a bundle has paid.</p>\n");
                lsr_chart_pays(out, x);
        }
}

static void html_table(struct lsr_out *out, const struct lsr_experiment *x)
{
        lsr_auto(lsr_out_free) struct lsr_out cell = LSR_OUT_MEMORY;

        lsr_out_puts(out,
                     "<h2>All figures</h2>\n<p class=\"note wide\">The table is wider than the page: it scrolls to the "
                     "right.</p>\n<div class=\"scroll\"><table>\n<thead><tr>");
        for (unsigned c = 0; c < lsr_compare_n_columns; c++) {
                const struct lsr_compare_column *column = &lsr_compare_columns[c];

                if (lsr_compare_column_wanted(column, x))
                        lsr_out_printf(out, "<th%s>%s<small>%s</small></th>", column->left ? " class=\"left\"" : "",
                                       column->title, column->unit);
        }
        lsr_out_puts(out, "</tr></thead>\n<tbody>\n");
        for (size_t i = 0; i < x->n_ways; i++) {
                lsr_out_puts(out, "<tr>");
                for (unsigned c = 0; c < lsr_compare_n_columns; c++) {
                        const struct lsr_compare_column *column = &lsr_compare_columns[c];

                        if (!lsr_compare_column_wanted(column, x))
                                continue;
                        cell.len = 0;
                        column->put(&cell, x, &x->ways[i]);
                        lsr_out_printf(out, "<td%s>", column->left ? " class=\"left\"" : "");
                        html_text(out, &cell);
                        lsr_out_puts(out, "</td>");
                }
                lsr_out_puts(out, "</tr>\n");
        }
        lsr_out_puts(out, "</tbody></table></div>\n<p class=\"note\">Times are medians of runs; MiB are of resident "
                          "memory; other sizes are in powers of 1000.</p>\n");
}

static void html_calls(struct lsr_out *out, const struct lsr_experiment *x)
{
        lsr_out_puts(out, "<details><summary>System calls by name</summary>\n<dl>\n");
        for (size_t i = 0; i < x->n_ways; i++) {
                const struct lsr_way_result *way = &x->ways[i];

                if (way->error || way->untraced)
                        continue;
                lsr_out_puts(out, "<dt>");
                lsr_html_text(out, way->name, strlen(way->name));
                lsr_out_puts(out, "</dt><dd>");
                for (size_t c = 0; c < way->n_calls; c++)
                        lsr_out_printf(out, "%s%s %s", c > 0 ? ", " : "", way->calls[c].name,
                                       lsr_figure_count(way->calls[c].n).text);
                lsr_out_puts(out, "</dd>\n");
        }
        lsr_out_puts(out, "</dl></details>\n");
}

/* One item for each line. */
static void html_advice(struct lsr_out *out, const struct lsr_experiment *x)
{
        lsr_auto(lsr_out_free) struct lsr_out text = LSR_OUT_MEMORY;

        lsr_compare_advice(&text, x);
        if (text.len == 0)
                return;
        lsr_out_puts(out, "<h2>What to do</h2>\n<ul>\n");
        for (size_t i = 0, end; i < text.len; i = end + 1) {
                end = i + (size_t)((char *)memchr(text.buf + i, '\n', text.len - i) - (text.buf + i));
                lsr_out_puts(out, "<li>");
                lsr_html_text(out, text.buf + i, end - i);
                lsr_out_puts(out, "</li>\n");
        }
        lsr_out_puts(out, "</ul>\n");
}

static void html_facts(struct lsr_out *out, const struct lsr_experiment *x)
{
        lsr_out_puts(out, "<h2>On record</h2>\n<dl>\n");
        for (size_t i = 0; i < x->n_facts; i++) {
                lsr_out_puts(out, "<dt>");
                html_shown(out, x->facts[i].name, LSR_QUOTE_LITERAL);
                lsr_out_puts(out, "</dt><dd>");
                html_shown(out, x->facts[i].value, LSR_QUOTE_LITERAL);
                lsr_out_puts(out, "</dd>\n");
        }
        lsr_out_puts(out, "</dl>\n");
}

void lsr_report_html(struct lsr_out *out, const struct lsr_experiment *x)
{
        html_head(out, x);
        html_conclusions(out, x);
        if (x->n_ways > 0 && x->files > 0 && (lsr_fastest_way(x, false) || lsr_fastest_way(x, true)))
                html_charts(out, x);
        if (x->n_ways > 0) {
                html_table(out, x);
                html_calls(out, x);
        }
        html_facts(out, x);
        html_advice(out, x);
        lsr_out_puts(out, "</body>\n</html>\n");
}
