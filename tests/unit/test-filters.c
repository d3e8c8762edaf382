/* Filters: whatever pieces they get, the data come out; cut short or damaged, what is whole comes out before the error. */
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
#include "formats/crc.h"
#include "formats/drivers.h"
#include "formats/inflate.h"
#include "formats/xz.h"

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

static ssize_t pieces_next(struct lsr_input *in, const uint8_t **ret_data)
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

static void pieces_free(struct lsr_input *in)
{
        free(((struct pieces *)in)->piece);
        free(in);
}

static const struct lsr_input_ops pieces_ops = { .next = pieces_next, .free = pieces_free };

static struct lsr_input *pieces_new(struct blob b, size_t size, int error)
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
static struct blob data_new(size_t n, unsigned seed)
{
        struct blob b = { malloc(n + 1), n };
        uint64_t state = seed * 2654435761u + 1;

        for (size_t i = 0; i < n; i++) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                b.data[i] = state >> 60 < 9 && i > 40 ? b.data[i - 1 - (state >> 40) % 7] : (uint8_t)(state >> 50);
        }
        return b;
}

static void blob_free(struct blob b)
{
        free(b.data);
}

static struct blob blob_join(struct blob a, struct blob b)
{
        struct blob r = { malloc(a.n + b.n + 1), a.n + b.n };

        if (a.n)
                memcpy(r.data, a.data, a.n);
        if (b.n)
                memcpy(r.data + a.n, b.data, b.n);
        return r;
}

/* The same, and the parts are done with. */
static struct blob blob_add(struct blob a, struct blob b)
{
        struct blob r = blob_join(a, b);

        blob_free(a);
        blob_free(b);
        return r;
}

static struct blob blob_text(const char *text, size_t n)
{
        return blob_join((struct blob){ (uint8_t *)(uintptr_t)text, n }, (struct blob){});
}

static struct blob pack_deflate(struct blob in, int bits)
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

static struct blob pack_gzip(struct blob in)
{
        return pack_deflate(in, 15 + 16);
}

static struct blob pack_zstd_with(struct blob in, bool size, int window_log)
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

static struct blob pack_zstd(struct blob in)
{
        return pack_zstd_with(in, true, 0);
}

static struct blob pack_lzma_run(lzma_stream *s, struct blob in)
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

static struct blob pack_xz(struct blob in)
{
        lzma_stream s = LZMA_STREAM_INIT;

        cr_assert_eq(lzma_easy_encoder(&s, 0, LZMA_CHECK_CRC64), LZMA_OK);
        return pack_lzma_run(&s, in);
}

/* Many blocks, with sizes. */
static struct blob pack_xz_blocks(struct blob in)
{
        lzma_stream s = LZMA_STREAM_INIT;
        lzma_mt mt = { .threads = 2, .block_size = 1 << 20, .check = LZMA_CHECK_CRC32 };

        cr_assert_eq(lzma_stream_encoder_mt(&s, &mt), LZMA_OK);
        return pack_lzma_run(&s, in);
}

static struct blob pack_lzma(struct blob in)
{
        lzma_stream s = LZMA_STREAM_INIT;
        lzma_options_lzma o = {};

        lzma_lzma_preset(&o, 0);
        cr_assert_eq(lzma_alone_encoder(&s, &o), LZMA_OK);
        return pack_lzma_run(&s, in);
}

static struct blob pack_lzip(struct blob in)
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

static struct blob pack_bzip2(struct blob in)
{
        unsigned n = (unsigned)(in.n + in.n / 50 + 1000);
        struct blob out = { malloc(n), 0 };

        cr_assert_eq(BZ2_bzBuffToBuffCompress((char *)out.data, &n, (char *)in.data, (unsigned)in.n, 1, 0, 0), BZ_OK);
        out.n = n;
        return out;
}

static struct blob pack_lz4(struct blob in)
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

static struct result result_of(struct lsr_input *in)
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

static struct lsr_input *filter_open(const struct lsr_filter *f, struct lsr_input *inner, uint64_t window_max)
{
        struct lsr_input *in;

        cr_assert_eq(f->open(&in, inner, window_max), 0);
        return in;
}

/* @size of the pieces; 0: memory. */
static struct result unpack(const struct lsr_filter *f, struct blob b, size_t size)
{
        struct lsr_input *inner = size ? pieces_new(b, size, 0) : lsr_input_memory(b.data, b.n);

