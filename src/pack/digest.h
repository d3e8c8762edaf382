/*
 * digest - did every member come back as it went in?
 *
 * A hash of 64 bits, made for speed: it finds faults of memory, disks and
 * programs, not forgeries.  The digest of a bundle is the sum of the digests
 * of its members, so their order does not matter.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "catalogue/member.h"

#define LSR_DIGEST_STRIPE ((size_t)32)

struct lsr_digest {
        uint64_t lanes[4];
        uint64_t n; /* bytes so far */
        uint8_t rest[LSR_DIGEST_STRIPE];
};

void lsr_digest_begin(struct lsr_digest *d);
void lsr_digest_add(struct lsr_digest *d, const void *data, size_t n);
uint64_t lsr_digest_end(const struct lsr_digest *d);

/*
 * The digest of a member: of its kind, its path without a trailing '/', and the @content of a file or the target
 * of a link.
 */
uint64_t lsr_digest_member(const struct lsr_member *m, uint64_t content);
