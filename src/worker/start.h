/*
 * start - processes of this binary, each with one socket, one for each bundle
 *
 * There may be a thousand of them in a run.  The first is executed.  From the second on they are forked by a nursery:
 * a process of this binary, too, that has no environment and no operands, and reads nothing of any bundle.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* The one descriptor the process is given. */
#define LSR_START_FD 3

struct lsr_process {
        pid_t pid; /* a child of this process; 0: there is none */
        int fd;    /* our end of the socket; the caller's */
};

/*
 * Fork the process that the first lsr_start() will take, ahead of it: for a caller that has parsed its options and
 * knows that there will be a bundle, one alone.  If nobody takes it, it ends with the caller.
 */
void lsr_start_early(void);

/* What the processes of a run share. */
struct lsr_nursery;

/* Starts nothing yet. */
struct lsr_nursery *lsr_nursery_new(void);
struct lsr_nursery *lsr_nursery_free(struct lsr_nursery *n);

/*
 * Start a process that runs lsr_worker_main(), or @serve, where that is not NULL, and send it the @size bytes of
 * @hello. @n NULL: without a nursery; with one, they are the same each time, as who is forked ahead gets them ahead. 0
 * or a negative errno.
 */
int lsr_start(struct lsr_nursery *n, int (*serve)(int fd), const void *hello, size_t size,
              struct lsr_process *ret_process);

/*
 * End @pid, whose socket was closed and whose status nobody wants.  With a nursery only the one before is waited for,
 * which has had the time to end.
 */
void lsr_start_end(struct lsr_nursery *n, pid_t pid);

/*
 * For main(), before anything else: is this process a worker, or a nursery?  -1: no; else it was, and this is its exit
 * status.  A program that does not ask is forked instead of started again.
 */
int lsr_worker_route(int argc, char **argv);
