/*
 * frames - the tar, from any frame on
 *
 * A frame is decoded as a whole before a byte of it is given, so all data
 * returned has been compared with its checksum.  Reading one small member
 * means one read of the file and one frame in the caller's thread; reading on
 * into the next frame shows that there is more to come, and from then on
 * frames are in flight on all cores:
 *
 *      file ─► [ frame | frame | frame | frame ] ─► reader
 *                done    being decoded   waiting
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/pool.h"
#include "formats/filter/decode-ahead.h"
#include "formats/lsr1/lsr1.h"
#include "formats/filter/zstd.h"

#define FRAMES_JOBS (LSR_AHEAD_CPUS_MAX + 1)

struct frames_job {
        struct lsr_job job;
        uint32_t frame;
        int error;
        const uint8_t *in; /* in a buffer, or a view of the file */
        uint8_t *buf, *out;
        size_t in_n, buf_cap;
        size_t out_n, out_cap;
        struct lsr_zstd *zstd;
};

struct frames {
        struct lsr_input in;
        struct lsr_input *inner;
        const struct lsr1 *l;
        uint64_t ahead;
        struct lsr_pool *queue; /* NULL until the first read */
        unsigned depth;         /* frames in flight */
        bool runs;              /* a frame was read since the last seek */
        uint32_t next;          /* frame to be begun */
        size_t skip;            /* bytes of the first frame before the position */
        unsigned first, last;   /* jobs [first, last) are in flight; the one before may be the reader's */
        struct frames_job jobs[FRAMES_JOBS + 1];
        char text[64];
};

static void frames_work(void *ctx, unsigned worker, struct lsr_job *job)
{
        struct frames_job *j = (struct frames_job *)job;

        if (j->error == 0)
                j->error = lsr_zstd_frame(&j->zstd, j->in, j->in_n, j->out, j->out_n);
}

static bool frames_wanted(const struct frames *f, uint32_t frame)
{
        return frame < f->l->n && (f->runs || f->l->frames[frame].raw < f->ahead);
}

/* A thread costs more than it saves if only one frame is needed. */
static void frames_start(struct frames *f)
{
        unsigned threads = lsr_ahead_cpus(), wanted = 1;

        while (wanted < threads && frames_wanted(f, f->next + wanted))
                wanted++;
        lsr_pool_free(f->queue);
        f->queue = lsr_pool_new(&(struct lsr_pool_options){ frames_work, f, wanted, .helps = wanted == 1 });
        f->depth = wanted > 1 ? wanted + 1 : 1;
}

/* A stream keeps reads in flight, but is more than one frame needs; and that need not be copied where it is cached. */
static int frames_fetch(struct frames *f, struct frames_job *j, uint64_t at)
{
        ssize_t got;

        j->in = f->depth > 1 ? NULL : lsr_input_view(f->inner, at, j->in_n);
        if (j->in)
                return 0;
        lsr_renew(&j->buf, j->in_n, &j->buf_cap);
        j->in = j->buf;
        if (f->depth > 1) {
                int r = lsr_input_seek(f->inner, at);

                got = r < 0 ? r : lsr_input_read(f->inner, j->buf, j->in_n);
        } else {
                got = lsr_input_read_at(f->inner, j->buf, j->in_n, at);
        }
        if (got < 0)
                return (int)got;
        return (size_t)got == j->in_n ? 0 : -ENODATA;
}

/* A frame ends in the checksum that the seek table has of it, or was put in its place. */
static bool frames_meant(const struct frames *f, const struct frames_job *j)
{
        return !f->l->sums || (j->in_n >= 4 && lsr_le32(j->in + j->in_n - 4) == f->l->sums[j->frame]);
}

static void frames_begin(struct frames *f)
{
        struct frames_job *j = &f->jobs[f->last++ % (FRAMES_JOBS + 1)];
        const struct lsr1_frame *frame = &f->l->frames[f->next];

        j->frame = f->next++;
        j->in_n = (size_t)(frame[1].at - frame[0].at);
        j->out_n = (size_t)(frame[1].raw - frame[0].raw);
        lsr_renew(&j->out, j->out_n, &j->out_cap);
        j->error = frames_fetch(f, j, frame->at);
        if (j->error == 0 && !frames_meant(f, j))
                j->error = -EBADMSG;
        lsr_pool_submit(f->queue, &j->job);
}

