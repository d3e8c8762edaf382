/* Jobs: all are done, by as many threads as asked for, and come back in their order, however long each takes. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "formats/jobs.h"

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

static void expect(struct lsr_job *job, struct square *all, unsigned i)
{
        cr_assert_eq(job, &all[i].job);
        cr_expect_eq(all[i].result, i * i);
}

Test(jobs, in_order)
{
        struct square all[JOBS];

        for (unsigned threads = 1; threads <= THREADS; threads++) {
                struct crew crew = { .wait_us = 400 };
                struct lsr_jobs *jobs = lsr_jobs_new(threads, work, &crew);

                for (unsigned i = 0; i < JOBS; i++) {
                        all[i] = (struct square){ .number = i };
                        lsr_jobs_submit(jobs, &all[i].job);
                        cr_assert_eq(lsr_jobs_held(jobs), i + 1);
                }
                for (unsigned i = 0; i < JOBS; i++) {
                        expect(lsr_jobs_next(jobs), all, i);
                        cr_expect_lt(all[i].worker, threads);
                }
                cr_expect_null(lsr_jobs_next(jobs));
                cr_expect_eq(lsr_jobs_held(jobs), 0);
                cr_expect_null(lsr_jobs_free(jobs));
        }
}

/* Few jobs go round and round, as whoever compresses uses them. */
Test(jobs, used_again)
{
        struct square few[3];
        struct crew crew = { .wait_us = 50 };
        struct lsr_jobs *jobs = lsr_jobs_new(2, work, &crew);
        unsigned back = 0;

        for (unsigned i = 0; i < 1000; i++) {
                if (i >= 3) {
                        struct square *s = (struct square *)lsr_jobs_next(jobs);

                        cr_assert_eq(s, &few[back % 3]);
                        cr_expect_eq(s->result, back * back);
                        back++;
                }
                few[i % 3] = (struct square){ .number = i };
                lsr_jobs_submit(jobs, &few[i % 3].job);
        }
        lsr_jobs_free(jobs);
}

Test(jobs, at_the_same_time)
{
        struct square all[THREADS];
        struct crew crew = { .hold = true };
        struct lsr_jobs *jobs = lsr_jobs_new(THREADS, work, &crew);

        cr_expect_null(lsr_jobs_done(jobs));
        for (unsigned i = 0; i < THREADS; i++) {
                all[i] = (struct square){ .number = i };
                lsr_jobs_submit(jobs, &all[i].job);
        }
        while (atomic_load(&crew.now) < THREADS)
                rest(100);
        cr_expect_null(lsr_jobs_done(jobs), "nothing is done yet");
        atomic_store(&crew.hold, false);
        for (unsigned i = 0; i < THREADS; i++) {
                struct lsr_job *job;

                while (!(job = lsr_jobs_done(jobs)))
                        rest(100);
                expect(job, all, i);
        }
        cr_expect_eq(atomic_load(&crew.most), THREADS);
        cr_expect_null(lsr_jobs_done(jobs));
        lsr_jobs_free(jobs);
}

Test(jobs, one_is_the_caller)
{
        struct square s[] = { { .number = 0 } };
        struct crew crew = {};
        struct lsr_jobs *jobs = lsr_jobs_new(1, work, &crew);

        lsr_jobs_submit(jobs, &s[0].job);
        cr_expect_null(lsr_jobs_done(jobs));
        expect(lsr_jobs_next(jobs), s, 0);
        cr_expect(pthread_equal(s[0].thread, pthread_self()));
        lsr_jobs_free(jobs);
}

/* What is being worked on ends before they are gone, what waits is never begun. */
Test(jobs, forgotten)
{
        struct square all[JOBS];
        struct crew crew = { .hold = true };
        struct lsr_jobs *jobs = lsr_jobs_new(2, work, &crew);
        unsigned done = 0;
        pthread_t thread;

        for (unsigned i = 0; i < JOBS; i++) {
                all[i] = (struct square){ .number = i + 1 };
                lsr_jobs_submit(jobs, &all[i].job);
        }
        while (atomic_load(&crew.now) < 2)
                rest(100);
        cr_assert_eq(pthread_create(&thread, NULL, (void *(*)(void *))lsr_jobs_free, jobs), 0);
        rest(20000);
        atomic_store(&crew.hold, false);
        pthread_join(thread, NULL);
        cr_expect_eq(atomic_load(&crew.now), 0);
        for (unsigned i = 0; i < JOBS; i++)
                done += all[i].result != 0;
        cr_expect_eq(done, 2);
        cr_expect_null(lsr_jobs_free(NULL));
}
