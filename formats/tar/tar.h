/*
 * tar - what the parts of the tar driver share
 *
 *      bundle     member* [zero block ...]
 *      member     extension* header [sparse block]* content [padding]
 *      extension  header content [padding]             types L K x X g A N
 *
 * Everything is a multiple of 512 bytes.  An extension has fields of the next
 * member ('g': of all that follow) for which the header has no room.
 *
 * formats/tar/header.c reads one header, formats/tar/pax.c the records of x and g, formats/tar/map.c
 * where the content of a sparse member belongs, formats/tar/walk.c goes from member to
 * member, tar.c is the driver.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "formats/format.h"

#define TAR_BLOCK ((size_t)512)
#define TAR_NUMBER_MAX ((uint64_t)INT64_MAX) /* sizes and offsets beyond are damage: they could not be a file's */

/* Bytes, not terminated unless said; s NULL: there are none. */
struct tar_text {
        const char *s;
        size_t len;
};

/* For "%.*s" in a message. */
#define TAR_NAME_SHOWN ((size_t)200)
#define TAR_SHOWN(text) (int)((text).len < TAR_NAME_SHOWN ? (text).len : TAR_NAME_SHOWN), (text).s

/* --- one header --------------------------------------------------------------- */

enum tar_dialect { TAR_V7, TAR_USTAR, TAR_GNU };

struct tar_header {
        enum tar_dialect dialect;
        char type;
        bool extended;        /* GNU sparse: blocks with more of the map follow */
        struct lsr_meta meta; /* mode without type; size is what is stored; absent or unreadable fields are not known */
        uint64_t real_size;   /* GNU sparse: with the holes */
        struct tar_text name; /* the prefix joined; points into the block or to joined */
        struct tar_text link;
        char user[33]; /* NUL-terminated */
        char group[33];
        char joined[257];
};

/*
 * A number of @n bytes at @field: octal, or base-256.  0; 1: the field is blank; -EBADMSG: it is no number, or one
 * that has no room in 63 bits and a sign.
 */
int tar_number(const uint8_t *field, size_t n, int64_t *ret_number);

/*
 * 0; 1: the block is all zero; -EBADMSG: checksum or size are wrong.  The result points to @block.
 */
int tar_header_parse(const uint8_t *block, struct tar_header *ret_header);

/*
 * Is this the header of a tar?  Without a magic number (v7) every field is checked, since the checksum alone
 * matches random data now and then.
 */
bool tar_header_plausible(const uint8_t *block);

/* Was it one before it was damaged?  @follows: a header follows that is plausible. */
bool tar_header_damaged(const uint8_t *block, bool follows);

/* --- pax ---------------------------------------------------------------------- */

enum tar_key { TAR_PATH, TAR_LINK, TAR_USER, TAR_GROUP, TAR_SPARSE_NAME, TAR_SPARSE_MAP, TAR_KEYS };

enum tar_value {
        TAR_SIZE,
        TAR_UID,
        TAR_GID,
        TAR_DEVMAJOR,
        TAR_DEVMINOR,
        TAR_SPARSE_MAJOR,
        TAR_SPARSE_MINOR,
        TAR_REAL_SIZE,
        TAR_SPARSE_COUNT,
        TAR_VALUES,
};

/* Where a stretch of stored content belongs; holes between are zero. */
struct tar_piece {
        uint64_t offset;
        uint64_t size;
};

struct tar_map {
        struct tar_piece *pieces;
        size_t n;
        size_t cap;
};

/* The values of pax records.  Texts point into the body that was parsed. */
struct tar_pax {
        struct tar_text texts[TAR_KEYS]; /* NUL-terminated behind len */
        char *owned[TAR_KEYS];           /* those texts of a global one */
        int64_t values[TAR_VALUES];
        unsigned values_set; /* 1 << enum tar_value */
        unsigned times_set;  /* 1 << enum lsr_time */
        int64_t sec[LSR_TIMES];
        uint32_t nsec[LSR_TIMES];
        bool acl;
        bool half;       /* an offset came whose numbytes did not yet */
        bool unsettled;  /* of several xattrs: some may have one name, or be too large */
        bool left_out;   /* xattrs were, being too large */
        bool invalid;    /* a value was, and was passed over */
        uint8_t *xattrs; /* as in struct lsr_member; allocated, kept for the next member */
        size_t xattrs_len;
        size_t xattrs_cap;
        struct tar_map map; /* of repeated offset and numbytes; allocated, kept too */
};

static inline uint64_t tar_padded(uint64_t n)
{
        return (n + TAR_BLOCK - 1) & ~(uint64_t)(TAR_BLOCK - 1);
}

static inline bool tar_pax_has(const struct tar_pax *p, enum tar_value v)
{
        return p->values_set & (1u << v);
}

