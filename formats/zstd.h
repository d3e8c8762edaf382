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
