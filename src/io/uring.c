/*
 * uring - metadata and small files through io_uring
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
 * A ring takes the place of another only when nothing is under way.
 *
 * A slot whose stx_mask is still zero then was not filled, and is repeated by a
 * plain statx: that gives the right errno whether the name vanished, the kernel
 * does not know the opcode or the chain was cancelled, and failures are rare.
 *
 * A small file is a chain of its own, open to close, with a place in a table of
 * direct descriptors.  All other kinds have no opcode and are done by plain calls.
 *
 * The kernel is asked for each thing it may lack: set-up flags when a ring is
 * made, the table when a file is first read, opcodes when a request was refused
 * as unknown ones are.  A probe beforehand would be a call for every listing.
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
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/thread.h"
#include "io/engine.h"
#include "io/ring.h"
#include "io/tuning.h"

#define URING_CHAIN_SHORT 16u  /* requests in a chain if there are few */
#define URING_FILES 128u       /* in flight: places in a table of direct descriptors */
#define URING_FILE_REQUESTS 4u /* at most */

/* Requests that run one after the other: a stat for each of n operations, or what reads one file. */
struct uring_chain {
        const struct lsr_op *ops;
        unsigned n;    /* 0: it is free */
        unsigned left; /* requests without a report */
};

/* Chains by index: those of stats, each with its slots, then those of files, each with its place. */
#define URING_CHAINS (LSR_RING_CHAINS_MAX + URING_FILES)

/* Those of either that are free. */
struct uring_spare {
        unsigned n;
        uint16_t list[LSR_RING_CHAINS_MAX];
};

/* Operations added; the first @begun of them have been. */
struct uring_lot {
        const struct lsr_op *ops;
        size_t n;
        size_t begun;
};

struct uring_engine {
        struct lsr_engine base;
        struct lsr_ring_tuning tuning;
        struct lsr_ring ring;
        bool up;                  /* the ring exists */
        bool broken;              /* an enter failed, or all that was asked; plain calls from now on */
        bool gone;                /* what was added has been started */
        bool polite;              /* the process waits under SCHED_BATCH */
        bool capped;              /* its number of workers is */
        bool refused;             /* a request was, as if it was not known */
        bool answered, cancelled; /* requests were, since the last wait */
        bool asked;               /* the kernel, what it knows */
        int table;                /* of direct descriptors: 1: there is one; a negative errno: there cannot be */
        bool knows[LSR_OP_KINDS]; /* what can be done by requests */
        unsigned held;            /* chains that the first submission leaves to the next one */
        unsigned chain;           /* most requests in a chain, for what was added */
        unsigned depth;           /* submission entries, and slots */
        struct uring_lot *lots;
        size_t n_lots, next_lot, cap_lots;
        size_t n_stats; /* in all lots */
        struct statx *slots;
        struct uring_chain chains[URING_CHAINS];
        struct uring_spare stats, files;
};

/*
 * Slots for the first ring of the process, the only one outside tests: memory
 * that needs no system call, and no page before it is used.
 */
static struct statx uring_slots[LSR_RING_DEPTH_MAX];
static bool uring_slots_taken;

static void uring_spare_all(struct uring_spare *spare, unsigned first, unsigned n)
{
        spare->n = 0;
        while (n-- > 0)
                spare->list[spare->n++] = (uint16_t)(first + n);
}

/* For which the caller knows that there is room. */
static struct io_uring_sqe *uring_request(struct uring_engine *u)
{
        struct io_uring_sqe *sqe = lsr_ring_request(&u->ring);

        assert(sqe);
        return sqe;
}

/* Its report is for a chain; of the read of a file it is the result. */
static void uring_tag(struct io_uring_sqe *sqe, unsigned chain, bool read, unsigned flags)
{
        io_uring_sqe_set_flags(sqe, flags);
        io_uring_sqe_set_data64(sqe, chain << 1 | read);
}

/* ---- what has ended ---- */

/* By plain calls, what the ring did not do. */
static void uring_repeat(struct uring_engine *u, const struct lsr_op *op)
{
        lsr_sync_run(op, u->base.stats);
        u->base.stats->retried_ops++;
}

