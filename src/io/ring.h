/*
 * ring - a ring of the kernel, and the account of what is in flight on it
 *
 * The one file that includes liburing.h, for those that speak to a ring: uring.c
 * (metadata, small files) and uring-read.c (contents).  They share no ring: one is
 * made for the number of names and belongs to the thread that made it, the other
 * is small, may go from thread to thread and can be confined.
 *
 * Every request reports, and nothing that it writes to may be given up before.
 *
 * A request that io-wq has done is freed by the task that submitted it, and each one wakes this task if it waits as
 * one usually does: for thousands of names these are thousands of switches, on the cores that should do the work.
 * Nothing but its child, or a signal that kills, wakes the parent of a vfork(2).  So a ring that is @asleep makes a
 * thread as vfork makes a process; that one waits and exits, and the task frees all requests at once.
 */
#pragma once

#include <liburing.h>
#include <signal.h>
#include <stdbool.h>

#include "io/io.h"

struct lsr_ring {
        struct io_uring uring;
        struct lsr_io_stats *stats;
        unsigned pending; /* requests without a report, those that the kernel has not taken yet among them */
        bool split;       /* the kernel took a part of what it was given; whoever asks clears it */
        bool asleep;      /* wait asleep where that can be had: on one ring of the process */
        bool sleepless;   /* it cannot */
        unsigned sleeps;  /* since signals that stop were blocked */
        sigset_t mask;    /* before that */
        void (*report)(void *ctx, uint64_t data, int result);
        void *ctx;
};

/* The next request, or NULL if there is no room. */
static inline struct io_uring_sqe *lsr_ring_request(struct lsr_ring *r)
{
        struct io_uring_sqe *sqe = io_uring_get_sqe(&r->uring);

        r->pending += sqe != NULL;
        return sqe;
}

/* Report what has completed. */
void lsr_ring_reap(struct lsr_ring *r);

/*
 * Hand over what is queued, wait for @wait completions, or fewer, and report what came.  The kernel may take a part,
 * and does not wait then; what it left stays queued for the next call.  0, or a negative errno: the ring failed for
 * good.
 */
int lsr_ring_enter(struct lsr_ring *r, unsigned wait);

/* Call it when there is nothing more to wait for: signals that stop the process get through again. */
void lsr_ring_wake(struct lsr_ring *r);

/* The ring failed.  What the kernel has taken it finishes: wait for that.  What is still queued it never gets. */
void lsr_ring_drain(struct lsr_ring *r);

/* It must be owed nothing. */
void lsr_ring_exit(struct lsr_ring *r);
