/*
 * thread - how every thread of lsr is started
 *
 * Only the first thread takes signals, as it does the cleaning up; all others have them blocked.  Stacks have a
 * size that is stated here or by the caller: the default would depend on inherited limits.
 */
#pragma once

#include <pthread.h>
#include <stddef.h>

/* Enough for libraries that compress, decompress or read databases, with much to spare. */
#define LSR_THREAD_STACK ((size_t)512 << 10)

/* The number of processors that this process may run on; 1 if unknown.  Or what was set. */
unsigned lsr_thread_cpus(void);

/* From now on it is @n; 0: what it is.  Before any thread is started. */
void lsr_thread_set(unsigned n);

/* What was set, or 0. */
unsigned lsr_thread_asked(void);

/*
 * The same, but 1 also where there is little address space: for each thread malloc() reserves 128 MiB of it, which the
 * first one may need.
 */
unsigned lsr_thread_worth(void);

/* 0 or a negative errno. */
int lsr_thread_start(pthread_t *ret_thread, size_t stack, void *(*run)(void *arg), void *arg);
