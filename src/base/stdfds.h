/*
 * stdfds - the numbers 0, 1 and 2 belong to standard input, output and error
 *
 * A program may be started with some of them closed.  The next file that it
 * opens gets such a number, and then messages go into that file.
 */
#pragma once

/*
 * Give those that are closed to /dev/null, opened so that reading standard input and writing to the others fails, as it
 * would without.  To be called before anything is opened for writing.  One system call if all are open.
 */
void lsr_stdfds_guard(void);
