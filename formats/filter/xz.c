/*
 * xz - the formats of liblzma: .xz, .lz and .lzma
 *
 * Blocks of an .xz file that say how large they are (xz -T writes such) are
 * decoded in parallel by liblzma itself, which falls back to one thread where
 * that would take too much memory.
 *
 * An .lzma file has no magic number.  It is recognised by what every known
 * encoder writes: lc=3 lp=0 pb=2, a round dictionary, an unknown or sane size,
 * and the zero byte with which the range coder begins.  Other values of lc, lp
 * and pb are accepted if the size is unknown, which is eight bytes of ones.
 */
#include "formats/filter/xz.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "formats/filter/decode-ahead.h"
#include "formats/filter/compress.h"
#include "formats/drivers.h"

#define XZ_THREADS_MIN ((uint64_t)1 << 20)     /* bytes of a file that is worth threads */
#define XZ_THREADS_MEMORY ((uint64_t)64 << 20) /* bytes all blocks in the works may take */
#define XZ_LZMA_HEADER 13u
#define XZ_LZMA_CODES_MAX ((4 * 5 + 4) * 9 + 8) /* pb, lp and lc */
#define XZ_LZMA_SIZE_MAX ((uint64_t)1 << 38)    /* as xz itself guesses */

struct xz {
        struct lsr_decoder d;
        lzma_stream lzma;
        uint64_t window_max;
        bool trails;                    /* what follows the stream is not for liblzma */
        uint8_t header[XZ_LZMA_HEADER]; /* goes before the inner input */
        size_t header_n;
};

static bool xz_probe(const uint8_t *head, size_t n)
{
        return n >= 6 && memcmp(head,
                                "\xfd"
                                "7zXZ\0",
                                6) == 0;
}

/* The kind of check, in the flags of the stream; 0 is none. */
static bool xz_verifies(const uint8_t *head, size_t n)
{
        return n > 7 && head[7] != 0;
}

static bool xz_probe_lzip(const uint8_t *head, size_t n)
{
        return n >= 6 && memcmp(head, "LZIP", 4) == 0 && head[4] <= 1 && (head[5] & 31) >= 12 && (head[5] & 31) <= 29;
}

static bool xz_probe_lzma(const uint8_t *head, size_t n)
{
        uint32_t dictionary;
        uint64_t size;

        if (n <= XZ_LZMA_HEADER || head[0] > XZ_LZMA_CODES_MAX || head[XZ_LZMA_HEADER] != 0)
                return false;
        dictionary = lsr_le32(head + 1);
        size = lsr_le64(head + 5);
        /* 2^k or 2^k + 2^(k-1), of 4 KiB and more. */
        if (dictionary < 4096 || dictionary > (uint32_t)3 << 29)
                return false;
        dictionary /= dictionary & -dictionary;
        return (dictionary == 1 || dictionary == 3) &&
               (size == UINT64_MAX || (head[0] == 0x5d && size < XZ_LZMA_SIZE_MAX));
}

static int xz_result(struct lsr_decoder *d, lzma_ret r, bool ended)
{
        struct xz *x = (struct xz *)d;

        switch (r) {
        case LZMA_OK:
                return 0;
        case LZMA_STREAM_END:
                return 1;
        case LZMA_BUF_ERROR:
                return ended ? lsr_decoder_short(d) : -EBADMSG;
        case LZMA_MEM_ERROR:
                return -ENOMEM;
        case LZMA_MEMLIMIT_ERROR:
                return lsr_decoder_limit(d, lzma_memusage(&x->lzma), x->window_max);
        case LZMA_OPTIONS_ERROR:
                return lsr_decoder_fail(d, -EOPNOTSUPP, "%s data use an unknown method or filter", d->name);
        default:
                return -EBADMSG;
        }
}