        return result_of(filter_open(f, inner, WINDOW_MAX));
}

static bool result_begins(const struct result *r, struct blob data)
{
        return r->n <= data.n && (r->n == 0 || memcmp(r->data, data.data, r->n) == 0);
}

static void expect(struct result r, struct blob data, const char *name, size_t k)
{
        cr_assert_eq(r.error, 0, "%s, %zu: %d, %s", name, k, r.error, r.what);
        cr_assert_eq(r.n, data.n, "%s, %zu: %zu bytes, not %zu", name, k, r.n, data.n);
        cr_assert(result_begins(&r, data), "%s, %zu", name, k);
        cr_assert_str_eq(r.what, "");
        free(r.data);
}

/* All that was whole, and then an error which says @what. */
static void expect_error(struct result r, struct blob data, size_t at_least, int error, const char *what)
{
        cr_assert_eq(r.error, error, "%d, %s", r.error, r.what);
        cr_assert(result_begins(&r, data));
        cr_assert_geq(r.n, at_least, "%zu of %zu", r.n, at_least);
        cr_assert(strstr(r.what, what), "'%s' has no '%s'", r.what, what);
        free(r.data);
}

/* The same where wrong bytes may come before damage is noticed: the first @n are right. */
static void expect_damage(struct result r, struct blob data, size_t n)
{
        cr_assert_eq(r.error, -EBADMSG, "%d, %s", r.error, r.what);
        cr_assert(strstr(r.what, " byte "), "%s", r.what);
        cr_assert_geq(r.n, n);
        cr_assert_eq(memcmp(r.data, data.data, n), 0);
        free(r.data);
}

/* --- the tests for all */

Test(filters, sizes)
{
        static const size_t sizes[] = { 0,      1,      100, 65535,   65536,   65537,       262143,
                                        262144, 262145, MIB, MIB + 1, 1310720, 5 * MIB + 3, 0 };

        for (size_t c = 0; c < CODECS; c++)
                for (size_t i = 0; i == 0 || sizes[i]; i++) {
                        struct blob data = data_new(sizes[i], (unsigned)i), packed = codecs[c].pack(data);
                        const char *name = codecs[c].filter->name;

                        cr_assert(codecs[c].filter->probe(packed.data, packed.n), "%s, %zu", name, sizes[i]);
                        expect(unpack(codecs[c].filter, packed, 0), data, name, sizes[i]);
                        expect(unpack(codecs[c].filter, packed, 65536), data, name, sizes[i]);
                        if (sizes[i] <= MIB)
                                expect(unpack(codecs[c].filter, packed, 7), data, name, sizes[i]);
                        if (sizes[i] <= 65537)
                                expect(unpack(codecs[c].filter, packed, 1), data, name, sizes[i]);
                        blob_free(data);
                        blob_free(packed);
                }
}

Test(filters, joined)
{
        static const size_t sizes[][4] = {
                { 5, 0, 1, 0 }, { 0, 0, 0, 0 }, { 300000, 100, 262144, 1 }, { 3000000, 2000000, 10, 4000000 }
        };

        for (size_t c = 0; c < CODECS; c++)
                for (size_t s = 0; s < 4 && codecs[c].joins; s++) {
                        struct blob data = {}, packed = {};

                        for (size_t i = 0; i < 4; i++) {
                                struct blob part = data_new(sizes[s][i], (unsigned)i);

                                packed = blob_add(packed, codecs[c].pack(part));
                                data = blob_add(data, part);
                        }
                        expect(unpack(codecs[c].filter, packed, 0), data, codecs[c].filter->name, s);
                        expect(unpack(codecs[c].filter, packed, 10007), data, codecs[c].filter->name, s);
                        blob_free(data);
                        blob_free(packed);
                }
}