static void uring_finish_stats(struct uring_engine *u, const struct uring_chain *chain)
{
        struct statx *slots = u->slots + (size_t)(chain - u->chains) * u->chain;

        for (unsigned i = 0; i < chain->n; i++) {
                if (slots[i].stx_mask)
                        lsr_meta_from_statx(chain->ops[i].meta, &slots[i]);
                else
                        uring_repeat(u, &chain->ops[i]);
        }
}

/* If a submission was split, a read that was cut off its open may have met an older file in the same place. */
static void uring_finish_file(struct uring_engine *u, const struct uring_chain *chain)
{
        struct lsr_op_data *file = chain->ops->data;

        if (!u->ring.split && file->ends && file->ret >= (ssize_t)file->cap)
                file->ret = -EFBIG;
        else if (!u->ring.split && lsr_file_is_complete(file))
                u->base.stats->bytes_read += (size_t)file->ret;
        else
                uring_repeat(u, chain->ops);
}

static void uring_finish(struct uring_engine *u, unsigned index)
{
        bool is_file = index >= LSR_RING_CHAINS_MAX;
        struct uring_spare *spare = is_file ? &u->files : &u->stats;

        if (is_file)
                uring_finish_file(u, &u->chains[index]);
        else
                uring_finish_stats(u, &u->chains[index]);
        u->chains[index] = (struct uring_chain){};
        spare->list[spare->n++] = (uint16_t)index;
}

static void uring_report(void *ctx, uint64_t data, int result)
{
        struct uring_engine *u = ctx;
        struct uring_chain *chain = &u->chains[data >> 1];

        assert(chain->left > 0);
        if (result < 0)
                u->refused = u->refused || result == -EINVAL;
        if (result == -ECANCELED)
                u->cancelled = true;
        else
                u->answered = true;
        if (data & 1)
                chain->ops->data->ret = result;
        if (--chain->left == 0)
                uring_finish(u, (unsigned)(data >> 1));
}

/* ---- the ring ---- */

static void uring_down(struct uring_engine *u)
{
        if (!u->up)
                return;
        lsr_ring_exit(&u->ring);
        u->up = u->capped = false;
        u->table = 0;
}

/* What the ring has not done plain calls do. */
static void uring_abandon(struct uring_engine *u)
{
        lsr_ring_drain(&u->ring);
        for (unsigned i = 0; i < URING_CHAINS; i++)
                if (u->chains[i].n > 0)
                        uring_finish(u, i);
        uring_down(u);
        u->broken = true;
}

/* Flags only make the ring cheaper: of those that the kernel does not know, the newest goes first. */
static int uring_make(struct uring_engine *u, unsigned depth)
{
        static const unsigned flags[] = { IORING_SETUP_SUBMIT_ALL, IORING_SETUP_COOP_TASKRUN,
                                          IORING_SETUP_SINGLE_ISSUER };
        unsigned n = sizeof(flags) / sizeof(*flags);
        struct io_uring ring;
        int r;

        do {
                struct io_uring_params params = {};

                for (unsigned i = 0; i < n; i++)
                        params.flags |= flags[i];
                r = io_uring_queue_init_params(depth, &ring, &params);
                u->base.stats->syscalls += r < 0 ? 1 : 3;
        } while (r == -EINVAL && n-- > 0);
        if (r < 0)
                return r;
        uring_down(u);
        u->ring = (struct lsr_ring){ .uring = ring, .stats = u->base.stats, .report = uring_report, .ctx = u };
        u->up = true;
        u->depth = depth;
        return 0;
}

/* Have a ring for @expected requests, or a smaller one if there is one and the kernel grants no larger. */
static int uring_up(struct uring_engine *u, size_t expected)
{
        unsigned depth = LSR_RING_DEPTH_MIN;
        int r;

        assert(u->ring.pending == 0);
        while (depth < expected && depth < u->tuning.depth)
                depth *= 2;
        if (u->broken || (u->up && u->depth >= depth))
                return 0;
        r = uring_make(u, depth);
        if (r < 0 && u->up) {
                /* It is not asked for again. */
                u->tuning.depth = u->depth;
                return 0;
        }
        if (r < 0)
                return r;
        if (!u->slots && !uring_slots_taken) {
                u->slots = uring_slots;
                uring_slots_taken = true;
        } else if (u->slots != uring_slots) {
                u->slots = lsr_xrealloc(u->slots, depth * sizeof(*u->slots));
        }
        return 0;
}

