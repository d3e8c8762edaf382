/*
 * jump - a wall clock that somebody sets again and again: a library for LD_PRELOAD
 *
 * LSR_JUMPS has seconds with commas between them.  Each time the wall clock is read the next of them is added, from the
 * first again after the last.  A monotonic clock goes on as it does.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define JUMPS_MAX 16u

static long long jumps[JUMPS_MAX];
static unsigned n_jumps;
static atomic_uint reads;

__attribute__((constructor)) static void jump_begin(void)
{
        const char *p = getenv("LSR_JUMPS");

        while (p && *p && n_jumps < JUMPS_MAX) {
                char *end;

                jumps[n_jumps++] = strtoll(p, &end, 10);
                p = *end == ',' ? end + 1 : NULL;
        }
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
        int r = (int)syscall(SYS_clock_gettime, clock, t);

        if (r == 0 && n_jumps > 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
                t->tv_sec += jumps[atomic_fetch_add(&reads, 1) % n_jumps];
        return r;
}

time_t time(time_t *ret)
{
        struct timespec t;

        clock_gettime(CLOCK_REALTIME, &t);
        if (ret)
                *ret = t.tv_sec;
        return t.tv_sec;
}

int gettimeofday(struct timeval *restrict ret, void *restrict zone)
{
        struct timespec t;

        (void)zone;
        clock_gettime(CLOCK_REALTIME, &t);
        *ret = (struct timeval){ t.tv_sec, t.tv_nsec / 1000 };
        return 0;
}
