/*
 * verify - read a bundle back and compare it with what was packed
 */
#pragma once

#include <stdint.h>

#include "io/io.h"

struct lsr_verify_early;

struct lsr_verify {
        struct lsr_io *io;
        unsigned threads;               /* 1 and more */
        uint64_t members;               /* that it must have */
        uint64_t digest;                /* and the sum of theirs */
        struct lsr_verify_early *early; /* what was read while it was written; NULL: nothing */
        void *ctx;
        /* Called now and then; a negative errno ends the work. */
        int (*progress)(void *ctx);
        /* Messages of a driver about damage. */
        void (*trouble)(void *ctx, const char *text);
};

/* 0; -EBADMSG: the contents differ; another negative errno. */
int lsr_verify(const struct lsr_verify *v, int fd);

/*
 * Reading back begins while the rest is written: for a tar, compressed or not, that is appended to the file @fd alone.
 * A thread of its own, from the first call on, reads as far as was told.
 */
struct lsr_verify_early *lsr_verify_early_new(int fd);

/* So many bytes are in the file. */
void lsr_verify_early_grown(struct lsr_verify_early *e, uint64_t size);

/* The thread ends, whatever it has read; NULL: there is none. */
struct lsr_verify_early *lsr_verify_early_free(struct lsr_verify_early *e);
