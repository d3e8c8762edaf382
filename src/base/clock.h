/* clock - how long things take, and what time it is */
#pragma once

#include <stdint.h>
#include <time.h>

/* Nanoseconds since some time in the past, of a clock that nobody sets. */
static inline uint64_t lsr_clock(void)
{
        struct timespec t;

        clock_gettime(CLOCK_MONOTONIC, &t);
        return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The time of day, as files have it. */
static inline struct timespec lsr_clock_now(void)
{
        struct timespec t;

        clock_gettime(CLOCK_REALTIME, &t);
        return t;
}
