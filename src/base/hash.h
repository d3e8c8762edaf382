/*
 * hash - a table from hashes to numbers, for whoever keeps what is numbered
 *
 * The table knows nothing of keys: the numbers of a hash are asked for, and the caller compares what they stand for.
 *
 *      uint32_t hash = lsr_hash(0, name, len);
 *
 *      LSR_HASH_FOREACH(&table, hash, number)
 *              if (things[number] is of that name)
 *                      return number;
 *      lsr_hash_add(&table, hash, n_things);
 *
 * Hashes are keyed by random bytes of the process, so that nobody can make names that all fall into one slot.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Numbers are above 0.  A zeroed struct is an empty table. */
struct lsr_hash_table {
        uint64_t *slots; /* hash << 32 | number; 0: free */
        uint32_t mask;
        uint32_t used;
};

/* The hash of some bytes, which with another @salt is another one. */
uint32_t lsr_hash(uint64_t salt, const void *data, size_t n);

/* All numbers of a hash: the first slot, and the next one; 0 is the end. */
#define LSR_HASH_FOREACH(t, hash, number)                 \
        for (uint32_t slot_ = (hash) & (t)->mask, number; \
             (t)->slots && (number = lsr_hash_next((t), (hash), &slot_)) != 0;)

static inline uint32_t lsr_hash_next(const struct lsr_hash_table *t, uint32_t hash, uint32_t *slot)
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
int lsr_hash_put(struct lsr_hash_table *t, uint32_t hash, uint32_t number);

/* The same for those who end with the memory, as lsr_xmalloc() does. */
void lsr_hash_add(struct lsr_hash_table *t, uint32_t hash, uint32_t number);
void lsr_hash_free(struct lsr_hash_table *t);
