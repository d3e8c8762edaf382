/* LSR1: listed from its end, read from its frames, and a plain .tar.zst as soon as anything is wrong with it. */
#include "lsr1-meet.h"

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
        /* The head, that it ends there, and the tail. */
        cr_expect_leq(m->reads, 3, "%u reads", m->reads);
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
        char name[24];

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
        cr_expect_leq(m->reads, 3, "%u reads", m->reads);
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

/* --- parts ------------------------------------------------------------------------- */

/* What the driver answers for @path; NULL: with all. */
static struct lsr_catalogue *scan_part(const struct blob *file, const char *path, bool *ret_whole)
{
        struct lsr_input *in = lsr_input_memory(file->data, file->n);
        struct lsr_scan scan = { .input = in, .builder = lsr_builder_new(), .window_max = WINDOW_MAX };
        struct lsr_catalogue *c = NULL;

        cr_assert_eq(lsr_format_lsr1.list(&scan, &(struct lsr_wanted){ .paths = &path, .n = 1, .depth = 1 }), 0);
        *ret_whole = scan.catalogue;
        if (scan.some)
                cr_assert_eq(lsr_builder_finish(scan.builder, &c), 0);
        free(scan.catalogue);
        lsr_builder_free(scan.builder);
        scan.input = NULL; /* freed below */
        lsr_scan_close(&scan, &lsr_format_lsr1);
        lsr_input_free(in);
        return c;
}

/* Has each row of @part the path, the type and the number that it has in @c? */
static bool is_part(const struct lsr_catalogue *part, const struct lsr_catalogue *c)
{
        for (uint32_t row = 0; row < lsr_catalogue_rows(part); row++) {
                struct lsr_member m, n;
                char path[256];
                int64_t at;

                lsr_catalogue_path(part, row, path, sizeof(path));
                at = lsr_catalogue_find(c, 0, path, strlen(path));
                if (at < 0)
                        return false;
                lsr_catalogue_get(part, row, &m);
                lsr_catalogue_get(c, (uint32_t)at, &n);
                if (memcmp(&m.meta, &n.meta, sizeof(m.meta)) != 0)
                        return false;
        }
        return true;
}

/* A part comes where one is asked for, out of one frame or many. */
Test(lsr1, good_parts)
{
        static const size_t pieces[] = { 0, 1, 7, 64, 500, 1 << 20 };
        char *want = dump_zoo();

        for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
                struct lsr_catalogue *part;
                struct bundle *b;
                struct met *m;
                char *got;
                bool whole;

                pack_piece = pieces[i];
                b = pack_zoo();
                pack_piece = 0;
                m = meet(&b->file);
                cr_assert(m->c, "%zu: %s", pieces[i], m->said.text);
                cr_assert_eq(m->said.remarks + m->said.errors, 0, "%zu: %s", pieces[i], m->said.text);
                got = dump(m->c);
                cr_assert_str_eq(got, want);
                free(got);
                part = scan_part(&b->file, "dir/sub", &whole);
                cr_assert(part);
                cr_assert(is_part(part, m->c));
                cr_assert_geq(lsr_catalogue_find(part, 0, "dir/sub/b", 9), 0);
                lsr_catalogue_free(part);
                cr_assert_null(scan_part(&b->file, "dir/no", &whole));
                cr_assert(whole);
                met_free(m);
                bundle_free(b);
        }
        free(want);
}

/* Each byte of T: what is listed is right, be it from a part, from the whole, or from the tar. */
Test(lsr1, bad_frames_of_parts)
{
        struct lsr_catalogue *truth;
        struct bundle *b;
        struct met *m;
        bool whole;

        pack_piece = 100;
        b = pack_zoo();
        pack_piece = 0;
        m = meet(&b->file);
        truth = m->c;
        for (size_t i = b->toc; i < b->locator; i++) {
                struct lsr_catalogue *part;

                b->file.data[i] ^= 0x10;
                part = scan_part(&b->file, "dir/sub", &whole);
                cr_assert_not(whole, "byte %zu", i);
                if (part)
                        cr_assert(is_part(part, truth), "byte %zu", i);
                lsr_catalogue_free(part);
                b->file.data[i] ^= 0x10;
        }
        met_free(m);
        bundle_free(b);
}
