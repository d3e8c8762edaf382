/*
 * decode-ahead - an input made by a decoder, which gets a thread for large data
 *
 * Every filter is a decoder: it fills buffers.  This module has the buffers,
 * the thread, and the code shared by all decoders: feeding pieces of the inner
 * input, and error messages.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/input.h"

#define LSR_AHEAD_BUFFER ((size_t)256 << 10)
#define LSR_AHEAD_START ((uint64_t)4 << 20) /* bytes decoded without a thread */
#define LSR_AHEAD_CPUS 4u                   /* as many decode, if there are more cores, */
#define LSR_AHEAD_CPUS_MAX 8u               /* or more of them were asked for */

struct lsr_decoder;

struct lsr_decoder_ops {
        /*
         * Decode up to @size (LSR_AHEAD_BUFFER) bytes.  0: there may be more; 1: that was all; a negative errno.
         * *ret_n is set in each case, to the number of valid bytes; it may be 0.  Not called again after the end
         * or an error.  Runs in another thread than the caller's, but never in two at a time.
         */
        int (*decode)(struct lsr_decoder *d, uint8_t *buf, size_t size, size_t *ret_n);
        /*
         * Asked before decode(), in the caller's thread and only while there is no other: bytes that lie in memory of
         * the decoder, valid until the next call for it.  0: there are none.  NULL: never.
         */
        size_t (*lend)(struct lsr_decoder *d, const uint8_t **ret_data);
        void (*free)(struct lsr_decoder *d);
};

/* The head of every decoder. */
struct lsr_decoder {
        const struct lsr_decoder_ops *ops;
        const char *name;        /* for messages: "gzip" */
        struct lsr_input *inner; /* freed by free() */
        void *ctx;               /* of the decoder */
        const char *what;        /* as in struct lsr_input */
        bool ignores;            /* likewise */
        char text[128];          /* room for what */
};

/* An input of what @d decodes, which is freed with it. */
struct lsr_input *lsr_ahead_new(struct lsr_decoder *d);

/* How many threads decode at a time. */
unsigned lsr_ahead_cpus(void);

/* What a step works on; it moves the pointers on and lowers the counts. */
struct lsr_flow {
        const uint8_t *in;
        size_t in_left;
        uint8_t *out;
        size_t out_left;
        bool ended; /* there is no more input behind in_left */
};

/* As much of both was used. */
static inline void lsr_flow_move(struct lsr_flow *flow, size_t in, size_t out)
{
        flow->in += in;
        flow->in_left -= in;
        flow->out += out;
        flow->out_left -= out;
}

/*
 * One call of a library.  0: wants more input, or room; 1: the stream (frame, member) has ended; a negative errno,
 * where -EBADMSG without what means "damaged".
 */
typedef int lsr_decoder_step(struct lsr_decoder *d, struct lsr_flow *flow);

/*
 * Step through the inner input until @buf is full from *inout_n on (0), the stream ends (1) or something fails: the
 * inner input, the step, or the input ends in the middle of the stream.  *inout_n is moved on in each case.
 */
int lsr_decoder_feed(struct lsr_decoder *d, uint8_t *buf, size_t size, size_t *inout_n, lsr_decoder_step *step);

/* lsr_input_peek() of the inner input, whose words for an error are passed on. */
ssize_t lsr_decoder_peek(struct lsr_decoder *d, size_t n, const uint8_t **ret_data);

/* Set what.  Returns @error. */
int lsr_decoder_fail(struct lsr_decoder *d, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* "gzip data are damaged at byte 1,204", "gzip data end too early, at byte 99"; both -EBADMSG. */
int lsr_decoder_damaged(struct lsr_decoder *d);
int lsr_decoder_short(struct lsr_decoder *d);
/* "gzip data need 2,147,483,648 bytes of memory, and the limit is 1,073,741,824"; -EFBIG. */
int lsr_decoder_limit(struct lsr_decoder *d, uint64_t need, uint64_t limit);
/*
 * The streams have ended and something else may follow: zeros are padding, and for anything else a remark is made.
 * 1 or a negative errno.
 */
int lsr_decoder_trailing(struct lsr_decoder *d);
