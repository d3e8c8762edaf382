/* Access control lists from text, and directories that nothing leads out of. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "catalogue/builder.h"
#include "catalogue/acl.h"
#include "unpack/tree.h"

/* --- lists -------------------------------------------------------------------------- */

static void acl_is(const char *text, const uint16_t (*entries)[4], size_t n)
{
        uint8_t *value = NULL;
        size_t size = 0;

        cr_assert_eq(lsr_acl_from_text(text, strlen(text), &value, &size), 0, "%s", text);
        cr_assert_eq(size, 4 + 8 * n, "%s", text);
        cr_assert_eq(memcmp(value, "\2\0\0\0", 4), 0);
        for (size_t i = 0; i < n; i++)
                for (unsigned j = 0; j < 4; j++)
                        cr_assert_eq(value[4 + 8 * i + 2 * j] | value[5 + 8 * i + 2 * j] << 8, entries[i][j],
                                     "%s: entry %zu", text, i);
        free(value);
}

Test(unpack, reads_lists)
{
        static const uint16_t plain[][4] = { { 1, 6, 0xffff, 0xffff },
                                             { 4, 4, 0xffff, 0xffff },
                                             { 32, 0, 0xffff, 0xffff } };
        static const uint16_t readable[][4] = { { 1, 6, 0xffff, 0xffff },
                                                { 4, 4, 0xffff, 0xffff },
                                                { 32, 4, 0xffff, 0xffff } };
        static const uint16_t named[][4] = { { 1, 7, 0xffff, 0xffff },  { 2, 6, 0, 0 },           { 2, 4, 55, 0 },
                                             { 2, 1, 0x1170, 1 },       { 4, 4, 0xffff, 0xffff }, { 8, 3, 9, 0 },
                                             { 16, 7, 0xffff, 0xffff }, { 32, 4, 0xffff, 0xffff } };

        acl_is("user::rw-,group::r--,other::---", plain, 3);
        acl_is("other::---\ngroup::r--\nuser::rw-\n", plain, 3);
        acl_is("u::rw,g::r,o:-", plain, 3);
        acl_is("u::rw,g::r,other:---", plain, 3);
        acl_is("u::rw,g::r,o:r", readable, 3);
        /* root is 0 everywhere; who is known to nobody has a number behind. */
        acl_is("mask::rwx,user::rwx,user:nobody-of-that-name:--x:70000,user:55:r--,user:root:rw-:77,"
               "group::r--,other::r--,group:9:-wx",
               named, 8);
}

Test(unpack, refuses_what_is_no_list)
{
        static const char *const bad[] = { "",    ",", "wheel::rwx", "user::rwz", "user:-1:rwx", "user:4294967295:rwx",
                                           ":::", "x" };
        uint8_t *value;
        size_t size;

        for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
                cr_assert_lt(lsr_acl_from_text(bad[i], strlen(bad[i]), &value, &size), 0, "'%s'", bad[i]);
        cr_assert_eq(lsr_acl_from_text("user:nobody-of-that-name:rwx", 28, &value, &size), -ENOENT);
}

/* --- directories ---------------------------------------------------------------------- */

static struct lsr_catalogue *tree_catalogue(const char *const *paths)
{
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_catalogue *c = NULL;

        for (; *paths; paths++)
                cr_assert_eq(lsr_builder_add(b, &(struct lsr_member){ .path = *paths, .path_len = strlen(*paths) }), 0);
        cr_assert_eq(lsr_builder_finish(b, &c), 0);
        lsr_builder_free(b);
        return c;
}

static uint32_t tree_row(const struct lsr_catalogue *c, const char *path)
{
        return (uint32_t)lsr_catalogue_find(c, 0, path, strlen(path));
}

