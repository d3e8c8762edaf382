/*
 * wildcards - operands with wildcards that lead into bundles
 *
 * The shell expands what is on disk: 'pkg.zip/lib/' followed by a pattern it leaves as it is, since there is no such
 * directory.
 */
#pragma once

#include "cli/settings.h"
#include "source/bundle.h"

/*
 * Put what they match, sorted, in the place of operands that do not exist as they are and match something in a bundle.
 * Others stay as they are.
 */
void lsr_wildcards_expand(struct lsr_bundles *b, struct lsr_settings *s);

/* The same of one operand: *ret_n paths, the operand itself if need be.  They and the list are allocated. */
char **lsr_wildcards_paths(struct lsr_bundles *b, const char *operand, size_t *ret_n);
