/* LSR1: listed from its end, read from its frames, and a plain .tar.zst as soon as anything is wrong with it. */
#include "lsr1-maker.h"

/* --- looking at it ----------------------------------------------------------------- */

/* All of a catalogue, a line a row. */
static char *dump(const struct lsr_catalogue *c)
{
        char *text = NULL;
        size_t size = 0;
        FILE *f = open_memstream(&text, &size);

        for (uint32_t row = 0; row < lsr_catalogue_rows(c); row++) {
                char path[4096];
                struct lsr_member m;

                lsr_catalogue_get(c, row, &m);
                lsr_catalogue_path(c, row, path, sizeof(path));
                fprintf(f, "%s %o %x %u/%u %s/%s %llu %lld.%09u %llu %llu+%llu %.*s %u %x", path, m.meta.mode,
                        m.meta.known, m.meta.uid, m.meta.gid, m.user ? m.user : "", m.group ? m.group : "",
                        (unsigned long long)m.meta.size, (long long)m.meta.sec[LSR_MTIME], m.meta.nsec[LSR_MTIME],
                        (unsigned long long)m.packed, (unsigned long long)m.position, (unsigned long long)m.data,
                        (int)m.target_len, m.target ? m.target : "", lsr_catalogue_link(c, row), m.flags);
                fprintf(f, " %08x\n", lsr_crc32(0, m.xattrs, m.xattrs_len));
        }
        fclose(f);
        return text;
}

/* A memory input that counts how often it is read. */
struct counted {
        struct lsr_input in;
        const struct blob *file;
        uint64_t next;
        unsigned *reads;
};

static ssize_t counted_read_at(struct lsr_input *in, void *buf, size_t size, uint64_t offset)
{
        struct counted *c = (struct counted *)in;
        size_t n;

        if (offset >= c->file->n)
                return 0;
        n = c->file->n - (size_t)offset < size ? c->file->n - (size_t)offset : size;
        memcpy(buf, c->file->data + offset, n);
        ++*c->reads;
        return (ssize_t)n;
}

/* 64 KiB at a time, as the first read of a file is. */
static ssize_t counted_next(struct lsr_input *in, const uint8_t **ret_data)
{
        struct counted *c = (struct counted *)in;
        size_t left = c->next < c->file->n ? c->file->n - (size_t)c->next : 0;

        if (left > LSR_PROBE_BYTES)
                left = LSR_PROBE_BYTES;
        *ret_data = c->file->data + c->next;
        c->next += left;
        ++*c->reads;
        return (ssize_t)left;
}

static int counted_seek(struct lsr_input *in, uint64_t offset)
{
        ((struct counted *)in)->next = offset;
        return 0;
}

static void counted_free(struct lsr_input *in)
{
        free(in);
}

static const struct lsr_input_ops counted_ops = {
        .next = counted_next,
        .read_at = counted_read_at,
        .seek = counted_seek,
        .free = counted_free,
};

static struct lsr_input *counted_new(const struct blob *file, unsigned *reads)
{
        struct counted *c = lsr_input_alloc(sizeof(*c), &counted_ops);

        c->in.size = file->n;
        c->file = file;
        c->reads = reads;
        return &c->in;
}

/* A file as it is met: identified, then listed. */
struct met {
        int result; /* of lsr_identify() */
        struct lsr_identity id;
        struct lsr_input *in;
        struct said said;
        struct lsr_catalogue *c;
        unsigned reads;
};

static struct met *meet(const struct blob *file)
{
        struct met *m = memset(lsr_xmalloc(sizeof(*m)), 0, sizeof(*m));

        m->result = lsr_identify(counted_new(file, &m->reads), WINDOW_MAX, &m->id, &m->in);
        if (m->result == 0)
                m->c = catalogue_of(m->id.format, m->in, &m->said);
        return m;
}

static void met_free(struct met *m)
{
        lsr_input_free(m->in);
        lsr_catalogue_free(m->c);
        free(m);
}

static int collect(void *ctx, const void *data, size_t n)
{
        blob_add(ctx, data, n);
        return 0;
}

/* Content of @row, from an input of its own. */
static int content(const struct met *m, const struct blob *file, uint32_t row, struct blob *ret_content,
                   struct said *said, unsigned *reads)
{
        char path[4096];
        struct lsr_member member;
        struct blob got = {};
        const struct lsr_sink sink = { &got, collect };
        struct lsr_scan scan = { .prefix = "", .window_max = WINDOW_MAX, .ctx = said, .trouble = said_trouble };
        int r = 0;

