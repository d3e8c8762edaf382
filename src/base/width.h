/*
 * width - columns that text takes on a terminal
 *
 * Text is read in units: an ASCII byte, a whole character of the locale, or a byte (or unfinished tail) that is no
 * character.  An ASCII byte never asks for the locale; everything else does, each time: that is cheaper than it looks
 * and leaves no cache to grow stale.
 */
#pragma once

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

/* What bytes above 0x7f are. */
enum lsr_charset {
        LSR_CHARSET_BYTES,  /* C: no characters */
        LSR_CHARSET_SINGLE, /* ISO 8859 and its like */
        LSR_CHARSET_MULTI,
};

/* May load the locale, which is *ret_locale then; call for bytes above 0x7f only. */
enum lsr_charset lsr_charset(locale_t *ret_locale);

static inline bool lsr_ascii_prints(unsigned char c)
{
        return c >= 0x20 && c < 0x7f;
}

/* The first character of @s in a multibyte locale.  Returns its bytes; what is none has *ret_wide = WEOF. */
size_t lsr_width_decode(const char *s, size_t n, wint_t *ret_wide);

/* The first unit of @s: its columns, or -1 if it does not print. */
int lsr_width_unit(const char *s, size_t n, size_t *ret_len, wint_t *ret_wide);

/* Columns that @s takes on a terminal; unprintable and broken sequences count as in GNU ls (mbsnwidth without flags). */
size_t lsr_text_width(const char *s, size_t len);

/* The same of a file's name: in locales without multibyte characters only what prints counts. */
size_t lsr_file_name_width(const char *s, size_t len);
