/*
 * inflate - libdeflate and our own decoder behind two interfaces, inflate.h and deflate.h
 *
 * libdeflate cannot stream: it needs all input and room for all output.  So it
 * decodes buffers, and formats/inflate/ decodes streams.
 *
 * libdeflate also makes the pieces of a stream.  It marks the last block of
 * everything it makes as the last of the stream; the piece is inflated again to
 * find where that block begins, the mark is cleared there, and an empty block
 * fills the last byte.  Both together are still twice as fast as zlib alone.
 */
#include "formats/filter/inflate.h"

#include <errno.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "formats/filter/decode-ahead.h"
#include "formats/filter/crc.h"
#include "formats/filter/deflate.h"
#include "formats/inflate/stream.h"

uint32_t lsr_crc32(uint32_t crc, const void *data, size_t n)
{
        return libdeflate_crc32(crc, data, n);
}

#ifdef __aarch64__
void lsr_inflate_prepare(void)
{
        libdeflate_crc32(0, "", 0);
}
#else
void lsr_inflate_prepare(void)
{
}
#endif

int lsr_inflate_buffer(enum lsr_deflate kind, const void *data, size_t n, void *out, size_t out_size, size_t *ret_used,
                       size_t *ret_made)
{
        struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
        enum libdeflate_result r = LIBDEFLATE_BAD_DATA;
        size_t used = 0, made = 0;

        if (!d)
                return -ENOMEM;
        switch (kind) {
        case LSR_DEFLATE_RAW:
                r = libdeflate_deflate_decompress_ex(d, data, n, out, out_size, &used, &made);
                break;
        case LSR_DEFLATE_ZLIB:
                r = libdeflate_zlib_decompress_ex(d, data, n, out, out_size, &used, &made);
                break;
        case LSR_DEFLATE_GZIP:
                r = libdeflate_gzip_decompress_ex(d, data, n, out, out_size, &used, &made);
                break;
        }
        libdeflate_free_decompressor(d);
        if (r != LIBDEFLATE_SUCCESS)
                return r == LIBDEFLATE_INSUFFICIENT_SPACE ? -ENOSPC : -EBADMSG;
        *ret_used = used;
        *ret_made = made;
        return 0;
}

/* --- an input ------------------------------------------------------------------- */

enum inflate_part { INFLATE_ZLIB_HEAD, INFLATE_BODY, INFLATE_ZLIB_TAIL };

struct inflate_input {
        struct lsr_decoder d;
        struct lsr_inflate *z;
        enum inflate_part part;
        bool zlib;
        uint32_t adler;
};

static int inflate_step(struct lsr_decoder *d, struct lsr_flow *flow)
{
        return lsr_inflate_step(((struct inflate_input *)d)->z, flow);
}

/* RFC 1950: method and window, flags; their sum. */
static int inflate_head(struct inflate_input *i)
{
        const uint8_t *p;
        ssize_t got = lsr_decoder_peek(&i->d, 2, &p);

        if (got < 2)
                return got < 0 ? (int)got : lsr_decoder_short(&i->d);
        if ((p[0] << 8 | p[1]) % 31 != 0 || (p[0] & 15) != 8 || p[0] >> 4 > 7)
                return lsr_decoder_damaged(&i->d);
        if (p[1] & 0x20)
                return lsr_decoder_fail(&i->d, -EOPNOTSUPP, "zlib data need a dictionary");
        lsr_input_take(i->d.inner, 2);
        return 0;
}

static int inflate_tail(struct inflate_input *i)
{
        const uint8_t *p;
        ssize_t got = lsr_decoder_peek(&i->d, 4, &p);

        if (got < 4)
                return got < 0 ? (int)got : lsr_decoder_short(&i->d);
        if (lsr_be32(p) != i->adler)
                return lsr_decoder_damaged(&i->d);
        lsr_input_take(i->d.inner, 4);
        return 1;
}

static int inflate_decode(struct lsr_decoder *d, uint8_t *buf, size_t size, size_t *ret_n)
{
        struct inflate_input *i = (struct inflate_input *)d;
        int r = 0;

        *ret_n = 0;
        if (i->part == INFLATE_ZLIB_HEAD) {
                r = inflate_head(i);
                i->part = INFLATE_BODY;
        }
        if (r == 0 && i->part == INFLATE_BODY) {
                r = lsr_decoder_feed(d, buf, size, ret_n, inflate_step);
                if (!i->zlib)
                        return r;
                i->adler = libdeflate_adler32(i->adler, buf, *ret_n);
                if (r != 1)
                        return r;
                i->part = INFLATE_ZLIB_TAIL;
        }
        return r < 0 ? r : inflate_tail(i);
}

