/* width - see the header */
#include "base/width.h"

#include <ctype.h>
#include <wctype.h>

/* Inline, as text is mostly bytes that this does next to nothing for. */
static inline int width_unit(const char *s, size_t n, size_t *ret_len, wint_t *ret_wide)
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

int lsr_width_unit(const char *s, size_t n, size_t *ret_len, wint_t *ret_wide)
{
        return width_unit(s, n, ret_len, ret_wide);
}

static inline size_t width_of(const char *s, size_t n, bool name)
{
        const char *end = s + n;
        size_t len, width = 0;
        locale_t locale;
        wint_t wide;

        for (; s < end; s += len) {
                int columns = width_unit(s, (size_t)(end - s), &len, &wide);

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
