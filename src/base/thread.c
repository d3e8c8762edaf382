/* thread - the attributes of glibc have a signal mask, which costs no call; elsewhere a thread inherits its parent's */
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

static int thread_create(pthread_t *ret_thread, pthread_attr_t *attr, const sigset_t *mask, void *(*run)(void *arg),
                         void *arg)
{
#ifdef __GLIBC__
        int r = pthread_attr_setsigmask_np(attr, mask);

        return r == 0 ? pthread_create(ret_thread, attr, run, arg) : r;
#else
        sigset_t before;
        int r;

        pthread_sigmask(SIG_SETMASK, mask, &before);
        r = pthread_create(ret_thread, attr, run, arg);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        return r;
#endif
}

int lsr_thread_start(pthread_t *ret_thread, size_t stack, void *(*run)(void *arg), void *arg)
{
        pthread_attr_t attr;
        sigset_t all;
        int r = pthread_attr_init(&attr);

        if (r != 0)
                return -r;
        sigfillset(&all);
        r = pthread_attr_setstacksize(&attr, stack);
        if (r == 0)
                r = thread_create(ret_thread, &attr, &all, run, arg);
        pthread_attr_destroy(&attr);
        return -r;
}
