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

/*
 * Rows of make_deep(): 0 root; 1 a, 2 m, 3 z; 4 a/k, 5 m/d, 6 m/e, 7 m/f, 8 m/l, 9 z/k; 10 m/d/i, 11 m/d/j, 12 m/e/i;
 * 13 m/d/i/x
 */
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

/* Of an encoding the members that @path needs, as a catalogue; NULL: it does not tell. */
static struct lsr_catalogue *subtree_of(const uint8_t *data, size_t size, const char *path, bool links)
{
        const struct lsr_catalogue_source source = { .data = data, .size = size };
        struct lsr_builder *b = lsr_builder_new();
        uint64_t members;
        int r = lsr_catalogue_subtree(&source, &path, 1, links, b, &members);

        if (r == 0)
                return finish(b);
        cr_assert_eq(r, 1);
        cr_assert_eq(lsr_builder_count(b), 0);
        lsr_builder_free(b);
        return NULL;
}

static struct lsr_catalogue *subtree(const struct lsr_catalogue *c, const char *path)
{
        struct lsr_catalogue *part;
        uint8_t *data;
        size_t size;

        cr_assert_eq(lsr_catalogue_encode(c, &data, &size), 0);
        part = subtree_of(data, size, path, false);
        free(data);
        return part;
}

/* All that there is to know of @row is the same in @part, where it has another number. */
static void expect_same_row(const struct lsr_catalogue *c, const struct lsr_catalogue *part, uint32_t row)
{
        struct lsr_member a, b;
        char path[64];
        int64_t at;

        lsr_catalogue_path(c, row, path, sizeof(path));
        at = lsr_catalogue_find(part, 0, path, strlen(path));
        cr_assert_geq(at, 0, "%s", path);
        lsr_catalogue_get(c, row, &a);
        lsr_catalogue_get(part, (uint32_t)at, &b);
        cr_assert_eq(memcmp(&a.meta, &b.meta, sizeof(a.meta)), 0, "row %u", row);
        cr_assert_eq(a.position, b.position);
        cr_assert_eq(a.data, b.data);
        cr_assert_eq(a.packed, b.packed);
        cr_assert_eq(a.flags, b.flags);
        cr_assert_eq(a.target_len, b.target_len);
        cr_assert(!a.target == !b.target && (!a.target || strcmp(a.target, b.target) == 0));
        cr_assert(!a.user == !b.user && (!a.user || strcmp(a.user, b.user) == 0));
}

Test(encoding, part_of_a_directory)
{
        struct lsr_catalogue *c = make_deep(false), *part = subtree(c, "m//");

        cr_assert(part);
        cr_assert_eq(lsr_catalogue_rows(part), 6);
        cr_assert_eq(lsr_catalogue_children(part, (uint32_t)find(part, "m")).n, 4);
        expect_same_row(c, part, 0);
        expect_same_row(c, part, 2);
        for (uint32_t row = 5; row <= 8; row++)
                expect_same_row(c, part, row);
        lsr_catalogue_free(part);
        part = subtree(c, "");
        cr_assert(part);
        cr_assert_eq(lsr_catalogue_children(part, 0).n, 3);
        expect_same_row(c, part, 3);
        lsr_catalogue_free(part);
        lsr_catalogue_free(c);
}

Test(encoding, part_of_a_file)
{
        struct lsr_catalogue *c = make_deep(false), *part = subtree(c, "m/d/i/x");

        cr_assert(part);
        cr_assert_eq(lsr_catalogue_rows(part), 5);
        for (uint32_t row = 0; row <= 13; row++)
                if (row == 0 || row == 2 || row == 5 || row == 10 || row == 13)
                        expect_same_row(c, part, row);
        lsr_catalogue_free(part);
        lsr_catalogue_free(c);
}

/* Several at once: each row is there once, and one that cannot be had is the end of all. */
Test(encoding, parts_of_several_paths)
{
        static const char *const paths[] = { "m/d/i/x", "m/d", "m/d/j", "a", "m/d" };
        struct lsr_catalogue *c = make_deep(false), *part;
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_catalogue_source source = {};
        uint64_t members;
        uint8_t *data;

        cr_assert_eq(lsr_catalogue_encode(c, &data, &source.size), 0);
        source.data = data;
        cr_assert_eq(lsr_catalogue_subtree(&source, paths, 5, false, b, &members), 0);
        cr_expect_eq(members, lsr_catalogue_rows(c) - 1);
        part = finish(b);
        cr_expect_eq(lsr_catalogue_rows(part), 8);
        for (uint32_t row = 0; row < lsr_catalogue_rows(c); row++)
                if (row == 0 || row == 1 || row == 2 || row == 4 || row == 5 || row == 10 || row == 11 || row == 13)
                        expect_same_row(c, part, row);
        lsr_catalogue_free(part);
        b = lsr_builder_new();
        cr_expect_eq(lsr_catalogue_subtree(&source, (const char *const[]){ "m/d", "no" }, 2, false, b, &members), 1);
        cr_expect_eq(lsr_builder_count(b), 0);
        lsr_builder_free(b);
        lsr_catalogue_free(c);
        free(data);
}

