/*
 * read - single reads of open files, by a plain call or through the ring
 *
 * Included by src/io/ only: what stream.c and lsr_io_read_at() have in common.
 */
#pragma once

#include <sys/types.h>

#include "io/engine.h"
#include "io/uring-read.h"

enum lsr_reads_way {
        LSR_READS_PLAIN,
        LSR_READS_AUTO, /* whichever is faster */
        LSR_READS_RING, /* or not at all */
};

/* How an lsr_io reads; a part of it. */
struct lsr_reads {
        enum lsr_reads_way way;
        struct lsr_io_stats *stats;
        struct lsr_fault *fault;    /* asked before each read; may be NULL */
        struct lsr_read_ring *ring; /* made on need, or by lsr_io_seal() */
        int refused;                /* why there is none: a negative errno, or 0 */
        bool timed;                 /* stats->read_ns is wanted */
};

struct lsr_reads *lsr_io_reads(struct lsr_io *io);

/* A ring that can read @fd, made if there is none; or a negative errno. */
int lsr_reads_ring(struct lsr_reads *reads, int fd, struct lsr_read_ring **ret_ring);

/* Begin a read, through @ring if that is not NULL. */
void lsr_read_begin(struct lsr_reads *reads, struct lsr_read_ring *ring, struct lsr_read *read);

/*
 * Wait for its end; interruptions are retried.  Returns the bytes read, perhaps
 * fewer than asked for, 0 at the end of the file, or a negative errno.
 */
ssize_t lsr_read_end(struct lsr_reads *reads, struct lsr_read_ring *ring, struct lsr_read *read);
