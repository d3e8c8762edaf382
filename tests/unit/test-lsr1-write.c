/*
 * LSR1 bundles as they are written, taken apart byte by byte: the container is what docs/bundle-format.md says, the tar
 * in it is what any reader of tars takes, and the table of contents is the catalogue that such a reader makes.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "formats/filter/crc.h"
#include "formats/drivers.h"
#include "formats/lsr1/lsr1.h"
#include "formats/filter/zstd.h"

#define MIB ((size_t)1 << 20)
#define FRAMES 400

struct bytes {
        uint8_t *data;
        size_t n;
};

/* --- a tree ------------------------------------------------------------------------ */

/* Of each file the content is a function of its name, part text and part noise. */
static void content(const char *path, uint8_t *to, size_t n)
{
        uint32_t x = lsr_crc32(0, path, strlen(path));

        for (size_t i = 0; i < n; i++) {
                x = x * 1664525 + 1013904223;
                to[i] = (uint8_t)(i % 4096 < 1024 ? x >> 24 : (uint8_t)path[i % strlen(path)]);
        }
}

struct packer {
        struct lsr_output out;
        struct lsr_writer *w;
        uint8_t *content;
};

static void add(struct packer *p, struct lsr_member *m, const struct lsr_extent *extents, size_t n)
{
        const struct lsr_extent all = { 0, m->meta.size };

        m->path_len = strlen(m->path);
        m->meta.nsec[LSR_MTIME] = (uint32_t)m->path_len * 1000;
        m->meta.sec[LSR_MTIME] = 1700000000 + (int64_t)m->path_len;
        cr_assert_eq(lsr_writer_lsr1.member(p->w, m, extents, n), 0);
        if (!S_ISREG(m->meta.mode) || m->flags & LSR_MEMBER_HARDLINK)
                return;
        content(m->path, p->content, m->meta.size);
        for (size_t i = 0; i < (extents ? n : 1); i++) {
                const struct lsr_extent *e = extents ? &extents[i] : &all;

                for (size_t at = 0, part; at < e->size; at += part) {
                        part = e->size - at < 262144 ? e->size - at : 262144;
                        cr_assert_eq(lsr_writer_lsr1.data(p->w, p->content + e->offset + at, part), 0);
                }
        }
}

static void add_file(struct packer *p, const char *path, size_t size)
{
        struct lsr_member m = { .path = path, .meta = { .mode = S_IFREG | 0644, .size = size, .uid = 1 } };

        add(p, &m, NULL, 0);
}

static void add_dir(struct packer *p, const char *path)
{
        struct lsr_member m = { .path = path, .meta = { .mode = S_IFDIR | 0755 }, .user = "root", .group = "root" };

        add(p, &m, NULL, 0);
}

static void add_link(struct packer *p, const char *path, const char *target, bool hard)
{
        struct lsr_member m = { .path = path, .target = target, .target_len = strlen(target) };

        m.meta.mode = hard ? S_IFREG | 0644 : S_IFLNK | 0777;
        m.flags = hard ? LSR_MEMBER_HARDLINK : 0;
        add(p, &m, NULL, 0);
}

static void add_tree(struct packer *p)
{
        static const struct lsr_extent small[] = { { 100, 200 }, { 70000, 30000 } },
                                       large[] = { { 0, 3 * MIB }, { 5 * MIB, 3 * MIB } };
        static const uint8_t xattrs[] = "user.a\0\3\0\0\0a=b"
                                        "system.posix_acl_access\0\14\0\0\0\2\0\0\0\1\0\7\0\0\0\0\0";
        struct lsr_member m = { .meta = { .mode = S_IFREG | 0600, .size = 100000 } };
        char path[64];

        add_dir(p, "t");
        add_dir(p, "t/a");
        for (int i = 0; i < 300; i++) {
                sprintf(path, "t/a/file-%03d", i);
                add_file(p, path, (size_t)i * i % 40000);
        }
        add_link(p, "t/a/hard", "t/a/file-100", true);
        add_dir(p, "t/b");
        add_file(p, "t/b/empty", 0);
        add_file(p, "t/b/just-large", MIB);
        add_file(p, "t/b/just-small", MIB - 1);
        add_file(p, "t/b/nine", 9 * MIB + 1);
        add_link(p, "t/b/soft", "nine", false);
        add_file(p, "t/b/two-cuts", 8 * MIB);
        m.path = "t/c-sparse";
        m.xattrs = xattrs;
        m.xattrs_len = sizeof(xattrs) - 1;
        add(p, &m, small, 2);
        m.xattrs_len = 0;
        m.path = "t/d-sparse";
        m.meta.size = 10 * MIB;
        add(p, &m, large, 2);
        m.path = "t/e-hole";
        add(p, &m, large, 0);
}

