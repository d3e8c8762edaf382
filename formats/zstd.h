/*
 * zstd - whole frames, for a format that is made of them
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Decode one frame, which @in is all of, to exactly @size bytes; its checksum is verified.  0; -EBADMSG: it is damaged,
 * or no such frame; -EOPNOTSUPP: it needs a dictionary; -ENOMEM.
 */
int lsr_zstd_frame(const uint8_t *in, size_t n, uint8_t *out, size_t size);

/* The frame that @in begins with: its bytes there and decoded.  0 or -EBADMSG: it is none, or does not say. */
int lsr_zstd_frame_size(const uint8_t *in, size_t n, size_t *ret_packed, uint64_t *ret_size);
