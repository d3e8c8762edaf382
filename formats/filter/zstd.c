/*
 * zstd - frames one after another (RFC 8878), in parallel where possible
 *
 * A frame can be decoded without those before it.  pzstd, the seekable format
 * and lsr --pack write many, zstd itself writes one.  So whole frames are
 * gathered into jobs, which threads decode and the reader gets in order:
 *
 *      inner ─► [ job: frame frame | job: frame | job: frame ... ] ─► reader
 *                 done               being decoded   waiting
 *
 * The headers of its blocks, three bytes each, tell where a frame ends; they
 * also bound its decoded size, so that a frame without a content size needs no
 * guess.  The reader, instead of waiting, takes jobs that no thread has begun:
 * two jobs are needed before there is a thread at all.
 *
 * A frame that is incomplete, large, or needs a larger window than allowed is
 * put back and streamed: most files are one such frame, which would only fill
 * memory here.  A job that fails is streamed once more, too, to return the
 * data before the damage and to find its position.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/pool.h"
#include "formats/filter/decode-ahead.h"
#include "formats/filter/compress.h"
#include "formats/drivers.h"
#include "formats/filter/zstd.h"

#define ZSTD_SKIPPABLE 0x184d2a50u    /* and the 15 after it */
#define ZSTD_BLOCK_HEADER ((size_t)3) /* bytes */
#define ZSTD_BLOCK_MAX ((size_t)128 << 10)
#define ZSTD_CHECKSUM ((size_t)4)          /* bytes */
#define ZSTD_HEADER_MAX 14u                /* magic, descriptor, window, dictionary, content size */
#define ZSTD_FIRST_MAX ((size_t)1 << 20)   /* bytes decoded of a first frame that is a job: there may be no other */
#define ZSTD_FRAME_MAX ((size_t)16 << 20)  /* and of a later one; also of its compressed bytes */
#define ZSTD_JOB_MIN ((size_t)1 << 20)     /* frames are gathered until they decode to this */
#define ZSTD_FLIGHT_MAX ((size_t)64 << 20) /* bytes decoded in all jobs, beyond which no further one is begun */
#define ZSTD_JOBS (LSR_AHEAD_CPUS_MAX + 2)

struct zstd_job {
        struct lsr_job job;
        bool failed;
        uint64_t at; /* of the first byte in inner */
        uint64_t source_at;
        uint8_t *in;
        size_t in_n, in_cap;
        uint8_t *out;
        size_t out_n, out_cap;
        size_t bound; /* what it decodes to at most */
};

/* Why no frame can be gathered. */
enum zstd_stop { ZSTD_GOES_ON, ZSTD_ENDED, ZSTD_STREAM };

struct zstd {
        struct lsr_input in;
        struct lsr_input *inner;
        uint64_t window_max;
        enum zstd_stop stop;
        bool found;                           /* there was a frame */
        bool many;                            /* and there is more than one */
        ZSTD_DCtx *dctxs[LSR_AHEAD_CPUS_MAX]; /* of the workers; of the reader, which is the first, also for streams */
        /* One frame at a time as a stream. */
        struct lsr_decoder d;
        size_t hint;              /* bytes that make the next step whole: a header, a block, a checksum */
        struct lsr_input *stream; /* NULL: jobs */
        struct lsr_input *failed; /* the bytes of a job that it streams, or NULL: inner */
        bool holding;             /* the reader has the oldest job */
        unsigned cpus;
        struct lsr_pool *pool;
        unsigned first, last; /* jobs [first, last) are in flight, or at the reader */
        struct zstd_job jobs[ZSTD_JOBS];
};

static bool zstd_skippable(uint32_t magic)
{
        return (magic & ~15u) == ZSTD_SKIPPABLE;
}

/* The descriptor of the first frame; others come from the same writer. */
static bool zstd_verifies(const uint8_t *head, size_t n)
{
        return n > 4 && lsr_le32(head) == 0xfd2fb528 && head[4] & 4;
}

