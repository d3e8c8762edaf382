/* experiment - experiments whose figures are known, and what is looked for in reports of them */
#pragma once

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "compare/report.h"
#include "compare/result.h"

#define EXPERIMENT_RUNS 3

static inline char *experiment_text(const char *text)
{
        return lsr_xstrdup(text);
}

static inline void experiment_fact(struct lsr_experiment *x, const char *name, const char *value)
{
        x->facts = lsr_xrealloc(x->facts, (x->n_facts + 1) * sizeof(*x->facts));
        x->facts[x->n_facts++] = (struct lsr_fact){ name, experiment_text(value) };
}

/* Times in microseconds; the runs are two percent below and above. */
static inline struct lsr_way_result *experiment_way(struct lsr_experiment *x, const char *name, const char *format,
                                                    uint64_t files, uint64_t disk, uint64_t io, uint64_t decode,
                                                    uint64_t total, uint64_t pack)
{
        struct lsr_way_result *way;

        x->ways = lsr_xrealloc(x->ways, (x->n_ways + 1) * sizeof(*x->ways));
        way = &x->ways[x->n_ways++];
        *way = (struct lsr_way_result){
                .name = name,
                .format = format,
                .files = files,
                .apparent = disk - disk / 10,
                .allocated = disk,
                .pack_ns = pack * 1000,
                .n_runs = EXPERIMENT_RUNS,
                .digest = 0x1234abcd,
                .members = x->members,
                .bytes = x->bytes,
                .n_calls = 2,
                .n_syscalls = 3 * files + 12,
        };
        way->runs = lsr_xmalloc(EXPERIMENT_RUNS * sizeof(*way->runs));
        for (uint64_t i = 0; i < EXPERIMENT_RUNS; i++)
                way->runs[i] = (struct lsr_cost){
                        .io_ns = io * (980 + 20 * i),
                        .decode_ns = decode * (980 + 20 * i),
                        .total_ns = total * (980 + 20 * i),
                        .user_ns = total * 300,
                        .system_ns = total * 600,
                        .peak_bytes = 5 << 20,
                };
        way->calls = lsr_xmalloc(2 * sizeof(*way->calls));
        way->calls[0] = (struct lsr_call_count){ "read", files * 2 };
        way->calls[1] = (struct lsr_call_count){ "openat", files + 12 };
        lsr_way_summarize(way);
        return way;
}

/* Four ways to read files, six bundles. */
static inline struct lsr_experiment experiment_make(void)
{
        struct lsr_experiment x = {
                .dir = "/srv/packages", .members = 105351, .files = 104000, .bytes = 1130000000, .each = true
        };

        experiment_fact(&x, "machine", "AMD EPYC, 2 CPUs usable of 2, 24 GiB");
        experiment_fact(&x, "kernel", "6.18.44");
        experiment_fact(&x, "file system", "ext4 on /srv, rw,relatime");
        experiment_fact(&x, "null syscall", "123 ns");
        experiment_fact(&x, "mitigations",
                        "spectre_v2: Enhanced IBRS; retbleed: untrained return thunk; l1tf: not "
                        "affected; meltdown: not affected");
        experiment_way(&x, "files, sync", NULL, 104000, 1340000000, 1250000, 0, 1506000, 0);
        experiment_way(&x, "files, mmap", NULL, 104000, 1340000000, 1750000, 0, 1990000, 0);
        experiment_way(&x, "files, threads", NULL, 104000, 1340000000, 1350000, 0, 980000, 0);
        experiment_way(&x, "files, io_uring", NULL, 104000, 1340000000, 700000, 0, 1100000, 0)->median.ring_ops =
                312000;
        experiment_way(&x, "tar", "tar", 1351, 1210000000, 110000, 33000, 420000, 2100000);
        experiment_way(&x, "tar.gz", "tar.gz", 1351, 280000000, 21000, 1750000, 2050000, 29000000);
        experiment_way(&x, "tar.zst", "tar.zst", 1351, 212000000, 16500, 120000, 167000, 2600000);
        experiment_way(&x, "zip, stored", "zip", 1351, 1220000000, 150000, 45000, 500000, 2300000);
        experiment_way(&x, "zip, deflate", "zip", 1351, 301000000, 31000, 1600000, 1890000, 28000000);
        experiment_way(&x, "sqlar", "sqlar", 1351, 310000000, 95000, 1700000, 2100000, 31000000);
        return x;
}

/* What was put, as a string that is valid until the next one. */
static inline const char *report_text(struct lsr_out *out)
{
        static char *text;

        free(text);
        text = strndup(out->buf, out->len);
        lsr_out_free(out);
        return text;
}

static inline const char *report_of(const struct lsr_experiment *x, enum lsr_report_form form, size_t width)
{
        struct lsr_out out;

        lsr_out_init(&out, -1);
        lsr_report(&out, x, form, width);
        return report_text(&out);
}

static inline void report_has(const char *text, const char *part)
{
        cr_assert_not_null(strstr(text, part), "\"%s\" is not in:\n%s", part, text);
}

static inline void report_lacks(const char *text, const char *part)
{
        cr_assert_null(strstr(text, part), "\"%s\" is in:\n%s", part, text);
}

/* Times of the bundle or way @i, in microseconds; its runs are all the same. */
static inline void report_set(struct lsr_experiment *x, size_t i, uint64_t io, uint64_t total, uint64_t pack)
{
        struct lsr_way_result *way = &x->ways[i];

        for (size_t r = 0; r < way->n_runs; r++) {
                way->runs[r].io_ns = io * 1000;
                way->runs[r].total_ns = total * 1000;
        }
        way->pack_ns = pack * 1000;
        lsr_way_summarize(way);
}

/* Ways: files one by one in 100 ms, and if there are two, a tar in the time given. */
static inline struct lsr_experiment report_small(unsigned n_ways, uint64_t total, uint64_t pack)
{
        struct lsr_experiment x = { .dir = "d", .members = 12, .files = 10, .bytes = 4000 };

        experiment_way(&x, "files, sync", NULL, 10, 40960, 90000, 0, 100000, 0);
        if (n_ways > 1)
                experiment_way(&x, "tar", "tar", 1, 10240, 1000, 10, total, pack);
        for (unsigned i = 0; i < n_ways; i++)
                report_set(&x, i, i == 0 ? 90000 : 1000, i == 0 ? 100000 : total, i == 0 ? 0 : pack);
        return x;
}
