/* The catalogue: what the builder makes of members, how rows are found, and that no bytes harm the decoder. */
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

static struct lsr_member member(const char *path, uint32_t mode)
{
        return (struct lsr_member){
                .path = path, .path_len = strlen(path), .packed = UINT64_MAX, .meta = { .known = FIELDS, .mode = mode }
        };
}

static void add(struct lsr_builder *b, const char *path, uint32_t mode, uint64_t size)
{
        struct lsr_member m = member(path, mode);

        m.meta.size = size;
        cr_assert_eq(lsr_builder_add(b, &m), 0, "%s", path);
}

static void add_file(struct lsr_builder *b, const char *path, uint64_t size)
{
        add(b, path, S_IFREG | 0644, size);
}

static void add_dir(struct lsr_builder *b, const char *path, uint64_t size)
{
        add(b, path, S_IFDIR | 0755, size);
}

static void add_link(struct lsr_builder *b, const char *path, const char *target)
{
        struct lsr_member m = member(path, S_IFREG | 0600);

        m.flags = LSR_MEMBER_HARDLINK;
        m.target = target;
        m.target_len = strlen(target);
        cr_assert_eq(lsr_builder_add(b, &m), 0, "%s", path);
}

static struct lsr_catalogue *finish(struct lsr_builder *b)
{
        struct lsr_catalogue *c;

        cr_assert_eq(lsr_builder_finish(b, &c), 0);
        lsr_builder_free(b);
        return c;
}

static int64_t find(const struct lsr_catalogue *c, const char *path)
{
        return lsr_catalogue_find(c, 0, path, strlen(path));
}

static struct lsr_member get(const struct lsr_catalogue *c, const char *path)
{
        struct lsr_member m;
        int64_t row = find(c, path);

        cr_assert_geq(row, 0, "%s", path);
        lsr_catalogue_get(c, (uint32_t)row, &m);
        return m;
}

/* All paths in the order of the rows, each with a blank behind it; a directory with a '/'. */
static const char *paths(const struct lsr_catalogue *c)
{
        static char buf[4096];
        size_t len = 0;

        buf[0] = '\0';
        for (uint32_t row = 1; row < lsr_catalogue_rows(c); row++) {
                struct lsr_member m;

                lsr_catalogue_get(c, row, &m);
                len += lsr_catalogue_path(c, row, buf + len, sizeof(buf) - len);
                len += (size_t)sprintf(buf + len, "%s ", S_ISDIR(m.meta.mode) ? "/" : "");
        }
        if (len)
                buf[len - 1] = '\0';
        return buf;
}

/* Everything that can be asked of every row, and that the answers fit together. */
static void check(const struct lsr_catalogue *c)
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
        cr_assert_eq(next, rows);
}

static void expect_paths(const char *const *in, size_t n, const char *want)
{
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_catalogue *c;

        for (size_t i = 0; i < n; i++) {
                size_t len = strlen(in[i]);

                add(b, in[i], (len && in[i][len - 1] == '/') ? S_IFDIR | 0755 : S_IFREG | 0644, 1);
        }
        c = finish(b);
        check(c);
        cr_assert_str_eq(paths(c), want);
        lsr_catalogue_free(c);
}
#define EXPECT_PATHS(want, ...)                            \
        expect_paths((const char *const[]){ __VA_ARGS__ }, \
                     sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *), want)

Test(catalogue, empty)
{
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_catalogue *c = finish(b);
        struct lsr_member m;

        cr_assert_eq(lsr_catalogue_rows(c), 1);
        lsr_catalogue_get(c, 0, &m);
        cr_assert_str_eq(m.path, "");
        cr_assert_eq(m.flags, LSR_MEMBER_IMPLIED);
        cr_assert_eq(m.meta.mode, S_IFDIR);
        cr_assert_eq(m.meta.known, LSR_FIELD_TYPE | LSR_FIELD_INODE | LSR_FIELD_NLINK);
        cr_assert_eq(m.meta.nlink, 2);
        cr_assert_eq(find(c, ""), 0);
        cr_assert_eq(find(c, "/../."), 0);
        cr_assert_eq(find(c, "x"), -ENOENT);
        check(c);
        lsr_catalogue_free(c);
        cr_assert_null(lsr_catalogue_free(NULL));
        cr_assert_null(lsr_builder_free(NULL));
}

Test(catalogue, breadth_first)
{
        EXPECT_PATHS("a/ b/ c a/x a/y/ b/b/ a/y/z/", "c", "a/y/z/", "b/", "a/x", "b/b/");
}

/* A prefix before what it begins, bytes without sign, more than the insertion sort takes. */
Test(catalogue, sorted)
{
        EXPECT_PATHS("a/ a! a-b aa a/b a/\x80", "aa", "a!", "a-b", "a/\x80", "a/b");
}

