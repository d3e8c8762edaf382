/*
 * ways - shared by all ways: results and times
 */
#pragma once


#include "base/clock.h"
#include "catalogue/member.h"
#include "compare/way.h"
#include "io/io.h"

struct way {
        const struct lsr_way_job *job;
        struct lsr_way_report *report;
        uint64_t io_ns;     /* so far, apart from what lsr_io counts */
        uint64_t digest_ns; /* of the thread that also decodes */
};

/* Measure nothing in this process: the clock stands still. */
extern bool way_unmeasured;

static inline uint64_t way_clock(void)
{
        return way_unmeasured ? 0 : lsr_clock();
}

/* Count a member: a file with the digest of its @bytes of content, or a symbolic link to @target. */
void way_file(struct lsr_way_report *report, const char *path, size_t path_len, uint64_t content, uint64_t bytes);
void way_link(struct lsr_way_report *report, const char *path, size_t path_len, const char *target, size_t target_len);

/* Record the first failure.  Returns @error. */
int way_fail(struct way *w, int error, const char *what);

/* 0 or a negative errno, noted. */
int way_files(struct way *w);
int way_bundles(struct way *w);

/* Whose content a way of files reads, by the reader of its kind; @dirfd and the texts stay until way_flush(). */
struct way_item {
        int dirfd;
        const char *name; /* below dirfd */
        const char *path; /* below the tree's root */
        uint32_t path_len;
        bool link;
};

/*
 * The items of a tree, or the picks, in lots.  @read takes one lot; a negative return ends the walk and is its
 * result.  Directories are closed behind it.
 */
int way_walk(struct way *w, int (*read)(void *ctx, const struct way_item *items, size_t n), void *ctx);

#define WAY_LOT 1024u