static bool tree_same(int fd, const char *path)
{
        struct stat a, b;

        return fd >= 0 && fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

Test(unpack, leads_nowhere_else)
{
        static const char *const paths[] = { "d/e/f", "link/e/f", "d/out/e/f", NULL };
        char dir[] = "/tmp/test-unpack-XXXXXX";
        struct lsr_catalogue *c = tree_catalogue(paths);

        cr_assert_not_null(mkdtemp(dir));
        cr_assert_eq(chdir(dir), 0);
        cr_assert_eq(system("mkdir -p t/d/e other/e && ln -s ../other t/link && ln -s ../../other t/d/out"), 0);
        for (int by_hand = 0; by_hand < 2; by_hand++) {
                struct lsr_tree t;
                int fd;

                cr_assert_eq(lsr_tree_open(&t, "t", c, 0, 0), 0);
                t.no_openat2 = by_hand;
                cr_assert(tree_same(lsr_tree_dir(&t, 0), "t"));
                cr_assert(tree_same(lsr_tree_dir(&t, tree_row(c, "d/e")), "t/d/e"));
                cr_assert(tree_same(lsr_tree_dir(&t, tree_row(c, "d")), "t/d"));
                cr_assert(tree_same(lsr_tree_dir(&t, tree_row(c, "d/e")), "t/d/e"));
                cr_assert_lt(lsr_tree_dir(&t, tree_row(c, "link")), 0);
                cr_assert_lt(lsr_tree_dir(&t, tree_row(c, "d/out")), 0);
                fd = lsr_tree_open_dir(&t, tree_row(c, "d/e"), O_RDONLY);
                cr_assert(tree_same(fd, "t/d/e"));
                close(fd);
                cr_assert_lt(lsr_tree_open_dir(&t, tree_row(c, "link"), O_RDONLY), 0);
                cr_assert_lt(lsr_tree_open_dir(&t, tree_row(c, "link/e"), O_RDONLY), 0);
                cr_assert_lt(lsr_tree_dir(&t, tree_row(c, "link/e")), 0);
                cr_assert_lt(lsr_tree_dir(&t, tree_row(c, "d/out/e")), 0);
                /* A kernel without it says so. */
                cr_assert(t.no_openat2 == by_hand || (syscall(SYS_openat2, -1, NULL, NULL, 0) < 0 && errno == ENOSYS));
                lsr_tree_close(&t);
                /* Below a base, paths begin there. */
                cr_assert_eq(lsr_tree_open(&t, "t/d", c, tree_row(c, "d"), 0), 0);
                t.no_openat2 = by_hand;
                cr_assert(tree_same(lsr_tree_dir(&t, tree_row(c, "d/e")), "t/d/e"));
                cr_assert_lt(lsr_tree_dir(&t, tree_row(c, "d/out")), 0);
                lsr_tree_close(&t);
                /* Without their first components, too. */
                cr_assert_eq(lsr_tree_open(&t, "t/d", c, 0, 1), 0);
                t.no_openat2 = by_hand;
                cr_assert(tree_same(lsr_tree_dir(&t, tree_row(c, "d")), "t/d"));
                cr_assert(tree_same(lsr_tree_dir(&t, tree_row(c, "link")), "t/d"));
                cr_assert(tree_same(lsr_tree_dir(&t, tree_row(c, "d/e")), "t/d/e"));
                cr_assert_lt(lsr_tree_dir(&t, tree_row(c, "d/out")), 0);
                lsr_tree_close(&t);
        }
        lsr_catalogue_free(c);
        cr_assert_eq(system("rm -r t other"), 0);
        rmdir(dir);
}

Test(unpack, deeper_than_a_path_may_be)
{
        char dir[] = "/tmp/test-unpack-XXXXXX", path[2 * 3000 + 3] = "";
        const char *paths[] = { path, NULL };
        struct lsr_catalogue *c;
        struct lsr_tree t;
        uint32_t row = 0;

        cr_assert_not_null(mkdtemp(dir));
        for (size_t i = 0; i < 3000; i++)
                memcpy(path + 2 * i, "a/", 2);
        memcpy(path + 6000, "f", 2);
        c = tree_catalogue(paths);
        cr_assert_eq(lsr_tree_open(&t, dir, c, 0, 0), 0);
        for (size_t i = 0; i < 3000; i++) {
                int fd = lsr_tree_dir(&t, row);

                cr_assert_geq(fd, 0, "%zu: %s", i, strerror(-fd));
                cr_assert_eq(mkdirat(fd, "a", 0700), 0);
                row = lsr_catalogue_children(c, row).first;
        }
        for (size_t i = 3000; i-- > 0; row = lsr_catalogue_parent(c, row)) {
                int fd = lsr_tree_open_dir(&t, row, O_RDONLY);

                cr_assert_geq(fd, 0, "%zu: %s", i, strerror(-fd));
                close(fd);
                if (i < 2990)
                        continue;
                fd = lsr_tree_dir(&t, lsr_catalogue_parent(c, row));
                cr_assert_eq(unlinkat(fd, "a", AT_REMOVEDIR), 0);
        }
        lsr_tree_close(&t);
        lsr_catalogue_free(c);
        snprintf(path, sizeof(path), "rm -r %s", dir);
        cr_assert_eq(system(path), 0);
}

Test(unpack, names)
{
        cr_assert(lsr_tree_name_valid("a") && lsr_tree_name_valid("...") && lsr_tree_name_valid(".a"));
        cr_assert(!lsr_tree_name_valid("") && !lsr_tree_name_valid(".") && !lsr_tree_name_valid(".."));
        cr_assert(!lsr_tree_name_valid("a/b") && !lsr_tree_name_valid("/"));
}
