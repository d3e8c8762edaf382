/*
 * A table from hashes to numbers: all numbers of a hash are found, and no others; hashes are even, and differ by salt.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define MANY 100000u

static unsigned count(const struct lsr_hash_table *t, uint32_t hash, uint32_t wanted)
{
        unsigned n = 0;

        LSR_HASH_FOREACH(t, hash, number)
        {
                n += number == wanted;
        }
        return n;
}

Test(hash, empty)
{
        struct lsr_hash_table t = {};

        LSR_HASH_FOREACH(&t, 5, number)
        {
                cr_expect(false, "%u", number);
        }
        lsr_hash_free(&t);
}

Test(hash, many)
{
        struct lsr_hash_table t = {};

        for (uint32_t i = 1; i <= MANY; i++)
                lsr_hash_add(&t, lsr_hash(0, &i, sizeof(i)), i);
        for (uint32_t i = 1; i <= MANY; i++)
                cr_assert_eq(count(&t, lsr_hash(0, &i, sizeof(i)), i), 1, "%u", i);
        for (uint32_t i = MANY + 1; i <= 2 * MANY; i++)
                cr_assert_eq(count(&t, lsr_hash(0, &i, sizeof(i)), i), 0, "%u", i);
        lsr_hash_free(&t);
        cr_expect_null(t.slots);
}

/* Numbers of one hash, also of those that begin at the last slot and go on at the first. */
Test(hash, the_same)
{
        static const uint32_t hashes[] = { 0, 1, 7, UINT32_MAX };
        struct lsr_hash_table t = {};

        for (uint32_t i = 0; i < 4 * 50; i++)
                cr_assert_eq(lsr_hash_put(&t, hashes[i % 4], i + 1), 0);
        for (unsigned h = 0; h < 4; h++) {
                unsigned n = 0;

                LSR_HASH_FOREACH(&t, hashes[h], number)
                {
                        cr_expect_eq((number - 1) % 4, h);
                        n++;
                }
                cr_expect_eq(n, 50);
        }
        lsr_hash_free(&t);
}

/* Each length of a key counts, each of its bytes, and the salt. */
Test(hash, depends_on_all)
{
        uint8_t key[64] = {};

        for (size_t n = 0; n < sizeof(key); n++) {
                uint32_t hash = lsr_hash(0, key, n);

                cr_expect_neq(hash, lsr_hash(0, key, n + 1), "%zu", n);
                cr_expect_neq(hash, lsr_hash(1, key, n), "%zu", n);
                cr_expect_neq(hash, lsr_hash(UINT64_C(1) << 32, key, n), "%zu", n);
                for (size_t i = 0; i < n; i++) {
                        key[i] = 1;
                        cr_expect_neq(hash, lsr_hash(0, key, n), "%zu of %zu", i, n);
                        key[i] = 0;
                }
        }
}

/* No slot of 1,024 gets far more than its share of names that differ by little. */
Test(hash, even)
{
        unsigned slots[1024] = {}, most = 0;

        for (unsigned i = 0; i < MANY; i++) {
                char name[32];
                int len = snprintf(name, sizeof(name), "file-%06u.txt", i);
                unsigned *slot = &slots[lsr_hash(0, name, (size_t)len) % 1024];

                most = ++*slot > most ? *slot : most;
        }
        cr_expect_lt(most, 2 * MANY / 1024);
}
