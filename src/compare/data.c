/*
 * data - every figure as it was measured, with its unit in its name
 *
 * Names stay as they are; what is unknown is null in JSON and empty in CSV.
 */
#include "compare/data.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "compare/figures.h"
#include "compare/conclusions.h"

static void data_key(struct lsr_out *out, const char *key)
{
        char last = out->len > 0 ? out->buf[out->len - 1] : '\0';

        if (last && last != '{' && last != '[')
                lsr_out_putc(out, ',');
        lsr_out_printf(out, "\"%s\":", key);
}

static void data_string(struct lsr_out *out, const char *key, const char *text)
{
        data_key(out, key);
        if (text) {
                lsr_out_putc(out, '"');
                lsr_json_text(out, text, strlen(text));
                lsr_out_putc(out, '"');
        } else {
                lsr_out_puts(out, "null");
        }
}

static void data_number(struct lsr_out *out, const char *key, uint64_t n)
{
        data_key(out, key);
        lsr_out_printf(out, "%" PRIu64, n);
}

/* Null if it is not @known. */
static void data_maybe(struct lsr_out *out, const char *key, bool known, uint64_t n)
{
        if (known)
                data_number(out, key, n);
        else
                data_string(out, key, NULL);
}

static void data_bool(struct lsr_out *out, const char *key, bool value)
{
        data_key(out, key);
        lsr_out_puts(out, value ? "true" : "false");
}

/* The fields of a run, in the order of both forms. */
static const struct {
        const char *name;
        size_t offset;
} data_costs[] = {
        { "io_ns", offsetof(struct lsr_cost, io_ns) },
        { "decode_ns", offsetof(struct lsr_cost, decode_ns) },
        { "total_ns", offsetof(struct lsr_cost, total_ns) },
        { "user_ns", offsetof(struct lsr_cost, user_ns) },
        { "system_ns", offsetof(struct lsr_cost, system_ns) },
        { "peak_bytes", offsetof(struct lsr_cost, peak_bytes) },
        { "device_bytes", offsetof(struct lsr_cost, device_bytes) },
        { "ring_ops", offsetof(struct lsr_cost, ring_ops) },
        { "ring_enters", offsetof(struct lsr_cost, ring_enters) },
};
#define DATA_COSTS (sizeof(data_costs) / sizeof(*data_costs))

static uint64_t data_cost(const struct lsr_cost *cost, size_t i)
{
        uint64_t value;

        memcpy(&value, (const char *)cost + data_costs[i].offset, sizeof(value));
        return value;
}

static void data_put_cost(struct lsr_out *out, const struct lsr_cost *cost)
{
        lsr_out_putc(out, '{');
        for (size_t i = 0; i < DATA_COSTS; i++)
                data_number(out, data_costs[i].name, data_cost(cost, i));
        lsr_out_putc(out, '}');
}

static void data_put_runs(struct lsr_out *out, const struct lsr_way_result *way)
{
        bool measured = way->n_runs > 0;

        data_maybe(out, "total_min_ns", measured, way->total_min);
        data_maybe(out, "total_max_ns", measured, way->total_max);
        data_key(out, "median");
        if (measured)
                data_put_cost(out, &way->median);
        else
                lsr_out_puts(out, "null");
        data_key(out, "runs");
        lsr_out_putc(out, '[');
        for (size_t i = 0; i < way->n_runs; i++) {
                lsr_out_puts(out, i > 0 ? ",\n  " : "\n  ");
                data_put_cost(out, &way->runs[i]);
        }
        lsr_out_putc(out, ']');
}

static void data_put_calls(struct lsr_out *out, const struct lsr_way_result *way)
{
        bool traced = !way->error && !way->untraced;

        data_maybe(out, "syscalls", traced, way->n_syscalls);
        data_string(out, "untraced", way->untraced);
        data_key(out, "calls");
        if (!traced) {
                lsr_out_puts(out, "null");
                return;
        }
        lsr_out_putc(out, '{');
        for (size_t i = 0; i < way->n_calls; i++)
                data_number(out, way->calls[i].name, way->calls[i].n);
        lsr_out_putc(out, '}');
}

/* Of five digits or more, however small it is. */
static struct lsr_figure data_ratio(double ratio)
{
        return lsr_figure_fixed(ratio, ratio >= 1 ? 4 : 12);
}

