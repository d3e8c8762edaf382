/* total - the bytes below a directory, for --total-size */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "io/io.h"

/*
 * Sum of the sizes of all that is below directory @name in @dirfd, directories
 * themselves not counted, a hard-linked file once for every name, links not
 * followed but, with @follow, @name.  What cannot be read adds nothing.
 */
uint64_t lsr_total_size(struct lsr_io *io, int dirfd, const char *name, bool follow);
