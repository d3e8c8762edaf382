/*
 * convert - from a bundle to a writer
 *
 * Members keep all that the bundle says of them.  Directories come first and links last, files in the order of the
 * bundle, which is read once behind its listing; nothing lies on disk in between.
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
 * LSR_PACK_DAMAGED; -ENODATA: nothing is included.
 */
int lsr_convert(struct lsr_convert *c, struct lsr_writer *writer, void (*name)(void *ctx, const char *path),
                struct lsr_pack_stats *ret_stats);
