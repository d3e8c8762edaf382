/*
 * lookup - where a path leads that goes through bundles
 *
 * "pkg.zip/lib/x", "a.tar/b.zip/c": the longest part that is a real file is the
 * bundle; the rest is looked up inside, symbolic links and further bundles
 * included.
 */
#pragma once

#include "source/bundle.h"

#define LSR_PLACE_LINKS_MAX 40 /* symbolic links on the way, as the kernel's MAXSYMLINKS */

enum {
        LSR_PLACE_ENTER = 1 << 0,  /* a bundle at the end of the path is entered, as if the path ended in '/' */
        LSR_PLACE_FOLLOW = 1 << 1, /* a symbolic link at the end is followed */
        LSR_PLACE_SOME = 1 << 2, /* the path is one of those that lsr_bundles_expect() was told; for lsr_place_find() */
};

/* A bundle on the way cannot be read; lsr_bundles_options.trouble has been told why. */
#define LSR_PLACE_UNREADABLE 2

/*
 * Find @path.  0; 1: it leads through no bundle, the kernel's word holds;
 * LSR_PLACE_UNREADABLE; a negative errno, as the kernel would give had all been unpacked.
 */
int lsr_place_find(struct lsr_bundles *b, const char *path, unsigned flags, struct lsr_place *ret_place);

/*
 * Find @path from directory @from of a bundle on.  The same; 1: the path leaves
 * the bundle, through an absolute link or above its root; -EAGAIN: it leads on where only some members are known.
 */
int lsr_place_below(const struct lsr_place *from, const char *path, size_t len, unsigned flags,
                    struct lsr_place *ret_place);

/*
 * Go from a regular file in a bundle to the root of the bundle it is.  As lsr_place_find(); @whole as for
 * lsr_bundle_open_inner().
 */
int lsr_place_enter(struct lsr_place *place, bool whole);

/* Does the place hold a directory? */
bool lsr_place_is_dir(const struct lsr_place *place);
