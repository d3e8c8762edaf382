/*
 * pack-report - messages, the line of progress, the last line
 */
#include "cli/pack.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/out.h"
#include "cli/message.h"
#include "cli/reading.h"
#include "formats/format.h"
#include "pack/target.h"

#define REPORT_EVERY_NS UINT64_C(100000000)
#define REPORT_FILE_BYTES 8192. /* that take about as long as a file without any */

void lsr_pack_report_begin(struct lsr_pack_report *r)
{
        *r = (struct lsr_pack_report){ .terminal = isatty(STDERR_FILENO), .began_ns = lsr_clock() };
        r->told_ns = r->began_ns;
}

/* Even the smallest file takes some time. */
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
        lsr_auto(lsr_out_free) struct lsr_out line = LSR_OUT_MEMORY;

        if (!r->terminal)
                return;
        now = lsr_clock();
        if (now - r->told_ns < REPORT_EVERY_NS)
                return;
        r->told_ns = now;
        lsr_out_printf(&line, "%s: %s files, %.1f MB, %.0f MB/s", what, lsr_grouped(stats->members),
                       (double)bytes / 1e6, (double)bytes * 1e3 / (double)(now - r->began_ns));
        report_left(r, stats->members, bytes, now - r->began_ns, &line);
        lsr_out_putc(&line, '\0');
        lsr_message_progress(line.buf);
}

void lsr_pack_report_stored(struct lsr_pack_report *r, uint64_t bytes)
{
        char line[64];

        if (!r->terminal)
                return;
        snprintf(line, sizeof(line), "storing: %.1f MB", (double)bytes / 1e6);
        lsr_message_progress(line);
}

void lsr_pack_report_trouble(struct lsr_pack_report *r, enum lsr_pack_trouble what, const char *path, int error,
                             uint64_t at)
{
        /* Of the path, and of @at where a text has a second one. */
        static const char *const texts[] = {
                [LSR_PACK_ACCESS] = "cannot access %s",
                [LSR_PACK_OPEN_DIR] = "cannot open directory %s",
                [LSR_PACK_READ_DIR] = "reading directory %s",
                [LSR_PACK_OPEN] = "cannot read %s",
                [LSR_PACK_READ] = "cannot read %s beyond byte %s; the rest was packed as zeros",
                [LSR_PACK_LINK] = "cannot read symbolic link %s",
                [LSR_PACK_XATTRS] = "cannot read all extended attributes of %s",
                [LSR_PACK_SHRANK] = "%s shrank to %s bytes while it was packed",
                [LSR_PACK_GREW] = "%s grew while it was packed: only its first %s bytes were packed",
                [LSR_PACK_LONGER] = "%s has more content than its file system says: its first %s bytes are packed",
                [LSR_PACK_CHANGED] = "%s changed while it was packed",
                [LSR_PACK_SIZE] = "%s is too large for this format: left out",
                [LSR_PACK_NAME] = "the name of %s is too long for this format: left out",
                [LSR_PACK_TWICE] = "%s occurs more than once in its directory: packed once",
                [LSR_PACK_SOCKET] = "%s is a socket: left out",
                [LSR_PACK_OUTPUT] = "%s is the bundle itself: left out",
        };

        if (what != LSR_PACK_SOCKET && what != LSR_PACK_OUTPUT)
                r->status = 1;
        if (what == LSR_PACK_MEMBER || what == LSR_PACK_DAMAGED)
                lsr_message("cannot read %s: %s", lsr_quoted_always(path), lsr_reading_reason(error));
        else
                lsr_message_errno(-error, texts[what], lsr_quoted_always(path), lsr_grouped(at));
}

int lsr_pack_report_refused(const char *name, const char *option, int refused)
{
        const char *quoted = lsr_quoted_always(name);

        switch (refused) {
        case LSR_TARGET_EXISTS:
                return lsr_message("%s already exists; use --force to replace it", quoted);
        case LSR_TARGET_IS_DIR:
                return lsr_message("%s is a directory: name a file with %s", quoted, option);
        case LSR_TARGET_INSIDE:
                return lsr_message("%s would be inside the tree that is packed: choose another place with %s", quoted,
                                   option);
        case LSR_TARGET_NO_SPACE:
                return lsr_message("no space left for %s: choose another place with %s", quoted, option);
        case LSR_TARGET_NO_READER:
                return lsr_message("nobody reads the FIFO %s: start its reader first", quoted);
        default:
                return lsr_message_errno(-refused, "cannot create %s", quoted);
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
        lsr_message("%s: %s file%s, %s bytes in, %s bytes out, %.2f s",
                    strcmp(output, "-") == 0 ? "standard output" : lsr_quoted_needed(output),
                    lsr_grouped(stats->members), stats->members == 1 ? "" : "s", lsr_grouped(stats->bytes),
                    lsr_grouped(out_bytes), (double)(lsr_clock() - r->began_ns) / 1e9);
}