Test(catalogue, clean)
{
        EXPECT_PATHS("a", "a");
        EXPECT_PATHS("a", "/a");
        EXPECT_PATHS("a", "./a");
        EXPECT_PATHS("a", "///.//a");
        EXPECT_PATHS("a/ a/b", "a//b");
        EXPECT_PATHS("a/ a/b", "a/./b");
        EXPECT_PATHS("a/ a/b/", "a/b//");
        EXPECT_PATHS("a/ a/b", "a/b/.");
        EXPECT_PATHS("a/ a/b", "../../a/b");
        EXPECT_PATHS("b", "a/../b");
        EXPECT_PATHS("b", "a/../../b");
        EXPECT_PATHS("a/ a/b", "a/b/c/..");
        EXPECT_PATHS("b", "a/.././b");
        EXPECT_PATHS("... ..a", "..a", "...");
        EXPECT_PATHS(".a .b/ .b/..c", "./.a", ".b/..c");
}

static void expect_raw(const char *path, size_t len, const char *want_path, const char *want_raw)
{
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_member m = member("", S_IFDIR | 0755);
        struct lsr_catalogue *c;

        m.path = path;
        m.path_len = len;
        cr_assert_eq(lsr_builder_add(b, &m), 0);
        c = finish(b);
        m = get(c, want_path);
        if (want_raw) {
                cr_assert_eq(m.raw_len, len, "%s", path);
                cr_assert_eq(memcmp(m.raw, want_raw, len + 1), 0, "%s", path);
        } else {
                cr_assert_null(m.raw, "%s", path);
                cr_assert_eq(m.raw_len, 0);
        }
        lsr_catalogue_free(c);
}

/* The stored path is kept where cleaning changed more than "./" before and '/' behind. */
Test(catalogue, raw_path)
{
        static const char *const same[] = { "a/b", "./a/b", "a/b/", "./a/b/" };
        static const char *const differ[] = {
                "/a/b", "a//b", "a/./b", "././a/b", "../a/b", "a/b//", "a/b/.", "x/../a/b"
        };

        for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
                expect_raw(same[i], strlen(same[i]), "a/b", NULL);
        for (size_t i = 0; i < sizeof(differ) / sizeof(*differ); i++)
                expect_raw(differ[i], strlen(differ[i]), "a/b", differ[i]);
        expect_raw("a/b\0c", 5, "a/b", "a/b\0c");
        expect_raw("./", 2, "", NULL);
        expect_raw(".", 1, "", NULL);
        expect_raw("", 0, "", NULL);
        expect_raw("/", 1, "", NULL);
        expect_raw("//", 2, "", "//");
}

/* What one path leaves behind must not show in the next: same directory part, not the same directory. */
Test(catalogue, remembered_directory)
{
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_catalogue *c;

        add_file(b, "/d/a", 1);
        add_file(b, "/d/b", 1);
        add_file(b, "d/c", 1);
        add_file(b, "x", 1);
        c = finish(b);
        cr_assert_str_eq(paths(c), "d/ x d/a d/b d/c");
        cr_assert_not_null(get(c, "d/b").raw);
        cr_assert_null(get(c, "d/c").raw);
        lsr_catalogue_free(c);
}

/* Paths that lead to the root describe it if they are directories, and are nothing if not. */
Test(catalogue, root)
{
        static const char *const names[] = { "", ".", "./", "/", "a/..", "\0x" };
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_catalogue *c;

        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
                struct lsr_member m = member(names[i], S_IFREG | 0644);

                cr_assert_eq(lsr_builder_add(b, &m), 1);
        }
        cr_assert_eq(lsr_builder_count(b), 0);
        add_dir(b, "./", 77);
        add_file(b, "f", 1);
        cr_assert_eq(lsr_builder_count(b), 2);
        c = finish(b);
        cr_assert_eq(lsr_catalogue_rows(c), 2);
        cr_assert_eq(get(c, "").meta.size, 77);
        cr_assert_eq(get(c, "").flags, 0);
        lsr_catalogue_free(c);
}

Test(catalogue, implied_parents)
{
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_catalogue *c;

        add_file(b, "a/b/c", 1);
        add_dir(b, "a/", 5);
        c = finish(b);
        cr_assert_eq(get(c, "a").flags, 0);
        cr_assert_eq(get(c, "a").meta.size, 5);
        cr_assert_eq(get(c, "a").meta.nlink, 3);
        cr_assert_eq(get(c, "a/b").flags, LSR_MEMBER_IMPLIED);
        cr_assert_eq(get(c, "a/b").meta.known, LSR_FIELD_TYPE | LSR_FIELD_INODE | LSR_FIELD_NLINK);
        cr_assert_eq(get(c, "a/b").meta.mode, S_IFDIR);
        lsr_catalogue_free(c);
}

