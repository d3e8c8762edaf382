/*
 * The ring when the kernel does not do as it is told: takes a part of a submission, nothing, or fails.
 *
 * These tests stand between the engine and liburing (--wrap, see meson.build): a submission is cut short by hiding the
 * rest of the queue from liburing, so that the kernel itself splits the chain at that place, as it does when it runs
 * out of memory.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <liburing.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine-open.h"
#include "io/io.h"
#include "io/stream.h"

/* ---- between the engine and the kernel ---- */

static unsigned (*ring_part)(unsigned ready); /* how much of a submission is taken; NULL: all */
static unsigned ring_calls, ring_splits, ring_chains;
static unsigned ring_fails_from, ring_fails_to; /* the calls, counted from 1, that fail */
static int ring_error;
static unsigned ring_interrupts; /* so many waits end by a signal, just when what they waited for has come */
static unsigned ring_rings, ring_rings_most = UINT32_MAX;  /* made, and granted */
static unsigned ring_flags, ring_flags_known = UINT32_MAX; /* of the last ring, and granted */
static unsigned ring_no_opcode = IORING_OP_LAST;           /* requests with it fail as if the kernel did not know it */

int __real_io_uring_submit(struct io_uring *ring);
int __wrap_io_uring_submit(struct io_uring *ring);
int __real_io_uring_submit_and_wait(struct io_uring *ring, unsigned wait);
int __wrap_io_uring_submit_and_wait(struct io_uring *ring, unsigned wait);
int __real_io_uring_queue_init_params(unsigned entries, struct io_uring *ring, struct io_uring_params *params);
int __wrap_io_uring_queue_init_params(unsigned entries, struct io_uring *ring, struct io_uring_params *params);
struct io_uring_probe *__real_io_uring_get_probe_ring(struct io_uring *ring);
struct io_uring_probe *__wrap_io_uring_get_probe_ring(struct io_uring *ring);

void __real_io_uring_queue_exit(struct io_uring *ring);
void __wrap_io_uring_queue_exit(struct io_uring *ring);

/* All that the kernel has taken has reported, whatever failed before. */
void __wrap_io_uring_queue_exit(struct io_uring *ring)
{
        cr_assert_eq(__atomic_load_n(ring->sq.khead, __ATOMIC_ACQUIRE),
                     __atomic_load_n(ring->cq.ktail, __ATOMIC_ACQUIRE), "a ring was given up with requests in flight");
        __real_io_uring_queue_exit(ring);
}

/* What is queued and not handed over: no kernel knows what becomes of these. */
static void ring_spoil(struct io_uring *ring)
{
        struct io_uring_sq *sq = &ring->sq;

        for (unsigned i = *sq->khead; i != sq->sqe_tail; i++)
                if (sq->sqes[i & sq->ring_mask].opcode == ring_no_opcode)
                        sq->sqes[i & sq->ring_mask].opcode = 255;
}

/* How many chains end in what is queued. */
static unsigned ring_chain_ends(const struct io_uring_sq *sq)
{
        unsigned n = 0;

        for (unsigned i = *sq->khead; i != sq->sqe_tail; i++)
                n += !(sq->sqes[i & sq->ring_mask].flags & IOSQE_IO_HARDLINK);
        return n;
}

struct io_uring_probe *__wrap_io_uring_get_probe_ring(struct io_uring *ring)
{
        struct io_uring_probe *p = __real_io_uring_get_probe_ring(ring);

        cr_assert(p);
        if (ring_no_opcode < IORING_OP_LAST)
                p->ops[ring_no_opcode].flags = 0;
        return p;
}

int __wrap_io_uring_submit_and_wait(struct io_uring *ring, unsigned wait)
{
        unsigned ready = io_uring_sq_ready(ring), part = ring_part && ready ? ring_part(ready) : ready;
        unsigned tail = ring->sq.sqe_tail;
        int r;

        ring_calls++;
        ring_chains += ring_chain_ends(&ring->sq);
        if (ring_no_opcode < IORING_OP_LAST)
                ring_spoil(ring);
        if (ring_calls >= ring_fails_from && ring_calls <= ring_fails_to)
                return ring_error;
        if (wait > 0 && ring_interrupts > 0) {
                ring_interrupts--;
                /* What was handed over at the same time counts, and not the signal. */
                if (ready > 0)
                        return __real_io_uring_submit(ring);
                __real_io_uring_submit_and_wait(ring, wait);
                return -EINTR;
        }
        if (part >= ready)
                return __real_io_uring_submit_and_wait(ring, wait);
        /* The kernel does not wait after it. */
        ring_splits++;
        ring->sq.sqe_tail = tail - (ready - part);
        r = __real_io_uring_submit(ring);
        ring->sq.sqe_tail = tail;
        return r;
}