/*
 * Take the records of one extension over into @p; a value that is empty takes back what a global one said.
 * Newlines behind values in @body become NUL.  0, or -EBADMSG: records are damaged from *ret_bad on.
 */
int tar_pax_parse(struct tar_pax *p, char *body, size_t n, size_t *ret_bad);

/* Make @p, whose memory is reused, a copy of @global, whose texts must stay. */
void tar_pax_begin(struct tar_pax *p, const struct tar_pax *global);

/*
 * As tar_pax_parse(), but @global owns its texts; those that it gives up are replaced in @user, which had them of it.
 */
int tar_pax_parse_global(struct tar_pax *global, struct tar_pax *user, char *body, size_t n, size_t *ret_bad);

void tar_pax_free(struct tar_pax *p);
void tar_pax_free_global(struct tar_pax *global);

/* --- sparse ------------------------------------------------------------------- */

/* 0, or -E2BIG. */
int tar_map_add(struct tar_map *m, uint64_t offset, uint64_t size);

/* Pieces in a header (4) or in a block behind it (21), up to the first that is blank.  0, -E2BIG or -EBADMSG. */
int tar_map_gnu(struct tar_map *m, const uint8_t *entries, unsigned n);

/* "offset,size,offset,size" of GNU.sparse.map.  0, -E2BIG or -EBADMSG. */
int tar_map_text(struct tar_map *m, struct tar_text text);

/* Do the pieces ascend without overlap, end within @real_size, and sum up to @stored at most? */
bool tar_map_valid(const struct tar_map *m, uint64_t real_size, uint64_t stored);

/* A decimal number up to @end; *at moves behind it.  0 or -EBADMSG. */
int tar_decimal(const char **at, const char *end, uint64_t *ret_number);

/* --- hopping -------------------------------------------------------------------- */

/*
 * An input over @inner, which is random and stays the caller's: what tar_hop_over() passes is not read where that
 * pays.
 */
struct lsr_input *tar_hop_new(struct lsr_input *inner);

/* Move past @n bytes of content, as lsr_input_skip() does. */
int tar_hop_over(struct lsr_input *in, uint64_t n);

/* --- the walk ----------------------------------------------------------------- */

/* A member as its header and the extensions before it tell. */
struct tar_walk {
        struct lsr_scan *scan;
        struct lsr_input *in; /* the scan's, or one over it */
        bool hops;            /* that is made by tar_hop_new(), and closed with the walk */
        bool here;            /* the next header is known to be here: none behind it is looked for */
        bool want_map;        /* for read(): the scan has no use for it */
        struct tar_header header;
        struct tar_pax pax;
        struct tar_pax global;
        struct tar_text long_name; /* GNU */
        struct tar_text long_link;
        bool records;         /* it has an extension x of its own */
        struct tar_text path; /* that counts, of name, long name, pax and sparse name */
        struct tar_text target;
        struct tar_map map; /* GNU sparse */
        uint64_t position;  /* of the first extension, or of the header */
        uint64_t data;      /* of the content */
        uint64_t stored;    /* bytes of content in the tar, without padding */
        uint32_t type;      /* S_IFMT bits; 0: not to be listed */
        unsigned flags;     /* LSR_MEMBER_* */
        unsigned chain;     /* extensions so far */
        bool owed;          /* a member: one of them tells of it */
        struct lsr_arena bodies;
        uint8_t block[512];
};

/*
 * Go to the next member, whose content then is next in the input.  A zeroed walk with scan and in set is fine.  1;
 * 0: there is none; a negative errno: nor can one be looked for.  Every error has been reported.  Pointers in the
 * walk are valid until the next call.
 */
int tar_walk_next(struct tar_walk *w);

/* Pass over the content.  0 or a negative errno, said; then flags tell whether content is missing. */
int tar_walk_pass(struct tar_walk *w);

/*
 * The content of the member at hand, holes as zeros, instead of passing over it; w->want_map is set.
 * 0; -EOPNOTSUPP: it has none; another negative errno, said unless it is the sink's.
 */
int tar_content(struct tar_walk *w, const struct lsr_sink *sink);

/* The member at hand, for the builder. */
void tar_walk_member(const struct tar_walk *w, struct lsr_member *ret_member);

/* Say that the input failed with @error, which is returned. */
int tar_walk_failed(struct tar_walk *w, int error);

/*
 * The map of a sparse member, wherever it is; where it lies before the content it is read now, and *ret_stored is
 * what then is left of w->stored.  w->want_map is set.
 * 0; -EOPNOTSUPP: of a version nobody knows; another negative errno.
 */
int tar_member_map(struct tar_walk *w, const struct tar_map **ret_map, uint64_t *ret_stored);

void tar_walk_close(struct tar_walk *w);