static uint64_t size_of(const struct lsr_catalogue *c, const char *path)
{
        return get(c, path).meta.size;
}

Test(catalogue, duplicates)
{
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_catalogue *c;

        add_file(b, "twice", 1);
        add_file(b, "file-then-dir", 3);
        add_file(b, "file-then-below", 5);
        add_dir(b, "dir-then-file", 7);
        add_dir(b, "full-then-file", 9);
        add_file(b, "full-then-file/x", 10);
        add_dir(b, "dir-file-dir", 12);
        add_file(b, "twice", 2);
        add_dir(b, "file-then-dir", 4);
        add_file(b, "file-then-below/x", 6);
        add_file(b, "dir-then-file", 8);
        add_file(b, "full-then-file", 11);
        add_file(b, "dir-file-dir", 13);
        add_dir(b, "dir-file-dir", 14);
        add_file(b, "file-dir-file", 15);
        add_dir(b, "file-dir-file", 16);
        add_file(b, "file-dir-file", 17);
        add_dir(b, "dir-dir", 18);
        add_file(b, "dir-dir/x", 19);
        add_dir(b, "dir-dir", 20);
        add_file(b, "late/x", 21);
        add_file(b, "late", 22);
        cr_assert_eq(lsr_builder_count(b), 22);
        c = finish(b);
        check(c);
        cr_assert_str_eq(paths(c), "dir-dir/ dir-file-dir/ dir-then-file file-dir-file file-then-below/ file-then-dir/ "
                                   "full-then-file/ late/ twice dir-dir/x file-then-below/x full-then-file/x late/x");
        cr_assert_eq(size_of(c, "twice"), 2);
        cr_assert_eq(size_of(c, "file-then-dir"), 4);
        cr_assert_eq(get(c, "file-then-below").flags, LSR_MEMBER_IMPLIED);
        cr_assert_eq(size_of(c, "dir-then-file"), 8);
        cr_assert_eq(size_of(c, "full-then-file"), 9);
        cr_assert_eq(size_of(c, "dir-file-dir"), 14);
        cr_assert_eq(size_of(c, "file-dir-file"), 17);
        cr_assert_eq(size_of(c, "dir-dir"), 20);
        cr_assert_eq(get(c, "late").flags, LSR_MEMBER_IMPLIED);
        lsr_catalogue_free(c);
}

static void expect_link(const struct lsr_catalogue *c, const char *path, const char *to)
{
        uint32_t row = (uint32_t)find(c, path);

        cr_assert_eq(lsr_catalogue_link(c, row), to ? find(c, to) : row, "%s", path);
        cr_assert_eq(get(c, path).flags, LSR_MEMBER_HARDLINK | (to ? 0 : LSR_MEMBER_DANGLING), "%s", path);
}

Test(catalogue, hard_links)
{
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_catalogue *c;

        add_link(b, "before", "./d//file");
        add_link(b, "chain3", "chain2");
        add_file(b, "d/file", 42);
        add_link(b, "chain2", "/x/../chain1");
        add_link(b, "chain1", "d/file");
        add_link(b, "loop1", "loop2");
        add_link(b, "loop2", "loop3");
        add_link(b, "loop3", "loop2");
        add_link(b, "nothing", "d/missing");
        add_link(b, "to-nothing", "nothing");
        add_link(b, "to-dir", "d");
        add_link(b, "to-root", "/");
        add_link(b, "empty", "");
        add_link(b, "below-file", "d/file/x");
        add_link(b, "self", "self");
        /* tar stores this for a file that is named twice and has several names. */
        add_file(b, "again", 43);
        add_link(b, "again", "./again");
        c = finish(b);
        check(c);
        expect_link(c, "before", "d/file");
        expect_link(c, "chain1", "d/file");
        expect_link(c, "chain2", "d/file");
        expect_link(c, "chain3", "d/file");
        expect_link(c, "loop1", NULL);
        expect_link(c, "loop2", NULL);
        expect_link(c, "loop3", NULL);
        expect_link(c, "nothing", NULL);
        expect_link(c, "to-nothing", NULL);
        expect_link(c, "to-dir", NULL);
        expect_link(c, "to-root", NULL);
        expect_link(c, "empty", NULL);
        expect_link(c, "below-file", NULL);
        expect_link(c, "self", NULL);
        cr_assert_eq(get(c, "again").flags, 0);
        cr_assert_eq(get(c, "again").meta.size, 43);
        cr_assert_eq(get(c, "d/file").meta.nlink, 5);
        cr_assert_eq(get(c, "chain3").meta.nlink, 5);
        cr_assert_eq(get(c, "chain3").meta.size, 42);
        cr_assert_eq(get(c, "chain3").meta.mode, S_IFREG | 0644);
        cr_assert_eq(get(c, "nothing").meta.mode, S_IFREG | 0600);
        cr_assert_eq(get(c, "nothing").meta.nlink, 1);
        cr_assert_eq(get(c, "chain3").meta.inode, (uint64_t)find(c, "d/file"));
        cr_assert_str_eq(get(c, "chain3").target, "chain2");
        cr_assert_eq(lsr_catalogue_attr(c, (uint32_t)find(c, "chain3")),
                     lsr_catalogue_attr(c, (uint32_t)find(c, "d/file")));
        lsr_catalogue_free(c);
}

