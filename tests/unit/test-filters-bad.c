/* What filters are told by headers: what they refuse, what they leave, and decoders for which there is no memory. */
#include "filters-maker.h"
#include "formats/filter/deflate.h"
#include "formats/filter/inflate.h"
#include "formats/filter/xz.h"
#include "formats/filter/zstd.h"

/* --- libraries without memory: each of these fails while it is told so -------------------- */

static bool starved;

#define STARVED(type, failure, name, parameters, arguments)                 \
        type __real_##name parameters;                                      \
        type __wrap_##name parameters;                                      \
        type __wrap_##name parameters                                       \
        {                                                                   \
                return starved ? (type)(failure) : __real_##name arguments; \
        }

STARVED(void *, NULL, libdeflate_alloc_decompressor, (void), ())
STARVED(void *, NULL, libdeflate_alloc_compressor, (int level), (level))
STARVED(int, BZ_MEM_ERROR, BZ2_bzDecompressInit, (bz_stream * s, int verbosity, int small), (s, verbosity, small))
STARVED(lzma_ret, LZMA_MEM_ERROR, lzma_stream_decoder, (lzma_stream * s, uint64_t most, uint32_t flags),
        (s, most, flags))
STARVED(lzma_ret, LZMA_MEM_ERROR, lzma_stream_decoder_mt, (lzma_stream * s, const lzma_mt *mt), (s, mt))
STARVED(lzma_ret, LZMA_MEM_ERROR, lzma_lzip_decoder, (lzma_stream * s, uint64_t most, uint32_t flags), (s, most, flags))
STARVED(lzma_ret, LZMA_MEM_ERROR, lzma_alone_decoder, (lzma_stream * s, uint64_t most), (s, most))
STARVED(ZSTD_DCtx *, NULL, ZSTD_createDCtx, (void), ())
STARVED(size_t, -1, LZ4F_createDecompressionContext, (LZ4F_dctx * *dctx, unsigned version), (dctx, version))
STARVED(void *, NULL, archive_read_new, (void), ())

/* The input stays the caller's where it cannot be opened, and data that come cannot be wrong. */
Test(filters_bad, no_memory)
{
        struct blob data = data_new(100000, 1);

        for (size_t c = 0; c < CODECS; c++) {
                struct blob packed = codecs[c].pack(data);
                struct lsr_input *inner = lsr_input_memory(packed.data, packed.n), *in;
                int r;

                starved = true;
                r = codecs[c].filter->open(&in, inner, WINDOW_MAX);
                if (r == 0) {
                        struct result got = result_of(in);

                        cr_expect(got.error == -ENOMEM || (got.error == 0 && got.n == data.n), "%s: %d",
                                  codecs[c].filter->name, got.error);
                        free(got.data);
                } else {
                        cr_expect_eq(r, -ENOMEM, "%s: %d", codecs[c].filter->name, r);
                        lsr_input_free(inner);
                }
                starved = false;
                blob_free(packed);
        }
        {
                struct lsr_input *inner = lsr_input_memory("\x1f\x9d\x90 and more", 12), *in;

                starved = true;
                cr_expect_eq(lsr_filter_compress.open(&in, inner, WINDOW_MAX), -ENOMEM);
                lsr_input_free(inner);
                starved = false;
        }
        blob_free(data);
}

