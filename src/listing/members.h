/*
 * members - rows of a catalogue as entries
 *
 * A bundle's directory needs no request to the kernel: everything that is known
 * of its members is in the catalogue.  What stat-ing would add for a real
 * directory (link targets and what they lead to, ACL marks) comes from there too.
 */
#pragma once

#include "listing/listing.h"
#include "source/place.h"

struct lsr_members_job {
        struct lsr_io *io;
        struct lsr_arena *arena;
        const struct lsr_list_options *o;
        struct lsr_place dir;
};

/*
 * The children of a directory as entries, "." and ".." first if they are wanted, in @ret_entries (in the arena).
 * Names point into the catalogue.  With LSR_FOLLOW_ALWAYS a link that leads nowhere has meta.error set.
 * 0, or -ENOMEM: to read and to sort them takes more than there is.
 */
int lsr_members_read(const struct lsr_members_job *job, struct lsr_entry **ret_entries, size_t *ret_n);

/* The place itself as an entry called @name. */
void lsr_members_operand(const struct lsr_members_job *job, const char *name, struct lsr_entry *ret_entry);

/* --total-size: bytes of all files below a directory. */
uint64_t lsr_members_total(const struct lsr_place *dir);
