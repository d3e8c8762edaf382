/* total - the bytes below a directory, for --total-size */
#pragma once

#include <stdint.h>

#include "io/io.h"

/*
 * Sum of the sizes of all that is below @path, directories themselves not
 * counted, a hard-linked file once for every name, links not followed.  What
 * cannot be read adds nothing.
 */
uint64_t lsr_total_size(struct lsr_io *io, const char *path);
