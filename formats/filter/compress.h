/*
 * compress - output compressed on all cores
 *
 * Bytes are cut into pieces.  Each becomes a stream of its own (a frame, a
 * member), since decompressors treat consecutive streams as one.  So pieces
 * are compressed in parallel, and the output does not depend on the number of
 * threads.
 *
 * A codec whose library does all that itself has @stream in place of @piece.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "formats/output.h"

struct lsr_codec {
        int level_min, level_max, level_default;
        size_t piece; /* bytes that lsr_compress_stream() puts into one */

        /* The context of one worker.  NULL: out of memory. */
        void *(*new)(int level);
        void (*free)(void *context);
        /* The largest output for @n bytes. */
        size_t (*bound)(void *context, size_t n);
        /* The bytes made of a piece, 0: it failed. */
        size_t (*compress)(void *context, const void *data, size_t n, void *out, size_t out_size);

        /* In place of those: one stream, by threads of its own.  NULL data ends it.  0 or a negative errno. */
        void *(*stream_new)(int level, unsigned threads);
        int (*stream)(void *context, const void *data, size_t n, struct lsr_output *out);
};

extern const struct lsr_codec lsr_codec_zstd;
extern const struct lsr_codec lsr_codec_gzip;
extern const struct lsr_codec lsr_codec_xz;
extern const struct lsr_codec lsr_codec_bzip2;
extern const struct lsr_codec lsr_codec_lz4;

/* One piece on its own, into memory to be freed with free().  0, -EINVAL or -ENOMEM. */
int lsr_codec_buffer(const struct lsr_codec *codec, int level, const void *data, size_t n, uint8_t **ret_data,
                     size_t *ret_n);

struct lsr_compress;

/* @codec NULL: nothing is compressed.  @level may be LSR_LEVEL_DEFAULT.  0, -EINVAL: no such level, or -ENOMEM. */
int lsr_compress_new(struct lsr_compress **ret_compress, const struct lsr_codec *codec, int level, unsigned threads,
                     struct lsr_output *out);
struct lsr_compress *lsr_compress_free(struct lsr_compress *c);

/* Be told of every piece, in their order: how many bytes it had, and those it became. */
void lsr_compress_tell(struct lsr_compress *c,
                       void (*made)(void *ctx, size_t n, const uint8_t *packed, size_t packed_n), void *ctx);

/* Append, and cut where a piece is full.  0 or the negative errno of the first failure, as all that follow. */
int lsr_compress_stream(struct lsr_compress *c, const void *data, size_t n);

/* For callers that decide where pieces end: append, and end the piece, unless it is empty. */
void lsr_compress_add(struct lsr_compress *c, const void *data, size_t n);
int lsr_compress_cut(struct lsr_compress *c);

/* Bytes in the piece at hand. */
size_t lsr_compress_held(const struct lsr_compress *c);

/* End the piece, and write everything to the output. */
int lsr_compress_finish(struct lsr_compress *c);
