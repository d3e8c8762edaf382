/*
 * way - which members the lookup of one path depends on
 *
 * A catalogue of these alone answers that lookup as one of all members would:
 * the member itself, those on the way to it, in all their duplicates, and one
 * below each of them, by which it is a directory whatever else has its name.
 *
 * For a listing all that is below it is wanted, too, and of the directories
 * beside those on the way one member each: they are counted as links of ".."
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "catalogue/strings.h"

struct lsr_way {
        char *path;        /* clean */
        size_t len;        /* bytes; 0: the root */
        size_t depth;      /* components of it */
        size_t below;      /* how many of them are known to have something below */
        size_t below_next; /* bytes of one component more; beyond len there is none */
        bool lists;        /* what is below it is wanted, too, */
        char *beside;      /* and of each directory beside the way one member: that of the last one, */
        size_t beside_len;
        size_t beside_cap;
        struct catalogue_strings all_beside; /* and of all */
        char *clean;                         /* scratch */
        size_t clean_cap;
};

/* For the lookup of @path from the root, links not followed.  False: it has "..", and all members are wanted. */
bool lsr_way_begin(struct lsr_way *ret_way, const char *path);
void lsr_way_end(struct lsr_way *w);

/* All members come once more. */
void lsr_way_again(struct lsr_way *w);

/*
 * Is the member of this path wanted?  @path as for lsr_builder_add(), in the order in which members go there; @dir: it
 * may be a directory even if it does not end in '/'.
 */
bool lsr_way_wants(struct lsr_way *w, const char *path, size_t n, bool dir);

#define LSR_WAYS_MAX 16 /* each is compared with every member: with more of them all members are sooner had */

/* Several at once. */
struct lsr_ways {
        struct lsr_way of[LSR_WAYS_MAX];
        size_t n;
};

/* With @lists for a listing.  False: all members are wanted.  @ret_ways can be ended in any case. */
bool lsr_ways_begin(struct lsr_ways *ret_ways, const char *const *paths, size_t n, bool lists);
void lsr_ways_end(struct lsr_ways *ways);

/* All members come once more. */
void lsr_ways_again(struct lsr_ways *ways);
bool lsr_ways_want(struct lsr_ways *ways, const char *path, size_t n, bool dir);
