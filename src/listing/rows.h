/*
 * rows - the entries of one set while they are collected
 *
 * For the files of this folder: listing.c decides what is listed and when, and
 * this reads a directory, stats what must be, and brings it into order.
 */
#pragma once

#include "base/clock.h"
#include "listing/listing.h"
#include "source/dir.h"

struct lsr_git;
struct lsr_ahead;

/* What a reader that is early leaves to the one whose turn it is. */
#define LSR_READER_LEAVE 2

struct lsr_rows;

/* What reading needs of a listing. */
struct lsr_reader {
        struct lsr_io *io;
        const struct lsr_list_options *o;
        const struct lsr_listing_sink *sink;
        struct lsr_listing_stats *stats;
        struct lsr_git *git;     /* NULL until it is needed */
        struct lsr_dir dir;      /* the one open descriptor; left open until the next directory */
        struct lsr_ahead *ahead; /* threads that may be stopped for their descriptors; NULL with early */
        bool early;              /* it reads before the turn, and only what is little */
        /* Show what has come of a directory and forget it; NULL: rows are needed together. */
        int (*piece)(struct lsr_reader *in, struct lsr_rows *r, const char *path);
};

/* The entries of one directory while they are collected. */
struct lsr_rows {
        struct lsr_arena *arena;
        struct lsr_entry **rows;
        size_t n;
        size_t cap;
        struct lsr_entry **sorted; /* the same rows in the order of the output; NULL until it is made */
};

void lsr_rows_add(struct lsr_rows *r, struct lsr_entry *entries, size_t n);

/* Begin to ask for metadata of about @expected entries, 0: more will come.  Returns as lsr_io_stat_begin(). */
int lsr_rows_begin(struct lsr_reader *in, int dirfd, bool follow, size_t expected);

/* Metadata is under way: do what can be done without it, then wait. */
int lsr_rows_wait(struct lsr_reader *in, struct lsr_rows *r);

/* Everything of the open directory into @r.  0, with trouble reported, LSR_READER_LEAVE, or a negative errno of the engine. */
int lsr_rows_read(struct lsr_reader *in, struct lsr_rows *r, const char *path, bool operand);

/* What went wrong with the files of a set, in the order in which they were read. */
void lsr_rows_report(struct lsr_reader *in, const struct lsr_rows *r, const char *dir);

/* Links, attributes, messages, totals: what comes between the metadata and the order. */
void lsr_rows_complete(struct lsr_reader *in, struct lsr_rows *r, int dirfd, const char *dir);

/* Make the order, if it depends on names alone or @all is known. */
void lsr_rows_sort(struct lsr_reader *in, struct lsr_rows *r, bool all);

/* Add the time since *at to *sum and move *at. */
static inline void lsr_lap(uint64_t *sum, uint64_t *at)
{
        uint64_t now = lsr_clock();

        *sum += now - *at;
        *at = now;
}