        scan.input = counted_new(file, reads);
        for (unsigned i = 0; i < m->id.n_filters; i++)
                cr_assert_eq(m->id.filters[i]->open(&scan.input, scan.input, WINDOW_MAX), 0);
        lsr_catalogue_get(m->c, lsr_catalogue_link(m->c, row), &member);
        member.path_len = lsr_catalogue_path(m->c, lsr_catalogue_link(m->c, row), path, sizeof(path));
        member.path = path;
        r = m->id.format->read(&scan, &member, &sink);
        lsr_input_free(scan.input);
        *ret_content = got;
        return r;
}

static uint32_t row_of(const struct lsr_catalogue *c, const char *path)
{
        int64_t row = lsr_catalogue_find(c, 0, path, strlen(path));

        cr_assert_geq(row, 0, "%s", path);
        return (uint32_t)row;
}

static bool content_is(const struct blob *b, unsigned seed, size_t n)
{
        for (size_t i = 0; i < n && b->n == n; i++)
                if (b->data[i] != tape_byte(seed, i))
                        return false;
        return b->n == n;
}

static void expect_content(const struct met *m, const struct blob *file, const char *path, unsigned seed, size_t n)
{
        struct said said = {};
        unsigned reads = 0;
        struct blob got;
        int r = content(m, file, row_of(m->c, path), &got, &said, &reads);

        cr_expect_eq(r, 0, "%s: %d %s", path, r, said.text);
        cr_expect(content_is(&got, seed, n), "%s: %zu bytes", path, got.n);
        free(got.data);
}

static int check(const struct blob *file, struct said *said)
{
        unsigned reads = 0;
        struct lsr_scan scan = { .prefix = "", .window_max = WINDOW_MAX, .ctx = said, .trouble = said_trouble };
        int r;

        scan.input = counted_new(file, &reads);
        r = lsr_format_lsr1.check(&scan);
        lsr_input_free(scan.input);
        return r;
}

/* --- what is used again and again ------------------------------------------------- */

#define BIG 5000
#define MIDDLE 900

/* A few of each kind; the big one has frames of its own. */
static struct tape *tape_zoo(void)
{
        struct tape *t = tape_new();

        tape_header(t, '5', "dir/", 0);
        tape_file(t, "dir/a", 1, MIDDLE);
        tape_header(t, '0', "dir/big", BIG);
        tape_content(t, 2, BIG, 2048);
        tape_link(t, '1', "dir/hard", "dir/a");
        tape_pax(t, "mtime=1234567890.123456789");
        tape_file(t, "dir/nano", 3, 10);
        tape_pax(t, "SCHILY.xattr.user.note=remember");
        tape_file(t, "dir/noted", 4, 0);
        tape_link(t, '2', "dir/soft", "a");
        tape_cut(t);
        tape_header(t, '5', "dir/sub/", 0);
        tape_file(t, "dir/sub/b", 5, 100);
        return t;
}

static struct bundle *pack_zoo(void)
{
        struct tape *t = tape_zoo();
        struct bundle *b = pack(t);

        tape_free(t);
        return b;
}

static char *dump_zoo(void)
{
        struct bundle *b = pack_zoo();
        struct met *m = meet(&b->file);
        char *text;

        cr_assert(m->c);
        text = dump(m->c);
        met_free(m);
        bundle_free(b);
        return text;
}

static void expect_zoo_listed(const struct met *m, const char *what)
{
        char *want = dump_zoo(), *got;

        cr_assert(m->c, "%s: %d %s", what, m->result, m->said.text);
        got = dump(m->c);
        cr_expect_str_eq(got, want, "%s:\n%s\n%s", what, got, m->said.text);
        free(want);
        free(got);
}

/* --- what is good ------------------------------------------------------------------- */