struct limits {
        size_t frames;
        uint64_t toc;
};

/* With @limits, which are not kept, it has no table of contents. */
static struct bytes pack_within(unsigned threads, int level, void (*tree)(struct packer *p), size_t before,
                                const struct limits *limits)
{
        struct lsr_writer_options o = { .level = level, .threads = threads };
        struct packer p = { .content = lsr_xmalloc(16 * MIB) };
        struct bytes b;
        struct stat st;

        lsr_output_init(&p.out, memfd_create("bundle", MFD_CLOEXEC));
        cr_assert_eq(lsr_output_write(&p.out, p.content, before), 0);
        cr_assert_eq(lsr_writer_lsr1.open(&p.w, &p.out, &o), 0);
        if (limits)
                lsr1_writer_limit(p.w, limits->frames, limits->toc);
        if (tree)
                tree(&p);
        cr_assert_eq(lsr_writer_lsr1.finish(p.w), limits ? LSR_FINISH_NO_INDEX : 0);
        lsr_writer_lsr1.free(p.w);
        fstat(p.out.fd, &st);
        cr_assert_eq(p.out.at, (uint64_t)st.st_size);
        b = (struct bytes){ lsr_xmalloc((size_t)st.st_size - before), (size_t)st.st_size - before };
        cr_assert_eq(pread(p.out.fd, b.data, b.n, (off_t)before), (ssize_t)b.n);
        close(p.out.fd);
        lsr_output_free(&p.out);
        free(p.content);
        return b;
}

static struct bytes pack(unsigned threads, int level, void (*tree)(struct packer *p), size_t before)
{
        return pack_within(threads, level, tree, before, NULL);
}

/* --- taking it apart --------------------------------------------------------------- */

/* All that the frames in @data decode to. */
static struct bytes decode(const uint8_t *data, size_t n)
{
        struct bytes b = {};
        struct lsr_input *in;
        const uint8_t *p;
        ssize_t got;

        cr_assert_eq(lsr_filter_zstd.open(&in, lsr_input_memory(data, n), (uint64_t)128 << 20), 0);
        while ((got = lsr_input_peek(in, 1, &p)) > 0) {
                b.data = lsr_xrealloc(b.data, b.n + (size_t)got);
                memcpy(b.data + b.n, p, (size_t)got);
                b.n += (size_t)got;
                lsr_input_take(in, (size_t)got);
        }
        cr_assert_eq(got, 0);
        lsr_input_free(in);
        return b;
}

/* A frame says how large it is, has a checksum, no dictionary, and no window beyond 128 MiB. */
static void check_frame(const uint8_t *p, size_t size)
{
        static const unsigned sizes[] = { 1, 2, 4, 8 };
        unsigned descriptor = p[4], single = descriptor >> 5 & 1;
        uint64_t said = 0;

        cr_expect_eq(lsr_le32(p), 0xfd2fb528u);
        cr_expect(descriptor & 4, "a checksum");
        cr_expect_eq(descriptor & 3, 0);
        cr_expect(single || descriptor >> 6, "a content size");
        if (!single)
                cr_expect_leq(p[5] >> 3, 17);
        memcpy(&said, p + (single ? 5 : 6), sizes[descriptor >> 6]);
        if (descriptor >> 6 == 1)
                said += 256;
        cr_expect_eq(said, size);
}

/* Of 32 KiB each, but for the last. */
static void check_toc_frames(const uint8_t *data, size_t n, size_t size)
{
        size_t at = 0;

        while (size > 0) {
                size_t piece = size < 32768 ? size : 32768, packed;
                uint64_t said;

                cr_assert_eq(lsr_zstd_frame_size(data + at, n - at, &packed, &said), 0);
                check_frame(data + at, piece);
                at += packed;
                size -= piece;
        }
        cr_expect_eq(at, n);
}

