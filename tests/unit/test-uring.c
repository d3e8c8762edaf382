/*
 * The io_uring engine when the kernel takes less than it is given, or nothing, or knows less than this one.
 */
#include "ring-world.h"

/* ---- a part is taken ---- */

static unsigned ring_random_part(unsigned ready)
{
        return 1 + (unsigned)rand() % ready;
}

static unsigned ring_small_part(unsigned ready)
{
        unsigned part = 1 + (unsigned)rand() % 12;

        return part < ready ? part : ready;
}

static void ring_split_chains(const char *engine, unsigned (*part)(unsigned), unsigned n, unsigned slow)
{
        struct lsr_io *io = engine_open(engine);

        ring_part = part;
        ring_splits = 0;
        for (unsigned round = 0; round < 10; round++)
                ring_batch(io, n, slow);
        cr_assert_gt(ring_splits, 10);
        lsr_io_free(io);
}

/* No file has the metadata of another. */
RING_TEST(chains_are_split)
{
        ring_split_chains("uring", ring_random_part, RING_NAMES, 0);
        ring_split_chains("uring", ring_random_part, 300, 0);
        ring_split_chains("uring:depth=128,chain=8", ring_random_part, 1000, 0);
}

/* Two workers share few, which go with one call. */
RING_TEST(few_are_several_chains)
{
        static const struct {
                unsigned n, chains;
        } lots[] = { { 10, 1 }, { 100, 7 }, { 256, 16 }, { 257, 3 }, { 1000, 8 } };

        for (size_t i = 0; i < sizeof(lots) / sizeof(*lots); i++) {
                struct lsr_io *io = engine_open("uring");

                ring_calls = ring_chains = 0;
                ring_begin(io, lots[i].n, 0);
                if (lots[i].n <= 256)
                        cr_expect_eq(ring_chains, lots[i].chains, "%u: %u chains at first", lots[i].n, ring_chains);
                ring_check(io, lots[i].n, 0);
                cr_expect_eq(ring_chains, lots[i].chains, "%u: %u chains", lots[i].n, ring_chains);
                lsr_io_free(io);
        }
        ring_split_chains("uring", ring_random_part, 100, 0);
}

/* What is cut off works for long while its rest has long been done. */
RING_TEST(slow_chains_are_split)
{
        ring_split_chains("uring:depth=128,chain=8", ring_small_part, 512, 8);
}

/* ---- files ---- */

static char ring_bufs[RING_FILES][32];
static struct lsr_op_data ring_reads[RING_FILES];

