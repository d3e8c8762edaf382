/*
 * bundling - the tree as bundles, in files without names
 *
 * They are in a scratch directory, and only this process can open them:
 * however it ends, the kernel removes them.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "compare/inventory.h"
#include "formats/writer.h"
#include "io/io.h"

/* A word of --formats. */
struct lsr_bundling_format {
        const char *word; /* as --bundle-format has it, or "zip-store" */
        const char *name; /* for people */
        const struct lsr_writer_kind *kind;
        int level;
};

/* False: there is no such format.  The texts of the result live for ever. */
bool lsr_bundling_format(const char *word, struct lsr_bundling_format *ret_format);

/* An open directory for scratch files that has room for @need bytes, the best there is. */
struct lsr_scratch {
        int fd;
        char *where; /* a path; owned */
        uint64_t free_bytes;
};

/*
 * $TMPDIR, else beside the tree, else /var/tmp or /tmp.  0; 1: none has the room, and the one with the most is
 * returned; a negative errno: why no files can be made in the first of them, which is returned.
 */
int lsr_scratch_open(struct lsr_scratch *ret_scratch, const char *dir, uint64_t need);
void lsr_scratch_close(struct lsr_scratch *scratch);

struct lsr_bundling {
        const struct lsr_scratch *scratch;
        const struct lsr_bundling_format *format;
        const char *dir;
        const struct lsr_inventory *inventory;
        bool each; /* a bundle for each package */
        unsigned threads;
};

struct lsr_bundled {
        int *fds; /* of the bundles; owned, open */
        size_t n;
        uint64_t pack_ns;
        uint64_t apparent, allocated;
};

/* 0 or a negative errno: nothing is left then, and *ret_text, to be freed, says why. */
int lsr_bundling_make(struct lsr_bundled *ret_bundled, const struct lsr_bundling *bundling, char **ret_text);
void lsr_bundled_free(struct lsr_bundled *bundled);
