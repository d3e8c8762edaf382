/*
 * catalogues - what the tests of the catalogue and of its encoding share: making them, and looking at all of one
 */
#pragma once

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "catalogue/builder.h"
#include "catalogue/catalogue.h"

#define FIELDS (LSR_FIELD_TYPE | LSR_FIELD_MODE | LSR_FIELD_UID | LSR_FIELD_GID | LSR_FIELD_SIZE | LSR_FIELD_MTIME)

static inline struct lsr_member member(const char *path, uint32_t mode)
{
        return (struct lsr_member){
                .path = path, .path_len = strlen(path), .packed = UINT64_MAX, .meta = { .known = FIELDS, .mode = mode }
        };
}

static inline void add(struct lsr_builder *b, const char *path, uint32_t mode, uint64_t size)
{
        struct lsr_member m = member(path, mode);

        m.meta.size = size;
        cr_assert_eq(lsr_builder_add(b, &m), 0, "%s", path);
}

static inline void add_file(struct lsr_builder *b, const char *path, uint64_t size)
{
        add(b, path, S_IFREG | 0644, size);
}

static inline void add_dir(struct lsr_builder *b, const char *path, uint64_t size)
{
        add(b, path, S_IFDIR | 0755, size);
}

static inline void add_link(struct lsr_builder *b, const char *path, const char *target)
{
        struct lsr_member m = member(path, S_IFREG | 0600);

        m.flags = LSR_MEMBER_HARDLINK;
        m.target = target;
        m.target_len = strlen(target);
        cr_assert_eq(lsr_builder_add(b, &m), 0, "%s", path);
}

static inline struct lsr_catalogue *finish(struct lsr_builder *b)
{
        struct lsr_catalogue *c;

        cr_assert_eq(lsr_builder_finish(b, &c), 0);
        lsr_builder_free(b);
        return c;
}

static inline int64_t find(const struct lsr_catalogue *c, const char *path)
{
        return lsr_catalogue_find(c, 0, path, strlen(path));
}

static inline struct lsr_member get(const struct lsr_catalogue *c, const char *path)
{
        struct lsr_member m;
        int64_t row = find(c, path);

        cr_assert_geq(row, 0, "%s", path);
        lsr_catalogue_get(c, (uint32_t)row, &m);
        return m;
}

/* Everything that can be asked of every row, and that the answers fit together. */
static inline void check(const struct lsr_catalogue *c)
{
        uint32_t rows = lsr_catalogue_rows(c), next = 1;
        volatile uint8_t sink = 0;

        cr_assert_geq(rows, 1);
        for (uint32_t row = 0; row < rows; row++) {
                struct lsr_slice in = lsr_catalogue_children(c, row);
                uint32_t link = lsr_catalogue_link(c, row);
                struct lsr_member m, other;
                char path[512];
                size_t len = lsr_catalogue_path(c, row, path, sizeof(path));

                cr_assert_eq(in.first, next);
                next += in.n;
                for (uint32_t i = 0; i < in.n; i++)
                        cr_assert_eq(lsr_catalogue_parent(c, in.first + i), row);
                cr_assert(lsr_catalogue_attr(c, row) < lsr_catalogue_attrs(c));
                cr_assert_lt(link, rows);
                cr_assert_eq(lsr_catalogue_link(c, link), link);
                lsr_catalogue_get(c, row, &m);
                cr_assert_eq(m.path[m.path_len], '\0');
                cr_assert_eq(strlen(m.path), m.path_len);
                cr_assert_eq(m.meta.inode, link);
                cr_assert(!in.n || S_ISDIR(m.meta.mode));
                for (unsigned t = 0; t < LSR_TIMES; t++)
                        cr_assert_lt(m.meta.nsec[t], 1000000000);
                for (size_t i = 0; i < m.target_len; i++)
                        sink ^= (uint8_t)m.target[i];
                for (size_t i = 0; i < m.raw_len; i++)
                        sink ^= (uint8_t)m.raw[i];
                for (size_t at = 0; at < m.xattrs_len;) {
                        at += strlen((const char *)m.xattrs + at) + 1;
                        at += 4 + lsr_le32(m.xattrs + at);
                        cr_assert_leq(at, m.xattrs_len);
                }
                sink ^= (uint8_t)((m.user ? strlen(m.user) : 0) + (m.group ? strlen(m.group) : 0) +
                                  (m.method ? strlen(m.method) : 0));
                if (len < sizeof(path))
                        cr_assert_eq(lsr_catalogue_find(c, 0, path, len), row);
                if (row && row + 1 < rows && lsr_catalogue_parent(c, row) == lsr_catalogue_parent(c, row + 1)) {
                        lsr_catalogue_get(c, row + 1, &other);
                        cr_assert_lt(strcmp(m.path, other.path), 0);
                }
        }
        (void)sink;
        cr_assert_eq(next, rows);
}

/* The same where rows say numbers of their own, which an encoding does not have. */
static inline void check_some(const struct lsr_catalogue *c)
{
        struct lsr_catalogue *again;
        uint8_t *data;
        size_t size;

        cr_assert_eq(lsr_catalogue_encode(c, &data, &size), 0);
        cr_assert_eq(lsr_catalogue_decode(&again, data, size), 0);
        check(again);
        lsr_catalogue_free(again);
        free(data);
}

