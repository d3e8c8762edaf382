/* The encoding: what goes in comes out, and no bytes harm whoever decodes them. */
#include "catalogues.h"

Test(encoding, round_trip)
{
        struct lsr_builder *b = lsr_builder_new();

        expect_round_trip(make_full());
        expect_round_trip(finish(b));
}

/* What is encoded is all there is: that some of it was not read it cannot say. */
Test(encoding, nothing_is_unread)
{
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_member m = member("d", S_IFDIR | 0755);
        struct lsr_catalogue *c;
        uint8_t *data;
        size_t size;

        m.flags = LSR_MEMBER_UNREAD | LSR_MEMBER_LOCALTIME;
        cr_assert_eq(lsr_builder_add(b, &m), 0);
        c = finish(b);
        cr_expect_not(lsr_catalogue_holds(c, 1));
        lsr_catalogue_get(c, 1, &m);
        cr_expect_not(m.meta.known & LSR_FIELD_NLINK);
        cr_assert_eq(lsr_catalogue_encode(c, &data, &size), 0);
        lsr_catalogue_free(c);
        cr_assert_eq(lsr_catalogue_decode(&c, data, size), 0);
        cr_expect(lsr_catalogue_holds(c, 1));
        lsr_catalogue_get(c, 1, &m);
        cr_expect_eq(m.flags, LSR_MEMBER_LOCALTIME);
        lsr_catalogue_free(c);
        free(data);
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

/* --- parts ------------------------------------------------------------------------- */

/* Rows of make_deep(): 0 root; 1 a, 2 m, 3 z; 4 a/k, 5 m/d, 6 m/e, 7 m/f, 8 m/l, 9 z/k; 10 m/d/i, 11 m/d/j, 12 m/e/i; 13 m/d/i/x */
static struct lsr_catalogue *make_deep(bool linked)
{
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_member m = member("m/f", S_IFREG | 0640);

        m.meta.size = 12345;
        m.meta.known |= LSR_FIELD_MTIME;
        m.meta.sec[LSR_MTIME] = 1000;
        m.meta.nsec[LSR_MTIME] = 7;
        m.position = 512 * 77;
        m.data = 512 * 79;
        m.user = "ann";
        cr_assert_eq(lsr_builder_add(b, &m), 0);
        m = member("m/l", S_IFLNK | 0777);
        m.target = "../a/k";
        m.target_len = 6;
        cr_assert_eq(lsr_builder_add(b, &m), 0);
        add_file(b, "a/k", 1);
        if (linked) {
                m = member("z/k", S_IFREG | 0640);
                m.flags = LSR_MEMBER_HARDLINK;
                m.target = "m/f";
                m.target_len = 3;
                cr_assert_eq(lsr_builder_add(b, &m), 0);
        } else {
                add_file(b, "z/k", 2);
        }
        add_file(b, "m/d/i/x", 3);
        add_file(b, "m/d/j", 4);
        add_file(b, "m/e/i", 5);
        return finish(b);
}

/* The part of @c for @path; NULL: there is none. */
static struct lsr_catalogue *cut(const struct lsr_catalogue *c, const char *path)
{
        struct lsr_catalogue *part, *other;
        struct lsr_catalogue_source source = {};
        uint8_t *whole, *data;
        size_t size;
        int r;

        cr_assert_eq(lsr_catalogue_encode(c, &whole, &size), 0);
        source.data = whole;
        source.size = size;
        r = lsr_catalogue_cut(&source, path, &data, &size);
        free(whole);
        if (r != 0) {
                cr_assert_eq(r, 1);
                return NULL;
        }
        cr_assert_eq(lsr_catalogue_decode(&other, data, size), -EOPNOTSUPP, "a part is no catalogue");
        cr_assert_eq(lsr_catalogue_decode_part(&part, data, size), 0);
        free(data);
        return part;
}

/* All that there is to know of @row is the same in @part. */
static void expect_same_row(const struct lsr_catalogue *c, const struct lsr_catalogue *part, uint32_t row)
{
        struct lsr_member a, b;
        char path[64], other[64];

        lsr_catalogue_get(c, row, &a);
        lsr_catalogue_get(part, row, &b);
        cr_assert_eq(memcmp(&a.meta, &b.meta, sizeof(a.meta)), 0, "row %u", row);
        cr_assert_eq(a.position, b.position);
        cr_assert_eq(a.data, b.data);
        cr_assert_eq(a.packed, b.packed);
        cr_assert_eq(a.flags, b.flags);
        cr_assert_eq(a.target_len, b.target_len);
        cr_assert(!a.target == !b.target && (!a.target || strcmp(a.target, b.target) == 0));
        cr_assert(!a.user == !b.user && (!a.user || strcmp(a.user, b.user) == 0));
        cr_assert_eq(lsr_catalogue_parent(c, row), lsr_catalogue_parent(part, row));
        lsr_catalogue_path(c, row, path, sizeof(path));
        lsr_catalogue_path(part, row, other, sizeof(other));
        cr_assert_str_eq(path, other);
}

Test(encoding, part_of_a_directory)
{
        struct lsr_catalogue *c = make_deep(false), *part = cut(c, "m//");
        struct lsr_slice below;

        cr_assert(part);
        cr_assert(lsr_catalogue_is_part(part, c));
        cr_assert_not(lsr_catalogue_is_part(c, part));
        cr_assert(lsr_catalogue_holds(part, 2));
        cr_assert_not(lsr_catalogue_holds(part, 0));
        cr_assert_not(lsr_catalogue_holds(part, 5));
        cr_assert(lsr_catalogue_holds(part, 7));
        below = lsr_catalogue_children(part, 2);
        cr_assert_eq(below.first, 5);
        cr_assert_eq(below.n, 4);
        expect_same_row(c, part, 0);
        expect_same_row(c, part, 2);
        for (uint32_t row = 5; row <= 8; row++)
                expect_same_row(c, part, row);
        cr_assert_eq(lsr_catalogue_find(part, 0, "m/f", 3), 7);
        cr_assert_eq(lsr_catalogue_find(part, 2, "../m/./l", 8), 8);
        cr_assert_eq(lsr_catalogue_find(part, 2, "g", 1), -ENOENT);
        cr_assert_eq(lsr_catalogue_find(part, 2, "f/x", 3), -ENOTDIR);
        cr_assert_eq(lsr_catalogue_find(part, 0, "a", 1), -EAGAIN);
        cr_assert_eq(lsr_catalogue_find(part, 2, "d/j", 3), -EAGAIN);
        lsr_catalogue_free(part);
        part = cut(c, "");
        cr_assert(part);
        cr_assert_eq(lsr_catalogue_children(part, 0).n, 3);
        expect_same_row(c, part, 3);
        lsr_catalogue_free(part);
        lsr_catalogue_free(c);
}

Test(encoding, part_of_a_file)
{
        struct lsr_catalogue *c = make_deep(false), *part = cut(c, "m/d/i/x");

        cr_assert(part);
        for (uint32_t row = 0; row <= 13; row++)
                if (row == 0 || row == 2 || row == 5 || row == 10 || row == 13)
                        expect_same_row(c, part, row);
        cr_assert_eq(lsr_catalogue_find(part, 5, "i/x", 3), 13);
        cr_assert_eq(lsr_catalogue_find(part, 5, "j", 1), -EAGAIN);
        cr_assert_eq(lsr_catalogue_find(part, 10, "y", 1), -EAGAIN);
        cr_assert_not(lsr_catalogue_holds(part, 10));
        lsr_catalogue_free(part);
        lsr_catalogue_free(c);
}

/* Hard links count where they lead; a part that has one itself there is not. */
Test(encoding, part_beside_links)
{
        struct lsr_catalogue *c = make_deep(true), *part = cut(c, "m");

        cr_assert(part);
        expect_same_row(c, part, 7);
        lsr_catalogue_free(part);
        part = cut(c, "m/f");
        cr_assert(part);
        expect_same_row(c, part, 7);
        lsr_catalogue_free(part);
        cr_assert_null(cut(c, "z"));
        cr_assert_null(cut(c, "z/k"));
        lsr_catalogue_free(c);
}

Test(encoding, part_that_there_is_not)
{
        static const char *const paths[] = { "n", "m/../a", "./m", "m/l/k", "m/d/i/x/", "m/f/x" };
        struct lsr_catalogue *c = make_deep(false);

        for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
                struct lsr_catalogue *part = cut(c, paths[i]);

                cr_assert_eq(part != NULL, i >= 4, "%s", paths[i]);
                lsr_catalogue_free(part);
        }
        lsr_catalogue_free(c);
}

