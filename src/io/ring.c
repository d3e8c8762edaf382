/* ring - see the header */
#include "io/ring.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>

#define RING_TRIES_MAX 1000u

void lsr_ring_reap(struct lsr_ring *r)
{
        struct io_uring_cqe *cqe;
        unsigned head, n = 0;

        io_uring_for_each_cqe(&r->uring, head, cqe)
        {
                r->report(r->ctx, io_uring_cqe_get_data64(cqe), cqe->res);
                n++;
        }
        assert(n <= r->pending);
        r->pending -= n;
        io_uring_cq_advance(&r->uring, n);
}

/* A signal, or completions or memory were short: it may go better the next time. */
static bool ring_transient(int error)
{
        return error == 0 || error == -EINTR || error == -EAGAIN || error == -EBUSY;
}

int lsr_ring_enter(struct lsr_ring *r, unsigned wait)
{
        unsigned tries = 0;

        for (;;) {
                unsigned queued = io_uring_sq_ready(&r->uring), before = r->pending;
                int n;

                /* So many places there are for completions. */
                assert(r->pending <= r->uring.cq.ring_entries);
                n = wait ? io_uring_submit_and_wait(&r->uring, wait) : io_uring_submit(&r->uring);

                r->stats->syscalls++;
                r->stats->ring_enters++;
                r->stats->ring_ops += n > 0 ? (unsigned)n : 0;
                r->split = r->split || (n >= 0 && (unsigned)n < queued);
                lsr_ring_reap(r);
                /* When a signal ends a wait, what has come must not be waited for again. */
                if (n > 0 || (n == 0 && queued == 0) || r->pending < before)
                        return 0;
                if (!ring_transient(n))
                        return n;
                if (n != -EINTR && ++tries == RING_TRIES_MAX)
                        return -EAGAIN;
        }
}

void lsr_ring_drain(struct lsr_ring *r)
{
        lsr_ring_reap(r);
        while (r->pending > io_uring_sq_ready(&r->uring)) {
                r->stats->syscalls++;
                poll(&(struct pollfd){ .fd = r->uring.ring_fd, .events = POLLIN }, 1, -1);
                lsr_ring_reap(r);
        }
        r->pending = 0;
}

void lsr_ring_exit(struct lsr_ring *r)
{
        assert(r->pending == 0);
        io_uring_queue_exit(&r->uring);
        r->stats->syscalls += 3;
}