Test(lsr1, good_listed_as_the_tar)
{
        struct tape *t = tape_zoo();
        struct bundle *b = pack(t);
        struct met *m = meet(&b->file);
        struct lsr_input *in = lsr_input_memory(t->tar.data, t->tar.n);
        struct said said = {};
        struct lsr_catalogue *c = catalogue_of(&lsr_format_tar, in, &said);
        char *got, *want = dump(c);

        cr_assert(m->c, "%s", m->said.text);
        cr_expect_str_eq(m->id.format->name, "lsr1");
        cr_expect_eq(m->id.n_filters, 0);
        cr_expect_eq(m->said.errors + m->said.remarks, 0, "%s", m->said.text);
        got = dump(m->c);
        cr_expect_str_eq(got, want);
        cr_expect(strstr(got, "dir/nano 100644 "));
        /* The head, its end and the tail to know it by, and once more the tail. */
        cr_expect_leq(m->reads, 4, "%u reads", m->reads);
        free(got);
        free(want);
        lsr_catalogue_free(c);
        lsr_input_free(in);
        met_free(m);
        bundle_free(b);
        tape_free(t);
}

Test(lsr1, good_content)
{
        struct bundle *b = pack_zoo();
        struct met *m = meet(&b->file);
        struct said said = {};
        unsigned reads = 0;
        struct blob got;

        cr_assert(m->c);
        expect_content(m, &b->file, "dir/a", 1, MIDDLE);
        expect_content(m, &b->file, "dir/hard", 1, MIDDLE);
        expect_content(m, &b->file, "dir/big", 2, BIG);
        expect_content(m, &b->file, "dir/nano", 3, 10);
        expect_content(m, &b->file, "dir/noted", 4, 0);
        expect_content(m, &b->file, "dir/sub/b", 5, 100);
        cr_expect_eq(content(m, &b->file, row_of(m->c, "dir/soft"), &got, &said, &reads), -EOPNOTSUPP);
        met_free(m);
        bundle_free(b);
}

/* Members larger than a skip that decodes nothing, frames enough for threads. */
Test(lsr1, good_large)
{
        struct tape *t = tape_new();
        struct bundle *b;
        struct met *m;
        struct said said = {};
        unsigned reads = 0;
        struct blob got;

        tape_header(t, '0', "large", 3000000);
        tape_content(t, 7, 3000000, 400000);
        tape_file(t, "more", 8, 1500000);
        tape_cut(t);
        tape_file(t, "small", 9, 77);
        tape_cut(t);
        tape_file(t, "too", 10, 78);
        b = pack(t);
        m = meet(&b->file);
        cr_assert(m->c, "%s", m->said.text);
        expect_content(m, &b->file, "large", 7, 3000000);
        expect_content(m, &b->file, "more", 8, 1500000);
        expect_content(m, &b->file, "small", 9, 77);
        expect_content(m, &b->file, "too", 10, 78);
        cr_expect_eq(check(&b->file, &said), 0, "%s", said.text);
        /* One frame is all that a small one needs, and the tail to find it. */
        cr_expect_eq(content(m, &b->file, row_of(m->c, "small"), &got, &said, &reads), 0);
        cr_expect_leq(reads, 2, "%u reads", reads);
        free(got.data);
        met_free(m);
        bundle_free(b);
        tape_free(t);
}

/* Frames that a member does not need may be anything. */
Test(lsr1, good_beside_damage)
{
        struct bundle *b = pack_zoo();
        struct met *m = meet(&b->file);
        size_t last = b->frames[b->n_frames - 2];

        cr_assert(m->c);
        memset(b->file.data + 4, 0xaa, last - 4);
        expect_content(m, &b->file, "dir/sub/b", 5, 100);
        met_free(m);
        bundle_free(b);
}

Test(lsr1, good_sparse)
{
        static const char pieces[] = "1\n1000\n5\n";
        struct tape *t = tape_new();
        uint8_t want[3000] = {};
        struct bundle *b;
        struct met *m;
        struct said said = {};
        struct blob got;
        unsigned reads = 0;

        tape_header(t, 'x', "pax", 22 + 22 + 28 + 22);
        blob_add(&t->tar, "22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n28 GNU.sparse.realsize=3000\n", 72);
        blob_add(&t->tar, "22 GNU.sparse.name=ab\n", 22);
        tape_pad(t);
        tape_header(t, '0', "GNUSparseFile.0/ab", 512 + 5);
        blob_add(&t->tar, pieces, sizeof(pieces) - 1);
        tape_pad(t);
        blob_add(&t->tar, "ABCDE", 5);
        tape_pad(t);
        tape_file(t, "next", 1, 1);
        b = pack(t);
        m = meet(&b->file);
        cr_assert(m->c, "%s", m->said.text);
        memcpy(want + 1000, "ABCDE", 5);
        cr_expect_eq(content(m, &b->file, row_of(m->c, "ab"), &got, &said, &reads), 0, "%s", said.text);
        cr_expect(got.n == sizeof(want) && memcmp(got.data, want, sizeof(want)) == 0);
        cr_expect_eq(check(&b->file, &said), 0, "%s", said.text);
        free(got.data);
        met_free(m);
        bundle_free(b);
        tape_free(t);
}

