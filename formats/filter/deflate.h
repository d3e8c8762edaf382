/*
 * deflate - making deflate data
 *
 * Raw, as zip has them; two bytes before and a checksum behind make the zlib
 * format.  A stream can be made of independent pieces, so that all cores work
 * on one large file: each piece ends at a byte boundary, and their
 * concatenation is one stream.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LSR_DEFLATE_LEVEL_MIN 0 /* nothing is deflated */
#define LSR_DEFLATE_LEVEL_MAX 12
#define LSR_DEFLATE_LEVEL_DEFAULT 6

/* The context of one thread. */
struct lsr_deflater;

/* NULL: out of memory. */
struct lsr_deflater *lsr_deflater_new(int level);
struct lsr_deflater *lsr_deflater_free(struct lsr_deflater *d);

/* A whole stream, or the last piece of one.  The bytes made, or 0: there is no room for them. */
size_t lsr_deflate_last(struct lsr_deflater *d, const void *data, size_t n, void *out, size_t out_size);

/* A piece that others follow; @n is 4 GiB at most, and not 0.  As above. */
size_t lsr_deflate_piece(struct lsr_deflater *d, const void *data, size_t n, void *out, size_t out_size);

#define LSR_DEFLATE_STORED_MAX 65535
#define LSR_DEFLATE_STORED_BYTES 5

/* A piece (or the last) of a stream that is the next @n bytes as they are, LSR_DEFLATE_STORED_MAX at most: its head. */
void lsr_deflate_stored(uint8_t head[static LSR_DEFLATE_STORED_BYTES], size_t n, bool last);

/* Adler-32: continue @adler with @data; it begins with 1. */
uint32_t lsr_adler32(uint32_t adler, const void *data, size_t n);

/* The checksums of two pieces as one, the second of @n bytes and counted from the beginning. */
uint32_t lsr_crc32_join(uint32_t first, uint32_t second, uint64_t n);
uint32_t lsr_adler32_join(uint32_t first, uint32_t second, uint64_t n);