static void inflate_free(struct lsr_decoder *d)
{
        struct inflate_input *i = (struct inflate_input *)d;

        lsr_inflate_free(i->z);
        lsr_input_free(d->inner);
        free(i);
}

static const struct lsr_decoder_ops inflate_ops = {
        .decode = inflate_decode,
        .free = inflate_free,
};

int lsr_inflate_open(struct lsr_input **ret_input, struct lsr_input *inner, enum lsr_deflate kind)
{
        struct inflate_input *i;
        bool zlib = kind == LSR_DEFLATE_ZLIB;

        if (kind == LSR_DEFLATE_GZIP)
                return -EINVAL;
        i = lsr_xmalloc(sizeof(*i));
        *i = (struct inflate_input){
                .d = { .ops = &inflate_ops, .name = zlib ? "zlib" : "deflate", .inner = inner },
                .z = lsr_inflate_new(),
                .part = zlib ? INFLATE_ZLIB_HEAD : INFLATE_BODY,
                .zlib = zlib,
                .adler = 1,
        };
        *ret_input = lsr_ahead_new(&i->d);
        return 0;
}

/* --- the other direction ---------------------------------------------------------- */

#define DEFLATE_JOINT 5 /* bytes that an empty block behind a piece may take */

struct lsr_deflater {
        struct libdeflate_compressor *compressor;
        struct lsr_inflate *blocks; /* finds where they begin */
        uint8_t *inflated;
        size_t inflated_cap;
};

struct lsr_deflater *lsr_deflater_new(int level)
{
        struct lsr_deflater *d = lsr_xmalloc(sizeof(*d));

        *d = (struct lsr_deflater){ .compressor = libdeflate_alloc_compressor(level) };
        return d->compressor ? d : lsr_deflater_free(d);
}

struct lsr_deflater *lsr_deflater_free(struct lsr_deflater *d)
{
        if (!d)
                return NULL;
        libdeflate_free_compressor(d->compressor);
        lsr_inflate_free(d->blocks);
        free(d->inflated);
        free(d);
        return NULL;
}

size_t lsr_deflate_last(struct lsr_deflater *d, const void *data, size_t n, void *out, size_t out_size)
{
        return libdeflate_deflate_compress(d->compressor, data, n, out, out_size);
}

/* Where the last block of @made bytes begins and ends, in bits.  @n: bytes they inflate to. */
static bool deflate_last_block(struct lsr_deflater *d, const uint8_t *out, size_t made, size_t n, uint64_t *ret_begin,
                               uint64_t *ret_end)
{
        struct lsr_flow flow;

        if (!d->blocks)
                d->blocks = lsr_inflate_new();
        lsr_renew(&d->inflated, n, &d->inflated_cap);
        lsr_inflate_reset(d->blocks);
        flow = (struct lsr_flow){ .in = out, .in_left = made, .out = d->inflated, .out_left = n };
        if (lsr_inflate_step(d->blocks, &flow) != 1)
                return false;
        lsr_inflate_last_block(d->blocks, ret_begin, ret_end);
        return true;
}

size_t lsr_deflate_piece(struct lsr_deflater *d, const void *data, size_t n, void *out, size_t out_size)
{
        size_t room = out_size < DEFLATE_JOINT ? 0 : out_size - DEFLATE_JOINT, at;
        size_t made = libdeflate_deflate_compress(d->compressor, data, n, out, room);
        uint64_t begin, end;
        uint8_t *p = out;

        if (made == 0 || !deflate_last_block(d, out, made, n, &begin, &end))
                return 0;
        p[begin / 8] &= (uint8_t) ~(1u << begin % 8);
        /* Three bits are the head of the empty block, its length begins with the next byte. */
        at = end / 8;
        p[at] = end % 8 ? p[at] & ((1u << end % 8) - 1) : 0;
        if (end % 8 > 5)
                p[++at] = 0;
        memcpy(p + at + 1, "\0\0\xff\xff", 4);
        return at + 5;
}

void lsr_deflate_stored(uint8_t head[static LSR_DEFLATE_STORED_BYTES], size_t n, bool last)
{
        head[0] = last;
        lsr_put_le16(head + 1, (uint16_t)n);
        lsr_put_le16(head + 3, (uint16_t)~n);
}

uint32_t lsr_adler32(uint32_t adler, const void *data, size_t n)
{
        return libdeflate_adler32(adler, data, n);
}

uint32_t lsr_crc32_join(uint32_t first, uint32_t second, uint64_t n)
{
        return (uint32_t)crc32_combine(first, second, (z_off_t)n);
}

uint32_t lsr_adler32_join(uint32_t first, uint32_t second, uint64_t n)
{
        return (uint32_t)adler32_combine(first, second, (z_off_t)n);
}
