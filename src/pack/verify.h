/*
 * verify - read a bundle back and compare it with what was packed
 */
#pragma once

#include <stdint.h>

#include "io/io.h"

struct lsr_verify {
        struct lsr_io *io;
        unsigned threads; /* 1 and more */
        uint64_t members; /* that it must have */
        uint64_t digest;  /* and the sum of theirs */
        void *ctx;
        /* Called now and then; a negative errno ends the work. */
        int (*progress)(void *ctx);
        /* Messages of a driver about damage. */
        void (*trouble)(void *ctx, const char *text);
};

/* 0; -EBADMSG: the contents differ; another negative errno. */
int lsr_verify(const struct lsr_verify *v, int fd);
