/* Which engine does what, and what they are called. */
#include "io-dir.h"

Test(io, sync_does_the_work, .init = io_setup, .fini = io_teardown)
{
        struct lsr_io *io = engine_open("sync");
        const struct lsr_io_stats *s = lsr_io_stats(io);

        io_batch(io, 1000, 1, false, 1000);
        cr_assert_str_eq(lsr_io_name(io), "sync");
        cr_assert_eq(s->sync_ops, 1000);
        cr_assert_eq(s->syscalls, 1000);
        cr_assert(s->ring_ops == 0 && s->ring_enters == 0 && s->thread_ops == 0 && s->faults == 0);
        lsr_io_free(io);
}

Test(io, threads_do_the_work, .init = io_setup, .fini = io_teardown)
{
        struct lsr_io *io = engine_open("threads");
        const struct lsr_io_stats *s = lsr_io_stats(io);

        io_batch(io, 10, 1, false, 10);
        cr_assert_eq(s->thread_ops, 10);
        io_batch(io, 1000, 1, false, 1000);
        cr_assert_str_eq(lsr_io_name(io), "threads");
        cr_assert_eq(s->thread_ops, 1010);
        cr_assert(s->ring_ops == 0 && s->ring_enters == 0 && s->sync_ops == 0);
        lsr_io_free(io);
}

Test(io, uring_does_the_work, .init = io_setup, .fini = io_teardown)
{
        struct lsr_io *io = engine_open("uring");
        const struct lsr_io_stats *s = lsr_io_stats(io);

        io_batch(io, 10, 1, false, 10);
        cr_assert_eq(s->ring_ops, 10);
        io_batch(io, 10000, 1, false, 10000);
        cr_assert_str_eq(lsr_io_name(io), "uring");
        cr_assert_eq(s->ring_ops, 10010);
        cr_assert(s->sync_ops == 0 && s->thread_ops == 0);
        /* Only what is missing is asked for again: nothing disturbs its neighbours. */
        cr_assert_leq(s->retried_ops, 10 / 11 + 1 + 10000 / 11 + 1);
        cr_assert_leq(s->ring_enters, 60);
        lsr_io_free(io);
}

/* What the ring has read is not read again. */
Test(io, uring_reads_files, .init = io_setup, .fini = io_teardown)
{
        struct lsr_io *io = engine_open("uring");
        static char bufs[20][64];
        struct lsr_op_data files[20];
        struct lsr_op ops[20];

        for (unsigned i = 0; i < 20; i++) {
                char name[16];

                sprintf(name, "f%u", i);
                files[i] = (struct lsr_op_data){ .buf = bufs[i], .cap = 64, .ret = 99 };
                ops[i] = op_data(LSR_OP_READ_FILE, AT_FDCWD, io_file(name, "text\n"), &files[i]);
        }
        cr_assert_eq(lsr_io_run(io, ops, 20), 0);
        for (unsigned i = 0; i < 20; i++)
                cr_assert_eq(files[i].ret, 5);
        cr_assert_eq(lsr_io_stats(io)->retried_ops, 0);
        cr_assert_eq(lsr_io_stats(io)->ring_ops, 60);
        lsr_io_free(io);
}

Test(io, auto_takes_sync_for_few_and_the_ring_for_many, .init = io_setup, .fini = io_teardown)
{
        struct lsr_io *io = engine_open("uring");

        lsr_io_free(io);
        io = engine_open("auto");
        io_batch(io, LSR_IO_RING_MIN - 1, 1, false, LSR_IO_RING_MIN - 1);
        cr_assert_str_eq(lsr_io_name(io), "sync");
        cr_assert_eq(lsr_io_stats(io)->ring_ops, 0);
        io_batch(io, LSR_IO_RING_MIN, 1, false, LSR_IO_RING_MIN);
        cr_assert_str_eq(lsr_io_name(io), "uring");
        cr_assert_eq(lsr_io_stats(io)->ring_ops, LSR_IO_RING_MIN);
        io_batch(io, 3, 1, false, 3);
        cr_assert_str_eq(lsr_io_name(io), "sync");
        lsr_io_free(io);
}

Test(io, names_of_engines)
{
        static const char *const bad[] = { "",       "Sync",       "uring ",
                                           "urin",   "threads2",   "fault",
                                           "fault:", "fault:nope", "fault:auto:stat=EIO/3" };
        struct lsr_io *io = (struct lsr_io *)8;

        for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
                cr_assert_eq(lsr_io_new(&io, bad[i]), -EINVAL, "'%s'", bad[i]);
        cr_assert_eq(io, (struct lsr_io *)8, "written on failure");
        cr_assert_null(lsr_io_free(NULL));
}

/* The numbers of the ring, for experiments. */
Test(io, tunings, .init = io_setup, .fini = io_teardown)
{
        static const char *const good[] = { "uring:depth=128,chain=8,workers=2,batch=1", "uring:chain=128",
                                            "uring:depth=4096", "uring:batch=2,workers=64", "uring:" };
        static const char *const bad[] = { "uring:depth=127",  "uring:depth=4097", "uring:chain=7",
                                           "uring:chain=129",  "uring:workers=0",  "uring:workers=65",
                                           "uring:batch=0",    "uring:batch=3",    "uring:depth",
                                           "uring:depth=x",    "uring:depth=128x", "uring:many=5",
                                           "uring:depth=-128", "uring:,",          "sync:depth=128",
                                           "threads:workers=2" };
        struct lsr_io *io;

        for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
                io = engine_open(good[i]);
                io_batch(io, 1000, 1, false, 1000);
                cr_assert_eq(lsr_io_stats(io)->ring_ops, 1000, "%s", good[i]);
                lsr_io_free(io);
        }
        for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
                cr_assert_eq(lsr_io_new(&io, bad[i]), -EINVAL, "%s", bad[i]);
}
/* No ring is made for what takes a call for each file anyway. */
Test(io, prefer_calls, .init = io_setup, .fini = io_teardown)
{
        enum { N = 300 };
        struct lsr_io *io = engine_open("auto");
        struct lsr_meta metas[N] = {};
        struct lsr_op ops[N];

        for (unsigned i = 0; i < N; i++)
                ops[i] = op_stat(io_dirfd, ".", LSR_FIELD_TYPE | LSR_FIELD_ATTRIBUTES, true, &metas[i]);
        lsr_io_prefer_calls(io);
        cr_assert_eq(lsr_io_run(io, ops, N), 0);
        for (unsigned i = 0; i < N; i++)
                cr_assert(metas[i].error == 0 && S_ISDIR(metas[i].mode));
        cr_assert_eq(lsr_io_stats(io)->ring_ops, 0);
        cr_assert_str_eq(lsr_io_name(io), "threads");
        lsr_io_free(io);
}
