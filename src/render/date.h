/*
 * date - the conversions of date(1), as the GNU tools have them
 *
 *      % flags width modifier letter
 *
 *      flags      _ blanks, 0 zeros, - no padding, + zeros and a sign before
 *                 years of more than four digits; ^ upper case, # the other case
 *      modifier   E or O: the locale's alternative forms
 *      letters    those of strftime(3), and %N nanoseconds, %q quarter,
 *                 %P am or pm, %:z %::z %:::z offsets from UTC
 *
 * Other text is copied. libc formats only what depends on the language (names,
 * %c, %x, %X, %r, %p, E and O forms).
 */
#pragma once

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct lsr_date {
        struct tm tm; /* local time */
        int64_t sec;  /* the same since 1970 */
        uint32_t nsec;
        int32_t offset;   /* seconds east of UTC */
        const char *zone; /* abbreviated name of the zone */
        locale_t locale;  /* (locale_t)0: that of the thread */
};

/*
 * Format @date into @buf of @size bytes, without a NUL.  Returns true and the
 * length, which may be 0; false if it does not fit.
 */
bool lsr_date_format(const struct lsr_date *date, const char *format, char *buf, size_t size, size_t *ret_len);
