/*
 * build - what the two halves of the builder share: adding and finishing
 *
 * Every member that is no directory gets a node of its own, duplicates too;
 * directories have one node each, found by hashing.  Node 0 is the root.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "catalogue/builder.h"
#include "catalogue/columns.h"

/* Among the flags of a node: a hard link to its own path. */
#define BUILD_SELF (UINT32_C(1) << 31)

struct lsr_builder {
        uint64_t members;
        uint64_t limit;                                    /* what it may take, bytes, */
        uint64_t left;                                     /* and what of that is left */
        int (*put)(void *ctx, const struct lsr_member *m); /* a relay; NULL */
        void *put_ctx;

        uint32_t nodes;
        uint32_t cap; /* of each of these columns */
        uint32_t *parent;
        uint32_t *name_ends; /* name of node i: names + name_ends[i] to names + name_ends[i + 1], no NUL */
        uint32_t *stored;    /* directories: nodes there were when it was last stored, 1 if never; others: 0 */
        uint32_t *attr;
        uint64_t *wide[WIDES]; /* NULL as long as all is 0 */
        uint32_t *narrow[NARROWS];
        bool links; /* there are hard links */

        char *names;
        size_t names_len;
        size_t names_cap;
        struct lsr_table dirs;
        struct catalogue_strings strings;

        uint32_t attrs;
        uint32_t attrs_cap;
        struct catalogue_attr *attr_table;
        struct lsr_table attr_hash;
        uint32_t last_attr;

        /* The directory part of the last path, as it was stored, and what it led to. */
        char *head;
        size_t head_len;
        size_t head_cap;
        bool head_plain; /* cleaning changed nothing worth keeping */
        uint32_t head_dir;

        char *clean; /* scratch */
        size_t clean_cap;
};

/*
 * Clean @path into @buf (@n bytes at least): no '/' at either end, nothing empty, no "." and "..".  ".." takes the
 * component before it away, at the root nothing.  Returns the length.
 */
size_t build_clean(char *buf, const char *path, size_t n, size_t *ret_depth);

/* The same, into the scratch of the builder. */
size_t build_clean_scratch(struct lsr_builder *b, const char *path, size_t n, size_t *ret_depth);

/* Make the catalogue; what is left of the builder is only fit to be freed.  0 or -ENOMEM. */
int build_finish(struct lsr_builder *b, struct lsr_catalogue **ret_catalogue);
