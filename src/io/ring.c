/*
 * ring - see the header
 *
 * The thread that waits shares everything with the task that sleeps, its thread-local memory too.  It has a stack of
 * its own and writes nothing but its result.  A signal that kills does so at once, any other is handled when the task
 * wakes up, after RING_SLEEP_MS at the latest.  Signals of the terminal that stop a process are blocked meanwhile:
 * should the thread take one that was for the task it would stop, and leave the task in a sleep that cannot stop, so
 * that its parent never hears of it.  So it is for SIGSTOP, which cannot be blocked; SIGCONT ends it.
 */
#include "io/ring.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RING_TRIES_MAX 1000u
#define RING_SLEEP_MS 100
#define RING_SLEEP_STACK 16384u
#define RING_SLEEPS_MAX 32u /* until signals get through */

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

static void ring_block_stops(struct lsr_ring *r)
{
        sigset_t stops;

        sigemptyset(&stops);
        sigaddset(&stops, SIGTSTP);
        sigaddset(&stops, SIGTTIN);
        sigaddset(&stops, SIGTTOU);
        sigprocmask(SIG_BLOCK, &stops, &r->mask);
        r->stats->syscalls++;
}

void lsr_ring_wake(struct lsr_ring *r)
{
        if (r->sleeps == 0)
                return;
        r->sleeps = 0;
        r->stats->syscalls++;
        sigprocmask(SIG_SETMASK, &r->mask, NULL);
}

struct ring_sleep {
        int fd;
        unsigned wait;
        long result;
        atomic_bool done;
};

static int ring_sleep_child(void *arg)
{
        static const struct __kernel_timespec most = { .tv_nsec = RING_SLEEP_MS * 1000000 };
        struct ring_sleep *s = arg;
        struct io_uring_getevents_arg how = { .ts = (uintptr_t)&most };

        s->result = syscall(SYS_io_uring_enter, s->fd, 0, s->wait, IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &how,
                            sizeof(how));
        if (s->result < 0)
                s->result = -errno;
        atomic_store(&s->done, true);
        return 0;
}

/* Until @wait completions have come, or RING_SLEEP_MS have passed.  False: it cannot be had. */
static bool ring_sleep(struct lsr_ring *r, unsigned wait)
{
        static char stack[RING_SLEEP_STACK] __attribute__((aligned(64)));
        static struct ring_sleep s;
        /* Without CLONE_FS and CLONE_FILES, as valgrind ends the process over these, and refuses the others. */
        const int flags = CLONE_VM | CLONE_VFORK | CLONE_THREAD | CLONE_SIGHAND | CLONE_SYSVSEM;

        if (!(r->uring.features & IORING_FEAT_EXT_ARG))
                return false;
        if (r->sleeps++ == 0)
                ring_block_stops(r);
        s = (struct ring_sleep){ .fd = r->uring.ring_fd, .wait = wait };
        r->stats->syscalls++;
        if (clone(ring_sleep_child, stack + sizeof(stack), flags, &s) < 0)
                return false;
        r->stats->syscalls += 2;
        r->stats->ring_enters++;
        if (s.result == -ETIME || r->sleeps > RING_SLEEPS_MAX)
                lsr_ring_wake(r);
        /* What is not Linux may not know CLONE_VFORK: then the thread still runs, and keeps its stack. */
        return atomic_load(&s.done) && (s.result >= 0 || s.result == -ETIME || s.result == -EINTR);
}

/* As io_uring_submit_and_wait(), but it may wait for less. */
static int ring_submit(struct lsr_ring *r, unsigned wait)
{
        unsigned queued = io_uring_sq_ready(&r->uring);
        bool asleep = wait > 0 && r->asleep && !r->sleepless;
        int n = 0;

        if (!asleep || queued > 0) {
                n = wait && !asleep ? io_uring_submit_and_wait(&r->uring, wait) : io_uring_submit(&r->uring);
                r->stats->syscalls++;
                r->stats->ring_enters++;
        }
        if (asleep && n >= 0 && (unsigned)n == queued)
                r->sleepless = !ring_sleep(r, wait);
        return n;
}

int lsr_ring_enter(struct lsr_ring *r, unsigned wait)
{
        unsigned tries = 0;

        for (;;) {
                unsigned queued = io_uring_sq_ready(&r->uring), before = r->pending;
                int n;

                /* So many places there are for completions. */
                assert(r->pending <= r->uring.cq.ring_entries);
                n = ring_submit(r, wait);
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
