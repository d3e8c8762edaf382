/* Tars as they are written: our own reader finds in them all that was put in, and plain headers where those suffice. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/filter/compress.h"
#include "formats/tar/write.h"
#include "tar-tape.h"

#define LONG_DIR "dir-of-forty-bytes-0123456789-0123456789"
#define NAME_100 LONG_DIR LONG_DIR "-twenty-bytes-012345"
#define NAME_101 NAME_100 "x"

/* --- members and bundles ---------------------------------------------------------- */

/* A file of ann's, 1000/100, mode 0644, time 1000000000. */
static struct lsr_member member(const char *path, uint32_t mode)
{
        return (struct lsr_member){
                .path = path,
                .path_len = strlen(path),
                .meta = { .known = LSR_FIELD_TYPE | LSR_FIELD_MODE | LSR_FIELD_UID | LSR_FIELD_GID | LSR_FIELD_SIZE |
                                   LSR_FIELD_MTIME,
                          .mode = mode,
                          .uid = 1000,
                          .gid = 100,
                          .sec = { 1000000000 } },
                .user = "ann",
                .group = "users",
        };
}

static struct lsr_member link_to(const char *path, uint32_t mode, const char *target)
{
        struct lsr_member m = member(path, mode);

        m.target = target;
        m.target_len = strlen(target);
        return m;
}

struct pack {
        struct lsr_output out;
        struct lsr_writer *w;
        const struct lsr_writer_kind *kind;
};

static void pack_begin(struct pack *p, const char *name, unsigned threads)
{
        struct lsr_writer_options o = { .level = LSR_LEVEL_DEFAULT, .threads = threads };

        p->kind = lsr_writer_kind_of(name);
        cr_assert_not_null(p->kind, "%s", name);
        lsr_output_init(&p->out, memfd_create("bundle", MFD_CLOEXEC));
        cr_assert_eq(p->kind->open(&p->w, &p->out, &o), 0);
}

static int pack_add(struct pack *p, const struct lsr_member *m, const char *content)
{
        struct lsr_member copied = *m;
        int r;

        copied.meta.size = content ? strlen(content) : m->meta.size;
        r = p->kind->member(p->w, &copied, NULL, 0);
        if (r >= 0 && content)
                cr_assert_eq(p->kind->data(p->w, content, strlen(content)), 0);
        return r;
}

static void pack_end(struct pack *p, struct tape *ret_tape)
{
        struct stat st;

        cr_assert_eq(p->kind->finish(p->w), 0);
        p->kind->free(p->w);
        fstat(p->out.fd, &st);
        cr_assert_eq(p->out.at, (uint64_t)st.st_size);
        *ret_tape = (struct tape){ lsr_xmalloc((size_t)st.st_size), (size_t)st.st_size };
        cr_assert_eq(pread(p->out.fd, ret_tape->data, ret_tape->n, 0), (ssize_t)ret_tape->n);
        close(p->out.fd);
        lsr_output_free(&p->out);
}

/* One member without content. */
static void check_member(const struct lsr_member *m, const char *want)
{
        struct pack p;
        struct tape t;

        pack_begin(&p, "x.tar", 1);
        cr_assert_eq(pack_add(&p, m, NULL), 0);
        pack_end(&p, &t);
        check(&t, want);
}

/* --- plain headers ---------------------------------------------------------------- */