static int xz_step(struct lsr_decoder *d, struct lsr_flow *flow)
{
        struct xz *x = (struct xz *)d;
        lzma_stream *s = &x->lzma;
        lzma_ret r = LZMA_OK;

        s->next_out = flow->out;
        s->avail_out = flow->out_left;
        if (x->header_n) {
                s->next_in = x->header;
                s->avail_in = x->header_n;
                r = lzma_code(s, LZMA_RUN);
                x->header_n = 0;
        }
        s->next_in = flow->in;
        s->avail_in = flow->in_left;
        /* A call without progress may be followed by one with; liblzma itself ends a row of the former. */
        while (r == LZMA_OK && s->avail_in == flow->in_left && s->avail_out == flow->out_left)
                r = lzma_code(s, flow->ended ? LZMA_FINISH : LZMA_RUN);
        flow->out = s->next_out;
        flow->out_left = s->avail_out;
        flow->in = s->next_in;
        flow->in_left = s->avail_in;
        return xz_result(d, r, flow->ended);
}

static int xz_decode(struct lsr_decoder *d, uint8_t *buf, size_t size, size_t *ret_n)
{
        struct xz *x = (struct xz *)d;
        int r;

        *ret_n = 0;
        r = lsr_decoder_feed(d, buf, size, ret_n, xz_step);
        return r == 1 && x->trails ? lsr_decoder_trailing(d) : r;
}

static void xz_free(struct lsr_decoder *d)
{
        struct xz *x = (struct xz *)d;

        lzma_end(&x->lzma);
        lsr_input_free(d->inner);
        free(x);
}

static const struct lsr_decoder_ops xz_ops = {
        .decode = xz_decode,
        .free = xz_free,
};

static struct xz *xz_new(struct lsr_input *inner, const char *name, uint64_t window_max)
{
        struct xz *x = lsr_xmalloc(sizeof(*x));

        *x = (struct xz){
                .d = { .ops = &xz_ops, .name = name, .inner = inner },
                .lzma = LZMA_STREAM_INIT,
                .window_max = window_max,
        };
        return x;
}

/* The result of an open function. */
static int xz_opened(struct lsr_input **ret_input, struct xz *x, lzma_ret r)
{
        if (r != LZMA_OK) {
                free(x);
                return r == LZMA_MEM_ERROR ? -ENOMEM : -EINVAL;
        }
        *ret_input = lsr_ahead_new(&x->d);
        return 0;
}

static int xz_open(struct lsr_input **ret_input, struct lsr_input *inner, uint64_t window_max)
{
        struct xz *x = xz_new(inner, "xz", window_max);
        lzma_mt mt = {
                .flags = LZMA_CONCATENATED,
                .threads = lsr_ahead_cpus(),
                .memlimit_threading = XZ_THREADS_MEMORY,
                .memlimit_stop = window_max,
        };

        if (mt.threads > 1 && (inner->size == LSR_INPUT_UNKNOWN || inner->size >= XZ_THREADS_MIN))
                return xz_opened(ret_input, x, lzma_stream_decoder_mt(&x->lzma, &mt));
        return xz_opened(ret_input, x, lzma_stream_decoder(&x->lzma, window_max, LZMA_CONCATENATED));
}

static int xz_open_lzip(struct lsr_input **ret_input, struct lsr_input *inner, uint64_t window_max)
{
        struct xz *x = xz_new(inner, "lzip", window_max);

        /* Members follow each other; other data after them is left. */
        x->trails = true;
        return xz_opened(ret_input, x, lzma_lzip_decoder(&x->lzma, window_max, LZMA_CONCATENATED));
}

static int xz_open_lzma(struct lsr_input **ret_input, struct lsr_input *inner, uint64_t window_max)
{
        struct xz *x = xz_new(inner, "lzma", window_max);

        x->trails = true;
        return xz_opened(ret_input, x, lzma_alone_decoder(&x->lzma, window_max));
}

