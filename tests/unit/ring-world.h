/*
 * ring-world - between the io_uring engine and the kernel: submissions taken in part or not at all, rings refused,
 * waits that signals end; and a directory of files of all sizes to try it on
 *
 * Who includes it is linked with --wrap for the functions of liburing below (meson.build).  A submission is cut short
 * by hiding the rest of the queue from liburing, so that the kernel itself splits the chain at that place, as it does
 * when it runs out of memory.
 */
#pragma once

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine-open.h"
#include "io/io.h"

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
static inline void ring_spoil(struct io_uring *ring)
{
        struct io_uring_sq *sq = &ring->sq;

        for (unsigned i = *sq->khead; i != sq->sqe_tail; i++)
                if (sq->sqes[i & sq->ring_mask].opcode == ring_no_opcode)
                        sq->sqes[i & sq->ring_mask].opcode = 255;
}

/* How many chains end in what is queued. */
static inline unsigned ring_chain_ends(const struct io_uring_sq *sq)
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

/* One request at a time. */
static inline unsigned ring_one(unsigned ready)
{
        (void)ready;
        return 1;
}

/* ---- a directory: files of all sizes, every ninth name missing, and names that take the kernel long ---- */

enum { RING_NAMES = 4000, RING_SLOW = 12 };

static char ring_dir[64];
static int ring_dirfd;
static char ring_names[RING_NAMES][16];
static struct lsr_meta ring_metas[RING_NAMES];
static struct lsr_op ring_ops[RING_NAMES];

/* s0 is a file, s1 leads to it, and so on: each by a way of a thousand steps. */
static inline void ring_make_slow(void)
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

static struct lsr_op ring_file_ops[RING_FILES];

static inline void ring_setup(void)
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

static inline int ring_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
        (void)st, (void)type, (void)ftw;
        return remove(path);
}

static inline void ring_teardown(void)
{
        close(ring_dirfd);
        nftw(ring_dir, ring_remove, 16, FTW_DEPTH | FTW_PHYS);
}

#define RING_TEST(name) Test(uring, name, .init = ring_setup, .fini = ring_teardown, .timeout = 60)

/* Stats of the first @n names, every @slow-th of them a slow one, and @n_files of ring_plan_files(); added and gone. */
static inline void ring_begin_with(struct lsr_io *io, unsigned n, unsigned slow, unsigned n_files)
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

static inline void ring_begin(struct lsr_io *io, unsigned n, unsigned slow)
{
        ring_begin_with(io, n, slow, 0);
}

static inline void ring_check(struct lsr_io *io, unsigned n, unsigned slow)
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

static inline void ring_batch(struct lsr_io *io, unsigned n, unsigned slow)
{
        ring_begin(io, n, slow);
        ring_check(io, n, slow);
}
