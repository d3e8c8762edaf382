/*
 * xattrs - all extended attributes of a file, access control lists among them
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/io.h"

/* What was learnt about the file systems; zeroed at first. */
struct lsr_xattrs {
        uint64_t none; /* 1 << 32 | a device whose file system has none */
};

/* May files of this device have any? */
bool lsr_xattrs_are_there(const struct lsr_xattrs *x, uint32_t dev);

/*
 * Those of the file on @dev whose LSR_OP_LIST_XATTRS @list is done; what it brought is freed.  In the form of struct
 * lsr_member, sorted by name; allocated, NULL if there are none.  0; a negative errno, then perhaps with some of them.
 */
int lsr_xattrs_read(struct lsr_xattrs *x, struct lsr_io *io, const struct lsr_op *list, uint32_t dev,
                    uint8_t **ret_xattrs, size_t *ret_len);
