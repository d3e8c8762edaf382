/*
 * way - which members the lookup of one path depends on
 *
 * A catalogue of these alone answers that lookup as one of all members would:
 * the member itself, those on the way to it, in all their duplicates, and one
 * below each of them, by which it is a directory whatever else has its name.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct lsr_way {
        char *path;        /* clean */
        size_t len;        /* bytes; 0: the root */
        size_t depth;      /* components of it */
        size_t below;      /* how many of them are known to have something below */
        size_t below_next; /* bytes of one component more; beyond len there is none */
        char *clean;       /* scratch */
        size_t clean_cap;
};

/* For the lookup of @path from the root, links not followed.  False: it has "..", and all members are wanted. */
bool lsr_way_begin(struct lsr_way *ret_way, const char *path);
void lsr_way_end(struct lsr_way *w);

/* All members come once more. */
void lsr_way_again(struct lsr_way *w);

/* Is the member of this path wanted?  @path as for lsr_builder_add(), in the order in which members go there. */
bool lsr_way_wants(struct lsr_way *w, const char *path, size_t n);
