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
        cr_assert_eq(lsr_word_find(words, "no"), 2);
        cr_assert_eq(lsr_word_find(words, "nobody"), 5);
        cr_assert_eq(lsr_word_find(words, "auto"), 3);
        cr_assert_eq(lsr_word_find(words, "author"), 4);
}

Test(words, beginnings_that_mean_one_thing)
{
        cr_assert_eq(lsr_word_find(words, "y"), 1);
        cr_assert_eq(lsr_word_find(words, "ne"), 2);
        cr_assert_eq(lsr_word_find(words, "non"), 2);
        cr_assert_eq(lsr_word_find(words, "al"), 1);
        cr_assert_eq(lsr_word_find(words, "autho"), 4);
}

Test(words, ambiguous_and_unknown)
{
        cr_assert_eq(lsr_word_find(words, "a"), -2);
        cr_assert_eq(lsr_word_find(words, "au"), -2);
        cr_assert_eq(lsr_word_find(words, "n"), -2);
        cr_assert_eq(lsr_word_find(words, ""), -2);
        cr_assert_eq(lsr_word_find(words, "x"), -1);
        cr_assert_eq(lsr_word_find(words, "always "), -1);
        cr_assert_eq(lsr_word_find(words, "ALWAYS"), -1);
        cr_assert_eq(lsr_word_find(&words[8], ""), -1);
}
