/* Pieces of deflate data that make one stream, as zlib reads it. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "formats/filter/crc.h"
#include "formats/filter/deflate.h"

#define CONTENT ((size_t)1 << 20)

/* Four kinds: zeros, text, noise, and some of each. */
static void fill(uint8_t *data, unsigned kind)
{
        uint32_t seed = 1;

        for (size_t i = 0; i < CONTENT; i++) {
                unsigned as = kind == 3 ? (unsigned)(i >> 14) % 3 : kind;

                seed = seed * 1664525 + 1013904223;
                data[i] = as == 0 ? 0 : as == 1 ? "etaoin shrdlu"[(seed >> 24) % 13] : (uint8_t)(seed >> 24);
        }
}

static bool inflates_to(uint8_t *packed, size_t n, const uint8_t *data, size_t size)
{
        uint8_t *out = malloc(size + 1);
        z_stream z = { .next_in = packed, .avail_in = (unsigned)n, .next_out = out, .avail_out = (unsigned)size + 1 };
        bool same;

        cr_assert_eq(inflateInit2(&z, -MAX_WBITS), Z_OK);
        same = inflate(&z, Z_FINISH) == Z_STREAM_END && z.avail_in == 0 && z.total_out == size;
        same = same && memcmp(out, data, size) == 0;
        inflateEnd(&z);
        free(out);
        return same;
}

/* Pieces of many lengths, so that streams end at every bit of a byte. */
Test(deflate, pieces)
{
        static uint8_t data[CONTENT], packed[2 * CONTENT];

        for (int level = 1; level <= LSR_DEFLATE_LEVEL_MAX; level += level < 6 ? 5 : 3) {
                struct lsr_deflater *d = lsr_deflater_new(level);

                for (unsigned kind = 0; kind < 4; kind++) {
                        size_t step = 1, at = 0, n = 0, made;

                        fill(data, kind);
                        for (; at + 2 * step + LSR_DEFLATE_STORED_MAX < CONTENT; step = step * 17 / 16 + 1) {
                                made = lsr_deflate_piece(d, data + at, step, packed + n, sizeof(packed) - n);
                                cr_assert_gt(made, 4);
                                cr_assert(memcmp(packed + n + made - 4, "\0\0\xff\xff", 4) == 0);
                                n += made;
                                at += step;
                                /* And some as they are. */
                                if (step < LSR_DEFLATE_STORED_MAX) {
                                        lsr_deflate_stored(packed + n, step, false);
                                        n += LSR_DEFLATE_STORED_BYTES;
                                        memcpy(packed + n, data + at, step);
                                        n += step;
                                        at += step;
                                }
                        }
                        made = lsr_deflate_last(d, data + at, CONTENT - at, packed + n, sizeof(packed) - n);
                        cr_assert_gt(made, 0);
                        cr_expect(inflates_to(packed, n + made, data, CONTENT), "level %d, kind %u", level, kind);
                        lsr_deflate_stored(packed + n, LSR_DEFLATE_STORED_MAX, true);
                        memcpy(packed + n + LSR_DEFLATE_STORED_BYTES, data + at, LSR_DEFLATE_STORED_MAX);
                        n += LSR_DEFLATE_STORED_BYTES + LSR_DEFLATE_STORED_MAX;
                        cr_expect(inflates_to(packed, n, data, at + LSR_DEFLATE_STORED_MAX));
                }
                lsr_deflater_free(d);
        }
}

/* What has no room is not made, and nothing is written behind it. */
Test(deflate, room)
{
        static uint8_t data[CONTENT], packed[2 * CONTENT];
        struct lsr_deflater *d = lsr_deflater_new(6);
        size_t made, least = 0;

        fill(data, 1);
        made = lsr_deflate_piece(d, data, 10000, packed, sizeof(packed));
        for (size_t room = 0; room <= made + 16; room++) {
                size_t n;

                memset(packed, 0xa5, made + 32);
                n = lsr_deflate_piece(d, data, 10000, packed, room);
                cr_assert(n == 0 || n == made);
                cr_assert_leq(n, room);
                for (size_t i = room; i < made + 32; i++)
                        cr_assert_eq(packed[i], 0xa5, "room %zu, byte %zu", room, i);
                if (n > 0 && !least)
                        least = room;
        }
        /* A few bytes more than needed may be asked for. */
        cr_expect(least > 0 && least <= made + 16);
        lsr_deflater_free(d);
}

Test(deflate, checksums)
{
        static uint8_t data[CONTENT];

        fill(data, 3);
        for (size_t n = 0; n <= CONTENT; n = n * 3 + 1) {
                const uint8_t *rest = data + n;

                cr_expect_eq(lsr_adler32(1, data, n), adler32(1, data, (unsigned)n));
                cr_expect_eq(lsr_adler32_join(lsr_adler32(1, data, n), lsr_adler32(1, rest, CONTENT - n), CONTENT - n),
                             adler32(1, data, CONTENT));
                cr_expect_eq(lsr_crc32_join(lsr_crc32(0, data, n), lsr_crc32(0, rest, CONTENT - n), CONTENT - n),
                             crc32(0, data, CONTENT));
        }
}

Test(deflate, levels)
{
        cr_expect_null(lsr_deflater_new(LSR_DEFLATE_LEVEL_MAX + 1));
        cr_expect_null(lsr_deflater_free(NULL));
}
