/*
 * strings - each string once; and the hash table under it
 *
 * Hashes are keyed by random bytes of the process, so that nobody can make
 * names that all fall into one slot.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From hashes to numbers above 0.  A zeroed struct is an empty table. */
struct catalogue_table {
        uint64_t *slots; /* hash << 32 | number; 0: free */
        uint32_t mask;
        uint32_t used;
};

struct catalogue_strings {
        uint32_t n; /* with string 0, the empty one */
        uint32_t cap;
        uint32_t *ends; /* string i: text + ends[i] to text + ends[i + 1], with a NUL behind it */
        char *text;
        size_t text_cap;
        struct catalogue_table table;
};

/* The hash of some bytes below @salt. */
uint32_t catalogue_hash(uint32_t salt, const void *data, size_t n);

/* All numbers of a hash: the first slot, and the next one; 0 is the end. */
#define CATALOGUE_TABLE_FOREACH(t, hash, number)          \
        for (uint32_t slot_ = (hash) & (t)->mask, number; \
             (t)->slots && (number = catalogue_table_next((t), (hash), &slot_)) != 0;)

static inline uint32_t catalogue_table_next(const struct catalogue_table *t, uint32_t hash, uint32_t *slot)
{
        uint64_t found;

        while ((found = t->slots[*slot]) != 0) {
                *slot = (*slot + 1) & t->mask;
                if (found >> 32 == hash)
                        return (uint32_t)found;
        }
        return 0;
}

/* 0 or -ENOMEM. */
int catalogue_table_put(struct catalogue_table *t, uint32_t hash, uint32_t number);
void catalogue_table_free(struct catalogue_table *t);

void catalogue_strings_init(struct catalogue_strings *s);
void catalogue_strings_free(struct catalogue_strings *s);

/* The number of a string, 0 for an empty one.  0, -E2BIG or -ENOMEM. */
int catalogue_strings_add(struct catalogue_strings *s, const void *data, size_t n, uint32_t *ret_number);

/* NULL for string 0. */
static inline const char *catalogue_string(const struct catalogue_strings *s, uint32_t number, size_t *ret_len)
{
        *ret_len = number ? s->ends[number + 1] - s->ends[number] - 1 : 0;
        return number ? s->text + s->ends[number] : NULL;
}
