/*
 * lz4 - frames one after another
 *
 * liblz4 skips skippable frames itself.  Of the legacy format, which Linux
 * uses for initrds, it decodes the blocks: each has its size before it and
 * makes 8 MiB, except the last, which is not marked.  So the next frame begins
 * where a size is a magic number.
 */
#include <errno.h>
#include <lz4.h>
#include <lz4frame.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "formats/filter/decode-ahead.h"
#include "formats/filter/compress.h"
#include "formats/drivers.h"

#define LZ4_MAGIC 0x184d2204u
#define LZ4_SKIPPABLE 0x184d2a50u /* and the 15 after it */
#define LZ4_LEGACY 0x184c2102u
#define LZ4_LEGACY_BLOCK ((size_t)8 << 20)

struct lz4 {
        struct lsr_decoder d;
        LZ4F_dctx *dctx;
        size_t hint;    /* bytes that make the next step whole: a header, a block, a checksum */
        bool inside;    /* a frame */
        bool found;     /* there was one */
        bool legacy;    /* it is inside one of those */
        uint8_t *block; /* that was decoded last, and behind it what it was made of; NULL: none yet */
        size_t block_n, block_at;
};

static bool lz4_skippable(uint32_t magic)
{
        return (magic & ~15u) == LZ4_SKIPPABLE;
}

static bool lz4_magic(uint32_t magic)
{
        return magic == LZ4_MAGIC || magic == LZ4_LEGACY;
}

/* The flags of the first frame: checksums of blocks, or of the content. */
static bool lz4_verifies(const uint8_t *head, size_t n)
{
        return n > 4 && head[4] & 0x14;
}

/* Skippable frames may come first. */
static bool lz4_probe(const uint8_t *head, size_t n)
{
        size_t at = 0;

        while (n - at >= 8 && lz4_skippable(lsr_le32(head + at))) {
                size_t size = (size_t)lsr_le32(head + at + 4) + 8;

                if (size > n - at)
                        return false;
                at += size;
        }
        return n - at >= 4 && lz4_magic(lsr_le32(head + at));
}

static int lz4_step(struct lsr_decoder *d, struct lsr_flow *flow)
{
        struct lz4 *l = (struct lz4 *)d;
        /* No more at a time than a block: an error takes with it all that its call decoded. */
        size_t in = flow->in_left < l->hint ? flow->in_left : l->hint, out = flow->out_left;
        size_t r = LZ4F_decompress(l->dctx, flow->out, &out, flow->in, &in, NULL);

        if (LZ4F_isError(r))
                return -EBADMSG;
        lsr_flow_move(flow, in, out);
        l->hint = r;
        return r == 0;
}

/* 0: a frame begins; 1: there is no further one; or an error. */
static int lz4_begin(struct lz4 *l)
{
        const uint8_t *p;
        ssize_t got = lsr_decoder_peek(&l->d, 4, &p);

        if (got < 0)
                return (int)got;
        if (l->found && got == 0)
                return 1;
        if (got < 4)
                return lsr_decoder_short(&l->d);
        if (!lz4_magic(lsr_le32(p)) && !lz4_skippable(lsr_le32(p)))
                return lsr_decoder_damaged(&l->d);
        l->legacy = lsr_le32(p) == LZ4_LEGACY;
        if (l->legacy)
                lsr_input_take(l->d.inner, 4);
        l->inside = true;
        l->hint = LZ4F_HEADER_SIZE_MIN;
        return 0;
}

