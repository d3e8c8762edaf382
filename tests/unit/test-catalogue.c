/* The catalogue: what the builder makes of members, and how rows are found. */
#include "catalogues.h"

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
        expect_raw("/b", 2, "b", "/b");
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
        cr_assert_eq(get(c, "file-then-below").flags, LSR_MEMBER_IMPLIED | LSR_MEMBER_SHADOWS);
        cr_assert_eq(get(c, "twice").flags, LSR_MEMBER_SHADOWS);
        cr_assert_eq(get(c, "dir-dir").flags, 0);
        cr_assert_eq(get(c, "dir-dir/x").flags, 0);
        cr_assert_eq(size_of(c, "dir-then-file"), 8);
        cr_assert_eq(size_of(c, "full-then-file"), 9);
        cr_assert_eq(size_of(c, "dir-file-dir"), 14);
        cr_assert_eq(size_of(c, "file-dir-file"), 17);
        cr_assert_eq(size_of(c, "dir-dir"), 20);
        cr_assert_eq(get(c, "late").flags, LSR_MEMBER_IMPLIED | LSR_MEMBER_SHADOWS);
        lsr_catalogue_free(c);
}

static void add_dated(struct lsr_builder *b, const char *path, int64_t sec, uint32_t nsec)
{
        struct lsr_member m = { .path = path, .path_len = strlen(path), .packed = UINT64_MAX };

        m.meta.known = LSR_FIELD_TYPE | LSR_FIELD_MTIME;
        m.meta.mode = path[strlen(path) - 1] == '/' ? S_IFDIR : S_IFREG;
        m.meta.sec[LSR_MTIME] = sec;
        m.meta.nsec[LSR_MTIME] = nsec;
        cr_assert_eq(lsr_builder_add(b, &m), 0);
}

Test(catalogue, newest_below)
{
        static const struct {
                const char *dir, *newest;
        } cases[] = { { "a", "a/b/c/late" },
                      { "a/b", "a/b/c/late" },
                      { "a/b/c", "a/b/c/late" },
                      { "before", "before/1970" },
                      { "stored", "stored/sub" } };
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_catalogue *c;

        add_dated(b, "a/early", 5, 0);
        add_dated(b, "a/b/c/late", 7, 2);
        add_dated(b, "a/b/c/nearly", 7, 1);
        add_dated(b, "before/1970", -3, 0);
        add_dated(b, "before/earlier", -4, 9);
        add_dated(b, "stored/sub/", 9, 0);
        add_dated(b, "stored/sub/x", 8, 0);
        cr_assert_eq(lsr_builder_add(b, &(struct lsr_member){ .path = "none/x", .path_len = 6 }), 0);
        c = finish(b);
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                int64_t dir = lsr_catalogue_find(c, 0, cases[i].dir, strlen(cases[i].dir));
                int64_t newest = lsr_catalogue_find(c, 0, cases[i].newest, strlen(cases[i].newest));

                cr_assert_gt(newest, 0);
                cr_assert_eq(lsr_catalogue_newest(c, (uint32_t)dir), (uint32_t)newest, "%s", cases[i].dir);
        }
        cr_assert_eq(lsr_catalogue_newest(c, (uint32_t)lsr_catalogue_find(c, 0, "none", 4)), 0);
        lsr_catalogue_free(c);
}

