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

/* When the process waits under SCHED_BATCH. */
enum lsr_ring_batch { LSR_RING_BATCH_MANY, LSR_RING_BATCH_ALWAYS, LSR_RING_BATCH_NEVER };

struct lsr_ring_tuning {
        unsigned depth;   /* "depth=": most requests in flight; fewer need more calls, more let 4 KiB names fall out of
                             the cache */
        unsigned chain;   /* "chain=": most requests in a chain */
        unsigned workers; /* "workers=": of io-wq; 0: as many as the kernel likes, which is never more than chains */
        unsigned batch;   /* "batch=": enum lsr_ring_batch */
        unsigned many;    /* requests from which SCHED_BATCH pays for its call */
        bool whole;       /* all of depth is for the first submission */
};

/* 0; -EINVAL: @text is not "" and not NAME=N,... within the bounds. */
int lsr_ring_tune(struct lsr_ring_tuning *ret_tuning, const char *text);
