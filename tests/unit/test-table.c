/* table - numbers by the hash of what they stand for */
#include <criterion/criterion.h>
#include <stdio.h>

#include "base/table.h"

#define TABLE_WORDS 5000u

static uint32_t table_hash(unsigned i)
{
        char word[16];

        return lsr_hash(7, word, (size_t)snprintf(word, sizeof(word), "word %u", i));
}

static unsigned table_count(const struct lsr_table *t, uint32_t hash, uint32_t wanted)
{
        unsigned n = 0;

        LSR_TABLE_FOREACH(t, hash, number)
        {
                n += number == wanted;
        }
        return n;
}

Test(table, finds_all_after_growing)
{
        struct lsr_table t = {};

        cr_assert_eq(table_count(&t, table_hash(1), 1), 0, "an empty one");
        for (unsigned i = 1; i <= TABLE_WORDS; i++)
                lsr_xtable_put(&t, table_hash(i), i);
        for (unsigned i = 1; i <= TABLE_WORDS; i++)
                cr_assert_eq(table_count(&t, table_hash(i), i), 1, "%u", i);
        cr_assert_eq(table_count(&t, table_hash(TABLE_WORDS + 1), TABLE_WORDS + 1), 0);
        lsr_table_free(&t);
        cr_assert_eq(table_count(&t, table_hash(1), 1), 0, "a freed one");
}

Test(table, numbers_of_one_hash)
{
        struct lsr_table t = {};

        for (uint32_t i = 1; i <= 300; i++)
                lsr_xtable_put(&t, 42, i);
        for (uint32_t i = 1; i <= 300; i++)
                cr_assert_eq(table_count(&t, 42, i), 1, "%u", i);
        lsr_table_free(&t);
}

Test(table, salt_and_length_count)
{
        cr_assert_neq(lsr_hash(0, "ab", 2), lsr_hash(1, "ab", 2));
        cr_assert_neq(lsr_hash(0, "ab\0", 3), lsr_hash(0, "ab", 2));
        cr_assert_eq(lsr_hash(3, "0123456789abcdef!", 17), lsr_hash(3, "0123456789abcdef!", 17));
}
