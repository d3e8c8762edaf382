/*
 * pool - threads that take from one queue, which stays in order
 *
 * Jobs stay in one list from submit to next, in their order; a cursor shows
 * which is the next to be worked on.  One lock is enough: a job is a hundred
 * thousand times as long as it is held.
 */
#include "base/pool.h"

#include <assert.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/thread.h"

enum { JOB_WAITS, JOB_WORKED_ON, JOB_DONE };

struct pool_thread {
        struct lsr_pool *pool;
        unsigned worker;
        pthread_t thread;
};

struct lsr_pool {
        struct lsr_pool_options o;
        pthread_mutex_t lock;
        pthread_cond_t given; /* there is work, or the end */
        pthread_cond_t done;  /* some job is */
        struct lsr_job *first;
        struct lsr_job *last;
        struct lsr_job *todo; /* the first that waits */
        size_t held;
        size_t waiting;
        size_t idle; /* threads */
        bool ends;
        unsigned n_threads;
        unsigned max_threads;
        struct pool_thread threads[];
};

/* Work on the next job.  False: none waits.  Called and left with the lock held. */
static bool pool_work(struct lsr_pool *pool, unsigned worker)
{
        struct lsr_job *job = pool->todo;

        if (!job)
                return false;
        pool->todo = job->next;
        pool->waiting--;
        job->state = JOB_WORKED_ON;
        pthread_mutex_unlock(&pool->lock);
        pool->o.work(pool->o.ctx, worker, job);
        pthread_mutex_lock(&pool->lock);
        job->state = JOB_DONE;
        return true;
}

static void *pool_run(void *arg)
{
        struct pool_thread *thread = arg;
        struct lsr_pool *pool = thread->pool;

        pthread_mutex_lock(&pool->lock);
        while (!pool->ends) {
                if (pool_work(pool, thread->worker)) {
                        pthread_cond_signal(&pool->done);
                        continue;
                }
                pool->idle++;
                pthread_cond_wait(&pool->given, &pool->lock);
                pool->idle--;
        }
        pthread_mutex_unlock(&pool->lock);
        return NULL;
}

struct lsr_pool *lsr_pool_new(const struct lsr_pool_options *options)
{
        unsigned max = options->workers - options->helps;
        struct lsr_pool *pool;

        assert(options->workers > 0);
        pool = lsr_xmalloc(sizeof(*pool) + max * sizeof(*pool->threads));
        *pool = (struct lsr_pool){ .o = *options, .max_threads = max };
        pthread_mutex_init(&pool->lock, NULL);
        pthread_cond_init(&pool->given, NULL);
        pthread_cond_init(&pool->done, NULL);
        return pool;
}

struct lsr_pool *lsr_pool_free(struct lsr_pool *pool)
{
        if (!pool)
                return NULL;
        pthread_mutex_lock(&pool->lock);
        pool->ends = true;
        pthread_cond_broadcast(&pool->given);
        pthread_mutex_unlock(&pool->lock);
        for (unsigned i = 0; i < pool->n_threads; i++)
                pthread_join(pool->threads[i].thread, NULL);
        pthread_cond_destroy(&pool->done);
        pthread_cond_destroy(&pool->given);
        pthread_mutex_destroy(&pool->lock);
        free(pool);
        return NULL;
}

/* One more thread.  If it cannot be had, those that there are do the work. */
static void pool_grow(struct lsr_pool *pool)
{
        struct pool_thread *thread = &pool->threads[pool->n_threads];

        thread->pool = pool;
        thread->worker = pool->n_threads + pool->o.helps;
        if (lsr_thread_start(&thread->thread, pool->o.stack ? pool->o.stack : LSR_THREAD_STACK, pool_run, thread) < 0)
                pool->max_threads = pool->n_threads;
        else
                pool->n_threads++;
}

void lsr_pool_submit(struct lsr_pool *pool, struct lsr_job *job)
{
        bool grow;

        *job = (struct lsr_job){ .state = JOB_WAITS };
        pthread_mutex_lock(&pool->lock);
        if (pool->held++ == 0)
                pool->first = job;
        else
                pool->last->next = job;
        pool->last = job;
        if (!pool->todo)
                pool->todo = job;
        pool->waiting++;
        grow = pool->waiting > pool->idle + pool->o.helps && pool->n_threads < pool->max_threads;
        pthread_cond_signal(&pool->given);
        pthread_mutex_unlock(&pool->lock);
        if (grow)
                pool_grow(pool);
}

static struct lsr_job *pool_back(struct lsr_pool *pool, bool wait)
{
        struct lsr_job *job;

        pthread_mutex_lock(&pool->lock);
        job = pool->held > 0 ? pool->first : NULL;
        while (job && wait && job->state != JOB_DONE)
                if ((!pool->o.helps && pool->n_threads > 0) || !pool_work(pool, 0))
                        pthread_cond_wait(&pool->done, &pool->lock);
        if (job && job->state == JOB_DONE) {
                pool->first = job->next;
                pool->held--;
        } else {
                job = NULL;
        }
        pthread_mutex_unlock(&pool->lock);
        return job;
}

struct lsr_job *lsr_pool_next(struct lsr_pool *pool)
{
        return pool_back(pool, true);
}

struct lsr_job *lsr_pool_done(struct lsr_pool *pool)
{
        return pool_back(pool, false);
}

size_t lsr_pool_held(const struct lsr_pool *pool)
{
        return pool->held;
}