/* Where a link leads that is looked at may be anywhere. */
Test(encoding, part_with_symbolic_links)
{
        struct lsr_catalogue *c = make_deep(false);
        uint8_t *data;
        size_t size;

        cr_assert_eq(lsr_catalogue_encode(c, &data, &size), 0);
        cr_assert_null(subtree_of(data, size, "m", true));
        lsr_catalogue_free(c);
        c = subtree_of(data, size, "m/d", true);
        cr_assert(c);
        lsr_catalogue_free(c);
        free(data);
}

/* Directories that are not stored stay such, and count their links. */
Test(encoding, part_with_what_is_implied)
{
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_catalogue *c, *part;

        add_file(b, "a/b/c", 1);
        add_file(b, "a/d/e", 1);
        add_file(b, "f", 1);
        c = finish(b);
        part = subtree(c, "a");
        cr_assert(part);
        for (uint32_t row = 0; row < lsr_catalogue_rows(c); row++)
                if (row == 0 || row == 1 || row == 3 || row == 4)
                        expect_same_row(c, part, row);
        lsr_catalogue_free(part);
        lsr_catalogue_free(c);
}

/* Hard links count where they lead; a part that has one itself there is not. */
Test(encoding, part_beside_links)
{
        struct lsr_catalogue *c = make_deep(true), *part = subtree(c, "m");

        cr_assert(part);
        expect_same_row(c, part, 7);
        lsr_catalogue_free(part);
        part = subtree(c, "m/f");
        cr_assert(part);
        expect_same_row(c, part, 7);
        lsr_catalogue_free(part);
        cr_assert_null(subtree(c, "z"));
        cr_assert_null(subtree(c, "z/k"));
        lsr_catalogue_free(c);
}

Test(encoding, part_that_there_is_not)
{
        static const char *const paths[] = { "n", "m/../a", "./m", "m/l/k", "m/d/i/x/", "m/f/x" };
        struct lsr_catalogue *c = make_deep(false);

        for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
                struct lsr_catalogue *part = subtree(c, paths[i]);

                cr_assert_eq(part != NULL, i >= 4, "%s", paths[i]);
                lsr_catalogue_free(part);
        }
        lsr_catalogue_free(c);
}

/* Whatever the bytes are: they are refused, or what they give is a catalogue. */
static void expect_safe_cut(const uint8_t *data, size_t size)
{
        static const char *const paths[] = { "", "m", "m/d/i/x", "a/k" };

        for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
                uint8_t *copy = memcpy(malloc(size + 1), data, size), *exact = realloc(copy, size ? size : 1);
                struct lsr_catalogue *part = subtree_of(exact, size, paths[i], false);

                if (part)
                        check_some(part);
                lsr_catalogue_free(part);
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

/* Names of the children of "m" (bytes 4 and up), of which some no valid encoding has. */
Test(encoding, hostile_names_of_a_part)
{
        static const struct {
                size_t at;
                char byte;
                bool taken;
        } names[] = { { 4, 'b', true },  { 4, '/', false }, { 4, '\0', false }, { 4, '.', false },
                      { 4, 'e', false }, { 4, 'z', false }, { 5, 'd', false },  { 7, 'z', true } };
        struct lsr_catalogue *c = make_deep(false), *part;
        struct damage d = damage_new(c);
        uint8_t *column = damage_column(&d, 2);

        cr_assert_eq(memcmp(column, "amzkdefl", 8), 0);
        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
                uint8_t was = column[names[i].at];

                column[names[i].at] = (uint8_t)names[i].byte;
                part = subtree_of(d.data, d.size, "m", false);
                cr_expect_eq(part != NULL, names[i].taken, "%zu", i);
                lsr_catalogue_free(part);
                column[names[i].at] = was;
        }
        free(d.data);
}
