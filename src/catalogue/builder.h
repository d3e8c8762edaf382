/*
 * builder - flat members in, a catalogue out
 *
 * Members come in the order of the bundle, each with its whole path.  The builder cleans paths (no leading '/', no
 * "." and "..", no empty component, nothing after a NUL byte), adds parents that are not stored, keeps the last of
 * duplicates (a directory keeps its children, whatever member of its name comes later), and resolves hard links.
 * Strings are copied.
 */
#pragma once

#include "catalogue/catalogue.h"
#include "catalogue/member.h"

struct lsr_builder;

struct lsr_builder *lsr_builder_new(void);
struct lsr_builder *lsr_builder_free(struct lsr_builder *b);

/*
 * One that keeps nothing and hands each member on, for a builder elsewhere; NULL takes back all that were.
 * What @put returns is the result of lsr_builder_add(), negative only.  It cannot be finished.
 */
struct lsr_builder *lsr_builder_new_relay(int (*put)(void *ctx, const struct lsr_member *m), void *ctx);

/*
 * 0; 1: the path is empty when cleaned and it is no directory, so nothing was
 * added (a directory of that name, "./", describes the root); -ENAMETOOLONG: beyond
 * LSR_CATALOGUE_DEPTH_MAX, the next may be taken; -E2BIG: another LSR_CATALOGUE_*_MAX is reached; -EFBIG: the
 * limit; -ENOMEM, and then it is only fit to be freed.
 */
int lsr_builder_add(struct lsr_builder *b, const struct lsr_member *m);

/*
 * What it may take: LSR_BUILDER_ROW for each member and each directory that one implies, and the bytes of their texts.
 * A path of two thousand letters implies as many directories, and a bundle of a few kilobytes has thousands of such.
 */
#define LSR_BUILDER_ROW 96u /* bytes: columns, hashes, and what it takes to sort */
void lsr_builder_limit(struct lsr_builder *b, uint64_t bytes);
uint64_t lsr_builder_taken(const struct lsr_builder *b);

/* Forget all that was added. */
int lsr_builder_reset(struct lsr_builder *b);

/* Members added so far, duplicates included. */
uint64_t lsr_builder_count(const struct lsr_builder *b);

/* Make the catalogue; the builder is empty afterwards, and has no limit.  0 or -ENOMEM. */
int lsr_builder_finish(struct lsr_builder *b, struct lsr_catalogue **ret_catalogue);
