/*
 * encoding - the columns of docs/bundle-format.md, as writer and reader share them
 *
 * Of every stored number v becomes a value in this order, modulo 2^64; the
 * writer does the reverse:
 *
 *      zigzag     v = v >> 1 ^ -(v & 1)
 *      shift      v <<= shift
 *      base       v += the 8 bytes that the column begins with
 *      delta      v += the value before it, 0 for the first
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "catalogue/columns.h"

#define ENCODING_VERSION 1
#define ENCODING_HEADER 24
#define ENCODING_ENTRY 24
#define ENCODING_CHUNK 256 /* values that are transformed at a time */

enum {
        ENCODING_DELTA = 1,
        ENCODING_ZIGZAG = 2,
        ENCODING_BASE = 4,
        ENCODING_TRANSFORMS = ENCODING_DELTA | ENCODING_ZIGZAG | ENCODING_BASE,
        ENCODING_CRITICAL = 128,
};

/* The numbers in the file. */
enum {
        COLUMN_NAME_LENGTH = 1,
        COLUMN_NAMES,
        COLUMN_CHILDREN,
        COLUMN_ATTR,
        COLUMN_SUMS, /* of the rows before every ENCODING_STEP */

        COLUMN_KNOWN = 16, /* of the table of attributes */
        COLUMN_MODE,
        COLUMN_UID,
        COLUMN_GID,
        COLUMN_USER,
        COLUMN_GROUP,
        COLUMN_METHOD,

        COLUMN_STRING_LENGTH = 24,
        COLUMN_STRINGS,

        COLUMN_SIZE = 32,
        COLUMN_PACKED,
        COLUMN_POSITION,
        COLUMN_DATA,
        COLUMN_FLAGS,
        COLUMN_RDEV,
        COLUMN_LINK,
        COLUMN_TARGET,
        COLUMN_RAW,
        COLUMN_XATTRS,

        COLUMN_SEC = 48, /* in the order of enum lsr_time */
        COLUMN_NSEC = COLUMN_SEC + LSR_TIMES,
        COLUMNS_END = COLUMN_NSEC + LSR_TIMES,
};

/* Column COLUMN_SUMS has these for row ENCODING_STEP, for row 2 * ENCODING_STEP, and so on. */
#define ENCODING_STEP 4096u
enum {
        SUM_NAMES,    /* bytes of the names of the rows before it */
        SUM_DIRS,     /* directories among these */
        SUM_FIRST,    /* 1 plus their children: where those of the next directory begin */
        SUM_POSITION, /* the value of COLUMN_POSITION of the row before it, */
        SUM_DATA,     /* and of COLUMN_DATA */
        SUMS,
};

/* The values of this column; @ret_sums is to be freed, NULL if there are none.  0 or -ENOMEM. */
int encoding_sums(const struct lsr_catalogue *c, uint64_t **ret_sums, uint32_t *ret_n);

/* Fields of struct catalogue_attr, from COLUMN_KNOWN on. */
#define ENCODING_ATTRS 7

/* Which column each array of a catalogue is. */
static const uint8_t encoding_wides[WIDES] = {
        [WIDE_SIZE] = COLUMN_SIZE,         [WIDE_SEC] = COLUMN_SEC,         [WIDE_SEC + 1] = COLUMN_SEC + 1,
        [WIDE_SEC + 2] = COLUMN_SEC + 2,   [WIDE_SEC + 3] = COLUMN_SEC + 3, [WIDE_PACKED] = COLUMN_PACKED,
        [WIDE_POSITION] = COLUMN_POSITION, [WIDE_DATA] = COLUMN_DATA,
};
static const uint8_t encoding_narrows[NARROWS_STORED] = {
        [NARROW_NSEC] = COLUMN_NSEC,         [NARROW_NSEC + 1] = COLUMN_NSEC + 1, [NARROW_NSEC + 2] = COLUMN_NSEC + 2,
        [NARROW_NSEC + 3] = COLUMN_NSEC + 3, [NARROW_RDEV] = COLUMN_RDEV,         [NARROW_FLAGS] = COLUMN_FLAGS,
        [NARROW_TARGET] = COLUMN_TARGET,     [NARROW_RAW] = COLUMN_RAW,           [NARROW_XATTRS] = COLUMN_XATTRS,
};