/* One of everything that a member can have. */
static inline struct lsr_catalogue *make_full(void)
{
        static const uint8_t xattrs[] = "user.a\0\3\0\0\0xyzuser.b\0\0\0\0"; /* and the NUL of the string: 4 bytes */
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_member m = member("/d/full", S_IFREG | 04755);

        m.meta.known |= LSR_FIELD_ATIME | LSR_FIELD_CTIME | LSR_FIELD_BTIME;
        m.meta.uid = 1000;
        m.meta.gid = 100000;
        m.meta.size = UINT64_C(5) << 40;
        for (unsigned t = 0; t < LSR_TIMES; t++) {
                m.meta.sec[t] = 1700000000 + (int64_t)t;
                m.meta.nsec[t] = 999999999 - t;
        }
        m.meta.sec[LSR_BTIME] = INT64_MIN;
        m.packed = 1234567;
        m.position = UINT64_MAX - 511;
        m.data = 512;
        m.user = "user";
        m.group = "group";
        m.method = "deflate";
        m.xattrs = xattrs;
        m.xattrs_len = sizeof(xattrs);
        m.flags = LSR_MEMBER_ACL | LSR_MEMBER_ENCRYPTED | LSR_MEMBER_SPARSE | LSR_MEMBER_SUSPECT;
        cr_assert_eq(lsr_builder_add(b, &m), 0);
        m = member("d/dev", S_IFCHR | 0600);
        m.meta.known = LSR_FIELD_TYPE | LSR_FIELD_MODE | LSR_FIELD_DEV;
        m.meta.rdev = 5 << 20 | 1;
        m.meta.size = 99; /* not known, so not kept */
        m.meta.uid = 99;
        m.packed = 0;
        m.position = 1024;
        cr_assert_eq(lsr_builder_add(b, &m), 0);
        m = member("link", S_IFLNK | 0777);
        m.target = "d/full";
        m.target_len = 6;
        m.meta.sec[LSR_MTIME] = -1;
        cr_assert_eq(lsr_builder_add(b, &m), 0);
        add_link(b, "hard", "d/full");
        add_link(b, "dangling", "d/none");
        add_dir(b, "empty", 4096);
        add_file(b, "z/\xff", 3);
        return finish(b);
}

static inline void expect_text(const void *a, size_t a_len, const void *b, size_t b_len)
{
        cr_assert_eq(!a, !b);
        cr_assert_eq(a_len, b_len);
        cr_assert(!a || memcmp(a, b, a_len) == 0);
}

static inline void expect_same(const struct lsr_catalogue *a, const struct lsr_catalogue *b)
{
        cr_assert_eq(lsr_catalogue_rows(a), lsr_catalogue_rows(b));
        cr_assert_eq(lsr_catalogue_attrs(a), lsr_catalogue_attrs(b));
        for (uint32_t row = 0; row < lsr_catalogue_rows(a); row++) {
                struct lsr_slice x_in = lsr_catalogue_children(a, row), y_in = lsr_catalogue_children(b, row);
                struct lsr_member x, y;

                cr_assert_eq(x_in.first, y_in.first);
                cr_assert_eq(x_in.n, y_in.n);
                cr_assert_eq(lsr_catalogue_parent(a, row), lsr_catalogue_parent(b, row));
                cr_assert_eq(lsr_catalogue_link(a, row), lsr_catalogue_link(b, row));
                cr_assert_eq(lsr_catalogue_attr(a, row), lsr_catalogue_attr(b, row));
                lsr_catalogue_get(a, row, &x);
                lsr_catalogue_get(b, row, &y);
                cr_assert_eq(memcmp(&x.meta, &y.meta, sizeof(x.meta)), 0);
                cr_assert_eq(x.packed, y.packed);
                cr_assert_eq(x.position, y.position);
                cr_assert_eq(x.data, y.data);
                cr_assert_eq(x.flags, y.flags);
                expect_text(x.path, x.path_len, y.path, y.path_len);
                expect_text(x.target, x.target_len, y.target, y.target_len);
                expect_text(x.raw, x.raw_len, y.raw, y.raw_len);
                expect_text(x.xattrs, x.xattrs_len, y.xattrs, y.xattrs_len);
                expect_text(x.user, x.user ? strlen(x.user) : 0, y.user, y.user ? strlen(y.user) : 0);
                expect_text(x.group, x.group ? strlen(x.group) : 0, y.group, y.group ? strlen(y.group) : 0);
                expect_text(x.method, x.method ? strlen(x.method) : 0, y.method, y.method ? strlen(y.method) : 0);
        }
}

static inline void expect_round_trip(struct lsr_catalogue *c)
{
        struct lsr_catalogue *d;
        uint8_t *data, *again;
        size_t size, again_size;

        cr_assert_eq(lsr_catalogue_encode(c, &data, &size), 0);
        cr_assert_eq(lsr_catalogue_decode(&d, data, size), 0);
        check(d);
        expect_same(c, d);
        cr_assert_eq(lsr_catalogue_encode(d, &again, &again_size), 0);
        cr_assert_eq(size, again_size);
        cr_assert_eq(memcmp(data, again, size), 0);
        free(data);
        free(again);
        lsr_catalogue_free(c);
        lsr_catalogue_free(d);
}
