/* Numbers and modes in rows: what printf(3) and the bits say. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "render/view.h"

static void text_check(uint64_t value, int width)
{
        char buf[64], want[64];
        int n = snprintf(want, sizeof(want), "%llu", (unsigned long long)value);

        cr_assert_eq(lsr_digits(value), n, "%s", want);
        snprintf(want, sizeof(want), "%*llu", width, (unsigned long long)value);
        *lsr_text_number(buf, value, width) = '\0';
        cr_assert_str_eq(buf, want);
}

Test(text, numbers)
{
        uint64_t power = 1;

        for (int i = 0; i < 20; i++, power *= 10) {
                for (int width = 0; width < 25; width += 6) {
                        text_check(power - 1, width);
                        text_check(power, width);
                        text_check(power + 1, width);
                        text_check(power / 9 * 7, width);
                }
        }
        for (unsigned bit = 0; bit < 64; bit++) {
                text_check((uint64_t)1 << bit, 3);
                text_check(((uint64_t)1 << bit) - 1, 3);
        }
        for (uint64_t v = 0; v < 1100; v++)
                text_check(v, 2);
        text_check(UINT64_MAX, 0);
}

Test(text, modes)
{
        char p[11] = "", want[11] = "";

        for (mode_t mode = 0; mode <= 07777; mode++) {
                static const char letters[] = "rwxrwxrwx";

                want[0] = '-';
                for (unsigned i = 0; i < 9; i++)
                        want[1 + i] = mode & 0400 >> i ? letters[i] : '-';
                if (mode & S_ISUID)
                        want[3] = mode & S_IXUSR ? 's' : 'S';
                if (mode & S_ISGID)
                        want[6] = mode & S_IXGRP ? 's' : 'S';
                if (mode & S_ISVTX)
                        want[9] = mode & S_IXOTH ? 't' : 'T';
                lsr_text_mode(p, S_IFREG | mode);
                cr_assert_str_eq(p, want);
        }
        lsr_text_mode(p, S_IFDIR | 0755);
        cr_assert_str_eq(p, "drwxr-xr-x");
}