Test(tar_write, good_plain)
{
        struct lsr_member m;
        struct pack p;
        struct tape t;

        pack_begin(&p, "x.tar", 1);
        m = member("", S_IFDIR | 0755);
        pack_add(&p, &m, NULL);
        m = member("d", S_IFDIR | 01777);
        pack_add(&p, &m, NULL);
        m = member("d/a", S_IFREG | 04711);
        pack_add(&p, &m, "hello\n");
        m = link_to("d/h", S_IFREG | 04711, "d/a");
        m.flags = LSR_MEMBER_HARDLINK;
        m.meta.size = 6;
        pack_add(&p, &m, NULL);
        m = link_to("d/s", S_IFLNK | 0777, "../target");
        m.meta.size = 9;
        pack_add(&p, &m, NULL);
        m = member("f", S_IFIFO | 0600);
        pack_add(&p, &m, NULL);
        m = member("g", S_IFCHR | 0600);
        m.meta.rdev = 4095u << 20 | 0xfffff;
        pack_add(&p, &m, NULL);
        m = member("h", S_IFBLK | 0600);
        m.meta.rdev = 8u << 20 | 1;
        m.user = m.group = NULL;
        pack_add(&p, &m, NULL);
        m = member("i", S_IFSOCK | 0600);
        cr_expect_eq(pack_add(&p, &m, NULL), LSR_LOSS_KIND);
        pack_end(&p, &t);
        cr_expect_eq(t.n, 8 * BLOCK + BLOCK + 2 * BLOCK);
        cr_expect(memcmp(t.data + 3 * BLOCK, "hello\n\0\0", 8) == 0);
        check(&t, "d 755 1000/100 ann/users 0 1000000000 './' 0@0+512\n"
                  "d 1777 1000/100 ann/users 0 1000000000 'd/' 0@512+512\n"
                  "- 4711 1000/100 ann/users 6 1000000000 'd/a' 6@1024+512\n"
                  "H- 4711 1000/100 ann/users 0 1000000000 'd/h'->'d/a' 0@2048+512\n"
                  "l 777 1000/100 ann/users 9 1000000000 'd/s'->'../target' 0@2560+512\n"
                  "p 600 1000/100 ann/users 0 1000000000 'f' 0@3072+512\n"
                  "c 600 1000/100 ann/users 0 1000000000 'g' dev 4095,1048575 0@3584+512\n"
                  "b 600 1000/100 / 0 1000000000 'h' dev 8,1 0@4096+512\n");
}

/* What just fits needs no records, one more does. */
Test(tar_write, good_limits)
{
        struct lsr_member m = member(NAME_100, S_IFREG | 0644);

        cr_assert_eq(strlen(NAME_100), 100);
        check_member(&m, "- 644 1000/100 ann/users 0 1000000000 '" NAME_100 "' 0@0+512\n");
        m = member(NAME_101, S_IFREG | 0644);
        check_member(&m, "- 644 1000/100 ann/users 0 1000000000 '" NAME_101 "' 0@0+1536\n");
        m = member(NAME_100, S_IFDIR | 0755);
        check_member(&m, "d 755 1000/100 ann/users 0 1000000000 '" NAME_100 "/' 0@0+1536\n");
        m = member("p/" NAME_100, S_IFREG | 0644);
        check_member(&m, "- 644 1000/100 ann/users 0 1000000000 'p/" NAME_100 "' 0@0+512\n");
        m = member("p/" NAME_100, S_IFDIR | 0644);
        check_member(&m, "d 644 1000/100 ann/users 0 1000000000 'p/" NAME_100 "/' 0@0+1536\n");
        m = member("p/" NAME_101, S_IFREG | 0644);
        check_member(&m, "- 644 1000/100 ann/users 0 1000000000 'p/" NAME_101 "' 0@0+1536\n");
        m = member(NAME_100 LONG_DIR "-prefix--of-155/" NAME_100, S_IFREG | 0644);
        cr_assert_eq(m.path_len, 256);
        check_member(&m, "- 644 1000/100 ann/users 0 1000000000 '" NAME_100 LONG_DIR "-prefix--of-155/" NAME_100
                         "' 0@0+512\n");
        m = member(NAME_100 LONG_DIR "-prefix--of--156/" NAME_100, S_IFREG | 0644);
        check_member(&m, "- 644 1000/100 ann/users 0 1000000000 '" NAME_100 LONG_DIR "-prefix--of--156/" NAME_100
                         "' 0@0+1536\n");
        m = link_to("s", S_IFLNK | 0777, NAME_100);
        check_member(&m, "l 777 1000/100 ann/users 100 1000000000 's'->'" NAME_100 "' 0@0+512\n");
        m = link_to("s", S_IFLNK | 0777, NAME_101);
        check_member(&m, "l 777 1000/100 ann/users 101 1000000000 's'->'" NAME_101 "' 0@0+1536\n");
        m = member("u", S_IFREG | 0644);
        m.user = m.group = "thirty-one-bytes-0123456789-012";
        check_member(&m, "- 644 1000/100 thirty-one-bytes-0123456789-012/thirty-one-bytes-0123456789-012 0 "
                         "1000000000 'u' 0@0+512\n");
        m.user = "thirty-two-bytes-0123456789-0123";
        m.group = "forty-bytes-0123456789-0123456789-012345";
        check_member(&m, "- 644 1000/100 thirty-two-bytes-0123456789-0123/forty-bytes-0123456789-0123456789-012345 "
                         "0 1000000000 'u' 0@0+1536\n");
        m = member("n", S_IFREG | 0644);
        m.meta.uid = m.meta.gid = 2097151;
        check_member(&m, "- 644 2097151/2097151 ann/users 0 1000000000 'n' 0@0+512\n");
        m.meta.uid = 2097152;
        m.meta.gid = UINT32_MAX;
        check_member(&m, "- 644 2097152/4294967295 ann/users 0 1000000000 'n' 0@0+1536\n");
}

