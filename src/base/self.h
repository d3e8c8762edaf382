/*
 * self - this binary, executed once more
 */
#pragma once

#include <sys/types.h>

#define LSR_SELF "/proc/self/exe"

/*
 * Start it with @argv and without an environment.  @prepare sets up what the new process is to have; it runs in that
 * process but in our memory, so it only makes system calls, and returns 0 or a negative errno.
 * 0 or a negative errno, also where it could not be executed: *ret_pid is set on success only.
 */
int lsr_self_start(char *const argv[], int (*prepare)(void *ctx), void *ctx, pid_t *ret_pid);