/* Skippable frames may come first; lz4 has them too, so one that leads nowhere is zstd's only if it is all we see. */
static bool zstd_probe(const uint8_t *head, size_t n)
{
        size_t at = 0;

        while (n - at >= 8 && zstd_skippable(lsr_le32(head + at))) {
                size_t size = (size_t)lsr_le32(head + at + 4) + 8;

                if (size > n - at)
                        return true;
                at += size;
        }
        return n - at >= 4 && lsr_le32(head + at) == ZSTD_MAGICNUMBER;
}

/* --- a frame as a stream -------------------------------------------------------- */

struct zstd_header {
        size_t size;
        uint64_t window;
        uint64_t content; /* LSR_INPUT_UNKNOWN if not said */
        bool checksum;
        bool dictionary;
};

/* 0, or 1 if @n bytes are too few. */
static int zstd_parse_header(const uint8_t *p, size_t n, struct zstd_header *ret)
{
        static const uint8_t id_sizes[] = { 0, 1, 2, 4 }, content_sizes[] = { 0, 2, 4, 8 };
        struct zstd_header h = { .size = 5, .content = LSR_INPUT_UNKNOWN };
        unsigned id_size, content_size;
        bool single;

        if (n < h.size)
                return 1;
        single = p[4] >> 5 & 1;
        h.checksum = p[4] >> 2 & 1;
        id_size = id_sizes[p[4] & 3];
        content_size = p[4] >> 6 || !single ? content_sizes[p[4] >> 6] : 1;
        if (n < h.size + !single + id_size + content_size)
                return 1;
        if (!single) {
                h.window = (uint64_t)1 << (10 + (p[h.size] >> 3));
                h.window += h.window / 8 * (p[h.size] & 7);
                h.size++;
        }
        for (unsigned i = 0; i < id_size; i++)
                h.dictionary |= p[h.size + i] != 0;
        h.size += id_size;
        if (content_size) {
                h.content = 0;
                for (unsigned i = 0; i < content_size; i++)
                        h.content |= (uint64_t)p[h.size + i] << (8 * i);
                if (content_size == 2)
                        h.content += 256;
        }
        h.size += content_size;
        if (single)
                h.window = h.content;
        *ret = h;
        return 0;
}

/*
 * No more at a time than a block, and not the header of the next one, which @hint counts as well: an error takes with
 * it all that its call decoded.
 */
static size_t zstd_portion(size_t hint)
{
        return hint > ZSTD_BLOCK_HEADER ? hint - ZSTD_BLOCK_HEADER : hint;
}

static int zstd_step(struct lsr_decoder *d, struct lsr_flow *flow)
{
        struct zstd *z = d->ctx;
        size_t portion = zstd_portion(z->hint);
        ZSTD_inBuffer in = { flow->in, flow->in_left < portion ? flow->in_left : portion, 0 };
        ZSTD_outBuffer out = { flow->out, flow->out_left, 0 };
        size_t r = ZSTD_decompressStream(z->dctxs[0], &out, &in);

        lsr_flow_move(flow, in.pos, out.pos);
        if (!ZSTD_isError(r)) {
                z->hint = r;
                return r == 0;
        }
        switch (ZSTD_getErrorCode(r)) {
        case ZSTD_error_dictionary_wrong:
                return lsr_decoder_fail(d, -EOPNOTSUPP, "zstd data need a dictionary");
        case ZSTD_error_checksum_wrong:
                return lsr_decoder_fail(
                        d, -EBADMSG, "zstd checksum at byte %s does not match the data",
                        lsr_grouped(d->inner->at + z->hint - ZSTD_CHECKSUM)); /* of it so much is left */
        case ZSTD_error_memory_allocation:
                return -ENOMEM;
        default:
                return -EBADMSG;
        }
}

static int zstd_decode(struct lsr_decoder *d, uint8_t *buf, size_t size, size_t *ret_n)
{
        *ret_n = 0;
        return lsr_decoder_feed(d, buf, size, ret_n, zstd_step);
}

