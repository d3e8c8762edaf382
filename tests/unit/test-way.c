/* A lookup in the members that a way wants is that in all members. */
#include "catalogue/way.h"

#include "base/arena.h"
#include "catalogues.h"

#define WAY_MEMBERS 40u
#define WAY_PATH_MAX 64u

static uint32_t way_state;

static unsigned way_random(unsigned below)
{
        way_state = way_state * 1664525 + 1013904223;
        return (way_state >> 8) % below;
}

/* Components that are equal often, long ones, and everything that cleaning takes away. */
static size_t way_path(char *buf)
{
        static const char *const parts[] = {
                "a", "b", "ab", "a-long-component", "a-long-componenx", ".a", ".", "", "..", "a.", "b..", "a\0b"
        };
        unsigned n = 1 + way_random(5);
        size_t len = 0;

        for (unsigned i = 0; i < n && len + 20 < WAY_PATH_MAX; i++) {
                unsigned part = way_random(10) ? way_random(4) : way_random(12);
                size_t part_len = part == 11 ? 3 : strlen(parts[part]);

                if (i > 0 || way_random(20) == 0)
                        buf[len++] = '/';
                memcpy(buf + len, parts[part], part_len);
                len += part_len;
        }
        if (way_random(4) == 0)
                buf[len++] = '/';
        if (way_random(30) == 0)
                buf[len++] = '/';
        return len;
}

struct way_members {
        unsigned n;
        struct way_one {
                char path[WAY_PATH_MAX];
                size_t len;
                bool dir;
        } of[WAY_MEMBERS];
};

static void way_add(struct lsr_builder *b, const struct way_one *one, unsigned number)
{
        struct lsr_member m = {
                .path = one->path,
                .path_len = one->len,
                .meta = { .known = LSR_FIELD_TYPE | LSR_FIELD_MODE,
                          .mode = one->dir ? S_IFDIR | 0755 : S_IFREG | 0644 },
                .position = number,
        };

        cr_assert_geq(lsr_builder_add(b, &m), 0);
}

/* Every component of @path leads to the same in both. */
static void way_compare(const struct lsr_catalogue *all, const struct lsr_catalogue *only, const char *path)
{
        int64_t a = 0, o = 0;

        for (const char *at = path, *end; a >= 0; at = end + 1) {
                struct lsr_member x, y;

                lsr_catalogue_get(all, (uint32_t)a, &x);
                lsr_catalogue_get(only, (uint32_t)o, &y);
                cr_assert_eq(x.position, y.position, "'%s' in '%s'", at, path);
                cr_assert_eq(x.meta.mode, y.meta.mode, "'%s' in '%s'", at, path);
                cr_assert_eq(x.flags, y.flags);
                end = strchrnul(at, '/');
                a = lsr_catalogue_find(all, (uint32_t)a, at, (size_t)(end - at));
                o = lsr_catalogue_find(only, (uint32_t)o, at, (size_t)(end - at));
                cr_assert(a < 0 ? a == o : o >= 0, "'%s' in '%s': %lld and %lld", at, path, (long long)a, (long long)o);
                if (!*end)
                        break;
        }
}

static struct lsr_catalogue *way_only(const struct way_members *members, struct lsr_way *w)
{
        struct lsr_builder *b = lsr_builder_new();

        for (unsigned i = 0; i < members->n; i++)
                if (lsr_way_wants(w, members->of[i].path, members->of[i].len, false))
                        way_add(b, &members->of[i], i + 1);
        return finish(b);
}

Test(way, is_as_good_as_all)
{
        for (way_state = 1; way_state < 3000000000; way_state += 1000003) {
                const uint32_t seed = way_state;
                struct way_members members = { .n = 1 + way_random(WAY_MEMBERS) };
                struct lsr_builder *b = lsr_builder_new();
                char path[WAY_PATH_MAX + 1];
                struct lsr_catalogue *all;
                struct lsr_way w;

                for (unsigned i = 0; i < members.n; i++) {
                        members.of[i].len = way_path(members.of[i].path);
                        members.of[i].dir = way_random(3) == 0;
                        way_add(b, &members.of[i], i + 1);
                }
                all = finish(b);
                path[way_path(path)] = '\0';
                if (lsr_way_begin(&w, path)) {
                        for (unsigned again = 0; again < 2; again++) {
                                struct lsr_catalogue *only = way_only(&members, &w);

                                way_compare(all, only, path);
                                lsr_catalogue_free(only);
                                lsr_way_again(&w);
                        }
                        lsr_way_end(&w);
                } else {
                        cr_assert_not_null(strstr(path, ".."));
                }
                lsr_catalogue_free(all);
                way_state = seed;
        }
}

/* What is below two directories is the same. */
static void way_compare_below(const struct lsr_catalogue *all, uint32_t a, const struct lsr_catalogue *only, uint32_t o)
{
        struct lsr_slice x = lsr_catalogue_children(all, a), y = lsr_catalogue_children(only, o);

        cr_assert_eq(x.n, y.n);
        for (uint32_t i = 0; i < x.n; i++) {
                struct lsr_member m, n;

                lsr_catalogue_get(all, x.first + i, &m);
                lsr_catalogue_get(only, y.first + i, &n);
                cr_assert_str_eq(m.path, n.path);
                cr_assert_eq(m.position, n.position, "'%s'", m.path);
                cr_assert_eq(m.meta.mode, n.meta.mode, "'%s'", m.path);
                cr_assert_eq(m.meta.nlink, n.meta.nlink, "'%s'", m.path);
                way_compare_below(all, x.first + i, only, y.first + i);
        }
}

