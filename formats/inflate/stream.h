/*
 * inflate/stream - deflate data (RFC 1951), decoded as they come
 *
 * A stream may be interrupted at any byte of its input and of its output, and
 * goes on in another buffer.  What is accepted is what zlib accepts, and what
 * is refused is refused after the same bytes of output.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct lsr_inflate;
struct lsr_flow;

struct lsr_inflate *lsr_inflate_new(void);
struct lsr_inflate *lsr_inflate_free(struct lsr_inflate *z);

/* Begin another stream. */
void lsr_inflate_reset(struct lsr_inflate *z);

/*
 * As lsr_decoder_step: 0, 1 or -EBADMSG, or 2 where it was told to halt.  All is decoded that the input makes and
 * the room takes.  After 1 the input stands behind the last byte of the stream, of which no more was taken than there
 * is.
 */
int lsr_inflate_step(struct lsr_inflate *z, struct lsr_flow *flow);

/*
 * Let lsr_inflate_step() return 2 where a block is to begin at @bit of the stream or behind it, until this is called
 * with a bit behind that; UINT64_MAX, as in a new stream: never.  After 2: where the block begins.  A stored block that
 * is not the last one is said to begin three bits before its length.
 */
void lsr_inflate_halt(struct lsr_inflate *z, uint64_t bit);
uint64_t lsr_inflate_halted(const struct lsr_inflate *z);

/* After 1: where the last block began, and where it ended, in bits from the beginning of the stream. */
void lsr_inflate_last_block(const struct lsr_inflate *z, uint64_t *ret_begin, uint64_t *ret_end);
