/*
 * include - only what matches is packed, with the directories that it is in
 */
#pragma once

#include "pack/pack.h"

/*
 * Walk the tree at @root and let root->keep be what matches @includes, of what it was before.  A directory that matches
 * brings all that is below it.  0, with the number of matches added to *n; a negative errno of the engine, or as of
 * lsr_pack().
 */
int lsr_pack_include(const struct lsr_pack_options *options, struct lsr_excludes *includes, struct lsr_walk_root *root,
                     uint64_t *n);