struct parts {
        uint32_t n; /* frames D and E */
        uint64_t at[FRAMES], raw[FRAMES];
        uint64_t toc_at, toc_clen, toc_rlen;
        uint32_t rows;
        uint8_t crc[4]; /* of the entries of frames */
        struct bytes tar, toc;
};

static void take_apart(const struct bytes *b, struct parts *ret)
{
        const uint8_t *end = b->data + b->n, *s, *l;
        uint64_t at = 0, raw = 0;
        uint32_t n = lsr_le32(end - 9);
        struct parts p = { .n = n - 2 };

        cr_assert_leq(n, FRAMES);
        cr_expect_eq(lsr_le32(end - 4), 0x8f92eab1u);
        cr_expect_eq(end[-5], 0x80);
        s = end - 9 - n * 12 - 8;
        cr_expect_eq(lsr_le32(s), 0x184d2a5eu);
        cr_expect_eq(lsr_le32(s + 4), n * 12 + 9);
        l = s - 64;
        cr_expect_eq(lsr_le32(l), 0x184d2a5bu);
        cr_expect_eq(lsr_le32(l + 4), 56);
        cr_expect(memcmp(l + 8, "LSRTOC\r\n\1\0\0\0\0\0\0\0", 16) == 0);
        cr_expect_eq(lsr_le32(l + 60), lsr_crc32(0, l, 60));
        p.toc_at = lsr_le64(l + 24);
        p.toc_clen = lsr_le64(l + 32);
        p.toc_rlen = lsr_le64(l + 40);
        p.rows = lsr_le32(l + 56);
        cr_assert_eq(p.toc_at + 8 + p.toc_clen, (uint64_t)(l - b->data));
        for (uint32_t i = 0; i < n; i++) {
                uint32_t packed = lsr_le32(s + 8 + i * 12), size = lsr_le32(s + 12 + i * 12);
                uint32_t sum = lsr_le32(s + 16 + i * 12);

                p.at[i] = at;
                p.raw[i] = raw;
                if (i < n - 2)
                        check_frame(b->data + at, size);
                at += packed;
                raw += size;
                cr_expect_eq(sum, i < n - 2 ? lsr_le32(b->data + at - 4) : 0x51d8e999);
        }
        lsr_put_le32(p.crc, lsr_crc32(0, s + 8, (n - 2) * 12));
        cr_expect_eq(p.at[n - 2], p.toc_at);
        cr_expect_eq(p.raw[n - 2], p.raw[n - 1]);
        cr_expect_eq(b->data + p.at[n - 1], l);
        cr_expect_eq(b->data + at, s);
        cr_expect_eq(raw, p.raw[n - 1]);
        cr_expect_eq(raw, lsr_le64(l + 48));
        cr_expect_eq(lsr_le32(b->data + p.toc_at), 0x184d2a5bu);
        cr_expect_eq(lsr_le32(b->data + p.toc_at + 4), p.toc_clen);
        check_toc_frames(b->data + p.toc_at + 8, p.toc_clen, p.toc_rlen);
        p.toc = decode(b->data + p.toc_at + 8, p.toc_clen);
        cr_expect_eq(p.toc.n, p.toc_rlen);
        p.tar = decode(b->data, b->n);
        cr_expect_eq(p.tar.n, raw);
        *ret = p;
}

static void trouble(void *ctx, int error, const char *text)
{
        (void)ctx;
        cr_expect(false, "%d %s", error, text);
}

/* The encoding of the catalogue that the tar driver makes, with @crc. */
static struct bytes scan(const struct bytes *tar, const uint8_t *crc)
{
        const struct lsr_catalogue_extra extra = { 64, crc, 4 };
        struct lsr_scan s = { .input = lsr_input_memory(tar->data, tar->n), .trouble = trouble };
        struct lsr_catalogue *c;
        struct bytes b;

