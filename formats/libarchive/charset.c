/*
 * charset - functions of libc that libarchive converts names with, in front of those of libc
 *
 * An lha says in which code page its names are, or has them in UTF-16, and libarchive goes through wide characters.  A
 * static glibc has no modules for iconv(), and in the C locale, which is all that the worker can have (see pass.c),
 * only ASCII is wide.  So while an archive is read characters are UTF-8 here, and code pages are those of --encoding.
 * A byte that is no UTF-8, or of a code page that is not known, stays the byte that it is: as wide character it is a
 * surrogate that UTF-8 has not, U+DC80 to U+DCFF.
 */
#include <errno.h>
#include <iconv.h>
#include <string.h>
#include <wchar.h>

#include "base/utf8.h"
#include "formats/encoding.h"
#include "formats/libarchive/libarchive.h"

#define CHARSET_BYTE 0xdc00u

static const struct lsr_encoding charset_bytes = {}; /* what is not known stays as it is */

/* Only from a code page to UTF-8: nothing else in lsr uses it. */
iconv_t iconv_open(const char *to, const char *from)
{
        const struct lsr_encoding *e = strcmp(to, "UTF-8") == 0 ? lsr_encoding_find(from) : NULL;

        if (!e && strcmp(to, "UTF-8") == 0 && strncmp(from, "CP", 2) == 0)
                e = &charset_bytes;
        if (!e)
                errno = EINVAL;
        return e ? (iconv_t)e : (iconv_t)-1;
}

int iconv_close(iconv_t cd)
{
        return 0;
}

size_t iconv(iconv_t cd, char **restrict in, size_t *restrict in_left, char **restrict out, size_t *restrict out_left)
{
        const struct lsr_encoding *e = cd;

        while (in && *in && *in_left > 0) {
                char text[6] = { **in };
                size_t used = 1, n = e == &charset_bytes ? 1 : lsr_encoding_decode(e, *in, 1, text);

                if (n == SIZE_MAX && *in_left > 1)
                        n = lsr_encoding_decode(e, *in, used = 2, text);
                if (n == SIZE_MAX || n > *out_left) {
                        errno = n == SIZE_MAX ? EILSEQ : E2BIG;
                        return (size_t)-1;
                }
                memcpy(*out, text, n);
                *in += used;
                *in_left -= used;
                *out += n;
                *out_left -= n;
        }
        return 0;
}

size_t mbrtowc(wchar_t *restrict wide, const char *restrict s, size_t n, mbstate_t *restrict state)
{
        const unsigned char *p = (const unsigned char *)s;
        size_t length;
        wchar_t c;

        if (!lsr_archive_is_reading())
                return lsr_libc_mbrtowc(wide, s, n, state);
        if (!s || n == 0)
                return s ? (size_t)-2 : 0;
        length = lsr_utf8_length(s, n);
        c = length == 0 ? (wchar_t)(CHARSET_BYTE | *p) : length == 1 ? *p : *p & (0xff >> (length + 1));
        length += length == 0;
        for (size_t i = 1; i < length; i++)
                c = c << 6 | (p[i] & 0x3f);
        if (wide)
                *wide = c;
        return c ? length : 0;
}

size_t wcrtomb(char *restrict s, wchar_t wide, mbstate_t *restrict state)
{
        uint32_t c = (uint32_t)wide;

        if (!lsr_archive_is_reading())
                return lsr_libc_wcrtomb(s, wide, state);
        if (!s)
                return 1;
        if (c >= (CHARSET_BYTE | 0x80) && c <= (CHARSET_BYTE | 0xff)) {
                *s = (char)c;
                return 1;
        }
        if (c < 0x10000)
                return (size_t)(lsr_encoding_put(s, (uint16_t)c) - s);
        if (c > 0x10ffff) {
                errno = EILSEQ;
                return (size_t)-1;
        }
        for (unsigned i = 0; i < 4; i++)
                s[i] = (char)((i ? 0x80 : 0xf0) | (c >> (18 - 6 * i) & (i ? 0x3f : 0x07)));
        return 4;
}
