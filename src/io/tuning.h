/*
 * tuning - the numbers of the ring, all in one place
 *
 * Their defaults are measured: docs/bench-ring.md.  For experiments `--io=uring:NAME=N,...` sets others.
 */
#pragma once

#include <stdbool.h>

#define LSR_RING_DEPTH_MIN 128u
#define LSR_RING_DEPTH_MAX 4096u
#define LSR_RING_CHAIN_MIN 8u
#define LSR_RING_CHAINS_MAX (LSR_RING_DEPTH_MAX / LSR_RING_CHAIN_MIN)

enum lsr_ring_when { LSR_RING_MANY, LSR_RING_ALWAYS, LSR_RING_NEVER };

struct lsr_ring_tuning {
        unsigned depth;   /* "depth=": most requests in flight; fewer need more calls, more let 4 KiB names fall out of
                             the cache */
        unsigned chain;   /* "chain=": most requests in a chain */
        unsigned workers; /* "workers=": of io-wq; 0: as many as the kernel likes, which is never more than chains */
        unsigned batch;   /* "batch=": when the process waits under SCHED_BATCH, enum lsr_ring_when */
        unsigned many;    /* requests from which that pays for its call */
        unsigned sleep;   /* "sleep=": when it waits asleep, see io/ring.h, and not under SCHED_BATCH */
        unsigned very_many; /* requests from which that pays for its three */
        bool whole;         /* all of depth is for the first submission */
};

/* 0; -EINVAL: @text is not "" and not NAME=N,... within the bounds. */
int lsr_ring_tune(struct lsr_ring_tuning *ret_tuning, const char *text);