/* All belongs to the zstd around it. */
static void zstd_decoder_free(struct lsr_decoder *d)
{
}

static const struct lsr_decoder_ops zstd_decoder_ops = {
        .decode = zstd_decode,
        .free = zstd_decoder_free,
};

/* Stream the next frame of @inner. */
static int zstd_stream(struct zstd *z, struct lsr_input *inner)
{
        struct zstd_header h;
        const uint8_t *p;
        ssize_t got;

        z->d = (struct lsr_decoder){ .ops = &zstd_decoder_ops, .name = "zstd", .inner = inner, .ctx = z };
        got = lsr_input_peek(inner, ZSTD_HEADER_MAX, &p);
        if (got >= 5 && lsr_le32(p) == ZSTD_MAGICNUMBER && zstd_parse_header(p, (size_t)got, &h) == 0 &&
            h.window > z->window_max) {
                int r = lsr_decoder_limit(&z->d, h.window, z->window_max);

                z->in.what = z->d.what;
                return r;
        }
        ZSTD_DCtx_reset(z->dctxs[0], ZSTD_reset_session_only);
        z->hint = ZSTD_HEADER_MAX;
        z->stream = lsr_ahead_new(&z->d);
        return 0;
}

/* --- jobs ------------------------------------------------------------------------ */

/* Append the next @n bytes of inner to the job.  False: they are not all there. */
static bool zstd_append(struct zstd *z, struct zstd_job *job, size_t n)
{
        while (n) {
                const uint8_t *p;
                ssize_t got = lsr_input_peek(z->inner, 1, &p);
                size_t part;

                if (got <= 0)
                        return false;
                part = (size_t)got < n ? (size_t)got : n;
                if (job->in_cap - job->in_n < part) {
                        job->in_cap = (job->in_n + part) * 2;
                        job->in = lsr_xrealloc(job->in, job->in_cap);
                }
                memcpy(job->in + job->in_n, p, part);
                job->in_n += part;
                lsr_input_take(z->inner, part);
                n -= part;
        }
        return true;
}

/* The blocks of a frame; what they decode to at most, or SIZE_MAX if it is none for a job. */
static size_t zstd_append_blocks(struct zstd *z, struct zstd_job *job, const struct zstd_header *h, size_t most)
{
        size_t block_max = h->window < ZSTD_BLOCK_MAX ? (size_t)h->window : ZSTD_BLOCK_MAX;
        size_t start = job->in_n, bound = 0;
        bool last = false;

        while (!last) {
                uint32_t word;
                size_t size;
                unsigned type;

                if (!zstd_append(z, job, ZSTD_BLOCK_HEADER))
                        return SIZE_MAX;
                word = job->in[job->in_n - 3] | (uint32_t)job->in[job->in_n - 2] << 8 |
                       (uint32_t)job->in[job->in_n - 1] << 16;
                last = word & 1;
                type = word >> 1 & 3;
                size = word >> 3;
                bound += type == 2 ? block_max : size;
                if (type == 3 || size > ZSTD_BLOCK_MAX || bound > most)
                        return SIZE_MAX;
                if (!zstd_append(z, job, type == 1 ? 1 : size) || job->in_n - start > ZSTD_FRAME_MAX)
                        return SIZE_MAX;
        }
        if (h->checksum && !zstd_append(z, job, 4))
                return SIZE_MAX;
        if (h->content == LSR_INPUT_UNKNOWN)
                return bound;
        return h->content > bound ? SIZE_MAX : (size_t)h->content;
}