/* Whatever the bytes are: a cut is refused, or what it makes is refused or safe. */
static void expect_safe_cut(const uint8_t *data, size_t size)
{
        static const char *const paths[] = { "", "m", "m/d/i/x", "a/k" };

        for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
                uint8_t *copy = memcpy(malloc(size + 1), data, size), *exact = realloc(copy, size ? size : 1), *out;
                const struct lsr_catalogue_source source = { .data = exact, .size = size };
                struct lsr_catalogue *part;
                struct lsr_member m;
                size_t n;

                if (lsr_catalogue_cut(&source, paths[i], &out, &n) == 0) {
                        if (lsr_catalogue_decode_part(&part, out, n) == 0) {
                                int64_t row = lsr_catalogue_find(part, 0, paths[i], strlen(paths[i]));

                                if (row >= 0)
                                        lsr_catalogue_get(part, (uint32_t)row, &m);
                                lsr_catalogue_free(part);
                        }
                        free(out);
                }
                free(exact);
        }
}

Test(encoding, hostile_cut)
{
        struct damage d = damage_new(make_deep(true));

        for (size_t i = 0; i < d.size; i++) {
                static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
                uint8_t was = d.data[i];

                for (size_t k = 0; k < sizeof(values); k++) {
                        d.data[i] = values[k];
                        expect_safe_cut(d.data, d.size);
                }
                d.data[i] = was ^ 1;
                expect_safe_cut(d.data, d.size);
                d.data[i] = was;
        }
        for (size_t n = 0; n < d.size; n++)
                expect_safe_cut(d.data, n);
        free(d.data);
}

