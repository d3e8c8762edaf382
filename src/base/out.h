/*
 * out - buffered output to a descriptor, or into memory
 *
 * The buffer grows to LSR_OUT_FLUSH bytes before it is written, so that a
 * listing of ten thousand rows is a handful of writes; a pipe that gets more
 * than that is made larger.  Errors stick: after the first failed write
 * everything further is dropped and lsr_out_flush() returns the errno; callers
 * check once, at the end.
 */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LSR_OUT_FLUSH ((size_t)256 << 10)

struct lsr_out {
        char *buf;  /* owned */
        size_t len; /* bytes waiting */
        size_t cap;
        uint64_t written; /* bytes that have left the buffer */
        int fd;           /* -1: memory only, never flushed */
        int error;        /* errno of the first failed write, 0 if none */
        unsigned writes;  /* write(2) calls made */
};

/* An empty one, where it is declared; for any descriptor but standard output. */
#define LSR_OUT_MEMORY LSR_OUT_FD(-1)
#define LSR_OUT_FD(fd_) ((struct lsr_out){ .fd = (fd_) })

/* What waits for standard output is written also when memory is exhausted. */
void lsr_out_init(struct lsr_out *out, int fd);
void lsr_out_free(struct lsr_out *out);

/* Write the buffer.  Returns 0 or the sticky error as negative errno. */
int lsr_out_flush(struct lsr_out *out);

/* Bytes put so far, written or waiting; --dired counts these. */
static inline uint64_t lsr_out_pos(const struct lsr_out *out)
{
        return out->written + out->len;
}

/* Make room for @n bytes and return where they go; commit with lsr_out_commit(). */
char *lsr_out_grow(struct lsr_out *out, size_t n);

static inline char *lsr_out_reserve(struct lsr_out *out, size_t n)
{
        if (out->cap - out->len >= n)
                return out->buf + out->len;
        return lsr_out_grow(out, n);
}

static inline void lsr_out_commit(struct lsr_out *out, const char *end)
{
        assert(end >= out->buf + out->len && end <= out->buf + out->cap);
        out->len = (size_t)(end - out->buf);
}

static inline void lsr_out_put(struct lsr_out *out, const void *data, size_t n)
{
        if (n) {
                memcpy(lsr_out_reserve(out, n), data, n);
                out->len += n;
        }
}

static inline void lsr_out_puts(struct lsr_out *out, const char *s)
{
        lsr_out_put(out, s, strlen(s));
}

static inline void lsr_out_putc(struct lsr_out *out, char c)
{
        *lsr_out_reserve(out, 1) = c;
        out->len++;
}

/* @n times the same byte. */
void lsr_out_fill(struct lsr_out *out, char c, size_t n);

void lsr_out_printf(struct lsr_out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
