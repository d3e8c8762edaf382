/*
 * frames - the tar, from any frame on
 *
 * A frame is decoded as a whole before a byte of it is given, so all data have
 * been compared with its checksum; only LSR1_FRAMES_SALVAGE gives the blocks
 * before the damage, too, which have no checksum of their own.  Reading one
 * small member means one read of the file and one frame in the caller's thread;
 * reading on into the next frame shows that there is more to come, and from
 * then on frames are in flight on all cores:
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
        size_t begun; /* of out_n, where the frame is damaged: decoded */
        struct lsr_zstd *zstd;
};

/* A damaged frame, and how many bytes of it come before the damage. */
struct frames_damage {
        uint32_t frame; /* UINT32_MAX: none was seen */
        size_t begun;
};

struct frames {
        struct lsr_input in;
        struct lsr_input *inner;
        const struct lsr1 *l;
        uint64_t ahead;
        struct lsr_pool *queue; /* NULL until the first read */
        unsigned depth;         /* frames in flight */
        bool runs;              /* a frame was read since the last seek */
        bool salvages;          /* a damaged frame gives its beginning */
        uint32_t next;          /* frame to be begun */
        size_t skip;            /* bytes of the first frame before the position */
        unsigned first, last;   /* jobs [first, last) are in flight; the one before may be the reader's */
        struct frames_job jobs[FRAMES_JOBS + 1];
        struct frames_damage damage; /* the last */
        bool cut;                    /* its beginning was given, and the error is next */
        char text[64];
};

/* A frame ends in the checksum that the seek table has of it, or was put in its place. */
static bool frames_meant(const struct frames *f, const struct frames_job *j)
{
        return !f->l->sums || (j->in_n >= 4 && lsr_le32(j->in + j->in_n - 4) == f->l->sums[j->frame]);
}

static void frames_work(void *ctx, unsigned worker, struct lsr_job *job)
{
        const struct frames *f = ctx;
        struct frames_job *j = (struct frames_job *)job;

        if (j->error)
                return;
        j->error = lsr_zstd_frame(&j->zstd, j->in, j->in_n, j->out, j->out_n);
        if (j->error == 0 && !frames_meant(f, j))
                j->error = -EBADMSG;
        else if (j->error == -EBADMSG && f->salvages)
                j->begun = lsr_zstd_frame_begin(&j->zstd, j->in, j->in_n, j->out, j->out_n);
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

static void frames_begin(struct frames *f)
{
        struct frames_job *j = &f->jobs[f->last++ % (FRAMES_JOBS + 1)];
        const struct lsr1_frame *frame = &f->l->frames[f->next];

        j->frame = f->next++;
        j->in_n = (size_t)(frame[1].at - frame[0].at);
        j->out_n = (size_t)(frame[1].raw - frame[0].raw);
        lsr_renew(&j->out, j->out_n, &j->out_cap);
        j->begun = 0;
        j->error = frames_fetch(f, j, frame->at);
        lsr_pool_submit(f->queue, &j->job);
}

static void frames_name(struct frames *f, uint32_t frame, const char *what)
{
        snprintf(f->text, sizeof(f->text), "zstd frame at byte %s %s", lsr_grouped(f->l->frames[frame].at), what);
        f->in.what = f->text;
}

static int frames_fail(struct frames *f, const struct frames_job *j)
{
        int r = j->error == -ENODATA ? -EBADMSG : j->error;

        frames_name(f, j->frame,
                    r == -EBADMSG      ? "is damaged"
                    : r == -EOPNOTSUPP ? "needs a dictionary"
                                       : "cannot be read");
        return r;
}

static int frames_fail_damaged(struct frames *f)
{
        f->cut = false;
        frames_name(f, f->damage.frame, "is damaged");
        return -EBADMSG;
}

/* Nothing has to be decoded once more to know that it cannot be. */
static bool frames_next_is_lost(const struct frames *f)
{
        return f->first == f->last && f->next == f->damage.frame && f->skip >= f->damage.begun;
}

/* After a failure the next call goes on with the frame behind. */
static ssize_t frames_next(struct lsr_input *in, const uint8_t **ret_data)
{
        struct frames *f = (struct frames *)in;

        if (f->cut)
                return frames_fail_damaged(f);
        if (frames_next_is_lost(f)) {
                f->next++;
                f->skip = 0;
                f->runs = true;
                return frames_fail_damaged(f);
        }
        if (!f->queue || (f->depth == 1 && f->runs))
                frames_start(f);
        for (;;) {
                struct frames_job *j;
                size_t skip, n;

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
                n = j->error ? j->begun : j->out_n;
                if (j->error == -EBADMSG)
                        f->damage = (struct frames_damage){ j->frame, n };
                if (j->error && n <= skip)
                        return frames_fail(f, j);
                f->cut = n < j->out_n;
                if (n > skip) {
                        *ret_data = j->out + skip;
                        return (ssize_t)(n - skip);
                }
        }
}

uint32_t lsr1_frames_doubtful(struct lsr_input *frames, uint64_t offset)
{
        struct frames *f = (struct frames *)frames;

        if (f->damage.frame == UINT32_MAX || f->damage.begun == 0 || f->damage.frame < lsr1_frame_at(f->l, offset))
                return UINT32_MAX;
        frames_name(f, f->damage.frame, "is damaged");
        return f->damage.frame;
}

bool lsr1_frames_lost(const struct lsr_input *frames, uint64_t offset)
{
        const struct frames *f = (const struct frames *)frames;

        return lsr1_frame_at(f->l, offset) == f->damage.frame &&
               offset - f->l->frames[f->damage.frame].raw >= f->damage.begun;
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
        f->cut = false;
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

struct lsr_input *lsr1_frames_new(struct lsr_input *in, const struct lsr1 *l, enum lsr1_frames_use use, uint64_t ahead)
{
        struct frames *f;

        for (uint32_t i = 0; i < l->n; i++)
                if (l->frames[i + 1].at - l->frames[i].at > LSR1_FRAME_MAX ||
                    l->frames[i + 1].raw - l->frames[i].raw > LSR1_FRAME_MAX)
                        return NULL;
        f = lsr_input_alloc(sizeof(*f), use == LSR1_FRAMES_READ ? &frames_ops : &frames_skipping_ops);
        f->in.size = l->tar_length;
        f->inner = in;
        f->l = l;
        f->ahead = ahead;
        f->salvages = use == LSR1_FRAMES_SALVAGE;
        f->damage.frame = UINT32_MAX;
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
