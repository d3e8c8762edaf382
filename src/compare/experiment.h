/*
 * experiment - pack the tree, and read it in each way, several times
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compare/result.h"

/* Problems that are reported meanwhile.  After those that are marked the experiment ends. */
enum lsr_compare_trouble {
        LSR_COMPARE_UNREADABLE,   /* @name: this user may not read it, so no way does */
        LSR_COMPARE_SPECIAL,      /* a remark: @a files that hold nothing */
        LSR_COMPARE_LOOSE,        /* a remark: @a files beside the packages are in no way */
        LSR_COMPARE_WARM,         /* a remark: the tree is in memory, nothing of it can be dropped */
        LSR_COMPARE_WARM_BUNDLES, /* a remark: the bundles are, in @name */
        LSR_COMPARE_LIMIT,        /* a remark: way @name got no further than @a of @b members */
        LSR_COMPARE_FAILED,       /* way @name has an error */
        LSR_COMPARE_DIFFERS,      /* way @name read something else than the first one */
        LSR_COMPARE_EMPTY,        /* ends: there is nothing to read */
        LSR_COMPARE_NO_PACKAGES,  /* ends: there are no subdirectories */
        LSR_COMPARE_NO_PROC,      /* ends: @name, which ways are run by, is not there */
        LSR_COMPARE_NO_SCRATCH,   /* ends: no files can be made in @name */
        LSR_COMPARE_NO_SPACE,     /* ends: @name has @b bytes free, @a are needed */
        LSR_COMPARE_FULL,         /* ends: nothing is free in @name any more */
        LSR_COMPARE_NO_FILES,     /* ends: @a files would have to be open, @b may be */
};

struct lsr_compare_options {
        const char *dir;            /* of the result too */
        const char *const *formats; /* words that lsr_bundling_format() knows */
        size_t n_formats;
        unsigned runs; /* 0: as many as there is time for, and no more than are useful */
        bool cold;
        bool each;
        uint64_t random;
        void *ctx;
        void (*trouble)(void *ctx, enum lsr_compare_trouble what, const char *name, int error, uint64_t a, uint64_t b);
        /* What is being done, and how far it is: step @done of @total. */
        void (*progress)(void *ctx, const char *what, const char *name, unsigned done, unsigned total);
};

/* The formats that are compared unless others are asked for. */
#define LSR_COMPARE_FORMATS "tar,tar.gz,tar.zst,zip-store,zip,sqlar"

/* 0; 1: it has ended early, and the reason was reported; a negative errno.  The result is to be freed in each case. */
int lsr_compare(const struct lsr_compare_options *options, struct lsr_experiment *ret_experiment);
