/* LSR1, damaged and lying: never a wrong listing, never wrong content, nothing that --check does not see. */
#include <sha2.h>
#include <sys/mman.h>
#include <unistd.h>

#include "failing.h"
#include "lsr1-meet.h"
#include "worker/worker.h"

static const struct {
        const char *path;
        unsigned seed;
        size_t n;
} files[] = { { "dir/a", 1, MIDDLE }, { "dir/big", 2, BIG }, { "dir/nano", 3, 10 }, { "dir/sub/b", 5, 100 } };

/* Everything is read: it is right, or it fails.  Returns what fails, a bit a file. */
static unsigned read_all(const struct met *m, const struct blob *file, const char *what, size_t at)
{
        unsigned failed = 0;

        for (unsigned i = 0; i < 4; i++) {
                struct said said = {};
                unsigned reads = 0;
                struct blob got;
                int r = content(m, file, row_of(m->c, files[i].path), &got, &said, &reads);

                if (r < 0)
                        failed |= 1u << i;
                else
                        cr_expect(content_is(&got, files[i].seed, files[i].n), "%s %zu: %s", what, at, files[i].path);
                cr_expect(r == 0 || said.errors > 0, "%s %zu: %s fails without a word", what, at, files[i].path);
                free(got.data);
        }
        return failed;
}

/* Is @got what @want begins with, or lines of it? */
static bool lines_of(const char *got, const char *want)
{
        while (*got) {
                const char *end = strchr(got, '\n') + 1;
                const char *found = want;

                while (*found && strncmp(found, got, (size_t)(end - got)) != 0)
                        found = strchr(found, '\n') + 1;
                if (!*found)
                        return false;
                got = end;
        }
        return true;
}

/* --- each byte ------------------------------------------------------------------------ */

static void each_byte(uint8_t mask)
{
        struct bundle *b = pack_zoo();
        char *want = dump_zoo();
        struct blob file = blob_copy(&b->file, b->file.n);

        for (size_t at = 0; at < file.n; at++) {
                struct met *m;
                struct said said = {};
                char *got;

                file.data[at] ^= mask;
                m = meet(&file);
                if (m->c) {
                        got = dump(m->c);
                        /* A tar's headers are damaged only where there is no table of contents. */
                        cr_expect_str_eq(got, want, "byte %zu: %s\n%s", at, m->said.text, got);
                        free(got);
                        read_all(m, &file, "byte", at);
                } else {
                        cr_expect_lt(at, 4, "byte %zu: %d %s", at, m->result, m->said.text);
                }
                met_free(m);
                if (mask == 0xff) {
                        memset(&said, 0, sizeof(said));
                        cr_expect_lt(check(&file, &said), 0, "byte %zu is not seen", at);
                        cr_expect_gt(said.errors, 0);
                }
                file.data[at] ^= mask;
        }
        free(file.data);
        free(want);
        bundle_free(b);
}

Test(lsr1_damage, bad_each_byte)
{
        each_byte(0xff);
}

/* The same of a table that says which tar it describes. */
Test(lsr1_damage, bad_each_byte_bound)
{
        pack_bound = true;
        each_byte(0xff);
        each_byte(0x04);
}

Test(lsr1_damage, bad_each_lowest_bit)
{
        each_byte(0x01);
}

Test(lsr1_damage, bad_each_highest_bit)
{
        each_byte(0x80);
}

/* Content that is damaged is not given for good: of the frames it is in, each byte. */
Test(lsr1_damage, bad_content)
{
        struct bundle *b = pack_zoo();
        struct met *m = meet(&b->file);

        cr_assert(m->c);
        for (size_t i = 0; i + 1 < b->n_frames; i++) {
                /* Where the first data frame of the big member begins is where its header's ends. */
                unsigned in_it = i == 0 ? 0x3 : i < 4 ? 0x2 : i == 4 ? 0x4 : 0x8;

                for (size_t at = b->frames[i]; at < b->frames[i + 1]; at++) {
                        b->file.data[at] ^= 0xff;
                        cr_expect_eq(read_all(m, &b->file, "frame byte", at), in_it, "byte %zu in frame %zu", at, i);
                        b->file.data[at] ^= 0xff;
                }
        }
        met_free(m);
        bundle_free(b);
}

