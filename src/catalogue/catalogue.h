/*
 * catalogue - the members of one bundle, as columns
 *
 * Rows are in breadth-first order, row 0 is the root, and the children of a
 * directory are contiguous and sorted bytewise by name: a directory is a slice,
 * a lookup a binary search per component.
 *
 *      row       0   1   2   3   4   5
 *      path      .   a   b   c   a/x a/y        children of 0: rows 1..3, of 1: rows 4..5
 *
 * One encoding serves the table of contents of an LSR1 bundle, the index cache
 * and what a worker hands back: docs/bundle-format.md describes it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "catalogue/member.h"

#define LSR_CATALOGUE_ROWS_MAX (UINT32_C(1) << 28) /* with the root; LSR_LIMIT_MEMBERS is no more */
#define LSR_CATALOGUE_TEXT_MAX (UINT64_C(1) << 32) /* bytes of names, of targets, of attributes: each */
#define LSR_CATALOGUE_DEPTH_MAX 4096               /* components of a path; nor is LSR_LIMIT_PATH_DEPTH */

struct lsr_catalogue;
struct lsr_builder;

struct lsr_catalogue *lsr_catalogue_free(struct lsr_catalogue *c);

uint32_t lsr_catalogue_rows(const struct lsr_catalogue *c);

/* Rows below the root without directories that are only implied. */
uint32_t lsr_catalogue_members(const struct lsr_catalogue *c);

/* About what it takes in memory, bytes, as a builder counts (lsr_builder_limit()). */
uint64_t lsr_catalogue_size(const struct lsr_catalogue *c);

/* Are the children of @row here, or was it never listed (LSR_MEMBER_UNREAD)? */
bool lsr_catalogue_holds(const struct lsr_catalogue *c, uint32_t row);

/* Children of a directory that are here; of anything else there are none. */
struct lsr_slice {
        uint32_t first;
        uint32_t n;
};
struct lsr_slice lsr_catalogue_children(const struct lsr_catalogue *c, uint32_t row);

/* The directory that holds @row; the root holds itself. */
uint32_t lsr_catalogue_parent(const struct lsr_catalogue *c, uint32_t row);

/*
 * Everything about a row.  Text points into the catalogue.  meta.inode is the
 * row number (a hard link: that of the row it leads to), meta.nlink 1 or the
 * number of hard links, of a directory that was read 2 and its subdirectories, or both
 * what the member said of itself; meta.blocks
 * the size rounded up to 512 bytes.  A hard link shows the metadata of its target.
 */
void lsr_catalogue_get(const struct lsr_catalogue *c, uint32_t row, struct lsr_member *ret_member);

/*
 * The row of the attributes (mode, owner, user and group names, method) of @row are shared by many rows: their
 * index, below lsr_catalogue_attrs(), lets a caller keep something for each.
 */
uint32_t lsr_catalogue_attr(const struct lsr_catalogue *c, uint32_t row);
uint32_t lsr_catalogue_attrs(const struct lsr_catalogue *c);

/* The row that a hard link leads to; itself for all others. */
uint32_t lsr_catalogue_link(const struct lsr_catalogue *c, uint32_t row);

/* What a hard link names, or NULL: by itself, where lsr_catalogue_get() may have the target of what it leads to. */
const char *lsr_catalogue_target(const struct lsr_catalogue *c, uint32_t row, size_t *ret_len);

/* The member with the newest mtime below directory @row; 0: none has one, or not all are here. */
uint32_t lsr_catalogue_newest(struct lsr_catalogue *c, uint32_t row);

/*
 * Look up @path below directory @row; '/' separates, "." , ".." and empty
 * components mean what they mean in a path, but ".." of the root is the root;
 * symbolic links are not followed.
 * Returns the row, -ENOENT or -ENOTDIR.
 */
int64_t lsr_catalogue_find(const struct lsr_catalogue *c, uint32_t row, const char *path, size_t path_len);

/*
 * Whole path of a row below the root, without a leading '/'; "" is the root.
 * Written to @buf, NUL-terminated if it fits; returns its length.
 */
size_t lsr_catalogue_path(const struct lsr_catalogue *c, uint32_t row, char *buf, size_t size);

/* An encoding, which need not be valid. */
struct lsr_catalogue_source {
        const uint8_t *data;
        size_t size;
        void *ctx;
        /*
         * Called before bytes are looked at, which may be elsewhere until then.  False: there are none.  NULL: all
         * are.
         */
        bool (*need)(void *ctx, uint64_t offset, uint64_t n);
};

/*
 * Hand the members that listing @paths takes to @builder: the way to each, and its children; or the regular file that
 * it goes through.  Each says what row it is and how many links it has.  Only what is looked at is validated. 0, with
 * how many members there are in all; 1, and nothing was handed on: there is no such path, hard links are among them or,
 * with @links, symbolic ones, or they are more than half; a negative errno.
 */
int lsr_catalogue_subtree(const struct lsr_catalogue_source *source, const char *const *paths, size_t n, bool links,
                          struct lsr_builder *builder, uint64_t *ret_members);

/* Encode into memory to be freed with free().  0 or a negative errno. */
int lsr_catalogue_encode(const struct lsr_catalogue *c, uint8_t **ret_data, size_t *ret_size);

/* A column that belongs to what an encoding is stored in, and of which a catalogue knows nothing. */
struct lsr_catalogue_extra {
        uint8_t id; /* LSR_CATALOGUE_EXTRA to LSR_CATALOGUE_EXTRA_END - 1 */
        const void *data;
        size_t size; /* not 0 */
};
#define LSR_CATALOGUE_EXTRA 64
#define LSR_CATALOGUE_EXTRA_END 96

int lsr_catalogue_encode_with(const struct lsr_catalogue *c, const struct lsr_catalogue_extra *extra,
                              uint8_t **ret_data, size_t *ret_size);

/* Such a column of an encoding.  0; 1: there is none; -EBADMSG. */
int lsr_catalogue_extra(const struct lsr_catalogue_source *source, unsigned id, const uint8_t **ret_data,
                        uint64_t *ret_size);

/*
 * Take bytes that may be hostile.  -EBADMSG: they are no valid encoding;
 * -EOPNOTSUPP: a version or critical column that is not known; -E2BIG: a limit; -ENOMEM.
 * @data may be freed afterwards.
 */
int lsr_catalogue_decode(struct lsr_catalogue **ret_catalogue, const uint8_t *data, size_t size);
