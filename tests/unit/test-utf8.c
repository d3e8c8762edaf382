/* UTF-8: each code point in its one form, and no other bytes. */
#include <criterion/criterion.h>
#include <stdint.h>

#include "base/utf8.h"

static size_t encode(uint8_t *to, uint32_t c)
{
        static const uint8_t leads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
        size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

        for (size_t i = n; i-- > 1; c >>= 6)
                to[i] = (uint8_t)(0x80 | (c & 0x3f));
        to[0] = (uint8_t)(leads[n] | c);
        return n;
}

Test(utf8, every_code_point)
{
        for (uint32_t c = 0; c <= 0x10ffff; c++) {
                bool surrogate = c >= 0xd800 && c < 0xe000;
                uint8_t s[4];
                size_t n = encode(s, c);

                cr_assert_eq(lsr_utf8_length(s, n), surrogate ? 0 : n, "U+%04X", c);
                cr_assert_eq(lsr_utf8_valid(s, n), !surrogate, "U+%04X", c);
                cr_assert_eq(lsr_utf8_code(s, n), c, "U+%04X", c);
                cr_assert(n == 1 || lsr_utf8_length(s, n - 1) == 0, "U+%04X, cut", c);
        }
        for (uint32_t c = 0x110000; c < 0x200000; c++) {
                uint8_t s[4];

                cr_assert_eq(lsr_utf8_length(s, encode(s, c)), 0, "%x", c);
        }
}

/* As many sequences of each length as there are code points that need it, so no other is taken. */
Test(utf8, nothing_else)
{
        static const uint8_t edges[] = { 0x00, 0x7f, 0x80, 0xbf, 0xc0, 0xff };
        unsigned counts[5] = {};

        for (unsigned a = 0; a < 0x100; a++)
                for (unsigned b = 0; b < 0x100; b++)
                        for (unsigned i = 0; i < 36; i++) {
                                uint8_t s[] = { (uint8_t)a, (uint8_t)b, edges[i / 6], edges[i % 6] };

                                counts[lsr_utf8_length(s, 4)]++;
                        }
        /* Of the bytes behind those that decide, two of six are good. */
        cr_expect_eq(counts[1], 0x80 * 0x100 * 36);
        cr_expect_eq(counts[2], (0x800 - 0x80) * 36);
        cr_expect_eq(counts[3], (0x10000 - 0x800 - 0x800) / 64 * 2 * 6);
        cr_expect_eq(counts[4], (0x110000 - 0x10000) / 64 / 64 * 2 * 2);
}

Test(utf8, text)
{
        cr_expect(lsr_utf8_valid("", 0));
        cr_expect(lsr_utf8_valid("a\0\xc3\xa4", 4));
        cr_expect_not(lsr_utf8_valid("a\xc3\xa4\xff", 4));
        cr_expect_not(lsr_utf8_valid("a\xc3\xa4\xc3", 4), "cut");
}
