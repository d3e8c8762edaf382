/*
 * bzip2 - streams one after another
 *
 * pbzip2 writes many streams, so a stream may be followed by another one.
 */
#include <bzlib.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "formats/filter/decode-ahead.h"
#include "formats/filter/compress.h"
#include "formats/drivers.h"

#define BZIP2_PIECE ((size_t)3600000) /* bytes in a stream written: four blocks of level 9 */

struct bzip2 {
        struct lsr_decoder d;
        bz_stream bz;
        bool inside; /* a stream */
        bool found;  /* there was one */
};

static bool bzip2_magic(const uint8_t *p)
{
        return memcmp(p, "BZh", 3) == 0 && p[3] >= '1' && p[3] <= '9';
}

/* With a block behind it, or the end. */
static bool bzip2_probe(const uint8_t *head, size_t n)
{
        return n >= 10 && bzip2_magic(head) &&
               (memcmp(head + 4, "1AY&SY", 6) == 0 || memcmp(head + 4, "\x17rE8P\x90", 6) == 0);
}

static int bzip2_step(struct lsr_decoder *d, struct lsr_flow *flow)
{
        struct bzip2 *b = (struct bzip2 *)d;
        unsigned in = flow->in_left < UINT_MAX ? (unsigned)flow->in_left : UINT_MAX;
        unsigned out = flow->out_left < UINT_MAX ? (unsigned)flow->out_left : UINT_MAX;
        int r;

        b->bz.next_in = (char *)(uintptr_t)flow->in;
        b->bz.avail_in = in;
        b->bz.next_out = (char *)flow->out;
        b->bz.avail_out = out;
        r = BZ2_bzDecompress(&b->bz);
        lsr_flow_move(flow, in - b->bz.avail_in, out - b->bz.avail_out);
        if (r == BZ_MEM_ERROR)
                return -ENOMEM;
        return r == BZ_OK ? 0 : r == BZ_STREAM_END ? 1 : -EBADMSG;
}

/* 0: a stream begins; 1: there is no further one; or an error. */
static int bzip2_begin(struct bzip2 *b)
{
        const uint8_t *p;
        ssize_t got = lsr_decoder_peek(&b->d, 4, &p);

        if (got < 0)
                return (int)got;
        if (b->found && (got == 0 || memcmp(p, "BZh1", got < 3 ? (size_t)got : 3) != 0))
                return lsr_decoder_trailing(&b->d);
        if (got < 4)
                return lsr_decoder_short(&b->d);
        if (!bzip2_magic(p))
                return lsr_decoder_damaged(&b->d);
        b->bz = (bz_stream){};
        if (BZ2_bzDecompressInit(&b->bz, 0, 0) != BZ_OK)
                return -ENOMEM;
        b->inside = true;
        return 0;
}

static int bzip2_decode(struct lsr_decoder *d, uint8_t *buf, size_t size, size_t *ret_n)
{
        struct bzip2 *b = (struct bzip2 *)d;
        int r = b->inside ? 0 : bzip2_begin(b);

        *ret_n = 0;
        if (r)
                return r;
        r = lsr_decoder_feed(d, buf, size, ret_n, bzip2_step);
        if (r != 1)
                return r;
        BZ2_bzDecompressEnd(&b->bz);
        b->inside = false;
        b->found = true;
        return 0;
}

static void bzip2_free(struct lsr_decoder *d)
{
        struct bzip2 *b = (struct bzip2 *)d;

        if (b->inside)
                BZ2_bzDecompressEnd(&b->bz);
        lsr_input_free(d->inner);
        free(b);
}

static const struct lsr_decoder_ops bzip2_ops = {
        .decode = bzip2_decode,
        .free = bzip2_free,
};

static int bzip2_open(struct lsr_input **ret_input, struct lsr_input *inner, uint64_t window_max)
{
        struct bzip2 *b = lsr_xmalloc(sizeof(*b));

        *b = (struct bzip2){ .d = { .ops = &bzip2_ops, .name = "bzip2", .inner = inner } };
        *ret_input = lsr_ahead_new(&b->d);
        return 0;
}

const struct lsr_filter lsr_filter_bzip2 = {
        .name = "bzip2",
        .suffixes = (const char *const[]){ ".bz2", ".tbz2", ".tbz", NULL },
        .probe = bzip2_probe,
        .open = bzip2_open,
};

/* --- streams written --------------------------------------------------------------- */

/* libbz2 keeps nothing between two buffers but the level. */
static void *bzip2_new_context(int level)
{
        int *context = lsr_xmalloc(sizeof(*context));

        *context = level;
        return context;
}

/* As bzlib.h has it. */
static size_t bzip2_bound(void *context, size_t n)
{
        return n + n / 100 + 600;
}

static size_t bzip2_compress(void *context, const void *data, size_t n, void *out, size_t out_size)
{
        unsigned made = (unsigned)out_size;
        int r = BZ2_bzBuffToBuffCompress(out, &made, (char *)(uintptr_t)data, (unsigned)n, *(int *)context, 0, 0);

        return r == BZ_OK ? made : 0;
}

const struct lsr_codec lsr_codec_bzip2 = {
        .level_min = 1,
        .level_max = 9,
        .level_default = 9,
        .piece = BZIP2_PIECE,
        .new = bzip2_new_context,
        .free = free,
        .bound = bzip2_bound,
        .compress = bzip2_compress,
};
