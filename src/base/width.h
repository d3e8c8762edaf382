/*
 * width - columns that text takes on a terminal
 *
 * Text is read in units: an ASCII byte, a whole character of the locale, or a byte (or unfinished tail) that is no
 * character.  An ASCII byte never asks for the locale; everything else does, each time: that is cheaper than it looks
 * and leaves no cache to grow stale.  What is inline here is done for each character of a name.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <wchar.h>

#include "base/locale.h"

/* What bytes above 0x7f are. */
enum lsr_charset {
        LSR_CHARSET_BYTES,  /* C: no characters */
        LSR_CHARSET_SINGLE, /* ISO 8859 and its like */
        LSR_CHARSET_MULTI,
};

/* May load the locale, which is *ret_locale then; call for bytes above 0x7f only. */
static inline enum lsr_charset lsr_charset(locale_t *ret_locale)
{
        locale_t locale;

        if (!lsr_locale_multibyte())
                return LSR_CHARSET_BYTES;
        locale = lsr_locale();
        if (!lsr_locale_multibyte()) /* loading has failed */
                return LSR_CHARSET_BYTES;
        *ret_locale = locale;
        return MB_CUR_MAX > 1 ? LSR_CHARSET_MULTI : LSR_CHARSET_SINGLE;
}

static inline bool lsr_ascii_prints(unsigned char c)
{
        return c >= 0x20 && c < 0x7f;
}

/* The first character of @s in a multibyte locale.  Returns its bytes; what is none has *ret_wide = WEOF. */
static inline size_t lsr_width_decode(const char *s, size_t n, wint_t *ret_wide)
{
        mbstate_t state = { 0 };
        wchar_t wide;
        size_t len = mbrtowc(&wide, s, n, &state);

        if (len == (size_t)-2 || len == (size_t)-1) {
                *ret_wide = WEOF;
                return len == (size_t)-2 ? n : 1;
        }
        *ret_wide = (wint_t)wide;
        return len ? len : 1;
}

/* The first unit of @s: its columns, or -1 if it does not print. */
int lsr_width_unit(const char *s, size_t n, size_t *ret_len, wint_t *ret_wide);

/* Columns that @s takes; what is broken or does not print counts as in GNU ls (mbsnwidth without flags). */
size_t lsr_text_width(const char *s, size_t len);

/* The same of a file's name: in locales without multibyte characters only what prints counts. */
size_t lsr_file_name_width(const char *s, size_t len);
