/* strings - see the header */
#include "catalogue/strings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "catalogue/catalogue.h"

void catalogue_strings_init(struct catalogue_strings *s)
{
        *s = (struct catalogue_strings){ .n = 1, .cap = 64 };
        s->ends = lsr_xmalloc((s->cap + 1) * sizeof(*s->ends));
        s->ends[0] = s->ends[1] = 0;
}

void catalogue_strings_free(struct catalogue_strings *s)
{
        lsr_table_free(&s->table);
        free(s->ends);
        free(s->text);
        *s = (struct catalogue_strings){};
}

int catalogue_strings_add(struct catalogue_strings *s, const void *data, size_t n, uint32_t *ret_number)
{
        size_t end = s->ends[s->n], len;
        uint32_t hash;

        if (!n) {
                *ret_number = 0;
                return 0;
        }
        hash = lsr_hash(0, data, n);
        LSR_TABLE_FOREACH(&s->table, hash, number)
        {
                const char *old = catalogue_string(s, number, &len);

                if (len == n && memcmp(old, data, n) == 0) {
                        *ret_number = number;
                        return 0;
                }
        }
        if (n >= LSR_CATALOGUE_TEXT_MAX - 1 - end || s->n >= LSR_CATALOGUE_ROWS_MAX)
                return -E2BIG;
        if (s->text_cap - end < n + 1) {
                size_t cap = 2 * s->text_cap > end + n + 1 ? 2 * s->text_cap : end + n + 1;

                if (lsr_try_resize(&s->text, cap) < 0)
                        return -ENOMEM;
                s->text_cap = cap;
        }
        if (s->n == s->cap) {
                if (lsr_try_resize(&s->ends, 2 * (size_t)s->cap + 1) < 0)
                        return -ENOMEM;
                s->cap *= 2;
        }
        if (lsr_table_put(&s->table, hash, s->n) < 0)
                return -ENOMEM;
        memcpy(s->text + end, data, n);
        s->text[end + n] = '\0';
        s->ends[s->n + 1] = (uint32_t)(end + n + 1);
        *ret_number = s->n++;
        return 0;
}
