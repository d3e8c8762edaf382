/*
 * uring-read - reads of open files through a ring of their own
 *
 * The ring can be used by any thread, one at a time, and can be sealed: then it
 * does nothing but read from descriptors that lsr_read_ring_register() gave it.
 *
 * All functions return 0 or a negative errno unless they say otherwise.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "io/io.h"

#define LSR_READ_HERE UINT64_MAX /* as offset: wherever the file is, for what cannot seek */

/* One read.  It stays in place, and so does its buffer, while it is busy. */
struct lsr_read {
        int fd;
        void *buf;
        uint32_t size;
        uint64_t offset;
        int result; /* as of pread(2), or a negative errno */
        bool busy;  /* with the kernel */
};

struct io_uring;
struct lsr_read_ring;

int lsr_read_ring_new(struct lsr_read_ring **ret_ring, struct lsr_io_stats *stats, bool sealed);

/* No read may be busy. */
struct lsr_read_ring *lsr_read_ring_free(struct lsr_read_ring *ring);

/* Queue a read; the next wait, for whichever read, hands it to the kernel.  -EBADF: sealed, and not registered. */
int lsr_read_ring_start(struct lsr_read_ring *ring, struct lsr_read *read);

/*
 * Wait until @read is no longer busy.  If the ring fails, what the kernel has not taken has that error as its result.
 */
void lsr_read_ring_wait(struct lsr_read_ring *ring, struct lsr_read *read);

/* Of a sealed ring: does it read from @fd?  Registering twice is fine; -EMFILE: as many as there can be. */
bool lsr_read_ring_knows(const struct lsr_read_ring *ring, int fd);
int lsr_read_ring_register(struct lsr_read_ring *ring, int fd);
void lsr_read_ring_unregister(struct lsr_read_ring *ring, int fd);

/* The ring itself, for tests of what a sealed one refuses. */
struct io_uring *lsr_read_ring_raw(struct lsr_read_ring *ring);
