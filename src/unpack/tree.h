/*
 * tree - the directories that receive files
 *
 * A directory is named by its row.  No symbolic link is ever followed below
 * the target, nor "..", so no link made by a bundle or another process leads
 * out of it: openat2(2) with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS, and
 * where the kernel refuses that, component by component with O_NOFOLLOW.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "catalogue/catalogue.h"

#define LSR_TREE_OPEN 64u /* directories kept open */

struct lsr_tree {
        const struct lsr_catalogue *c;
        uint32_t base;  /* the row that the target stands for, */
        unsigned strip; /* and so do all rows that lie so many levels below it */
        int root;       /* the target */
        bool no_openat2;
        struct {
                uint32_t row;
                int fd; /* -1: free */
        } open[LSR_TREE_OPEN];
};

/*
 * The directory at @path, made if it is not there, is to hold what is more than @strip levels below @base.  0 or a
 * negative errno.
 */
int lsr_tree_open(struct lsr_tree *ret_tree, const char *path, const struct lsr_catalogue *c, uint32_t base,
                  unsigned strip);

/* Levels from the base down to @row, which is below it. */
unsigned lsr_tree_depth(const struct lsr_tree *t, uint32_t row);

/* Is @row one that the target stands for?  It is the base, or below it. */
static inline bool lsr_tree_is_root(const struct lsr_tree *t, uint32_t row)
{
        return t->strip == 0 ? row == t->base : lsr_tree_depth(t, row) == t->strip;
}

void lsr_tree_close(struct lsr_tree *t);

/* A descriptor (O_PATH) of directory @row, good until the next call, or a negative errno. */
int lsr_tree_dir(struct lsr_tree *t, uint32_t row);

/* Open the directory @row for itself with @flags of open(2).  The descriptor is the caller's. */
int lsr_tree_open_dir(struct lsr_tree *t, uint32_t row, int flags);

/* The path of @row below the target, NUL-terminated; to be freed. */
char *lsr_tree_path(const struct lsr_tree *t, uint32_t row);

/* Is @name valid as the name of a file?  A catalogue has no others; this is the last check. */
bool lsr_tree_name_valid(const char *name);