/* Set a byte of a column of the part for "m" (indices: 0 root, 1 m, 2 to 5 its children) and expect that result. */
static void expect_part_column(unsigned id, size_t at, uint8_t value, int want)
{
        struct lsr_catalogue *c = make_deep(false), *part;
        struct lsr_catalogue_source source = {};
        struct damage d = damage_new(c), p;

        source.data = d.data;
        source.size = d.size;
        cr_assert_eq(lsr_catalogue_cut(&source, "m", &p.data, &p.size), 0);
        damage_column(&p, id)[at] = value;
        cr_assert_eq(lsr_catalogue_decode_part(&part, p.data, p.size), want, "column %u, byte %zu: %d", id, at, value);
        if (want == 0)
                lsr_catalogue_free(part);
        free(d.data);
        free(p.data);
}

Test(encoding, hostile_part)
{
        expect_part_column(60, 0, 0, 0);
        expect_part_column(60, 0, 1, -EBADMSG); /* the root is another row */
        expect_part_column(60, 1, 0, -EBADMSG); /* a row is above its parent */
        expect_part_column(60, 1, 3, 0); /* another row: the whole does not have it, see lsr_catalogue_is_part() */
        expect_part_column(60, 2, 4, -EBADMSG); /* children are not neighbours */
        expect_part_column(60, 3, 5, -EBADMSG); /* or one twice */
        expect_part_column(60, 5, 0xff, -EBADMSG);
        expect_part_column(61, 1, 0xff, 0);     /* links are what it says */
        expect_part_column(62, 0, 0, -EBADMSG); /* the root has its only child, m has all */
        expect_part_column(62, 0, 2, -EBADMSG);
        expect_part_column(62, 0, 6, -EBADMSG); /* a way to a member that has children */
        expect_part_column(62, 0, 7, -EBADMSG); /* behind the end */
        expect_part_column(3, 0, 2, -EBADMSG);  /* the way has two rows on a level */
}

/* A part whose rows are not those of the whole. */
Test(encoding, hostile_part_of_another)
{
        struct lsr_catalogue *c = make_deep(false), *part = cut(c, "m"), *other;
        struct lsr_builder *b = lsr_builder_new();

        add_file(b, "a", 1);
        other = finish(b);
        cr_assert_not(lsr_catalogue_is_part(part, other), "rows that there are not");
        lsr_catalogue_free(other);
        other = make_deep(true);
        cr_assert(lsr_catalogue_is_part(part, other));
        lsr_catalogue_free(other);
        b = lsr_builder_new();
        for (char name[] = "a"; name[0] < 'a' + 20; name[0]++)
                add_file(b, name, 1);
        other = finish(b);
        cr_assert_not(lsr_catalogue_is_part(part, other), "other names");
        lsr_catalogue_free(other);
        lsr_catalogue_free(part);
        lsr_catalogue_free(c);
}
