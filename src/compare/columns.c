/* columns - the cells; "-" means not measured or undefined */
#include "compare/columns.h"

#include "compare/figures.h"

/* Times of a way that failed or saw other bytes are no results. */
static void column_ms(struct lsr_out *out, const struct lsr_way_result *way, uint64_t ns)
{
        lsr_out_puts(out, lsr_way_counts(way) ? lsr_figure_value((double)ns / 1e6).text : "-");
}

static void column_way(struct lsr_out *out, const struct lsr_experiment *x, const struct lsr_way_result *way)
{
        lsr_out_puts(out, way->name);
}

/* Only then the ways may differ in it. */
static bool column_read_wanted(const struct lsr_experiment *x, const struct lsr_way_result *way)
{
        return lsr_way_cut(x, way);
}

static void column_read(struct lsr_out *out, const struct lsr_experiment *x, const struct lsr_way_result *way)
{
        lsr_out_puts(out, lsr_way_counts(way) ? lsr_figure_count(way->members).text : "-");
}

static void column_files(struct lsr_out *out, const struct lsr_experiment *x, const struct lsr_way_result *way)
{
        lsr_out_puts(out, way->error ? "-" : lsr_figure_count(way->files).text);
}

static void column_disk(struct lsr_out *out, const struct lsr_experiment *x, const struct lsr_way_result *way)
{
        lsr_out_puts(out, way->error ? "-" : lsr_figure_bytes(way->allocated).text);
}

static void column_syscalls(struct lsr_out *out, const struct lsr_experiment *x, const struct lsr_way_result *way)
{
        if (way->error)
                lsr_out_puts(out, "-");
        else
                lsr_out_puts(out, way->untraced ? "not counted" : lsr_figure_count(way->n_syscalls).text);
}

static void column_ring(struct lsr_out *out, const struct lsr_experiment *x, const struct lsr_way_result *way)
{
        lsr_out_puts(out, lsr_way_counts(way) ? lsr_figure_count(way->median.ring_ops).text : "-");
}

static void column_io(struct lsr_out *out, const struct lsr_experiment *x, const struct lsr_way_result *way)
{
        column_ms(out, way, way->median.io_ns);
}

/* Files are read as they are. */
static void column_decode(struct lsr_out *out, const struct lsr_experiment *x, const struct lsr_way_result *way)
{
        if (way->format || way->median.decode_ns > 0)
                column_ms(out, way, way->median.decode_ns);
        else
                lsr_out_putc(out, '-');
}

static void column_total(struct lsr_out *out, const struct lsr_experiment *x, const struct lsr_way_result *way)
{
        column_ms(out, way, way->median.total_ns);
}

static void column_range(struct lsr_out *out, const struct lsr_experiment *x, const struct lsr_way_result *way)
{
        column_ms(out, way, way->total_min);
        if (lsr_way_counts(way) && way->n_runs > 1) {
                lsr_out_putc(out, '-');
                column_ms(out, way, way->total_max);
        }
}

static void column_cpu(struct lsr_out *out, const struct lsr_experiment *x, const struct lsr_way_result *way)
{
        column_ms(out, way, way->median.user_ns + way->median.system_ns);
}

static void column_peak(struct lsr_out *out, const struct lsr_experiment *x, const struct lsr_way_result *way)
{
        lsr_out_puts(out,
                     lsr_way_counts(way) ? lsr_figure_value((double)way->median.peak_bytes / (1 << 20)).text : "-");
}

static bool column_device_wanted(const struct lsr_experiment *x, const struct lsr_way_result *way)
{
        return way->median.device_bytes > 0;
}

static void column_device(struct lsr_out *out, const struct lsr_experiment *x, const struct lsr_way_result *way)
{
        lsr_out_puts(out, lsr_way_counts(way) ? lsr_figure_bytes(way->median.device_bytes).text : "-");
}

static void column_pack(struct lsr_out *out, const struct lsr_experiment *x, const struct lsr_way_result *way)
{
        lsr_out_puts(out, way->format && way->pack_ns > 0 ? lsr_figure_value((double)way->pack_ns / 1e9).text : "-");
}

static void column_pays(struct lsr_out *out, const struct lsr_experiment *x, const struct lsr_way_result *way)
{
        uint64_t reads = lsr_way_pays_after(x, way);

        if (reads == LSR_NEVER)
                lsr_out_puts(out, "never");
        else
                lsr_out_puts(out, reads ? lsr_figure_count(reads).text : "-");
}

static void column_speedup(struct lsr_out *out, const struct lsr_experiment *x, const struct lsr_way_result *way)
{
        double speedup = lsr_way_speedup(x, way);

        if (way->error)
                lsr_out_puts(out, "failed");
        else if (way->differs)
                lsr_out_puts(out, "differs");
        else
                lsr_out_puts(out, speedup > 0 ? lsr_figure_speedup(speedup).text : "-");
}

const struct lsr_compare_column lsr_compare_columns[] = {
        { "way", "", .left = true, .put = column_way },
        { "files", "", .put = column_files },
        { "on disk", "", .put = column_disk },
        { "read", "files", .wanted = column_read_wanted, .put = column_read },
        { "syscalls", "", .put = column_syscalls },
        { "ring ops", "", .detail = true, .put = column_ring },
        { "I/O", "ms", .put = column_io },
        { "decode", "ms", .put = column_decode },
        { "total", "ms", .put = column_total },
        { "min-max", "ms", .detail = true, .put = column_range },
        { "CPU", "ms", .detail = true, .put = column_cpu },
        { "peak", "MiB", .detail = true, .put = column_peak },
        { "device", "read", .detail = true, .wanted = column_device_wanted, .put = column_device },
        { "pack", "s", .detail = true, .put = column_pack },
        { "pays after", "reads", .detail = true, .put = column_pays },
        { "speed-up", "", .put = column_speedup },
};

const unsigned lsr_compare_n_columns = sizeof(lsr_compare_columns) / sizeof(*lsr_compare_columns);

bool lsr_compare_column_wanted(const struct lsr_compare_column *column, const struct lsr_experiment *x)
{
        if (!column->wanted)
                return true;
        for (size_t i = 0; i < x->n_ways; i++)
                if (column->wanted(x, &x->ways[i]))
                        return true;
        return false;
}
