/*
 * test-human - sizes, against results recorded from GNU ls 9.1 on x86-64
 *
 * Values no file system can hold were shown to ls by a preloaded statx().
 */
#include "render/human.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "base/locale.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void human_expect(const char *spec, uint64_t value, uint64_t from, const char *expected)
{
        struct lsr_size_style style;
        char buf[LSR_HUMAN_MAX];

        cr_assert_eq(lsr_size_parse(spec, &style), 0, "%s", spec);
        size_t len = lsr_size_format(&style, value, from, buf);
        cr_expect_str_eq(buf, expected, "%s of %ju x %ju: got %s, want %s", spec, (uintmax_t)value, (uintmax_t)from,
                         buf, expected);
        cr_expect_eq(len, strlen(buf));
}

Test(human, parses_what_ls_parses)
{
        static const struct {
                const char *spec;
                uint64_t unit;
                unsigned flags;
        } cases[] = {
                { "1", 1, 0 },
                { "'1", 1, LSR_HUMAN_GROUP },
                { "+1", 1, 0 },
                { " 1K", 1024, 0 },
                { "010", 8, 0 },
                { "0x10", 16, 0 },
                { "K", 1024, LSR_HUMAN_SUFFIX },
                { "k", 1024, LSR_HUMAN_SUFFIX },
                { "'K", 1024, LSR_HUMAN_SUFFIX | LSR_HUMAN_GROUP },
                { "1K", 1024, 0 },
                { "KB", 1000, LSR_HUMAN_SUFFIX | LSR_HUMAN_B | LSR_HUMAN_1000 },
                { "1KB", 1000, 0 },
                { "KD", 1000, LSR_HUMAN_SUFFIX },
                { "kiB", 1024, LSR_HUMAN_SUFFIX | LSR_HUMAN_B },
                { "15E", 15ULL << 60, 0 },
                { "18EB", 18000000000000000000ULL, 0 },
                { "18446744073709551615", UINT64_MAX, 0 },
                { "human-readable", 1, LSR_HUMAN_AUTO | LSR_HUMAN_SUFFIX },
                { "h", 1, LSR_HUMAN_AUTO | LSR_HUMAN_SUFFIX },
                { "si", 1, LSR_HUMAN_AUTO | LSR_HUMAN_SUFFIX | LSR_HUMAN_1000 },
                { "'s", 1, LSR_HUMAN_AUTO | LSR_HUMAN_SUFFIX | LSR_HUMAN_1000 | LSR_HUMAN_GROUP },
        };

        for (size_t i = 0; i < COUNT(cases); i++) {
                struct lsr_size_style style = { 0 };
                cr_assert_eq(lsr_size_parse(cases[i].spec, &style), 0, "%s", cases[i].spec);
                cr_expect_eq(style.unit, cases[i].unit, "%s: unit %ju", cases[i].spec, (uintmax_t)style.unit);
                cr_expect_eq(style.flags, cases[i].flags, "%s: flags %#x", cases[i].spec, style.flags);
        }
}

Test(human, refuses_what_ls_refuses)
{
        static const struct {
                const char *spec;
                int result;
                uint64_t unit; /* what LS_BLOCK_SIZE gets of it; 0: nothing */
        } cases[] = {
                { "", 1, 0 },
                { "'", 1, 0 },
                { "''1", 1, 0 },
                { "x", 1, 0 },
                { "0", 1, 0 },
                { "0K", 1, 0 },
                { "0x", 1, 0 },
                { "08", 1, 0 },
                { "-1", 1, 0 },
                { " K", 1, 0 },
                { " -1", 1, 0 },
                { "+K", 1, 0 },
                { "B", 1, 0 },
                { "b", 1, 0 },
                { "R", 1, 0 },
                { "sixx", 1, 0 },
                { "HUMAN", 1, 0 },
                { "1x", 2, 1 },
                { "5x", 2, 5 },
                { "1 K", 2, 1 },
                { "e", 2, 1 },
                { "1B", 2, 1 },
                { "Ki", 2, 1024 },
                { "kb", 2, 1024 },
                { "KiD", 2, 1024 },
                { "KBx", 2, 1000 },
                { "1k1", 2, 1024 },
                { "K1", 2, 1024 },
                { "y", 2, 1 },
                { "18446744073709551616x", 2, UINT64_MAX },
                { "18446744073709551616", 3, UINT64_MAX },
                { "16E", 3, UINT64_MAX },
                { "19EB", 3, UINT64_MAX },
                { "Z", 3, UINT64_MAX },
                { "Y", 3, UINT64_MAX },
        };

        for (size_t i = 0; i < COUNT(cases); i++) {
                struct lsr_size_style style = { 0 };
                int r = lsr_size_parse(cases[i].spec, &style);
                cr_expect_eq(r, cases[i].result, "'%s': %d", cases[i].spec, r);
                cr_expect_eq(style.unit, cases[i].unit, "'%s': unit %ju", cases[i].spec, (uintmax_t)style.unit);
                cr_expect_eq(style.flags, 0);
        }
}

