/*
 * jobs - work on all cores, results in the order in which it was given
 *
 * For compressing: one thread hands in pieces, others work on them, and the
 * first takes them back in order.  Memory is bounded by whoever hands in: by
 * how many jobs it has.
 */
#pragma once

#include <stddef.h>

/* The head of every job; between submit and next it belongs to the jobs. */
struct lsr_job {
        struct lsr_job *next;
        int state;
};

struct lsr_jobs;

/*
 * @threads of them run @work, each with a @worker of its own from 0 on (for contexts that are used again).
 * With 1, or where none can be started, lsr_jobs_next() works in the caller's thread.
 */
struct lsr_jobs *lsr_jobs_new(unsigned threads, void (*work)(void *ctx, unsigned worker, struct lsr_job *job),
                              void *ctx);

/* Jobs that were not taken back are forgotten, after those being worked on have ended. */
struct lsr_jobs *lsr_jobs_free(struct lsr_jobs *jobs);

void lsr_jobs_submit(struct lsr_jobs *jobs, struct lsr_job *job);

/* The oldest job not taken back, waited for until it is done; NULL: there is none. */
struct lsr_job *lsr_jobs_next(struct lsr_jobs *jobs);

/* The same, but NULL also where it is not done yet. */
struct lsr_job *lsr_jobs_done(struct lsr_jobs *jobs);

/* How many were submitted and not taken back. */
size_t lsr_jobs_held(const struct lsr_jobs *jobs);