Test(filters_bad, no_memory_for_parts)
{
        struct blob data = data_new(1000, 1), frame = pack_zstd(data), packed = pack_deflate(data, -15);
        struct lsr_input *inner = lsr_input_memory("\x5d\0\0\1\0\0\0\0\0", 9), *in;
        struct lsr_zstd *z = NULL;
        uint8_t out[1000];
        size_t used, made;

        starved = true;
        cr_expect_null(lsr_deflater_new(6));
        cr_expect_eq(lsr_inflate_buffer(LSR_DEFLATE_RAW, packed.data, packed.n, out, sizeof(out), &used, &made),
                     -ENOMEM);
        cr_expect_eq(lsr_lzma_open(&in, inner, 100, WINDOW_MAX), -ENOMEM);
        cr_expect_eq(inner->at, 0);
        cr_expect_eq(lsr_zstd_frame(&z, frame.data, frame.n, out, sizeof(out)), -ENOMEM);
        cr_expect_null(z);
        starved = false;
        cr_expect_eq(lsr_zstd_frame(&z, frame.data, frame.n, out, sizeof(out)), 0);
        lsr_zstd_free(z);
        lsr_input_free(inner);
        blob_free(data);
        blob_free(frame);
        blob_free(packed);
}

/* --- xz ----------------------------------------------------------------------------------- */

/* A block header of 4 * (the first byte + 1) bytes is behind the 12 of the stream, and ends in a checksum. */
static void seal_block(struct blob b)
{
        size_t n = ((size_t)b.data[12] + 1) * 4;

        lsr_put_le32(b.data + 12 + n - 4, lsr_crc32(0, b.data + 12, n - 4));
}

/* A filter that nobody knows is not damage. */
Test(filters_bad, xz_unknown_filter)
{
        struct blob data = data_new(1000, 1), packed = pack_xz(data);

        cr_assert_eq(packed.data[14], 0x21);
        packed.data[14] = 0x22;
        expect_error(unpack(&lsr_filter_xz, packed, 0), data, 0, -EBADMSG, "damaged at byte");
        seal_block(packed);
        expect_error(unpack(&lsr_filter_xz, packed, 0), data, 0, -EOPNOTSUPP,
                     "xz data use an unknown method or filter");
        blob_free(data);
        blob_free(packed);
}

/* By the head of a stream: is there a checksum of what is in it? */
Test(filters_bad, xz_without_checksum)
{
        static const uint8_t none[] = "\xfd"
                                      "7zXZ\0\0\0";
        static const uint8_t crc64[] = "\xfd"
                                       "7zXZ\0\0\4";

        cr_expect_not(lsr_filter_xz.verifies(none, 8));
        cr_expect(lsr_filter_xz.verifies(crc64, 8));
        cr_expect_not(lsr_filter_xz.verifies(crc64, 7));
}

Test(filters_bad, lzip_probe)
{
        static const struct {
                unsigned at;
                uint8_t value;
                bool is;
        } changes[] = { { 0, 'L', true },  { 3, 'Q', false },      { 4, 0, true },  { 4, 2, false },
                        { 5, 11, false },  { 5, 12, true },        { 5, 29, true }, { 5, 30, false },
                        { 5, 0xec, true }, { 5, 0xe0 | 11, false } };

        for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
                uint8_t head[] = { 'L', 'Z', 'I', 'P', 1, 20 };

                head[changes[i].at] = changes[i].value;
                cr_expect_eq(lsr_filter_lzip.probe(head, 6), changes[i].is, "%zu", i);
                cr_expect_not(lsr_filter_lzip.probe(head, 5));
        }
}

/* What follows the last member of an .lz or an .lzma is left, and said. */
Test(filters_bad, xz_trailing)
{
        static const struct lsr_filter *const filters[] = { &lsr_filter_lzip, &lsr_filter_lzma };
        static struct blob (*const packs[])(struct blob) = { pack_lzip, pack_lzma };

        for (size_t i = 0; i < 2; i++) {
                struct blob data = data_new(5000, 1), all = blob_add(packs[i](data), blob_text("trailing", 8));
                struct lsr_input *in;
                const uint8_t *p;

                /* An end is only known where the size is not. */
                in = filter_open(filters[i], lsr_input_memory(all.data, all.n), WINDOW_MAX);
                cr_expect_eq(lsr_input_skip(in, data.n), 0);
                cr_expect_eq(lsr_input_peek(in, 1, &p), 0, "%s", in->what);
                cr_assert_not_null(in->what, "%s", filters[i]->name);
                cr_expect(strstr(in->what, "is ignored"), "%s", in->what);
                lsr_input_free(in);
                blob_free(all);
                blob_free(data);
        }
}

