/*
 * pack - from trees to a writer
 *
 * Walks, reads and hands members over in the order of the bundle.  Files that
 * change meanwhile are stored as they were read, and reported: the stored size
 * of a member is always right.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "formats/writer.h"
#include "pack/walk.h"

#define LSR_LOSSES 6 /* LSR_LOSS_NAME and LSR_LOSS_SIZE are troubles */

/* Problems that are reported while packing.  All but the remarks make the exit status 1, if there is a bundle. */
enum lsr_pack_trouble {
        LSR_PACK_ACCESS,   /* no metadata: not stored */
        LSR_PACK_OPEN_DIR, /* stored without what is in it */
        LSR_PACK_READ_DIR, /* the same, perhaps with some of it */
        LSR_PACK_OPEN,     /* cannot be opened or read: not stored */
        LSR_PACK_READ,     /* stored with zeros from byte @at on */
        LSR_PACK_LINK,     /* no target: not stored */
        LSR_PACK_XATTRS,   /* stored with those that could be read */
        LSR_PACK_SHRANK,   /* stored with the @at bytes that were left, or as before with zeros behind them */
        LSR_PACK_GREW,     /* stored with its first @at bytes */
        LSR_PACK_LONGER,   /* the same of a file that has more than its file system says */
        LSR_PACK_CHANGED,  /* no longer a file, or written to while it was read */
        LSR_PACK_SIZE,     /* larger than the format can say: not stored */
        LSR_PACK_NAME,     /* the same of its name, of a directory with all that is below */
        LSR_PACK_MEMBER,   /* it cannot be read from the bundle that is packed again: not stored */
        LSR_PACK_DAMAGED,  /* the same when a part of it was stored: there will be no bundle */
        LSR_PACK_TWICE,    /* its directory has it more than once: stored once */
        LSR_PACK_SOCKET,   /* a remark: not stored */
        LSR_PACK_OUTPUT,   /* a remark: it is the bundle itself */
};

struct lsr_pack_loss {
        uint64_t n;
        char *first; /* path of the first member, owned */
};

struct lsr_pack_stats {
        uint64_t members;
        uint64_t bytes;                          /* of content */
        uint64_t digest;                         /* sum of lsr_digest_member() over all of them */
        struct lsr_pack_loss losses[LSR_LOSSES]; /* by the number of the bit in enum lsr_loss */
};

struct lsr_pack_options {
        struct lsr_io *walk_io;
        struct lsr_io *read_io; /* another one: it reads ahead meanwhile */
        const struct lsr_walk_root *roots;
        size_t n_roots;
        struct lsr_excludes *excludes;
        bool follow, one_file_system; /* as in struct lsr_walk_options */
        bool no_xattrs;               /* those of the trees are not asked for */
        bool set_owner, set_group;
        uint32_t uid, gid;
        const char *user, *group; /* NULL: without names */
        bool set_time;
        int64_t time_sec;
        uint32_t time_nsec;
        bool clamp; /* no time is later than this */
        int64_t clamp_sec;
        uint32_t out_dev; /* the bundle, which may lie in the tree if it was redirected there */
        uint64_t out_inode;
        void *ctx;
        void (*trouble)(void *ctx, enum lsr_pack_trouble what, const char *path, int error, uint64_t at);
        /* Called now and then; a negative errno ends the work. */
        int (*progress)(void *ctx, const struct lsr_pack_stats *stats);
};

/* The amount to pack; it may change before it is packed. */
struct lsr_pack_size {
        uint64_t members;
        uint64_t bytes; /* of content, files with several names in parts */
        uint64_t least; /* of these surely not zeros that nobody stores, and 512 for each member */
};

/* Did descriptors or memory run out?  A bundle that lacks something for that is not wanted. */
bool lsr_pack_is_exhausted(int error);

/* Report what cannot be read of @item, its metadata or its directory.  Returns that error; 0: there is none. */
int lsr_pack_unseen(const struct lsr_pack_options *options, const struct lsr_walk_item *item);

/*
 * Walk the trees without reading files.  Unless @name is NULL, tell it of each that would be packed, and report what
 * cannot be.  0, or a negative errno of the engine.
 */
int lsr_pack_measure(const struct lsr_pack_options *options, void (*name)(void *ctx, const char *path),
                     struct lsr_pack_size *ret_size);

/*
 * 0, or a negative errno: of the writer, of the engine, or what progress said; or of a trouble that is
 * lsr_pack_is_exhausted().  @ret_stats is set in any case.
 */
int lsr_pack(const struct lsr_pack_options *options, struct lsr_writer *writer, struct lsr_pack_stats *ret_stats);
/* Owner and time of @m as the options say. */
void lsr_pack_override(const struct lsr_pack_options *options, struct lsr_member *m);

/* Of the member at @path the writer could not store what @losses say, a set of enum lsr_loss. */
void lsr_pack_lost(struct lsr_pack_stats *stats, unsigned losses, const char *path);
void lsr_pack_stats_free(struct lsr_pack_stats *stats);