/* Long chains take no stack and no square of their length. */
Test(catalogue, hostile_chain)
{
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_catalogue *c;
        enum { N = 100000 };

        for (unsigned i = 0; i < N; i++) {
                char from[16], to[16];

                sprintf(from, "%06u", i);
                sprintf(to, "%06u", i + 1);
                add_link(b, from, to);
        }
        add_file(b, "100000", 1);
        c = finish(b);
        expect_link(c, "000000", "100000");
        cr_assert_eq(get(c, "100000").meta.nlink, N + 1);
        lsr_catalogue_free(c);
}

Test(catalogue, hard_link_to_symlink)
{
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_member m = member("s", S_IFLNK | 0777);
        struct lsr_catalogue *c;

        m.target = "there";
        m.target_len = 5;
        cr_assert_eq(lsr_builder_add(b, &m), 0);
        add_link(b, "h", "s");
        c = finish(b);
        cr_assert_str_eq(get(c, "h").target, "there");
        cr_assert(S_ISLNK(get(c, "h").meta.mode));
        lsr_catalogue_free(c);
}

Test(catalogue, find)
{
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_catalogue *c;
        uint32_t a;

        add_file(b, "a/b/f", 1);
        add_file(b, "a/g", 1);
        c = finish(b);
        a = (uint32_t)find(c, "a");
        cr_assert_eq(find(c, "a/"), a);
        cr_assert_eq(find(c, "//a//."), a);
        cr_assert_eq(find(c, "a/b/.."), a);
        cr_assert_eq(find(c, "../../a"), a);
        cr_assert_eq(lsr_catalogue_find(c, a, "b/f", 3), find(c, "a/b/f"));
        cr_assert_eq(lsr_catalogue_find(c, a, "..", 2), 0);
        cr_assert_eq(lsr_catalogue_find(c, a, "", 0), a);
        cr_assert_eq(find(c, "a/x"), -ENOENT);
        cr_assert_eq(find(c, "x/.."), -ENOENT);
        cr_assert_eq(find(c, "a/g/"), -ENOTDIR);
        cr_assert_eq(find(c, "a/g/."), -ENOTDIR);
        cr_assert_eq(find(c, "a/g/.."), -ENOTDIR);
        cr_assert_eq(find(c, "a/g/x"), -ENOTDIR);
        cr_assert_eq(lsr_catalogue_find(c, (uint32_t)find(c, "a/g"), "", 0), find(c, "a/g"));
        lsr_catalogue_free(c);
}

Test(catalogue, path)
{
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_catalogue *c;
        char buf[8] = "1234567";
        uint32_t row;

        add_file(b, "ab/cd/e", 1);
        c = finish(b);
        row = (uint32_t)find(c, "ab/cd/e");
        cr_assert_eq(lsr_catalogue_path(c, row, buf, 7), 7);
        cr_assert_str_eq(buf, "1234567");
        cr_assert_eq(lsr_catalogue_path(c, row, NULL, 0), 7);
        cr_assert_eq(lsr_catalogue_path(c, row, buf, 8), 7);
        cr_assert_str_eq(buf, "ab/cd/e");
        cr_assert_eq(lsr_catalogue_path(c, 0, buf, 8), 0);
        cr_assert_str_eq(buf, "");
        lsr_catalogue_free(c);
}

Test(catalogue, depth)
{
        enum { MAX = LSR_CATALOGUE_DEPTH_MAX };
        static char path[2 * MAX + 4];
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_member m;
        struct lsr_catalogue *c;

        for (unsigned i = 0; i <= MAX; i++)
                memcpy(path + 2 * i, "a/", 2);
        m = member(path, S_IFDIR);
        for (size_t len = 2 * MAX + 1; len <= 2 * MAX + 2; len++) {
                m.path_len = len;
                cr_assert_eq(lsr_builder_add(b, &m), -E2BIG);
        }
        memcpy(path + 2 * MAX, "a/..", 4);
        m.path_len = 2 * MAX + 4;
        cr_assert_eq(lsr_builder_add(b, &m), 0);
        m.path_len = 2 * MAX;
        cr_assert_eq(lsr_builder_add(b, &m), 0);
        c = finish(b);
        cr_assert_eq(lsr_catalogue_rows(c), MAX + 1);
        lsr_catalogue_free(c);
}

