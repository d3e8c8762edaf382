/*
 * uring - metadata through io_uring
 *
 * The kernel runs every statx request on an io-wq worker thread, so a request
 * per name spends more on queueing than on the stat.  Names therefore travel in
 * hard-linked chains: a worker takes a chain off the queue once and runs it
 * through, and only the chain's head and tail report.
 *
 *      ops    [ o0 o1 .. o127 | o128 .. o255 | ... ]
 *               chain 0         chain 1
 *      slots  [ s0 s1 .. s127 | s128 .. s255 | ... ]   one struct statx each
 *
 * A chain owns the same range of slots for ever, so a free chain is all there
 * is to allocate; the number of chains bounds what is in flight, which matters
 * because every queued path pins a 4 KiB name buffer in the kernel.
 *
 * Successes in the middle of a chain post nothing.  The head's is not
 * suppressed: a chain that is refused as a whole, as for a name that the kernel
 * does not even copy, would fall silent with it.  A slot whose stx_mask is
 * still zero when the tail arrives was not filled, and is repeated by a plain
 * statx: that gives the right errno whether the name vanished, the kernel does
 * not know the opcode or the chain was cancelled, and failures are rare.
 *
 * Rejected, as measured in docs/architecture.md: a request per name; one chain
 * for all (no parallelism); IORING_SETUP_DEFER_TASKRUN (each link waits for the
 * submitter); soft links (one ENOENT cancels the rest).
 */
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "io/engine.h"

#define URING_DEPTH_MIN 128u
#define URING_DEPTH_MAX 4096u
#define URING_CHAIN_MAX 128u
#define URING_CHAINS_MAX (URING_DEPTH_MAX / 16)
#define URING_FILES_MAX 16u
#define URING_TRIES_MAX 1000u

/* What a completion belongs to, in the low bits of its user_data. */
enum uring_tag {
        URING_IGNORE,
        URING_HEAD,  /* the first of a chain of several */
        URING_CHAIN, /* the tail of chain user_data >> 8 */
        URING_FILE,  /* the read of file user_data >> 8, or its open if that failed */
};

struct uring_chain {
        const struct lsr_stat_op *ops;
        unsigned n;
};

struct uring_engine {
        struct lsr_engine base;
        struct io_uring ring;
        bool up;         /* the ring exists */
        bool broken;     /* an enter failed; plain calls from now on */
        bool has_files;  /* its table of direct descriptors does */
        unsigned depth;  /* submission entries, and slots */
        struct statx *slots;
        struct lsr_stat_batch batch;
        unsigned chain_len;
        unsigned n_chains;
        unsigned n_free;
        unsigned in_flight;
        unsigned heads; /* of them, completions still to come */
        struct uring_chain chains[URING_CHAINS_MAX];
        uint16_t free_chains[URING_CHAINS_MAX];
        struct lsr_file_read *files; /* being read */
        unsigned files_left;
};

/*
 * Slots for the first ring of the process, the only one outside tests: memory
 * that needs no system call, and no page before it is used.
 */
static struct statx uring_slots[URING_DEPTH_MAX];
static bool uring_slots_taken;

static void uring_down(struct uring_engine *u)
{
        if (!u->up)
                return;
        io_uring_queue_exit(&u->ring);
        u->base.stats->syscalls += 3;
        u->up = u->has_files = false;
}

