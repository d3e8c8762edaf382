/* Memory of a listing: alignment, growth, trimming, reuse. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

Test(arena, blocks_are_aligned_and_apart)
{
        struct lsr_arena a = {};
        unsigned char *p[2000];
        size_t size[2000];

        for (unsigned i = 0; i < 2000; i++) {
                size[i] = (i * 7919u) % 5000;
                if (i % 3 == 0) {
                        p[i] = (unsigned char *)lsr_arena_text(&a, size[i]);
                } else {
                        p[i] = lsr_arena_alloc(&a, size[i]);
                        cr_assert_eq((uintptr_t)p[i] % 16, 0, "%u", i);
                }
                memset(p[i], (int)(i % 251), size[i]);
        }
        for (unsigned i = 0; i < 2000; i++)
                for (size_t j = 0; j < size[i]; j++)
                        cr_assert_eq(p[i][j], i % 251, "block %u was overwritten", i);
        lsr_arena_free(&a);
        cr_assert(!a.blocks && !a.next);
}

Test(arena, larger_than_any_block)
{
        struct lsr_arena a = {};
        size_t n = (size_t)40 << 20;
        char *small = lsr_arena_strndup(&a, "before", 6), *large = lsr_arena_alloc(&a, n);

        memset(large, 1, n);
        cr_assert_str_eq(small, "before");
        large = lsr_arena_text(&a, n);
        memset(large, 2, n);
        lsr_arena_free(&a);
}

Test(arena, adopts_all_blocks)
{
        struct lsr_arena a = {}, b = {};
        char *p = lsr_arena_strndup(&a, "mine", 4), *q = lsr_arena_strndup(&b, "theirs", 6), *large;

        large = memset(lsr_arena_alloc(&b, (size_t)5 << 20), 'l', (size_t)5 << 20);
        lsr_arena_adopt(&a, &b);
        cr_assert(!b.blocks && !b.next);
        cr_assert_str_eq(lsr_arena_strndup(&b, "again", 5), "again");
        lsr_arena_free(&b);
        cr_assert_str_eq(p, "mine");
        cr_assert_str_eq(q, "theirs");
        cr_assert(large[0] == 'l' && large[(5 << 20) - 1] == 'l');
        lsr_arena_adopt(&b, &a);
        cr_assert_str_eq(lsr_arena_strndup(&b, "more", 4), "more");
        cr_assert_str_eq(p, "mine");
        lsr_arena_free(&a);
        cr_assert_str_eq(q, "theirs");
        lsr_arena_free(&b);
}

Test(arena, two_at_once)
{
        struct lsr_arena a = {}, b = {};
        char *p = lsr_arena_strndup(&a, "abcdef", 3), *q = lsr_arena_strndup(&b, "uvw", 3);

        cr_assert_str_eq(p, "abc");
        cr_assert_str_eq(q, "uvw");
        lsr_arena_free(&a);
        cr_assert_str_eq(q, "uvw");
        p = lsr_arena_strndup(&a, "again", 5);
        cr_assert_str_eq(q, "uvw");
        cr_assert_str_eq(p, "again");
        lsr_arena_free(&a);
        lsr_arena_free(&b);
}

Test(arena, trim_gives_back)
{
        struct lsr_arena a = {};
        char *p = lsr_arena_text(&a, 1000), *q;

        lsr_arena_trim(&a, p + 10);
        q = lsr_arena_text(&a, 1);
        cr_assert_eq(q, p + 10);
        lsr_arena_free(&a);
}

/* A directory after the other lives in the same memory. */
Test(arena, reset_reuses)
{
        struct lsr_arena a = {};
        char *first = NULL;

        for (unsigned round = 0; round < 50; round++) {
                char *p = lsr_arena_alloc(&a, 100);

                memset(p, 7, 100);
                for (unsigned i = 0; i < 300; i++)
                        memset(lsr_arena_alloc(&a, 60000), (int)i, 60000);
                lsr_arena_reset(&a);
                p = lsr_arena_alloc(&a, 100);
                if (round == 1)
                        first = p;
                if (round > 1)
                        cr_assert_eq(p, first, "round %u", round);
                lsr_arena_reset(&a);
        }
        lsr_arena_free(&a);
        lsr_arena_reset(&a);
        lsr_arena_free(&a);
        lsr_arena_free(NULL);
}

/* Exhaustion is the end, with status 2. */
Test(arena, overflow_ends_the_program, .exit_code = 2)
{
        struct lsr_arena a = {};

        lsr_arena_alloc_n(&a, SIZE_MAX / 4, 8);
}

Test(arena, too_much_ends_the_program, .exit_code = 2)
{
        struct lsr_arena a = {};

        lsr_arena_alloc(&a, SIZE_MAX - 8);
}

Test(arena, arrays_and_copies)
{
        struct lsr_arena a = {};
        uint64_t *v = lsr_arena_new(&a, uint64_t, 1000);
        char *s = lsr_arena_strndup(&a, "", 0), *c = lsr_xstrdup("copy");

        memset(v, 0xff, 8000);
        cr_assert_str_eq(s, "");
        cr_assert_str_eq(c, "copy");
        c = lsr_xrealloc(c, 0);
        cr_assert_not_null(c);
        free(c);
        c = lsr_xstrndup("copy", 2);
        cr_assert_str_eq(c, "co");
        free(c);
        c = lsr_xstrndup("copy", 20);
        cr_assert_str_eq(c, "copy");
        free(c);
        c = lsr_xstrndup(NULL, 0);
        cr_assert_str_eq(c, "");
        free(c);
        lsr_arena_free(&a);
}