/* One of everything that a member can have. */
static struct lsr_catalogue *make_full(void)
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

static void expect_text(const void *a, size_t a_len, const void *b, size_t b_len)
{
        cr_assert_eq(!a, !b);
        cr_assert_eq(a_len, b_len);
        cr_assert(!a || memcmp(a, b, a_len) == 0);
}

static void expect_same(const struct lsr_catalogue *a, const struct lsr_catalogue *b)
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

Test(catalogue, fields)
{
        struct lsr_catalogue *c = make_full();
        struct lsr_member m = get(c, "d/full");

        cr_assert_eq(m.meta.known, FIELDS | LSR_FIELD_ATIME | LSR_FIELD_CTIME | LSR_FIELD_BTIME | LSR_FIELD_NLINK |
                                           LSR_FIELD_INODE | LSR_FIELD_BLOCKS);
        cr_assert_eq(m.meta.mode, S_IFREG | 04755);
        cr_assert_eq(m.meta.uid, 1000);
        cr_assert_eq(m.meta.gid, 100000);
        cr_assert_eq(m.meta.size, UINT64_C(5) << 40);
        cr_assert_eq(m.meta.blocks, UINT64_C(5) << 31);
        cr_assert_eq(m.meta.nlink, 2);
        cr_assert_eq(m.meta.sec[LSR_CTIME], 1700000002);
        cr_assert_eq(m.meta.sec[LSR_BTIME], INT64_MIN);
        cr_assert_eq(m.meta.nsec[LSR_ATIME], 999999998);
        cr_assert_eq(m.packed, 1234567);
        cr_assert_eq(m.position, UINT64_MAX - 511);
        cr_assert_eq(m.data, 512);
        cr_assert_str_eq(m.path, "full");
        cr_assert_str_eq(m.raw, "/d/full");
        cr_assert_str_eq(m.user, "user");
        cr_assert_str_eq(m.group, "group");
        cr_assert_str_eq(m.method, "deflate");
        cr_assert_str_eq((const char *)m.xattrs, "user.a");
        cr_assert_eq(m.xattrs_len, 25);
        cr_assert_eq(m.flags, LSR_MEMBER_ACL | LSR_MEMBER_ENCRYPTED | LSR_MEMBER_SPARSE | LSR_MEMBER_SUSPECT);
        m = get(c, "d/dev");
        cr_assert_eq(m.meta.rdev, 5 << 20 | 1);
        cr_assert_eq(m.meta.size, 0);
        cr_assert_eq(m.meta.uid, 0);
        cr_assert_eq(m.meta.known & (LSR_FIELD_SIZE | LSR_FIELD_UID | LSR_FIELD_BLOCKS), 0);
        cr_assert_eq(m.packed, 0);
        m = get(c, "link");
        cr_assert_str_eq(m.target, "d/full");
        cr_assert_eq(m.meta.sec[LSR_MTIME], -1);
        cr_assert_eq(m.packed, UINT64_MAX);
        cr_assert_null(m.user);
        cr_assert_null(m.xattrs);
        cr_assert_eq(get(c, "hard").meta.uid, 1000);
        check(c);
        lsr_catalogue_free(c);
}

static void expect_round_trip(struct lsr_catalogue *c)
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

Test(encoding, round_trip)
{
        struct lsr_builder *b = lsr_builder_new();

        expect_round_trip(make_full());
        expect_round_trip(finish(b));
}

/* Values on both sides of every width, in every kind of column. */
Test(encoding, widths)
{
        static const uint64_t edges[] = { 0,          1,
                                          127,        128,
                                          255,        256,
                                          32767,      32768,
                                          65535,      65536,
                                          INT32_MAX,  UINT64_C(1) << 31,
                                          UINT32_MAX, UINT64_C(1) << 32,
                                          INT64_MAX,  UINT64_C(1) << 63,
                                          UINT64_MAX };
        enum { N = sizeof(edges) / sizeof(*edges) };

        for (unsigned i = 0; i < N * N; i++) {
                struct lsr_builder *b = lsr_builder_new();

                for (unsigned k = 0; k < 3; k++) {
                        uint64_t v = edges[k == 1 ? i / N : i % N];
                        char path[2] = { (char)('a' + k), '\0' };
                        struct lsr_member m = member(path, S_IFREG | 0644);

                        m.meta.size = m.position = v;
                        m.meta.uid = (uint32_t)v;
                        m.meta.sec[LSR_MTIME] = (int64_t)v;
                        m.meta.nsec[LSR_MTIME] = (uint32_t)(v % 1000000000);
                        m.packed = ~v;
                        m.data = v << (i % 10);
                        cr_assert_eq(lsr_builder_add(b, &m), 0);
                }
                expect_round_trip(finish(b));
        }
}

