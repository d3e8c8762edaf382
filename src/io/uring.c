/*
 * uring - metadata through io_uring
 *
 * The kernel runs every statx request on an io-wq worker thread, so a request
 * per name spends more on queueing than on the stat.  Names therefore travel in
 * hard-linked chains: a worker takes a chain off the queue once and runs it
 * through.
 *
 *      ops    [ o0 o1 .. o127 | o128 .. o255 | ... ]
 *               chain 0         chain 1
 *      slots  [ s0 s1 .. s127 | s128 .. s255 | ... ]   one struct statx each
 *
 * A chain owns the same range of slots for ever, so a free chain is all there
 * is to allocate; the number of chains bounds what is in flight, which matters
 * because every queued path pins a 4 KiB name buffer in the kernel.
 *
 * Every request reports, and they are counted.  The kernel may take a part of
 * what it is given and so cut a chain in two; it cancels a chain if it cannot
 * take one name of it.  Neither tells in what order the pieces end, but a chain
 * is free, a buffer the caller's and a ring taken down only when all that the
 * kernel has taken has reported.  (IOSQE_CQE_SKIP_SUCCESS saved nothing that
 * could be measured: the lock of the completion queue is taken all the same.)
 *
 * A slot whose stx_mask is still zero then was not filled, and is repeated by a
 * plain statx: that gives the right errno whether the name vanished, the kernel
 * does not know the opcode or the chain was cancelled, and failures are rare.
 *
 * The ring starts when the directory has been read to its end.  Every request
 * that ends leaves work for the submitting task, which counts as a pending
 * signal, and getdents64 returns early with what it has when a signal is
 * pending (filldir64() in fs/readdir.c): the names of a
 * large directory came in hundreds of pieces.
 *
 * Rejected, see docs/decisions/0001-statx-in-chains.md: a request per name; one chain
 * for all (no parallelism); IORING_SETUP_DEFER_TASKRUN (each link waits for the
 * submitter); soft links (one ENOENT cancels the rest).
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "io/engine.h"
#include "io/ring.h"

#define URING_DEPTH_MIN 128u
#define URING_DEPTH_MAX 4096u
#define URING_DEPTH 1664u /* in flight: fewer need more calls, more let 4 KiB names fall out of the cache */
#define URING_CHAIN_MAX 128u
#define URING_CHAIN_MIN 8u
#define URING_CHAINS_MAX (URING_DEPTH_MAX / URING_CHAIN_MIN)
#define URING_WORKERS_MAX 64u
#define URING_POLITE_MIN 500u /* requests from which waiting under SCHED_BATCH pays for its call */
#define URING_FILES_MAX 128u
#define URING_FILE_REQUESTS 4u /* at most */
#define URING_FILES_FEW 16u    /* so many wait for the next submission */

/* What a completion belongs to, in the low bits of its user_data. */
enum uring_tag {
        URING_CHAIN, /* a member of chain user_data >> 8 */
        URING_READ,  /* the read of file user_data >> 8 */
        URING_FILE,  /* the open or the close of a file */
};

struct uring_chain {
        const struct lsr_stat_op *ops;
        unsigned n;
        unsigned left; /* of them, without a report yet */
};

/* Operations added and not yet in a chain. */
struct uring_lot {
        const struct lsr_stat_op *ops;
        size_t n;
};

/* What `--io=uring:NAME=N,...` sets, for experiments; 0 is the default. */
enum uring_knob {
        KNOB_DEPTH,   /* most requests in flight */
        KNOB_CHAIN,   /* most requests in a chain */
        KNOB_WORKERS, /* io-wq workers */
        KNOB_BATCH,   /* wait under SCHED_BATCH: 1 always, 2 never */
        URING_KNOBS,
};

struct uring_engine {
        struct lsr_engine base;
        unsigned knobs[URING_KNOBS];
        struct io_uring ring;
        bool up;          /* the ring exists */
        bool gone;        /* the batch at hand has been started */
        bool broken;      /* an enter failed; plain calls from now on */
        bool split;       /* the kernel took a part of what it was given */
        bool polite;      /* the process waits under SCHED_BATCH */
        bool capped;      /* its number of workers is */
        bool has_files;   /* its table of direct descriptors does */
        unsigned depth;   /* submission entries, and slots */
        unsigned pending; /* requests without a report, those that the kernel has not taken yet among them */
        struct statx *slots;
        struct lsr_stat_batch batch;
        struct uring_lot *lots;
        size_t n_lots;
        size_t next_lot;
        size_t cap_lots;
        size_t n_ops; /* in all lots */
        unsigned chain_len;
        unsigned n_chains;
        unsigned n_free;
        struct uring_chain chains[URING_CHAINS_MAX];
        uint16_t free_chains[URING_CHAINS_MAX];
        struct lsr_file_read *files; /* being read */
        unsigned n_files;
        unsigned files_left; /* requests for them without a report */
};

