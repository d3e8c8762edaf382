/* strings - each string once */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

struct catalogue_strings {
        uint32_t n; /* with string 0, the empty one */
        uint32_t cap;
        uint32_t *ends; /* string i: text + ends[i] to text + ends[i + 1], with a NUL behind it */
        char *text;
        size_t text_cap;
        struct lsr_hash_table table;
};

void catalogue_strings_init(struct catalogue_strings *s);
void catalogue_strings_free(struct catalogue_strings *s);

/* The number of a string, 0 for an empty one.  0, -E2BIG or -ENOMEM. */
int catalogue_strings_add(struct catalogue_strings *s, const void *data, size_t n, uint32_t *ret_number);

/* NULL for string 0. */
static inline const char *catalogue_string(const struct catalogue_strings *s, uint32_t number, size_t *ret_len)
{
        assert(number < s->n || number == 0);
        *ret_len = number ? s->ends[number + 1] - s->ends[number] - 1 : 0;
        return number ? s->text + s->ends[number] : NULL;
}