Test(lsr1_damage, bad_truncated)
{
        struct bundle *b = pack_zoo();
        char *want = dump_zoo();

        for (size_t n = 0; n < b->file.n; n++) {
                struct blob file = blob_copy(&b->file, n);
                struct met *m = meet(&file);

                if (m->c) {
                        char *got = dump(m->c);

                        /* Hard links change with their targets, directories with how much of them is there. */
                        if (n >= b->toc)
                                cr_expect_str_eq(got, want, "%zu bytes", n);
                        else if (m->said.errors == 0)
                                cr_expect(lines_of(got, want), "%zu bytes: %s\n%s", n, m->said.text, got);
                        free(got);
                }
                met_free(m);
                free(file.data);
        }
        free(want);
        bundle_free(b);
}

/* --- numbers that lie ------------------------------------------------------------------- */

/* Whatever the locator says, the listing is the right one. */
static void hostile_locator(size_t at, size_t width, uint64_t value)
{
        struct bundle *b = pack_zoo();
        uint8_t *l = b->file.data + b->locator;
        struct said said = {};
        struct met *m;
        char what[64];

        snprintf(what, sizeof(what), "locator %zu: %llx", at, (unsigned long long)value);
        if (width == 4)
                lsr_put_le32(l + at, (uint32_t)value);
        else
                lsr_put_le64(l + at, value);
        seal_locator(b);
        m = meet(&b->file);
        expect_zoo_listed(m, what);
        cr_expect_str_eq(m->id.format->name, "lsr1");
        cr_expect_eq(m->said.remarks, 1, "%s", m->said.text);
        cr_expect_eq(read_all(m, &b->file, what, 0), 0);
        cr_expect_lt(check(&b->file, &said), 0);
        met_free(m);
        bundle_free(b);
}

Test(lsr1_damage, hostile_locator)
{
        static const size_t wide[] = { 24, 32, 40, 48 };

        for (size_t i = 0; i < 4; i++) {
                struct bundle *b = pack_zoo();
                uint64_t was = lsr_le64(b->file.data + b->locator + wide[i]);
                const uint64_t values[] = { 0,          1,           was + 1,        was - 1,        was + 8,
                                            was - 8,    UINT64_MAX,  UINT64_MAX - 7, UINT64_MAX - 8, UINT64_MAX / 2,
                                            1ULL << 32, 1ULL << 63,  b->file.n,      b->locator,     (1ULL << 30) + 1,
                                            was << 32,  was + 65536, b->locator + 1 };

                for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++)
                        hostile_locator(wide[i], 8, values[k]);
                bundle_free(b);
        }
        hostile_locator(56, 4, 0);
        hostile_locator(56, 4, 1);
        hostile_locator(56, 4, UINT32_MAX);
}

/* Both of T's numbers, so that they add up. */
Test(lsr1_damage, hostile_locator_that_adds_up)
{
        for (uint64_t by = 1; by < 600; by += 37) {
                struct bundle *b = pack_zoo();
                uint8_t *l = b->file.data + b->locator;
                struct met *m;

                lsr_put_le64(l + 24, lsr_le64(l + 24) + by);
                lsr_put_le64(l + 32, lsr_le64(l + 32) - by);
                seal_locator(b);
                m = meet(&b->file);
                expect_zoo_listed(m, "adds up");
                met_free(m);
                bundle_free(b);
        }
}

/* The catalogue would be larger than its frame justifies. */
Test(lsr1_damage, hostile_toc_size)
{
        struct tape *t = tape_zoo();
        struct bundle *b = pack(t);
        struct blob zeros = {}, toc = {}, rest;
        uint8_t *l;
        size_t moved;
        struct met *m;

        zeros.n = (size_t)64 << 20;
        zeros.data = lsr_xmalloc(zeros.n);
        memset(zeros.data, 0, zeros.n);
        put_frame(&toc, zeros.data, zeros.n);
        rest = blob_copy(&b->file, b->file.n);
        moved = b->toc + 8 + toc.n - b->locator;
        b->file.n = b->toc;
        put_skippable(&b->file, 0x184d2a5b, &toc);
        blob_add(&b->file, rest.data + b->locator, rest.n - b->locator);
        b->locator += moved;
        l = b->file.data + b->locator;
        lsr_put_le64(l + 32, toc.n);
        lsr_put_le64(l + 40, zeros.n);
        seal_locator(b);
        lsr_put_le32(b->file.data + b->file.n - 9 - 16, (uint32_t)toc.n + 8);
        m = meet(&b->file);
        expect_zoo_listed(m, "large");
        cr_expect(strstr(m->said.text, "too large"), "%s", m->said.text);
        met_free(m);
        free(zeros.data);
        free(toc.data);
        free(rest.data);
        bundle_free(b);
        tape_free(t);
}

