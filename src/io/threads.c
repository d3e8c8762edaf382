/*
 * threads - plain system calls on one worker a core
 *
 * A statx is a microsecond of path walk in the kernel, and two cores do twice
 * as many.  The caller is a worker itself: it sorts names while the others have
 * begun, and joins them when it has nothing left but to wait.  Work is taken in
 * chunks from one shared counter, so nobody waits for a slow one.
 *
 * Below THREADS_MIN operations no thread is started: starting one costs as much
 * as fifty stats.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/thread.h"
#include "io/engine.h"

#define THREADS_MIN 256u
#define THREADS_CHUNK 64u
#define THREADS_WORKERS_MAX 64u
#define THREADS_SEGMENTS_MAX 256u
#define THREADS_STACK ((size_t)64 << 10)

/* One lot of operations; whoever is free takes chunks off it until next reaches n. */
struct threads_segment {
        const struct lsr_op *ops;
        size_t n;
        atomic_size_t next;
};

struct threads_engine {
        struct lsr_engine base;
        pthread_mutex_t lock;
        pthread_cond_t more; /* n_segments grew, or stop */
        pthread_cond_t idle; /* busy fell to 0 */
        struct threads_segment segments[THREADS_SEGMENTS_MAX];
        unsigned n_segments;        /* of this batch */
        unsigned batch_no;          /* a worker's place in an older batch is void */
        unsigned busy;              /* workers inside a segment */
        struct lsr_io_stats theirs; /* what workers have counted in this batch */
        bool stop;
        unsigned cpus; /* 0: not asked yet */
        unsigned n_workers;
        pthread_t workers[THREADS_WORKERS_MAX];
};

static void threads_work(struct threads_segment *s, struct lsr_io_stats *stats)
{
        size_t begin;

        while ((begin = atomic_fetch_add(&s->next, THREADS_CHUNK)) < s->n) {
                size_t end = s->n - begin > THREADS_CHUNK ? begin + THREADS_CHUNK : s->n;

                for (size_t i = begin; i < end; i++)
                        lsr_sync_run(&s->ops[i], stats);
        }
}

static void *threads_main(void *arg)
{
        struct threads_engine *t = arg;
        unsigned batch_no = 0, seen = 0;

        pthread_mutex_lock(&t->lock);
        while (!t->stop) {
                struct lsr_io_stats mine = {};

                if (batch_no != t->batch_no) {
                        batch_no = t->batch_no;
                        seen = 0;
                }
                if (seen == t->n_segments) {
                        pthread_cond_wait(&t->more, &t->lock);
                        continue;
                }
                t->busy++;
                pthread_mutex_unlock(&t->lock);
                threads_work(&t->segments[seen++], &mine);
                pthread_mutex_lock(&t->lock);
                t->theirs.syscalls += mine.syscalls;
                t->theirs.bytes_read += mine.bytes_read;
                if (--t->busy == 0)
                        pthread_cond_signal(&t->idle);
        }
        pthread_mutex_unlock(&t->lock);
        return NULL;
}

/* One worker fewer than there are cores; none if the kernel gives none. */
static void threads_start(struct threads_engine *t)
{
        if (t->cpus == 0) {
                t->cpus = lsr_thread_cpus();
                t->base.stats->syscalls++;
        }
        if (t->n_workers > 0 || t->cpus < 2)
                return;
        while (t->n_workers + 1 < t->cpus && t->n_workers < THREADS_WORKERS_MAX) {
                if (lsr_thread_start(&t->workers[t->n_workers], THREADS_STACK, threads_main, t) < 0)
                        break;
                t->n_workers++;
                t->base.stats->syscalls += 4;
        }
}

static void threads_push(struct threads_engine *t, const struct lsr_op *ops, size_t n)
{
        struct threads_segment *s = &t->segments[t->n_segments];

        pthread_mutex_lock(&t->lock);
        s->ops = ops;
        s->n = n;
        atomic_store(&s->next, 0);
        t->n_segments++;
        pthread_cond_broadcast(&t->more);
        pthread_mutex_unlock(&t->lock);
}

static void threads_wait(struct lsr_engine *e)
{
        struct threads_engine *t = (struct threads_engine *)e;

        if (t->n_segments == 0)
                return;
        for (unsigned i = 0; i < t->n_segments; i++)
                threads_work(&t->segments[i], e->stats);
        pthread_mutex_lock(&t->lock);
        while (t->busy > 0)
                pthread_cond_wait(&t->idle, &t->lock);
        e->stats->syscalls += t->theirs.syscalls;
        e->stats->bytes_read += t->theirs.bytes_read;
        t->theirs = (struct lsr_io_stats){};
        t->n_segments = 0;
        t->batch_no++;
        pthread_mutex_unlock(&t->lock);
}

static void threads_add(struct lsr_engine *e, const struct lsr_op *ops, size_t n)
{
        struct threads_engine *t = (struct threads_engine *)e;

        e->stats->thread_ops += n;
        if (n >= THREADS_MIN)
                threads_start(t);
        if (n < THREADS_MIN || t->n_workers == 0) {
                for (size_t i = 0; i < n; i++)
                        lsr_sync_run(&ops[i], e->stats);
                return;
        }
        if (t->n_segments == THREADS_SEGMENTS_MAX)
                threads_wait(e);
        threads_push(t, ops, n);
}

static struct lsr_engine *threads_free(struct lsr_engine *e)
{
        struct threads_engine *t = (struct threads_engine *)e;

        pthread_mutex_lock(&t->lock);
        t->stop = true;
        pthread_cond_broadcast(&t->more);
        pthread_mutex_unlock(&t->lock);
        for (unsigned i = 0; i < t->n_workers; i++)
                pthread_join(t->workers[i], NULL);
        pthread_mutex_destroy(&t->lock);
        pthread_cond_destroy(&t->more);
        pthread_cond_destroy(&t->idle);
        free(t);
        return NULL;
}

static const struct lsr_engine_ops threads_ops = {
        .name = "threads",
        .eager = true,
        .free = threads_free,
        .add = threads_add,
        .wait = threads_wait,
};

struct lsr_engine *lsr_threads_new(struct lsr_io_stats *stats)
{
        struct threads_engine *t = lsr_xmalloc(sizeof(*t));

        memset(t, 0, sizeof(*t));
        t->base = (struct lsr_engine){ &threads_ops, stats };
        pthread_mutex_init(&t->lock, NULL);
        pthread_cond_init(&t->more, NULL);
        pthread_cond_init(&t->idle, NULL);
        return &t->base;
}
