/* A pool: all jobs are done, by as many threads as asked for, and come back in their order, however long each takes. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/pool.h"

#define JOBS 200
#define THREADS 5

struct square {
        struct lsr_job job;
        unsigned number;
        unsigned result;
        unsigned worker;
        pthread_t thread;
};

struct crew {
        atomic_int inside[THREADS]; /* a worker is in one place at a time */
        atomic_int most;            /* workers seen at once */
        atomic_int now;
        atomic_bool hold; /* nobody gets on */
        unsigned wait_us; /* at most; differs from job to job */
};

static void rest(unsigned us)
{
        nanosleep(&(struct timespec){ .tv_nsec = (long)us * 1000 }, NULL);
}

static void work(void *ctx, unsigned worker, struct lsr_job *job)
{
        struct crew *crew = ctx;
        struct square *s = (struct square *)job;
        int now = atomic_fetch_add(&crew->now, 1) + 1, most = atomic_load(&crew->most);

        cr_assert_lt(worker, THREADS);
        cr_expect_eq(atomic_fetch_add(&crew->inside[worker], 1), 0);
        while (now > most && !atomic_compare_exchange_weak(&crew->most, &most, now))
                ;
        while (atomic_load(&crew->hold))
                rest(100);
        if (crew->wait_us)
                rest(s->number * 7919 % crew->wait_us);
        s->result = s->number * s->number;
        s->worker = worker;
        s->thread = pthread_self();
        atomic_fetch_sub(&crew->inside[worker], 1);
        atomic_fetch_sub(&crew->now, 1);
}

static struct lsr_pool *crew_pool(struct crew *crew, unsigned workers, bool helps)
{
        return lsr_pool_new(&(struct lsr_pool_options){ work, crew, workers, helps });
}

static void expect(struct lsr_job *job, struct square *all, unsigned i)
{
        cr_assert_eq(job, &all[i].job);
        cr_expect_eq(all[i].result, i * i);
}

Test(pool, in_order)
{
        struct square all[JOBS];

        for (unsigned threads = 1; threads <= THREADS; threads++) {
                struct crew crew = { .wait_us = 400 };
                struct lsr_pool *pool = crew_pool(&crew, threads, threads == 1);

                for (unsigned i = 0; i < JOBS; i++) {
                        all[i] = (struct square){ .number = i };
                        lsr_pool_submit(pool, &all[i].job);
                        cr_assert_eq(lsr_pool_held(pool), i + 1);
                }
                for (unsigned i = 0; i < JOBS; i++) {
                        expect(lsr_pool_next(pool), all, i);
                        cr_expect_lt(all[i].worker, threads);
                }
                cr_expect_null(lsr_pool_next(pool));
                cr_expect_eq(lsr_pool_held(pool), 0);
                cr_expect_null(lsr_pool_free(pool));
        }
}

/* Few jobs go round and round, as whoever compresses uses them. */
Test(pool, used_again)
{
        struct square few[3];
        struct crew crew = { .wait_us = 50 };
        struct lsr_pool *pool = crew_pool(&crew, 2, false);
        unsigned back = 0;

        for (unsigned i = 0; i < 1000; i++) {
                if (i >= 3) {
                        struct square *s = (struct square *)lsr_pool_next(pool);

                        cr_assert_eq(s, &few[back % 3]);
                        cr_expect_eq(s->result, back * back);
                        back++;
                }
                few[i % 3] = (struct square){ .number = i };
                lsr_pool_submit(pool, &few[i % 3].job);
        }
        lsr_pool_free(pool);
}

Test(pool, at_the_same_time)
{
        struct square all[THREADS];
        struct crew crew = { .hold = true };
        struct lsr_pool *pool = crew_pool(&crew, THREADS, false);

        cr_expect_null(lsr_pool_done(pool));
        for (unsigned i = 0; i < THREADS; i++) {
                all[i] = (struct square){ .number = i };
                lsr_pool_submit(pool, &all[i].job);
        }
        while (atomic_load(&crew.now) < THREADS)
                rest(100);
        cr_expect_null(lsr_pool_done(pool), "nothing is done yet");
        atomic_store(&crew.hold, false);
        for (unsigned i = 0; i < THREADS; i++) {
                struct lsr_job *job;

                while (!(job = lsr_pool_done(pool)))
                        rest(100);
                expect(job, all, i);
        }
        cr_expect_eq(atomic_load(&crew.most), THREADS);
        cr_expect_null(lsr_pool_done(pool));
        lsr_pool_free(pool);
}

Test(pool, one_is_the_caller)
{
        struct square s[] = { { .number = 0 } };
        struct crew crew = {};
        struct lsr_pool *pool = crew_pool(&crew, 1, true);

        lsr_pool_submit(pool, &s[0].job);
        cr_expect_null(lsr_pool_done(pool));
        expect(lsr_pool_next(pool), s, 0);
        cr_expect(pthread_equal(s[0].thread, pthread_self()));
        lsr_pool_free(pool);
}