/* Cut anywhere: a prefix and an error, except exactly between the two. */
Test(filters, bad_truncated)
{
        for (size_t c = 0; c < CODECS; c++) {
                struct blob one = data_new(300, 1), two = data_new(200, 2), data = blob_join(one, two);
                struct blob first = codecs[c].pack(one), packed = first;
                bool lzip = codecs[c].filter == &lsr_filter_lzip;

                if (codecs[c].joins)
                        packed = blob_add(blob_join(first, (struct blob){}), codecs[c].pack(two));
                for (size_t cut = 0; cut < packed.n; cut++) {
                        /* In memory of its own, for the sanitizer. */
                        struct blob part = blob_join((struct blob){ packed.data, cut }, (struct blob){});

                        for (size_t size = 0; size < 20; size += 19) {
                                struct result r = unpack(codecs[c].filter, part, size);

                                cr_assert(result_begins(&r, data), "%s cut at %zu", codecs[c].filter->name, cut);
                                if (cut == first.n || (lzip && cut > first.n && cut < first.n + 4))
                                        cr_assert_eq(r.error, 0, "%s cut at %zu: %s", codecs[c].filter->name, cut,
                                                     r.what);
                                else
                                        cr_assert(r.error == -EBADMSG && strstr(r.what, "data end too early, at byte"),
                                                  "%s cut at %zu of %zu: %d %s", codecs[c].filter->name, cut, packed.n,
                                                  r.error, r.what);
                                cr_assert(cut < first.n || r.n >= one.n);
                                free(r.data);
                        }
                        blob_free(part);
                }
                if (packed.data != first.data)
                        blob_free(packed);
                blob_free(first);
                blob_free(one);
                blob_free(two);
                blob_free(data);
        }
}

/* Each bit of each byte: an error, or no change; a second unit may become something that is not one. */
Test(filters, hostile_bits)
{
        for (size_t c = 0; c < CODECS; c++) {
                struct blob one = data_new(250, 1), two = data_new(120, 2), data = blob_join(one, two);
                struct blob packed = codecs[c].pack(codecs[c].joins ? one : data);

                if (codecs[c].joins)
                        packed = blob_add(packed, codecs[c].pack(two));
                for (size_t i = 0; i < packed.n * 8; i++) {
                        struct result r;

                        packed.data[i / 8] ^= (uint8_t)(1 << i % 8);
                        r = result_of(filter_open(codecs[c].filter, lsr_input_memory(packed.data, packed.n), 64 * MIB));
                        if (codecs[c].checks && r.error == 0)
                                cr_assert(result_begins(&r, data) && (r.n == data.n || (r.what[0] && r.n == one.n) ||
                                                                      codecs[c].filter == &lsr_filter_lzip),
                                          "%s, bit %zu: %zu bytes, '%s'", codecs[c].filter->name, i, r.n, r.what);
                        if (r.error && r.error != -ENOMEM)
                                cr_assert(r.what[0], "%s, bit %zu: %d", codecs[c].filter->name, i, r.error);
                        free(r.data);
                        packed.data[i / 8] ^= (uint8_t)(1 << i % 8);
                }
                blob_free(packed);
                blob_free(one);
                blob_free(two);
                blob_free(data);
        }
}

Test(filters, bad_large)
{
        for (size_t c = 0; c < CODECS; c++) {
                struct blob data = data_new(5 * MIB, 3), packed = codecs[c].pack(data);

                /* Cut: nearly all that is before comes. */
                expect_error(unpack(codecs[c].filter, (struct blob){ packed.data, packed.n - 1000 }, 65536), data,
                             4 * MIB, -EBADMSG, "data end too early, at byte");
                /* Damaged in the middle. */
                if (codecs[c].checks) {
                        memset(packed.data + packed.n / 2, 0x55, 1000);
                        expect_damage(unpack(codecs[c].filter, packed, 65536), data, data.n / 4);
                }
                blob_free(data);
                blob_free(packed);
        }
}

Test(filters, inner_error)
{
        for (size_t c = 0; c < CODECS; c++)
                for (size_t mib = 0; mib < 6; mib += 5) {
                        struct blob data = data_new(mib * MIB + 500, 3), packed = codecs[c].pack(data);
                        struct blob part = { packed.data, packed.n - 20 };
                        struct lsr_input *inner = pieces_new(part, 65536, -EIO);

                        expect_error(result_of(filter_open(codecs[c].filter, inner, WINDOW_MAX)), data, 0, -EIO,
                                     "the inner trouble");
                        blob_free(data);
                        blob_free(packed);
                }
}