/*
 * Slots for the first ring of the process, the only one outside tests: memory
 * that needs no system call, and no page before it is used.
 */
static struct statx uring_slots[URING_DEPTH_MAX];
static bool uring_slots_taken;

/* Requests that the kernel has taken and not reported: it may write to their slots and buffers at any time. */
static unsigned uring_in_flight(const struct uring_engine *u)
{
        return u->pending - io_uring_sq_ready(&u->ring);
}

/* The next request, for which the caller knows that there is room. */
static struct io_uring_sqe *uring_request(struct uring_engine *u)
{
        struct io_uring_sqe *sqe = io_uring_get_sqe(&u->ring);

        assert(sqe);
        u->pending++;
        /* So many places there are for completions. */
        assert(u->pending <= 2 * u->depth);
        return sqe;
}

static void uring_tag(struct io_uring_sqe *sqe, enum uring_tag tag, unsigned index, unsigned flags)
{
        io_uring_sqe_set_flags(sqe, flags);
        io_uring_sqe_set_data64(sqe, (uint64_t)index << 8 | tag);
}

static void uring_finish_chain(struct uring_engine *u, unsigned index)
{
        struct uring_chain *chain = &u->chains[index];
        struct statx *slots = u->slots + (size_t)index * u->chain_len;

        for (unsigned i = 0; i < chain->n; i++) {
                if (slots[i].stx_mask) {
                        lsr_meta_from_statx(chain->ops[i].meta, &slots[i]);
                } else {
                        lsr_sync_stat(&u->batch, &chain->ops[i]);
                        u->base.stats->syscalls++;
                        u->base.stats->retried_ops++;
                }
        }
        *chain = (struct uring_chain){};
        u->free_chains[u->n_free++] = (uint16_t)index;
}

/* Take what has completed. */
static void uring_reap(struct uring_engine *u)
{
        struct io_uring_cqe *cqe;
        unsigned head, n = 0;

        io_uring_for_each_cqe(&u->ring, head, cqe)
        {
                uint64_t data = io_uring_cqe_get_data64(cqe);
                unsigned index = (unsigned)(data >> 8);

                if ((data & 0xff) == URING_CHAIN) {
                        assert(u->chains[index].left > 0);
                        if (--u->chains[index].left == 0)
                                uring_finish_chain(u, index);
                } else {
                        assert(u->files_left > 0);
                        u->files_left--;
                        if ((data & 0xff) == URING_READ)
                                u->files[index].ret = cqe->res;
                }
                n++;
        }
        assert(n <= u->pending);
        u->pending -= n;
        io_uring_cq_advance(&u->ring, n);
}

/* The ring must be owed nothing. */
static void uring_down(struct uring_engine *u)
{
        if (!u->up)
                return;
        assert(u->pending == 0);
        io_uring_queue_exit(&u->ring);
        u->base.stats->syscalls += 3;
        u->up = u->has_files = u->capped = false;
}

/*
 * The ring failed.  What the kernel has taken it finishes, and that is waited
 * for; what it has not taken, or not done, plain calls do.
 */
static void uring_abandon(struct uring_engine *u)
{
        uring_reap(u);
        while (uring_in_flight(u) > 0) {
                u->base.stats->syscalls++;
                poll(&(struct pollfd){ .fd = u->ring.ring_fd, .events = POLLIN }, 1, -1);
                uring_reap(u);
        }
        u->pending = u->files_left = 0;
        for (unsigned c = 0; c < u->n_chains; c++)
                if (u->chains[c].n > 0)
                        uring_finish_chain(u, c);
        uring_down(u);
        u->broken = true;
}

/*
 * Hand over what is queued and wait for @wait completions, or fewer: the kernel
 * may take a part, and does not wait then; what it left stays queued for the next call.
 */
