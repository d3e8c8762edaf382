/*
 * stdfds - the numbers 0, 1 and 2 belong to standard input, output and error
 *
 * A program may be started with some of them closed.  The next file that it
 * opens gets such a number, and then messages go into that file.
 */
#pragma once

/*
 * Open /dev/null on those that are closed, in a way that reading standard input and writing to the others still
 * fails.  Call this before anything is opened for writing.  It makes one system call if all are open.
 */
void lsr_stdfds_guard(void);

/*
 * Before files are written: one that grows beyond what the process may write (ulimit -f) is an error of the call that
 * writes, -EFBIG, and not the end of the process.
 */
void lsr_fsize_guard(void);