/* 0: there is a block; 1: there is no further one; or an error. */
static int lz4_legacy_block(struct lz4 *l)
{
        const uint8_t *p;
        ssize_t got = lsr_decoder_peek(&l->d, 4, &p);
        uint32_t size;
        int n;

        if (got <= 0)
                return got < 0 ? (int)got : 1;
        if (got < 4)
                return lsr_decoder_short(&l->d);
        size = lsr_le32(p);
        if (lz4_magic(size) || lz4_skippable(size))
                return 1;
        if (size > LZ4_COMPRESSBOUND(LZ4_LEGACY_BLOCK))
                return lsr_decoder_damaged(&l->d);
        lsr_input_take(l->d.inner, 4);
        if (!l->block)
                l->block = lsr_xmalloc(LZ4_LEGACY_BLOCK + LZ4_COMPRESSBOUND(LZ4_LEGACY_BLOCK));
        got = lsr_input_read(l->d.inner, l->block + LZ4_LEGACY_BLOCK, size);
        if (got < 0) {
                l->d.what = l->d.inner->what;
                return (int)got;
        }
        if ((size_t)got < size)
                return lsr_decoder_short(&l->d);
        n = LZ4_decompress_safe((char *)l->block + LZ4_LEGACY_BLOCK, (char *)l->block, (int)size, LZ4_LEGACY_BLOCK);
        if (n < 0)
                return lsr_decoder_damaged(&l->d);
        l->block_n = (size_t)n;
        l->block_at = 0;
        return 0;
}

static int lz4_legacy(struct lz4 *l, uint8_t *buf, size_t size, size_t *ret_n)
{
        int r = l->block_at == l->block_n ? lz4_legacy_block(l) : 0;

        if (r)
                return r;
        if (size > l->block_n - l->block_at)
                size = l->block_n - l->block_at;
        if (size)
                memcpy(buf, l->block + l->block_at, size);
        l->block_at += size;
        *ret_n = size;
        return 0;
}

static int lz4_decode(struct lsr_decoder *d, uint8_t *buf, size_t size, size_t *ret_n)
{
        struct lz4 *l = (struct lz4 *)d;
        int r = l->inside ? 0 : lz4_begin(l);

        *ret_n = 0;
        if (r)
                return r;
        r = l->legacy ? lz4_legacy(l, buf, size, ret_n) : lsr_decoder_feed(d, buf, size, ret_n, lz4_step);
        if (r != 1)
                return r;
        l->inside = false;
        l->found = true;
        return 0;
}

static void lz4_free(struct lsr_decoder *d)
{
        LZ4F_freeDecompressionContext(((struct lz4 *)d)->dctx);
        free(((struct lz4 *)d)->block);
        lsr_input_free(d->inner);
        free(d);
}

static const struct lsr_decoder_ops lz4_ops = {
        .decode = lz4_decode,
        .free = lz4_free,
};

static int lz4_open(struct lsr_input **ret_input, struct lsr_input *inner, uint64_t window_max)
{
        struct lz4 *l;
        LZ4F_dctx *dctx;

        if (LZ4F_isError(LZ4F_createDecompressionContext(&dctx, LZ4F_VERSION)))
                return -ENOMEM;
        l = lsr_xmalloc(sizeof(*l));
        *l = (struct lz4){ .d = { .ops = &lz4_ops, .name = "lz4", .inner = inner }, .dctx = dctx };
        *ret_input = lsr_ahead_new(&l->d);
        return 0;
}

const struct lsr_filter lsr_filter_lz4 = {
        .name = "lz4",
        .suffixes = (const char *const[]){ ".lz4", NULL },
        .probe = lz4_probe,
        .verifies = lz4_verifies,
        .open = lz4_open,
};

/* --- frames written ---------------------------------------------------------------- */

static void *lz4_new_context(int level)
{
        LZ4F_preferences_t *prefs = lsr_xmalloc(sizeof(*prefs));

        *prefs = (LZ4F_preferences_t){
                .frameInfo = {
                        .blockSizeID = LZ4F_max4MB,
                        .contentChecksumFlag = LZ4F_contentChecksumEnabled,
                },
                .compressionLevel = level,
        };
        return prefs;
}

static size_t lz4_bound(void *context, size_t n)
{
        return LZ4F_compressFrameBound(n, context);
}

static size_t lz4_compress(void *context, const void *data, size_t n, void *out, size_t out_size)
{
        size_t r = LZ4F_compressFrame(out, out_size, data, n, context);

        return LZ4F_isError(r) ? 0 : r;
}

const struct lsr_codec lsr_codec_lz4 = {
        .level_min = 1,
        .level_max = 12,
        .level_default = 1,
        .piece = (size_t)4 << 20,
        .new = lz4_new_context,
        .free = free,
        .bound = lz4_bound,
        .compress = lz4_compress,
};