int __wrap_io_uring_submit(struct io_uring *ring)
{
        return __wrap_io_uring_submit_and_wait(ring, 0);
}

int __wrap_io_uring_queue_init_params(unsigned entries, struct io_uring *ring, struct io_uring_params *params)
{
        if (ring_rings >= ring_rings_most)
                return -ENOMEM;
        if (params->flags & ~ring_flags_known)
                return -EINVAL;
        ring_flags = params->flags;
        ring_rings++;
        return __real_io_uring_queue_init_params(entries, ring, params);
}

/* ---- a directory: files of all sizes, every ninth name missing, and names that take the kernel long ---- */

enum { RING_NAMES = 4000, RING_SLOW = 12 };

static char ring_dir[64];
static int ring_dirfd;
static char ring_names[RING_NAMES][16];
static struct lsr_meta ring_metas[RING_NAMES];
static struct lsr_op ring_ops[RING_NAMES];

/* s0 is a file, s1 leads to it, and so on: each by a way of a thousand steps. */
static void ring_make_slow(void)
{
        char target[4000], name[16];
        size_t len = 0;

        cr_assert_eq(mkdirat(ring_dirfd, "d", 0700), 0);
        close(openat(ring_dirfd, "s0", O_WRONLY | O_CREAT | O_CLOEXEC, 0640));
        while (len < sizeof(target) - 20)
                len += (size_t)sprintf(target + len, "d/../");
        for (unsigned i = 1; i <= RING_SLOW; i++) {
                sprintf(target + len, "s%u", i - 1);
                sprintf(name, "s%u", i);
                cr_assert_eq(symlinkat(target, ring_dirfd, name), 0);
        }
}

enum { RING_FILES = 40 };

static char ring_bufs[RING_FILES][32];
static struct lsr_op_data ring_reads[RING_FILES];
static struct lsr_op ring_file_ops[RING_FILES];