/* An encoding to be damaged. */
struct damage {
        uint8_t *data;
        size_t size;
};

static struct damage damage_new(struct lsr_catalogue *c)
{
        struct damage d;

        cr_assert_eq(lsr_catalogue_encode(c, &d.data, &d.size), 0);
        lsr_catalogue_free(c);
        return d;
}

static uint8_t *damage_entry(const struct damage *d, unsigned id)
{
        for (unsigned i = 0; i < lsr_le16(d->data + 6); i++)
                if (lsr_le16(d->data + 24 + 24 * i) == id)
                        return d->data + 24 + 24 * i;
        cr_assert_fail("no column %u", id);
        return NULL;
}

static uint8_t *damage_column(const struct damage *d, unsigned id)
{
        return d->data + lsr_le64(damage_entry(d, id) + 8);
}

/* Decode from memory of that very size; what comes out must be safe. */
static int decode(const uint8_t *data, size_t size)
{
        struct lsr_catalogue *c;
        uint8_t *copy = malloc(size ? size : 1);
        int r;

        memcpy(copy, data, size);
        r = lsr_catalogue_decode(&c, copy, size);
        free(copy);
        if (r == 0) {
                check(c);
                lsr_catalogue_free(c);
        }
        return r;
}

Test(encoding, hostile_truncation)
{
        struct damage d = damage_new(make_full());

        /* The last column ends in padding, which nobody reads. */
        for (size_t size = 0; size < d.size - 7; size++)
                cr_assert_lt(decode(d.data, size), 0, "%zu", size);
        cr_assert_eq(decode(d.data, d.size), 0);
        free(d.data);
}

Test(encoding, hostile_bytes)
{
        struct damage d = damage_new(make_full());

        for (size_t i = 0; i < d.size; i++) {
                uint8_t byte = d.data[i];

                for (unsigned bit = 0; bit < 8; bit++) {
                        d.data[i] = (uint8_t)(byte ^ 1U << bit);
                        decode(d.data, d.size);
                }
                d.data[i] = 0;
                decode(d.data, d.size);
                d.data[i] = 0xff;
                decode(d.data, d.size);
                d.data[i] = byte;
        }
        free(d.data);
}

/* Several bytes at once reach what one alone does not. */
Test(encoding, hostile_noise)
{
        struct damage d = damage_new(make_full());
        uint8_t *copy = malloc(d.size);

        srand(1);
        for (unsigned round = 0; round < 20000; round++) {
                memcpy(copy, d.data, d.size);
                for (unsigned n = (unsigned)rand() % 6 + 2; n; n--) {
                        size_t from = (size_t)rand() % d.size, to = (size_t)rand() % d.size;

                        copy[to] = rand() % 2 ? (uint8_t)rand() : d.data[from];
                }
                decode(copy, d.size);
        }
        free(copy);
        free(d.data);
}

Test(encoding, bad_header)
{
        struct damage d = damage_new(make_full());

        d.data[0] = 'X';
        cr_assert_eq(decode(d.data, d.size), -EBADMSG);
        d.data[0] = 'L';
        d.data[4] = 2;
        cr_assert_eq(decode(d.data, d.size), -EOPNOTSUPP);
        d.data[4] = 1;
        lsr_put_le64(d.data + 8, UINT64_C(1) << 28);
        cr_assert_eq(decode(d.data, d.size), -EBADMSG);
        lsr_put_le64(d.data + 8, (UINT64_C(1) << 28) + 1);
        cr_assert_eq(decode(d.data, d.size), -E2BIG);
        lsr_put_le64(d.data + 8, 0);
        cr_assert_eq(decode(d.data, d.size), -EBADMSG);
        free(d.data);
}

/* The nanoseconds of mtime (52) under a number that nobody knows. */
Test(encoding, unknown_column)
{
        struct damage d = damage_new(make_full());
        uint8_t *entry = damage_entry(&d, 52);

        entry[0] = 200;
        cr_assert_eq(decode(d.data, d.size), 0);
        lsr_put_le64(entry + 8, UINT64_MAX);
        entry[2] = 3;
        entry[3] = 0x7f;
        cr_assert_eq(decode(d.data, d.size), 0);
        entry[3] = 0x80;
        cr_assert_eq(decode(d.data, d.size), -EOPNOTSUPP);
        free(d.data);
}

/* What bounds the memory must be there. */
Test(encoding, hostile_missing_columns)
{
        static const unsigned ids[] = { 1, 16, 24 };

        for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
                struct damage d = damage_new(make_full());
                uint8_t *entry = damage_entry(&d, ids[i]);

                entry[0] = 200;
                entry[3] = 0;
                cr_assert_eq(decode(d.data, d.size), -EBADMSG, "column %u", ids[i]);
                free(d.data);
        }
}

