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

/* The code of the valid character @s of @len bytes. */
static inline unsigned lsr_utf8_code(const void *s, size_t len)
{
        const unsigned char *p = s;
        unsigned code = len == 1 ? p[0] : p[0] & (0x7fu >> len);

        for (size_t i = 1; i < len; i++)
                code = code << 6 | (p[i] & 0x3f);
        return code;
}

/* Marks, embeddings, overrides and isolates of the bidirectional algorithm, which can make a text read as another. */
static inline bool lsr_is_bidi(unsigned code)
{
        return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0x200e ||
               code == 0x200f || code == 0x061c;
}

/* Does a terminal obey it?  C0, DEL, C1, and those above. */
static inline bool lsr_is_control(unsigned code)
{
        return code < 0x20 || (code >= 0x7f && code < 0xa0) || lsr_is_bidi(code);
}

/* Bytes of what @s, of at least one, begins with, a character or a byte that is none; and does a terminal obey it? */
static inline size_t lsr_utf8_next(const void *s, size_t n, bool *ret_control)
{
        size_t len = lsr_utf8_length(s, n);

        *ret_control = lsr_is_control(len > 0 ? lsr_utf8_code(s, len) : *(const unsigned char *)s);
        return len > 0 ? len : 1;
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
