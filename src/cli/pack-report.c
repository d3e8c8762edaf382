/*
 * pack-report - messages, the line of progress, the last line
 */
#include "cli/pack-report.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/out.h"
#include "cli/message.h"
#include "formats/format.h"

#define REPORT_EVERY_NS UINT64_C(100000000)
#define REPORT_FILE_BYTES 8192. /* that take about as long as a file without any */

void lsr_pack_report_begin(struct lsr_pack_report *r)
{
        *r = (struct lsr_pack_report){ .terminal = isatty(STDERR_FILENO), .began_ns = lsr_clock() };
        r->told_ns = r->began_ns;
}

void lsr_pack_report_clear(struct lsr_pack_report *r)
{
        if (r->shown)
                lsr_message_lines("\r\033[K");
        r->shown = false;
}

void lsr_pack_report_abandon(const struct lsr_pack_report *r)
{
        static const char clear[] = "\r\033[K";

        if (r->shown && write(STDERR_FILENO, clear, sizeof(clear) - 1) < 0)
                return; /* nobody sees it */
}

void lsr_pack_report_expect(struct lsr_pack_report *r, const struct lsr_pack_size *size)
{
        r->expected = *size;
}

/* Even the smallest file takes some time.  */
static double report_work(uint64_t files, uint64_t bytes)
{
        return (double)bytes + REPORT_FILE_BYTES * (double)files;
}

/* How long the rest of packing will take, at the rate so far. */
static void report_left(const struct lsr_pack_report *r, uint64_t members, uint64_t bytes, uint64_t took_ns,
                        struct lsr_out *line)
{
        double done = report_work(members, bytes);
        double left = report_work(r->expected.members, r->expected.bytes) - done;
        uint64_t s;

        if (left <= 0 || done <= 0)
                return;
        s = (uint64_t)(left / done * (double)took_ns / 1e9) + 1;
        if (s >= 3600)
                lsr_out_printf(line, ", %u h %02u min left", (unsigned)(s / 3600), (unsigned)(s / 60 % 60));
        else if (s >= 60)
                lsr_out_printf(line, ", %u min %02u s left", (unsigned)(s / 60), (unsigned)(s % 60));
        else
                lsr_out_printf(line, ", %u s left", (unsigned)s);
}

void lsr_pack_report_progress(struct lsr_pack_report *r, const char *what, const struct lsr_pack_stats *stats,
                              uint64_t held)
{
        uint64_t now, bytes = held < stats->bytes ? stats->bytes - held : 0;
        struct lsr_out line;

        if (!r->terminal)
                return;
        now = lsr_clock();
        if (now - r->told_ns < REPORT_EVERY_NS)
                return;
        r->told_ns = now;
        r->shown = true;
        lsr_out_init(&line, STDERR_FILENO);
        lsr_out_printf(&line, "\r%s: %s files, %.1f MB, %.0f MB/s", what, lsr_grouped(stats->members),
                       (double)bytes / 1e6, (double)bytes * 1e3 / (double)(now - r->began_ns));
        report_left(r, stats->members, bytes, now - r->began_ns, &line);
        lsr_out_puts(&line, "\033[K");
        lsr_out_flush(&line);
        lsr_out_free(&line);
}

void lsr_pack_report_trouble(struct lsr_pack_report *r, enum lsr_pack_trouble what, const char *path, int error,
                             uint64_t at)
{
        const char *name = lsr_quoted_always(path);

        lsr_pack_report_clear(r);
        if (what != LSR_PACK_SOCKET && what != LSR_PACK_OUTPUT)
                r->status = 1;
        switch (what) {
        case LSR_PACK_ACCESS:
                lsr_message_errno(-error, "cannot access %s", name);
                break;
        case LSR_PACK_OPEN_DIR:
                lsr_message_errno(-error, "cannot open directory %s", name);
                break;
        case LSR_PACK_READ_DIR:
                lsr_message_errno(-error, "reading directory %s", name);
                break;
        case LSR_PACK_OPEN:
                lsr_message_errno(-error, "cannot read %s", name);
                break;
        case LSR_PACK_READ:
                lsr_message_errno(-error, "cannot read %s beyond byte %s; the rest was packed as zeros", name,
                                  lsr_grouped(at));
                break;
        case LSR_PACK_LINK:
                lsr_message_errno(-error, "cannot read symbolic link %s", name);
                break;
        case LSR_PACK_XATTRS:
                lsr_message_errno(-error, "cannot read all extended attributes of %s", name);
                break;
        case LSR_PACK_SHRANK:
                lsr_message("%s shrank to %s bytes while it was packed", name, lsr_grouped(at));
                break;
        case LSR_PACK_GREW:
                lsr_message("%s grew while it was packed: its first %s bytes are", name, lsr_grouped(at));
                break;
        case LSR_PACK_LONGER:
                lsr_message("%s has more content than its file system says: its first %s bytes are packed", name,
                            lsr_grouped(at));
                break;
        case LSR_PACK_CHANGED:
                lsr_message("%s changed while it was packed", name);
                break;
        case LSR_PACK_SIZE:
                lsr_message("%s is too large for this format: left out", name);
                break;
        case LSR_PACK_NAME:
                lsr_message("the name of %s is too long for this format: left out", name);
                break;
        case LSR_PACK_TWICE:
                lsr_message("%s occurs more than once in its directory: packed once", name);
                break;
        case LSR_PACK_SOCKET:
                lsr_message("%s is a socket: left out", name);
                break;
        case LSR_PACK_OUTPUT:
                lsr_message("%s is the bundle itself: left out", name);
                break;
        }
}

void lsr_pack_report_losses(const struct lsr_pack_stats *stats, const char *format)
{
        /* By the number of the bit in enum lsr_loss. */
        static const char *const texts[LSR_LOSSES] = {
                "files of this type, which were left out",
                "extended attributes",
                "access control lists",
                "hard links, whose content was stored again",
                "owners",
                "times",
        };

        for (unsigned i = 0; i < LSR_LOSSES; i++) {
                const struct lsr_pack_loss *loss = &stats->losses[i];

                if (loss->n > 0)
                        lsr_message("%s cannot store %s: %s file%s, first %s", format, texts[i], lsr_grouped(loss->n),
                                    loss->n == 1 ? "" : "s", lsr_quoted_always(loss->first));
        }
}

void lsr_pack_report_end(struct lsr_pack_report *r, const char *output, const struct lsr_pack_stats *stats,
                         uint64_t out_bytes)
{
        lsr_pack_report_clear(r);
        lsr_message("%s: %s file%s, %s bytes in, %s bytes out, %.2f s",
                    strcmp(output, "-") == 0 ? "standard output" : lsr_quoted_needed(output),
                    lsr_grouped(stats->members), stats->members == 1 ? "" : "s", lsr_grouped(stats->bytes),
                    lsr_grouped(out_bytes), (double)(lsr_clock() - r->began_ns) / 1e9);
}
