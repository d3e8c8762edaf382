/*
 * sort - the order of a set
 *
 * Orders as GNU ls has them: ties of every key are decided by name, names by
 * the locale's collation; equal entries keep the order in which they came.
 */
#pragma once

#include "listing/listing.h"

/* Is the order decided by names alone, so that it can be made before metadata is there? */
bool lsr_sort_by_name_only(const struct lsr_list_options *o);

/* Put @rows in order into @to, which may be the same array; working memory comes from @arena. */
void lsr_sort(const struct lsr_list_options *o, struct lsr_entry *const *rows, struct lsr_entry **to, size_t n,
              struct lsr_arena *arena);

/*
 * Debian's order of versions as GNU ls -v and `sort -V` use it: negative, zero
 * or positive (coreutils manual, "Version sort ordering").
 */
int lsr_version_compare(const char *a, size_t a_len, const char *b, size_t b_len);

/* Numbers within names by their value, letters of ASCII without regard to case. */
int lsr_natural_compare(const char *a, const char *b);
