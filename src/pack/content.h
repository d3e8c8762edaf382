/*
 * content - the content of a file that is too large to be read ahead, or has
 * holes
 *
 * Exactly as many bytes are passed on as were announced: if the file has
 * fewer, or cannot be read, zeros replace the rest.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "formats/writer.h"
#include "io/io.h"
#include "pack/digest.h"

struct lsr_content {
        struct lsr_io *io;
        bool follow; /* a symbolic link */
        void *ctx;
        int (*write)(void *ctx, const void *data, size_t n);
        /* lsr_content_open() sets: */
        int fd;
        struct stat st;
        uint64_t size;
        struct lsr_extent *extents; /* NULL: it has no holes */
        size_t n_extents;
        struct lsr_digest digest;
        /* lsr_content_copy() sets: */
        uint64_t read; /* as far as the file could be read; less than size: zeros came from there on */
        int error;     /* why, a negative errno; 0: it ends there */
        bool grew;     /* it is longer now */
        bool longer;   /* it has more than it is said to have */
        bool changed;  /* it was written to meanwhile */
};

/* 0; 1: it is no regular file now; a negative errno. */
int lsr_content_open(struct lsr_content *c, int dirfd, const char *name, bool sparse);

/*
 * Read a file to its end, whatever its stated size: at most @max bytes, then c->longer is set.  The caller frees
 * them.  0 or a negative errno.
 */
int lsr_content_whole(struct lsr_content *c, size_t max, uint8_t **ret_buf, size_t *ret_n);

/* 0, or what write() said. */
int lsr_content_copy(struct lsr_content *c);
void lsr_content_close(struct lsr_content *c);

/* Begin the digest of a file of @size bytes; what follows is its data, that of @extents if there are any. */
void lsr_content_digest(struct lsr_digest *d, uint64_t size, const struct lsr_extent *extents, size_t n);
