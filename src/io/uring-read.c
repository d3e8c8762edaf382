/*
 * uring-read - a small ring that reads, and when sealed does nothing else
 *
 * Apart from the ring of uring.c, which is remade when a directory is larger
 * than the one before and belongs to one thread: reads in flight must outlive
 * that, and a decoder's threads take turns here.  So neither SINGLE_ISSUER nor
 * COOP_TASKRUN is set: the task that submitted a read may be busy in user space
 * while another waits for it.
 *
 * What is in the page cache is copied during the submission itself; several
 * reads in one submission save calls.  What is not is waited for by the kernel
 * while we work.  No read is ever cancelled, as one of a disk cannot be: who has
 * no more use for it waits for it.
 *
 * Seccomp does not see what a ring does.  A sealed one is therefore made
 * disabled, gets its table of files and its restrictions, and is enabled: then
 * the kernel itself refuses all but READ from the table's files, and all further
 * set-up but changes of that table.
 *
 * Rejected: registered buffers with READ_FIXED.  600 MB from the page cache took
 * 45 ms with them and 45 ms without, and to register 1 MiB takes 0.35 ms, as
 * long as to start the process; it also counts as locked memory.
 */
#include "io/uring-read.h"

#include <assert.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "io/ring.h"

#define READ_RING_DEPTH 16u
#define READ_RING_FILES 64u

struct lsr_read_ring {
        struct io_uring ring;
        struct lsr_io_stats *stats;
        int broken;       /* a negative errno: an enter failed */
        unsigned pending; /* reads that are busy */
        bool sealed;
        int files[READ_RING_FILES]; /* descriptor in each place of the table of a sealed ring, or -1 */
};

/* Of the two calls for this, liburing 2.3 declares what its shared library lacks. */
static int ring_restrict(struct lsr_read_ring *r, const struct io_uring_restriction *only, unsigned n)
{
        int fd = r->ring.ring_fd;

        r->stats->syscalls += 2;
        if (syscall(SYS_io_uring_register, fd, IORING_REGISTER_RESTRICTIONS, only, n) < 0 ||
            syscall(SYS_io_uring_register, fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0) < 0)
                return -errno;
        return 0;
}

static int ring_seal(struct lsr_read_ring *r)
{
        struct io_uring_restriction only[] = {
                { .opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = IORING_OP_READ },
                { .opcode = IORING_RESTRICTION_SQE_FLAGS_REQUIRED, .sqe_flags = IOSQE_FIXED_FILE },
                { .opcode = IORING_RESTRICTION_REGISTER_OP, .register_op = IORING_REGISTER_FILES_UPDATE },
        };
        int error;

        r->stats->syscalls++;
        error = io_uring_register_files(&r->ring, r->files, READ_RING_FILES);
        if (error >= 0)
                error = ring_restrict(r, only, sizeof(only) / sizeof(*only));
        return error;
}

int lsr_read_ring_new(struct lsr_read_ring **ret_ring, struct lsr_io_stats *stats, bool sealed)
{
        struct lsr_read_ring *r = lsr_xmalloc(sizeof(*r));
        int error;

        memset(r, 0, sizeof(*r));
        r->stats = stats;
        r->sealed = sealed;
        for (unsigned i = 0; i < READ_RING_FILES; i++)
                r->files[i] = -1;
        stats->syscalls += 3;
        error = io_uring_queue_init(READ_RING_DEPTH, &r->ring, sealed ? IORING_SETUP_R_DISABLED : 0);
        if (error < 0) {
                free(r);
                return error;
        }
        if (sealed)
                error = ring_seal(r);
        if (error < 0) {
                lsr_read_ring_free(r);
                return error;
        }
        *ret_ring = r;
        return 0;
}

struct lsr_read_ring *lsr_read_ring_free(struct lsr_read_ring *r)
{
        if (!r)
                return NULL;
        assert(r->pending == 0);
        io_uring_queue_exit(&r->ring);
        r->stats->syscalls += 3;
        free(r);
        return NULL;
}

static void ring_reap(struct lsr_read_ring *r)
{
        struct io_uring_cqe *cqe;
        unsigned head, n = 0;

        io_uring_for_each_cqe(&r->ring, head, cqe)
        {
                struct lsr_read *read = io_uring_cqe_get_data(cqe);

                assert(read->busy && r->pending > 0);
                r->pending--;
                read->result = cqe->res;
                read->busy = false;
                n++;
        }
        io_uring_cq_advance(&r->ring, n);
}