/* Freed at any time: at once, without a thread, and with one at work. */
Test(filters, freed_early)
{
        static const size_t reads[] = { 0, 1, MIB, MIB + 300000, 3 * MIB };

        for (size_t c = 0; c < CODECS; c++) {
                struct blob data = data_new(5 * MIB, 3), packed = codecs[c].pack(data);

                for (size_t i = 0; i < sizeof(reads) / sizeof(*reads); i++) {
                        struct lsr_input *in = filter_open(codecs[c].filter, pieces_new(packed, 65536, 0), WINDOW_MAX);

                        cr_assert_eq(lsr_input_skip(in, reads[i]), 0);
                        lsr_input_free(in);
                }
                blob_free(data);
                blob_free(packed);
        }
}

Test(filters, on_each_other)
{
        struct blob data = data_new(5 * MIB, 4), gz = pack_gzip(data), xz = pack_xz_blocks(gz);
        struct lsr_input *in = filter_open(&lsr_filter_xz, pieces_new(xz, 65536, 0), WINDOW_MAX);
        struct result r = result_of(filter_open(&lsr_filter_gzip, in, WINDOW_MAX));

        cr_assert_eq(r.source_at, xz.n);
        expect(r, data, "gzip in xz", 0);
        in = filter_open(&lsr_filter_xz, pieces_new((struct blob){ xz.data, xz.n / 2 }, 65536, 0), WINDOW_MAX);
        expect_error(result_of(filter_open(&lsr_filter_gzip, in, WINDOW_MAX)), data, 10000, -EBADMSG,
                     "xz data end too early");
        blob_free(data);
        blob_free(gz);
        blob_free(xz);
}

/* A range of a file that is at the bottom: how far the decoder is. */
Test(filters, source_at)
{
        struct blob data = data_new(400000, 4), packed = pack_bzip2(data);
        struct lsr_input *in = filter_open(&lsr_filter_bzip2, lsr_input_memory(packed.data, packed.n), WINDOW_MAX);
        const uint8_t *p;

        cr_assert_gt(lsr_input_peek(in, 1, &p), 0);
        cr_assert_gt(in->source_at, packed.n / 4);
        cr_assert_lt(in->source_at, packed.n);
        cr_assert_eq(lsr_input_skip(in, data.n), 0);
        cr_assert_eq(lsr_input_peek(in, 1, &p), 0);
        cr_assert_eq(in->source_at, packed.n);
        lsr_input_free(in);
        blob_free(data);
        blob_free(packed);
}

Test(filters, probes)
{
        struct blob data = data_new(1000, 5);

        for (size_t c = 0; c < CODECS; c++) {
                struct blob packed = codecs[c].pack(data);

                for (size_t f = 0; lsr_filters[f]; f++) {
                        cr_assert_eq(lsr_filters[f]->probe(packed.data, packed.n), lsr_filters[f] == codecs[c].filter);
                        cr_assert_not(lsr_filters[f]->probe(packed.data, 0));
                        cr_assert_not(lsr_filters[f]->probe(packed.data, 2));
                        cr_assert_not(lsr_filters[f]->probe(data.data, data.n));
                }
                blob_free(packed);
        }
        blob_free(data);
}

Test(filters, probe_lzma)
{
        static const char good[] = "\x5d\0\0\x10\0\xff\xff\xff\xff\xff\xff\xff\xff\0";
        static const struct {
                unsigned at;
                uint8_t value;
                bool is;
        } changes[] = { { 0, 0x5e, false }, { 1, 1, false },     { 2, 0x08, false }, { 3, 0x18, true }, { 3, 0, false },
                        { 4, 0x80, false }, { 12, 0xfe, false }, { 5, 0, false },    { 13, 1, false } };

        cr_assert(lsr_filter_lzma.probe((const uint8_t *)good, 14));
        cr_assert_not(lsr_filter_lzma.probe((const uint8_t *)good, 13));
        for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
                uint8_t head[14];

                memcpy(head, good, 14);
                head[changes[i].at] = changes[i].value;
                cr_assert_eq(lsr_filter_lzma.probe(head, 14), changes[i].is, "%zu", i);
        }
}

/* --- gzip */

static struct result unpack_more(struct blob packed, const char *more, size_t n, size_t size)
{
        struct blob tail = blob_text(more, n), all = blob_join(packed, tail);
        struct result r = unpack(&lsr_filter_gzip, all, size);

        blob_free(tail);
        blob_free(all);
        return r;
}

