/*
 * zstd - whole frames, for a format that is made of them
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * A context for decoding several frames: making one asks the processor for its features, which in a virtual
 * machine takes as long as decoding a frame of 32 KiB.
 */
struct lsr_zstd;

struct lsr_zstd *lsr_zstd_free(struct lsr_zstd *z);

/*
 * Decode one frame, which @in is all of, to exactly @size bytes; its checksum is verified.  0; -EBADMSG: it is damaged,
 * or no such frame; -EOPNOTSUPP: it needs a dictionary; -ENOMEM.  *z is made if it is NULL.
 */
int lsr_zstd_frame(struct lsr_zstd **z, const uint8_t *in, size_t n, uint8_t *out, size_t size);

/*
 * What can be decoded of one that lsr_zstd_frame() says is damaged: block by block, up to the damage, and not verified.
 * Returns how many bytes.
 */
size_t lsr_zstd_frame_begin(struct lsr_zstd **z, const uint8_t *in, size_t n, uint8_t *out, size_t size);

/* The frame that @in begins with: its bytes there and decoded.  0 or -EBADMSG: it is none, or does not say. */
int lsr_zstd_frame_size(const uint8_t *in, size_t n, size_t *ret_packed, uint64_t *ret_size);