/* Files of one line, their own name and @round; every third is missing. */
static void ring_plan_files(unsigned n, unsigned round)
{
        for (unsigned i = 0; i < n; i++) {
                static char names[RING_FILES][16];
                int fd;

                sprintf(names[i], "f%u-%u", round, i);
                ring_reads[i] =
                        (struct lsr_op_data){ .buf = ring_bufs[i], .cap = sizeof(ring_bufs[i]), .ends = round % 2 };
                ring_file_ops[i] = op_data(LSR_OP_READ_FILE, ring_dirfd, names[i], &ring_reads[i]);
                if (i % 3 == 2)
                        continue;
                fd = openat(ring_dirfd, names[i], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
                cr_assert_gt(dprintf(fd, "%s\n", names[i]), 0);
                close(fd);
        }
}

static void ring_check_files(unsigned n)
{
        for (unsigned i = 0; i < n; i++) {
                const struct lsr_op_data *file = &ring_reads[i];
                const char *name = ring_file_ops[i].name;
                size_t len = strlen(name);

                if (i % 3 == 2)
                        cr_assert_eq(file->ret, -ENOENT, "%s: %zd", name, file->ret);
                else
                        cr_assert(file->ret == (ssize_t)len + 1 && memcmp(file->buf, name, len) == 0,
                                  "%s: %zd bytes: %.*s", name, file->ret, 32, file->buf);
        }
}

/* What is read is the file that was opened, and not the one before it in the same place of the table. */
static void ring_split_files(unsigned (*part)(unsigned), unsigned n)
{
        struct lsr_io *io = engine_open("uring");

        ring_part = part;
        for (unsigned round = 0; round < 30; round++) {
                ring_plan_files(n, round);
                cr_assert_eq(lsr_io_run(io, ring_file_ops, n), 0);
                ring_check_files(n);
        }
        lsr_io_free(io);
}

RING_TEST(files_are_split)
{
        ring_split_files(ring_one, 3);
        ring_split_files(ring_small_part, 3);
        ring_split_files(ring_one, RING_FILES);
        ring_split_files(ring_small_part, RING_FILES);
}

/* ---- the ring is made anew ---- */

/* What was given to the ring before it turned out too small is still to come, and what was done is not done again. */
RING_TEST(files_outlive_a_larger_ring)
{
        struct lsr_io *io = engine_open("uring");

        ring_plan_files(3, 0);
        ring_begin_with(io, 10, 0, 3);
        ring_check(io, 10, 0);
        ring_check_files(3);
        ring_plan_files(3, 1);
        ring_begin_with(io, RING_NAMES, 0, 3);
        cr_assert_eq(ring_rings, 2);
        ring_check(io, RING_NAMES, 0);
        ring_check_files(3);
        cr_assert_eq(lsr_io_stats(io)->retried_ops, 10 / 9 + RING_NAMES / 9 + 2, "what the ring read was read again");
        lsr_io_free(io);
}

/* Much more comes than was expected, stats and files, before and after the first went. */
RING_TEST(more_than_expected)
{
        struct lsr_io *io = engine_open("uring");

        ring_plan_files(RING_FILES, 0);
        lsr_io_expect(io, 1);
        cr_assert_eq(lsr_io_add(io, ring_file_ops, 3), 0);
        lsr_io_go(io);
        ring_begin(io, RING_NAMES, 0);
        cr_assert_eq(lsr_io_add(io, ring_file_ops + 3, RING_FILES - 3), 0);
        ring_check(io, RING_NAMES, 0);
        ring_check_files(RING_FILES);
        cr_assert_eq(ring_rings, 1);
        cr_assert_eq(lsr_io_stats(io)->ring_ops, RING_NAMES + 3 * RING_FILES);
        /* Before anything went there is still time for a larger ring. */
        lsr_io_expect(io, 1);
        ring_begin(io, RING_NAMES, 0);
        ring_check(io, RING_NAMES, 0);
        cr_assert_eq(ring_rings, 2);
        lsr_io_free(io);
}

/* A larger one is for speed: the one that there is does the work as well. */
RING_TEST(no_larger_ring)
{
        struct lsr_io *io = engine_open("uring");

        ring_batch(io, 10, 0);
        ring_rings_most = ring_rings;
        ring_plan_files(3, 0);
        ring_begin_with(io, RING_NAMES, 0, 3);
        ring_check(io, RING_NAMES, 0);
        ring_check_files(3);
        ring_plan_files(RING_FILES, 1);
        cr_assert_eq(lsr_io_run(io, ring_file_ops, RING_FILES), 0);
        ring_check_files(RING_FILES);
        cr_assert_eq(lsr_io_stats(io)->ring_ops, 10 + 3 * 3 + RING_NAMES + 4 * RING_FILES);
        lsr_io_free(io);
}

/* ---- what the kernel offers ---- */

/* An older kernel: of the flags that it does not know none is asked for, the others are. */
RING_TEST(older_flags)
{
        static const unsigned known[] = { IORING_SETUP_SUBMIT_ALL | IORING_SETUP_COOP_TASKRUN, IORING_SETUP_SUBMIT_ALL,
                                          0 };

        for (unsigned i = 0; i < 3; i++) {
                struct lsr_io *io;

                ring_flags_known = known[i];
                io = engine_open("uring");
                cr_assert_eq(ring_flags, known[i]);
                ring_batch(io, 300, 0);
                cr_assert_eq(lsr_io_stats(io)->ring_ops, 300);
                lsr_io_free(io);
        }
}

/* An opcode is not known: plain calls do its kind, at once from then on; the ring does the others. */
static void ring_without(unsigned opcode, unsigned stats, unsigned files)
{
        struct lsr_io *io = engine_open("uring");
        uint64_t ops;

        ring_no_opcode = opcode;
        for (unsigned round = 0; round < 2; round++) {
                ops = lsr_io_stats(io)->ring_ops;
                ring_plan_files(RING_FILES, 1);
                ring_begin_with(io, 300, 0, RING_FILES);
                ring_check(io, 300, 0);
                ring_check_files(RING_FILES);
        }
        cr_assert_eq(lsr_io_stats(io)->ring_ops - ops, stats + files);
        lsr_io_free(io);
}

RING_TEST(missing_opcodes)
{
        ring_without(IORING_OP_STATX, 0, 4 * RING_FILES);
        ring_without(IORING_OP_OPENAT, 300, 0);
        ring_without(IORING_OP_FADVISE, 300, 0);
        ring_without(IORING_OP_CLOSE, 300, 0);
}

/* ---- nothing is taken ---- */

/* For a while: the ring goes on.  For ever, or with an error that no second try mends: plain calls do the rest. */
static void ring_fail(int error, unsigned from, unsigned to, bool goes_on)
{
        for (unsigned slow = 0; slow <= 64; slow += 64) {
                struct lsr_io *io = engine_open("uring:depth=128,chain=8");
                uint64_t ops;

                ring_fails_from = ring_calls + from;
                ring_fails_to = to == UINT32_MAX ? to : ring_calls + to;
                ring_error = error;
                ring_plan_files(3, 0);
                ring_begin(io, 512, slow);
                cr_assert_eq(lsr_io_add(io, ring_file_ops, 3), 0);
                ring_check(io, 512, slow);
                ring_check_files(3);
                ring_fails_from = UINT32_MAX;
                ops = lsr_io_stats(io)->ring_ops;
                ring_batch(io, 512, slow);
                ring_plan_files(RING_FILES, 1);
                cr_assert_eq(lsr_io_run(io, ring_file_ops, RING_FILES), 0);
                ring_check_files(RING_FILES);
                /*
                 * How many calls there are, and whether one that fails was needed, depends on how many requests have
                 * been done by then: a ring that is quick may not notice.
                 */
                ops = lsr_io_stats(io)->ring_ops - ops;
                cr_assert(ops == 512 + 4 * RING_FILES || (ops == 0 && !goes_on), "%llu", (unsigned long long)ops);
                lsr_io_free(io);
        }
}

RING_TEST(calls_fail)
{
        for (unsigned from = 1; from < 6; from++) {
                ring_fail(-EINTR, from, from + 10, true);
                ring_fail(-EAGAIN, from, from + 10, true);
                ring_fail(0, from, from + 10, true);
                ring_fail(-EINVAL, from, from, false);
                ring_fail(-EBADF, from, UINT32_MAX, false);
                ring_fail(-EAGAIN, from, UINT32_MAX, false);
                ring_fail(0, from, UINT32_MAX, false);
        }
}

/* All of it at once. */
RING_TEST(parts_and_failures)
{
        ring_part = ring_small_part;
        for (unsigned from = 1; from < 40; from += 4) {
                ring_fail(-EBUSY, from, from + 5, true);
                ring_fail(-EINVAL, from, UINT32_MAX, false);
        }
}
