/*
 * inflate - zlib and libdeflate behind two interfaces, inflate.h and deflate.h
 *
 * libdeflate is two to three times as fast as zlib, but cannot stream: it
 * needs all input and room for all output.  So it decodes buffers, and zlib
 * decodes streams, without zlib's CRC-32, which costs a third as much as
 * inflating.
 *
 * libdeflate also makes the pieces of a stream.  It marks the last block of
 * everything it makes as the last of the stream; zlib inflates it again up to
 * the beginning of that block, the mark is cleared there, and an empty block
 * fills the last byte.  Both together are still twice as fast as zlib alone.
 */
#include "formats/inflate.h"

#include <errno.h>
#include <libdeflate.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "formats/ahead.h"
#include "formats/crc.h"
#include "formats/deflate.h"

uint32_t lsr_crc32(uint32_t crc, const void *data, size_t n)
{
        return libdeflate_crc32(crc, data, n);
}

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

/* --- streams ------------------------------------------------------------------- */

struct lsr_inflate {
        z_stream z;
};

static void *inflate_alloc(void *ctx, unsigned n, unsigned size)
{
        return lsr_xmalloc((size_t)n * size);
}

static void inflate_dealloc(void *ctx, void *p)
{
        free(p);
}

int lsr_inflate_new(struct lsr_inflate **ret_inflate, enum lsr_deflate kind)
{
        struct lsr_inflate *z = lsr_xmalloc(sizeof(*z));

        *z = (struct lsr_inflate){ .z = { .zalloc = inflate_alloc, .zfree = inflate_dealloc } };
        if (inflateInit2(&z->z, kind == LSR_DEFLATE_RAW ? -MAX_WBITS : MAX_WBITS) != Z_OK) {
                free(z);
                return -ELIBBAD;
        }
        *ret_inflate = z;
        return 0;
}

struct lsr_inflate *lsr_inflate_free(struct lsr_inflate *z)
{
        if (z)
                inflateEnd(&z->z);
        free(z);
        return NULL;
}

void lsr_inflate_reset(struct lsr_inflate *z)
{
        inflateReset(&z->z);
}

int lsr_inflate_step(struct lsr_inflate *z, struct lsr_flow *flow)
{
        unsigned in = flow->in_left < UINT_MAX ? (unsigned)flow->in_left : UINT_MAX;
        unsigned out = flow->out_left < UINT_MAX ? (unsigned)flow->out_left : UINT_MAX;
        int r;

        z->z.next_in = (uint8_t *)(uintptr_t)flow->in;
        z->z.avail_in = in;
        z->z.next_out = flow->out;
        z->z.avail_out = out;
        r = inflate(&z->z, Z_NO_FLUSH);
        lsr_flow_move(flow, in - z->z.avail_in, out - z->z.avail_out);
        switch (r) {
        case Z_STREAM_END:
                return 1;
        case Z_OK:
        case Z_BUF_ERROR:
                return 0;
        case Z_NEED_DICT:
                return -EOPNOTSUPP;
        default:
                return -EBADMSG;
        }
}

/* --- an input ------------------------------------------------------------------- */

struct inflate_input {
        struct lsr_decoder d;
        struct lsr_inflate *z;
};

static int inflate_step(struct lsr_decoder *d, struct lsr_flow *flow)
{
        int r = lsr_inflate_step(((struct inflate_input *)d)->z, flow);

        return r == -EOPNOTSUPP ? lsr_decoder_fail(d, r, "zlib data need a dictionary") : r;
}

static int inflate_decode(struct lsr_decoder *d, uint8_t *buf, size_t size, size_t *ret_n)
{
        *ret_n = 0;
        return lsr_decoder_feed(d, buf, size, ret_n, inflate_step);
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
        struct lsr_inflate *z;
        int r = kind == LSR_DEFLATE_GZIP ? -EINVAL : lsr_inflate_new(&z, kind);

        if (r < 0)
                return r;
        i = lsr_xmalloc(sizeof(*i));
        *i = (struct inflate_input){
                .d = { .ops = &inflate_ops, .name = kind == LSR_DEFLATE_RAW ? "deflate" : "zlib", .inner = inner },
                .z = z,
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
static bool deflate_last_block(struct lsr_deflater *d, uint8_t *out, size_t made, size_t n, uint64_t *ret_begin,
                               uint64_t *ret_end)
{
        uint64_t begin = 0;
        z_stream *z;
        int r;

        if (!d->blocks && lsr_inflate_new(&d->blocks, LSR_DEFLATE_RAW) < 0)
                return false;
        lsr_renew(&d->inflated, n, &d->inflated_cap);
        lsr_inflate_reset(d->blocks);
        z = &d->blocks->z;
        z->next_in = out;
        z->avail_in = (unsigned)made;
        z->next_out = d->inflated;
        z->avail_out = (unsigned)n;
        while ((r = inflate(z, Z_BLOCK)) == Z_OK) {
                uint64_t at = (uint64_t)z->total_in * 8 - (z->data_type & 7);

                /* 128: between blocks; 64: behind the last one */
                if ((z->data_type & 192) == 192) {
                        *ret_begin = begin;
                        *ret_end = at;
                        return true;
                }
                if (z->data_type & 128)
                        begin = at;
        }
        return false;
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
