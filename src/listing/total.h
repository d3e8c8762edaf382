/* total - the bytes below a directory, for --total-size */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "io/io.h"
#include "listing/listing.h"

struct lsr_total {
        struct lsr_io *io;
        int dirfd;
        const char *name;
        bool follow;
        const char *path;                    /* what messages call it; NULL: there are to be none */
        const struct lsr_listing_sink *sink; /* to be told what cannot be read */
};

/*
 * Sum of the sizes of all files below directory @name in
 * @dirfd.  Directories
 * themselves are not counted, a hard-linked file is counted once for every
 * name, and symbolic links are not followed, except @name with @follow.  Files
 * that cannot be read add nothing.
 */
uint64_t lsr_total_size(const struct lsr_total *total);