static int uring_enter(struct uring_engine *u, unsigned wait)
{
        for (unsigned tries = 0; tries < LSR_RING_TRIES_MAX; tries++) {
                unsigned queued = io_uring_sq_ready(&u->ring), before = u->pending;
                int r = wait ? io_uring_submit_and_wait(&u->ring, wait) : io_uring_submit(&u->ring);

                u->base.stats->syscalls++;
                u->base.stats->ring_enters++;
                u->split = u->split || (r >= 0 && (unsigned)r < queued);
                uring_reap(u);
                /* When a signal ends a wait, what has come must not be waited for again. */
                if (r > 0 || (r == 0 && queued == 0) || u->pending < before)
                        return 0;
                if (r < 0 && !lsr_ring_transient(r))
                        return r;
        }
        return -EAGAIN;
}

/* Wait for all that was asked of the ring. */
static void uring_settle(struct uring_engine *u)
{
        while (u->pending > 0)
                if (uring_enter(u, u->pending) < 0)
                        uring_abandon(u);
}

/* A ring of @depth in the place of the one there is, if any. */
static int uring_make(struct uring_engine *u, unsigned depth)
{
        struct io_uring_params params = {
                .flags = IORING_SETUP_SUBMIT_ALL | IORING_SETUP_COOP_TASKRUN | IORING_SETUP_SINGLE_ISSUER,
        };
        struct io_uring ring;
        int r = io_uring_queue_init_params(depth, &ring, &params);

        u->base.stats->syscalls += 3;
        if (r == -EINVAL) {
                /* A kernel before 6.0 does not know these flags; they only make the ring cheaper. */
                params = (struct io_uring_params){};
                r = io_uring_queue_init_params(depth, &ring, &params);
                u->base.stats->syscalls += 3;
        }
        if (r < 0)
                return r;
        /* A kernel without this feature may lack direct descriptors, too, and not say so. */
        if (!(params.features & IORING_FEAT_CQE_SKIP)) {
                io_uring_queue_exit(&ring);
                return -EOPNOTSUPP;
        }
        uring_down(u);
        u->ring = ring;
        u->up = true;
        u->depth = depth;
        return 0;
}

/* Have a ring for @expected requests, or a smaller one if there is one and the kernel grants no larger. */
static int uring_up(struct uring_engine *u, size_t expected)
{
        unsigned depth = URING_DEPTH_MIN;
        unsigned most = u->knobs[KNOB_DEPTH] ? u->knobs[KNOB_DEPTH] : URING_DEPTH;
        int r;

        while (depth < expected && depth < most)
                depth *= 2;
        if (u->broken || (u->up && u->depth >= depth))
                return 0;
        /* Whatever files are being read must be here before the ring goes. */
        uring_settle(u);
        if (u->broken)
                return 0;
        r = uring_make(u, depth);
        if (r < 0)
                return u->up ? 0 : r;
        if (!u->slots && !uring_slots_taken) {
                u->slots = uring_slots;
                uring_slots_taken = true;
        } else if (u->slots != uring_slots) {
                u->slots = lsr_xrealloc(u->slots, depth * sizeof(*u->slots));
        }
        return 0;
}

static struct lsr_engine *uring_free(struct lsr_engine *e)
{
        struct uring_engine *u = (struct uring_engine *)e;

        uring_settle(u);
        uring_down(u);
        free(u->lots);
        if (u->slots == uring_slots)
                uring_slots_taken = false;
        else
                free(u->slots);
        free(u);
        return NULL;
}

/*
 * The kernel's own limit, four workers a core, is fine: there are no more than
 * chains, and the submitter needs a quarter of a worker's time for a request.
 */
static void uring_cap_workers(struct uring_engine *u)
{
        unsigned n = u->knobs[KNOB_WORKERS];

        io_uring_register_iowq_max_workers(&u->ring, (unsigned[2]){ n, n });
        u->capped = true;
        u->base.stats->syscalls++;
}

static int uring_stat_begin(struct lsr_engine *e, const struct lsr_stat_batch *batch)
{
        struct uring_engine *u = (struct uring_engine *)e;

        assert(u->pending == u->files_left);
        u->batch = *batch;
        u->n_lots = u->next_lot = u->n_ops = 0;
        u->gone = false;
        return uring_up(u, batch->expected ? batch->expected : URING_DEPTH_MAX);
}

