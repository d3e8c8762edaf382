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
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "io/ring.h"

#define READ_RING_DEPTH 16u
#define READ_RING_FILES 64u
#define READ_RING_SPENT (-2)

struct lsr_read_ring {
        struct lsr_ring ring;
        int broken; /* a negative errno: an enter failed */
        bool sealed;
        int files[READ_RING_FILES]; /* descriptor in each place of the table of a sealed ring, -1, or READ_RING_SPENT */
};

/* Of the two calls for this, liburing 2.3 declares what its shared library lacks. */
static int ring_restrict(struct lsr_read_ring *r, const struct io_uring_restriction *only, unsigned n)
{
        int fd = r->ring.uring.ring_fd;

        r->ring.stats->syscalls += 2;
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

        r->ring.stats->syscalls++;
        error = io_uring_register_files(&r->ring.uring, r->files, READ_RING_FILES);
        if (error >= 0)
                error = ring_restrict(r, only, sizeof(only) / sizeof(*only));
        return error;
}

static void ring_report(void *ctx, uint64_t data, int result)
{
        struct lsr_read *read = (void *)(uintptr_t)data;

        (void)ctx;
        assert(read->busy);
        read->result = result;
        read->busy = false;
}

int lsr_read_ring_new(struct lsr_read_ring **ret_ring, struct lsr_io_stats *stats, bool sealed)
{
        struct lsr_read_ring *r = lsr_xmalloc(sizeof(*r));
        int error;

        memset(r, 0, sizeof(*r));
        r->ring.stats = stats;
        r->ring.report = ring_report;
        r->sealed = sealed;
        for (unsigned i = 0; i < READ_RING_FILES; i++)
                r->files[i] = -1;
        stats->syscalls += 3;
        error = io_uring_queue_init(READ_RING_DEPTH, &r->ring.uring, sealed ? IORING_SETUP_R_DISABLED : 0);
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
        lsr_ring_exit(&r->ring);
        free(r);
        return NULL;
}

/* For good.  What the kernel has not taken fails. */
static void ring_abandon(struct lsr_read_ring *r, int error)
{
        const struct io_uring_sq *sq = &r->ring.uring.sq;

        lsr_ring_drain(&r->ring);
        for (unsigned i = *sq->khead; i != sq->sqe_tail; i++)
                ring_report(NULL, sq->sqes[i & sq->ring_mask].user_data, error);
        r->broken = error;
}

static int ring_enter(struct lsr_read_ring *r, unsigned wait)
{
        int error = r->broken ? 0 : lsr_ring_enter(&r->ring, wait);

        if (error < 0)
                ring_abandon(r, error);
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
        if (r->broken || (io_uring_sq_space_left(&r->ring.uring) == 0 && ring_enter(r, 0) < 0))
                return r->broken;
        sqe = lsr_ring_request(&r->ring);
        if (!sqe)
                return -EAGAIN;
        assert(!read->busy);
        io_uring_prep_read(sqe, fd, read->buf, read->size, read->offset);
        if (r->sealed)
                io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
        io_uring_sqe_set_data(sqe, read);
        read->busy = true;
        return 0;
}

void lsr_read_ring_wait(struct lsr_read_ring *r, struct lsr_read *read)
{
        lsr_ring_reap(&r->ring);
        /* Reads behind this one start even if this one is done. */
        if (!read->busy && io_uring_sq_ready(&r->ring.uring))
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

        r->ring.stats->syscalls++;
        n = io_uring_register_files_update(&r->ring.uring, (unsigned)place, &fd, 1);
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
        int place = r->sealed && fd >= 0 ? ring_place(r, fd) : -1;

        /* What stays there is not what the next file of this number is, nor is there room for one. */
        if (place >= 0 && ring_set_place(r, place, -1) < 0)
                r->files[place] = READ_RING_SPENT;
}

struct io_uring *lsr_read_ring_raw(struct lsr_read_ring *r)
{
        return &r->ring.uring;
}