Test(filters, gzip_trailing)
{
        static const size_t sizes[] = { 100, 5 * MIB };

        for (size_t s = 0; s < 2; s++)
                for (size_t size = 0; size <= 5000; size += 5000) {
                        struct blob data = data_new(sizes[s], 6), packed = pack_gzip(data);
                        static const char zeros[6000];
                        struct result r;

                        expect(unpack_more(packed, zeros, 1, size), data, "one zero", s);
                        expect(unpack_more(packed, zeros, 6000, size), data, "zeros", s);
                        r = unpack_more(packed, "\0\0\0junk", 7, size);
                        cr_assert(strstr(r.what, "is ignored"));
                        r.what[0] = 0;
                        expect(r, data, "junk", s);
                        r = unpack_more(packed, "\x1f\x8a", 2, size);
                        cr_assert(strstr(r.what, "is ignored"));
                        r.what[0] = 0;
                        expect(r, data, "nearly", s);
                        expect_error(unpack_more(packed, "\x1f", 1, size), data, data.n, -EBADMSG, "early");
                        expect_error(unpack_more(packed, "\x1f\x8b", 2, size), data, data.n, -EBADMSG, "early");
                        expect_error(unpack_more(packed, "\x1f\x8b\x08\0\0\0\0\0\0", 9, size), data, data.n, -EBADMSG,
                                     "early");
                        expect_error(unpack_more(packed, "\x1f\x8b\x07\0\0\0\0\0\0\0", 10, size), data, data.n,
                                     -EOPNOTSUPP, "method 7");
                        blob_free(data);
                        blob_free(packed);
                }
}

/* Everything a header can have. */
Test(filters, gzip_header)
{
        static const char head[] = "\x1f\x8b\x08\x1e\0\0\0\0\0\x03"
                                   "\x05\0extra"
                                   "name\0"
                                   "a comment";
        struct blob data = data_new(1000, 7), body = pack_gzip(data), h = blob_text(head, sizeof(head));
        uint16_t crc = (uint16_t)lsr_crc32(0, h.data, h.n);
        char sum[2] = { (char)crc, (char)(crc >> 8) };
        struct blob packed = blob_add(blob_add(h, blob_text(sum, 2)), blob_text((char *)body.data + 10, body.n - 10));
        struct blob two = blob_join(packed, packed), twice = blob_join(data, data);

        /* In memory libdeflate passes over it; bytes that are no member send all to the other way. */
        expect(unpack(&lsr_filter_gzip, two, 0), twice, "header", 0);
        for (size_t size = 1; size < 50; size++) {
                struct blob junk = blob_text("\0\0\0\xff", 4), all = blob_join(two, junk);
                struct result r = unpack(&lsr_filter_gzip, all, size);

                r.what[0] = 0;
                expect(r, twice, "header", size);
                all.data[12]++;
                expect_error(unpack(&lsr_filter_gzip, all, size), data, 0, -EBADMSG, "damaged at byte 32");
                blob_free(junk);
                blob_free(all);
        }
        blob_free(data);
        blob_free(body);
        blob_free(packed);
        blob_free(two);
        blob_free(twice);
}

/* A wrong sum or size at the end of a large one: all data, and an error. */
Test(filters, bad_gzip_sum)
{
        for (size_t mib = 1; mib < 6; mib += 4)
                for (size_t back = 1; back <= 8; back += 7) {
                        struct blob data = data_new(mib * MIB, 8), packed = pack_gzip(data);

                        packed.data[packed.n - back] ^= 0x40;
                        expect_error(unpack(&lsr_filter_gzip, packed, 65536), data, data.n, -EBADMSG, "checksum");
                        blob_free(data);
                        blob_free(packed);
                }
}