        s.builder = lsr_builder_new();
        cr_assert_eq(lsr_format_tar.scan(&s), 0);
        cr_assert_eq(lsr_builder_finish(s.builder, &c), 0);
        cr_assert_eq(lsr_catalogue_encode_with(c, &extra, &b.data, &b.n), 0);
        lsr_catalogue_free(c);
        lsr_builder_free(s.builder);
        lsr_input_free(s.input);
        return b;
}

static void parts_free(struct parts *p)
{
        free(p->tar.data);
        free(p->toc.data);
}

/* --- tests ------------------------------------------------------------------------- */

static void check_toc(const struct bytes *b)
{
        struct parts p;
        struct bytes want;

        take_apart(b, &p);
        want = scan(&p.tar, p.crc);
        cr_expect_eq(want.n, p.toc.n);
        cr_expect(want.n == p.toc.n && memcmp(want.data, p.toc.data, want.n) == 0);
        cr_expect_eq(p.raw[p.n] - p.raw[p.n - 1], 1024);
        for (size_t i = 0; i < 1024; i++)
                cr_assert_eq(p.tar.data[p.tar.n - 1024 + i], 0);
        free(want.data);
        parts_free(&p);
}

Test(lsr1_write, good_toc)
{
        struct bytes b = pack(2, LSR_LEVEL_DEFAULT, add_tree, 0);

        check_toc(&b);
        free(b.data);
        b = pack(1, 19, NULL, 0);
        check_toc(&b);
        free(b.data);
        b = pack(1, 1, add_tree, 12345);
        check_toc(&b);
        free(b.data);
}

/* What readers would not take is not written, and told: the rest is a .tar.zst with a seek table. */
Test(lsr1_write, good_beyond_limits)
{
        static const struct limits limits[] = { { 10, LSR1_TOC_MAX }, { LSR1_FRAMES_MAX, 1000 } };
        struct bytes indexed = pack(2, LSR_LEVEL_DEFAULT, add_tree, 0), b;
        struct parts p;

        take_apart(&indexed, &p);
        for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
                struct bytes tar;
                struct lsr_input *in;
                struct lsr1 l;

                b = pack_within(2, LSR_LEVEL_DEFAULT, add_tree, 0, &limits[i]);
                tar = decode(b.data, b.n);
                cr_expect_eq(tar.n, p.tar.n);
                cr_expect_eq(memcmp(tar.data, p.tar.data, tar.n), 0);
                cr_expect_eq(memcmp(b.data, indexed.data, p.toc_at), 0);
                cr_expect_eq(b.n, p.toc_at + 8 + (size_t)p.n * 12 + 9);
                cr_expect_eq(lsr_le32(b.data + p.toc_at), 0x184d2a5eu);
                cr_expect_eq(lsr_le32(b.data + b.n - 9), p.n);
                in = lsr_input_memory(b.data, b.n);
                cr_expect_not_null(lsr1_open(&l, in));
                cr_expect_not(lsr_lsr1_is_lost(in));
                lsr_input_free(in);
                free(tar.data);
                free(b.data);
        }
        parts_free(&p);
        free(indexed.data);
}

Test(lsr1_write, good_same)
{
        struct bytes one = pack(1, LSR_LEVEL_DEFAULT, add_tree, 0), same;

        for (unsigned threads = 2; threads < 9; threads += 3) {
                same = pack(threads, LSR_LEVEL_DEFAULT, add_tree, 0);
                cr_expect_eq(one.n, same.n);
                cr_expect(one.n == same.n && memcmp(one.data, same.data, one.n) == 0);
                free(same.data);
        }
        free(one.data);
}

/* The frame that begins at @raw, or FRAMES. */
static uint32_t frame_at(const struct parts *p, uint64_t raw)
{
        uint32_t i = 0;

        while (i < p->n && p->raw[i] != raw)
                i++;
        return i < p->n ? i : FRAMES;
}

