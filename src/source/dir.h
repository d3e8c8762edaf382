/*
 * dir - a real directory as a source of entries
 *
 * Names are used where getdents64 puts them: the buffer is part of the arena
 * and lives as long as the entries.  Those of a large directory are copied, as
 * less than half of a buffer is names.  What the directory itself tells (name,
 * type, inode) is filled in; metadata is for the caller to ask, below dirfd.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "entry.h"
#include "io/io.h"

struct lsr_dir {
        struct lsr_io *io;
        int fd;
        unsigned lots; /* read so far */
        bool steady;   /* lots are to be small: each is done with before the next */
        char *buf;     /* in the arena, for names that are copied; NULL until it is needed */
};

/* Returns 0 or a negative errno. */
int lsr_dir_open(struct lsr_dir *ret_dir, struct lsr_io *io, const char *path, bool follow);

/* A directory is read in lots, one a system call. */
struct lsr_dir_lot {
        struct lsr_entry *entries; /* in the order of the directory, "." and ".." included */
        size_t n;
        bool likely_last; /* the buffer had much room left */
};

/* Returns 0, with n == 0 at the end, or a negative errno. */
int lsr_dir_next(struct lsr_dir *dir, struct lsr_arena *arena, struct lsr_dir_lot *ret_lot);

void lsr_dir_close(struct lsr_dir *dir);