/* As bgzip writes: blocks that say how long they are, and an empty one. */
Test(filters, gzip_blocks)
{
        for (size_t s = 0; s < 2; s++) {
                struct blob data = data_new(s ? 5 * MIB : 300000, 9), packed = { malloc(data.n * 2), 0 };
                size_t damage = 0;

                for (size_t at = 0; at <= data.n; at += 65280) {
                        size_t n = data.n - at < 65280 ? data.n - at : 65280;
                        struct blob body = pack_gzip((struct blob){ data.data + at, n });
                        uint8_t *p = packed.data + packed.n;

                        memcpy(p, "\x1f\x8b\x08\x04\0\0\0\0\0\xff\6\0BC\2\0", 16);
                        p[16] = (uint8_t)(body.n + 7);
                        p[17] = (uint8_t)((body.n + 7) >> 8);
                        memcpy(p + 18, body.data + 10, body.n - 10);
                        packed.n += body.n + 8;
                        if (at / 65280 == 3)
                                damage = packed.n - 6;
                        blob_free(body);
                }
                expect(unpack(&lsr_filter_gzip, packed, 0), data, "blocks", s);
                expect(unpack(&lsr_filter_gzip, packed, 65536), data, "blocks", s);
                expect(unpack(&lsr_filter_gzip, packed, 1000), data, "blocks", s);
                packed.data[damage] ^= 1;
                expect_error(unpack(&lsr_filter_gzip, packed, 65536), data, 4 * 65280ul, -EBADMSG, "checksum");
                blob_free(data);
                blob_free(packed);
        }
}

/* --- zstd */

/* Frames of many sizes, skippable ones in between, to be decoded by several threads. */
static struct blob zstd_frames(struct blob data, bool sizes, bool marks, size_t most)
{
        struct blob packed = {};

        for (size_t at = 0, i = 0; at < data.n; i++) {
                size_t n = i % 7 == 5 ? 1 : i % 7 == 6 ? 0 : (i * 7919 * 131) % most;
                struct blob frame;

                if (n > data.n - at)
                        n = data.n - at;
                frame = pack_zstd_with((struct blob){ data.data + at, n }, sizes, 0);
                if (marks) {
                        uint8_t mark[12];

                        lsr_put_le32(mark, 0x184d2a50);
                        lsr_put_le32(mark + 4, 4);
                        lsr_put_le32(mark + 8, (uint32_t)frame.n);
                        packed = blob_add(packed, blob_text((char *)mark, 12));
                }
                packed = blob_add(packed, frame);
                at += n;
        }
        return packed;
}

Test(filters, zstd_frames, .timeout = 200)
{
        static const size_t mosts[] = { 50000, 2 * MIB, 18 * MIB };

        for (size_t m = 0; m < 3; m++)
                for (unsigned flags = 0; flags < 4; flags++) {
                        struct blob data = data_new(m == 2 ? 20 * MIB : 5 * MIB, (unsigned)m);
                        struct blob packed = zstd_frames(data, flags & 1, flags & 2, mosts[m]);
                        struct lsr_input *in;

                        expect(unpack(&lsr_filter_zstd, packed, 0), data, "frames", m);
                        expect(unpack(&lsr_filter_zstd, packed, 100000), data, "frames", m);
                        in = filter_open(&lsr_filter_zstd, pieces_new(packed, 65536, 0), WINDOW_MAX);
                        cr_assert_eq(lsr_input_skip(in, data.n / 3), 0);
                        lsr_input_free(in);
                        /* Cut short at its end, and an error below. */
                        packed.n -= 5;
                        expect_error(unpack(&lsr_filter_zstd, packed, 65536), data, data.n - mosts[m], -EBADMSG,
                                     "zstd data end too early, at byte ");
                        in = filter_open(&lsr_filter_zstd, pieces_new(packed, 65536, -EIO), WINDOW_MAX);
                        expect_error(result_of(in), data, data.n - mosts[m], -EIO, "inner");
                        packed.n += 5;
                        /* Damaged in the middle: nothing behind it. */
                        memset(packed.data + packed.n / 2, 0xff, 50);
                        expect_damage(unpack(&lsr_filter_zstd, packed, 65536), data, data.n / 2 - mosts[m] / 2);
                        blob_free(data);
                        blob_free(packed);
                }
}

/* A wrong checksum at the end: all that is before it comes. */
Test(filters, bad_sum)
{
        for (size_t c = 0; c < CODECS; c++) {
                struct blob data = data_new(5 * MIB, 3), packed = codecs[c].pack(data);
                const char *name = codecs[c].filter->name;
                size_t back = !strcmp(name, "gzip") ? 8 : !strcmp(name, "lzip") ? 20 : 1;

                packed.data[packed.n - back] ^= 1;
                if (!strcmp(name, "gzip") || !strcmp(name, "lzip") || !strcmp(name, "zstd") || !strcmp(name, "lz4"))
                        expect_error(unpack(codecs[c].filter, packed, 0), data, data.n, -EBADMSG, " at byte ");
                blob_free(data);
                blob_free(packed);
        }
}

