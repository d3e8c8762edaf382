/*
 * inflate - zlib and libdeflate behind one face
 *
 * libdeflate is two to three times as fast as zlib, and cannot stream: it wants
 * all input and room for all output.  So buffers are its work, and streams are
 * zlib's, without zlib's CRC-32, which costs a third as much as inflating.
 */
#include "formats/inflate.h"

#include <errno.h>
#include <libdeflate.h>
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/arena.h"
#include "formats/ahead.h"
#include "formats/crc.h"

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
        (void)ctx;
        return lsr_xmalloc((size_t)n * size);
}

static void inflate_dealloc(void *ctx, void *p)
{
        (void)ctx;
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
        in -= z->z.avail_in;
        out -= z->z.avail_out;
        flow->in += in;
        flow->in_left -= in;
        flow->out += out;
        flow->out_left -= out;
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
