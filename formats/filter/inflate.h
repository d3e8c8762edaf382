/*
 * inflate - decode deflate data, as in gzip, zip and sqlar
 *
 * Whole buffers where input and output fit into memory: several times as fast.
 * Streams for the rest.  For gzip as a stream, with members and checksums, use
 * lsr_filter_gzip.open.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "formats/input.h"

enum lsr_deflate {
        LSR_DEFLATE_RAW,
        LSR_DEFLATE_ZLIB,
        LSR_DEFLATE_GZIP, /* one member */
};

/* Before the process is confined: what libdeflate reads of the machine, which on ARM is a file. */
void lsr_inflate_prepare(void);

/* The most bytes that one byte of deflate data can make; larger claims are wrong. */
#define LSR_INFLATE_RATIO_MAX 1032

/*
 * Decode the first stream in @data, checksums verified.  0, with the bytes used and made;
 * -ENOSPC: it is more than @out_size; -EBADMSG: it is damaged or cut short.  After an error @out holds anything.
 */
int lsr_inflate_buffer(enum lsr_deflate kind, const void *data, size_t n, void *out, size_t out_size, size_t *ret_used,
                       size_t *ret_made);

/*
 * Decode a stream (not LSR_DEFLATE_GZIP) from the position of @inner, which is freed with the result; on failure
 * it stays the caller's.  Data after the stream is not read.  The Adler-32 of LSR_DEFLATE_ZLIB is verified.
 */
int lsr_inflate_open(struct lsr_input **ret_input, struct lsr_input *inner, enum lsr_deflate kind);
