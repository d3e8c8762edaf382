/* Words that may be abbreviated, as GNU's argmatch has them. */
#include <criterion/criterion.h>

#include "base/words.h"

static const struct lsr_word words[] = {
        { "always", 1 },   { "yes", 1, true },  { "never", 2 },
        { "no", 2, true }, { "none", 2, true }, { "auto", 3 },
        { "author", 4 },   { "nobody", 5 },     {},
};

Test(words, exact_before_any_that_begin_so)
{
        cr_assert_eq(lsr_word_find(words, "no", false), 2);
        cr_assert_eq(lsr_word_find(words, "nobody", false), 5);
        cr_assert_eq(lsr_word_find(words, "auto", false), 3);
        cr_assert_eq(lsr_word_find(words, "author", false), 4);
}

Test(words, beginnings_that_mean_one_thing)
{
        cr_assert_eq(lsr_word_find(words, "y", false), 1);
        cr_assert_eq(lsr_word_find(words, "ne", false), 2);
        cr_assert_eq(lsr_word_find(words, "non", false), 2);
        cr_assert_eq(lsr_word_find(words, "al", false), 1);
        cr_assert_eq(lsr_word_find(words, "autho", false), 4);
}

Test(words, ambiguous_and_unknown)
{
        cr_assert_eq(lsr_word_find(words, "a", false), -2);
        cr_assert_eq(lsr_word_find(words, "au", false), -2);
        cr_assert_eq(lsr_word_find(words, "n", false), -2);
        cr_assert_eq(lsr_word_find(words, "", false), -2);
        cr_assert_eq(lsr_word_find(words, "x", false), -1);
        cr_assert_eq(lsr_word_find(words, "always ", false), -1);
        cr_assert_eq(lsr_word_find(words, "ALWAYS", false), -1);
        cr_assert_eq(lsr_word_find(&words[8], "", false), -1);
}

/* Words that GNU ls has not: whole or abbreviated, where that means none of its own. */
Test(words, extra_ones_come_after)
{
        static const struct lsr_word more[] = {
                { "none", 1 },
                { "size", 2 },
                { "name", 3, .extra = true },
                { "natural", 4, .extra = true },
                { "space", 5, .extra = true },
                {},
        };

        cr_assert_eq(lsr_word_find(more, "name", true), 3);
        cr_assert_eq(lsr_word_find(more, "nat", true), 4);
        cr_assert_eq(lsr_word_find(more, "n", true), 1);
        cr_assert_eq(lsr_word_find(more, "s", true), 2);
        cr_assert_eq(lsr_word_find(more, "sp", true), 5);
        cr_assert_eq(lsr_word_find(more, "na", true), -2);
        cr_assert_eq(lsr_word_find(more, "name", false), -1);
}