/* A request was refused: which kinds does the kernel know? */
static void uring_ask(struct uring_engine *u)
{
        struct io_uring_probe *p = io_uring_get_probe_ring(&u->ring.uring);

        u->base.stats->syscalls++;
        u->asked = true;
        /* A kernel that cannot tell is older than what is needed. */
        u->knows[LSR_OP_STAT] = p && io_uring_opcode_supported(p, IORING_OP_STATX);
        u->knows[LSR_OP_READ_FILE] = p && io_uring_opcode_supported(p, IORING_OP_OPENAT) &&
                                     io_uring_opcode_supported(p, IORING_OP_FADVISE) &&
                                     io_uring_opcode_supported(p, IORING_OP_READ) &&
                                     io_uring_opcode_supported(p, IORING_OP_CLOSE);
        io_uring_free_probe(p);
}

/* ---- requests ---- */

/* A chain of those of the @most operations that are stats.  Returns how many. */
static unsigned uring_queue_stats(struct uring_engine *u, const struct lsr_op *ops, unsigned most)
{
        unsigned index = u->stats.list[--u->stats.n];
        struct statx *slots = u->slots + (size_t)index * u->chain;
        struct io_uring_sqe *sqe = NULL;
        unsigned n;

        for (n = 0; n < most && ops[n].kind == LSR_OP_STAT; n++) {
                int flags = AT_NO_AUTOMOUNT | (ops[n].follow ? 0 : AT_SYMLINK_NOFOLLOW);

                sqe = uring_request(u);
                slots[n].stx_mask = 0;
                io_uring_prep_statx(sqe, ops[n].dirfd, ops[n].name, flags, ops[n].mask, &slots[n]);
                uring_tag(sqe, index, false, IOSQE_IO_HARDLINK);
        }
        io_uring_sqe_set_flags(sqe, 0); /* the last one */
        u->chains[index] = (struct uring_chain){ ops, n, n };
        return n;
}

/* For a FIFO or a terminal the ring would wait until somebody writes, O_NONBLOCK or not. */
static void uring_queue_file(struct uring_engine *u, const struct lsr_op *op)
{
        unsigned index = u->files.list[--u->files.n], place = index - LSR_RING_CHAINS_MAX;
        struct lsr_op_data *file = op->data;
        bool regular = file->ends || file->size > 0;
        struct io_uring_sqe *sqe = uring_request(u);

        u->chains[index] = (struct uring_chain){ op, 1, regular ? 4 : 3 };
        file->ret = 0;
        io_uring_prep_openat_direct(sqe, op->dirfd, op->name, lsr_op_open_flags(op), 0, place);
        uring_tag(sqe, index, false, IOSQE_IO_LINK);
        if (regular) {
                /* If it became a FIFO meanwhile this fails, and the read is not begun. */
                sqe = uring_request(u);
                io_uring_prep_fadvise(sqe, (int)place, 0, 0, POSIX_FADV_NORMAL);
                uring_tag(sqe, index, false, IOSQE_FIXED_FILE | IOSQE_IO_LINK);
        }
        sqe = uring_request(u);
        io_uring_prep_read(sqe, (int)place, file->buf, (unsigned)file->cap, 0);
        if (!regular)
                sqe->rw_flags = RWF_NOWAIT;
        /* Hard-linked, as a short read would cancel the close and leak the descriptor. */
        uring_tag(sqe, index, true, IOSQE_FIXED_FILE | IOSQE_IO_HARDLINK);
        sqe = uring_request(u);
        io_uring_prep_close_direct(sqe, place);
        uring_tag(sqe, index, false, 0);
}

/* Have room for @n requests in a row: what follows is handed over in one piece if the kernel takes it so. */
static int uring_room(struct uring_engine *u, unsigned n)
{
        int r = 0;

        while (r >= 0 && io_uring_sq_space_left(&u->ring.uring) < n)
                r = lsr_ring_enter(&u->ring, 0);
        return r;
}

