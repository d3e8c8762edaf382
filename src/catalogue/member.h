/*
 * member - the description of one member of a bundle
 *
 * Drivers fill one for each member and hand it to the builder; the catalogue
 * gives them back.  A field of meta counts only if its bit is in meta.known:
 * absent is not zero.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "io/meta.h"

enum {
        LSR_MEMBER_HARDLINK = 1 << 0,  /* target names another member, whose content this is */
        LSR_MEMBER_ENCRYPTED = 1 << 1, /* its content needs a password */
        LSR_MEMBER_SPARSE = 1 << 2,    /* holes are stored as such */
        LSR_MEMBER_ACL = 1 << 3,       /* it carries an access control list */
        LSR_MEMBER_SUSPECT = 1 << 4,   /* its content is not to be trusted: overlaps, disagreeing headers */
        LSR_MEMBER_DANGLING = 1 << 5,  /* a hard link to nothing; set by the builder */
        LSR_MEMBER_IMPLIED = 1 << 6,   /* a parent that the bundle does not store; set by the builder */
        LSR_MEMBER_LOCALTIME = 1 << 7, /* mtime is civil time, counted as if it were UTC; its zone is the user's */
        LSR_MEMBER_UNREAD = 1 << 8, /* a directory that nobody has asked to list: which others are in it is not known */
        /*
         * There are others of its name, which it hides; set by the builder.  To the builder: it is the member of that
         * name that was added before, of which more is known now.
         */
        LSR_MEMBER_SHADOWS = 1 << 9,
        LSR_MEMBER_NOTED = 1 << 10,   /* target is a note for people: what is in a table, how a row begins */
        LSR_MEMBER_TABLE = 1 << 11,   /* names in it are keys of rows */
        LSR_MEMBER_COUNTED = 1 << 12, /* data is the number of its rows */
};

/* What is not what it seems in a listing. */
enum {
        LSR_MARK_MOVED = 1 << 0,   /* the stored path leads elsewhere: it is absolute or has ".." */
        LSR_MARK_SHADOWS = 1 << 1, /* it hides others of its name */
        LSR_MARK_SETID = 1 << 2,   /* a file that runs with the rights of its owner or its group */
        LSR_MARK_ENCRYPTED = 1 << 3,
        LSR_MARKS = 4, /* how many there are */
};

/* A part of a file that is no hole. */
struct lsr_extent {
        uint64_t offset;
        uint64_t size;
};

/* Parts of one file; one with more is given as if it had no holes. */
#define LSR_EXTENTS_MAX ((size_t)1000000)

#define LSR_MEMBER_WORD_MAX ((size_t)255) /* bytes of a user, group or method; what is longer is cut */

struct lsr_member {
        /*
         * To the builder: the whole path as stored, any bytes, perhaps absolute or with "..".
         * From the catalogue: the name alone, NUL-terminated, no '/'.
         */
        const char *path;
        size_t path_len;
        /*
         * Blocks and dev are the catalogue's own; inode and nlink, too, unless the member comes from a table that is
         * one.
         */
        struct lsr_meta meta;
        uint64_t packed;   /* bytes that the content takes in the bundle; UINT64_MAX: not known */
        uint64_t position; /* where the driver finds the member again: an offset, a row id, an ordinal */
        uint64_t data;     /* a second such number, of its content */
        const char *user;  /* names stored in the bundle, NUL-terminated; NULL if there are none */
        const char *group;
        const char *method; /* of compression: "deflate", "store"; NULL: not said */
        /*
         * Of a symbolic link, or the path of the member a hard link names, or a note (LSR_MEMBER_NOTED); NULL if none.
         */
        const char *target;
        size_t target_len;
        const uint8_t *xattrs; /* NUL-terminated name, u32 little-endian length, value; and again */
        size_t xattrs_len;
        /*
         * To the builder: the path as stored, if the driver has converted it, for instance from another character
         * set.  From the catalogue: the stored path if it differs from the one that is shown, else NULL.
         */
        const char *raw;
        size_t raw_len;
        unsigned flags; /* LSR_MEMBER_* */
};

/* LSR_MARK_* of a member as the catalogue gives it. */
unsigned lsr_member_marks(const struct lsr_member *m);

/*
 * The time of modification, where it is known, even if the bundle has it in local time: libc's, see
 * lsr_zone_guard_libc().
 */
int64_t lsr_member_mtime(const struct lsr_member *m);