/* Who reads records as UTF-8, which they are, is told when they are not; a header has bytes. */
Test(tar_write, good_binary)
{
        struct tar_blocks b = {};
        struct lsr_member m = member("short-\xff", S_IFREG | 0644);

        cr_assert_eq(tar_blocks_make(&b, &m, NULL, 0), 0);
        cr_expect_eq(b.headers, BLOCK);
        m = member(NAME_101 "\xc3\xbc", S_IFREG | 0644);
        cr_assert_eq(tar_blocks_make(&b, &m, NULL, 0), 0);
        cr_expect_null(memmem(b.bytes.data, b.bytes.n, "hdrcharset", 10));
        m = link_to(NAME_101 "\xff", S_IFLNK | 0777, NAME_101 "\xfe");
        cr_assert_eq(tar_blocks_make(&b, &m, NULL, 0), 0);
        cr_expect(memcmp(b.records.data, "21 hdrcharset=BINARY\n112 path=", 30) == 0);
        cr_expect_null(memmem(b.records.data + 1, b.records.n - 1, "21 hdrcharset", 13));
        tar_blocks_free(&b);
        check_member(&m, "l 777 1000/100 ann/users 102 1000000000 '" NAME_101 "\xff'->'" NAME_101 "\xfe' 0@0+1536\n");
}

Test(tar_write, good_times)
{
        static const struct {
                int64_t sec;
                uint32_t nsec;
                const char *want;
        } times[] = {
                { 0, 0, "0 't' 0@0+512" },
                { 8589934591, 0, "8589934591 't' 0@0+512" },
                { 8589934592, 0, "8589934592 't' 0@0+1536" },
                { 1000000000, 1, "1000000000.000000001 't' 0@0+1536" },
                { 1000000000, 999999999, "1000000000.999999999 't' 0@0+1536" },
                { -1, 0, "-1 't' 0@0+1536" },
                { -1, 250000000, "-1.250000000 't' 0@0+1536" },
                { -3, 1, "-3.000000001 't' 0@0+1536" },
                { -11644473600, 100, "-11644473600.000000100 't' 0@0+1536" },
                { INT64_MIN, 0, "-9223372036854775808 't' 0@0+1536" },
        };

        for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
                struct lsr_member m = member("t", S_IFREG | 0644);
                char want[128];

                m.meta.sec[LSR_MTIME] = times[i].sec;
                m.meta.nsec[LSR_MTIME] = times[i].nsec;
                sprintf(want, "- 644 1000/100 ann/users 0 %s\n", times[i].want);
                check_member(&m, want);
        }
}

/* Only fractions of seconds: the extension is the same for all, but for nine digits. */
Test(tar_write, good_same_header)
{
        struct tar_blocks a = {}, b = {};
        struct lsr_member m = member("a", S_IFREG | 0644);

        m.meta.nsec[LSR_MTIME] = 500000000;
        cr_assert_eq(tar_blocks_make(&a, &m, NULL, 0), 0);
        m = member("some/other/name", S_IFDIR | 0700);
        m.meta.uid = 0;
        m.meta.nsec[LSR_MTIME] = 123;
        cr_assert_eq(tar_blocks_make(&b, &m, NULL, 0), 0);
        cr_expect_eq(a.headers, 3 * BLOCK);
        cr_expect(memcmp(a.bytes.data, b.bytes.data, BLOCK) == 0);
        cr_expect(memcmp(a.bytes.data + BLOCK, "30 mtime=1000000000.500000000\n", 31) == 0);
        tar_blocks_free(&a);
        tar_blocks_free(&b);
}

