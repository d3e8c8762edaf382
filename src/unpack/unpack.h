/*
 * unpack - members of a bundle as real files
 *
 * Everything is made below one directory and nothing outside of it, whatever
 * the bundle holds and whatever lies in that directory already: see tree.h.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "source/lookup.h"

/* Problems that are reported. */
enum lsr_unpack_trouble {
        LSR_UNPACK_EXISTS,   /* something of that name is there; without force it stays */
        LSR_UNPACK_DIR,      /* a directory cannot be made: what is below it is left out */
        LSR_UNPACK_CREATE,   /* anything else cannot */
        LSR_UNPACK_CONTENT,  /* it cannot be read, and no part is left; the bundle may have been reported */
        LSR_UNPACK_DOUBT,    /* it is there, and what its content is verified with is damaged; that was reported */
        LSR_UNPACK_WRITE,    /* it cannot be written, and no part of it is left */
        LSR_UNPACK_LINK,     /* a hard link leads to nothing that was unpacked */
        LSR_UNPACK_METADATA, /* it is there, but without owner, mode or time */
};

struct lsr_unpack_result;

struct lsr_unpack_options {
        const char *output; /* the directory, made if it is not there */
        bool force;         /* what exists is replaced, a file when its content has come; else it is left alone */
        unsigned strip;     /* components that paths lose; what has no more is left out */
        void *ctx;
        /* @path begins with @output. */
        void (*trouble)(void *ctx, enum lsr_unpack_trouble what, const char *path, int error);
        /* Something was made at @path below @output, in the order in which it happens; NULL. */
        void (*made)(void *ctx, const char *path);
        /* So much is made, @result included, and of the file at hand so many bytes; NULL. */
        void (*progress)(void *ctx, const struct lsr_unpack_result *result, uint64_t bytes);
        const volatile sig_atomic_t *stop; /* not 0: come to an end; NULL */
};

/* What is to be unpacked. */
struct lsr_unpack_what {
        struct lsr_bundle *bundle;
        const struct lsr_catalogue *catalogue; /* that they were found in */
        const uint32_t *rows;                  /* with all that is below them, each once */
        size_t n;
        uint32_t base; /* paths begin below this directory, in which all rows are; a row can only be the root itself */
};

struct lsr_unpack_result {
        uint64_t wanted; /* to be made, directories included, */
        uint64_t files;  /* and made */
        uint64_t bytes;  /* of content */
        /* Attributes that could not be restored; the first of them, where n_lost > 0. */
        uint64_t n_lost;
        int lost_error;
        char lost_name[256];
        char lost_path[4096];
};

/*
 * Unpack @what; directories between the base and the rows are made as the bundle has them.  Directories that exist
 * keep their metadata unless options->force.  0: done, perhaps with reported problems; a negative errno: ended early
 * (-EINTR: stopped), or, if *ret_began is false, not begun at all.  Changes the umask while it works.
 */
int lsr_unpack(const struct lsr_unpack_what *what, const struct lsr_unpack_options *options, bool *ret_began,
               struct lsr_unpack_result *ret_result);

/*
 * For the handler of a signal that ends the process: remove the incomplete file.  False: one is being created just
 * now; then options->stop is checked soon.
 */
bool lsr_unpack_abandon(void);