/* Add a frame to the job.  False: it is to be streamed. */
static bool zstd_append_frame(struct zstd *z, struct zstd_job *job)
{
        size_t most = z->many ? ZSTD_FRAME_MAX : ZSTD_FIRST_MAX;
        size_t start = job->in_n, bound;
        struct zstd_header h;

        if (!zstd_append(z, job, 5))
                return false;
        while (zstd_parse_header(job->in + start, job->in_n - start, &h))
                if (!zstd_append(z, job, 1))
                        return false;
        if (h.window > z->window_max || h.dictionary || (h.content != LSR_INPUT_UNKNOWN && h.content > most))
                return false;
        bound = zstd_append_blocks(z, job, &h, most);
        if (bound == SIZE_MAX)
                return false;
        job->bound += bound;
        return true;
}

/* Gather frames.  At the end of it the job may be empty. */
static void zstd_gather(struct zstd *z, struct zstd_job *job)
{
        job->in_n = job->bound = 0;
        job->at = z->inner->at;
        while (job->bound < ZSTD_JOB_MIN && job->in_n < ZSTD_FRAME_MAX) {
                const uint8_t *p;
                ssize_t got = lsr_input_peek(z->inner, 8, &p);
                size_t start = job->in_n;

                if (got == 0) {
                        z->stop = z->found ? ZSTD_ENDED : ZSTD_STREAM;
                        break;
                }
                if (got >= 8 && zstd_skippable(lsr_le32(p))) {
                        uint32_t size = lsr_le32(p + 4);

                        /* Bytes of a job follow each other, for the place of damage. */
                        if (job->in_n)
                                break;
                        /* The size of the next frame in four bytes: pzstd. */
                        if (size == 4)
                                z->many = true;
                        if (lsr_input_skip(z->inner, 8 + (uint64_t)size) < 0) {
                                z->stop = ZSTD_STREAM;
                                break;
                        }
                        z->found = true;
                        job->at = z->inner->at;
                        continue;
                }
                if (got < 4 || lsr_le32(p) != ZSTD_MAGICNUMBER) {
                        z->stop = ZSTD_STREAM;
                        break;
                }
                if (!zstd_append_frame(z, job)) {
                        lsr_input_unread(z->inner, job->in + start, job->in_n - start);
                        job->in_n = start;
                        z->stop = ZSTD_STREAM;
                        break;
                }
                z->found = z->many = true;
        }
        job->source_at = z->inner->source_at;
}

static void zstd_work(void *ctx, unsigned worker, struct lsr_job *base)
{
        struct zstd *z = ctx;
        struct zstd_job *job = (struct zstd_job *)base;
        size_t r;

        if (!z->dctxs[worker])
                z->dctxs[worker] = ZSTD_createDCtx();
        lsr_renew(&job->out, job->bound, &job->out_cap);
        r = z->dctxs[worker] ? ZSTD_decompressDCtx(z->dctxs[worker], job->out, job->bound, job->in, job->in_n)
                             : (size_t)-ZSTD_error_memory_allocation;
        job->failed = ZSTD_isError(r);
        job->out_n = job->failed ? 0 : r;
}

static size_t zstd_in_flight(const struct zstd *z)
{
        size_t sum = 0;

        for (unsigned i = z->first; i != z->last; i++)
                sum += z->jobs[i % ZSTD_JOBS].bound;
        return sum;
}

/* Keep jobs in flight. */
static void zstd_fill(struct zstd *z)
{
        while (z->stop == ZSTD_GOES_ON && z->last - z->first < z->cpus + 1 && zstd_in_flight(z) < ZSTD_FLIGHT_MAX) {
                struct zstd_job *job = &z->jobs[z->last % ZSTD_JOBS];

                zstd_gather(z, job);
                if (job->in_n == 0)
                        continue;
                if (!z->pool)
                        z->pool = lsr_pool_new(&(struct lsr_pool_options){ zstd_work, z, z->cpus, .helps = true });
                lsr_pool_submit(z->pool, &job->job);
                z->last++;
        }
}

/* --- the input -------------------------------------------------------------------- */