int lsr_lzma_open(struct lsr_input **ret_input, struct lsr_input *inner, uint64_t size, uint64_t window_max)
{
        struct xz *x;
        const uint8_t *p;
        ssize_t got = lsr_input_peek(inner, LSR_LZMA_PROPERTIES, &p);
        int r;

        if (got < LSR_LZMA_PROPERTIES)
                return got < 0 ? (int)got : -EBADMSG;
        x = xz_new(inner, "lzma", window_max);
        /* With the size behind the properties it is what an .lzma file has. */
        memcpy(x->header, p, LSR_LZMA_PROPERTIES);
        lsr_put_le64(x->header + LSR_LZMA_PROPERTIES, size);
        x->header_n = XZ_LZMA_HEADER;
        r = xz_opened(ret_input, x, lzma_alone_decoder(&x->lzma, window_max));
        if (r == 0)
                lsr_input_take(inner, LSR_LZMA_PROPERTIES);
        return r;
}

const struct lsr_filter lsr_filter_xz = {
        .name = "xz",
        .suffixes = (const char *const[]){ ".xz", ".txz", NULL },
        .probe = xz_probe,
        .verifies = xz_verifies,
        .open = xz_open,
};

const struct lsr_filter lsr_filter_lzip = {
        .name = "lzip",
        .suffixes = (const char *const[]){ ".lz", ".tlz", NULL },
        .probe = xz_probe_lzip,
        .open = xz_open_lzip,
};

const struct lsr_filter lsr_filter_lzma = {
        .name = "lzma",
        .suffixes = (const char *const[]){ ".lzma", NULL },
        .probe = xz_probe_lzma,
        .verifies = lsr_verifies_nothing,
        .open = xz_open_lzma,
};

/* --- an .xz file written ---------------------------------------------------------- */

#define XZ_WAIT_MS 100 /* so often waiting for threads is told */

/* liblzma works on blocks in parallel itself; where they end does not depend on how many threads there are. */
struct xz_encoder {
        lzma_stream lzma;
        uint8_t *buf; /* LSR_OUTPUT_BUFFER */
};

static void xz_encoder_free(void *context)
{
        struct xz_encoder *x = context;

        lzma_end(&x->lzma);
        free(x->buf);
        free(x);
}

static void *xz_encoder_new(int level, unsigned threads)
{
        struct xz_encoder *x = lsr_xmalloc(sizeof(*x));
        lzma_mt mt = {
                .threads = threads,
                .timeout = XZ_WAIT_MS,
                .preset = (uint32_t)level,
                .check = LZMA_CHECK_CRC64,
        };

        *x = (struct xz_encoder){ .lzma = LZMA_STREAM_INIT, .buf = lsr_xmalloc(LSR_OUTPUT_BUFFER) };
        if (lzma_stream_encoder_mt(&x->lzma, &mt) != LZMA_OK) {
                xz_encoder_free(x);
                return NULL;
        }
        return x;
}

static void xz_tell_waiting(struct xz_encoder *x, struct lsr_output *out)
{
        uint64_t in, made;

        if (!out->waiting)
                return;
        lzma_get_progress(&x->lzma, &in, &made);
        out->waiting(out->ctx, x->lzma.total_in > in ? x->lzma.total_in - in : 0);
}

static int xz_encode(void *context, const void *data, size_t n, struct lsr_output *out)
{
        struct xz_encoder *x = context;
        lzma_ret r;

        x->lzma.next_in = data;
        x->lzma.avail_in = n;
        do {
                int written;

                x->lzma.next_out = x->buf;
                x->lzma.avail_out = LSR_OUTPUT_BUFFER;
                r = lzma_code(&x->lzma, data ? LZMA_RUN : LZMA_FINISH);
                written = lsr_output_write(out, x->buf, LSR_OUTPUT_BUFFER - x->lzma.avail_out);
                if (written < 0)
                        return written;
                xz_tell_waiting(x, out);
        } while (r == LZMA_OK && (data ? x->lzma.avail_in > 0 : true));
        return r == LZMA_OK || r == LZMA_STREAM_END ? 0 : -ENOMEM;
}

const struct lsr_codec lsr_codec_xz = {
        .level_min = 0,
        .level_max = 9,
        .level_default = 6,
        .free = xz_encoder_free,
        .stream_new = xz_encoder_new,
        .stream = xz_encode,
};
