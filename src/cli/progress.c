/* progress - see the header */
#include "cli/progress.h"

#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/out.h"
#include "cli/message.h"
#include "formats/format.h"

#define PROGRESS_FIRST_NS UINT64_C(1000000000)
#define PROGRESS_EVERY_NS UINT64_C(100000000)

void lsr_progress_begin(struct lsr_progress *p)
{
        *p = (struct lsr_progress){ .terminal = isatty(STDERR_FILENO) };
        if (p->terminal)
                p->began_ns = lsr_clock();
}

void lsr_progress_tell(struct lsr_progress *p, const char *what, uint64_t files, uint64_t bytes)
{
        lsr_auto(lsr_out_free) struct lsr_out line = LSR_OUT_MEMORY;
        uint64_t now;

        if (!p->terminal)
                return;
        now = lsr_clock();
        if (now - p->began_ns < PROGRESS_FIRST_NS || now - p->told_ns < PROGRESS_EVERY_NS)
                return;
        p->told_ns = now;
        lsr_out_printf(&line, "%s: %s files, %.1f MB, %.0f MB/s", what, lsr_grouped(files), (double)bytes / 1e6,
                       (double)bytes * 1e3 / (double)(now - p->began_ns));
        lsr_out_putc(&line, '\0');
        lsr_message_progress(line.buf);
}

void lsr_progress_fetching(const struct lsr_remote_stats *stats)
{
        static struct lsr_progress p;
        lsr_auto(lsr_out_free) struct lsr_out line = LSR_OUT_MEMORY;
        uint64_t now = lsr_clock();

        if (!stats && p.terminal)
                lsr_message_clear();
        if (!stats)
                return;
        if (!p.began_ns) {
                lsr_progress_begin(&p);
                p.began_ns = now;
        }
        if (!p.terminal || now - p.began_ns < PROGRESS_FIRST_NS)
                return;
        lsr_out_printf(&line, "fetching: %s request%s, %.1f MB, %.0f MB/s", lsr_grouped(stats->requests),
                       stats->requests == 1 ? "" : "s", (double)stats->bytes / 1e6,
                       (double)stats->bytes * 1e3 / (double)(now - p.began_ns));
        lsr_out_putc(&line, '\0');
        lsr_message_progress(line.buf);
}

double lsr_progress_end(struct lsr_progress *p)
{
        if (!p->terminal)
                return 0;
        lsr_message_clear();
        return (double)(lsr_clock() - p->began_ns) / 1e9;
}
