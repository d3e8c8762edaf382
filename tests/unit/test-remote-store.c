/* remote/store - which blocks of an object are here, what is asked for the others, what is taken away */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "remote/store.h"

static struct lsr_store store;

static void store_init(void)
{
        cr_assert_eq(lsr_store_begin(&store, 3000 * LSR_REMOTE_BLOCK + 1), 0);
        cr_assert_eq(store.n_blocks, 3001);
}

static void store_fini(void)
{
        lsr_store_end(&store);
}

TestSuite(store, .init = store_init, .fini = store_fini);

/* Plan, and the requests as text: "0-3 7-8". */
static void store_plan_check(const struct lsr_run *runs, size_t n, uint64_t gap, const char *expected)
{
        lsr_auto(lsr_runs_end) struct lsr_runs planned = { 0 };
        char text[512] = "", *to = text;
        struct lsr_run run;

        cr_assert_eq(lsr_store_plan(&store, runs, n, gap, &planned), 0);
        while (lsr_runs_take(&planned, &run))
                to += sprintf(to, "%s%lu-%lu", *text ? " " : "", run.first, run.end);
        cr_expect_str_eq(text, expected);
}

Test(store, plan)
{
        store_plan_check((struct lsr_run[]){ { 0, 1 }, { 2, 3 }, { 10, 12 } }, 3, 1, "0-3 10-12");
        store_plan_check((struct lsr_run[]){ { 0, 4 } }, 1, 1, "3-4");
        store_plan_check((struct lsr_run[]){ { 9, 13 } }, 1, 9, "9-10 12-13");
        cr_assert(lsr_store_asked(&store, 9) && !lsr_store_asked(&store, 13));
}

Test(store, plan_around_what_is_here)
{
        cr_assert_eq(lsr_store_mark(&store, (struct lsr_run){ 4, 5 }), 0);
        cr_assert_eq(lsr_store_mark(&store, (struct lsr_run){ 20, 40 }), 0);
        store_plan_check((struct lsr_run[]){ { 3, 6 }, { 19, 41 } }, 2, 1, "3-6 19-20 40-41");
}

Test(store, plan_is_cut_into_requests)
{
        store_plan_check((struct lsr_run[]){ { 0, 300 } }, 1, 4, "0-128 128-256 256-300");
}

Test(store, written_and_marked)
{
        lsr_autoclose int data = lsr_store_reader(store.data), bits = lsr_store_reader(store.bits);
        uint8_t bytes[4] = { 0 };

        cr_assert(data >= 0 && bits >= 0);
        cr_assert_eq(fcntl(data, F_GETFL) & O_ACCMODE, O_RDONLY);
        cr_assert_eq(lsr_store_write(&store, 3000 * LSR_REMOTE_BLOCK, "x", 1), 0);
        cr_assert_eq(lsr_store_write(&store, 3000 * LSR_REMOTE_BLOCK, "xy", 2), -ERANGE);
        cr_assert_eq(lsr_store_write(&store, UINT64_MAX, "xy", 2), -ERANGE);
        cr_assert_not(lsr_store_has(&store, 3000));
        cr_assert_eq(lsr_store_mark(&store, (struct lsr_run){ 3000, 3001 }), 0);
        cr_assert(lsr_store_has(&store, 3000));
        cr_assert_eq(pread(data, bytes, 4, 3000 * LSR_REMOTE_BLOCK), 1);
        cr_assert_eq(bytes[0], 'x');
        cr_assert_eq(pread(bits, bytes, 1, 3000 / 8), 1);
        cr_assert_eq(bytes[0], 1u << 3000 % 8);
        cr_assert_eq(ftruncate(store.data, 0), -1, "its size is sealed");
}

Test(store, trim_takes_the_oldest_that_is_not_needed)
{
        uint64_t max = LSR_REMOTE_HELD_MAX / LSR_REMOTE_BLOCK;

        cr_assert_eq(lsr_store_mark(&store, (struct lsr_run){ 100, 110 }), 0);
        cr_assert_eq(lsr_store_mark(&store, (struct lsr_run){ 0, 10 }), 0);
        cr_assert_eq(lsr_store_mark(&store, (struct lsr_run){ 105, 112 }), 0);
        cr_assert_eq(store.held, 22);
        lsr_store_trim(&store, max - 22, NULL, 0);
        cr_assert_eq(store.held, 22);
        lsr_store_trim(&store, max - 15, &(struct lsr_run){ 102, 104 }, 1);
        cr_expect_eq(store.held, 14);
        cr_expect(lsr_store_has(&store, 102) && lsr_store_has(&store, 103) && lsr_store_has(&store, 0));
        cr_expect_not(lsr_store_has(&store, 101));
        lsr_store_trim(&store, max, &(struct lsr_run){ 102, 104 }, 1);
        cr_expect_eq(store.held, 2);
        lsr_store_trim(&store, max, NULL, 0);
        cr_expect_eq(store.held, 0);
}

Test(store, too_large)
{
        struct lsr_store s;

        cr_assert_eq(lsr_store_begin(&s, LSR_REMOTE_SIZE_MAX + 1), -EFBIG);
        lsr_store_end(&s);
        cr_assert_eq(lsr_store_begin(&s, 0), 0);
        lsr_store_end(&s);
}
