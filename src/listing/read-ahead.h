/*
 * read-ahead - the directories to list, in the order of the output, and threads that read them before their turn
 *
 * The owner of a tree of nodes (source.h) walks it depth first and takes each directory when its turn comes: it has
 * been read by then, or it is read now, or it is waited for.
 *
 * Threads are started only when there is enough to do for them, and where the engine allows (lsr_io_may_help()).
 * They read the first directories in that order that nobody has read, a bounded number of them.
 */
#pragma once

#include <pthread.h>
#include <setjmp.h>

#include "listing/source.h"

#define LSR_AHEAD_THREADS_MAX 8
#define LSR_AHEAD_HELD_MAX 128 /* directories */
#define LSR_AHEAD_BACK 16

struct lsr_ahead_thread {
        struct lsr_ahead *ahead;
        pthread_t id;
        struct lsr_reader in;
        struct lsr_listing_sink sink;
        struct lsr_listing_stats stats;
        struct lsr_node *dir;  /* being read */
        struct lsr_arena kept; /* with options.keep: all that it has read */
        jmp_buf exhausted;     /* where memory ends */
        bool poor;             /* it did */
};

struct lsr_ahead {
        struct lsr_reader *in; /* the owner's */
        struct lsr_node top;
        bool allowed;          /* to start threads */
        unsigned own_reads;    /* by the owner */
        struct lsr_arena kept; /* with options.keep: what the owner has read */
        /* What the owner has taken of what threads have read, and they have not been told. */
        size_t taken, taken_entries;
        struct lsr_arena *back[LSR_AHEAD_BACK];
        unsigned n_back;
        /* The rest under the lock. */
        pthread_mutex_t lock;
        pthread_cond_t work;   /* something to read, or room for it, or stop */
        pthread_cond_t done;   /* the directory that the owner waits for was read */
        struct lsr_node todo;  /* ring through prev and next: not read yet, or being read */
        struct lsr_node *wait; /* for which the owner waits, or NULL */
        size_t unread;         /* in todo, and nobody reads them */
        size_t held;           /* read ahead or being read by threads */
        size_t ready;          /* those that are read */
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
void lsr_ahead_init(struct lsr_ahead *a, struct lsr_reader *in, bool allowed);
void lsr_ahead_free(struct lsr_ahead *a);

/* The children of the top are there, if it has any. */
void lsr_ahead_begin(struct lsr_ahead *a);

/* Have @dir read, and report what went wrong with it.  As lsr_source_load(), which reads it. */
int lsr_ahead_take(struct lsr_ahead *a, struct lsr_node *dir);

/* The directory behind @dir, which was shown (or is the top), NULL at the end.  What the walk leaves is freed. */
struct lsr_node *lsr_ahead_next(struct lsr_ahead *a, struct lsr_node *dir);

/* Does the walk end behind @dir, which was taken? */
bool lsr_ahead_is_last(const struct lsr_node *dir);

/* Free all that is at and below @dir, but for itself. */
void lsr_ahead_forget(struct lsr_ahead *a, struct lsr_node *dir);