/* A size of more than eleven digits is in the records. */
Test(tar_write, good_large)
{
        struct tar_blocks b = {};
        struct lsr_member m = member("large", S_IFREG | 0644);
        struct tar_pax pax = {};
        size_t bad;

        m.meta.size = UINT64_C(8589934591);
        cr_assert_eq(tar_blocks_make(&b, &m, NULL, 0), 0);
        cr_expect_eq(b.headers, BLOCK);
        cr_expect_eq(b.padding, 1);
        m.meta.size++;
        cr_assert_eq(tar_blocks_make(&b, &m, NULL, 0), 0);
        cr_expect_eq(b.headers, 3 * BLOCK);
        cr_expect_eq(b.data, m.meta.size);
        cr_expect_eq(b.padding, 0);
        cr_expect_eq(tar_pax_parse(&pax, (char *)b.bytes.data + BLOCK, b.records.n, &bad), 0);
        cr_expect(tar_pax_has(&pax, TAR_SIZE));
        cr_expect_eq(pax.values[TAR_SIZE], 8589934592);
        tar_blocks_free(&b);
}

/* --- attributes ------------------------------------------------------------------- */

static void xattr(struct tar_bytes *to, const char *name, const void *value, size_t n)
{
        uint8_t len[4];

        lsr_put_le32(len, (uint32_t)n);
        tar_bytes_add(to, name, strlen(name) + 1);
        tar_bytes_add(to, len, 4);
        tar_bytes_add(to, value, n);
}

#define ACL_HEADER 2, 0, 0, 0
#define ACL_ENTRY(tag, perm, id) tag, 0, perm, 0, (id)&255, (id) >> 8 & 255, (id) >> 16 & 255, (uint8_t)((id) >> 24)
#define ACL_NOBODY 0xffffffffu

static const uint8_t acl_access[] = {
        ACL_HEADER,
        ACL_ENTRY(0x01, 7, ACL_NOBODY),
        ACL_ENTRY(0x02, 6, 1234567u),
        ACL_ENTRY(0x02, 1, 4294967294u),
        ACL_ENTRY(0x04, 5, ACL_NOBODY),
        ACL_ENTRY(0x08, 4, 7u),
        ACL_ENTRY(0x10, 7, ACL_NOBODY),
        ACL_ENTRY(0x20, 0, ACL_NOBODY),
};

Test(tar_write, good_xattrs)
{
        struct lsr_member m = member("x", S_IFDIR | 0755);
        struct tar_bytes xattrs = {};

        xattr(&xattrs, "user.plain", "value", 5);
        xattr(&xattrs, "user.lines", "a\nb=c\n", 6);
        xattr(&xattrs, "user.odd=100%25", "", 0);
        xattr(&xattrs, "system.posix_acl_access", acl_access, sizeof(acl_access));
        xattr(&xattrs, "system.posix_acl_default", acl_access, 12);
        xattr(&xattrs, "trusted.last", "z", 1);
        m.xattrs = xattrs.data;
        m.xattrs_len = xattrs.n;
        check_member(&m, "Ad 755 1000/100 ann/users 0 1000000000 'x/' {user.plain=value} {user.lines=a\nb=c\n} "
                         "{user.odd=100%25=} {SCHILY.acl.access=user::rwx,user:1234567:rw-,user:4294967294:--x,"
                         "group::r-x,group:7:r--,mask::rwx,other::---} {SCHILY.acl.default=user::rwx} "
                         "{trusted.last=z} 0@0+1536\n");
        free(xattrs.data);
}

