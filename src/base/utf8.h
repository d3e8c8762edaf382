/*
 * utf8 - what is valid UTF-8 (RFC 3629), whatever the locale is
 *
 * Neither overlong forms nor surrogates are, nor what lies beyond U+10FFFF.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the character that @s, of at least one byte, begins with; 0: it is not valid, or cut. */
static inline size_t lsr_utf8_length(const void *s, size_t n)
{
        const unsigned char *p = s;
        size_t len = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;

        if (len > n)
                return 0;
        for (size_t i = 1; i < len; i++)
                if ((p[i] & 0xc0) != 0x80)
                        return 0;
        if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) ||
            (p[0] == 0xf4 && p[1] > 0x8f))
                return 0;
        return len;
}

static inline bool lsr_utf8_valid(const void *s, size_t n)
{
        for (size_t i = 0, len; i < n; i += len) {
                len = lsr_utf8_length((const char *)s + i, n - i);
                if (len == 0)
                        return false;
        }
        return true;
}
