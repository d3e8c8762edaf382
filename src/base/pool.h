/*
 * pool - work on all cores, results in the order in which it was given
 *
 * One thread submits jobs and takes them back, others work on them.  Jobs come back in the order in which they were
 * submitted.  The caller bounds the memory: by how many jobs it has.
 *
 * A thread is started when a job is submitted that no idle one will take.  So a pool starts no more threads than it
 * ever had jobs at a time, and none before the first of them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The head of every job; between submit and next it belongs to the pool. */
struct lsr_job {
        struct lsr_job *next;
        int state;
};

struct lsr_pool_options {
        /* Called in threads, each time with a number of @workers that no other call has at that time: for contexts. */
        void (*work)(void *ctx, unsigned worker, struct lsr_job *job);
        void *ctx;
        unsigned workers; /* 1 or more */
        bool helps;       /* worker 0 is the caller: it works while it waits, and no thread is started for it */
        size_t stack;     /* of each thread; 0: LSR_THREAD_STACK */
};

struct lsr_pool;

/* Where no thread can be started, lsr_pool_next() works. */
struct lsr_pool *lsr_pool_new(const struct lsr_pool_options *options);

/* Jobs that were not taken back are forgotten, after those being worked on have ended. */
struct lsr_pool *lsr_pool_free(struct lsr_pool *pool);

void lsr_pool_submit(struct lsr_pool *pool, struct lsr_job *job);

/* The oldest job not taken back, waited for until it is done; NULL: there is none. */
struct lsr_job *lsr_pool_next(struct lsr_pool *pool);

/* The same, but NULL also where it is not done yet. */
struct lsr_job *lsr_pool_done(struct lsr_pool *pool);

/* How many were submitted and not taken back. */
size_t lsr_pool_held(const struct lsr_pool *pool);