Test(human, picks_a_unit)
{
        static const struct {
                uint64_t size;
                const char *h, *si;
        } cases[] = {
                { 0, "0", "0" },
                { 1, "1", "1" },
                { 9, "9", "9" },
                { 999, "999", "999" },
                { 1000, "1000", "1.0k" },
                { 1001, "1001", "1.1k" },
                { 1023, "1023", "1.1k" },
                { 1024, "1.0K", "1.1k" },
                { 1025, "1.1K", "1.1k" },
                { 1100, "1.1K", "1.1k" },
                { 9899, "9.7K", "9.9k" },
                { 9900, "9.7K", "9.9k" },
                { 9950, "9.8K", "10k" },
                { 9999, "9.8K", "10k" },
                { 10000, "9.8K", "10k" },
                { 10138, "10K", "11k" },
                { 10139, "10K", "11k" },
                { 10188, "10K", "11k" },
                { 10189, "10K", "11k" },
                { 10240, "10K", "11k" },
                { 10241, "11K", "11k" },
                { 99999, "98K", "100k" },
                { 100000, "98K", "100k" },
                { 999000, "976K", "999k" },
                { 999001, "976K", "1.0M" },
                { 1000000, "977K", "1.0M" },
                { 1022976, "999K", "1.1M" },
                { 1023488, "1000K", "1.1M" },
                { 1047552, "1023K", "1.1M" },
                { 1047553, "1.0M", "1.1M" },
                { 1048575, "1.0M", "1.1M" },
                { 1048576, "1.0M", "1.1M" },
                { 1048577, "1.1M", "1.1M" },
                { 9950000, "9.5M", "10M" },
                { 9950001, "9.5M", "10M" },
                { 999999999, "954M", "1.0G" },
                { 1073741823, "1.0G", "1.1G" },
                { 1073741824, "1.0G", "1.1G" },
                { 1099511627777, "1.1T", "1.1T" },
                { 1000000000000000, "910T", "1.0P" },
                { 11258999068426239, "10P", "12P" },
                { 1000000000000000000, "889P", "1.0E" },
                { 1152921504606846975, "1.0E", "1.2E" },
                { 1152921504606846976, "1.0E", "1.2E" },
                { 9223372036854775807, "8.0E", "9.3E" },
                { 9223372036854775808ULL, "8.0E", "9.3E" },
                { UINT64_MAX, "16E", "19E" },
        };

        lsr_locale_init();
        for (size_t i = 0; i < COUNT(cases); i++) {
                human_expect("human-readable", cases[i].size, 1, cases[i].h);
                human_expect("si", cases[i].size, 1, cases[i].si);
        }
}

Test(human, counts_blocks)
{
        static const struct {
                const char *spec;
                uint64_t blocks;
                const char *text;
        } cases[] = {
                { "K", 0, "0K" },
                { "K", 1, "1K" },
                { "K", 8, "4K" },
                { "1K", 9, "5" },
                { "KB", 8, "5kB" },
                { "KB", 125, "64kB" },
                { "KiB", 7, "4KiB" },
                { "MB", 46875, "25MB" },
                { "1MB", 93750, "49" },
                { "MB", 46874, "24MB" },
                { "3", 3, "512" },
                { "49", 49, "512" },
                { "1536", 7, "3" },
                { "E", UINT64_MAX, "8192E" },
                { "18446744073709551615", UINT64_MAX, "512" },
                { "human", 36028797018963967, "16E" },
                { "human", 36028797018963968, "16E" },
                { "human", 36028797018963969, "16E" },
#ifdef __SIZEOF_INT128__
                { "1", 9223372036854775808ULL, "4722366482869645213696" },
                { "1", UINT64_MAX, "9444732965739290426880" },
                { "'1", UINT64_MAX, "9444732965739290426880" },
                { "3", UINT64_MAX, "3148244321913096808960" },
                { "human", 720575940379279360, "320E" },
                { "human", 16140901064495857665ULL, "8.0Z" },
                { "human", UINT64_MAX, "8.0Z" },
                { "si", 36028797018963968, "19.0E" },
                { "si", 72057594037927937, "37.0E" },
                { "si", 193359375000000000, "99.0E" },
                { "si", 2305843009213693952, "2.0Z" },
                { "si", UINT64_MAX, "10.0Z" },
#else
                { "1", UINT64_MAX, "18446744073709551615" },
                { "human", UINT64_MAX, "16E" },
                { "si", UINT64_MAX, "19E" },
#endif
        };

        lsr_locale_init();
        for (size_t i = 0; i < COUNT(cases); i++)
                human_expect(cases[i].spec, cases[i].blocks, 512, cases[i].text);
}

Test(human, scales_sizes)
{
        static const struct {
                const char *spec;
                uint64_t size;
                const char *text;
        } cases[] = {
                { "1", 123456, "123456" },
                { "'1", 1234567, "1234567" },
                { "K", 123456, "121K" },
                { "1K", 123456, "121" },
                { "KB", 123456, "124kB" },
                { "KiB", 123456, "121KiB" },
                { "KD", 123456, "124K" },
                { "kiB", 1, "1KiB" },
                { "M", 0, "0M" },
                { "M", 1, "1M" },
                { "EB", UINT64_MAX, "19EB" },
                { "EiB", UINT64_MAX, "16EiB" },
                { "E", 1152921504606846976, "1E" },
                { "E", 1152921504606846977, "2E" },
                { "512", 513, "2" },
                { "1000", UINT64_MAX, "18446744073709552" },
                { "7", 49, "7" },
                { "7", 50, "8" },
                { "18446744073709551615", UINT64_MAX, "1" },
                { "18446744073709551615", 18446744073709551614ULL, "1" },
                { "1", UINT64_MAX, "18446744073709551615" },
                { "1000KiB", 1024000, "1" },
        };

        lsr_locale_init();
        for (size_t i = 0; i < COUNT(cases); i++)
                human_expect(cases[i].spec, cases[i].size, 1, cases[i].text);
}
