/*
 * thread - a thread inherits the signal mask, which is therefore set around pthread_create()
 *
 * Rejected: the mask in the attributes, which saves two calls for each thread, but glibc alone has it.
 */
#include "base/thread.h"

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>

#define THREAD_SPACE ((rlim_t)2 << 30)

static unsigned thread_asked;

void lsr_thread_set(unsigned n)
{
        thread_asked = n;
}

unsigned lsr_thread_asked(void)
{
        return thread_asked;
}

unsigned lsr_thread_cpus(void)
{
        cpu_set_t cpus;

        if (thread_asked > 0)
                return thread_asked;
        return sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? (unsigned)CPU_COUNT(&cpus) : 1;
}

unsigned lsr_thread_worth(void)
{
        struct rlimit space;

        return getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur < THREAD_SPACE ? 1 : lsr_thread_cpus();
}

int lsr_thread_start(pthread_t *ret_thread, size_t stack, void *(*run)(void *arg), void *arg)
{
        pthread_attr_t attr;
        sigset_t all, mask;
        int r = pthread_attr_init(&attr);

        if (r != 0)
                return -r;
        r = pthread_attr_setstacksize(&attr, stack);
        if (r == 0) {
                sigfillset(&all);
                pthread_sigmask(SIG_SETMASK, &all, &mask);
                r = pthread_create(ret_thread, &attr, run, arg);
                pthread_sigmask(SIG_SETMASK, &mask, NULL);
        }
        pthread_attr_destroy(&attr);
        return -r;
}
