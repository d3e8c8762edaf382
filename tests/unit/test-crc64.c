/* The checksum of .xz: bit by bit it is the same. */
#include <criterion/criterion.h>

#include "formats/filter/crc64.h"

#define MOST 300u

static uint64_t by_bits(const uint8_t *p, size_t n, uint64_t crc)
{
        crc = ~crc;
        for (size_t i = 0; i < n; i++) {
                crc ^= p[i];
                for (unsigned bit = 0; bit < 8; bit++)
                        crc = crc & 1 ? crc >> 1 ^ UINT64_C(0xc96c5795d7870f42) : crc >> 1;
        }
        return ~crc;
}

Test(crc64, known)
{
        cr_expect_eq(lsr_crc64("", 0, 0), 0);
        cr_expect_eq(lsr_crc64("123456789", 9, 0), UINT64_C(0x995dc9bbdf1939fa));
}

Test(crc64, lengths_and_pieces)
{
        uint8_t data[MOST];
        uint64_t x = 1;

        for (size_t i = 0; i < MOST; i++) {
                x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
                data[i] = (uint8_t)(x >> 56);
        }
        for (size_t n = 0; n <= MOST; n++) {
                uint64_t all = by_bits(data, n, 0);

                cr_expect_eq(lsr_crc64(data, n, 0), all, "%zu bytes", n);
                /* Parts that lie at any place, some shorter than what is taken at a time. */
                for (size_t part = 1; part <= n; part += 7) {
                        uint64_t crc = 0;

                        for (size_t at = 0; at < n; at += part)
                                crc = lsr_crc64(data + at, n - at < part ? n - at : part, crc);
                        cr_expect_eq(crc, all, "%zu bytes, %zu at a time", n, part);
                }
        }
}