/* A list that makes no sense and attributes beyond what readers take are left out, and that is said. */
Test(tar_write, bad_xattrs)
{
        static const uint8_t version[] = { 3, 0, 0, 0, ACL_ENTRY(1, 7, 0u) },
                             tag[] = { ACL_HEADER, ACL_ENTRY(3, 7, 0u) }, perm[] = { ACL_HEADER, ACL_ENTRY(1, 8, 0u) };
        static const struct {
                const uint8_t *acl;
                size_t n;
        } acls[] = { { version, 12 }, { tag, 12 }, { perm, 12 }, { acl_access, 11 }, { acl_access, 3 }, { NULL, 0 } };
        struct tar_blocks b = {};
        struct lsr_member m = member("x", S_IFREG | 0644);
        struct tar_bytes xattrs = {};
        uint8_t *large = calloc(1, 65536);

        for (size_t i = 0; i < sizeof(acls) / sizeof(acls[0]); i++) {
                xattrs.n = 0;
                xattr(&xattrs, "system.posix_acl_access", acls[i].acl, acls[i].n);
                m.xattrs = xattrs.data;
                m.xattrs_len = xattrs.n;
                cr_expect_eq(tar_blocks_make(&b, &m, NULL, 0), LSR_LOSS_ACL, "%zu", i);
                cr_expect_eq(b.headers, BLOCK);
                cr_expect_eq(b.member.flags, 0);
        }
        xattrs.n = 0;
        for (char name[] = "user.a"; name[5] <= 'z'; name[5]++)
                xattr(&xattrs, name, large, 65536);
        xattr(&xattrs, "user.small", "value", 5);
        m.xattrs = xattrs.data;
        m.xattrs_len = xattrs.n;
        cr_expect_eq(tar_blocks_make(&b, &m, NULL, 0), LSR_LOSS_XATTRS);
        cr_expect_leq(b.headers, LSR_LIMIT_MIB + 2 * BLOCK);
        cr_expect_geq(b.headers, LSR_LIMIT_MIB - 65536);
        cr_expect(memcmp(b.xattrs.data + b.xattrs.n - 20, "user.small", 11) == 0);
        tar_blocks_free(&b);
        free(xattrs.data);
        free(large);
}

/* --- sparse ----------------------------------------------------------------------- */

static int collect(void *ctx, const void *data, size_t n)
{
        struct tape *t = ctx;

        t->data = lsr_xrealloc(t->data, t->n + n + 1);
        memcpy(t->data + t->n, data, n);
        t->n += n;
        return 0;
}

/* A sparse file of @size bytes with an 'x' at each byte of its extents, and a file behind it. */
static void check_sparse(const char *name, uint64_t size, const struct lsr_extent *extents, size_t n, const char *want)
{
        struct lsr_member m = member(name, S_IFREG | 0644);
        uint8_t *expected = calloc(1, size + 1);
        struct notes *b;
        struct lsr_sink sink;
        struct lsr_input *in;
        struct tape t, got = {};
        struct pack p;

        m.meta.size = size;
        pack_begin(&p, "x.tar", 1);
        cr_assert_eq(p.kind->member(p.w, &m, extents, n), 0);
        for (size_t i = 0; i < n; i++) {
                memset(expected + extents[i].offset, 'x', extents[i].size);
                cr_assert_eq(p.kind->data(p.w, expected + extents[i].offset, extents[i].size), 0);
        }
        m = member("next", S_IFREG | 0644);
        pack_add(&p, &m, "content");
        pack_end(&p, &t);
        b = scan_bytes(t.data, t.n);
        sink = (struct lsr_sink){ &got, collect };
        in = lsr_input_memory(t.data, t.n);
        cr_expect_eq(lsr_format_tar.read(&(struct lsr_scan){ .input = in, .ctx = b, .trouble = trouble },
                                         &b->members[0], &sink),
                     0);
        cr_expect_eq(got.n, size);
        cr_expect(got.n == size && memcmp(got.data, expected, size) == 0);
        lsr_input_free(in);
        notes_free(b);
        free(got.data);
        free(expected);
        check(&t, want);
}

