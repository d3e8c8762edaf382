/*
 * xattrs - all extended attributes of a file, access control lists among them
 */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* What was learnt about the kernel and the file systems; zeroed at first. */
struct lsr_xattrs {
        atomic_bool no_at;          /* the kernel has no listxattrat(2) */
        atomic_uint_least64_t none; /* 1 << 32 | a device whose file system has none */
};

/*
 * Those of @name below @dirfd, which is not followed, in the form of struct lsr_member, sorted by name; allocated,
 * NULL if there are none.  May run in several threads.  0, or a negative errno, then perhaps with some of them.
 */
int lsr_xattrs_read(struct lsr_xattrs *x, int dirfd, const char *name, uint32_t dev, uint8_t **ret_xattrs,
                    size_t *ret_len);