/* Blocks with sizes, more than a mebibyte: several threads decode them, where there are several; a limit holds too. */
Test(filters_bad, xz_threads)
{
        struct blob data = data_new(6 * MIB, 2), packed = pack_xz_blocks(data);
        struct lsr_input *in;

        cr_assert_geq(packed.n, MIB);
        expect(unpack(&lsr_filter_xz, packed, 0), data, "blocks", 0);
        expect(unpack(&lsr_filter_xz, packed, 65536), data, "blocks", 1);
        in = filter_open(&lsr_filter_xz, lsr_input_memory(packed.data, packed.n), 100000);
        expect_error(result_of(in), data, 0, -EFBIG, "and the limit is 100,000");
        blob_free(packed);
        blob_free(data);
}

/* --- bzip2 -------------------------------------------------------------------------------- */

Test(filters_bad, bzip2_streams)
{
        struct blob data = data_new(3000, 1), packed = pack_bzip2(data);
        static const struct {
                const char *more;
                size_t n;
                int error;
        } tails[] = {
                { "junk", 4, 0 },                   /* something else */
                { "BZx", 3, 0 },                    /* nearly */
                { "B", 1, -EBADMSG },               /* one that is cut */
                { "BZh", 3, -EBADMSG },             /* the same */
                { "BZh0", 4, -EBADMSG },            /* a level that there is not */
                { "BZh9", 4, -EBADMSG },            /* no block */
                { "BZh9AAAAAAAAAA", 14, -EBADMSG }, /* none of that kind */
        };

        for (size_t i = 0; i < sizeof(tails) / sizeof(*tails); i++)
                for (size_t size = 0; size < 8; size += 7) {
                        struct blob tail = blob_text(tails[i].more, tails[i].n), all = blob_join(packed, tail);
                        struct result r = unpack(&lsr_filter_bzip2, all, size);

                        cr_expect_eq(r.error, tails[i].error, "'%s': %d, %s", tails[i].more, r.error, r.what);
                        cr_expect_eq(r.n, data.n, "'%s'", tails[i].more);
                        cr_expect(r.what[0], "'%s'", tails[i].more);
                        free(r.data);
                        blob_free(tail);
                        blob_free(all);
                }
        cr_expect_not(lsr_filter_bzip2.probe((const uint8_t *)"BZh91AY&SX", 10));
        cr_expect(lsr_filter_bzip2.probe((const uint8_t *)"BZh9\x17rE8P\x90", 10));
        cr_expect_not(lsr_filter_bzip2.probe((const uint8_t *)"BZh01AY&SY", 10));
        cr_expect_not(lsr_filter_bzip2.probe((const uint8_t *)"BZh:1AY&SY", 10));
        blob_free(data);
        blob_free(packed);
}

/* --- zlib and deflate ----------------------------------------------------------------------- */

static void zlib_error(struct blob packed, struct blob data, size_t at_least, int error, const char *what)
{
        for (size_t size = 1; size < 2000; size += 1999) {
                struct lsr_input *in;

                cr_assert_eq(lsr_inflate_open(&in, pieces_new(packed, size, 0), LSR_DEFLATE_ZLIB), 0);
                expect_error(result_of(in), data, at_least, error, what);
        }
}

