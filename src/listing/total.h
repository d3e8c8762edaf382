/* total - the bytes below a directory, for --total-size */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "io/io.h"

/*
 * Sum of the sizes of all files below directory @name in @dirfd.  Directories
 * themselves are not counted, a hard-linked file is counted once for every
 * name, and symbolic links are not followed, except @name with @follow.  Files
 * that cannot be read add nothing.
 */
uint64_t lsr_total_size(struct lsr_io *io, int dirfd, const char *name, bool follow);