/* Where frames end: large content begins one and is cut each 4 MiB, all others hold 1 MiB unless one follows. */
Test(lsr1_write, good_frames)
{
        static const struct {
                const char *path;
                unsigned frames; /* that it has for itself */
        } larges[] = { { "t/b/just-large", 1 }, { "t/b/nine", 3 }, { "t/b/two-cuts", 2 }, { "t/d-sparse", 2 } };
        struct bytes b = pack(3, LSR_LEVEL_DEFAULT, add_tree, 0);
        struct lsr_catalogue *c;
        struct lsr_member m;
        struct parts p;
        bool own[FRAMES + 1] = {};

        take_apart(&b, &p);
        cr_assert_eq(lsr_catalogue_decode(&c, p.toc.data, p.toc.n), 0);
        cr_expect_eq(p.rows, lsr_catalogue_rows(c));
        lsr_catalogue_get(c, (uint32_t)lsr_catalogue_find(c, 0, "t/c-sparse", 10), &m);
        cr_expect_eq(m.flags, LSR_MEMBER_SPARSE | LSR_MEMBER_ACL);
        cr_expect_eq(m.xattrs_len, 14 + 31); /* the list in words */
        for (size_t i = 0; i < sizeof(larges) / sizeof(larges[0]); i++) {
                int64_t row = lsr_catalogue_find(c, 0, larges[i].path, strlen(larges[i].path));
                uint32_t first, n = larges[i].frames;

                cr_assert_gt(row, 0);
                lsr_catalogue_get(c, (uint32_t)row, &m);
                first = frame_at(&p, m.data);
                cr_assert_lt(first, p.n, "%s", larges[i].path);
                own[first] = true;
                for (uint32_t k = 1; k < n; k++) {
                        cr_expect_eq(p.raw[first + k], m.data + 4 * k * MIB);
                        own[first + k] = true;
                }
                cr_expect_eq(p.raw[first + n], m.data + (m.packed + 511) / 512 * 512, "%s", larges[i].path);
        }
        for (uint32_t i = 0; i + 1 < p.n; i++) {
                cr_expect_lt(p.raw[i + 1] - p.raw[i], own[i] ? 4 * MIB + 1 : 2 * MIB + 4096);
                if (!own[i] && !own[i + 1] && i + 2 < p.n)
                        cr_expect_geq(p.raw[i + 1] - p.raw[i], MIB);
        }
        m.path = "t/b/just-small";
        cr_assert_gt(lsr_catalogue_find(c, 0, m.path, strlen(m.path)), 0);
        lsr_catalogue_get(c, (uint32_t)lsr_catalogue_find(c, 0, m.path, strlen(m.path)), &m);
        cr_expect_eq(frame_at(&p, m.data), FRAMES, "small content has no frame of its own");
        lsr_catalogue_free(c);
        parts_free(&p);
        free(b.data);
}

static void add_empty(struct packer *p)
{
        char path[64];

        add_dir(p, "t");
        for (int i = 0; i < 3000; i++) {
                sprintf(path, "t/%04d", i);
                add_file(p, path, 0);
        }
}

/* Headers alone fill frames too. */
Test(lsr1_write, good_empty)
{
        struct bytes b = pack(2, LSR_LEVEL_DEFAULT, add_empty, 0);
        struct parts p;

        take_apart(&b, &p);
        cr_expect_eq(p.n, 3001 * 3 / 2048 + 2);
        for (uint32_t i = 0; i + 2 < p.n; i++)
                cr_expect_lt(p.raw[i + 1] - p.raw[i], MIB + 1536);
        parts_free(&p);
        free(b.data);
}

/* Content comes back byte by byte, through the places that the table of contents tells. */
Test(lsr1_write, good_content)
{
        static const char *const paths[] = { "t/a/file-299", "t/b/just-small", "t/b/nine", "t/b/two-cuts" };
        struct bytes b = pack(2, LSR_LEVEL_DEFAULT, add_tree, 0);
        uint8_t *want = lsr_xmalloc(16 * MIB);
        struct lsr_catalogue *c;
        struct lsr_member m;
        struct parts p;

        take_apart(&b, &p);
        cr_assert_eq(lsr_catalogue_decode(&c, p.toc.data, p.toc.n), 0);
        for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
                lsr_catalogue_get(c, (uint32_t)lsr_catalogue_find(c, 0, paths[i], strlen(paths[i])), &m);
                content(paths[i], want, m.meta.size);
                cr_expect(memcmp(p.tar.data + m.data, want, m.meta.size) == 0, "%s", paths[i]);
        }
        lsr_catalogue_free(c);
        parts_free(&p);
        free(want);
        free(b.data);
}