/* RFC 1950, byte by byte. */
Test(filters_bad, zlib_header)
{
        struct blob data = data_new(1000, 1), packed = pack_deflate(data, 15);
        uint8_t method = packed.data[0], flags = packed.data[1];

        packed.data[1] ^= 1; /* the sum of both */
        zlib_error(packed, data, 0, -EBADMSG, "zlib data are damaged at byte 0");
        packed.data[0] = 0x79; /* method 9 */
        packed.data[1] = (uint8_t)(31 - 0x7900 % 31);
        zlib_error(packed, data, 0, -EBADMSG, "damaged");
        packed.data[0] = 0x88; /* a window of 64 KiB */
        packed.data[1] = (uint8_t)(31 - 0x8800 % 31);
        zlib_error(packed, data, 0, -EBADMSG, "damaged");
        packed.data[0] = 0x78;
        packed.data[1] = (uint8_t)(0x20 + 31 - 0x7820 % 31);
        zlib_error(packed, data, 0, -EOPNOTSUPP, "zlib data need a dictionary");
        packed.data[0] = method;
        packed.data[1] = flags;
        packed.data[packed.n - 1] ^= 1; /* Adler-32 */
        zlib_error(packed, data, data.n, -EBADMSG, "damaged");
        packed.n = 1;
        zlib_error(packed, data, 0, -EBADMSG, "too early");
        blob_free(packed);
        blob_free(data);
}

/* An input that fails in the header, in the data, in the checksum. */
Test(filters_bad, zlib_inner_error)
{
        struct blob data = data_new(1000, 1), packed = pack_deflate(data, 15);

        for (size_t n = 0; n < packed.n; n++) {
                struct lsr_input *in;

                cr_assert_eq(
                        lsr_inflate_open(&in, pieces_new((struct blob){ packed.data, n }, 50, -EIO), LSR_DEFLATE_ZLIB),
                        0);
                expect_error(result_of(in), data, n == packed.n - 1 ? data.n : 0, -EIO, "inner");
        }
        blob_free(packed);
        blob_free(data);
}

Test(filters_bad, gzip_is_another_decoder)
{
        struct lsr_input *inner = lsr_input_memory("x", 1), *in;

        cr_expect_eq(lsr_inflate_open(&in, inner, LSR_DEFLATE_GZIP), -EINVAL);
        lsr_input_free(inner);
}

/* Pieces that there is no room for are none, and those that are made fit together: all sizes of room. */
Test(filters_bad, deflate_room)
{
        struct lsr_deflater *d = lsr_deflater_new(6);
        struct blob data = data_new(2000, 1);
        uint8_t *out = malloc(4000), *back = malloc(4000);
        size_t need = lsr_deflate_piece(d, data.data, data.n, out, 4000), n, used, made;

        cr_assert_gt(need, 0);
        for (size_t room = 0; room < need + 20; room++) {
                uint8_t *tight = malloc(room + 1);

                n = lsr_deflate_piece(d, data.data, data.n, tight, room);
                cr_expect_leq(n, room);
                /* libdeflate wants some more than it fills. */
                cr_expect(room < need + 16 || n == need, "%zu of %zu", n, room);
                if (n > 0) {
                        /* Its last block is not the last: a stored one without a byte is. */
                        memcpy(out, tight, n);
                        lsr_deflate_stored(out + n, 0, true);
                        cr_expect_eq(lsr_inflate_buffer(LSR_DEFLATE_RAW, out, n + LSR_DEFLATE_STORED_BYTES, back, 4000,
                                                        &used, &made),
                                     0);
                        cr_expect(made == data.n && memcmp(back, data.data, made) == 0);
                }
                free(tight);
        }
        lsr_deflater_free(d);
        cr_assert_null(lsr_deflater_free(NULL));
        free(out);
        free(back);
        blob_free(data);
}

/* --- frames of zstd that say what they are -------------------------------------------------- */

