/*
 * charset-musl - by mbtowc(), which alone in musl's libc.a does not call the public names of charset.c
 *
 * musl's character sets are bytes and UTF-8, which have no state.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/libarchive/libarchive.h"

/* Are the @n bytes of @s the beginning of a character?  Only of the second byte the first says which it may be. */
static bool charset_begins(const char *s, size_t n)
{
        char least[4], most[4];

        if (n >= sizeof(least))
                return false;
        memset(least, 0x80, sizeof(least));
        memset(most, 0xbf, sizeof(most));
        memcpy(least, s, n);
        memcpy(most, s, n);
        return mbtowc(NULL, least, sizeof(least)) > 0 || mbtowc(NULL, most, sizeof(most)) > 0;
}

size_t lsr_libc_mbrtowc(wchar_t *wide, const char *s, size_t n, mbstate_t *state)
{
        int length;

        if (!s || n == 0)
                return s ? (size_t)-2 : 0;
        length = mbtowc(wide, s, n);
        if (length >= 0)
                return (size_t)length;
        return charset_begins(s, n) ? (size_t)-2 : (size_t)-1;
}

/* Nothing but libarchive calls it, and that while it reads. */
size_t lsr_libc_wcrtomb(char *s, wchar_t wide, mbstate_t *state)
{
        if (!s)
                return 1;
        if (wide < 0 || wide > 0x7f) {
                errno = EILSEQ;
                return (size_t)-1;
        }
        *s = (char)wide;
        return 1;
}
