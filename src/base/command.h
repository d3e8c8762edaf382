/*
 * command - run another program and read its output
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LSR_COMMAND_SAID ((size_t)1024)

/* For statistics: programs started, and the system calls of this process for them.  Only one thread runs commands. */
struct lsr_command_stats {
        unsigned runs;
        uint64_t syscalls;
};

const struct lsr_command_stats *lsr_command_stats(void);

/*
 * Run @argv[0], searched in PATH unless it has a slash, with @env, and wait for it.  0, or the status of waitpid(2),
 * and *ret_text is malloced, the caller's to free, its @ret_len bytes with two bytes NUL behind them; -ENOENT: there is
 * no such program; or another negative errno.
 * @said (LSR_COMMAND_SAID bytes; NULL: nobody wants it): what it has written to standard error, up to the first
 * newline, is in it then: any bytes, but no NUL among them.
 */
int lsr_command_output(const char *const argv[], char *const env[], char *said, char **ret_text, size_t *ret_len);
