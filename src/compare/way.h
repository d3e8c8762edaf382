/*
 * way - read the tree in one way, and report its cost
 *
 * Runs in a process of its own, which lsr_way_route() makes of this binary;
 * its job comes in one piece of memory, its results go back as one struct.
 * All ways see the same members: regular files, and symbolic links by their
 * targets, each by its path below the tree's root.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define LSR_WAY_NAME "lsr-way" /* of the process */
#define LSR_WAY_FD 3           /* a socket, to whom started it */
#define LSR_WAY_JOB_FD 4       /* a file that holds the job */
#define LSR_WAY_UNMEASURED \
        "unmeasured" /* its last word, where only the whole of it is timed, by others: bench/overhead.py */

enum lsr_way_kind {
        LSR_WAY_SYNC, /* open, read, close */
        LSR_WAY_MMAP,
        LSR_WAY_THREADS, /* the first, on all cores */
        LSR_WAY_URING,   /* open, read and close linked, many at once */
        LSR_WAY_BUNDLES,
};

/* One member to be read, of --random. */
struct lsr_way_pick {
        const char *path;
        uint32_t bundle; /* that holds it */
};

struct lsr_way_job {
        enum lsr_way_kind kind;
        bool each;         /* only what is in subdirectories of the tree */
        bool links;        /* there are files with several names */
        uint64_t limit_ns; /* picks are read no longer than this; 0: all of them are */
        const char *dir;
        pid_t owner; /* whose open files the bundles are */
        const int *fds;
        size_t n_fds;
        const struct lsr_way_pick *picks; /* NULL: everything is read */
        size_t n_picks;
};

struct lsr_way_report {
        int32_t error;  /* a negative errno: it did not come to its end */
        char what[204]; /* where that was, or "" */
        uint64_t io_ns, decode_ns, total_ns;
        uint64_t ring_ops, ring_enters;
        uint64_t opened; /* files, or bundles */
        uint64_t members, bytes;
        uint64_t digest; /* sum of lsr_digest_member() */
        uint64_t picks;  /* of those wanted, how many were read */
};

/* Do it, in this process. */
void lsr_way_run(const struct lsr_way_job *job, struct lsr_way_report *ret_report);

/* As the process gets it: allocated. */
void *lsr_way_encode(const struct lsr_way_job *job, size_t *ret_size);

/* For main(), before anything else: runs the way and ends, if this process is one. */
void lsr_way_route(int argc, char **argv);