/* The ring failed for good.  The kernel finishes what it has taken, and that is waited for; what it has not taken fails. */
static void ring_abandon(struct lsr_read_ring *r, int error)
{
        const struct io_uring_sq *sq = &r->ring.sq;

        while (r->pending > io_uring_sq_ready(&r->ring)) {
                r->stats->syscalls++;
                poll(&(struct pollfd){ .fd = r->ring.ring_fd, .events = POLLIN }, 1, -1);
                ring_reap(r);
        }
        for (unsigned i = *sq->khead; i != sq->sqe_tail; i++) {
                struct lsr_read *read = (void *)(uintptr_t)sq->sqes[i & sq->ring_mask].user_data;

                read->result = error;
                read->busy = false;
        }
        r->pending = 0;
        r->broken = error;
}

/* Hand over what is queued and wait for @wait completions, or fewer. */
static int ring_enter(struct lsr_read_ring *r, unsigned wait)
{
        unsigned tries = 0;

        while (!r->broken) {
                unsigned queued = io_uring_sq_ready(&r->ring), before = r->pending;
                int n = wait ? io_uring_submit_and_wait(&r->ring, wait) : io_uring_submit(&r->ring);

                r->stats->syscalls++;
                r->stats->ring_enters++;
                ring_reap(r);
                /*
                 * The kernel may take a part: the rest goes with the next call.  When a signal ends a wait, what has
                 * come must not be waited for again.
                 */
                if (n > 0 || (n == 0 && queued == 0) || r->pending < before)
                        return 0;
                if (n == 0)
                        n = -EAGAIN;
                if (!lsr_ring_transient(n) || (n != -EINTR && ++tries == LSR_RING_TRIES_MAX))
                        ring_abandon(r, n);
        }
        return r->broken;
}

/* Where @fd is in the table. */
static int ring_place(const struct lsr_read_ring *r, int fd)
{
        for (unsigned i = 0; i < READ_RING_FILES; i++)
                if (r->files[i] == fd)
                        return (int)i;
        return -EBADF;
}

int lsr_read_ring_start(struct lsr_read_ring *r, struct lsr_read *read)
{
        struct io_uring_sqe *sqe;
        int fd = read->fd;

        if (r->sealed)
                fd = fd < 0 ? -EBADF : ring_place(r, fd);
        if (fd < 0)
                return -EBADF;
        if (r->broken || (io_uring_sq_space_left(&r->ring) == 0 && ring_enter(r, 0) < 0))
                return r->broken;
        sqe = io_uring_get_sqe(&r->ring);
        if (!sqe)
                return -EAGAIN;
        assert(!read->busy);
        io_uring_prep_read(sqe, fd, read->buf, read->size, read->offset);
        if (r->sealed)
                io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
        io_uring_sqe_set_data(sqe, read);
        read->busy = true;
        r->pending++;
        r->stats->ring_ops++;
        return 0;
}

void lsr_read_ring_wait(struct lsr_read_ring *r, struct lsr_read *read)
{
        ring_reap(r);
        /* Reads behind this one start even if this one is done. */
        if (!read->busy && io_uring_sq_ready(&r->ring))
                ring_enter(r, 0);
        while (read->busy)
                ring_enter(r, 1);
}

bool lsr_read_ring_knows(const struct lsr_read_ring *r, int fd)
{
        return !r->sealed || (fd >= 0 && ring_place(r, fd) >= 0);
}

static int ring_set_place(struct lsr_read_ring *r, int place, int fd)
{
        int n;

        r->stats->syscalls++;
        n = io_uring_register_files_update(&r->ring, (unsigned)place, &fd, 1);
        if (n < 0)
                return n;
        r->files[place] = fd;
        return 0;
}

int lsr_read_ring_register(struct lsr_read_ring *r, int fd)
{
        int place;

        if (fd < 0)
                return -EBADF;
        if (lsr_read_ring_knows(r, fd))
                return 0;
        place = ring_place(r, -1);
        return place < 0 ? -EMFILE : ring_set_place(r, place, fd);
}

void lsr_read_ring_unregister(struct lsr_read_ring *r, int fd)
{
        if (r->sealed && fd >= 0 && ring_place(r, fd) >= 0)
                ring_set_place(r, ring_place(r, fd), -1);
}

struct io_uring *lsr_read_ring_raw(struct lsr_read_ring *r)
{
        return &r->ring;
}