static void data_put_way(struct lsr_out *out, const struct lsr_experiment *x, const struct lsr_way_result *way)
{
        double speedup = lsr_way_speedup(x, way);
        uint64_t pays = lsr_way_pays_after(x, way);

        lsr_out_puts(out, "{");
        data_string(out, "name", way->name);
        data_string(out, "format", way->format);
        data_string(out, "error", way->error);
        data_number(out, "files", way->files);
        data_number(out, "apparent_bytes", way->apparent);
        data_number(out, "allocated_bytes", way->allocated);
        data_maybe(out, "pack_ns", way->format, way->pack_ns);
        data_key(out, "digest");
        if (way->error)
                lsr_out_puts(out, "null");
        else
                lsr_out_printf(out, "\"%016" PRIx64 "\"", way->digest);
        data_maybe(out, "members", !way->error, way->members);
        data_maybe(out, "content_bytes", !way->error, way->bytes);
        data_bool(out, "differs", way->differs);
        data_key(out, "speedup");
        lsr_out_puts(out, speedup > 0 ? data_ratio(speedup).text : "null");
        data_maybe(out, "pays_after_reads", pays > 0 && pays != LSR_NEVER, pays);
        data_put_calls(out, way);
        data_put_runs(out, way);
        lsr_out_putc(out, '}');
}

void lsr_report_json(struct lsr_out *out, const struct lsr_experiment *x)
{
        /* Commas look at what is before them, which a flush would take away. */
        lsr_auto(lsr_out_free) struct lsr_out doc = LSR_OUT_MEMORY, words = LSR_OUT_MEMORY;

        lsr_compare_words(&words, x);
        lsr_out_putc(&words, '\0');
        lsr_out_putc(&doc, '{');
        data_string(&doc, "dir", x->dir);
        data_number(&doc, "members", x->members);
        data_number(&doc, "files", x->files);
        data_number(&doc, "content_bytes", x->bytes);
        data_bool(&doc, "cold", x->cold);
        data_maybe(&doc, "random", x->random > 0, x->random);
        data_bool(&doc, "each", x->each);
        data_key(&doc, "facts");
        lsr_out_putc(&doc, '{');
        for (size_t i = 0; i < x->n_facts; i++)
                data_string(&doc, x->facts[i].name, x->facts[i].value);
        lsr_out_putc(&doc, '}');
        data_key(&doc, "ways");
        lsr_out_putc(&doc, '[');
        for (size_t i = 0; i < x->n_ways; i++) {
                lsr_out_puts(&doc, i > 0 ? ",\n " : "\n ");
                data_put_way(&doc, x, &x->ways[i]);
        }
        lsr_out_putc(&doc, ']');
        data_string(&doc, "words", words.buf);
        lsr_out_puts(&doc, "}\n");
        lsr_out_put(out, doc.buf, doc.len);
}

/* Quoted where it must be (RFC 4180). */
static void data_field(struct lsr_out *out, const char *text)
{
        if (!text)
                return;
        if (!strpbrk(text, ",\"\r\n")) {
                lsr_out_puts(out, text);
                return;
        }
        lsr_out_putc(out, '"');
        for (; *text; text++) {
                if (*text == '"')
                        lsr_out_putc(out, '"');
                lsr_out_putc(out, *text);
        }
        lsr_out_putc(out, '"');
}

static void data_next(struct lsr_out *out, bool known, uint64_t n)
{
        lsr_out_putc(out, ',');
        if (known)
                lsr_out_printf(out, "%" PRIu64, n);
}

static void data_row(struct lsr_out *out, const struct lsr_experiment *x, const struct lsr_way_result *way)
{
        double speedup = lsr_way_speedup(x, way);
        uint64_t pays = lsr_way_pays_after(x, way);
        bool measured = way->n_runs > 0;

        data_field(out, way->name);
        lsr_out_putc(out, ',');
        data_field(out, way->format);
        data_next(out, true, way->files);
        data_next(out, true, way->apparent);
        data_next(out, true, way->allocated);
        data_next(out, !way->error && !way->untraced, way->n_syscalls);
        data_next(out, true, way->n_runs);
        for (size_t i = 0; i < DATA_COSTS; i++)
                data_next(out, measured, data_cost(&way->median, i));
        data_next(out, measured, way->total_min);
        data_next(out, measured, way->total_max);
        data_next(out, way->format, way->pack_ns);
        lsr_out_printf(out, ",%s", speedup > 0 ? data_ratio(speedup).text : "");
        data_next(out, pays > 0 && pays != LSR_NEVER, pays);
        data_next(out, !way->error, way->members);
        data_next(out, !way->error, way->bytes);
        lsr_out_putc(out, ',');
        if (!way->error)
                lsr_out_printf(out, "%016" PRIx64, way->digest);
        lsr_out_printf(out, ",%s,", way->differs ? "true" : "false");
        data_field(out, way->error);
        lsr_out_puts(out, "\r\n");
}

void lsr_report_csv(struct lsr_out *out, const struct lsr_experiment *x)
{
        lsr_out_puts(out, "way,format,files,apparent_bytes,allocated_bytes,syscalls,runs");
        for (size_t i = 0; i < DATA_COSTS; i++)
                lsr_out_printf(out, ",%s", data_costs[i].name);
        lsr_out_puts(out, ",total_min_ns,total_max_ns,pack_ns,speedup,pays_after_reads,members,content_bytes,digest,"
                          "differs,error\r\n");
        for (size_t i = 0; i < x->n_ways; i++)
                data_row(out, x, &x->ways[i]);
}
