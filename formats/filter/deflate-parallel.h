/*
 * deflate-parallel - members with their content, deflated on all cores, back in order
 *
 * For bundles that compress each member by itself.  Small members share a job,
 * which would be too short otherwise; larger ones are cut into pieces of
 * LSR_PRESS_PIECE bytes that make one deflate stream (deflate.h).  The output
 * does not depend on the number of threads, and memory is bounded: 2
 * LSR_PRESS_PIECE for each thread and its next job, and for LSR_PRESS_WHOLE
 * more.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/filter/deflate.h"

#define LSR_PRESS_PIECE ((size_t)16 * LSR_DEFLATE_STORED_MAX)
#define LSR_PRESS_WHOLE 8 /* a member of no more pieces comes back in one go */

struct lsr_press_piece {
        const uint8_t *data;
        size_t n;
        const uint8_t *packed; /* deflated, the piece of a stream */
        size_t n_packed;       /* 0: it is not worth while */
        uint32_t check;        /* of data, see below */
};

/* A member, or the next of its pieces. */
struct lsr_press_member {
        const void *head; /* with the first piece: what lsr_press_begin() got; of no particular alignment */
        size_t head_len;
        uint64_t size; /* of all of it */
        const struct lsr_press_piece *pieces;
        size_t n;         /* of pieces; 0: it is empty */
        bool first, last; /* both: these are all pieces */
};

struct lsr_press_user {
        uint32_t check; /* of nothing */
        uint32_t (*checksum)(uint32_t check, const void *data, size_t n);
        size_t extra; /* bytes that a deflated member has besides the stream */
        bool strict;  /* members that come back piece by piece are to be smaller if deflated, too */
        /* Called in order, by the thread that hands in.  0, or a negative errno that ends it all. */
        int (*put)(void *ctx, const struct lsr_press_member *m);
};

struct lsr_press;

/* @level: LSR_LEVEL_DEFAULT or of deflate.h.  0, -EINVAL: no such level, or -ENOMEM. */
int lsr_press_new(struct lsr_press **ret_press, const struct lsr_press_user *user, void *ctx, int level,
                  unsigned threads);
struct lsr_press *lsr_press_free(struct lsr_press *press);

/*
 * The next member, with @size bytes to come; @deflate: try to.  The head is copied.
 * These return 0, the errno of the first failure ever after, or -EINVAL: content is more or less than was said.
 */
int lsr_press_begin(struct lsr_press *press, const void *head, size_t head_len, uint64_t size, bool deflate);
int lsr_press_data(struct lsr_press *press, const void *data, size_t n);
/* Everything has been put afterwards. */
int lsr_press_finish(struct lsr_press *press);

/* Is any of the pieces deflated?  Of a whole member, and of others if strict: then their stream is smaller than it. */
bool lsr_press_smaller(const struct lsr_press_piece *pieces, size_t n);

/* Bytes of a piece in a deflate stream, and how to write it there.  0 or what @write returned. */
size_t lsr_press_stream_size(const struct lsr_press_piece *piece);
int lsr_press_stream(const struct lsr_press_piece *piece, bool last, void *ctx,
                     int (*write)(void *ctx, const void *data, size_t n));