/*
 * All chains free, and no more of them than in flight is good.  A quarter of a
 * batch always waits for a second submission: io-wq makes a second worker only
 * once the first one runs, and it does not while the first submission lasts.
 */
static void uring_cut_chains(struct uring_engine *u)
{
        unsigned most = u->knobs[KNOB_DEPTH] ? u->knobs[KNOB_DEPTH] : URING_DEPTH;
        size_t needed;

        u->chain_len = u->knobs[KNOB_CHAIN] ? u->knobs[KNOB_CHAIN] : URING_CHAIN_MAX;
        u->n_chains = (u->depth < most ? u->depth : most) / u->chain_len;
        needed = (u->n_ops + u->chain_len - 1) / u->chain_len;
        if (!u->knobs[KNOB_DEPTH] && needed > 2 && needed - needed / 4 < u->n_chains)
                u->n_chains = (unsigned)(needed - needed / 4);
        memset(u->chains, 0, sizeof(u->chains));
        u->n_free = 0;
        for (unsigned i = u->n_chains; i-- > 0;)
                u->free_chains[u->n_free++] = (uint16_t)i;
        if (u->knobs[KNOB_WORKERS] && !u->capped)
                uring_cap_workers(u);
}

static void uring_queue_chain(struct uring_engine *u, const struct lsr_stat_op *ops, unsigned n)
{
        unsigned index = u->free_chains[--u->n_free];
        struct statx *slots = u->slots + (size_t)index * u->chain_len;
        int flags = AT_NO_AUTOMOUNT | (u->batch.follow ? 0 : AT_SYMLINK_NOFOLLOW);
        unsigned mask = lsr_meta_statx_mask(u->batch.fields);

        u->chains[index] = (struct uring_chain){ ops, n, n };
        for (unsigned i = 0; i < n; i++) {
                struct io_uring_sqe *sqe = uring_request(u);

                slots[i].stx_mask = 0;
                io_uring_prep_statx(sqe, u->batch.own_dirs ? ops[i].dirfd : u->batch.dirfd, ops[i].name, flags, mask,
                                    &slots[i]);
                uring_tag(sqe, URING_CHAIN, index, i + 1 < n ? IOSQE_IO_HARDLINK : 0);
        }
        u->base.stats->ring_ops += n;
}

/* Have room for @n requests in a row: what follows is handed over in one piece if the kernel takes it so. */
static int uring_room(struct uring_engine *u, unsigned n)
{
        int r = 0;

        while (r >= 0 && io_uring_sq_space_left(&u->ring) < n)
                r = uring_enter(u, 0);
        return r;
}

/* Make chains of what is still to do, as long as there are free ones. */
static int uring_feed(struct uring_engine *u)
{
        while (u->n_free > 0 && u->next_lot < u->n_lots) {
                struct uring_lot *lot = &u->lots[u->next_lot];
                unsigned len = lot->n < u->chain_len ? (unsigned)lot->n : u->chain_len;
                int r = uring_room(u, len);

                if (r < 0)
                        return r;
                uring_queue_chain(u, lot->ops, len);
                lot->ops += len;
                lot->n -= len;
                u->next_lot += lot->n == 0;
        }
        return 0;
}

static int uring_stat_add(struct lsr_engine *e, const struct lsr_stat_op *ops, size_t n)
{
        struct uring_engine *u = (struct uring_engine *)e;

        if (n == 0)
                return 0;
        if (u->n_lots == u->cap_lots) {
                u->cap_lots = u->cap_lots ? 2 * u->cap_lots : 16;
                u->lots = lsr_xrealloc(u->lots, u->cap_lots * sizeof(*u->lots));
        }
        u->lots[u->n_lots++] = (struct uring_lot){ ops, n };
        u->n_ops += n;
        return 0;
}

static int uring_stat_go(struct lsr_engine *e)
{
        struct uring_engine *u = (struct uring_engine *)e;
        int r;

        u->gone = true;
        if (u->broken)
                return 0;
        uring_cut_chains(u);
        r = uring_feed(u);
        if (r >= 0)
                r = uring_enter(u, 0);
        if (r < 0)
                uring_abandon(u);
        return 0;
}