static void hostile_table(size_t from_end, uint32_t value)
{
        struct bundle *b = pack_zoo();
        struct met *m;
        char what[64];

        snprintf(what, sizeof(what), "table, %zu from the end: %x", from_end, value);
        lsr_put_le32(b->file.data + b->file.n - from_end, value);
        m = meet(&b->file);
        expect_zoo_listed(m, what);
        cr_expect_eq(read_all(m, &b->file, what, 0), 0, "%s", what);
        met_free(m);
        bundle_free(b);
}

Test(lsr1_damage, hostile_table)
{
        static const uint32_t counts[] = { 0, 1, 2, 3, 4, 7, 9, 100, 1u << 24, (1u << 24) + 1, 1u << 29, UINT32_MAX };
        static const uint32_t sizes[] = { 0, 1, 63, 65, 1u << 24, 1u << 31, UINT32_MAX };
        struct bundle *b = pack_zoo();
        size_t entries = b->file.n - b->table - 8 - 9;

        for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
                hostile_table(9, counts[i]);
        for (size_t at = 4; at <= entries; at += 4)
                for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
                        /* What it says already? */
                        if (lsr_le32(b->file.data + b->file.n - 9 - at) != sizes[i])
                                hostile_table(9 + at, sizes[i]);
        bundle_free(b);
}

/* Two entries that add up to what they did: content is refused and the listing is right. */
Test(lsr1_damage, hostile_table_that_adds_up)
{
        for (size_t field = 0; field < 8; field += 4) {
                struct bundle *b = pack_zoo();
                uint8_t *entry = b->file.data + b->table + 8 + field;
                struct said said = {};
                struct met *m;

                lsr_put_le32(entry, lsr_le32(entry) + 16);
                lsr_put_le32(entry + 8, lsr_le32(entry + 8) - 16);
                m = meet(&b->file);
                expect_zoo_listed(m, "table");
                cr_expect_eq(read_all(m, &b->file, "table", field), 0x3);
                cr_expect_lt(check(&b->file, &said), 0);
                met_free(m);
                bundle_free(b);
        }
}

/* A frame larger than is decoded at once: streamed. */
Test(lsr1_damage, hostile_frame_size)
{
        struct tape *t = tape_new();
        struct bundle *b;
        struct said said = {};
        struct met *m;

        tape_file(t, "a", 1, 10);
        tape_header(t, '0', "zeros", (16 << 20) + 1);
        for (unsigned i = 0; i <= 256; i++)
                blob_add(&t->tar, memset((uint8_t[65536]){}, 0, 65536), i < 256 ? 65536 : 512);
        b = pack(t);
        m = meet(&b->file);
        cr_assert(m->c, "%s", m->said.text);
        expect_content(m, &b->file, "a", 1, 10);
        cr_expect_lt(check(&b->file, &said), 0);
        cr_expect(strstr(said.text, "too large"), "%s", said.text);
        met_free(m);
        bundle_free(b);
        tape_free(t);
}

/* --- a table of contents that lies --------------------------------------------------------- */

/* A header changed at @at in the tar alone: reading @path gives @result, and the check says @word. */
static void lying(const char *path, size_t at, const void *data, size_t n, int result, const char *word)
{
        struct tape *t = tape_zoo(), *truth = tape_zoo();
        struct said said = {}, checked = {};
        struct bundle *b;
        struct met *m;
        struct blob got;
        unsigned reads = 0;
        size_t header = 0;

        while (strcmp((char *)truth->tar.data + header, path) != 0)
                header += 512;
        tape_put(truth, header, at, data, n);
        b = pack_lying(truth, t);
        m = meet(&b->file);
        expect_zoo_listed(m, word);
        cr_expect_eq(content(m, &b->file, row_of(m->c, path), &got, &said, &reads), result, "%s", word);
        cr_expect(result != -EBADMSG || strstr(said.text, path), "%s: %s", word, said.text);
        cr_expect_eq(check(&b->file, &checked), -EBADMSG);
        cr_expect(strstr(checked.text, word), "%s: %s", word, checked.text);
        free(got.data);
        met_free(m);
        bundle_free(b);
        tape_free(t);
        tape_free(truth);
}