/* The bytes of the stream, 0 when its frame has ended, or an error. */
static ssize_t zstd_next_streamed(struct zstd *z, const uint8_t **ret_data)
{
        ssize_t got = z->stream->ops->next(z->stream, ret_data);

        if (got == 0) {
                z->stream = lsr_input_free(z->stream);
                z->found = z->many = true;
                if (!z->failed)
                        z->stop = ZSTD_GOES_ON;
                return 0;
        }
        if (got < 0)
                z->in.what = z->stream->what;
        if (!z->failed)
                z->in.source_at = z->stream->source_at;
        return got;
}

static ssize_t zstd_next(struct lsr_input *in, const uint8_t **ret_data)
{
        struct zstd *z = (struct zstd *)in;
        struct zstd_job *job;

        if (z->holding)
                z->first++;
        z->holding = false;
        for (;;) {
                int r = 0;

                if (z->stream) {
                        ssize_t got = zstd_next_streamed(z, ret_data);

                        if (got)
                                return got;
                }
                if (z->failed) {
                        /* Its last frame? */
                        const uint8_t *p;

                        if (lsr_input_peek(z->failed, 1, &p) > 0) {
                                r = zstd_stream(z, z->failed);
                                if (r < 0)
                                        return r;
                                continue;
                        }
                        z->failed = lsr_input_free(z->failed);
                        z->first++;
                }
                zstd_fill(z);
                if (z->first == z->last) {
                        if (z->stop == ZSTD_ENDED)
                                return 0;
                        r = zstd_stream(z, z->inner);
                        if (r < 0)
                                return r;
                        continue;
                }
                job = (struct zstd_job *)lsr_pool_next(z->pool);
                in->source_at = job->source_at;
                if (job->failed) {
                        z->failed = lsr_input_memory(job->in, job->in_n);
                        z->failed->at = job->at;
                } else if (job->out_n == 0) {
                        z->first++;
                } else {
                        z->holding = true;
                        *ret_data = job->out;
                        return (ssize_t)job->out_n;
                }
        }
}

static void zstd_free(struct lsr_input *in)
{
        struct zstd *z = (struct zstd *)in;

        lsr_pool_free(z->pool);
        lsr_input_free(z->stream);
        lsr_input_free(z->failed);
        lsr_input_free(z->inner);
        for (unsigned i = 0; i < LSR_AHEAD_CPUS_MAX; i++)
                ZSTD_freeDCtx(z->dctxs[i]);
        for (unsigned i = 0; i < ZSTD_JOBS; i++) {
                free(z->jobs[i].in);
                free(z->jobs[i].out);
        }
        free(z);
}

static const struct lsr_input_ops zstd_ops = {
        .next = zstd_next,
        .free = zstd_free,
};

static int zstd_open(struct lsr_input **ret_input, struct lsr_input *inner, uint64_t window_max)
{
        struct zstd *z;
        ZSTD_DCtx *dctx = ZSTD_createDCtx();
        ZSTD_bounds bounds = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax);
        int log = bounds.lowerBound;

        if (!dctx)
                return -ENOMEM;
        /* Rounded up: the limit itself is checked here. */
        while (log < bounds.upperBound && (uint64_t)1 << log < window_max)
                log++;
        ZSTD_DCtx_setParameter(dctx, ZSTD_d_windowLogMax, log);
        z = lsr_input_alloc(sizeof(*z), &zstd_ops);
        z->inner = inner;
        z->window_max = window_max;
        z->dctxs[0] = dctx;
        z->cpus = lsr_ahead_cpus();
        *ret_input = &z->in;
        return 0;
}

struct lsr_zstd *lsr_zstd_free(struct lsr_zstd *z)
{
        ZSTD_freeDCtx((ZSTD_DCtx *)z);
        return NULL;
}

static ZSTD_DCtx *zstd_context(struct lsr_zstd **z)
{
        if (!*z)
                *z = (struct lsr_zstd *)ZSTD_createDCtx();
        return (ZSTD_DCtx *)*z;
}