/* What is being worked on ends before they are gone, what waits is never begun. */
Test(pool, forgotten)
{
        struct square all[JOBS];
        struct crew crew = { .hold = true };
        struct lsr_pool *pool = crew_pool(&crew, 2, false);
        unsigned done = 0;
        pthread_t thread;

        for (unsigned i = 0; i < JOBS; i++) {
                all[i] = (struct square){ .number = i + 1 };
                lsr_pool_submit(pool, &all[i].job);
        }
        while (atomic_load(&crew.now) < 2)
                rest(100);
        cr_assert_eq(pthread_create(&thread, NULL, (void *(*)(void *))lsr_pool_free, pool), 0);
        rest(20000);
        atomic_store(&crew.hold, false);
        pthread_join(thread, NULL);
        cr_expect_eq(atomic_load(&crew.now), 0);
        for (unsigned i = 0; i < JOBS; i++)
                done += all[i].result != 0;
        cr_expect_eq(done, 2);
        cr_expect_null(lsr_pool_free(NULL));
}

/* The caller works while it waits, as worker 0; the others are threads. */
Test(pool, the_caller_helps)
{
        struct square all[JOBS];
        struct crew crew = { .wait_us = 400 };
        struct lsr_pool *pool = crew_pool(&crew, 3, true);
        unsigned own = 0;

        for (unsigned i = 0; i < JOBS; i++) {
                all[i] = (struct square){ .number = i };
                lsr_pool_submit(pool, &all[i].job);
        }
        for (unsigned i = 0; i < JOBS; i++) {
                bool is_own;

                expect(lsr_pool_next(pool), all, i);
                cr_expect_lt(all[i].worker, 3);
                is_own = pthread_equal(all[i].thread, pthread_self());
                cr_expect_eq(is_own, all[i].worker == 0);
                own += is_own;
        }
        cr_expect_gt(own, 0);
        cr_expect_lt(own, JOBS);
        lsr_pool_free(pool);
}

static unsigned threads_now(void)
{
        unsigned n = 0;
        DIR *d = opendir("/proc/self/task");

        while (readdir(d))
                n++;
        closedir(d);
        return n;
}

/* A thread that was joined leaves /proc a moment later. */
static unsigned threads_after_join(unsigned want)
{
        for (unsigned tries = 0; threads_now() != want && tries < 10000; tries++)
                rest(1000);
        return threads_now();
}

/* As many threads as there were jobs at a time, and none for the job that a helping caller takes. */
Test(pool, starts_what_is_needed)
{
        for (unsigned helps = 0; helps < 2; helps++) {
                struct square all[THREADS];
                struct crew crew = { .hold = true };
                unsigned before = threads_now();
                struct lsr_pool *pool = crew_pool(&crew, THREADS, helps);

                cr_expect_eq(threads_now(), before);
                for (unsigned i = 0; i < 3; i++) {
                        all[i] = (struct square){ .number = i };
                        lsr_pool_submit(pool, &all[i].job);
                        cr_expect_eq(threads_now(), before + i + 1 - helps);
                        while (atomic_load(&crew.now) < (int)(i + 1 - helps))
                                rest(100);
                }
                atomic_store(&crew.hold, false);
                for (unsigned i = 0; i < 3; i++)
                        expect(lsr_pool_next(pool), all, i);
                cr_expect_null(lsr_pool_free(pool));
                cr_expect_eq(threads_after_join(before), before);
        }
}

/* One worker that is not the caller is a thread. */
Test(pool, one_beside_the_caller)
{
        struct square s[] = { { .number = 0 } };
        struct crew crew = {};
        struct lsr_pool *pool = crew_pool(&crew, 1, false);

        lsr_pool_submit(pool, &s[0].job);
        expect(lsr_pool_next(pool), s, 0);
        cr_expect_not(pthread_equal(s[0].thread, pthread_self()));
        lsr_pool_free(pool);
}

/* Where no thread can be started the caller works. */
Test(pool, without_threads)
{
        struct square all[3];
        struct crew crew = {};
        struct lsr_pool *pool =
                lsr_pool_new(&(struct lsr_pool_options){ work, &crew, THREADS, .stack = SIZE_MAX / 8 * 7 });

        for (unsigned i = 0; i < 3; i++) {
                all[i] = (struct square){ .number = i };
                lsr_pool_submit(pool, &all[i].job);
        }
        for (unsigned i = 0; i < 3; i++) {
                expect(lsr_pool_next(pool), all, i);
                cr_expect(pthread_equal(all[i].thread, pthread_self()));
        }
        lsr_pool_free(pool);
}