/* Change one byte of an entry and expect that result. */
static void expect_entry(unsigned id, size_t at, uint8_t value, int want)
{
        struct damage d = damage_new(make_full());

        damage_entry(&d, id)[at] = value;
        cr_assert_eq(decode(d.data, d.size), want, "column %u, entry byte %zu: %d", id, at, value);
        free(d.data);
}

Test(encoding, bad_entries)
{
        expect_entry(53, 0, 52, -EBADMSG);      /* twice the same column */
        expect_entry(32, 2, 0, -EBADMSG);       /* no width */
        expect_entry(32, 2, 3, -EBADMSG);       /* no such width */
        expect_entry(2, 2, 1, -EBADMSG);        /* a width of text */
        expect_entry(32, 2, 4, -EBADMSG);       /* not as long as the rows */
        expect_entry(32, 3, 0x10, -EOPNOTSUPP); /* an encoding of the future */
        expect_entry(32, 4, 64, -EBADMSG);      /* a shift by everything */
        expect_entry(32, 5, 1, -EBADMSG);       /* a shift beyond that */
        expect_entry(32, 8, 1, -EBADMSG);       /* not aligned */
        expect_entry(32, 15, 0x80, -EBADMSG);   /* begins behind the end */
        expect_entry(32, 23, 0x80, -EBADMSG);   /* ends behind the end */
        expect_entry(1, 0, 200, -EOPNOTSUPP);   /* names without lengths */
        expect_entry(16, 0, 200, -EOPNOTSUPP);  /* no table of attributes */
}

/* Set bytes of a column and expect that result. */
static void expect_column(unsigned id, size_t at, uint8_t value, int want)
{
        struct damage d = damage_new(make_full());

        damage_column(&d, id)[at] = value;
        cr_assert_eq(decode(d.data, d.size), want, "column %u, byte %zu: %d", id, at, value);
        free(d.data);
}

/*
 * Rows of make_full():   0 root, 1 d, 2 dangling, 3 empty, 4 hard, 5 link, 6 z, 7 d/dev, 8 d/full, 9 z/\xff
 * Names (column 2):      d dangling empty hard link z dev full \xff
 */
Test(encoding, bad_columns)
{
        expect_column(1, 0, 1, -EBADMSG); /* a name for the root */
        expect_column(1, 1, 0, -EBADMSG); /* none for another */
        expect_column(2, 0, '/', -EBADMSG);
        expect_column(2, 0, '\0', -EBADMSG);
        expect_column(2, 0, '.', -EBADMSG);
        expect_column(2, 0, 'x', -EBADMSG); /* out of order */
        expect_column(2, 0, 'c', 0);
        expect_column(3, 0, 5, -EBADMSG); /* children: too few, too many */
        expect_column(3, 0, 7, -EBADMSG);
        expect_column(3, 0, 0, -EBADMSG); /* the second row is nobody's */
        expect_column(4, 9, 100, -EBADMSG);
        expect_column(20, 1, 100, -EBADMSG); /* user: a string that is not there */
        expect_column(24, 0, 100, -EBADMSG); /* longer than all strings */
        expect_column(38, 4, 9, 0);          /* hard links: to another file */
        expect_column(38, 4, 0, -EBADMSG);   /* to none */
        expect_column(38, 4, 1, -EBADMSG);   /* to a directory */
        expect_column(38, 4, 2, -EBADMSG);   /* to a link */
        expect_column(38, 4, 4, -EBADMSG);   /* to itself */
        expect_column(38, 4, 10, -EBADMSG);  /* to no row */
        expect_column(38, 9, 8, -EBADMSG);   /* from what is no link */
        expect_column(36, 1, 1, -EBADMSG);   /* flags: a directory that is a link */
        expect_column(36, 8, 0x80, 0);       /* a flag of the future */
        expect_column(39, 5, 100, -EBADMSG); /* strings that are not there */
        expect_column(40, 5, 100, -EBADMSG);
        expect_column(41, 5, 100, -EBADMSG);
        expect_column(41, 5, 1, -EBADMSG);            /* "user" is no list of attributes */
        expect_column(52, 8 * 4 + 3, 0xff, -EBADMSG); /* more than a second */
}