/* Without a ring: the rest of the batch. */
static void uring_do_without(struct uring_engine *u)
{
        for (; u->next_lot < u->n_lots; u->next_lot++) {
                const struct uring_lot *lot = &u->lots[u->next_lot];

                for (size_t i = 0; i < lot->n; i++)
                        lsr_sync_stat(&u->batch, &lot->ops[i]);
                u->base.stats->syscalls += lot->n;
                u->base.stats->retried_ops += lot->n;
        }
}

/*
 * Every request that ends wakes the waiting task to free it, and on as many
 * workers as cores each wake-up takes the core from a worker.  A SCHED_BATCH
 * task does not preempt when it wakes up.
 */
static void uring_wait_politely(struct uring_engine *u)
{
        bool wanted = u->knobs[KNOB_BATCH] == 1 || (u->knobs[KNOB_BATCH] == 0 && u->n_ops >= URING_POLITE_MIN);

        if (!wanted || u->polite)
                return;
        u->polite = true;
        u->base.stats->syscalls++;
        /* Whoever gave us another policy meant it. */
        if (sched_getscheduler(0) != SCHED_OTHER)
                return;
        u->base.stats->syscalls++;
        sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){});
}

static int uring_stat_wait(struct lsr_engine *e)
{
        struct uring_engine *u = (struct uring_engine *)e;

        if (!u->gone)
                uring_stat_go(e);
        uring_wait_politely(u);
        while (!u->broken && (u->n_free < u->n_chains || u->next_lot < u->n_lots)) {
                int r = uring_feed(u);
                unsigned left = u->pending - u->files_left, some = 2 * u->chain_len;

                /* With more to feed, come back when two chains are left to do while they are fed. */
                if (r >= 0)
                        r = uring_enter(u, u->next_lot < u->n_lots && left > some ? left - some : left);
                if (r < 0)
                        uring_abandon(u);
        }
        uring_do_without(u);
        return 0;
}

/* For a FIFO or a terminal the ring would wait until somebody writes, O_NONBLOCK or not. */
static void uring_queue_file(struct uring_engine *u, const struct lsr_file_read *file, unsigned i)
{
        bool regular = file->ends || file->size > 0;
        struct io_uring_sqe *sqe = uring_request(u);

        io_uring_prep_openat_direct(sqe, file->below ? file->dirfd : AT_FDCWD, file->path, LSR_FILE_FLAGS | file->flags,
                                    0, i);
        uring_tag(sqe, URING_FILE, i, IOSQE_IO_LINK);
        if (regular) {
                /* If it became a FIFO meanwhile this fails, and the read is not begun. */
                sqe = uring_request(u);
                io_uring_prep_fadvise(sqe, (int)i, 0, 0, POSIX_FADV_NORMAL);
                uring_tag(sqe, URING_FILE, i, IOSQE_FIXED_FILE | IOSQE_IO_LINK);
        }
        sqe = uring_request(u);
        io_uring_prep_read(sqe, (int)i, file->buf, (unsigned)file->cap, 0);
        if (!regular)
                sqe->rw_flags = RWF_NOWAIT;
        /* Hard-linked, as a short read would cancel the close and leak the descriptor. */
        uring_tag(sqe, URING_READ, i, IOSQE_FIXED_FILE | IOSQE_IO_HARDLINK);
        sqe = uring_request(u);
        io_uring_prep_close_direct(sqe, i);
        uring_tag(sqe, URING_FILE, i, 0);
        u->files_left += regular ? 4 : 3;
        u->base.stats->ring_ops += regular ? 4 : 3;
}

static int uring_queue_files(struct uring_engine *u, struct lsr_file_read *files, unsigned n)
{
        if (!u->has_files) {
                int r = io_uring_register_files_sparse(&u->ring, URING_FILES_MAX);

                u->base.stats->syscalls++;
                if (r < 0)
                        return r;
                u->has_files = true;
        }
        if (uring_room(u, URING_FILE_REQUESTS * n) < 0) {
                uring_abandon(u);
                return 0;
        }
        u->split = false;
        for (unsigned i = 0; i < n; i++)
                uring_queue_file(u, &files[i], i);
        return 0;
}

/*
 * What the ring did not bring, or not to the end, is read by plain calls.  And all of it if a submission was split: a
 * read that was cut off its open may have met an older file in the same place.
 */