/* The place of damage is told although the frame was one of a job. */
Test(filters, bad_zstd_place)
{
        struct blob data = data_new(5 * MIB, 1), one = pack_zstd(data), packed = {};
        char text[100];
        struct result r;
        unsigned place;

        for (size_t i = 0; i < 6; i++)
                packed = blob_add(packed, blob_join(one, (struct blob){}));
        packed.data[4 * one.n] ^= 1;
        r = unpack(&lsr_filter_zstd, packed, 65536);
        cr_assert_eq(r.error, -EBADMSG);
        cr_assert_eq(r.n, 4 * data.n);
        place = (unsigned)(4 * one.n);
        snprintf(text, sizeof(text), "zstd data are damaged at byte %u,%03u,%03u", place / 1000000, place / 1000 % 1000,
                 place % 1000);
        cr_assert_str_eq(r.what, text);
        free(r.data);
        packed.data[4 * one.n] ^= 1;
        /* Its checksum. */
        packed.data[5 * one.n - 1] ^= 1;
        r = unpack(&lsr_filter_zstd, packed, 65536);
        place = (unsigned)(5 * one.n - 4);
        snprintf(text, sizeof(text), "zstd checksum at byte %u,%03u,%03u is not that of the data", place / 1000000,
                 place / 1000 % 1000, place % 1000);
        cr_assert_eq(r.error, -EBADMSG);
        cr_assert_eq(r.n, 5 * data.n);
        cr_assert_str_eq(r.what, text);
        free(r.data);
        blob_free(data);
        blob_free(one);
        blob_free(packed);
}

Test(filters, limits)
{
        struct blob data = data_new(3 * MIB, 1), small = data_new(100, 1), packed;
        struct lsr_input *in;

        packed = pack_zstd_with(data, false, 20);
        in = filter_open(&lsr_filter_zstd, lsr_input_memory(packed.data, packed.n), MIB - 1);
        expect_error(result_of(in), data, 0, -EFBIG,
                     "zstd data need 1,048,576 bytes of memory, and the limit is 1,048,575");
        in = filter_open(&lsr_filter_zstd, lsr_input_memory(packed.data, packed.n), MIB);
        expect(result_of(in), data, "zstd", 0);
        /* A second frame. */
        packed = blob_add(pack_zstd(small), packed);
        in = filter_open(&lsr_filter_zstd, lsr_input_memory(packed.data, packed.n), MIB - 1);
        expect_error(result_of(in), small, small.n, -EFBIG, "1,048,575");
        blob_free(packed);
        packed = pack_xz(data);
        in = filter_open(&lsr_filter_xz, lsr_input_memory(packed.data, packed.n), 100000);
        expect_error(result_of(in), data, 0, -EFBIG, "and the limit is 100,000");
        in = filter_open(&lsr_filter_xz, lsr_input_memory(packed.data, packed.n / 2), 100000);
        expect_error(result_of(in), data, 0, -EFBIG, "and the limit is 100,000");
        blob_free(packed);
        packed = pack_lzma(data);
        in = filter_open(&lsr_filter_lzma, lsr_input_memory(packed.data, packed.n), 100000);
        expect_error(result_of(in), data, 0, -EFBIG, "and the limit is 100,000");
        blob_free(packed);
        blob_free(data);
        blob_free(small);
}

/* --- deflate and LZMA without a file format */

Test(filters, inflate_buffer)
{
        static const int bits[] = { [LSR_DEFLATE_RAW] = -15, [LSR_DEFLATE_ZLIB] = 15, [LSR_DEFLATE_GZIP] = 31 };
        struct blob data = data_new(70000, 2);
        uint8_t *out = malloc(data.n);

        for (unsigned k = 0; k < 3; k++) {
                struct blob packed = pack_deflate(data, bits[k]), more = blob_add(packed, blob_text("more", 4));
                size_t used = 1, made = 2;

                cr_assert_eq(lsr_inflate_buffer(k, more.data, more.n, out, data.n - 1, &used, &made), -ENOSPC);
                cr_assert_eq(lsr_inflate_buffer(k, more.data, more.n - 20, out, data.n, &used, &made), -EBADMSG);
                cr_assert(used == 1 && made == 2);
                cr_assert_eq(lsr_inflate_buffer(k, more.data, more.n, out, data.n, &used, &made), 0);
                cr_assert_eq(used, more.n - 4);
                cr_assert_eq(made, data.n);
                cr_assert_eq(memcmp(out, data.data, data.n), 0);
                blob_free(more);
        }
        free(out);
        blob_free(data);
}

