/*
 * convert - from a bundle to a writer
 *
 * Members keep all that the bundle says of them, and come in the order of the bundle; behind them directories that it
 * does not store, and hard links.  It is read once, and nothing lies on disk in between.
 */
#pragma once

#include "pack/pack.h"
#include "source/lookup.h"

struct lsr_convert {
        const struct lsr_place *place; /* the root of a bundle, or what is packed under its own name; it is loaded */
        /* Owner, time, patterns and callbacks are heeded; roots and engines are not. */
        const struct lsr_pack_options *options;
        struct lsr_excludes *includes; /* NULL: all */
        uint64_t matched;              /* by them, after lsr_convert() */
};

/*
 * Hand all members to @writer; or, if that is NULL, tell @name of each.  0, or a negative errno: of the writer, what
 * progress said, or -EBADMSG: a member is damaged of which the beginning was written, which was told as
 * LSR_PACK_DAMAGED; -ENODATA: nothing is included; -EKEYREJECTED: the password is
 * wrong, which was told.
 */
int lsr_convert(struct lsr_convert *c, struct lsr_writer *writer, void (*name)(void *ctx, const char *path),
                struct lsr_pack_stats *ret_stats);

/*
 * The same for a bundle that lsr_bundle_streams(), whose place has no catalogue yet: all of it, listed and written in
 * one pass.  It makes the same bytes.  LSR_CONVERT_AGAIN: it cannot be had so, what the writer has is of no use, and
 * lsr_convert() may follow for another one, once the bundle is loaded.
 */
#define LSR_CONVERT_AGAIN 2

int lsr_convert_stream(struct lsr_convert *c, struct lsr_writer *writer, struct lsr_pack_stats *ret_stats);
