/*
 * canon - where a name leads
 *
 * The absolute path of a file without links, "." and "..".  Unlike realpath(3)
 * it has an answer for names of which only a part exists: what is missing is
 * kept as it is written, and a link in a loop is kept as if it were a file.
 */
#pragma once

#include <stdint.h>

/*
 * Resolve @path, which counts from @base if it is relative.  @base is a path
 * that this function has returned, or NULL for the current directory.
 * *links is the number of links on the way so far, 0 at first: it goes on from
 * a base to the paths below it.
 * *calls grows by the system calls made.
 * Returns memory to free; NULL if @path is empty or the current directory has
 * no name (ENOENT).
 */
char *lsr_canonical(const char *base, const char *path, unsigned *links, uint64_t *calls);
