/*
 * Allocations of the catalogue that fail, each in turn: what cannot be had is -ENOMEM and leaves nothing behind, and
 * what can is what it always is.
 */
#include "base/arena.h"
#include "catalogues.h"

static unsigned starved_count, starved_at = UINT32_MAX;

void *__real_lsr_try_realloc(void *p, size_t size, size_t n);
void *__wrap_lsr_try_realloc(void *p, size_t size, size_t n);
void *__wrap_lsr_try_realloc(void *p, size_t size, size_t n)
{
        return starved_count++ == starved_at ? NULL : __real_lsr_try_realloc(p, size, n);
}

/*
 * A new builder is had or the program ends, also where finishing one makes it new again: these allocations, as many
 * each time, are not what fails.
 */
static unsigned fresh;

static struct lsr_builder *builder_fresh(void)
{
        unsigned before = starved_count, at = starved_at;
        struct lsr_builder *b;

        starved_at = UINT32_MAX;
        b = lsr_builder_new();
        fresh = starved_count - before;
        starved_count = before;
        starved_at = at;
        return b;
}

static bool fill_links = true; /* hard ones, too */

/* Names, owners, targets, attributes: more of each than there is room for at first, and every column. */
static int fill(struct lsr_builder *b)
{
        static const uint8_t xattrs[] = "user.a\0\3\0\0\0xyz";
        int r = 0;

        for (unsigned i = 0; i < 700 && r == 0; i++) {
                struct lsr_member m = { .packed = i, .position = UINT64_C(1) << 40 | i, .data = i };
                char path[300], user[20], target[20];

                snprintf(
                        path, sizeof(path), "%sd%u/f%u%.*s", i % 50 ? "" : "/", i % 20, i, (int)(i % 200),
                        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
                snprintf(user, sizeof(user), "user-%u", i % 100);
                snprintf(target, sizeof(target), i % 3 ? "d1/f1x" : "target-%u", i);
                m.path = path;
                m.path_len = strlen(path);
                m.meta.known = FIELDS | LSR_FIELD_ATIME | LSR_FIELD_CTIME | LSR_FIELD_BTIME;
                m.meta.mode = (i % 7 == 3 ? S_IFLNK : S_IFREG) | (i % 512);
                m.meta.uid = i;
                m.meta.gid = 2 * i;
                m.meta.size = i * 1000;
                for (unsigned t = 0; t < LSR_TIMES; t++) {
                        m.meta.sec[t] = 1700000000 + i * t;
                        m.meta.nsec[t] = i;
                }
                m.user = user;
                m.group = i % 2 ? user : NULL;
                m.method = i % 2 ? "deflate" : "store";
                if (i % 7 == 3 || (fill_links && i % 11 == 4)) {
                        m.target = target;
                        m.target_len = strlen(target);
                        m.flags |= i % 7 == 3 ? 0 : LSR_MEMBER_HARDLINK;
                }
                if (i % 13 == 5) {
                        m.xattrs = xattrs;
                        m.xattrs_len = sizeof(xattrs) - 1;
                }
                r = lsr_builder_add(b, &m);
                r = r > 0 ? 0 : r;
        }
        return r;
}

/* -ENOMEM, or 0 with *ret_catalogue. */
static int build(struct lsr_catalogue **ret_catalogue)
{
        struct lsr_builder *b = builder_fresh();
        int r = fill(b);

        if (r == 0)
                r = lsr_builder_finish(b, ret_catalogue);
        lsr_builder_free(b);
        return r;
}

static int sub(const uint8_t *data, size_t size, struct lsr_catalogue **ret_catalogue)
{
        static const char *const paths[] = { "d1", "d4/f4xxxx" };
        struct lsr_catalogue_source source = { .data = data, .size = size };
        struct lsr_builder *b = builder_fresh();
        uint64_t members;
        int r = lsr_catalogue_subtree(&source, paths, 2, false, b, &members);

        if (r == 0)
                r = lsr_builder_finish(b, ret_catalogue);
        lsr_builder_free(b);
        return r;
}

static struct lsr_catalogue *whole, *part;
static uint8_t *encoded, *plain; /* the latter without hard links, as parts are taken only of such */
static size_t encoded_n, plain_n;

static int step_build(void)
{
        struct lsr_catalogue *c = NULL;
        int r = build(&c);

        if (r == 0)
                expect_same(c, whole);
        lsr_catalogue_free(c);
        return r;
}

static int step_encode(void)
{
        uint8_t *data = NULL;
        size_t n = 0;
        int r = lsr_catalogue_encode(whole, &data, &n);

        if (r == 0) {
                cr_assert_eq(n, encoded_n);
                cr_assert_eq(memcmp(data, encoded, n), 0);
        }
        free(data);
        return r;
}

static int step_decode(void)
{
        struct lsr_catalogue *c = NULL;
        int r = lsr_catalogue_decode(&c, encoded, encoded_n);

        if (r == 0)
                expect_same(c, whole);
        lsr_catalogue_free(c);
        return r;
}

static int step_subtree(void)
{
        struct lsr_catalogue *c = NULL;
        int r = sub(plain, plain_n, &c);

        if (r == 0)
                cr_assert_eq(lsr_catalogue_rows(c), lsr_catalogue_rows(part));
        lsr_catalogue_free(c);
        return r;
}

Test(starved, each_allocation)
{
        static int (*const steps[])(void) = { step_build, step_encode, step_decode, step_subtree };

        fill_links = false;
        cr_assert_eq(build(&whole), 0);
        cr_assert_eq(lsr_catalogue_encode(whole, &plain, &plain_n), 0);
        cr_assert_eq(sub(plain, plain_n, &part), 0);
        cr_assert_gt(lsr_catalogue_rows(part), 30);
        lsr_catalogue_free(whole);
        fill_links = true;
        cr_assert_eq(build(&whole), 0);
        check(whole);
        cr_assert_eq(lsr_catalogue_encode(whole, &encoded, &encoded_n), 0);
        for (size_t s = 0; s < sizeof(steps) / sizeof(*steps); s++) {
                unsigned failed = 0, total;

                starved_count = fresh = 0;
                cr_assert_eq(steps[s](), 0);
                total = starved_count - fresh;
                for (unsigned at = 0; at < total; at++) {
                        int r;

                        starved_count = 0;
                        starved_at = at;
                        r = steps[s]();
                        starved_at = UINT32_MAX;
                        /* Instead of a part all is asked for, which then tells. */
                        cr_assert(r == 0 || r == -ENOMEM || (r == 1 && steps[s] == step_subtree),
                                  "step %zu, allocation %u: %d", s, at, r);
                        failed += r != 0;
                }
                cr_expect_gt(failed, 0, "step %zu", s);
        }
        lsr_catalogue_free(whole);
        lsr_catalogue_free(part);
        free(encoded);
        free(plain);
}

/* A directory whose newest member cannot be found has none; the next question finds it. */
Test(starved, newest)
{
        struct lsr_catalogue *c;
        uint32_t row;

        cr_assert_eq(build(&c), 0);
        row = (uint32_t)find(c, "d1");
        starved_count = 0;
        starved_at = 0;
        cr_expect_eq(lsr_catalogue_newest(c, row), 0);
        cr_expect_gt(lsr_catalogue_newest(c, row), 0);
        lsr_catalogue_free(c);
}
