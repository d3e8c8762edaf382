/*
 * way-bundles - one bundle, open, for reading in its order or in any other
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "catalogue/catalogue.h"
#include "compare/ways.h"
#include "formats/format.h"
#include "pack/digest.h"

#define WAY_BUNDLES_WINDOW ((uint64_t)1 << 31) /* bytes of decoder memory: what lsr wrote it can read */

/* Contents that a hard link may lead to. */
struct bundles_seen {
        char *path; /* owned */
        uint64_t content;
        uint64_t bytes;
        char *target; /* owned; NULL: no symbolic link */
};

struct bundles {
        struct way *w;
        struct lsr_io *io;
        bool beside; /* a decoder works beside us: what we do is no part of its time */
        struct lsr_digest content;
        uint64_t bytes; /* of it */
        uint64_t small; /* pieces of content, so far */
        struct bundles_seen *seen;
        size_t n_seen;
        size_t cap_seen;
        struct lsr_hash_table seen_table; /* from paths to places in seen, less 1 */
};

/* One of them, open. */
struct bundle {
        struct bundles *all;
        int fd; /* -1: not open */
        struct lsr_scan scan;
        struct lsr_identity id;
        struct lsr_catalogue *catalogue; /* NULL: not scanned */
        char what[160];
};

/* Open the bundle of the job with that number. 0 or a negative errno, recorded; close it in each case. */
int way_bundle_open(struct bundles *all, size_t index, struct bundle *b);
void way_bundle_close(struct bundle *b);

/* An input at its beginning, with its filters in front of it. */
int way_bundle_input(struct bundle *b);

/* Make the catalogue. */
int way_bundle_scan(struct bundle *b);
bool way_bundle_is_tar(const struct bundle *b);

/* Record @error, in the driver's words if there are any.  Returns it. */
int way_bundle_fail(struct bundle *b, int error);

/* Content of the next member, and a part of it; @ctx is the struct bundles. */
void way_bundle_begin(struct bundles *all);
int way_bundle_write(void *ctx, const void *data, size_t n);

/* Names may be stored as "./a". */
void way_bundle_clean(struct lsr_member *m);

/* The picks of the job. */
int way_bundles_picks(struct bundles *all);
