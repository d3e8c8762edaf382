/*
 * inflate/guess - decode a stream from its middle, before what is before it is known
 *
 * A block is found, and decoded to symbols of two bytes: bytes, and marks for
 * bytes of the 32 KiB before it.  When these are known the marks are replaced,
 * and another decoder goes on where this one stopped.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/inflate/stream.h"

#define LSR_GUESS_NONE UINT64_MAX

/* A guess needs that many bytes of room, and is of use with some times as much. */
#define LSR_GUESS_ROOM_MIN ((size_t)256 << 10)

struct lsr_guess;

struct lsr_guess *lsr_guess_new(size_t room);
struct lsr_guess *lsr_guess_free(struct lsr_guess *g);

/*
 * Decode @data, which stay there as long as the guess is used, from the first block on that can be found and decoded,
 * until they or the room are used up, the stream ends, or *stop.  Meanwhile *begin is the bit at which that block
 * begins, or LSR_GUESS_NONE; it may still change.  In a thread of its own.
 */
void lsr_guess_run(struct lsr_guess *g, const uint8_t *data, size_t n, const atomic_bool *stop,
                   _Atomic uint64_t *begin);

/*
 * After it: *inout_z stands before the block at which @begin is, as an lsr_inflate_halt() has left it, and @at bytes of
 * its stream were before @data.  Now it has decoded what the guess has, which is to be taken.  The number of bytes that
 * it used of the input, or 0: the guess is of no use, nothing was changed.
 */
size_t lsr_guess_meet(struct lsr_guess *g, struct lsr_inflate **inout_z, uint64_t at);

/* The next bytes, @size at most; 0: that was all. */
size_t lsr_guess_take(struct lsr_guess *g, uint8_t *out, size_t size);

/* The room, for other uses. */
uint8_t *lsr_guess_room(struct lsr_guess *g, size_t *ret_size);

/* --- find.c */

/*
 * The first bit of @data, @from or behind it, where a block begins that is dynamic or stored and not the last one, by
 * all that its head says, and @z stands behind the head; or LSR_GUESS_NONE, also after *stop and when *inout_heads
 * heads have been decoded.
 */
uint64_t lsr_inflate_find(struct lsr_inflate *z, const uint8_t *data, size_t n, uint64_t from, const atomic_bool *stop,
                          unsigned *inout_heads);
