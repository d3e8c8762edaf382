/*
 * charset-glibc - glibc has second names for its functions
 *
 * In libc.a mbrtoc32() and c32rtomb() call the public names, which are those of charset.c; in libc.so the second names
 * are not to be seen, and there mbrtoc32() and c32rtomb() call what is libc's.
 */
#include <uchar.h>

#include "formats/libarchive/libarchive.h"

extern __typeof(mbrtowc) __mbrtowc __attribute__((weak));
extern __typeof(wcrtomb) __wcrtomb __attribute__((weak));

size_t lsr_libc_mbrtowc(wchar_t *wide, const char *s, size_t n, mbstate_t *state)
{
        return __mbrtowc ? __mbrtowc(wide, s, n, state) : mbrtoc32((char32_t *)wide, s, n, state);
}

size_t lsr_libc_wcrtomb(char *s, wchar_t wide, mbstate_t *state)
{
        return __wcrtomb ? __wcrtomb(s, wide, state) : c32rtomb(s, (char32_t)wide, state);
}