/* Where not all that is below is here, nobody knows; equal times, and none at all, are no reason to think so. */
Test(catalogue, newest_of_what_is_here)
{
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_member m = member("a/unread", S_IFDIR | 0755);
        struct lsr_catalogue *c;

        m.flags = LSR_MEMBER_UNREAD;
        m.meta.known &= ~(unsigned)LSR_FIELD_MTIME;
        cr_assert_eq(lsr_builder_add(b, &m), 0);
        add_dated(b, "a/x", 5, 0);
        add_dated(b, "b/same", 5, 0);
        add_dated(b, "b/too", 5, 0);
        add_dated(b, "b/c/early", 5, 0);
        c = finish(b);
        cr_assert_eq(lsr_catalogue_newest(c, (uint32_t)find(c, "a")), 0);
        cr_assert_eq(lsr_catalogue_newest(c, 0), 0);
        cr_assert_eq(get(c, "b/same").meta.sec[LSR_MTIME], 5);
        cr_assert_gt(lsr_catalogue_newest(c, (uint32_t)find(c, "b")), 0);
        lsr_catalogue_free(c);
        /* An answer of which rows have numbers is a part. */
        b = lsr_builder_new();
        m = member("d/f", S_IFREG | 0644);
        m.meta.known |= LSR_FIELD_INODE;
        m.meta.inode = 7;
        m.meta.sec[LSR_MTIME] = 5;
        cr_assert_eq(lsr_builder_add(b, &m), 0);
        c = finish(b);
        cr_assert_eq(lsr_catalogue_newest(c, (uint32_t)find(c, "d")), 0);
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
                cr_assert_eq(lsr_builder_add(b, &m), -ENAMETOOLONG);
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

static uint32_t noise_state;

static uint32_t noise(uint32_t n)
{
        noise_state = noise_state * 1664525 + 1013904223;
        return (noise_state >> 8) % n;
}

/*
 * A directory that is implied counts as much as a member, and texts count by their bytes.  What came before is listed.
 */
Test(catalogue, limit)
{
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_catalogue *c;
        struct lsr_member m = { .path = "a/b/c", .path_len = 5 };

        lsr_builder_limit(b, 4 * (LSR_BUILDER_ROW + 1));
        cr_assert_eq(lsr_builder_add(b, &m), 0);
        cr_assert_eq(lsr_builder_taken(b), 3 * (LSR_BUILDER_ROW + 1));
        m.path = "a/b/d";
        cr_assert_eq(lsr_builder_add(b, &m), 0);
        m.path = "a/b/e";
        cr_assert_eq(lsr_builder_add(b, &m), -EFBIG);
        cr_assert_eq(lsr_builder_count(b), 2);
        c = finish(b);
        check(c);
        cr_assert_str_eq(paths(c), "a/ a/b/ a/b/c a/b/d");
        cr_assert_geq(lsr_catalogue_size(c), 5 * LSR_BUILDER_ROW);
        lsr_catalogue_free(c);

        /* What a member is called where it comes from. */
        b = lsr_builder_new();
        lsr_builder_limit(b, LSR_BUILDER_ROW + 100);
        m.path =
                "////////////////////////////////////////////////////////////////////////////////////////////////////f";
        m.path_len = strlen(m.path);
        cr_assert_eq(lsr_builder_add(b, &m), -EFBIG);
        cr_assert_eq(lsr_builder_reset(b), 0);
        cr_assert_eq(lsr_builder_taken(b), 0);
        m.path = "f";
        m.path_len = 1;
        cr_assert_eq(lsr_builder_add(b, &m), 0);
        lsr_builder_free(b);
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

/* --- a relay ----------------------------------------------------------------------- */

struct relayed {
        unsigned members;
        unsigned resets;
};

static int relay_put(void *ctx, const struct lsr_member *m)
{
        struct relayed *got = ctx;

        if (!m)
                got->resets++;
        else
                got->members++;
        return got->members > 3 ? -E2BIG : 0;
}

Test(builder, relays)
{
        struct relayed got = { 0, 0 };
        struct lsr_builder *b = lsr_builder_new_relay(relay_put, &got);
        static const struct {
                const char *path;
                uint32_t mode;
                int expected;
        } paths[] = {
                { "", S_IFREG, 1 },     { "./", S_IFREG, 1 },  { "a/..", S_IFREG, 1 }, { "/", S_IFDIR, 0 },
                { "a/.c", S_IFREG, 0 }, { "../", S_IFREG, 1 }, { ".x", S_IFREG, 0 },   { "b", S_IFREG, -E2BIG },
        };

        for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
                struct lsr_member m = {
                        .path = paths[i].path,
                        .path_len = strlen(paths[i].path),
                        .meta = { .known = LSR_FIELD_TYPE, .mode = paths[i].mode },
                };

                cr_assert_eq(lsr_builder_add(b, &m), paths[i].expected, "'%s'", paths[i].path);
        }
        cr_assert_eq(lsr_builder_count(b), 3);
        got.members = 0;
        cr_assert_eq(lsr_builder_reset(b), 0);
        cr_assert_eq(got.resets, 1);
        cr_assert_eq(lsr_builder_count(b), 0);
        cr_assert_eq(got.members, 0);
        lsr_builder_free(b);
}

Test(builder, forgets_when_reset)
{
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_member m = { .path = "x/y", .path_len = 3 };
        struct lsr_catalogue *c;

        cr_assert_eq(lsr_builder_add(b, &m), 0);
        cr_assert_eq(lsr_builder_reset(b), 0);
        m.path = "z";
        m.path_len = 1;
        cr_assert_eq(lsr_builder_add(b, &m), 0);
        cr_assert_eq(lsr_builder_finish(b, &c), 0);
        cr_assert_eq(lsr_catalogue_rows(c), 2);
        cr_assert_eq(lsr_catalogue_find(c, 0, "x", 1), -ENOENT);
        lsr_catalogue_free(c);
        lsr_builder_free(b);
}