Test(filters_bad, zstd_frames)
{
        struct blob data = data_new(3000, 1), frame = pack_zstd(data), unsized = pack_zstd_with(data, false, 0);
        struct lsr_zstd *z = NULL;
        uint8_t out[3000];
        size_t packed = 7;
        uint64_t size = 7;

        cr_expect_eq(lsr_zstd_frame(&z, frame.data, frame.n, out, data.n), 0);
        cr_expect_eq(memcmp(out, data.data, data.n), 0);
        cr_expect_eq(lsr_zstd_frame(&z, frame.data, frame.n, out, data.n - 1), -EBADMSG);
        cr_expect_eq(lsr_zstd_frame(&z, frame.data, frame.n - 1, out, data.n), -EBADMSG);
        cr_expect_eq(lsr_zstd_frame(&z, frame.data, 3, out, data.n), -EBADMSG);
        cr_expect_eq(lsr_zstd_frame_size(frame.data, 3, &packed, &size), -EBADMSG);
        cr_expect_eq(lsr_zstd_frame_size(data.data, data.n, &packed, &size), -EBADMSG);
        cr_expect_eq(lsr_zstd_frame_size(frame.data, frame.n - 1, &packed, &size), -EBADMSG);
        cr_expect_eq(lsr_zstd_frame_size(unsized.data, unsized.n, &packed, &size), -EBADMSG);
        cr_expect(packed == 7 && size == 7);
        cr_expect_eq(lsr_zstd_frame_size(frame.data, frame.n, &packed, &size), 0);
        cr_expect(packed == frame.n && size == data.n);
        frame.data[frame.n - 1] ^= 1;
        cr_expect_eq(lsr_zstd_frame(&z, frame.data, frame.n, out, data.n), -EBADMSG);
        lsr_zstd_free(z);
        blob_free(data);
        blob_free(frame);
        blob_free(unsized);
}

/* --- .Z -------------------------------------------------------------------------------------- */

/* Codes of nine bits, one for each byte. */
static struct blob pack_z(struct blob in)
{
        struct blob out = { calloc(1, in.n * 9 / 8 + 16), 3 };

        memcpy(out.data, "\x1f\x9d\x90", 3);
        for (size_t i = 0; i < in.n; i++) {
                size_t bit = i * 9;

                out.data[3 + bit / 8] |= (uint8_t)(in.data[i] << bit % 8);
                out.data[4 + bit / 8] |= (uint8_t)(in.data[i] >> (8 - bit % 8));
        }
        out.n = 3 + (in.n * 9 + 7) / 8;
        return out;
}

Test(filters_bad, compress)
{
        struct blob data = data_new(200, 1), packed = pack_z(data), bad;
        struct lsr_input *in;
        struct result r;

        cr_assert(lsr_filter_compress.probe(packed.data, packed.n));
        cr_expect_not(lsr_filter_compress.probe(packed.data, 4));
        for (size_t size = 0; size < 40; size += 13)
                expect(unpack(&lsr_filter_compress, packed, size), data, ".Z", size);
        /* There is no length: what is there comes, and an input that fails is not an end. */
        r = unpack(&lsr_filter_compress, (struct blob){ packed.data, 100 }, 13);
        cr_expect_eq(r.error, 0);
        cr_expect(result_begins(&r, data) && r.n > 50);
        free(r.data);
        for (size_t n = 5; n < 200; n += 30) {
                in = filter_open(&lsr_filter_compress, pieces_new((struct blob){ packed.data, n }, 13, -EIO),
                                 WINDOW_MAX);
                expect_error(result_of(in), data, 0, -EIO, "inner");
        }
        /* A code that no one before it has made. */
        bad = blob_join(packed, (struct blob){});
        memset(bad.data + 20, 0xff, 20);
        r = unpack(&lsr_filter_compress, bad, 13);
        cr_expect_eq(r.error, -EBADMSG);
        cr_expect(strstr(r.what, "compress data are damaged"), "%s", r.what);
        free(r.data);
        blob_free(bad);
        /* Bits out of range are another format. */
        for (unsigned bits = 0; bits < 32; bits++) {
                packed.data[2] = (uint8_t)(0x80 | bits);
                cr_expect_eq(lsr_filter_compress.probe(packed.data, packed.n), bits >= 9 && bits <= 16, "%u", bits);
        }
        blob_free(packed);
        blob_free(data);
}
