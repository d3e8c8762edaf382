/*
 * spool - bytes that must be kept to be read at random
 *
 * In memory up to LSR_SPOOL_MEMORY_MAX, beyond in an unnamed file below TMPDIR,
 * up to LSR_LIMIT_SPOOL.  Nothing is left behind however the process ends.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define LSR_SPOOL_MEMORY_MAX ((uint64_t)64 << 20)

struct lsr_spool {
        int fd; /* valid after the first write, and then the caller's to close */
        uint64_t size;
        unsigned kind; /* private */
};

/* A zeroed struct is an empty spool.  0; LSR_LIMIT_EXCEEDED: LSR_LIMIT_SPOOL; another negative errno. */
int lsr_spool_write(struct lsr_spool *s, const void *data, size_t n);

/* The same for @n zero bytes, which take no room. */
int lsr_spool_hole(struct lsr_spool *s, uint64_t n);

/*
 * No more is coming.  An empty spool has a descriptor too, afterwards; and nobody can write through it any more, unless
 * /proc is not mounted and the spool is a file.
 */
int lsr_spool_finish(struct lsr_spool *s);

/*
 * Another descriptor of the same file, for reading alone: -ENOENT where /proc is not mounted, or another negative
 * errno.
 */
int lsr_spool_reopen(int fd);

/* Give up: close it.  A spool that was never written to is fine. */
void lsr_spool_drop(struct lsr_spool *s);

/* An unnamed file below TMPDIR, /var/tmp or /tmp, for reading and writing; or a negative errno. */
int lsr_spool_file(void);
