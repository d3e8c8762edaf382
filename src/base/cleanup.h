/*
 * cleanup - what a function owns is given back when it returns, wherever that is
 *
 *      lsr_autofree char *path = lsr_path_new(dir, name);
 *      lsr_autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);
 *      lsr_auto(lsr_out_free) struct lsr_out text;
 *
 * Each must be set before the function can return.  To keep what one owns, return lsr_take(&fd, -1) or
 * lsr_take(&path, NULL).
 */
#pragma once

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* By @end, which gets the address of the variable. */
#define lsr_auto(end) __attribute__((cleanup(end)))

#define lsr_autofree lsr_auto(lsr_autofree_)
#define lsr_autoclose lsr_auto(lsr_autoclose_)

/* The value of *@p, which becomes @nothing. */
#define lsr_take(p, nothing)          \
        ({                            \
                __auto_type p_ = (p); \
                __auto_type v_ = *p_; \
                *p_ = (nothing);      \
                v_;                   \
        })

static inline void lsr_autofree_(void *p)
{
        free(*(void **)p);
}

/* A descriptor; a negative one is none.  Keeps errno. */
static inline void lsr_autoclose_(const int *fd)
{
        int error = errno;

        if (*fd >= 0)
                close(*fd);
        errno = error;
}
