/*
 * thread - how every thread of lsr is started
 *
 * Signals are for the first thread, which has what must be put away, so all others have them blocked.  Stacks have a
 * size that is stated here or by the caller: the default depends on the limits of whoever started lsr.
 */
#pragma once

#include <pthread.h>
#include <stddef.h>

/* What libraries that compress, decompress or read databases need, with much to spare. */
#define LSR_THREAD_STACK ((size_t)512 << 10)

/* On how many processors this process may run; 1 if the kernel does not tell. */
unsigned lsr_thread_cpus(void);

/* 0 or a negative errno. */
int lsr_thread_start(pthread_t *ret_thread, size_t stack, void *(*run)(void *arg), void *arg);