Test(tar_write, good_sparse)
{
        static const struct lsr_extent ends[] = { { 0, 10 }, { 5000, 2000 } }, middle[] = { { 512, 1 } };

        check_sparse("dir/sparse", 7000, ends, 2,
                     "S- 644 1000/100 ann/users 7000 1000000000 'dir/sparse' 2522@0+1536\n"
                     "- 644 1000/100 ann/users 7 1000000000 'next' 7@4096+512\n");
        check_sparse(NAME_101, 100000, middle, 1,
                     "S- 644 1000/100 ann/users 100000 1000000000 '" NAME_101 "' 513@0+1536\n"
                     "- 644 1000/100 ann/users 7 1000000000 'next' 7@2560+512\n");
        check_sparse("hole", 3, middle, 0,
                     "S- 644 1000/100 ann/users 3 1000000000 'hole' 512@0+1536\n"
                     "- 644 1000/100 ann/users 7 1000000000 'next' 7@2048+512\n");
}

/* GNU tar knows of a hole at the end by a piece of nothing behind it. */
Test(tar_write, good_sparse_map)
{
        static const struct lsr_extent piece = { 512, 1 };
        struct tar_blocks b = {};
        struct lsr_member m = member("dir/s", S_IFREG | 0644);

        m.meta.size = 1000;
        cr_assert_eq(tar_blocks_make(&b, &m, &piece, 1), 0);
        cr_expect_str_eq((char *)b.bytes.data + b.headers, "2\n512\n1\n1000\n0\n");
        cr_expect_str_eq((char *)b.bytes.data + b.headers - BLOCK, "dir/GNUSparseFile.0/s");
        m.meta.size = 513;
        cr_assert_eq(tar_blocks_make(&b, &m, &piece, 1), 0);
        cr_expect_str_eq((char *)b.bytes.data + b.headers, "1\n512\n1\n");
        cr_expect_eq(tar_blocks_make(&b, &m, &piece, LSR_EXTENTS_MAX + 1), -E2BIG);
        tar_blocks_free(&b);
}

/* The map goes over the edge of a block, as often as it likes. */
Test(tar_write, good_sparse_many)
{
        struct lsr_extent extents[500];

        for (size_t i = 0; i < 500; i++)
                extents[i] = (struct lsr_extent){ i * 1000, i % 100 + 1 };
        check_sparse("many", 600000, extents, 500,
                     "S- 644 1000/100 ann/users 600000 1000000000 'many' 30370@0+1536\n"
                     "- 644 1000/100 ann/users 7 1000000000 'next' 7@32256+512\n");
}

/* --- kinds ------------------------------------------------------------------------ */

/* Noise and text in pieces of odd sizes, 9 MB in all. */
static void pack_much(const char *name, unsigned threads, struct tape *ret_tape)
{
        static char data[3000017];
        struct lsr_member m = member("much", S_IFREG | 0644);
        struct pack p;
        uint32_t x = 7;

        for (size_t i = 0; i < sizeof(data); i++) {
                x = x * 1664525 + 1013904223;
                data[i] = i / 100000 % 3 ? (char)(x >> 24) : "the quick brown fox "[i % 20];
        }
        m.meta.size = 3 * sizeof(data);
        pack_begin(&p, name, threads);
        cr_assert_eq(p.kind->member(p.w, &m, NULL, 0), 0);
        for (int i = 0; i < 3; i++)
                for (size_t at = 0, n = 1; at < sizeof(data); at += n, n = n * 3 % 262144 + 1)
                        cr_assert_eq(p.kind->data(p.w, data + at, n < sizeof(data) - at ? n : sizeof(data) - at), 0);
        pack_end(&p, ret_tape);
}

