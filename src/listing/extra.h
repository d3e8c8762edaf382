/*
 * extra - metadata that stat does not return: link targets and extended
 * attributes
 *
 * For these there is no opcode in io_uring: plain calls do them, or threads.
 */
#pragma once

#include "listing/listing.h"

struct lsr_extra_job {
        struct lsr_io *io;
        struct lsr_arena *arena;
        const struct lsr_want *want;
        int dirfd;       /* AT_FDCWD for operands */
        const char *dir; /* path of the directory, NULL for operands */
};

/* Fill entry->extra of all @entries with metadata.  Errors are stored in the extras. */
void lsr_extra_fill(const struct lsr_extra_job *job, struct lsr_entry **entries, size_t n);
