/*
 * filters-maker - data, compressed in every way, given in pieces, and what comes out of a filter
 */
#pragma once

#include <bzlib.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <lz4frame.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/bytes.h"
#include "formats/filter/crc.h"
#include "formats/drivers.h"

#define WINDOW_MAX ((uint64_t)1 << 30)
#define MIB ((size_t)1 << 20)

struct blob {
        uint8_t *data;
        size_t n;
};

struct result {
        uint8_t *data;
        size_t n;
        int error;
        char what[160]; /* "" for none */
        uint64_t source_at;
};

/* --- an input in pieces, that may fail in the end */

struct pieces {
        struct lsr_input in;
        const uint8_t *data;
        size_t n, at, size;
        int error;
        uint8_t *piece; /* a copy of each, so that use after the next call is seen */
};

static inline ssize_t pieces_next(struct lsr_input *in, const uint8_t **ret_data)
{
        struct pieces *p = (struct pieces *)in;
        size_t n = p->n - p->at < p->size ? p->n - p->at : p->size;

        free(p->piece);
        p->piece = NULL;
        if (n == 0) {
                in->what = p->error ? "the inner trouble" : NULL;
                return p->error;
        }
        p->piece = malloc(n);
        memcpy(p->piece, p->data + p->at, n);
        p->at += n;
        in->source_at = p->at;
        *ret_data = p->piece;
        return (ssize_t)n;
}

static inline void pieces_free(struct lsr_input *in)
{
        free(((struct pieces *)in)->piece);
        free(in);
}

static const struct lsr_input_ops pieces_ops = { .next = pieces_next, .free = pieces_free };

static inline struct lsr_input *pieces_new(struct blob b, size_t size, int error)
{
        struct pieces *p = lsr_input_alloc(sizeof(*p), &pieces_ops);

        p->data = b.data;
        p->n = b.n;
        p->size = size;
        p->error = error;
        return &p->in;
}

/* --- data and how they are compressed */

/* Text of a kind: compresses to a third. */
static inline struct blob data_new(size_t n, unsigned seed)
{
        struct blob b = { malloc(n + 1), n };
        uint64_t state = seed * 2654435761u + 1;

        for (size_t i = 0; i < n; i++) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                b.data[i] = state >> 60 < 9 && i > 40 ? b.data[i - 1 - (state >> 40) % 7] : (uint8_t)(state >> 50);
        }
        return b;
}

static inline void blob_free(struct blob b)
{
        free(b.data);
}

static inline struct blob blob_join(struct blob a, struct blob b)
{
        struct blob r = { malloc(a.n + b.n + 1), a.n + b.n };

        if (a.n)
                memcpy(r.data, a.data, a.n);
        if (b.n)
                memcpy(r.data + a.n, b.data, b.n);
        return r;
}

/* The same, and the parts are done with. */
static inline struct blob blob_add(struct blob a, struct blob b)
{
        struct blob r = blob_join(a, b);

        blob_free(a);
        blob_free(b);
        return r;
}

static inline struct blob blob_text(const char *text, size_t n)
{
        return blob_join((struct blob){ (uint8_t *)(uintptr_t)text, n }, (struct blob){});
}