Test(filters, inflate_stream)
{
        for (unsigned k = 0; k < 2; k++)
                for (size_t n = 0; n < 3000000; n = n * 5 + 1)
                        for (size_t size = n > 100000 ? 65536 : 1; size < 70000; size += 65535) {
                                struct blob data = data_new(n, 2), packed = pack_deflate(data, k ? 15 : -15);
                                struct lsr_input *in;

                                cr_assert_eq(lsr_inflate_open(&in, pieces_new(packed, size, 0), k), 0);
                                expect(result_of(in), data, "inflate", n);
                                packed.n--;
                                cr_assert_eq(lsr_inflate_open(&in, pieces_new(packed, size, 0), k), 0);
                                expect_error(result_of(in), data, 0, -EBADMSG, "data end too early, at byte");
                                blob_free(data);
                                blob_free(packed);
                        }
}

/* Long runs: zlib has taken all input and still owes output when a buffer is full. */
Test(filters, inflate_owes)
{
        struct blob zeros = { calloc(1, 5 * MIB), 5 * MIB };

        for (size_t n = 262144 - 3; n < 5 * MIB; n += 257123) {
                struct blob data = { zeros.data, n }, packed = pack_deflate(data, -15);
                struct lsr_input *in;

                cr_assert_eq(lsr_inflate_open(&in, pieces_new(packed, 65536, 0), LSR_DEFLATE_RAW), 0);
                expect(result_of(in), data, "zeros", n);
                blob_free(packed);
                for (size_t c = 0; c < CODECS; c++) {
                        packed = codecs[c].pack(data);
                        expect(unpack(codecs[c].filter, packed, 65536), data, codecs[c].filter->name, n);
                        blob_free(packed);
                }
        }
        blob_free(zeros);
}

/* Without a header, and with an end marker or a size that is known otherwise. */
static struct blob pack_lzma_raw(struct blob in, bool marker)
{
        lzma_stream s = LZMA_STREAM_INIT;
        lzma_options_lzma o = {};
        lzma_filter filters[] = { { marker ? LZMA_FILTER_LZMA1 : LZMA_FILTER_LZMA1EXT, &o },
                                  { LZMA_VLI_UNKNOWN, NULL } };
        uint8_t properties[5];

        lzma_lzma_preset(&o, 0);
        o.ext_size_low = (uint32_t)in.n;
        cr_assert_eq(lzma_properties_encode(filters, properties), LZMA_OK);
        cr_assert_eq(lzma_raw_encoder(&s, filters), LZMA_OK);
        return blob_add(blob_text((char *)properties, 5), pack_lzma_run(&s, in));
}

Test(filters, lzma_of_zip)
{
        struct blob data = data_new(100000, 2);
        struct lsr_input *in;

        for (unsigned marker = 0; marker < 2; marker++) {
                struct blob raw = pack_lzma_raw(data, marker);
                uint64_t n = marker ? LSR_INPUT_UNKNOWN : data.n;

                for (size_t size = 1; size < 70000; size += 30000) {
                        cr_assert_eq(lsr_lzma_open(&in, pieces_new(raw, size, 0), n, WINDOW_MAX), 0);
                        expect(result_of(in), data, "lzma", size);
                }
                cr_assert_eq(lsr_lzma_open(&in, pieces_new((struct blob){ raw.data, 1000 }, 7, 0), n, WINDOW_MAX), 0);
                expect_error(result_of(in), data, 1, -EBADMSG, "lzma data end too early, at byte 1,000");
                in = pieces_new((struct blob){ raw.data, 4 }, 7, 0);
                cr_assert_eq(lsr_lzma_open(&in, in, data.n, WINDOW_MAX), -EBADMSG);
                lsr_input_free(in);
                blob_free(raw);
        }
        blob_free(data);
}

Test(filters, crc)
{
        cr_assert_eq(lsr_crc32(0, "123456789", 9), 0xcbf43926);
        cr_assert_eq(lsr_crc32(lsr_crc32(0, "1234", 4), "56789", 5), 0xcbf43926);
}