Test(lsr1_damage, hostile_toc)
{
        lying("dir/sub/b", 0, "dir/sub/c", 9, -EBADMSG, "'dir/sub/b' is in the table of contents, but not in the tar");
        lying("dir/sub/b", 0, "dir/sub/c", 9, -EBADMSG, "'dir/sub/c' is in the tar, but not in the table of contents");
        lying("dir/sub/b", 156, "5", 1, -EBADMSG, "type");
        lying("dir/sub/b", 156, "2", 1, -EBADMSG, "type, size");
        lying("dir/sub/b", 156, "1", 1, -EBADMSG, "link");
        lying("dir/sub/b", 124, "00000000143", 11, -EBADMSG, "size");
        lying("dir/sub/b", 124, "00000010000", 11, -EBADMSG, "size");
        lying("dir/sub/b", 100, "0000755", 7, 0, ": mode");
        lying("dir/sub/b", 108, "0000000", 7, 0, ": owner");
        lying("dir/sub/b", 297, "staff", 5, 0, ": owner");
        lying("dir/sub/b", 136, "07346545001", 11, 0, ": mtime");
        lying("dir/soft", 157, "b", 1, -EOPNOTSUPP, ": link");
        lying("dir/hard", 157, "dir/nano", 8, 0, "link");
}

/* The parent asks again when it finds that a catalogue is not valid. */
static void expect_worker_lists_zoo(const struct bundle *b, const char *what)
{
        struct said said = {};
        const struct lsr_worker_options options = { .engine = "sync",
                                                    .window_max = WINDOW_MAX,
                                                    .ctx = &said,
                                                    .trouble = said_trouble,
                                                    .serve = lsr_worker_main };
        struct lsr_worker *w = lsr_worker_new(&options);
        struct lsr_worker_file file = { .fd = memfd_create("lsr1", MFD_CLOEXEC), .size = b->file.n };
        struct lsr_worker_bundle bundle;
        struct lsr_worker_answer answer;
        char *want = dump_zoo(), *got;
        uint8_t *head;
        size_t head_len;

        for (unsigned i = 0; i < LSR_COMPANIONS; i++)
                file.companions[i] = -1;
        cr_assert_eq(write(file.fd, b->file.data, b->file.n), (ssize_t)b->file.n);
        cr_assert_eq(lsr_worker_open(w, &file, &bundle, &head, &head_len), 0, "%s", said.text);
        cr_expect_str_eq(bundle.format, "lsr1");
        cr_assert_eq(lsr_worker_scan(w, bundle.id, NULL, &(uint64_t){ UINT64_MAX }, &answer), 0, "%s: %s", what,
                     said.text);
        got = dump(answer.catalogue);
        cr_expect_str_eq(got, want, "%s", what);
        cr_expect_eq(said.errors, 0, "%s", said.text);
        cr_expect_eq(said.remarks, strcmp(what, "good") != 0, "%s: %s", what, said.text);
        free(got);
        free(want);
        lsr_catalogue_free(answer.catalogue);
        lsr_worker_free(w);
        close(file.fd);
}

/* Its checksum is right. */
static void invalid_toc(size_t at, uint8_t mask, const char *what)
{
        struct tape *t = tape_zoo();
        struct said said = {};
        uint32_t rows;
        struct blob toc = toc_of(&t->tar, &rows);
        struct bundle *b;
        struct met *m;

        if (mask)
                toc.data[at] ^= mask;
        b = pack_toc(t, &toc, rows);
        m = meet(&b->file);
        expect_zoo_listed(m, what);
        cr_expect_eq(m->said.remarks, mask != 0, "%s: %s", what, m->said.text);
        cr_expect_eq(check(&b->file, &said), mask ? -EBADMSG : 0, "%s", what);
        expect_worker_lists_zoo(b, what);
        free(toc.data);
        met_free(m);
        bundle_free(b);
        tape_free(t);
}

