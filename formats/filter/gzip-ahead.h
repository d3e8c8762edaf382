/*
 * gzip-ahead - large gzip data as an input, of which more cores decode what lies ahead
 *
 * The input is the inner one's, read ahead in spans of some hundred KiB.  Each
 * span becomes a job: to decode from the first place in it where that can begin,
 * a block (formats/inflate/guess.h) or a member.  The decoder that reads the
 * input asks, where it is at the beginning of a block or a member, whether a job
 * began at the very same place.  If so the job is stopped, what it has decoded is
 * the decoder's, and that goes on behind it.  So the output is that of the
 * decoder alone, and so are errors: a job that meets one is of no use.
 *
 * Not thread safe: all calls come from the thread that decodes.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/input.h"

struct lsr_inflate;
struct lsr_gzip_ahead;

/*
 * Decode members from the beginning of @data into @out, as long as they are complete, verified and fit, and not *stop;
 * one at least.  Their bytes, and in *ret_used those of @data; 0 of both: there is none.
 */
typedef size_t lsr_gzip_members(const uint8_t *data, size_t n, uint8_t *out, size_t room, const atomic_bool *stop,
                                size_t *ret_used);

/* What came of it.  Written until the input is freed. */
struct lsr_gzip_ahead_stats {
        uint64_t blocks, members; /* jobs of both kinds that were of use */
        uint64_t block_bytes, member_bytes;
        uint64_t useless; /* jobs */
};

struct lsr_gzip_ahead_options {
        unsigned workers; /* threads that decode, 1 or more */
        size_t span;      /* bytes */
        size_t room;      /* of each job, in bytes */
        bool waits;       /* for each job to end by itself, so that nothing depends on timing: for tests */
        lsr_gzip_members *members;
        struct lsr_gzip_ahead_stats *stats; /* or NULL */
};

/* Its input begins at the position of @inner, which is freed with it. */
struct lsr_gzip_ahead *lsr_gzip_ahead_new(struct lsr_input *inner, const struct lsr_gzip_ahead_options *options);
struct lsr_input *lsr_gzip_ahead_input(struct lsr_gzip_ahead *a);

/* Are members that are shorter than a span expected, from here on? */
void lsr_gzip_ahead_expect(struct lsr_gzip_ahead *a, bool members);

/*
 * *inout_z was told to halt and has; its stream begins at byte @base of the input.  true: its input and output go on
 * elsewhere, the input was moved, and the output is to be taken first.  In each case the decoder is told where to halt
 * next.
 */
bool lsr_gzip_ahead_block(struct lsr_gzip_ahead *a, struct lsr_inflate **inout_z, uint64_t base);

/* The input is at the end of a member.  true: members that follow are decoded, the input is behind them. */
bool lsr_gzip_ahead_member(struct lsr_gzip_ahead *a);

/* After true: the next bytes of the output, @size at most; 0: that was all. */
size_t lsr_gzip_ahead_take(struct lsr_gzip_ahead *a, uint8_t *out, size_t size);