/* Where standard output was closed, the ring has taken its number, and what is printed would go to it. */
static int uring_leave_stdio(struct uring_engine *u)
{
        int fd;

        if (u->ring.ring_fd > STDERR_FILENO)
                return 0;
        fd = fcntl(u->ring.ring_fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        u->base.stats->syscalls += 2;
        if (fd < 0)
                return -errno;
        close(u->ring.ring_fd);
        u->ring.ring_fd = u->ring.enter_ring_fd = fd;
        return 0;
}

static int uring_up(struct uring_engine *u, size_t expected)
{
        unsigned depth = URING_DEPTH_MIN;
        struct io_uring_params params = {
                .flags = IORING_SETUP_SUBMIT_ALL | IORING_SETUP_COOP_TASKRUN | IORING_SETUP_SINGLE_ISSUER,
        };
        int r;

        while (depth < expected && depth < URING_DEPTH_MAX)
                depth *= 2;
        if (u->up && u->depth >= depth)
                return 0;
        uring_down(u);
        r = io_uring_queue_init_params(depth, &u->ring, &params);
        u->base.stats->syscalls += 3;
        if (r == -EINVAL) {
                /* A kernel before 6.0 does not know these flags; they only make the ring cheaper. */
                params = (struct io_uring_params){};
                r = io_uring_queue_init_params(depth, &u->ring, &params);
                u->base.stats->syscalls += 3;
        }
        if (r < 0)
                return r;
        u->up = true;
        u->depth = depth;
        r = uring_leave_stdio(u);
        if (r < 0) {
                uring_down(u);
                return r;
        }
        if (!u->slots && !uring_slots_taken) {
                u->slots = uring_slots;
                uring_slots_taken = true;
        } else if (u->slots != uring_slots) {
                u->slots = lsr_xrealloc(u->slots, depth * sizeof(*u->slots));
        }
        if (!(params.features & IORING_FEAT_CQE_SKIP)) {
                uring_down(u);
                return -EOPNOTSUPP;
        }
        return 0;
}

static struct lsr_engine *uring_free(struct lsr_engine *e)
{
        struct uring_engine *u = (struct uring_engine *)e;

        uring_down(u);
        if (u->slots == uring_slots)
                uring_slots_taken = false;
        else
                free(u->slots);
        free(u);
        return NULL;
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
        chain->n = 0;
        u->free_chains[u->n_free++] = (uint16_t)index;
        u->in_flight--;
}

/* Take what has completed. */
static void uring_reap(struct uring_engine *u)
{
        struct io_uring_cqe *cqe;
        unsigned head, n = 0;

        io_uring_for_each_cqe(&u->ring, head, cqe) {
                uint64_t data = io_uring_cqe_get_data64(cqe);

                if ((data & 0xff) == URING_CHAIN) {
                        uring_finish_chain(u, (unsigned)(data >> 8));
                } else if ((data & 0xff) == URING_HEAD) {
                        u->heads--;
                } else if ((data & 0xff) == URING_FILE && u->files_left > 0 &&
                           u->files[data >> 8].ret == -EINPROGRESS) {
                        u->files[data >> 8].ret = cqe->res;
                        u->files_left--;
                }
                n++;
        }
        io_uring_cq_advance(&u->ring, n);
}

/* Hand over what is queued and wait for @wait completions. */
static int uring_enter(struct uring_engine *u, unsigned wait)
{
        int r;

        for (unsigned tries = 0; tries < URING_TRIES_MAX; tries++) {
                r = wait ? io_uring_submit_and_wait(&u->ring, wait) : io_uring_submit(&u->ring);
                u->base.stats->syscalls++;
                u->base.stats->ring_enters++;
                uring_reap(u);
                if (r >= 0)
                        return 0;
                /* EBUSY and EAGAIN: completions or memory were short for a moment. */
                if (r != -EINTR && r != -EAGAIN && r != -EBUSY)
                        return r;
        }
        return -EAGAIN;
}

/* The ring failed: what it has not reported is done by plain calls. */
static void uring_abandon(struct uring_engine *u)
{
        for (unsigned c = 0; c < u->n_chains; c++) {
                for (unsigned i = 0; i < u->chains[c].n; i++)
                        lsr_sync_stat(&u->batch, &u->chains[c].ops[i]);
                u->base.stats->syscalls += u->chains[c].n;
                u->base.stats->retried_ops += u->chains[c].n;
                u->chains[c].n = 0;
        }
        u->in_flight = u->heads = 0;
        u->broken = true;
}

/* Two workers a core share the work evenly and do not fight for it; more only queue. */
static void uring_cap_workers(struct uring_engine *u)
{
        cpu_set_t cpus;
        unsigned workers[2];
        int n = sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? CPU_COUNT(&cpus) : 1;

        workers[0] = workers[1] = (unsigned)n;
        io_uring_register_iowq_max_workers(&u->ring, workers);
        u->base.stats->syscalls += 2;
}

static int uring_stat_begin(struct lsr_engine *e, const struct lsr_stat_batch *batch)
{
        struct uring_engine *u = (struct uring_engine *)e;
        bool fresh = !u->up;
        int r;

        r = uring_up(u, batch->expected ? batch->expected : URING_DEPTH_MAX);
        if (r < 0)
                return r;
        memset(u->chains, 0, sizeof(u->chains));
        u->batch = *batch;
        u->chain_len = URING_CHAIN_MAX;
        u->n_chains = u->depth / u->chain_len;
        u->n_free = 0;
        u->in_flight = u->heads = 0;
        for (unsigned i = u->n_chains; i-- > 0;)
                u->free_chains[u->n_free++] = (uint16_t)i;
        if (fresh && u->n_chains > 2)
                uring_cap_workers(u);
        return 0;
}

static void uring_queue_chain(struct uring_engine *u, const struct lsr_stat_op *ops, unsigned n)
{
        unsigned index = u->free_chains[--u->n_free];
        struct statx *slots = u->slots + (size_t)index * u->chain_len;
        int flags = AT_NO_AUTOMOUNT | (u->batch.follow ? 0 : AT_SYMLINK_NOFOLLOW);
        unsigned mask = lsr_meta_statx_mask(u->batch.fields);

        u->chains[index] = (struct uring_chain){ ops, n };
        u->in_flight++;
        for (unsigned i = 0; i < n; i++) {
                struct io_uring_sqe *sqe = io_uring_get_sqe(&u->ring);

                slots[i].stx_mask = 0;
                io_uring_prep_statx(sqe, u->batch.dirfd, ops[i].name, flags, mask, &slots[i]);
                if (i == 0 && n > 1) {
                        io_uring_sqe_set_flags(sqe, IOSQE_IO_HARDLINK);
                        io_uring_sqe_set_data64(sqe, URING_HEAD);
                        u->heads++;
                } else if (i + 1 < n) {
                        io_uring_sqe_set_flags(sqe, IOSQE_IO_HARDLINK | IOSQE_CQE_SKIP_SUCCESS);
                        io_uring_sqe_set_data64(sqe, URING_IGNORE);
                } else {
                        io_uring_sqe_set_data64(sqe, (uint64_t)index << 8 | URING_CHAIN);
                }
        }
        u->base.stats->ring_ops += n;
}

/* Queue and submit @ops.  Returns how many were taken before the ring failed. */
static size_t uring_submit_ops(struct uring_engine *u, const struct lsr_stat_op *ops, size_t n)
{
        size_t done = 0;

        while (done < n) {
                unsigned len = n - done < u->chain_len ? (unsigned)(n - done) : u->chain_len;

                while (u->n_free == 0)
                        if (uring_enter(u, 1) < 0)
                                return done;
                /* A chain does not reach across two submissions. */
                if (io_uring_sq_space_left(&u->ring) < len && uring_enter(u, 0) < 0)
                        return done;
                uring_queue_chain(u, ops + done, len);
                done += len;
        }
        if (uring_enter(u, 0) < 0)
                uring_abandon(u);
        return done;
}

static int uring_stat_add(struct lsr_engine *e, const struct lsr_stat_op *ops, size_t n)
{
        struct uring_engine *u = (struct uring_engine *)e;
        size_t done = u->broken ? 0 : uring_submit_ops(u, ops, n);

        if (done == n)
                return 0;
        uring_abandon(u);
        for (; done < n; done++)
                lsr_sync_stat(&u->batch, &ops[done]);
        u->base.stats->syscalls += n;
        u->base.stats->retried_ops += n;
        return 0;
}

static int uring_stat_wait(struct lsr_engine *e)
{
        struct uring_engine *u = (struct uring_engine *)e;

        while (u->in_flight > 0)
                if (uring_enter(u, u->in_flight + u->heads) < 0)
                        uring_abandon(u);
        return 0;
}

static int uring_queue_files(struct uring_engine *u, struct lsr_file_read *files, unsigned n)
{
        int r;

        if (!u->has_files) {
                r = io_uring_register_files_sparse(&u->ring, URING_FILES_MAX);
                u->base.stats->syscalls++;
                if (r < 0)
                        return r;
                u->has_files = true;
        }
        if (io_uring_sq_space_left(&u->ring) < 3 * n) {
                r = uring_enter(u, 0);
                if (r < 0)
                        return r;
        }
        u->files = files;
        u->files_left = n;
        for (unsigned i = 0; i < n; i++) {
                struct io_uring_sqe *sqe = io_uring_get_sqe(&u->ring);

                files[i].ret = -EINPROGRESS;
                io_uring_prep_openat_direct(sqe, AT_FDCWD, files[i].path, O_RDONLY, 0, i);
                io_uring_sqe_set_flags(sqe, IOSQE_IO_LINK | IOSQE_CQE_SKIP_SUCCESS);
                /* A request that fails and was to skip its success silences what is linked behind it. */
                io_uring_sqe_set_data64(sqe, (uint64_t)i << 8 | URING_FILE);
                /* Hard-linked, as a short read would cancel the close and leak the descriptor. */
                sqe = io_uring_get_sqe(&u->ring);
                io_uring_prep_read(sqe, (int)i, files[i].buf, (unsigned)files[i].cap, 0);
                io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE | IOSQE_IO_HARDLINK);
                io_uring_sqe_set_data64(sqe, (uint64_t)i << 8 | URING_FILE);
                sqe = io_uring_get_sqe(&u->ring);
                io_uring_prep_close_direct(sqe, i);
                io_uring_sqe_set_flags(sqe, IOSQE_CQE_SKIP_SUCCESS);
                io_uring_sqe_set_data64(sqe, URING_IGNORE);
        }
        u->base.stats->ring_ops += 3 * n;
        return 0;
}

