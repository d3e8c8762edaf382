/* encoding - the tables are made by encodings.py when lsr is built */
#include "formats/encoding.h"

#include <ctype.h>
#include <string.h>

#include "encodings.h"

#define ENCODING_NAME_MAX 32

const struct lsr_encoding *lsr_encoding_find(const char *name)
{
        char word[ENCODING_NAME_MAX + 3];
        size_t n = 0;

        word[n++] = ' ';
        for (; *name && n <= ENCODING_NAME_MAX; name++)
                if (isalnum((unsigned char)*name))
                        word[n++] = (char)tolower((unsigned char)*name);
        word[n++] = ' ';
        word[n] = '\0';
        for (const struct lsr_encoding *e = lsr_encodings; e->name && !*name && n > 2; e++)
                if (strstr(e->words, word))
                        return e;
        return NULL;
}

char *lsr_encoding_put(char *to, uint16_t c)
{
        if (c < 0x80) {
                *to++ = (char)c;
        } else if (c < 0x800) {
                *to++ = (char)(0xc0 | c >> 6);
                *to++ = (char)(0x80 | (c & 0x3f));
        } else {
                *to++ = (char)(0xe0 | c >> 12);
                *to++ = (char)(0x80 | (c >> 6 & 0x3f));
                *to++ = (char)(0x80 | (c & 0x3f));
        }
        return to;
}

size_t lsr_encoding_decode(const struct lsr_encoding *e, const char *text, size_t n, char *ret_text)
{
        const uint8_t *p = (const uint8_t *)text, *end = p + n;
        char *to = ret_text;

        while (p < end) {
                uint8_t b = *p++;
                uint16_t c = b < 0x80 ? b : e->single[b - 0x80];

                if (b >= 0x80 && c == 0 && e->pairs && b >= e->lead_first && b <= e->lead_last && p < end &&
                    *p >= e->trail_first && *p <= e->trail_last) {
                        size_t row = (size_t)(b - e->lead_first) * (size_t)(e->trail_last - e->trail_first + 1);

                        c = e->pairs[row + *p++ - e->trail_first];
                }
                if (b >= 0x80 && c == 0)
                        return SIZE_MAX;
                to = lsr_encoding_put(to, c);
        }
        return (size_t)(to - ret_text);
}
