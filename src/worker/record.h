/*
 * record - members in a row, as they travel between the parent and the worker
 *
 * A record holds what there is of a member (catalogue/member.h) and no more:
 * fields that are 0, and owners that are those of the record before, take no
 * room.  Numbers travel as they lie in memory: both ends are
 * the same binary.  What is read here may be hostile; the builder takes any
 * value, so only lengths are checked.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "catalogue/member.h"

#define LSR_RECORD_WORD_MAX 255u /* bytes of a user, group or method; what is longer is cut */

/* What records leave out when it does not change. */
struct lsr_record_owner {
        uint32_t uid;
        uint32_t gid;
        char user[LSR_RECORD_WORD_MAX + 1]; /* "" is none */
        char group[LSR_RECORD_WORD_MAX + 1];
        char method[LSR_RECORD_WORD_MAX + 1];
};

/* Records to be sent; lsr_records_clear() before the first, but for memory that is all zero. */
struct lsr_records {
        uint8_t *data; /* to be freed */
        size_t len;
        size_t cap;
        struct lsr_record_owner owner;
};

/* The memory stays. */
void lsr_records_clear(struct lsr_records *records);

/* 0, or -ENOMEM and the records are as they were. */
int lsr_record_put(struct lsr_records *records, const struct lsr_member *m);

/*
 * Take the record at data + *at and move *at behind it.  Texts point into @data and @owner, which is that of the
 * records before, zeroed before the first; each is followed by a NUL.  0 or -EBADMSG.
 */
int lsr_record_get(const uint8_t *data, size_t size, size_t *at, struct lsr_record_owner *owner,
                   struct lsr_member *ret_member);
