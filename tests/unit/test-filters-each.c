/* What is peculiar to gzip, to zstd, and to streams without a file format of their own. */
#include "filters-maker.h"
#include "formats/filter/inflate.h"
#include "formats/filter/xz.h"

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
        snprintf(text, sizeof(text), "zstd checksum at byte %u,%03u,%03u does not match the data", place / 1000000,
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
