/*
 * writer - the other direction: members in, a bundle out
 *
 * Members come sorted bytewise by their whole paths, where those of
 * directories end in '/': each after its parents, none twice.  Their content
 * follows them.  Input is the user's own files, so writers run in the main
 * process.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "catalogue/member.h"
#include "formats/output.h"

/* Properties of a member that a format cannot store; the member is stored without them. */
enum lsr_loss {
        LSR_LOSS_KIND = 1 << 0,   /* it is not stored at all: this kind of file, or for what NAME or SIZE say */
        LSR_LOSS_XATTRS = 1 << 1, /* extended attributes */
        LSR_LOSS_ACL = 1 << 2,
        LSR_LOSS_HARDLINK = 1 << 3, /* that it is the same file as another: its content is stored again */
        LSR_LOSS_OWNER = 1 << 4,
        LSR_LOSS_TIME = 1 << 5, /* a time outside of what the format can say; fractions of seconds do not count */
        LSR_LOSS_NAME = 1 << 6, /* only with KIND: its name is too long */
        LSR_LOSS_SIZE = 1 << 7, /* only with KIND: it is larger than the format can say */
};

/* The bundle is complete, but has no table of contents: it would exceed the limits of readers. */
#define LSR_FINISH_NO_INDEX 1

struct lsr_writer_options {
        int level;        /* of compression, LSR_LEVEL_DEFAULT: the format's own */
        unsigned threads; /* that compress, 1 and more */
};

#define LSR_LEVEL_DEFAULT INT32_MIN

/* The head of every writer. */
struct lsr_writer {
        const struct lsr_writer_kind *kind;
        struct lsr_output *out;
};

struct lsr_writer_kind {
        const char *name;            /* "zip" */
        const char *const *suffixes; /* NULL-terminated, ".tar.gz", ".tgz" */
        int level_min, level_max;    /* both 0: it has no levels */
        bool needs_file;             /* cannot go to a pipe */
        bool hardlinks;              /* else their content is given, as that of a file */
        bool sparse;                 /* else holes are given as zeros */
        bool appends;                /* a tar, all of which is appended to its output in order */
        /* 0 or a negative errno.  @out stays the caller's and is at its beginning. */
        int (*open)(struct lsr_writer **ret_writer, struct lsr_output *out, const struct lsr_writer_options *options);
        /*
         * The next member. m->path is the whole one as it is to be stored, without '/' at its end; "" is the root
         * itself, a directory ("./").  Known are mode, type, owner, mtime, size, and rdev of devices; m->xattrs
         * holds access control lists too, as the kernel has them ("system.posix_acl_access", "…_default").  A hard
         * link names in m->target an earlier member of the same bundle.  @extents NULL: the file has no holes;
         * else its data, ascending, not adjacent, within the size (n 0: all hole).  0, a negative errno, or
         * positive: a set of enum lsr_loss.  After LSR_LOSS_KIND no data comes.
         */
        int (*member)(struct lsr_writer *w, const struct lsr_member *m, const struct lsr_extent *extents, size_t n);
        /*
         * Its content, in pieces: meta.size bytes in all, or with @extents the sum of their sizes.  0 or a negative
         * errno.
         */
        int (*data)(struct lsr_writer *w, const void *data, size_t n);
        /*
         * The end of the bundle, all of it handed to the output and flushed.  0, LSR_FINISH_NO_INDEX or a negative
         * errno.
         */
        int (*finish)(struct lsr_writer *w);
        /* Finished or not; threads are gone afterwards. */
        void (*free)(struct lsr_writer *w);
};

/* LSR_LOSS_XATTRS and LSR_LOSS_ACL, as far as a format without extended attributes loses them of @m. */
int lsr_writer_xattr_losses(const struct lsr_member *m);

/* NULL-terminated; the first is the default. */
extern const struct lsr_writer_kind *const lsr_writers[];

/* By the longest suffix that @name ends in; without regard to case.  NULL: none. */
const struct lsr_writer_kind *lsr_writer_kind_of(const char *name);