/* So many frames that the locator is before what is read first. */
static void many_frames(size_t n)
{
        struct tape *t = tape_new();
        struct bundle *b;
        struct met *m;
        char name[16];

        for (size_t i = 0; i < n; i++) {
                if (i)
                        tape_cut(t);
                sprintf(name, "%zu", i);
                tape_file(t, name, (unsigned)i, 1);
        }
        b = pack(t);
        m = meet(&b->file);
        cr_assert(m->c, "%s", m->said.text);
        cr_expect_str_eq(m->id.format->name, "lsr1");
        cr_expect_eq(m->said.remarks, 0, "%s", m->said.text);
        cr_expect_eq(lsr_catalogue_rows(m->c), n + 1);
        cr_expect_leq(m->reads, 5, "%u reads", m->reads);
        sprintf(name, "%zu", n - 2);
        expect_content(m, &b->file, name, (unsigned)n - 2, 1);
        met_free(m);
        /* Its entries alone make it look like one. */
        memset(b->file.data + b->locator, 0, 64);
        m = meet(&b->file);
        cr_assert(m->c, "%s", m->said.text);
        cr_expect_eq(lsr_catalogue_rows(m->c), n + 1);
        met_free(m);
        bundle_free(b);
        tape_free(t);
}

Test(lsr1, good_many_frames)
{
        many_frames(8400);
        many_frames(16500);
}

/* T is the larger part, and before the tail. */
Test(lsr1, good_many_members)
{
        struct tape *t = tape_new();
        struct bundle *b;
        struct met *m;
        char name[64];
        uint64_t state = 1;

        for (unsigned i = 0; i < 12000; i++) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                sprintf(name, "%06u-%016llx", i, (unsigned long long)state);
                tape_file(t, name, i, 0);
        }
        b = pack(t);
        cr_assert_gt(b->file.n - b->toc, (size_t)128 << 10);
        m = meet(&b->file);
        cr_assert(m->c, "%s", m->said.text);
        cr_expect_str_eq(m->id.format->name, "lsr1");
        cr_expect_eq(lsr_catalogue_rows(m->c), 12001);
        cr_expect_leq(m->reads, 4, "%u reads", m->reads);
        met_free(m);
        bundle_free(b);
        tape_free(t);
}

/* --- versions ------------------------------------------------------------------------ */

Test(lsr1, good_minor)
{
        struct bundle *b = pack_zoo();
        struct met *m;

        lsr_put_le16(b->file.data + b->locator + 18, 7);
        seal_locator(b);
        m = meet(&b->file);
        expect_zoo_listed(m, "minor");
        cr_expect_str_eq(m->id.format->name, "lsr1");
        cr_expect_eq(m->said.remarks, 0, "%s", m->said.text);
        met_free(m);
        bundle_free(b);
}

Test(lsr1, bad_versions_are_tars)
{
        static const size_t fields[] = { 16, 20 };

        for (int i = 0; i < 2; i++) {
                struct bundle *b = pack_zoo();
                struct met *m;

                b->file.data[b->locator + fields[i]] ^= 2;
                seal_locator(b);
                m = meet(&b->file);
                expect_zoo_listed(m, "version");
                cr_expect_str_eq(m->id.format->name, "tar");
                met_free(m);
                bundle_free(b);
        }
}

/* A seekable zstd file without a table of contents. */
Test(lsr1, good_seekable)
{
        struct bundle *b = pack_zoo();
        struct blob file = blob_copy(&b->file, b->toc);
        struct blob table = {};
        struct met *m;

        blob_add(&table, b->file.data + b->table + 8, b->file.n - b->table - 8 - 9 - 16);
        blob_add(&table, b->file.data + b->file.n - 9, 9);
        lsr_put_le32(table.data + table.n - 9, (uint32_t)(table.n / 8 - 1));
        put_skippable(&file, 0x184d2a5e, &table);
        m = meet(&file);
        expect_zoo_listed(m, "seekable");
        cr_expect_str_eq(m->id.format->name, "tar");
        cr_expect_eq(m->id.n_filters, 1);
        met_free(m);
        free(file.data);
        free(table.data);
        bundle_free(b);
}