Test(lsr1_damage, hostile_toc_that_is_not_valid)
{
        invalid_toc(0, 0, "good");
        invalid_toc(0, 1, "magic");
        invalid_toc(4, 2, "version");
        invalid_toc(8, 1, "rows");
        invalid_toc(16, 1, "directories");
        invalid_toc(24 + 24 + 15, 0x80, "a column's offset");
}

/* Members that only one of the two has, and members at another place. */
Test(lsr1_damage, hostile_toc_of_another_tar)
{
        struct tape *t = tape_zoo(), *more = tape_zoo();
        struct said said = {};
        struct bundle *b;

        tape_file(more, "dir/sub/z", 6, 1);
        b = pack_lying(more, t);
        cr_expect_eq(check(&b->file, &said), -EBADMSG);
        cr_expect_str_eq(said.text, "'dir/sub/z' is in the tar, but not in the table of contents\n");
        bundle_free(b);
        memset(&said, 0, sizeof(said));
        b = pack_lying(t, more);
        cr_expect_eq(check(&b->file, &said), -EBADMSG);
        cr_expect_str_eq(said.text, "'dir/sub/z' is in the table of contents, but not in the tar\n");
        bundle_free(b);
        tape_free(t);
        tape_free(more);
}

/* A file of which only the time is not always the same. */
static struct bundle *pack_timed(unsigned time)
{
        struct tape *t = tape_new();
        struct bundle *b;
        char digits[24];

        tape_file(t, "a", 1, 100);
        sprintf(digits, "07346545%03o", time);
        tape_put(t, 0, 136, digits, 11);
        b = pack(t);
        tape_free(t);
        return b;
}

/* A table of contents and a locator in the place of others that are as long: what is listed would be wrong. */
Test(lsr1_damage, hostile_toc_that_would_fit)
{
        for (int bound = 0; bound < 2; bound++) {
                struct bundle *b, *other = NULL;
                struct said said = {};
                struct met *m;

                pack_bound = bound;
                b = pack_timed(0);
                for (unsigned time = 1; !other && time < 512; time++) {
                        other = pack_timed(time);
                        if (b->toc != other->toc || b->locator != other->locator) {
                                bundle_free(other);
                                other = NULL;
                        }
                }
                cr_assert(other);
                memcpy(b->file.data + b->toc, other->file.data + b->toc, b->locator + 64 - b->toc);
                m = meet(&b->file);
                cr_assert(m->c);
                cr_expect_eq(m->said.remarks, (unsigned)bound, "%s", m->said.text);
                cr_expect(!bound || strstr(m->said.text, "it is that of another tar"), "%s", m->said.text);
                cr_expect_eq(check(&b->file, &said), -EBADMSG);
                met_free(m);
                bundle_free(b);
                bundle_free(other);
        }
}

/* A frame in the place of another that has as many bytes: a listing cannot know, whoever reads it does. */
Test(lsr1_damage, hostile_frame_of_another_tar)
{
        struct tape *one = tape_new(), *two = tape_new();
        struct bundle *b, *other;
        struct said said = {};
        struct met *m;
        struct blob got;
        unsigned reads = 0;

        pack_bound = true;
        tape_file(one, "a", 1, 100);
        tape_file(two, "a", 1, 100);
        two->tar.data[512]++;
        b = pack(one);
        other = pack(two);
        cr_assert_eq(b->end, other->end);
        memcpy(b->file.data, other->file.data, b->end);
        m = meet(&b->file);
        cr_assert(m->c);
        cr_expect_eq(m->said.remarks, 0, "%s", m->said.text);
        cr_expect_eq(content(m, &b->file, row_of(m->c, "a"), &got, &said, &reads), -EBADMSG);
        cr_expect_eq(check(&b->file, &said), -EBADMSG);
        free(got.data);
        met_free(m);
        bundle_free(b);
        bundle_free(other);
        tape_free(one);
        tape_free(two);
}

