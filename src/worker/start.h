/*
 * start - another process of this binary, with one socket
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* The one descriptor the process is given. */
#define LSR_START_FD 3

struct lsr_process {
        pid_t pid;
        int fd; /* our end of the socket; the caller's */
};

/*
 * Start one that runs lsr_worker_main(); or @serve, where that is not NULL.  @alone: this process has one thread and
 * shares no memory with anybody, a ring's for instance.
 * 0 or a negative errno.
 */
int lsr_start(int (*serve)(int fd), bool alone, struct lsr_process *ret_process);

/*
 * For main(), before anything else: is this process a worker?  -1: no; else it was, and this is its exit status.
 * A program that does not ask is forked instead of started again.
 */
int lsr_worker_route(int argc, char **argv);
