/*
 * output - the destination of a writer
 *
 * A pipe, or a new file that nothing else writes to.  Writers of sequential
 * formats append through this; sqlite, which writes at offsets, takes the
 * descriptor of a file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LSR_OUTPUT_BUFFER ((size_t)1 << 20)

struct lsr_output {
        int fd;       /* stays the caller's */
        bool pipe;    /* or anything else that is no regular file */
        uint64_t at;  /* bytes appended so far, those in the buffer included */
        int error;    /* negative errno of the first write that failed; all later ones do nothing */
        size_t held;  /* bytes in the buffer */
        uint8_t *buf; /* LSR_OUTPUT_BUFFER, made on need */
        /*
         * May be set: called now and then while a writer waits for slow threads, with the number of content bytes
         * that these have not processed yet.
         */
        void (*waiting)(void *ctx, uint64_t held);
        /* May be set: called when @written bytes have been appended to the file itself. */
        void (*grown)(void *ctx, uint64_t written);
        void *ctx;
        uint64_t written;
};

void lsr_output_init(struct lsr_output *out, int fd);
void lsr_output_free(struct lsr_output *out);

/* Append.  0, or the negative errno of this or an earlier write.  Large pieces are not copied. */
int lsr_output_write(struct lsr_output *out, const void *data, size_t n);

/* Drop the contents of the buffer. */
int lsr_output_flush(struct lsr_output *out);
