/*
 * source - a directory to list, wherever its entries come from
 *
 * What is listed is a tree of struct lsr_node: below the top the operands, below each directory that was read those in
 * it that come next.  A directory is read through its struct lsr_source, of which there are two: source-dir.c for
 * those on disk, source-bundle.c for those in bundles.  Nobody else knows which of them it has.
 */
#pragma once

#include "base/clock.h"
#include "listing/listing.h"
#include "source/dir.h"
#include "source/lookup.h"

struct lsr_git;

/* For what is asked of a directory's files: a large one has room for a part of it, again and again. */
struct lsr_op_room {
        struct lsr_op *ops; /* NULL until it is needed */
        size_t n;           /* in use */
};

/* What reading needs of a listing. */
struct lsr_reader {
        struct lsr_io *io;
        const struct lsr_list_options *o;
        const struct lsr_listing_sink *sink;
        struct lsr_listing_stats *stats;
        struct lsr_git *git; /* NULL until it is needed */
        struct lsr_dir dir;  /* the one open descriptor; left open until the next directory.  AT_FDCWD for operands */
        bool asked;          /* metadata of the files in it is under way */
        struct lsr_op_room ops;
        bool early;  /* it reads before the turn, and only what is little */
        bool helped; /* there are others that do, and have descriptors */
        bool pieces; /* rows are not needed together */
};

/* The entries of one directory while they are collected. */
struct lsr_rows {
        struct lsr_arena *arena;
        struct lsr_entry **rows;
        size_t n;
        size_t cap;
        bool numbers;              /* names are those of rows of a table */
        bool noted;                /* entries may have notes */
        struct lsr_entry **sorted; /* the same rows in the order of the output; NULL until it is made */
};

/* How much of a directory was read. */
enum {
        LSR_READ_ALL,
        LSR_READ_NONE, /* it is not listed, which has been reported */
        LSR_READ_LEFT, /* to a reader that is better at it, see struct lsr_reader */
        LSR_READ_MORE, /* some of its rows, and others will come */
};

struct lsr_trouble_kept;

/* What reading a directory gave. */
struct lsr_node_read {
        int result;           /* of lsr_source_load() */
        struct lsr_rows rows; /* in an arena of their own, until they were shown */
        /* Which directory it is, to see a loop.  In a bundle ino is a row. */
        dev_t dev;
        ino_t ino;
        /* Those to list below it, one block, owned. */
        struct lsr_node *children;
        size_t n_children;
        struct lsr_trouble_kept *troubles, **troubles_end; /* what a thread has to report, in the arena */
        char path[];
};

struct lsr_node {
        const char *name;           /* below its parent, in the block; of an operand, the path */
        struct lsr_place place;     /* in a bundle; or on disk, where name leads */
        struct lsr_node *parent;    /* NULL: the top */
        struct lsr_node_read *read; /* NULL: not read yet; the top always has one */
        struct lsr_node *prev, *next;
        uint32_t row; /* of the parent's sorted rows */
        uint32_t depth;
        _Atomic uint8_t state;
        bool operand : 1;
        bool perhaps : 1; /* a file, to be listed only if it is a bundle */
        bool early : 1;   /* it may be read by a thread, before its turn */
};

/* Functions that return an int return LSR_READ_* or a negative errno of the engine. */
struct lsr_source {
        bool early; /* threads may read it */
        /* Go from a file to the root of the bundle that it is, dir->place.  As lsr_place_find(). */
        int (*follow)(struct lsr_reader *in, struct lsr_node *dir);
        /* Make ready to read @dir, and tell which it is: dir->read->dev and ino, if the listing is recursive. */
        int (*open)(struct lsr_reader *in, struct lsr_node *dir);
        /* Add rows to dir->read->rows: LSR_READ_MORE, or they are all there, with their metadata. */
        int (*next)(struct lsr_reader *in, struct lsr_node *dir);
        /* What metadata does not tell, and messages.  @path is that of the directory, NULL for operands. */
        void (*complete)(struct lsr_reader *in, const struct lsr_rows *r, const char *path);
        /* What is said of the operand at @place above its rows.  False: nothing; NULL: never anything. */
        bool (*about)(const struct lsr_place *place, struct lsr_set_bundle *ret_about);
        /*
         * Bytes below the directory at @place that is entry @e of what is being read.  @path: what messages call it;
         * NULL: there are to be none.
         */
        uint64_t (*total)(struct lsr_reader *in, const struct lsr_place *place, const struct lsr_entry *e,
                          const char *path);
};

extern const struct lsr_source lsr_source_dir, lsr_source_bundle;

/*
 * Read @dir through @in into dir->read, whose path and arena are there: rows in their order, and children.  Called by
 * several threads at once.  With LSR_READ_MORE the rows are some of an operand's and have no order; they are to be
 * forgotten before lsr_source_go_on() brings the next ones.
 */
int lsr_source_load(struct lsr_reader *in, struct lsr_node *dir);
int lsr_source_go_on(struct lsr_reader *in, struct lsr_node *dir);

/* The rows of @dir are there with their metadata: what else must be known of them, messages, order. */
void lsr_source_complete(struct lsr_reader *in, struct lsr_node *dir);

/* What is to be said of @dir above its rows, in @buf; NULL: nothing. */
const struct lsr_set_bundle *lsr_source_about(const struct lsr_reader *in, const struct lsr_node *dir,
                                              struct lsr_set_bundle *buf);

/* Operands that are, or lie in, bundles: put the members that they mean in their place, with LSR_ENTRY_MEMBER. */
void lsr_source_find_members(struct lsr_reader *in, struct lsr_rows *r);

/* Make those of the sorted rows that are to be listed next the children of @dir. */
void lsr_source_add_children(const struct lsr_list_options *o, struct lsr_node *dir, const struct lsr_rows *r);

/* Of a set while it is collected: room for @n more, or all of @entries. */
void lsr_rows_reserve(struct lsr_rows *r, size_t n);
void lsr_rows_add(struct lsr_rows *r, struct lsr_entry *entries, size_t n);

/* They are sorted, and in @to becomes a copy of them, of a directory on disk; what else is in their arena may go. */
void lsr_rows_keep(struct lsr_rows *r, struct lsr_arena *to);

/* What went wrong with the files of a set, in the order in which they were read. */
void lsr_rows_report(struct lsr_reader *in, const struct lsr_rows *r, const char *dir);

/* Make the order, if it depends on names alone or @all is known. */
void lsr_rows_sort(struct lsr_reader *in, struct lsr_rows *r, bool all);

/* Metadata is under way: do what can be done without it, then wait. */
void lsr_rows_wait(struct lsr_reader *in, struct lsr_rows *r);

/* Add the time since *at to *sum and move *at. */
static inline void lsr_lap(uint64_t *sum, uint64_t *at)
{
        uint64_t now = lsr_clock();

        *sum += now - *at;
        *at = now;
}