static int uring_read_files(struct lsr_engine *e, struct lsr_file_read *files, size_t n)
{
        struct uring_engine *u = (struct uring_engine *)e;
        int r = u->up ? 0 : uring_up(u, 0);

        while (n > 0 && r >= 0) {
                unsigned len = n < URING_FILES_MAX ? (unsigned)n : URING_FILES_MAX;

                r = uring_queue_files(u, files, len);
                while (u->files_left > 0 && r >= 0)
                        r = uring_enter(u, 1);
                for (unsigned i = 0; i < len; i++) {
                        unsigned syscalls = 0;

                        if (r < 0 || !lsr_file_read_complete(&files[i])) {
                                lsr_sync_read_file(&files[i], &syscalls);
                                u->base.stats->retried_ops++;
                                u->base.stats->syscalls += syscalls;
                        }
                        u->base.stats->bytes_read += files[i].ret > 0 ? (size_t)files[i].ret : 0;
                }
                files += len;
                n -= len;
        }
        return r;
}

static const struct lsr_engine_ops uring_ops = {
        .name = "uring",
        .free = uring_free,
        .stat_begin = uring_stat_begin,
        .stat_add = uring_stat_add,
        .stat_wait = uring_stat_wait,
        .read_files = uring_read_files,
};

int lsr_uring_probe(struct lsr_engine *e)
{
        return uring_up((struct uring_engine *)e, URING_DEPTH_MIN);
}

int lsr_uring_new(struct lsr_engine **ret_engine, struct lsr_io_stats *stats)
{
        struct uring_engine *u = lsr_xmalloc(sizeof(*u));

        memset(u, 0, sizeof(*u));
        u->base = (struct lsr_engine){ &uring_ops, stats };
        *ret_engine = &u->base;
        return 0;
}