static void ring_setup(void)
{
        strcpy(ring_dir, "/tmp/lsr-test-uring-XXXXXX");
        cr_assert(mkdtemp(ring_dir));
        ring_dirfd = open(ring_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        cr_assert_geq(ring_dirfd, 0);
        for (unsigned i = 0; i < RING_NAMES; i++) {
                int fd;

                sprintf(ring_names[i], "n%u", i);
                if (i % 9 == 4)
                        continue;
                fd = openat(ring_dirfd, ring_names[i], O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
                cr_assert_eq(ftruncate(fd, i + 1), 0);
                close(fd);
        }
        ring_make_slow();
        srand(1);
}

static int ring_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
        (void)st, (void)type, (void)ftw;
        return remove(path);
}

static void ring_teardown(void)
{
        close(ring_dirfd);
        nftw(ring_dir, ring_remove, 16, FTW_DEPTH | FTW_PHYS);
}

#define RING_TEST(name) Test(uring, name, .init = ring_setup, .fini = ring_teardown, .timeout = 60)

/* Stats of the first @n names, every @slow-th of them a slow one, and @n_files of ring_plan_files(); added and gone. */
static void ring_begin_with(struct lsr_io *io, unsigned n, unsigned slow, unsigned n_files)
{
        static char slowest[16];

        sprintf(slowest, "s%u", RING_SLOW);
        for (unsigned i = 0; i < n; i++) {
                const char *name = slow && i % slow == 0 ? slowest : ring_names[i];

                ring_metas[i] = (struct lsr_meta){};
                ring_ops[i] = op_stat(ring_dirfd, name, LSR_FIELD_TYPE | LSR_FIELD_SIZE, true, &ring_metas[i]);
        }
        cr_assert_eq(lsr_io_add(io, ring_ops, n), 0);
        cr_assert_eq(lsr_io_add(io, ring_file_ops, n_files), 0);
        lsr_io_go(io);
}

static void ring_begin(struct lsr_io *io, unsigned n, unsigned slow)
{
        ring_begin_with(io, n, slow, 0);
}

static void ring_check(struct lsr_io *io, unsigned n, unsigned slow)
{
        lsr_io_wait(io);
        for (unsigned i = 0; i < n; i++) {
                bool is_slow = slow && i % slow == 0, missing = !is_slow && i % 9 == 4;

                cr_assert_eq(ring_metas[i].error, missing ? -ENOENT : 0, "%s: error %d", ring_ops[i].name,
                             ring_metas[i].error);
                if (!missing)
                        cr_assert_eq(ring_metas[i].size, is_slow ? 0 : i + 1, "%s has the size %llu", ring_ops[i].name,
                                     (unsigned long long)ring_metas[i].size);
        }
}

static void ring_batch(struct lsr_io *io, unsigned n, unsigned slow)
{
        ring_begin(io, n, slow);
        ring_check(io, n, slow);
}

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

static unsigned ring_one(unsigned ready)
{
        (void)ready;
        return 1;
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

/* ---- signals ---- */

/* What a wait was for has come when a signal ends it: there is nothing more to wait for. */
RING_TEST(signals_end_waits)
{
        struct lsr_io *io = engine_open("uring");
        char text[8];
        struct lsr_op_data file = { .buf = text, .cap = sizeof(text) };
        struct lsr_op op = op_data(LSR_OP_READ_FILE, ring_dirfd, "p", &file);
        unsigned waits = 0;

        for (unsigned round = 0; round < 5; round++) {
                ring_interrupts = UINT32_MAX;
                ring_batch(io, 300, 7);
                cr_assert_eq(lsr_io_run(io, &op, 1), 0);
                waits += UINT32_MAX - ring_interrupts;
        }
        cr_assert_gt(waits, 0);
        lsr_io_free(io);
}

static void *ring_write_late(void *fd)
{
        for (int i = 0; i < 3; i++) {
                usleep(20000);
                cr_assert_eq(write(*(int *)fd, "ab", 2), 2);
        }
        close(*(int *)fd);
        return NULL;
}

RING_TEST(signals_end_waits_of_streams)
{
        struct lsr_io *io = engine_open("uring");
        struct lsr_stream *s;
        const uint8_t *data;
        pthread_t thread;
        size_t sum = 0;
        ssize_t n;
        int fds[2];

        cr_assert_eq(pipe2(fds, O_CLOEXEC), 0);
        ring_interrupts = UINT32_MAX;
        cr_assert_eq(lsr_stream_new(&s, io, fds[0], 0, 100), 0);
        cr_assert_eq(pthread_create(&thread, NULL, ring_write_late, &fds[1]), 0);
        while ((n = lsr_stream_next(s, &data)) > 0)
                sum += (size_t)n;
        cr_assert_eq(n, 0);
        cr_assert_eq(sum, 6);
        pthread_join(thread, NULL);
        lsr_stream_free(s);
        lsr_io_free(io);
        close(fds[0]);
}

/* ---- the submitting task sleeps ---- */

static unsigned ring_clones;
static int ring_clone_error;
static bool ring_clone_nothing; /* as if the child had not run when the call returns */

int __real_clone(int (*run)(void *), void *stack, int flags, void *arg, ...);
int __wrap_clone(int (*run)(void *), void *stack, int flags, void *arg, ...);

int __wrap_clone(int (*run)(void *), void *stack, int flags, void *arg, ...)
{
        ring_clones++;
        if (ring_clone_error) {
                errno = ring_clone_error;
                return -1;
        }
        return ring_clone_nothing ? 1 : __real_clone(run, stack, flags, arg);
}

/* Many wait asleep, few do not; one named depth is for few calls. */
RING_TEST(many_wait_asleep)
{
        static const char *const engines[] = { "uring", "uring:sleep=1", "uring:depth=512,sleep=1" };

        for (unsigned i = 0; i < 3; i++) {
                struct lsr_io *io = engine_open(engines[i]);
                unsigned before = ring_clones;

                ring_batch(io, RING_NAMES, 64);
                cr_assert_gt(ring_clones, before, "%s", engines[i]);
                cr_assert_eq(lsr_io_stats(io)->ring_ops, RING_NAMES);
                before = ring_clones;
                ring_batch(io, 300, 0);
                /* What has ended by itself is not waited for. */
                for (unsigned tries = 0; i > 0 && ring_clones == before && tries < 100; tries++)
                        ring_batch(io, 300, 0);
                cr_assert_eq(ring_clones > before, i > 0, "%s", engines[i]);
                lsr_io_free(io);
        }
        ring_clones = 0;
        for (unsigned i = 0; i < 2; i++) {
                struct lsr_io *io = engine_open(i ? "uring:depth=512" : "uring:sleep=2");

                ring_batch(io, RING_NAMES, 0);
                cr_assert_eq(ring_clones, 0);
                lsr_io_free(io);
        }
}

/* Refused, or by something that does not know what a vfork is: not tried again, and nothing is missing. */
static void ring_sleepless(void)
{
        struct lsr_io *io = engine_open("uring:sleep=1");

        ring_clones = 0;
        for (unsigned round = 0; round < 3; round++)
                ring_batch(io, RING_NAMES, round * 32);
        cr_assert_eq(ring_clones, 1);
        cr_assert_eq(lsr_io_stats(io)->ring_ops, 3 * RING_NAMES);
        lsr_io_free(io);
}

RING_TEST(sleep_is_refused)
{
        static const int errors[] = { EPERM, EINVAL, ENOSYS, EAGAIN, ENOMEM };

        for (unsigned i = 0; i < 5; i++) {
                ring_clone_error = errors[i];
                ring_sleepless();
        }
        ring_clone_error = 0;
        ring_clone_nothing = true;
        ring_sleepless();
}

static volatile sig_atomic_t ring_signals;

static void ring_on_signal(int number)
{
        (void)number;
        ring_signals++;
}

/* Signals that are handled come while it sleeps, and others of children. */
RING_TEST(signals_in_sleep)
{
        struct lsr_io *io = engine_open("uring:depth=128,chain=8,sleep=1");
        const struct itimerval often = { { 0, 500 }, { 0, 500 } };

        signal(SIGALRM, ring_on_signal);
        signal(SIGCHLD, ring_on_signal);
        cr_assert_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
        for (unsigned round = 0; round < 100 && ring_signals < 50; round++) {
                pid_t pid = round % 10 ? -1 : fork();

                if (pid == 0)
                        _exit(0);
                ring_batch(io, 1000, 16);
        }
        cr_assert_eq(setitimer(ITIMER_REAL, &(struct itimerval){}, NULL), 0);
        cr_assert_gt(ring_signals, 0);
        cr_assert_gt(ring_clones, 0);
        lsr_io_free(io);
}

/* It stops, goes on and ends as the terminal asks, whatever it does at that moment. */
Test(uring, stops_goes_on_and_ends, .init = ring_setup, .fini = ring_teardown, .timeout = 240)
{
        static const int last[] = { SIGINT, SIGTERM, SIGHUP, SIGKILL };
        int status, fds[2];

        lsr_io_free(engine_open("uring"));
        for (unsigned i = 0; i < 4; i++) {
                pid_t pid;
                char c;

                cr_assert_eq(pipe(fds), 0);
                pid = fork();
                if (pid == 0) {
                        struct lsr_io *io;

                        /* It is not left behind when the test runs out of time. */
                        prctl(PR_SET_PDEATHSIG, SIGKILL);
                        close(fds[0]);
                        /* Who started the test may ignore them: nohup does. */
                        for (unsigned k = 0; k < 3; k++)
                                signal(last[k], SIG_DFL);
                        io = engine_open("uring:depth=128,chain=8,sleep=1");
                        setpgid(0, 0);
                        for (;;) {
                                ring_batch(io, 512, 64);
                                if (write(fds[1], "", 1) != 1)
                                        _exit(1);
                        }
                }
                cr_assert_gt(pid, 0);
                for (unsigned round = 0; round < 4; round++) {
                        for (unsigned batches = 0; batches < 2; batches++)
                                cr_assert_eq(read(fds[0], &c, 1), 1);
                        kill(pid, round % 2 ? SIGTSTP : SIGTTOU);
                        cr_assert_eq(waitpid(pid, &status, WUNTRACED), pid);
                        cr_assert(WIFSTOPPED(status));
                        kill(pid, SIGCONT);
                }
                kill(pid, last[i]);
                cr_assert_eq(waitpid(pid, &status, 0), pid);
                cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == last[i], "status %x", (unsigned)status);
                close(fds[0]);
                close(fds[1]);
        }
}

/* ---- streams ---- */

enum { RING_STREAM = 40 << 18 }; /* forty pieces */

static uint8_t ring_byte(uint64_t at)
{
        return (uint8_t)(at % 251);
}

static int ring_stream_file(void)
{
        int fd = openat(ring_dirfd, "stream", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        uint8_t *data = malloc(RING_STREAM);

        for (uint64_t i = 0; i < RING_STREAM; i++)
                data[i] = ring_byte(i);
        cr_assert_eq(write(fd, data, RING_STREAM), RING_STREAM);
        free(data);
        return fd;
}

/* Bytes that came and were right before the end or an error. */
static uint64_t ring_stream(struct lsr_io *io, int fd, ssize_t *ret_last)
{
        struct lsr_stream *s;
        const uint8_t *data;
        uint64_t at = 0;

        cr_assert_eq(lsr_stream_new(&s, io, fd, 0, RING_STREAM), 0);
        while ((*ret_last = lsr_stream_next(s, &data)) > 0)
                for (ssize_t i = 0; i < *ret_last; i++, at++)
                        cr_assert_eq(data[i], ring_byte(at), "byte %llu", (unsigned long long)at);
        lsr_stream_free(s);
        return at;
}

RING_TEST(streams)
{
        struct lsr_io *io = engine_open("uring");
        int fd = ring_stream_file();
        ssize_t last;

        ring_part = ring_one;
        for (unsigned round = 0; round < 3; round++) {
                cr_assert_eq(ring_stream(io, fd, &last), RING_STREAM);
                cr_assert_eq(last, 0);
        }
        lsr_io_free(io);
        /* A ring that fails gives back the buffers; later streams fail and no more than that. */
        for (unsigned from = 1; from < 12; from++) {
                io = engine_open("uring");
                ring_fails_from = ring_calls + from;
                ring_fails_to = UINT32_MAX;
                ring_error = -EINVAL;
                cr_assert_lt(ring_stream(io, fd, &last), RING_STREAM);
                cr_assert_eq(last, -EINVAL);
                cr_assert_eq(ring_stream(io, fd, &last), 0);
                cr_assert_eq(last, -EINVAL);
                lsr_io_free(io);
        }
        close(fd);
}

/* ---- what must not be waited for ---- */

/* A FIFO with a silent writer, also where a file was when somebody looked. */
RING_TEST(silent_fifos)
{
        static const char *const engines[] = { "sync", "threads", "uring" };
        char buf[3][32];
        int writer;

        cr_assert_eq(mkfifoat(ring_dirfd, "fifo", 0600), 0);
        writer = openat(ring_dirfd, "fifo", O_RDWR | O_CLOEXEC);
        cr_assert_geq(writer, 0);
        for (unsigned i = 0; i < 3; i++) {
                struct lsr_io *io = engine_open(engines[i]);
                struct lsr_op_data files[3] = {
                        { .buf = buf[0], .cap = 32 },
                        { .buf = buf[1], .cap = 32, .size = 5 },
                        { .buf = buf[2], .cap = 32, .ends = true },
                };
                struct lsr_op ops[3];

                for (unsigned f = 0; f < 3; f++)
                        ops[f] = op_data(LSR_OP_READ_FILE, ring_dirfd, "fifo", &files[f]);
                cr_assert_eq(lsr_io_run(io, ops, 3), 0);
                for (unsigned f = 0; f < 3; f++)
                        cr_assert_eq(files[f].ret, -EAGAIN, "%s: %zd", engines[i], files[f].ret);
                lsr_io_free(io);
        }
        close(writer);
}
