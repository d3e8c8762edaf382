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

/* Memory beside the decoder's window: what a catalogue of some ten million members takes while it is built. */
#define LSR_CONFINE_MEMORY ((uint64_t)4 << 30)

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
int lsr_confine(int socket, uint64_t window_max);
