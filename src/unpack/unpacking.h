/*
 * unpacking - shared by the parts of unpack
 *
 * unpack.c makes directories, links and special files, and decides the order; files.c makes regular files.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unpack/restore.h"
#include "unpack/tree.h"
#include "unpack/unpack.h"

enum {
        ROW_MADE = 1 << 0,
        ROW_NEW = 1 << 1,  /* a directory that was not there before */
        ROW_LOST = 1 << 2, /* told: it cannot be made */
        /* Of a catalogue that the bundle claims; of all others everything is true. */
        ROW_TRUE = 1 << 3,   /* its header says the same, */
        ROW_LINK = 1 << 4,   /* and that of what the hard link leads to, where this has its content */
        ROW_UNTRUE = 1 << 5, /* a directory that was made for what is in it, before its own header was read */
        ROW_WANTED = 1 << 6, /* it is among the rows */
        ROW_DOUBT = 1 << 7,  /* made, and its content is not verified */
};

/* One step of the pass through the bundle: @member is read for the sake of @row, which is it or a hard link to it. */
struct unpack_step {
        uint64_t position;
        uint32_t member;
        uint32_t row;
};

struct unpack {
        const struct lsr_unpack_options *o;
        struct lsr_unpack_result *result;
        struct lsr_bundle *bundle;
        const struct lsr_catalogue *c;
        struct lsr_tree tree;
        struct lsr_restore restore;
        uint32_t *rows; /* what is to be unpacked, parents before children */
        size_t n;
        uint8_t *state; /* of each row of the catalogue */
        uint32_t *made; /* for a row that hard links lead to: which of them has its content; 0: none */
        bool whole;     /* all of the bundle, its root too */
        struct unpack_step *steps;
        size_t n_steps;
        /* The file at hand. */
        struct lsr_member m;
        bool has_content;
        bool opened;
        int fd; /* -1: it could not be made, its content is passed over */
        int dir;
        int error;
        uint64_t at;
        bool hole;     /* the end is one */
        bool verified; /* its content has a checksum, which is right */
        uint32_t at_hand;
        char temporary[24]; /* its name until it is complete, where another file has its own; "" */
};

/* The user has interrupted. */
bool unpack_stopped(const struct unpack *u);

/* Errors that the next file would only repeat. */
bool unpack_is_fatal(int error);

/* A member under its own name, but a hard link with all that it leads to: a symbolic link's target, too. */
void unpack_get(const struct unpack *u, uint32_t row, struct lsr_member *ret_member);

/* Make the directory @row and those that it lies in, unless they are.  0, or a negative errno that ends the work. */
int unpack_make_dir(struct unpack *u, uint32_t row);

/*
 * The directory of @row, which is made, and its name: a descriptor, good until the next call; -ECANCELED: told
 * already.
 */
int unpack_dir_of(struct unpack *u, uint32_t row, const char *name);

/*
 * Something has @name in @dir: if that is allowed, @make what replaces it under another name, and then it gets this
 * one.  0 or a negative errno, with which the old one is still there.
 */
int unpack_replace(struct unpack *u, int dir, const char *name, int (*make)(const void *ctx, int dir, const char *name),
                   const void *ctx);

/* The same for a directory, which is made with @mode. */
int unpack_replace_by_dir(struct unpack *u, int dir, const char *name, mode_t mode);

void unpack_tell(struct unpack *u, enum lsr_unpack_trouble what, uint32_t row, int error);

/* @row was made: it is in this @state, too, and counts. */
void unpack_made(struct unpack *u, uint32_t row, unsigned state);

/* Report that @row cannot be made, and record it. */
void unpack_failed(struct unpack *u, enum lsr_unpack_trouble what, uint32_t row, int error);

/*
 * Make all regular files, in one pass through the bundle.  If its catalogue is what it claims, all headers are compared
 * in this pass: directories are made when theirs has come.  0, or a negative errno that ends the work.
 */
int unpack_files(struct unpack *u);