static void uring_check_files(struct uring_engine *u)
{
        assert(u->files_left == 0);
        for (unsigned i = 0; i < u->n_files; i++) {
                struct lsr_file_read *file = &u->files[i];
                unsigned syscalls = 0;

                if (u->split)
                        file->ret = 0;
                if (file->ends && file->ret >= (ssize_t)file->cap) {
                        file->ret = -EFBIG;
                } else if (!lsr_file_read_complete(file)) {
                        lsr_sync_read_file(file, &syscalls);
                        u->base.stats->retried_ops++;
                        u->base.stats->syscalls += syscalls;
                }
                u->base.stats->bytes_read += file->ret > 0 ? (size_t)file->ret : 0;
        }
        u->n_files = 0;
}

static int uring_files_wait(struct lsr_engine *e)
{
        struct uring_engine *u = (struct uring_engine *)e;

        while (u->files_left > 0)
                if (uring_enter(u, u->files_left) < 0)
                        uring_abandon(u);
        uring_check_files(u);
        return 0;
}

/* A last lot of few is only queued: it goes with the next submission, or with uring_files_wait(). */
static int uring_files_start(struct lsr_engine *e, struct lsr_file_read *files, size_t n)
{
        struct uring_engine *u = (struct uring_engine *)e;
        size_t wanted = URING_FILE_REQUESTS * (n < URING_FILES_MAX ? n : URING_FILES_MAX);
        int r = u->up && n <= URING_FILES_FEW ? 0 : uring_up(u, wanted);

        while (n > 0 && r >= 0) {
                unsigned fit = u->depth / URING_FILE_REQUESTS, most = fit < URING_FILES_MAX ? fit : URING_FILES_MAX;
                unsigned len = n < most ? (unsigned)n : most;

                uring_files_wait(e);
                for (unsigned i = 0; i < len; i++)
                        files[i].ret = 0;
                u->files = files;
                u->n_files = len;
                r = u->broken ? 0 : uring_queue_files(u, files, len);
                if (r >= 0 && len > URING_FILES_FEW && !u->broken && uring_enter(u, 0) < 0)
                        uring_abandon(u);
                files += len;
                n -= len;
        }
        if (r < 0)
                u->n_files = 0;
        return r;
}

static const struct lsr_engine_ops uring_ops = {
        .name = "uring",
        .free = uring_free,
        .stat_begin = uring_stat_begin,
        .stat_add = uring_stat_add,
        .stat_go = uring_stat_go,
        .stat_wait = uring_stat_wait,
        .files_start = uring_files_start,
        .files_wait = uring_files_wait,
};

int lsr_uring_probe(struct lsr_engine *e)
{
        return uring_up((struct uring_engine *)e, URING_DEPTH_MIN);
}

/* "depth=1024,chain=64": names as in the enum, numbers within bounds. */
static int uring_tune(struct uring_engine *u, const char *tuning)
{
        static const struct {
                const char *name;
                unsigned min, max;
        } knobs[URING_KNOBS] = { [KNOB_DEPTH] = { "depth=", URING_DEPTH_MIN, URING_DEPTH_MAX },
                                 [KNOB_CHAIN] = { "chain=", URING_CHAIN_MIN, URING_CHAIN_MAX },
                                 [KNOB_WORKERS] = { "workers=", 1, URING_WORKERS_MAX },
                                 [KNOB_BATCH] = { "batch=", 1, 2 } };

        while (*tuning) {
                unsigned k = 0;
                unsigned long v;
                char *end;

                while (k < URING_KNOBS && strncmp(tuning, knobs[k].name, strlen(knobs[k].name)) != 0)
                        k++;
                if (k == URING_KNOBS)
                        return -EINVAL;
                v = strtoul(tuning + strlen(knobs[k].name), &end, 10);
                if (v < knobs[k].min || v > knobs[k].max || (*end && *end != ','))
                        return -EINVAL;
                u->knobs[k] = (unsigned)v;
                tuning = *end ? end + 1 : end;
        }
        return 0;
}

int lsr_uring_new(struct lsr_engine **ret_engine, struct lsr_io_stats *stats, const char *tuning)
{
        struct uring_engine *u = lsr_xmalloc(sizeof(*u));
        int r;

        memset(u, 0, sizeof(*u));
        u->base = (struct lsr_engine){ &uring_ops, stats };
        r = uring_tune(u, tuning);
        if (r < 0)
                uring_free(&u->base);
        else
                *ret_engine = &u->base;
        return r;
}
