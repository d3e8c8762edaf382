/*
 * trace - the system calls of a process and all its threads, counted by name
 *
 * As `strace -f -c` counts: calls that returned, the execve(2) that made the
 * process among them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "compare/result.h"

/* In the child, before it executes: 0 or a negative errno, where tracing is refused. */
int lsr_trace_me(void);

/*
 * Follow @pid, which has called lsr_trace_me() and then execve(), to its end; *ret_status is as of waitpid(2).
 * 0 or a negative errno.  *ret_calls is allocated, the most frequent first.
 */
int lsr_trace_run(pid_t pid, int *ret_status, struct lsr_call_count **ret_calls, size_t *ret_n);