Test(lsr1_damage, good_check)
{
        struct bundle *b = pack_zoo();
        struct said said = {};

        cr_expect_eq(check(&b->file, &said), 0, "%s", said.text);
        cr_expect_eq(said.errors + said.remarks, 0, "%s", said.text);
        bundle_free(b);
}

/* Frames behind a damaged one are verified all the same. */
Test(lsr1_damage, bad_two_frames)
{
        struct bundle *b = pack_zoo();
        struct said said = {};

        b->file.data[b->frames[2] - 1] ^= 1;
        b->file.data[b->frames[4] - 1] ^= 1;
        cr_expect_eq(check(&b->file, &said), -EBADMSG);
        cr_expect(strstr(said.text, "is compared up to byte"), "%s", said.text);
        for (size_t i = 1; i < 4; i += 2) {
                char text[64];

                snprintf(text, sizeof(text), "zstd frame at byte %s is damaged", lsr_grouped(b->frames[i]));
                cr_expect(strstr(said.text, text), "%s in %s", text, said.text);
        }
        bundle_free(b);
}

/* --- many in one pass ------------------------------------------------------------------- */

struct many {
        const struct met *met;
        char path[4096];
        unsigned next, ended;
        int results[4];
        struct blob got[4];
        int stop; /* what write() gives */
};

static bool many_next(void *ctx, struct lsr_member *ret_member)
{
        struct many *m = ctx;
        uint32_t row;

        if (m->next == 4)
                return false;
        row = row_of(m->met->c, files[m->next++].path);
        lsr_catalogue_get(m->met->c, row, ret_member);
        ret_member->path_len = lsr_catalogue_path(m->met->c, row, m->path, sizeof(m->path));
        ret_member->path = m->path;
        return true;
}

static int many_write(void *ctx, const void *data, size_t n)
{
        struct many *m = ctx;

        blob_add(&m->got[m->ended], data, n);
        return m->stop;
}

static int many_end(void *ctx, int result)
{
        struct many *m = ctx;

        m->results[m->ended++] = result;
        return 0;
}

/* Returns which fail, a bit a file. */
static unsigned many_read(const struct bundle *b, const struct met *met, int stop, int result, unsigned ended)
{
        unsigned reads = 0, failed = 0;
        struct many m = { .met = met, .stop = stop };
        struct said said = {};
        const struct lsr_many many = { &m, many_next, many_write, many_end };
        struct lsr_scan scan = { .window_max = WINDOW_MAX, .ctx = &said, .trouble = said_trouble };

        scan.input = counted_new(&b->file, &reads);
        cr_expect_eq(lsr_format_lsr1.read_many(&scan, &many), result);
        cr_expect_eq(m.ended, ended);
        for (unsigned i = 0; i < m.ended; i++) {
                failed |= m.results[i] < 0 ? 1u << i : 0;
                cr_expect(m.results[i] < 0 || content_is(&m.got[i], files[i].seed, files[i].n), "%s", files[i].path);
        }
        for (unsigned i = 0; i < 4; i++)
                free(m.got[i].data);
        lsr_scan_close(&scan, &lsr_format_lsr1);
        return failed;
}

Test(lsr1_damage, good_many)
{
        struct bundle *b = pack_zoo();
        struct met *met = meet(&b->file);

        cr_assert(met->c);
        cr_expect_eq(many_read(b, met, 0, 0, 4), 0);
        /* Whoever has had enough gets no more. */
        many_read(b, met, -ECANCELED, -ECANCELED, 0);
        /* Without a locator it is streamed. */
        b->file.data[b->locator] ^= 1;
        cr_expect_eq(many_read(b, met, 0, 0, 4), 0);
        met_free(met);
        bundle_free(b);
}

