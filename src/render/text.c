/*
 * text - numbers and modes, written where they go
 *
 * Every row has five or six numbers and a mode: digits are counted by the
 * leading bit and written two at a time, permissions three at a time.
 */
#include <string.h>

#include "render/view.h"

static const char text_pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                                 "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                                 "8081828384858687888990919293949596979899";

int lsr_digits(uint64_t value)
{
        static const uint64_t powers[20] = { 0,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
                                             1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19 };
        unsigned bits = 64 - (unsigned)__builtin_clzll(value | 1);
        unsigned n = bits * 1233 >> 12; /* log10(2) is 1233/4096, near enough for 64 bits */

        return (int)(n + (value >= powers[n]));
}

char *lsr_text_number(char *p, uint64_t value, int width)
{
        int digits = lsr_digits(value);
        char *end, *q;

        for (; width > digits; width--)
                *p++ = ' ';
        end = q = p + digits;
        while (value >= 100) {
                q -= 2;
                memcpy(q, text_pairs + 2 * (value % 100), 2);
                value /= 100;
        }
        if (value >= 10)
                memcpy(q - 2, text_pairs + 2 * value, 2);
        else
                q[-1] = (char)('0' + value);
        return end;
}

/* The execute position: 's' or 't' with the bit, capital without. */
static char text_special(mode_t mode, mode_t execute, char with)
{
        return mode & execute ? with : (char)(with - 'a' + 'A');
}

void lsr_text_mode(char p[10], mode_t mode)
{
        static const char types[16] = "?pc?d?b?-?l?s???";
        static const char rights[8][4] = { "---", "--x", "-w-", "-wx", "r--", "r-x", "rw-", "rwx" };

        p[0] = types[(mode & S_IFMT) >> 12];
        memcpy(p + 1, rights[mode >> 6 & 7], 3);
        memcpy(p + 4, rights[mode >> 3 & 7], 3);
        memcpy(p + 7, rights[mode & 7], 3);
        if (!(mode & (S_ISUID | S_ISGID | S_ISVTX)))
                return;
        if (mode & S_ISUID)
                p[3] = text_special(mode, S_IXUSR, 's');
        if (mode & S_ISGID)
                p[6] = text_special(mode, S_IXGRP, 's');
        if (mode & S_ISVTX)
                p[9] = text_special(mode, S_IXOTH, 't');
}
