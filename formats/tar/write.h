/*
 * write - a member as the blocks of a tar
 *
 *      member     [pax header, its records] header [sparse map] content [padding]
 *
 * Plain ustar where the values fit, and pax records where they do not, so that
 * nothing is lost, and every tar can read it.  The same member always has the
 * same blocks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/tar/tar.h"
#include "formats/writer.h"

/* A buffer that is kept for the next member. */
struct tar_bytes {
        uint8_t *data;
        size_t n;
        size_t cap;
};

/* A zeroed struct is fine to begin with. */
struct tar_blocks {
        struct tar_bytes bytes;   /* headers, and a map behind them */
        size_t headers;           /* of bytes; what follows is content already */
        uint64_t stored;          /* content in all, with the map, without padding */
        uint64_t data;            /* of it what is still to come */
        size_t padding;           /* behind it */
        struct lsr_member member; /* as the reader will have it, but for position and data; points into the rest */
        struct tar_bytes path;
        struct tar_bytes records;
        bool binary; /* that have a name which is not UTF-8 */
        struct tar_bytes xattrs;
};

/* 0; a set of enum lsr_loss; -ENAMETOOLONG: beyond what readers take; -E2BIG: more extents than LSR_EXTENTS_MAX. */
int tar_blocks_make(struct tar_blocks *b, const struct lsr_member *m, const struct lsr_extent *extents, size_t n);

void tar_blocks_free(struct tar_blocks *b);

/* An access control list as the kernel has it, in words with numeric ids.  0, or -EINVAL: it is none. */
int tar_acl_text(struct tar_bytes *to, const uint8_t *acl, size_t n);

/* Append; @data NULL: zeros. */
void tar_bytes_add(struct tar_bytes *to, const void *data, size_t n);
