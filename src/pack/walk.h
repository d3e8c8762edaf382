/*
 * walk - the trees to pack, as one sequence in the order of the bundle
 *
 * Depth first, each directory sorted bytewise with '/' behind the names of
 * directories, none twice.  Items come in lots, so that the metadata of many directories is
 * one batch and small files can be read ahead.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "io/io.h"
#include "pack/exclude.h"
#include "pack/git-files.h"

#define LSR_WALK_LOT 512u

struct lsr_walk;
struct lsr_walk_dir;

/* A tree to pack, and the names of its members. */
struct lsr_walk_root {
        const char *path;      /* no symbolic link; a file of any kind */
        const char *given;     /* the same as it was asked for, for patterns; NULL */
        const char *prefix;    /* the path that it is stored by; "": its entries have none */
        bool is_dir;           /* else it is the only item */
        bool bare;             /* the directory itself is no item, unless it cannot be read */
        struct lsr_keep *keep; /* NULL: all of it */
};

struct lsr_walk_options {
        struct lsr_io *io;
        const struct lsr_walk_root *roots; /* in the order of their prefixes */
        size_t n_roots;
        bool follow;                   /* symbolic links, too, are what they lead to */
        bool one_file_system;          /* a directory on another one is taken without what is in it */
        bool no_xattrs;                /* they are not wanted */
        bool sizes_only;               /* neither targets nor xattrs are wanted */
        struct lsr_excludes *excludes; /* NULL: none */
};

struct lsr_walk_item {
        struct lsr_meta meta;       /* meta.error: it could not be had */
        struct lsr_walk_dir *dir;   /* of @name */
        struct lsr_walk_dir *below; /* what it is itself, if it is a directory that was opened */
        const char *name;
        const char *path; /* whole, as stored, without '/' at its end; NUL-terminated */
        size_t path_len;
        char *target; /* of a symbolic link */
        size_t target_len;
        uint8_t *xattrs; /* as in struct lsr_member */
        size_t xattrs_len;
        int dir_error;    /* why its directory could not be read, or not to the end */
        int target_error; /* the same of its target, */
        int xattrs_error; /* and of its xattrs */
        bool twice;       /* its directory has the name more than once; this is the first of them */
        bool gone;        /* nothing to pack: its directory, or it, is not stored */
};

/* A zeroed one is fine.  Items live until it is filled again or freed. */
struct lsr_walk_lot {
        struct lsr_arena arena;
        struct lsr_walk *walk;
        struct lsr_walk_item *items;
        size_t n;
};

/* The order of two names in a directory, or of two roots: bytewise, with '/' behind those of directories. */
int lsr_walk_order(const char *a, size_t a_len, bool a_dir, const char *b, size_t b_len, bool b_dir);

struct lsr_walk *lsr_walk_new(const struct lsr_walk_options *options);
struct lsr_walk *lsr_walk_free(struct lsr_walk *w);

/* The next items.  1; 0: there are none; a negative errno: the engine failed. */
int lsr_walk_next(struct lsr_walk *w, struct lsr_walk_lot *lot);
void lsr_walk_lot_free(struct lsr_walk_lot *lot);

/* An open directory in which item->name is, AT_FDCWD perhaps, or a negative errno.  Valid as long as the item. */
int lsr_walk_fd(struct lsr_walk *w, const struct lsr_walk_item *item);

/* The item is not stored; nothing below it will be. */
void lsr_walk_drop(struct lsr_walk_item *item);

/* Is it, or something above it, not stored? */
bool lsr_walk_dropped(const struct lsr_walk_item *item);
