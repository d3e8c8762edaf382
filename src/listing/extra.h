/*
 * extra - metadata that stat does not return: link targets and extended
 * attributes
 *
 * For these there is no opcode in io_uring; they run through lsr_io_each().
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

/* Fill entry->extra of all @entries whose metadata is there.  Trouble is left in the extras. */
void lsr_extra_fill(const struct lsr_extra_job *job, struct lsr_entry **entries, size_t n);

/* @dir and @name as one path, as GNU ls writes it: without "./" in front. NULL dir: the name. */
char *lsr_path_join(struct lsr_arena *arena, const char *dir, const char *name);
