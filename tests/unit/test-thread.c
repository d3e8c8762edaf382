/* Threads: no signal reaches them, and their stacks have the size that is stated, whatever the limits say. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>

#include "base/pool.h"
#include "base/thread.h"

#define THREAD_STACK_MAX ((size_t)2 << 20)

/* In a thread of lsr. */
static void thread_check(void)
{
        pthread_attr_t attr;
        sigset_t blocked;
        size_t size;
        void *begin;

        cr_assert_eq(pthread_sigmask(SIG_SETMASK, NULL, &blocked), 0);
        cr_expect_eq(sigismember(&blocked, SIGINT), 1);
        cr_expect_eq(sigismember(&blocked, SIGTERM), 1);
        cr_expect_eq(sigismember(&blocked, SIGALRM), 1);
        cr_assert_eq(pthread_getattr_np(pthread_self(), &attr), 0);
        cr_assert_eq(pthread_attr_getstack(&attr, &begin, &size), 0);
        cr_expect_lt(size, THREAD_STACK_MAX);
        pthread_attr_destroy(&attr);
}

static void *thread_run(void *arg)
{
        thread_check();
        return arg;
}

Test(thread, has_no_signals_and_a_stated_stack)
{
        pthread_t thread;
        void *result;
        int token;

        cr_assert_eq(lsr_thread_start(&thread, LSR_THREAD_STACK, thread_run, &token), 0);
        cr_assert_eq(pthread_join(thread, &result), 0);
        cr_assert_eq(result, &token);
}

static void thread_work(void *ctx, unsigned worker, struct lsr_job *job)
{
        (void)ctx;
        (void)worker;
        (void)job;
        thread_check();
}

Test(thread, those_that_compress)
{
        struct lsr_pool *pool = lsr_pool_new(&(struct lsr_pool_options){ thread_work, .workers = 2 });
        struct lsr_job job;

        lsr_pool_submit(pool, &job);
        cr_assert_eq(lsr_pool_next(pool), &job);
        lsr_pool_free(pool);
}