/* Whoever compares members with the table of contents gets them all, but not as verified. */
static void expect_unverified(const struct bundle *b, const struct met *met, unsigned doubtful)
{
        unsigned reads = 0, found = 0;
        struct many m = { .met = met };
        struct said said = {};
        const struct lsr_many many = { &m, many_next, many_write, many_end };
        struct lsr_scan scan = { .window_max = WINDOW_MAX, .ctx = &said, .trouble = said_trouble, .exact = true };

        scan.exact_gaps = true;
        scan.input = counted_new(&b->file, &reads);
        cr_expect_eq(lsr_format_lsr1.read_many(&scan, &many), 0);
        cr_expect_eq(m.ended, 4);
        for (unsigned i = 0; i < m.ended; i++) {
                found |= m.results[i] == LSR_UNVERIFIED ? 1u << i : 0;
                cr_expect(m.results[i] == 0 || m.results[i] == LSR_UNVERIFIED, "%s: %d", files[i].path, m.results[i]);
                cr_expect(content_is(&m.got[i], files[i].seed, files[i].n), "%s", files[i].path);
                free(m.got[i].data);
        }
        cr_expect_eq(found, doubtful);
        cr_expect_eq(said.errors, 1, "%s", said.text);
        lsr_scan_close(&scan, &lsr_format_lsr1);
}

Test(lsr1_damage, bad_many)
{
        static const unsigned in_frame[] = { 0x3, 0x2, 0x2, 0x2, 0x4, 0x8 };
        struct bundle *b = pack_zoo();
        struct met *met = meet(&b->file);

        cr_assert(met->c);
        for (size_t i = 0; i + 1 < b->n_frames; i++) {
                size_t last = b->frames[i + 1] - 1;

                b->file.data[last] ^= 1;
                cr_expect_eq(many_read(b, met, 0, 0, 4), in_frame[i], "frame %zu", i);
                expect_unverified(b, met, in_frame[i]);
                b->file.data[last] ^= 1;
        }
        met_free(met);
        bundle_free(b);
}

/* --- digests --------------------------------------------------------------------------- */

/* Rows: the root, dir, dir/a, dir/b; @at: the byte of their digests that is wrong; @n: of so many in all. */
static void expect_digests(size_t at, size_t n, const char *want)
{
        struct tape *t = tape_new();
        uint8_t digests[5 * 32] = {};
        const struct lsr_catalogue_extra extra = { 65, digests, n };
        SHA2_CTX sha;
        struct said said = {};
        struct lsr_catalogue *c;
        struct lsr_input *in;
        struct bundle *b;
        struct blob toc = {};

        tape_link(t, '5', "dir/", "");
        for (size_t i = 0; i < 2; i++) {
                size_t from = t->tar.n + 512;

                tape_file(t, i ? "dir/b" : "dir/a", (unsigned)i, 700);
                SHA256Init(&sha);
                SHA256Update(&sha, t->tar.data + from, 700);
                SHA256Final(digests + (2 + i) * 32, &sha);
        }
        if (at < sizeof(digests))
                digests[at] ^= 1;
        in = lsr_input_memory(t->tar.data, t->tar.n);
        c = catalogue_of(&lsr_format_tar, in, &said);
        cr_assert_eq(lsr_catalogue_rows(c), 4);
        cr_assert_eq(lsr_catalogue_encode_with(c, &extra, &toc.data, &toc.n), 0);
        memset(&said, 0, sizeof(said));
        b = pack_toc(t, &toc, 4);
        cr_expect_eq(check(&b->file, &said), *want ? -EBADMSG : 0);
        cr_expect_str_eq(said.text, want);
        lsr_catalogue_free(c);
        lsr_input_free(in);
        free(toc.data);
        bundle_free(b);
        tape_free(t);
}

Test(lsr1_damage, good_digests)
{
        expect_digests(SIZE_MAX, 4 * 32, "");
}

Test(lsr1_damage, bad_digests)
{
        expect_digests(2 * 32, 4 * 32, "'dir/a' has other content than its digest tells\n");
        expect_digests(4 * 32 - 1, 4 * 32, "'dir/b' has other content than its digest tells\n");
        expect_digests(32, 4 * 32, "'dir' has a digest and no content\n");
        expect_digests(SIZE_MAX, 3 * 32, "'' has not one digest for each row\n");
        expect_digests(SIZE_MAX, 5 * 32, "'' has not one digest for each row\n");
}

/* --- a disk that fails ------------------------------------------------------------------ */

Test(lsr1_damage, failing_reads, .timeout = 100)
{
        for (unsigned bound = 0; bound < 2; bound++) {
                struct bundle *b;

                pack_bound = bound;
                b = pack_zoo();
                failing_reads(b->file.data, b->file.n, false);
                bundle_free(b);
        }
}
