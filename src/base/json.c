/* json - see the header */
#include "base/json.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

#define JSON_EACH (UINT64_MAX / 255) /* 1 in each byte */

/* Is a byte of the eight at @s below 0x20, above 0x7e, '"' or '\\'?  It may say so also where none is. */
static bool json_any_special(const unsigned char *s)
{
        uint64_t w, quote, backslash;

        memcpy(&w, s, 8);
        quote = w ^ JSON_EACH * '"';
        backslash = w ^ JSON_EACH * '\\';
        return ((w - JSON_EACH * 0x20) | (w + JSON_EACH) | w | (quote - JSON_EACH) | (backslash - JSON_EACH)) &
               JSON_EACH * 0x80;
}

static bool json_is_special(unsigned char c)
{
        return c < 0x20 || c > 0x7e || c == '"' || c == '\\';
}

size_t lsr_json_plain(const void *text, size_t len)
{
        const unsigned char *s = text;
        size_t i = 0;

        while (i + 8 <= len && !json_any_special(s + i))
                i += 8;
        /* What is left of a text is looked at together with what is before it. */
        if (i < len && len - i < 8 && len >= 8 && !json_any_special(s + len - 8))
                return len;
        while (i < len && !json_is_special(s[i]))
                i++;
        return i;
}

bool lsr_json_text(struct lsr_out *out, const void *text, size_t len)
{
        const unsigned char *s = text;
        bool valid = true;

        for (size_t i = 0, n; i < len; i += n) {
                n = lsr_json_plain(s + i, len - i);
                lsr_out_put(out, s + i, n);
                i += n;
                if (i == len)
                        break;
                n = lsr_utf8_length(s + i, len - i);
                if (n == 0) {
                        lsr_out_puts(out, "\xef\xbf\xbd");
                        valid = false;
                        n = 1;
                } else if (s[i] == '"' || s[i] == '\\') {
                        lsr_out_putc(out, '\\');
                        lsr_out_putc(out, (char)s[i]);
                } else if (lsr_is_control(lsr_utf8_code(s + i, n))) {
                        lsr_out_printf(out, "\\u%04x", lsr_utf8_code(s + i, n));
                } else {
                        lsr_out_put(out, s + i, n);
                }
        }
        return valid;
}

void lsr_json_base64(struct lsr_out *out, const void *data, size_t len)
{
        static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        const unsigned char *s = data;

        for (size_t i = 0; i < len; i += 3) {
                size_t left = len - i;
                unsigned v = (unsigned)s[i] << 16 | (left > 1 ? (unsigned)s[i + 1] << 8 : 0) |
                             (left > 2 ? (unsigned)s[i + 2] : 0);
                char four[4] = { digits[v >> 18], digits[v >> 12 & 63], left > 1 ? digits[v >> 6 & 63] : '=',
                                 left > 2 ? digits[v & 63] : '=' };

                lsr_out_put(out, four, 4);
        }
}