/* A table of direct descriptors, if the kernel grants one. */
static bool uring_has_table(struct uring_engine *u)
{
        if (u->table == 0) {
                int r = io_uring_register_files_sparse(&u->ring.uring, URING_FILES);

                u->base.stats->syscalls++;
                u->table = r < 0 ? r : 1;
        }
        return u->table > 0;
}

/* Begin operations of @lot.  Returns how many; 0: nothing is free for them; or a negative errno. */
static int uring_begin_some(struct uring_engine *u, const struct uring_lot *lot)
{
        const struct lsr_op *ops = lot->ops + lot->begun;
        bool can = u->up && u->knows[ops->kind], file = ops->kind == LSR_OP_READ_FILE;
        size_t left = lot->n - lot->begun;
        unsigned n = file ? URING_FILE_REQUESTS : left < u->chain ? (unsigned)left : u->chain;
        int r;

        if (!can || (file && !uring_has_table(u))) {
                lsr_sync_run(ops, u->base.stats);
                u->base.stats->retried_ops += u->broken;
                return 1;
        }
        if (file ? u->files.n == 0 : u->stats.n <= u->held)
                return 0;
        r = uring_room(u, n);
        if (r < 0)
                return r;
        if (!file)
                return (int)uring_queue_stats(u, ops, n);
        uring_queue_file(u, ops);
        return 1;
}

/* Begin what was added, in its order, as long as there is something free for it. */
static int uring_feed(struct uring_engine *u)
{
        int r = 1;

        while (u->next_lot < u->n_lots && r > 0) {
                struct uring_lot *lot = &u->lots[u->next_lot];

                r = uring_begin_some(u, lot);
                if (r > 0)
                        lot->begun += (size_t)r;
                u->next_lot += lot->begun == lot->n;
        }
        return r < 0 ? r : 0;
}

/* ---- the engine ---- */

static int uring_begin(struct lsr_engine *e, enum lsr_op_kind kind, size_t expected)
{
        struct uring_engine *u = (struct uring_engine *)e;

        if (!u->knows[kind])
                return 0;
        if (kind == LSR_OP_READ_FILE)
                expected = URING_FILE_REQUESTS * (expected < URING_FILES ? expected : URING_FILES);
        return uring_up(u, expected);
}

static void uring_add(struct lsr_engine *e, const struct lsr_op *ops, size_t n)
{
        struct uring_engine *u = (struct uring_engine *)e;

        if (u->n_lots == u->cap_lots) {
                u->cap_lots = u->cap_lots ? 2 * u->cap_lots : 16;
                u->lots = lsr_xrealloc(u->lots, u->cap_lots * sizeof(*u->lots));
        }
        u->lots[u->n_lots++] = (struct uring_lot){ ops, n, 0 };
        u->n_stats += ops->kind == LSR_OP_STAT ? n : 0;
}

static bool uring_when(unsigned when, bool many)
{
        return when == LSR_RING_ALWAYS || (when == LSR_RING_MANY && many);
}

/*
 * All chains free, and no more of them than in flight is good.  Those of few
 * stats are short, so that there is work for two workers: with one the task has
 * a core for itself, and wakes up for each request that ends.  If all of more
 * find room at once, half of them are left to the submission that waits: io-wq
 * makes a second worker for what it is given only when the first one runs, and
 * a short submission is over by then.
 */
static void uring_cut_chains(struct uring_engine *u)
{
        unsigned most = u->depth < u->tuning.depth ? u->depth : u->tuning.depth;
        unsigned chains, files = u->depth / URING_FILE_REQUESTS;
        size_t needed;
        bool few;

        assert(u->ring.pending == 0);
        u->chain = u->tuning.chain;
        few = u->n_stats <= 2 * (size_t)u->chain;
        if (few && u->chain > URING_CHAIN_SHORT)
                u->chain = URING_CHAIN_SHORT;
        chains = most / u->chain;
        needed = (u->n_stats + u->chain - 1) / u->chain;
        if (!u->tuning.whole && !few && needed > 2 && needed <= chains)
                u->held = chains - (unsigned)(needed - needed / 2);
        u->ring.split = false;
        u->ring.asleep = uring_when(u->tuning.sleep, u->n_stats >= u->tuning.very_many);
        uring_spare_all(&u->stats, 0, chains);
        uring_spare_all(&u->files, LSR_RING_CHAINS_MAX, files < URING_FILES ? files : URING_FILES);
        if (u->tuning.workers && !u->capped) {
                io_uring_register_iowq_max_workers(&u->ring.uring,
                                                   (unsigned[2]){ u->tuning.workers, u->tuning.workers });
                u->capped = true;
                u->base.stats->syscalls++;
        }
}

