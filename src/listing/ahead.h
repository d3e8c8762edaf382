/*
 * ahead - the directories to list, in the order of the output, and threads that read them before their turn
 *
 * What is listed is a tree of struct lsr_ahead_dir: below the top the operands, below each directory that was read
 * those in it that come next.  The owner walks it depth first and takes each directory when its turn comes: it
 * has been read by then, or it is read now, or it is waited for.
 *
 * Threads are started only when there is enough to do for them, and where the engine allows (lsr_io_may_help()).
 * They read the first directories in that order that nobody has read, a bounded number of them.
 */
#pragma once

#include <pthread.h>

#include "listing/rows.h"
#include "source/place.h"

#define LSR_AHEAD_THREADS_MAX 8
#define LSR_AHEAD_HELD_MAX 128 /* directories */
#define LSR_AHEAD_BACK 16

struct lsr_ahead_trouble;

/* What reading a directory gave. */
struct lsr_ahead_read {
        int result;           /* of the load */
        struct lsr_rows rows; /* in an arena of their own, until lsr_ahead_release() */
        /* Which directory it is, to see a loop.  In a bundle ino is a row. */
        const struct lsr_bundle *bundle;
        dev_t dev;
        ino_t ino;
        /* Those to list below it, one block, owned. */
        struct lsr_ahead_dir *children;
        size_t n_children;
        struct lsr_ahead_trouble *troubles, **troubles_end; /* what a thread has to report, in the arena */
        char path[];
};

struct lsr_ahead_dir {
        const char *name;             /* below its parent, in the block; of an operand, the path */
        struct lsr_place place;       /* in a bundle */
        struct lsr_ahead_dir *parent; /* NULL: the top */
        struct lsr_ahead_read *read;  /* NULL: not read yet; the top always has one */
        struct lsr_ahead_dir *prev, *next;
        uint32_t row; /* of the parent's sorted rows */
        uint32_t depth;
        _Atomic uint8_t state;
        bool operand : 1;
        bool perhaps : 1; /* a file, to be listed only if it is a bundle */
};

/*
 * Read @dir through @in into @dir->read, whose path and arena are there: rows, children.  0; 1: it is not listed, and
 * has been reported; LSR_READER_LEAVE; a negative errno of the engine.  Called by several threads at once.
 */
typedef int lsr_ahead_load(struct lsr_reader *in, struct lsr_ahead_dir *dir);

struct lsr_ahead_thread {
        struct lsr_ahead *ahead;
        pthread_t id;
        struct lsr_reader in;
        struct lsr_listing_sink sink;
        struct lsr_listing_stats stats;
        struct lsr_ahead_dir *dir; /* being read */
};

struct lsr_ahead {
        struct lsr_reader *in; /* the owner's */
        lsr_ahead_load *load;
        struct lsr_ahead_dir top;
        bool allowed;       /* to start threads */
        unsigned own_reads; /* by the owner */
        /* What the owner has taken of what threads have read, and they have not been told. */
        size_t taken, taken_entries;
        struct lsr_arena *back[LSR_AHEAD_BACK];
        unsigned n_back;
        /* The rest under the lock. */
        pthread_mutex_t lock;
        pthread_cond_t work;        /* something to read, or room for it, or stop */
        pthread_cond_t done;        /* the directory that the owner waits for was read */
        struct lsr_ahead_dir todo;  /* ring through prev and next: not read yet, or being read */
        struct lsr_ahead_dir *wait; /* for which the owner waits, or NULL */
        size_t unread;              /* in todo, and nobody reads them */
        size_t held;                /* read ahead or being read by threads */
        size_t ready;               /* those that are read */
        size_t held_entries;
        unsigned idle; /* threads that wait for work */
        bool full;     /* one of them for room */
        bool stop;
        struct lsr_arena *arenas[LSR_AHEAD_HELD_MAX]; /* to be used again */
        unsigned n_arenas;
        unsigned n_threads;
        struct lsr_ahead_thread threads[LSR_AHEAD_THREADS_MAX];
};

/* @allowed: threads may be started, if the engine can work with them. */
void lsr_ahead_init(struct lsr_ahead *a, struct lsr_reader *in, lsr_ahead_load *load, bool allowed);
void lsr_ahead_free(struct lsr_ahead *a);

/* A block of @n children for @parent with @text_size bytes behind it for their names: fill them, then let the walk begin. */
struct lsr_ahead_dir *lsr_ahead_children(struct lsr_ahead_dir *parent, size_t n, size_t text_size);

/* The children of the top are there, if it has any. */
void lsr_ahead_begin(struct lsr_ahead *a);

/* Have @dir read, and report what went wrong with it.  Returns what the load did. */
int lsr_ahead_take(struct lsr_ahead *a, struct lsr_ahead_dir *dir);

/* The rows of @dir have been shown. */
void lsr_ahead_release(struct lsr_ahead *a, struct lsr_ahead_dir *dir);

/* The directory behind @dir (or the top) in the walk, NULL at the end.  What the walk leaves is freed. */
struct lsr_ahead_dir *lsr_ahead_next(struct lsr_ahead *a, struct lsr_ahead_dir *dir);

/* Does the walk end behind @dir, which was taken? */
bool lsr_ahead_is_last(const struct lsr_ahead_dir *dir);

/* Free all that is at and below @dir, but for itself. */
void lsr_ahead_forget(struct lsr_ahead *a, struct lsr_ahead_dir *dir);

/* End the threads, for ever.  True if there were any. */
bool lsr_ahead_stop(struct lsr_ahead *a);
