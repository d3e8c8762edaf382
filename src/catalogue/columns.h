/*
 * columns - the catalogue in memory; included in this folder only
 *
 * A value that is 0 for all rows has no column.  All strings except the names are in one table without duplicates;
 * string 0 means that there is none.
 *
 *      first        [rows + 1]   children of row r: first[r] .. first[r + 1] - 1
 *      name_ends    [rows + 1]   name of row r: names + name_ends[r], with a NUL behind it
 *      strings.ends [n + 1]      likewise
 */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "catalogue/catalogue.h"
#include "catalogue/strings.h"

/* Columns of 64 bits.  The times are in the order of enum lsr_time. */
enum {
        WIDE_SIZE,
        WIDE_SEC,
        WIDE_PACKED = WIDE_SEC + LSR_TIMES, /* plus 1; 0 is not known */
        WIDE_POSITION,
        WIDE_DATA,
        WIDES,
};

/* Columns of 32 bits. */
enum {
        NARROW_NSEC,
        NARROW_RDEV = NARROW_NSEC + LSR_TIMES,
        NARROW_FLAGS,
        NARROW_TARGET, /* these three are strings */
        NARROW_RAW,
        NARROW_XATTRS,
        NARROWS,
};

#define CATALOGUE_NSEC_MAX 999999999
#define CATALOGUE_MODES (S_IFMT | 07777)

/* Fields that a catalogue stores; it derives the others. */
#define CATALOGUE_FIELDS                                                                                    \
        (LSR_FIELD_TYPE | LSR_FIELD_MODE | LSR_FIELD_UID | LSR_FIELD_GID | LSR_FIELD_SIZE | LSR_FIELD_DEV | \
         LSR_FIELD_MTIME | LSR_FIELD_ATIME | LSR_FIELD_CTIME | LSR_FIELD_BTIME)
#define CATALOGUE_FLAGS ((LSR_MEMBER_COUNTED << 1) - 1)
/* What an encoding may have: it is of all there is, and of no database. */
#define CATALOGUE_FLAGS_STORED \
        (CATALOGUE_FLAGS & ~(LSR_MEMBER_UNREAD | LSR_MEMBER_NOTED | LSR_MEMBER_TABLE | LSR_MEMBER_COUNTED))

struct catalogue_attr {
        uint32_t known;
        uint32_t mode;
        uint32_t uid;
        uint32_t gid;
        uint32_t user; /* strings */
        uint32_t group;
        uint32_t method;
};

struct lsr_catalogue {
        uint32_t rows;
        uint32_t attrs;
        uint32_t *first;
        uint32_t *parent;
        uint32_t *name_ends;
        char *names;
        uint32_t *attr;
        struct catalogue_attr *attr_table;
        struct catalogue_strings strings;
        uint32_t *link; /* NULL: no hard links; 0: none */
        uint32_t *nlink;
        uint64_t *wide[WIDES];
        uint32_t *narrow[NARROWS];
        uint32_t *newest; /* for lsr_catalogue_newest(), NULL until it is asked */
        /*
         * Of a part: rows of the whole for the indices here, NULL where all is here; and the index of the directory
         * whose children are all here.  The way to it comes first, its children last, and nothing else is here.
         */
        uint32_t *row_of;
        uint32_t whole; /* rows: there is none */
        uint32_t total; /* rows of the whole */
};

static inline bool catalogue_attr_is_dir(const struct catalogue_attr *a)
{
        return (a->known & LSR_FIELD_TYPE) && S_ISDIR(a->mode);
}

static inline bool catalogue_is_dir(const struct lsr_catalogue *c, uint32_t row)
{
        return catalogue_attr_is_dir(&c->attr_table[c->attr[row]]);
}

static inline const char *catalogue_name(const struct lsr_catalogue *c, uint32_t row, size_t *ret_len)
{
        assert(row < c->rows);
        *ret_len = c->name_ends[row + 1] - c->name_ends[row] - 1;
        return c->names + c->name_ends[row];
}

/* Compare bytes in the order of the names; negative if the first comes first. */
static inline int catalogue_compare(const char *a, size_t a_len, const char *b, size_t b_len)
{
        int r = memcmp(a, b, a_len < b_len ? a_len : b_len);

        return r ? r : (a_len > b_len) - (a_len < b_len);
}

/* When all else is there: count the links.  0 or -ENOMEM. */
int catalogue_complete(struct lsr_catalogue *c);

/* Are these attributes as member.h describes them? */
bool catalogue_xattrs_valid(const uint8_t *data, size_t size);