static void uring_go(struct lsr_engine *e)
{
        struct uring_engine *u = (struct uring_engine *)e;
        int r;

        if (u->up && !u->gone) {
                /* Perhaps more came than was expected. */
                uring_up(u, u->n_stats);
                uring_cut_chains(u);
        }
        u->gone = true;
        r = uring_feed(u);
        if (r >= 0 && u->up && io_uring_sq_ready(&u->ring.uring) > 0)
                r = lsr_ring_enter(&u->ring, 0);
        if (r < 0)
                uring_abandon(u);
}

/*
 * Every request that ends wakes the waiting task to free it, and on as many
 * workers as cores each wake-up takes the core from a worker.  A SCHED_BATCH
 * task does not preempt when it wakes up.
 */
static void uring_wait_politely(struct uring_engine *u)
{
        if (u->polite || !uring_when(u->tuning.batch, u->n_stats >= u->tuning.many))
                return;
        u->polite = true;
        u->base.stats->syscalls++;
        /* Whoever gave us another policy meant it. */
        if (sched_getscheduler(0) != SCHED_OTHER)
                return;
        u->base.stats->syscalls++;
        sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){});
}

static void uring_wait(struct lsr_engine *e)
{
        struct uring_engine *u = (struct uring_engine *)e;

        if (!u->gone)
                uring_go(e);
        u->held = 0;
        while (u->ring.pending > 0 || u->next_lot < u->n_lots) {
                int r = uring_feed(u);
                unsigned left = u->ring.pending, some = u->depth * 3 / 8;

                if (!u->ring.asleep || u->ring.sleepless)
                        uring_wait_politely(u);
                /* With more to feed, come back when enough is left to do: what ended is freed before that is fed. */
                if (r >= 0 && left > 0)
                        r = lsr_ring_enter(&u->ring, u->next_lot < u->n_lots && left > some ? left - some : left);
                if (r < 0)
                        uring_abandon(u);
        }
        lsr_ring_wake(&u->ring);
        if (u->up && u->refused && !u->asked)
                uring_ask(u);
        /* The kernel could make no worker, which it has tried for each of them: some milliseconds. */
        if (u->up && u->cancelled && !u->answered)
                uring_abandon(u);
        u->answered = u->cancelled = false;
        u->n_lots = u->next_lot = u->n_stats = 0;
        u->gone = false;
}

static struct lsr_engine *uring_free(struct lsr_engine *e)
{
        struct uring_engine *u = (struct uring_engine *)e;

        /* What the kernel has taken must end; nobody wants the rest. */
        u->next_lot = u->n_lots;
        u->n_stats = 0;
        uring_wait(e);
        uring_down(u);
        free(u->lots);
        if (u->slots == uring_slots)
                uring_slots_taken = false;
        else
                free(u->slots);
        free(u);
        return NULL;
}

static const struct lsr_engine_ops uring_ops = {
        .name = "uring",
        .free = uring_free,
        .begin = uring_begin,
        .add = uring_add,
        .go = uring_go,
        .wait = uring_wait,
};

int lsr_uring_new(struct lsr_engine **ret_engine, struct lsr_io_stats *stats, const char *tuning)
{
        struct uring_engine *u = lsr_xmalloc(sizeof(*u));
        int r;

        memset(u, 0, sizeof(*u));
        u->base = (struct lsr_engine){ &uring_ops, stats };
        u->knows[LSR_OP_STAT] = u->knows[LSR_OP_READ_FILE] = true;
        r = lsr_ring_tune(&u->tuning, tuning);
        if (r >= 0 && u->tuning.workers == 0)
                u->tuning.workers = lsr_thread_asked() < 64 ? lsr_thread_asked() : 64;
        if (r < 0)
                uring_free(&u->base);
        else
                *ret_engine = &u->base;
        return r;
}
