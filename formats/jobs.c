/*
 * jobs - threads that take from one queue, which stays in order
 *
 * Jobs stay in one list from submit to next, in their order; a cursor shows
 * which is the next to be worked on.  One lock is enough: a job is a hundred
 * thousand times as long as it is held.
 */
#include "formats/jobs.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/thread.h"

enum { JOB_WAITS, JOB_WORKED_ON, JOB_DONE };

struct jobs_thread {
        struct lsr_jobs *jobs;
        unsigned worker;
        pthread_t thread;
};

struct lsr_jobs {
        void (*work)(void *ctx, unsigned worker, struct lsr_job *job);
        void *ctx;
        pthread_mutex_t lock;
        pthread_cond_t given; /* there is work, or the end */
        pthread_cond_t done;  /* some job is */
        struct lsr_job *first;
        struct lsr_job *last;
        struct lsr_job *todo; /* the first that waits */
        size_t held;
        bool ends;
        unsigned n_threads;
        struct jobs_thread threads[];
};

/* With the lock held. */
static struct lsr_job *jobs_take(struct lsr_jobs *jobs)
{
        struct lsr_job *job = jobs->todo;

        if (job) {
                jobs->todo = job->next;
                job->state = JOB_WORKED_ON;
        }
        return job;
}

static void *jobs_run(void *arg)
{
        struct jobs_thread *thread = arg;
        struct lsr_jobs *jobs = thread->jobs;

        pthread_mutex_lock(&jobs->lock);
        while (!jobs->ends) {
                struct lsr_job *job = jobs_take(jobs);

                if (!job) {
                        pthread_cond_wait(&jobs->given, &jobs->lock);
                        continue;
                }
                pthread_mutex_unlock(&jobs->lock);
                jobs->work(jobs->ctx, thread->worker, job);
                pthread_mutex_lock(&jobs->lock);
                job->state = JOB_DONE;
                pthread_cond_signal(&jobs->done);
        }
        pthread_mutex_unlock(&jobs->lock);
        return NULL;
}

struct lsr_jobs *lsr_jobs_new(unsigned threads, void (*work)(void *ctx, unsigned worker, struct lsr_job *job),
                              void *ctx)
{
        struct lsr_jobs *jobs = lsr_xmalloc(sizeof(*jobs) + threads * sizeof(*jobs->threads));

        *jobs = (struct lsr_jobs){ .work = work, .ctx = ctx };
        pthread_mutex_init(&jobs->lock, NULL);
        pthread_cond_init(&jobs->given, NULL);
        pthread_cond_init(&jobs->done, NULL);
        while (threads > 1 && jobs->n_threads < threads) {
                struct jobs_thread *thread = &jobs->threads[jobs->n_threads];

                thread->jobs = jobs;
                thread->worker = jobs->n_threads;
                if (lsr_thread_start(&thread->thread, LSR_THREAD_STACK, jobs_run, thread) < 0)
                        break;
                jobs->n_threads++;
        }
        return jobs;
}

struct lsr_jobs *lsr_jobs_free(struct lsr_jobs *jobs)
{
        if (!jobs)
                return NULL;
        pthread_mutex_lock(&jobs->lock);
        jobs->ends = true;
        pthread_cond_broadcast(&jobs->given);
        pthread_mutex_unlock(&jobs->lock);
        for (unsigned i = 0; i < jobs->n_threads; i++)
                pthread_join(jobs->threads[i].thread, NULL);
        pthread_cond_destroy(&jobs->done);
        pthread_cond_destroy(&jobs->given);
        pthread_mutex_destroy(&jobs->lock);
        free(jobs);
        return NULL;
}

void lsr_jobs_submit(struct lsr_jobs *jobs, struct lsr_job *job)
{
        *job = (struct lsr_job){ .state = JOB_WAITS };
        pthread_mutex_lock(&jobs->lock);
        if (jobs->held++ == 0)
                jobs->first = job;
        else
                jobs->last->next = job;
        jobs->last = job;
        if (!jobs->todo)
                jobs->todo = job;
        pthread_cond_signal(&jobs->given);
        pthread_mutex_unlock(&jobs->lock);
}

static struct lsr_job *jobs_back(struct lsr_jobs *jobs, bool wait)
{
        struct lsr_job *job;

        pthread_mutex_lock(&jobs->lock);
        job = jobs->held > 0 ? jobs->first : NULL;
        while (job && wait && job->state != JOB_DONE) {
                if (jobs->n_threads == 0) {
                        jobs_take(jobs); /* the first is the one that waits */
                        jobs->work(jobs->ctx, 0, job);
                        job->state = JOB_DONE;
                } else {
                        pthread_cond_wait(&jobs->done, &jobs->lock);
                }
        }
        if (job && job->state == JOB_DONE) {
                jobs->first = job->next;
                jobs->held--;
        } else {
                job = NULL;
        }
        pthread_mutex_unlock(&jobs->lock);
        return job;
}

struct lsr_job *lsr_jobs_next(struct lsr_jobs *jobs)
{
        return jobs_back(jobs, true);
}

struct lsr_job *lsr_jobs_done(struct lsr_jobs *jobs)
{
        return jobs_back(jobs, false);
}

size_t lsr_jobs_held(const struct lsr_jobs *jobs)
{
        return jobs->held;
}
