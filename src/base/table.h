/*
 * table - a hash table of numbers, which are the caller's places of what is hashed
 *
 * Hashes are keyed by random bytes of the process, so that nobody can make
 * names that all fall into one slot.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* From hashes to numbers above 0.  A zeroed struct is an empty table. */
struct lsr_table {
        uint64_t *slots; /* hash << 32 | number; 0: free */
        uint32_t mask;
        uint32_t used;
};

/* The hash of some bytes below @salt. */
uint32_t lsr_hash(uint32_t salt, const void *data, size_t n);

/* All numbers of a hash: the first slot, and the next one; 0 is the end. */
#define LSR_TABLE_FOREACH(t, hash, number)                \
        for (uint32_t slot_ = (hash) & (t)->mask, number; \
             (t)->slots && (number = lsr_table_next((t), (hash), &slot_)) != 0;)

static inline uint32_t lsr_table_next(const struct lsr_table *t, uint32_t hash, uint32_t *slot)
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
int lsr_table_put(struct lsr_table *t, uint32_t hash, uint32_t number);

/* The same, or the end of the program: where there are more than four billion of them, too. */
void lsr_xtable_put(struct lsr_table *t, uint32_t hash, size_t number);

void lsr_table_free(struct lsr_table *t);