Test(way, lists_as_all_does)
{
        unsigned compared = 0;

        for (way_state = 1; way_state < 3000000000; way_state += 1000003) {
                const uint32_t seed = way_state;
                struct way_members members = { .n = 1 + way_random(WAY_MEMBERS) };
                struct lsr_builder *b = lsr_builder_new(), *some = lsr_builder_new();
                struct lsr_catalogue *all, *only;
                char path[WAY_PATH_MAX + 1];
                struct lsr_way w;

                for (unsigned i = 0; i < members.n; i++) {
                        members.of[i].len = way_path(members.of[i].path);
                        members.of[i].dir = way_random(3) == 0;
                        way_add(b, &members.of[i], i + 1);
                }
                all = finish(b);
                do
                        path[way_path(path)] = '\0';
                while (!lsr_way_begin(&w, path));
                w.lists = true;
                for (unsigned i = 0; i < members.n; i++)
                        if (lsr_way_wants(&w, members.of[i].path, members.of[i].len, members.of[i].dir))
                                way_add(some, &members.of[i], i + 1);
                only = finish(some);
                way_compare(all, only, path);
                if (lsr_catalogue_find(all, 0, path, strlen(path)) > 0) {
                        int64_t a = lsr_catalogue_find(all, 0, path, strlen(path));
                        int64_t o = lsr_catalogue_find(only, 0, path, strlen(path));

                        way_compare_below(all, (uint32_t)a, only, (uint32_t)o);
                        compared++;
                }
                lsr_way_end(&w);
                lsr_catalogue_free(all);
                lsr_catalogue_free(only);
                way_state = seed;
        }
        cr_expect_gt(compared, 100);
}

/* Of what is beside the way a member for each directory, which ".." counts. */
Test(way, lists_few)
{
        static const struct {
                const char *path;
                bool dir, wanted;
        } members[] = {
                { "a/b/c", false, true },  { "a/b/d/e", false, true },  { "a/x/1", false, true },
                { "a/x/2", false, false }, { "a/x/y/3", false, false }, { "a/file", false, false },
                { "a/odd", true, true },   { "a/end/", false, true },   { "b/1", false, true },
                { "b/2", false, false },   { "ab/1", false, true },     { "file", false, false },
                { "a/bb", false, false },  { "a/b", true, true },       { "a", true, true },
                { "a/x/4", false, false },
        };
        struct lsr_ways ways;
        const char *paths[] = { "a/b" }, *root[] = { "a/b", "./" };

        cr_assert(lsr_ways_begin(&ways, paths, 1, true));
        for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
                cr_expect_eq(lsr_ways_want(&ways, members[i].path, strlen(members[i].path), members[i].dir),
                             members[i].wanted, "%s", members[i].path);
        lsr_ways_end(&ways);
        cr_expect_not(lsr_ways_begin(&ways, root, 2, true));
        cr_assert(lsr_ways_begin(&ways, root, 2, false));
        lsr_ways_end(&ways);
}

Test(way, leaves_out_the_rest)
{
        static const struct {
                const char *path;
                bool wanted;
        } members[] = {
                { "a/other", true },    { "a/another", false }, { "b", false },      { "a/b/c/d", true },
                { "a/b/x/y/z", false }, { "a/b/c", true },      { "./a//b/", true }, { "a/b/c", true },
                { "a/b/cc", false },    { "", true },           { "aa/b/c", false }, { "x/../a/b", true },
                { "a/b/c/e", false },
        };
        struct lsr_way w;

        cr_assert(lsr_way_begin(&w, "/a/./b//c/"));
        for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
                cr_assert_eq(lsr_way_wants(&w, members[i].path, strlen(members[i].path), false), members[i].wanted,
                             "%s", members[i].path);
        lsr_way_end(&w);
        /* Wherever in a word of the path it is that cleaning takes away. */
        cr_assert(lsr_way_begin(&w, "a/b"));
        for (size_t n = 1; n < 32; n++) {
                static const char *const odd[] = { "/../a/b", "/./../a/b", "//../a/b" };
                char path[64];

                for (size_t i = 0; i < 3; i++) {
                        snprintf(path, sizeof(path), "%.*s%s", (int)n, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", odd[i]);
                        cr_assert(lsr_way_wants(&w, path, strlen(path), false), "%s", path);
                }
        }
        lsr_way_end(&w);
        cr_assert_not(lsr_way_begin(&w, "a/../b"));
        cr_assert_not(lsr_way_begin(&w, ".."));
        cr_assert(lsr_way_begin(&w, ""));
        cr_assert_not(lsr_way_wants(&w, "a", 1, false));
        lsr_way_end(&w);
}

/* Whoever takes the members is to complain of what is too deep, and it makes no directory. */
Test(way, too_deep)
{
        size_t n = 2 * (LSR_CATALOGUE_DEPTH_MAX + 1) - 1;
        char *path = lsr_xmalloc(n);
        struct lsr_way w;

        for (size_t i = 0; i < n; i++)
                path[i] = i % 2 ? '/' : 'd';
        cr_assert(lsr_way_begin(&w, "x/y"));
        cr_assert(lsr_way_wants(&w, path, n, false));
        cr_assert_not(lsr_way_wants(&w, path, n - 2, false));
        lsr_way_end(&w);
        cr_assert(lsr_way_begin(&w, "d/y"));
        cr_assert(lsr_way_wants(&w, path, n, false));
        cr_assert(lsr_way_wants(&w, "d/x", 3, false));
        lsr_way_end(&w);
        free(path);
}