static int frames_fail(struct frames *f, const struct frames_job *j)
{
        uint64_t at = f->l->frames[j->frame].at;
        int r = j->error == -ENODATA ? -EBADMSG : j->error;

        snprintf(f->text, sizeof(f->text), "zstd frame at byte %s %s", lsr_grouped(at),
                 r == -EBADMSG      ? "is damaged"
                 : r == -EOPNOTSUPP ? "needs a dictionary"
                                    : "cannot be read");
        f->in.what = f->text;
        return r;
}

/* After a failure the next call goes on with the frame behind. */
static ssize_t frames_next(struct lsr_input *in, const uint8_t **ret_data)
{
        struct frames *f = (struct frames *)in;

        if (!f->queue || (f->depth == 1 && f->runs))
                frames_start(f);
        for (;;) {
                struct frames_job *j;
                size_t skip;

                while (f->next < f->l->n && f->last - f->first < f->depth &&
                       (f->last == f->first || frames_wanted(f, f->next)))
                        frames_begin(f);
                j = (struct frames_job *)lsr_pool_next(f->queue);
                if (!j)
                        return 0;
                f->first++;
                f->runs = true;
                in->source_at = f->l->frames[j->frame + 1].at;
                skip = f->skip;
                f->skip = 0;
                if (j->error)
                        return frames_fail(f, j);
                if (j->out_n > skip) {
                        *ret_data = j->out + skip;
                        return (ssize_t)(j->out_n - skip);
                }
        }
}

/* The last that begins at @offset or before. */
uint32_t lsr1_frame_at(const struct lsr1 *l, uint64_t offset)
{
        uint32_t low = 0, high = l->n;

        while (low < high) {
                uint32_t middle = low + (high - low + 1) / 2;

                if (l->frames[middle].raw <= offset)
                        low = middle;
                else
                        high = middle - 1;
        }
        return low;
}

static int frames_seek(struct lsr_input *in, uint64_t offset)
{
        struct frames *f = (struct frames *)in;

        while (f->queue && lsr_pool_next(f->queue))
                f->first++;
        f->next = lsr1_frame_at(f->l, offset);
        f->runs = false;
        f->skip = (size_t)(offset - f->l->frames[f->next].raw);
        return 0;
}

static void frames_free(struct lsr_input *in)
{
        struct frames *f = (struct frames *)in;

        lsr_pool_free(f->queue);
        for (unsigned i = 0; i <= FRAMES_JOBS; i++) {
                free(f->jobs[i].buf);
                free(f->jobs[i].out);
                lsr_zstd_free(f->jobs[i].zstd);
        }
        free(f);
}

static const struct lsr_input_ops frames_ops = {
        .next = frames_next,
        .free = frames_free,
};

static const struct lsr_input_ops frames_skipping_ops = {
        .next = frames_next,
        .seek = frames_seek,
        .free = frames_free,
};

struct lsr_input *lsr1_frames_new(struct lsr_input *in, const struct lsr1 *l, bool skips, uint64_t ahead)
{
        struct frames *f;

        for (uint32_t i = 0; i < l->n; i++)
                if (l->frames[i + 1].at - l->frames[i].at > LSR1_FRAME_MAX ||
                    l->frames[i + 1].raw - l->frames[i].raw > LSR1_FRAME_MAX)
                        return NULL;
        f = lsr_input_alloc(sizeof(*f), skips ? &frames_skipping_ops : &frames_ops);
        f->in.size = l->tar_length;
        f->inner = in;
        f->l = l;
        f->ahead = ahead;
        return &f->in;
}

void lsr1_frames_verify(struct lsr_input *frames, struct lsr_scan *scan)
{
        const uint8_t *data;
        ssize_t got;

        while ((got = frames_next(frames, &data)) != 0)
                if (got < 0)
                        lsr_scan_trouble(scan, (int)got, "%s", frames->what);
}
