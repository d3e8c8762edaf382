/*
 * locale - the user's locale, loaded when something needs it
 *
 * A static glibc does not give setlocale() its collation data, but newlocale()
 * with the _l functions works.  The C, POSIX and C.UTF-8 locales sort by bytes
 * and print English dates, so in them nothing is loaded until a name with a
 * byte above 0x7f has to be measured (LC_CTYPE only).
 *
 * As setlocale(LC_ALL, "") does, one category that names a locale which is not
 * installed makes the whole locale C.
 */
#pragma once

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>

/* Read LC_ALL, LC_*, LANG.  Opens no file in the C, POSIX and C.UTF-8 locales. */
void lsr_locale_init(void);

/* Sorting: is it by bytes?  If not, use lsr_locale() with strcoll_l(). */
bool lsr_locale_collates_bytes(void);

/* Do dates and numbers look as in the C locale? */
bool lsr_locale_plain_time(void);
bool lsr_locale_plain_numeric(void);

/* Is LC_TIME the C or POSIX locale by that very name?  C.UTF-8 is not. */
bool lsr_locale_posix_time(void);

/* May bytes above 0x7f be characters at all (false in C and POSIX)? */
bool lsr_locale_multibyte(void);

/*
 * The locale object; loads it on the first call and makes it the thread's own
 * (uselocale), so that mbrtowc(), wcwidth(), iswprint() and strftime() follow.
 */
locale_t lsr_locale(void);