int lsr_zstd_frame(struct lsr_zstd **z, const uint8_t *in, size_t n, uint8_t *out, size_t size)
{
        size_t r;

        if (n < 4 || lsr_le32(in) != ZSTD_MAGICNUMBER || ZSTD_findFrameCompressedSize(in, n) != n ||
            ZSTD_getFrameContentSize(in, n) != size)
                return -EBADMSG;
        if (!zstd_context(z))
                return -ENOMEM;
        r = ZSTD_decompressDCtx((ZSTD_DCtx *)*z, out, size, in, n);
        if (!ZSTD_isError(r))
                return r == size ? 0 : -EBADMSG;
        switch (ZSTD_getErrorCode(r)) {
        case ZSTD_error_dictionary_wrong:
                return -EOPNOTSUPP;
        case ZSTD_error_memory_allocation:
                return -ENOMEM;
        default:
                return -EBADMSG;
        }
}

size_t lsr_zstd_frame_begin(struct lsr_zstd **z, const uint8_t *in, size_t n, uint8_t *out, size_t size)
{
        ZSTD_DCtx *dctx = zstd_context(z);
        ZSTD_inBuffer from = { in, 0, 0 };
        ZSTD_outBuffer to = { out, size, 0 };
        size_t hint = ZSTD_HEADER_MAX, at = SIZE_MAX;

        if (!dctx || ZSTD_isError(ZSTD_DCtx_reset(dctx, ZSTD_reset_session_only)))
                return 0;
        while (hint > 0 && !ZSTD_isError(hint) && from.pos != at) {
                size_t portion = zstd_portion(hint);

                at = from.pos;
                from.size = portion < n - at ? at + portion : n;
                hint = ZSTD_decompressStream(dctx, &to, &from);
        }
        (void)ZSTD_DCtx_reset(dctx, ZSTD_reset_session_only);
        return to.pos;
}

int lsr_zstd_frame_size(const uint8_t *in, size_t n, size_t *ret_packed, uint64_t *ret_size)
{
        size_t packed;
        unsigned long long size;

        if (n < 4 || lsr_le32(in) != ZSTD_MAGICNUMBER)
                return -EBADMSG;
        packed = ZSTD_findFrameCompressedSize(in, n);
        size = ZSTD_getFrameContentSize(in, n);
        if (ZSTD_isError(packed) || size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR)
                return -EBADMSG;
        *ret_packed = packed;
        *ret_size = size;
        return 0;
}

const struct lsr_filter lsr_filter_zstd = {
        .name = "zstd",
        .suffixes = (const char *const[]){ ".zst", ".tzst", NULL },
        .probe = zstd_probe,
        .verifies = zstd_verifies,
        .open = zstd_open,
};

/* --- frames written --------------------------------------------------------------- */

static void zstd_free_context(void *context)
{
        ZSTD_freeCCtx(context);
}

static void *zstd_new_context(int level)
{
        ZSTD_CCtx *cctx = ZSTD_createCCtx();

        if (cctx && (ZSTD_isError(ZSTD_CCtx_setParameter(cctx, ZSTD_c_compressionLevel, level)) ||
                     ZSTD_isError(ZSTD_CCtx_setParameter(cctx, ZSTD_c_checksumFlag, 1)))) {
                zstd_free_context(cctx);
                return NULL;
        }
        return cctx;
}

static size_t zstd_bound(void *context, size_t n)
{
        return ZSTD_compressBound(n);
}

/* The content size is known, so it is in the header, and bounds the window. */
static size_t zstd_compress(void *context, const void *data, size_t n, void *out, size_t out_size)
{
        size_t r = ZSTD_compress2(context, out, out_size, data, n);

        return ZSTD_isError(r) ? 0 : r;
}

const struct lsr_codec lsr_codec_zstd = {
        .level_min = 1,
        .level_max = 22,
        .level_default = ZSTD_CLEVEL_DEFAULT,
        .piece = (size_t)4 << 20,
        .new = zstd_new_context,
        .free = zstd_free_context,
        .bound = zstd_bound,
        .compress = zstd_compress,
};
