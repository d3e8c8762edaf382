/*
 * confine - what the process that parses gives up
 *
 * It keeps one socket and the descriptors that come over it.  After
 * lsr_confine() it can read those, compute, and send to the socket; it cannot
 * open, connect, execute, signal, or write anywhere else.  A build with a
 * sanitizer is not confined, since that reports by all these means.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* Seconds that a process may take for a file of @size bytes. */
uint64_t lsr_confine_seconds(uint64_t size);

/*
 * Limit @pid, a child that parses a file of @size bytes; UINT64_MAX: nobody knows, and only memory is limited.  Who
 * takes more memory gets none, and who takes more time is ended by SIGXCPU.  Limits that are lower stay.  0 or a
 * negative errno.
 */
int lsr_confine_process(pid_t pid, uint64_t size, uint64_t window_max);

/*
 * A process that may be in the hands of whoever made what it parsed has nothing left to do: it is not asked to end.
 * With a sanitizer it is let end, since that reports then.
 */
void lsr_confine_end(pid_t pid);

/* Close everything but @socket, which must be above standard error. */
void lsr_confine_descriptors(int socket);

/*
 * The rest, for good.  Threads may still be started.
 * 0; a negative errno: the kernel refuses some of it, the first of which says why.  The others have been done.
 */
int lsr_confine(int socket);