static inline struct blob pack_deflate(struct blob in, int bits)
{
        z_stream z = {};
        struct blob out;

        cr_assert_eq(deflateInit2(&z, 6, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
        out = (struct blob){ malloc(deflateBound(&z, in.n) + 64), deflateBound(&z, in.n) + 64 };
        z.next_in = in.data;
        z.avail_in = (unsigned)in.n;
        z.next_out = out.data;
        z.avail_out = (unsigned)out.n;
        cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
        out.n = z.total_out;
        deflateEnd(&z);
        return out;
}

static inline struct blob pack_gzip(struct blob in)
{
        return pack_deflate(in, 15 + 16);
}

static inline struct blob pack_zstd_with(struct blob in, bool size, int window_log)
{
        ZSTD_CCtx *c = ZSTD_createCCtx();
        struct blob out = { malloc(ZSTD_compressBound(in.n) + 64), ZSTD_compressBound(in.n) + 64 };
        ZSTD_inBuffer from = { in.data, in.n, 0 };
        ZSTD_outBuffer to = { out.data, out.n, 0 };

        ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
        ZSTD_CCtx_setParameter(c, ZSTD_c_windowLog, window_log);
        if (size)
                ZSTD_CCtx_setPledgedSrcSize(c, in.n);
        else
                ZSTD_compressStream2(c, &to, &(ZSTD_inBuffer){ in.data, 0, 0 }, ZSTD_e_flush);
        cr_assert_eq(ZSTD_compressStream2(c, &to, &from, ZSTD_e_end), 0);
        ZSTD_freeCCtx(c);
        out.n = to.pos;
        return out;
}

static inline struct blob pack_zstd(struct blob in)
{
        return pack_zstd_with(in, true, 0);
}

static inline struct blob pack_lzma_run(lzma_stream *s, struct blob in)
{
        struct blob out = { malloc(in.n * 2 + 65536), in.n * 2 + 65536 };

        s->next_in = in.data;
        s->avail_in = in.n;
        s->next_out = out.data;
        s->avail_out = out.n;
        cr_assert_eq(lzma_code(s, LZMA_FINISH), LZMA_STREAM_END);
        out.n = s->total_out;
        lzma_end(s);
        return out;
}

static inline struct blob pack_xz(struct blob in)
{
        lzma_stream s = LZMA_STREAM_INIT;

        cr_assert_eq(lzma_easy_encoder(&s, 0, LZMA_CHECK_CRC64), LZMA_OK);
        return pack_lzma_run(&s, in);
}

/* Many blocks, with sizes. */
static inline struct blob pack_xz_blocks(struct blob in)
{
        lzma_stream s = LZMA_STREAM_INIT;
        lzma_mt mt = { .threads = 2, .block_size = 1 << 20, .check = LZMA_CHECK_CRC32 };

        cr_assert_eq(lzma_stream_encoder_mt(&s, &mt), LZMA_OK);
        return pack_lzma_run(&s, in);
}

static inline struct blob pack_lzma(struct blob in)
{
        lzma_stream s = LZMA_STREAM_INIT;
        lzma_options_lzma o = {};

        lzma_lzma_preset(&o, 0);
        cr_assert_eq(lzma_alone_encoder(&s, &o), LZMA_OK);
        return pack_lzma_run(&s, in);
}

static inline struct blob pack_lzip(struct blob in)
{
        lzma_stream s = LZMA_STREAM_INIT;
        lzma_options_lzma o = {};
        lzma_filter filters[] = { { LZMA_FILTER_LZMA1, &o }, { LZMA_VLI_UNKNOWN, NULL } };
        uint8_t tail[20];
        struct blob body;

        lzma_lzma_preset(&o, 0);
        o.dict_size = 1 << 20;
        cr_assert_eq(lzma_raw_encoder(&s, filters), LZMA_OK);
        body = pack_lzma_run(&s, in);
        lsr_put_le32(tail, lsr_crc32(0, in.data, in.n));
        lsr_put_le64(tail + 4, in.n);
        lsr_put_le64(tail + 12, body.n + 26);
        body = blob_add(blob_text("LZIP\1\x14", 6), body);
        return blob_add(body, blob_text((char *)tail, 20));
}

static inline struct blob pack_bzip2(struct blob in)
{
        unsigned n = (unsigned)(in.n + in.n / 50 + 1000);
        struct blob out = { malloc(n), 0 };

        cr_assert_eq(BZ2_bzBuffToBuffCompress((char *)out.data, &n, (char *)in.data, (unsigned)in.n, 1, 0, 0), BZ_OK);
        out.n = n;
        return out;
}

static inline struct blob pack_lz4(struct blob in)
{
        LZ4F_preferences_t p = { .frameInfo = { .contentChecksumFlag = LZ4F_contentChecksumEnabled } };
        struct blob out = { malloc(LZ4F_compressFrameBound(in.n, &p)), LZ4F_compressFrameBound(in.n, &p) };

        out.n = LZ4F_compressFrame(out.data, out.n, in.data, in.n, &p);
        cr_assert_not(LZ4F_isError(out.n));
        return out;
}

struct codec {
        const struct lsr_filter *filter;
        struct blob (*pack)(struct blob in);
        bool joins;  /* one after another is data too */
        bool checks; /* there is a checksum */
};

static const struct codec codecs[] = {
        { &lsr_filter_gzip, pack_gzip, true, true },   { &lsr_filter_zstd, pack_zstd, true, true },
        { &lsr_filter_xz, pack_xz, true, true },       { &lsr_filter_xz, pack_xz_blocks, true, true },
        { &lsr_filter_bzip2, pack_bzip2, true, true }, { &lsr_filter_lz4, pack_lz4, true, true },
        { &lsr_filter_lzip, pack_lzip, true, true },   { &lsr_filter_lzma, pack_lzma, false, false },
};

#define CODECS (sizeof(codecs) / sizeof(*codecs))

/* --- what comes out */

static inline struct result result_of(struct lsr_input *in)
{
        struct result r = {};
        size_t cap = 0;
        const uint8_t *p;
        ssize_t got;

        while ((got = lsr_input_peek(in, 1, &p)) > 0) {
                if (cap - r.n < (size_t)got) {
                        cap = (r.n + (size_t)got) * 2;
                        r.data = realloc(r.data, cap);
                }
                memcpy(r.data + r.n, p, (size_t)got);
                r.n += (size_t)got;
                lsr_input_take(in, (size_t)got);
                cr_assert_eq(in->at, r.n);
        }
        r.error = (int)got;
        /* It stays so. */
        cr_assert_eq(lsr_input_peek(in, 1, &p), got);
        if (in->what)
                snprintf(r.what, sizeof(r.what), "%s", in->what);
        r.source_at = in->source_at;
        lsr_input_free(in);
        return r;
}

static inline struct lsr_input *filter_open(const struct lsr_filter *f, struct lsr_input *inner, uint64_t window_max)
{
        struct lsr_input *in;

        cr_assert_eq(f->open(&in, inner, window_max), 0);
        return in;
}

/* @size of the pieces; 0: memory. */
static inline struct result unpack(const struct lsr_filter *f, struct blob b, size_t size)
{
        struct lsr_input *inner = size ? pieces_new(b, size, 0) : lsr_input_memory(b.data, b.n);

        return result_of(filter_open(f, inner, WINDOW_MAX));
}

static inline bool result_begins(const struct result *r, struct blob data)
{
        return r->n <= data.n && (r->n == 0 || memcmp(r->data, data.data, r->n) == 0);
}

static inline void expect(struct result r, struct blob data, const char *name, size_t k)
{
        cr_assert_eq(r.error, 0, "%s, %zu: %d, %s", name, k, r.error, r.what);
        cr_assert_eq(r.n, data.n, "%s, %zu: %zu bytes, not %zu", name, k, r.n, data.n);
        cr_assert(result_begins(&r, data), "%s, %zu", name, k);
        cr_assert_str_eq(r.what, "");
        free(r.data);
}

/* All that was whole, and then an error which says @what. */
static inline void expect_error(struct result r, struct blob data, size_t at_least, int error, const char *what)
{
        cr_assert_eq(r.error, error, "%d, %s", r.error, r.what);
        cr_assert(result_begins(&r, data));
        cr_assert_geq(r.n, at_least, "%zu of %zu", r.n, at_least);
        cr_assert(strstr(r.what, what), "'%s' has no '%s'", r.what, what);
        free(r.data);
}

/* The same where wrong bytes may come before damage is noticed: the first @n are right. */
static inline void expect_damage(struct result r, struct blob data, size_t n)
{
        cr_assert_eq(r.error, -EBADMSG, "%d, %s", r.error, r.what);
        cr_assert(strstr(r.what, " byte "), "%s", r.what);
        cr_assert_geq(r.n, n);
        cr_assert_eq(memcmp(r.data, data.data, n), 0);
        free(r.data);
}