static void check_kind(const char *name, const struct lsr_filter *filter)
{
        struct tape plain, one, four, got = {};
        struct lsr_input *in;
        const uint8_t *data;
        ssize_t n;

        pack_much("x.tar", 1, &plain);
        pack_much(name, 1, &one);
        pack_much(name, 4, &four);
        cr_expect_eq(one.n, four.n);
        cr_expect(one.n == four.n && memcmp(one.data, four.data, one.n) == 0, "not the same with more threads");
        cr_assert_eq(filter->open(&in, lsr_input_memory(one.data, one.n), UINT64_C(128) << 20), 0);
        while ((n = lsr_input_peek(in, 1, &data)) > 0) {
                collect(&got, data, (size_t)n);
                lsr_input_take(in, (size_t)n);
        }
        cr_expect_eq(n, 0);
        cr_expect_lt(one.n, plain.n * 9 / 10);
        cr_expect_eq(got.n, plain.n);
        cr_expect(got.n == plain.n && memcmp(got.data, plain.data, got.n) == 0);
        lsr_input_free(in);
        free(got.data);
        free(one.data);
        free(four.data);
        free(plain.data);
}

Test(tar_write, good_gzip)
{
        check_kind("x.tar.gz", &lsr_filter_gzip);
}

Test(tar_write, good_xz, .timeout = 100)
{
        check_kind("x.tar.xz", &lsr_filter_xz);
}

Test(tar_write, good_bzip2, .timeout = 100)
{
        check_kind("x.tar.bz2", &lsr_filter_bzip2);
}

Test(tar_write, good_lz4)
{
        check_kind("x.tar.lz4", &lsr_filter_lz4);
}

Test(tar_write, good_names)
{
        cr_expect_str_eq(lsr_writer_kind_of("a.TGZ")->name, "tar.gz");
        cr_expect_str_eq(lsr_writer_kind_of("a.zst.tar")->name, "tar");
        cr_expect_str_eq(lsr_writer_kind_of("a.tar.zst")->name, "lsr1");
        cr_expect_str_eq(lsr_writer_kind_of("a.tbz2")->name, "tar.bz2");
        cr_expect_null(lsr_writer_kind_of(".tar"));
        cr_expect_null(lsr_writer_kind_of("a.gz"));
}

/* Too much content, too little, and levels that there are not. */
Test(tar_write, bad_use)
{
        static const char *const names[] = { "x.tar", "x.tar.gz", "x.tar.zst", "x.tar.bz2", "x.tar.lz4" };
        struct lsr_member m = member("a", S_IFREG | 0644);
        struct lsr_writer_options o = { .threads = 1 };
        struct pack p;

        m.meta.size = 10;
        for (size_t i = 0; i < 5; i++) {
                pack_begin(&p, names[i], 2);
                cr_expect_eq(p.kind->member(p.w, &m, NULL, 0), 0);
                cr_expect_eq(p.kind->data(p.w, "12345678901", 11), -EINVAL);
                cr_expect_eq(p.kind->data(p.w, "123456789", 9), 0);
                cr_expect_eq(p.kind->member(p.w, &m, NULL, 0), -EINVAL);
                cr_expect_eq(p.kind->finish(p.w), -EINVAL);
                p.kind->free(p.w);
                lsr_output_free(&p.out);
                o.level = p.kind->level_max + 1;
                if (p.kind->level_max > 0)
                        cr_expect_eq(p.kind->open(&p.w, &p.out, &o), -EINVAL);
                o.level = p.kind->level_min - 1;
                if (p.kind->level_max > 0)
                        cr_expect_eq(p.kind->open(&p.w, &p.out, &o), -EINVAL);
                close(p.out.fd);
        }
}

Test(tar_write, bad_output)
{
        static const char *const names[] = { "x.tar", "x.tar.gz", "x.tar.zst", "x.tar.xz", "x.tar.bz2", "x.tar.lz4" };

        for (size_t i = 0; i < 6; i++) {
                const struct lsr_writer_kind *kind = lsr_writer_kind_of(names[i]);
                struct lsr_writer_options o = { .level = LSR_LEVEL_DEFAULT, .threads = 3 };
                struct lsr_member m = member("a", S_IFREG | 0644);
                struct lsr_output out;
                struct lsr_writer *w;

                lsr_output_init(&out, open("/dev/full", O_WRONLY | O_CLOEXEC));
                cr_assert_eq(kind->open(&w, &out, &o), 0);
                cr_expect_eq(kind->member(w, &m, NULL, 0), 0);
                cr_expect_eq(kind->finish(w), -ENOSPC, "%s", names[i]);
                kind->free(w);
                close(out.fd);
                lsr_output_free(&out);
        }
}
