/*
 * Filters: whatever pieces they get, the data come out; cut short or damaged, what is whole comes out before the error.
 */
#include "filters-maker.h"

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
        } changes[] = { { 0, 0x5e, true }, { 0, 0xe1, false }, { 1, 1, false },    { 2, 0x08, false },
                        { 3, 0x18, true }, { 3, 0, false },    { 4, 0x80, false }, { 12, 0xfe, false },
                        { 5, 0, false },   { 13, 1, false } };
        /* Codes that are not the usual ones, and a size. */
        static const char sized[] = "\x5e\0\0\x10\0\x08\0\0\0\0\0\0\0\0";

        cr_assert(lsr_filter_lzma.probe((const uint8_t *)good, 14));
        cr_assert_not(lsr_filter_lzma.probe((const uint8_t *)good, 13));
        cr_assert_not(lsr_filter_lzma.probe((const uint8_t *)sized, 14));
        for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
                uint8_t head[14];

                memcpy(head, good, 14);
                head[changes[i].at] = changes[i].value;
                cr_assert_eq(lsr_filter_lzma.probe(head, 14), changes[i].is, "%zu", i);
        }
}
