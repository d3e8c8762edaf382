/*
 * result - the results of an experiment
 *
 * A way is one manner of reading the same tree: its files by some engine, or a
 * bundle of them.  Each run of a way is a child process of its own, and its
 * cost is what the kernel accounts to that child.  Times are in nanoseconds,
 * sizes in bytes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One run of a way, or the medians of its runs. */
struct lsr_cost {
        uint64_t io_ns; /* in calls that open, read, wait for and close; for maps, with the faults of touching them */
        uint64_t decode_ns;          /* decompressing and parsing, on any thread: may overlap with I/O */
        uint64_t total_ns;           /* from the first call to the last byte, digest included */
        uint64_t user_ns, system_ns; /* processor time of the child */
        uint64_t peak_bytes;         /* resident */
        uint64_t device_bytes;       /* read_bytes of /proc/self/io */
        uint64_t ring_ops;
        uint64_t ring_enters;
};

struct lsr_call_count {
        const char *name; /* of the system call */
        uint64_t n;
};

struct lsr_way_result {
        const char *name;   /* "files, sync", "tar.gz" */
        const char *format; /* of --formats; NULL for files */
        uint64_t files;     /* opened: those of the tree, or bundles */
        uint64_t apparent;  /* size on disk of what is read */
        uint64_t allocated; /* the same, in blocks */
        uint64_t pack_ns;   /* to make the bundles; 0 for files */

        struct lsr_cost *runs; /* owned */
        size_t n_runs;
        struct lsr_cost median; /* field by field */
        uint64_t total_min, total_max;

        struct lsr_call_count *calls; /* of the traced run, the most frequent first; owned */
        size_t n_calls;
        uint64_t n_syscalls;  /* their sum */
        const char *untraced; /* why there are none, or NULL */

        uint64_t digest;         /* over (name, content) of all members, in any order */
        uint64_t members, bytes; /* that it covers; of --random fewer than asked for where time did not suffice */
        bool differs;            /* from the digest of the first way, or of its own first run */
        bool changed;            /* the latter */
        char *error;             /* why it did not run to its end, or NULL; owned */
};

/* A condition of the experiment: "kernel", "6.18.44". */
struct lsr_fact {
        const char *name;
        char *value; /* owned */
};

struct lsr_experiment {
        const char *dir;
        uint64_t members, files, bytes; /* of the tree: all, regular files, and what those hold */
        bool cold;                      /* caches are dropped before each run */
        bool bundles_warm;              /* of a cold cache: bundles are in memory all the same */
        bool names_warm;                /* of a cold cache: contents alone were dropped from it */
        uint64_t random;                /* N of --random, or 0 */
        bool each;

        struct lsr_fact *facts;
        size_t n_facts;
        struct lsr_way_result *ways; /* the first one is what others are compared with: files, sync */
        size_t n_ways;
};

/* Fill median, total_min and total_max from the runs; zeros if there are none. */
void lsr_way_summarize(struct lsr_way_result *way);

/* Free everything that it owns, with the arrays.  NULL is fine. */
void lsr_experiment_free(struct lsr_experiment *x);