/* Two names that are equal, and "..". */
Test(encoding, bad_names)
{
        static const struct {
                const char *a, *b;
        } cases[] = { { "aa", "aa" }, { "..", "zz" }, { "b", "a" }, { "ab", "a/" } };

        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                struct lsr_builder *b = lsr_builder_new();
                struct damage d;
                size_t len = strlen(cases[i].a);

                add_file(b, len == 2 ? "xx" : "x", 1);
                add_file(b, len == 2 ? "yy" : "y", 1);
                d = damage_new(finish(b));
                cr_assert_eq(decode(d.data, d.size), 0);
                memcpy(damage_column(&d, 2), cases[i].a, len);
                memcpy(damage_column(&d, 2) + len, cases[i].b, len);
                cr_assert_eq(decode(d.data, d.size), -EBADMSG, "%s %s", cases[i].a, cases[i].b);
                free(d.data);
        }
}

/* A chain of directories one longer than a builder would make it. */
Test(encoding, hostile_depth)
{
        static char path[2 * LSR_CATALOGUE_DEPTH_MAX];
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_member m = member("", S_IFDIR);
        struct damage d;

        memset(path, '/', sizeof(path));
        for (size_t i = 0; i < sizeof(path); i += 2)
                path[i] = 'a';
        m.path = path;
        m.path_len = sizeof(path) - 2;
        cr_assert_eq(lsr_builder_add(b, &m), 0);
        path[sizeof(path) - 2] = 'b';
        m.path_len = sizeof(path);
        cr_assert_eq(lsr_builder_add(b, &m), 0);
        path[sizeof(path) - 2] = 'c';
        m.meta.mode = S_IFREG;
        m.path_len = sizeof(path);
        cr_assert_eq(lsr_builder_add(b, &m), 0);
        d = damage_new(finish(b));
        cr_assert_eq(decode(d.data, d.size), 0);
        /* The lowest directory has "b" and "c"; now it has "b", and that has "c". */
        damage_column(&d, 3)[LSR_CATALOGUE_DEPTH_MAX - 1] = 1;
        damage_column(&d, 3)[LSR_CATALOGUE_DEPTH_MAX] = 1;
        cr_assert_eq(decode(d.data, d.size), -E2BIG);
        free(d.data);
}

static uint32_t noise_state;

static uint32_t noise(uint32_t n)
{
        noise_state = noise_state * 1664525 + 1013904223;
        return (noise_state >> 8) % n;
}

/* Many members, with many names alike: every path is found, nothing else is there. */
Test(catalogue, many)
{
        enum { N = 200000 };
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_catalogue *c;
        char path[64];

        noise_state = 1;
        for (unsigned i = 0; i < N; i++) {
                sprintf(path, "%03u/%s%u/a-long-common-prefix-%u", noise(1000), noise(2) ? "x" : "yy", noise(10), i);
                add_file(b, path, i);
        }
        for (unsigned i = 0; i < 20000; i++) {
                sprintf(path, "flat/%x", noise(10000));
                add_file(b, path, i);
        }
        c = finish(b);
        check(c);
        noise_state = 1;
        for (unsigned i = 0; i < N; i++) {
                sprintf(path, "%03u/%s%u/a-long-common-prefix-%u", noise(1000), noise(2) ? "x" : "yy", noise(10), i);
                cr_assert_eq(size_of(c, path), i);
        }
        cr_assert_lt(lsr_catalogue_children(c, (uint32_t)find(c, "flat")).n, 10000);
        expect_round_trip(c);
}

/* A million in one directory, in the worst of orders. */
Test(catalogue, million)
{
        enum { N = 1000000 };
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_catalogue *c;
        char path[16];

        for (unsigned i = 0; i < N; i++) {
                sprintf(path, "%u", i ^ 0x5555);
                add_file(b, path, i ^ 0x5555);
        }
        cr_assert_eq(lsr_builder_count(b), N);
        c = finish(b);
        cr_assert_eq(lsr_catalogue_children(c, 0).n, N);
        lsr_catalogue_free(c);
}

/* Numbers that add up, but not to a tree: "a" below itself, and a root with a name. */
Test(encoding, hostile_tree)
{
        struct lsr_builder *b = lsr_builder_new();
        struct damage d;

        add_dir(b, "a/b", 1);
        d = damage_new(finish(b));
        damage_column(&d, 3)[0] = 0;
        damage_column(&d, 3)[1] = 2;
        cr_assert_eq(decode(d.data, d.size), -EBADMSG);
        free(d.data);

        b = lsr_builder_new();
        add_file(b, "ab", 1);
        d = damage_new(finish(b));
        damage_column(&d, 1)[0] = damage_column(&d, 1)[1] = 1;
        cr_assert_eq(decode(d.data, d.size), -EBADMSG);
        free(d.data);
}

/* All that is to be stored of a column is its base. */
Test(encoding, constant)
{
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_member m = member("./", S_IFDIR | 0755);

        m.meta.sec[LSR_MTIME] = 1700000000;
        cr_assert_eq(lsr_builder_add(b, &m), 0);
        expect_round_trip(finish(b));
}
