/* width - see the header */
#include "base/width.h"

#include <ctype.h>
#include <stdlib.h>
#include <wctype.h>

#include "base/locale.h"

enum lsr_charset lsr_charset(locale_t *ret_locale)
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

size_t lsr_width_decode(const char *s, size_t n, wint_t *ret_wide)
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

int lsr_width_unit(const char *s, size_t n, size_t *ret_len, wint_t *ret_wide)
{
        unsigned char c = (unsigned char)*s;
        locale_t locale;

        *ret_len = 1;
        *ret_wide = c < 0x80 ? c : WEOF;
        if (c < 0x80)
                return c && !lsr_ascii_prints(c) ? -1 : c != 0;
        switch (lsr_charset(&locale)) {
        case LSR_CHARSET_BYTES:
                return -1;
        case LSR_CHARSET_SINGLE:
                return isprint_l(c, locale) ? 1 : -1;
        case LSR_CHARSET_MULTI:
                break;
        }
        *ret_len = lsr_width_decode(s, n, ret_wide);
        return *ret_wide == WEOF ? -1 : wcwidth((wchar_t)*ret_wide);
}

static size_t width_of(const char *s, size_t n, bool name)
{
        const char *end = s + n;
        size_t len, width = 0;
        locale_t locale;
        wint_t wide;

        for (; s < end; s += len) {
                int columns = lsr_width_unit(s, (size_t)(end - s), &len, &wide);

                if (columns >= 0) {
                        width += (size_t)columns;
                        continue;
                }
                if ((unsigned char)*s < 0x80)
                        continue;
                switch (lsr_charset(&locale)) {
                case LSR_CHARSET_BYTES:
                        width += !name;
                        break;
                case LSR_CHARSET_SINGLE:
                        width += !name && !iscntrl_l((unsigned char)*s, locale);
                        break;
                case LSR_CHARSET_MULTI:
                        width += wide == WEOF || !iswcntrl(wide);
                        break;
                }
        }
        return width;
}

size_t lsr_text_width(const char *s, size_t len)
{
        return width_of(s, len, false);
}

size_t lsr_file_name_width(const char *s, size_t len)
{
        return width_of(s, len, true);
}
