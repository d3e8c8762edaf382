/* Zips that are written, looked at byte by byte and through the driver that reads them. */
#include "writing.h"

#include <sys/resource.h>

#include "base/bytes.h"
#include "formats/zip/zip.h"

#define KEPT (LSR_FIELD_TYPE | LSR_FIELD_MODE | LSR_FIELD_UID | LSR_FIELD_GID | LSR_FIELD_SIZE | LSR_FIELD_MTIME)

#define MAKE(...)                                                    \
        make_bundle(&lsr_writer_zip, (struct item[]){ __VA_ARGS__ }, \
                    sizeof((struct item[]){ __VA_ARGS__ }) / sizeof(struct item), NULL)

/* The central header number @i, through the end record. */
static const uint8_t *central_of(const struct made *made, unsigned i)
{
        const uint8_t *p = made->data + lsr_le32(made->data + made->n - 22 + 16);

        while (i-- > 0)
                p += lsr_zip_central_length(p);
        cr_assert_eq(lsr_le32(p), LSR_ZIP_CENTRAL);
        return p;
}

static const uint8_t *local_of(const struct made *made, unsigned i)
{
        const uint8_t *p = made->data + lsr_le32(central_of(made, i) + 42);

        cr_assert_eq(lsr_le32(p), LSR_ZIP_LOCAL);
        return p;
}

#define BETAS "beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta"

static struct item tree[] = {
        { .path = "", .mode = S_IFDIR | 0755, .sec = 1700000001 },
        { .path = "a", .data = "alpha", .sec = 1, .uid = 1000, .gid = 100 },
        { .path = "a-b", .mode = S_IFREG | 04711, .sec = -1, .uid = UINT32_MAX - 1, .gid = 70000 },
        { .path = "d", .mode = S_IFDIR | 01777, .sec = INT32_MAX, .uid = 3, .gid = 4 },
        { .path = "d/link", .mode = S_IFLNK | 0777, .data = "../" BETAS, .sec = 1234567890 },
        { .path = "d/sub", .mode = S_IFDIR | 0700, .sec = INT32_MIN },
        { .path = "d/sub/file", .mode = S_IFREG | 0600, .data = BETAS, .sec = 1600000001 },
};
#define TREE (sizeof(tree) / sizeof(tree[0]))

Test(zip_write, tree)
{
        struct made made = make_bundle(&lsr_writer_zip, tree, TREE, NULL);
        struct back b;

        check_items(&lsr_format_zip, &made, tree, TREE, KEPT);
        b = back_open(&lsr_format_zip, &made);
        cr_expect_str_eq(back_find(&b, "a").method, "store");
        cr_expect_str_eq(back_find(&b, "d/sub/file").method, "deflate");
        cr_expect_str_eq(back_find(&b, "d/link").method, "store");
        /* Times are exact, and not of a zone. */
        cr_expect_eq(back_find(&b, "a").flags, 0);
        back_close(&b);
        made_free(&made);
}

/* To the byte: "d/" and "d/a", which is "alpha". */
Test(zip_write, bytes)
{
        static const uint8_t want[] = {
                // clang-format off
                'P','K',3,4, 20,0, 0,0, 0,0, 0xb5,0x9e,0x44,0x5b, 0,0,0,0, 0,0,0,0, 0,0,0,0, 2,0, 24,0, 'd','/',
                'U','T',5,0, 1, 0x46,0x7b,0xe1,0x68, 'u','x',11,0, 1, 4,0xe8,3,0,0, 4,0x64,0,0,0,
                'P','K',3,4, 10,0, 0,0, 0,0, 0,0,0x21,0, 0x6a,0x39,0xe0,0xd0, 5,0,0,0, 5,0,0,0, 3,0, 24,0, 'd','/','a',
                'U','T',5,0, 1, 0xff,0xff,0xff,0xff, 'u','x',11,0, 1, 4,0,0,0,0, 4,0,0,0,0,
                'a','l','p','h','a',
                'P','K',1,2, 30,3, 20,0, 0,0, 0,0, 0xb5,0x9e,0x44,0x5b, 0,0,0,0, 0,0,0,0, 0,0,0,0, 2,0, 24,0, 0,0, 0,0,
                0,0, 0x10,0,0xe8,0x41, 0,0,0,0, 'd','/',
                'U','T',5,0, 1, 0x46,0x7b,0xe1,0x68, 'u','x',11,0, 1, 4,0xe8,3,0,0, 4,0x64,0,0,0,
                'P','K',1,2, 30,3, 10,0, 0,0, 0,0, 0,0,0x21,0, 0x6a,0x39,0xe0,0xd0, 5,0,0,0, 5,0,0,0, 3,0, 24,0, 0,0,
                0,0, 0,0, 0,0,0xa4,0x81, 56,0,0,0, 'd','/','a',
                'U','T',5,0, 1, 0xff,0xff,0xff,0xff, 'u','x',11,0, 1, 4,0,0,0,0, 4,0,0,0,0,
                'P','K',5,6, 0,0, 0,0, 2,0, 2,0, 145,0,0,0, 118,0,0,0, 0,0,
                // clang-format on
        };
        /* 2025-10-04 19:53:42 UTC, and a second before 1970, which is before all DOS times. */
        struct made made = MAKE({ .path = "d", .mode = S_IFDIR | 0750, .sec = 0x68e17b46, .uid = 1000, .gid = 100 },
                                { .path = "d/a", .data = "alpha", .sec = -1 });

        for (size_t i = 0; i < made.n; i++)
                cr_assert(i < sizeof(want) && made.data[i] == want[i], "byte %zu of %zu: %02x", i, made.n,
                          made.data[i]);
        cr_assert_eq(made.n, sizeof(want));
        made_free(&made);
}

Test(zip_write, empty)
{
        struct made made = make_bundle(&lsr_writer_zip, NULL, 0, NULL);
        static const uint8_t want[22] = "PK\5\6";

        cr_assert_eq(made.n, sizeof(want));
        cr_assert(memcmp(made.data, want, sizeof(want)) == 0);
        check_items(&lsr_format_zip, &made, NULL, 0, 0);
        made_free(&made);
}

struct reader {
        int from, to;
};

static void *read_pipe(void *arg)
{
        const struct reader *reader = arg;
        char buf[65536];
        ssize_t got;

        while ((got = read(reader->from, buf, sizeof(buf))) > 0)
                cr_assert_eq(write(reader->to, buf, (size_t)got), got);
        return NULL;
}

/* What goes through a pipe is what a file gets. */
static struct made make_through_pipe(const struct item *items, size_t n)
{
        struct lsr_output out;
        struct reader reader;
        struct made made;
        pthread_t thread;
        int fds[2], r;

        cr_assert_eq(pipe(fds), 0);
        reader = (struct reader){ fds[0], made_file() };
        cr_assert_eq(pthread_create(&thread, NULL, read_pipe, &reader), 0);
        lsr_output_init(&out, fds[1]);
        r = write_items(&lsr_writer_zip, &out, items, n, NULL);
        close(fds[1]);
        pthread_join(thread, NULL);
        lsr_output_free(&out);
        made = made_of(reader.to);
        made.r = r;
        close(reader.to);
        close(fds[0]);
        return made;
}

Test(zip_write, sizes, .timeout = 100)
{
        struct item items[SIZED];
        struct made made, other;
        struct back b;

        sized(items);
        made = make_bundle(&lsr_writer_zip, items, SIZED, &(struct options){ .threads = 5, .step = PIECE });
        check_items(&lsr_format_zip, &made, items, SIZED, KEPT);
        b = back_open(&lsr_format_zip, &made);
        for (unsigned i = 0; i < SIZED; i++) {
                struct lsr_member m = back_find(&b, items[i].path);
                bool large = items[i].n > WHOLE, noise = i >= 16;
                const uint8_t *c = central_of(&made, i), *local = local_of(&made, i);

                /* Sizes come first, but for what is too large to be held; text gets smaller, noise stays as it is. */
                cr_expect_eq(lsr_le16(local + 6), large ? 8 : 0, "%u", i);
                cr_expect_eq(lsr_le32(local + 22), large ? 0 : items[i].n, "%u", i);
                cr_expect_eq(lsr_le32(c + 24), items[i].n);
                cr_expect_str_eq(m.method, large || (!noise && items[i].n > 10) ? "deflate" : "store", "%u", i);
                cr_expect_eq(lsr_le16(local + 4), lsr_le16(local + 8) ? 20 : 10, "%u", i);
                cr_expect_lt(m.packed, noise || items[i].n <= 100 ? items[i].n + items[i].n / 50 + 1 : items[i].n / 2,
                             "%u", i);
                if (!large)
                        continue;
                local += lsr_zip_local_length(local) + m.packed;
                cr_expect_eq(lsr_le32(local), LSR_ZIP_DESCRIPTOR);
                cr_expect_eq(lsr_le32(local + 4), lsr_le32(c + 16));
                cr_expect_eq(lsr_le32(local + 8), m.packed);
                cr_expect_eq(lsr_le32(local + 12), items[i].n);
        }
        back_close(&b);
        other = make_bundle(&lsr_writer_zip, items, SIZED, &(struct options){ .threads = 1, .step = 12345 });
        cr_expect(same_bytes(&made, &other));
        made_free(&other);
        other = make_through_pipe(items, SIZED);
        cr_expect(same_bytes(&made, &other));
        made_free(&other);
        made_free(&made);
        sized_free(items);
}

/* What is deflated in pieces and comes back whole is smaller, or else stored. */
Test(zip_write, nearly_noise)
{
        const size_t n = 4 * PIECE;
        unsigned deflated = 0;

        for (size_t run = 100; run < 1200; run += 100) {
                struct item item = { .path = "f", .data = nearly_noise_of(n, run), .n = n };
                struct made made = make_bundle(&lsr_writer_zip, &item, 1, NULL);
                struct back b = back_open(&lsr_format_zip, &made);
                struct lsr_member m = back_find(&b, "f");

                back_check(&b, &item, KEPT);
                cr_expect(strcmp(m.method, "store") == 0 ? m.packed == n : m.packed < n, "%zu: %llu", run,
                          (unsigned long long)m.packed);
                deflated += m.packed < n;
                back_close(&b);
                made_free(&made);
                free((void *)(uintptr_t)item.data);
        }
        cr_expect(deflated > 0 && deflated < 11, "%u", deflated);
}

/* Without the end, the local headers and descriptors tell the same. */
Test(zip_write, descriptors)
{
        struct item items[SIZED];
        struct made made, cut;
        struct lsr_scan scan;
        struct back b = { .made = &cut };

        sized(items);
        cut = made = make_bundle(&lsr_writer_zip, items, SIZED, NULL);
        cut.n = lsr_le32(made.data + made.n - 22 + 16);
        scan = back_scan(&b);
        scan.builder = lsr_builder_new();
        cr_assert_eq(lsr_zip_recover(&scan, NULL, 0), 0);
        cr_assert_eq(lsr_builder_finish(scan.builder, &b.c), 0);
        cr_expect_eq(lsr_catalogue_rows(b.c), SIZED + 1);
        for (unsigned i = 0; i < SIZED; i++)
                cr_expect_eq(back_find(&b, items[i].path).meta.size, items[i].n, "%u", i);
        back_close(&b);
        lsr_builder_free(scan.builder);
        lsr_input_free(scan.input);
        made_free(&made);
        sized_free(items);
}

Test(zip_write, levels)
{
        uint8_t *text = text_of(300000, 1);
        struct item item = { .path = "f", .data = text, .n = 300000 };
        struct made none = make_bundle(&lsr_writer_zip, &item, 1, &(struct options){ .level = -1 });
        struct made low = make_bundle(&lsr_writer_zip, &item, 1, &(struct options){ .level = 1 });
        struct made normal = make_bundle(&lsr_writer_zip, &item, 1, NULL);
        struct made high = make_bundle(&lsr_writer_zip, &item, 1, &(struct options){ .level = 12 });
        struct made wrong = make_bundle(&lsr_writer_zip, &item, 1, &(struct options){ .level = 13 });

        check_items(&lsr_format_zip, &none, &item, 1, KEPT);
        check_items(&lsr_format_zip, &low, &item, 1, KEPT);
        check_items(&lsr_format_zip, &high, &item, 1, KEPT);
        cr_expect_gt(none.n, 300000);
        cr_expect_gt(low.n, normal.n);
        cr_expect_gt(normal.n, high.n);
        cr_expect_eq(wrong.r, -EINVAL);
        made_free(&none);
        made_free(&low);
        made_free(&normal);
        made_free(&high);
        free(text);
}

Test(zip_write, names)
{
        static char longest[65536];
        struct item items[] = {
                { .path = " " },           { .path = "-rf" },
                { .path = "a\\b" },        { .path = "line\nfeed\33[31m" },
                { .path = "caf\xc3\xa9" }, { .path = "\xf0\x9f\x98\x80", .mode = S_IFDIR | 0755 },
                { .path = "caf\xe9" },     { .path = "\xed\xa0\x80" },
        };
        const unsigned n = sizeof(items) / sizeof(items[0]);
        struct made made = make_bundle(&lsr_writer_zip, items, n, NULL);
        struct item at_most[2];

        for (unsigned i = 0; i < n; i++) {
                const uint8_t *p = central_of(&made, i);

                cr_expect_eq(lsr_le16(p + 8), i == 4 || i == 5 ? LSR_ZIP_UTF8 : 0, "%u", i);
                cr_expect_eq(lsr_le16(local_of(&made, i) + 6), lsr_le16(p + 8), "%u", i);
                cr_expect_eq(memcmp(p + 46, items[i].path, strlen(items[i].path)), 0, "%u", i);
        }
        check_items(&lsr_format_zip, &made, items, n, KEPT);
        made_free(&made);

        memset(longest, 'x', sizeof(longest) - 1);
        for (size_t i = 200; i < sizeof(longest); i += 200)
                longest[i] = '/';
        at_most[0] = (struct item){ .path = longest };
        at_most[1] = (struct item){ .path = longest, .mode = S_IFDIR | 0755, .losses = LSR_LOSS_KIND | LSR_LOSS_NAME };
        made = make_bundle(&lsr_writer_zip, at_most, 2, NULL);
        cr_assert_eq(made.r, 0);
        cr_expect_eq(lsr_le16(central_of(&made, 0) + 28), 65535);
        cr_expect_eq(lsr_le16(made.data + made.n - 22 + 8), 1);
        made_free(&made);
}

Test(zip_write, times)
{
        static const struct {
                int64_t sec;
                uint32_t dos;
        } times[] = {
                { 0, 0x00210000 },          { 315532799, 0x00210000 }, /* 1979-12-31 23:59:59 */
                { 315532802, 0x00210001 },                             /* 1980-01-01 00:00:02 */
                { 1709209799, 0x585d63bd },                            /* 2024-02-29 12:29:59 */
                { INT32_MAX, 0x743319c3 },                             /* 2038-01-19 03:14:07 */
                { 4354819199, 0xff9fbf7d },                            /* 2107-12-31 23:59:59 */
                { INT64_MAX, 0xff9fbf7d },  { INT64_MIN, 0x00210000 },
        };
        struct item item = { .path = "f" };

        for (unsigned i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
                bool fits = times[i].sec >= INT32_MIN && times[i].sec <= INT32_MAX;
                struct made made;

                item.sec = times[i].sec;
                item.losses = fits ? 0 : LSR_LOSS_TIME;
                made = make_bundle(&lsr_writer_zip, &item, 1, NULL);
                cr_expect_eq(lsr_le32(central_of(&made, 0) + 12), times[i].dos, "%u: %08x", i,
                             lsr_le32(central_of(&made, 0) + 12));
                if (fits)
                        check_items(&lsr_format_zip, &made, &item, 1, KEPT);
                made_free(&made);
        }
}

Test(zip_write, losses)
{
        static const struct item items[] = {
                { .path = "acl",
                  .xattrs = "system.posix_acl_access\0\2\0\0\0xx",
                  .xattrs_len = 30,
                  .losses = LSR_LOSS_ACL },
                { .path = "both",
                  .xattrs = "user.a\0\1\0\0\0xsystem.posix_acl_default\0\0\0\0\0",
                  .xattrs_len = 41,
                  .losses = LSR_LOSS_ACL | LSR_LOSS_XATTRS },
                { .path = "device", .mode = S_IFBLK | 0600, .losses = LSR_LOSS_KIND },
                { .path = "fifo", .mode = S_IFIFO | 0600, .losses = LSR_LOSS_KIND },
                { .path = "link", .flags = LSR_MEMBER_HARDLINK, .data = "same", .losses = LSR_LOSS_HARDLINK },
                { .path = "socket", .mode = S_IFSOCK | 0600, .losses = LSR_LOSS_KIND },
                { .path = "tty", .mode = S_IFCHR | 0600, .losses = LSR_LOSS_KIND },
                { .path = "xattr",
                  .xattrs = "user.system.posix_acl_access\0\1\0\0\0x",
                  .xattrs_len = 34,
                  .losses = LSR_LOSS_XATTRS },
        };
        const size_t n = sizeof(items) / sizeof(items[0]);
        struct made made = make_bundle(&lsr_writer_zip, items, n, NULL);

        check_items(&lsr_format_zip, &made, items, n, KEPT);
        made_free(&made);
}

/* --- beyond 16 and 32 bits ----------------------------------------------------------- */

/* From 65,535 members on there is a zip64 end record. */
Test(zip_write, counts, .timeout = 100)
{
        static const unsigned counts[] = { 65534, 65535, 65536, 70000 };
        struct item *items = calloc(70000, sizeof(*items));
        char(*names)[8] = calloc(70000, sizeof(*names));

        for (unsigned i = 0; i < 70000; i++) {
                snprintf(names[i], sizeof(names[i]), "%05u", i);
                items[i] = (struct item){ .path = names[i], .sec = i };
        }
        for (unsigned i = 0; i < 4; i++) {
                struct made made = make_bundle(&lsr_writer_zip, items, counts[i], NULL);
                const uint8_t *end = made.data + made.n - 22, *end64 = end - 20 - 56;
                struct back b = back_open(&lsr_format_zip, &made);

                cr_expect_eq(lsr_catalogue_rows(b.c), counts[i] + 1);
                back_check(&b, &items[counts[i] - 1], KEPT);
                cr_expect_eq(lsr_le16(end + 8), i ? 65535 : 65534);
                cr_expect_eq(lsr_le16(end + 10), i ? 65535 : 65534);
                cr_expect_eq(lsr_le32(end64) == LSR_ZIP_END64, i > 0);
                if (i > 0) {
                        cr_expect_eq(lsr_le64(end64 + 24), counts[i]);
                        cr_expect_eq(lsr_le64(end64 + 32), counts[i]);
                        cr_expect_eq(lsr_le64(end64 + 40), lsr_le32(end + 12));
                        cr_expect_eq(lsr_le64(end64 + 48), lsr_le32(end + 16));
                        cr_expect_eq(lsr_le32(end - 20), LSR_ZIP_LOCATOR64);
                        cr_expect_eq(lsr_le64(end - 20 + 8), (uint64_t)(end64 - made.data));
                        cr_expect_eq(lsr_le32(end - 20 + 16), 1);
                }
                back_close(&b);
                made_free(&made);
        }
        free(names);
        free(items);
}

/* A zip behind a hole, so that its members are around the end of 32 bits. */
Test(zip_write, offsets)
{
        /* Local headers of 55 bytes: the third is at 0xffffffff. */
        const uint64_t start = UINT32_MAX - 2 * 55;
        const struct item items[] = { { .path = "a" }, { .path = "b" }, { .path = "c" }, { .path = "d", .data = "x" } };
        int fd = made_file();
        struct lsr_output out;
        const uint8_t *end, *p;
        struct made made;

        if (sizeof(void *) < 8)
                cr_skip_test("there are no addresses for it");
        lsr_output_init(&out, fd);
        cr_assert_eq(lseek(fd, (off_t)start, SEEK_SET), (off_t)start);
        out.at = start;
        cr_assert_eq(write_items(&lsr_writer_zip, &out, items, 4, NULL), 0);
        lsr_output_free(&out);
        made = made_of(fd);
        check_items(&lsr_format_zip, &made, items, 4, KEPT);
        end = made.data + made.n - 22;
        cr_expect_eq(lsr_le32(end + 16), UINT32_MAX);
        cr_assert_eq(lsr_le32(end - 76), LSR_ZIP_END64);
        p = made.data + lsr_le64(end - 76 + 48);
        for (unsigned i = 0; i < 4; i++, p += lsr_zip_central_length(p)) {
                cr_assert_eq(lsr_le32(p), LSR_ZIP_CENTRAL);
                cr_expect_eq(lsr_le32(p + 42), i < 2 ? start + i * 55 : UINT32_MAX, "%u", i);
                cr_expect_eq(lsr_le16(p + 30), i < 2 ? 24 : 24 + 12, "%u", i);
                cr_expect_eq(lsr_le16(p + 6), i < 2 ? 10 : 45, "%u", i);
                if (i >= 2)
                        cr_expect_eq(lsr_le64(p + 46 + 1 + 24 + 4), start + i * 55, "%u", i);
        }
        made_free(&made);
        close(fd);
}

/* The beginning and the end of what goes through a pipe. */
struct ends {
        int from;
        uint8_t head[4096];
        uint64_t total;
        uint8_t tail[1 << 20]; /* all that is wanted is in the last n bytes of it */
        size_t n;
};

static void *read_ends(void *arg)
{
        struct ends *ends = arg;
        ssize_t got;

        while ((got = read(ends->from, ends->tail + ends->n, sizeof(ends->tail) - ends->n)) > 0) {
                if (ends->total == 0)
                        memcpy(ends->head, ends->tail, sizeof(ends->head));
                ends->total += (uint64_t)got;
                ends->n += (size_t)got;
                if (ends->n > sizeof(ends->tail) / 2) {
                        memmove(ends->tail, ends->tail + ends->n - 4096, 4096);
                        ends->n = 4096;
                }
        }
        return NULL;
}

/* A member that is more than 32 bits can say, and one behind it.  Nothing is deflated, for the sake of time. */
Test(zip_write, large, .timeout = 110)
{
        const uint64_t size = UINT64_C(4) << 30, blocks = (size + 65534) / 65535, packed = size + 5 * blocks;
        const struct lsr_writer_options options = { .level = 0, .threads = 2 };
        struct lsr_member m = item_member(&(struct item){ .path = "f" });
        static uint8_t zeros[PIECE];
        static struct ends ends;
        struct lsr_output out;
        struct lsr_writer *w;
        const uint8_t *end, *c, *d;
        pthread_t thread;
        int fds[2];

        cr_assert_eq(pipe(fds), 0);
        fcntl(fds[1], F_SETPIPE_SZ, 1 << 20);
        ends.from = fds[0];
        cr_assert_eq(pthread_create(&thread, NULL, read_ends, &ends), 0);
        m.meta.size = size;
        lsr_output_init(&out, fds[1]);
        cr_assert_eq(lsr_writer_zip.open(&w, &out, &options), 0);
        cr_assert_eq(lsr_writer_zip.member(w, &m, NULL, 0), 0);
        for (uint64_t left = size, n; left > 0; left -= n) {
                n = left < sizeof(zeros) ? left : sizeof(zeros);
                cr_assert_eq(lsr_writer_zip.data(w, zeros, n), 0);
        }
        cr_assert_eq(write_item(w, &(struct item){ .path = "z", .data = "found" }, SIZE_MAX), 0);
        cr_assert_eq(lsr_writer_zip.finish(w), 0);
        lsr_writer_zip.free(w);
        lsr_output_free(&out);
        close(fds[1]);
        pthread_join(thread, NULL);
        close(fds[0]);
        end = ends.tail + ends.n;

        /* The local header: sizes all ones, and an extra field behind the other two that says no more. */
        cr_expect_eq(lsr_le32(ends.head), LSR_ZIP_LOCAL);
        cr_expect_eq(lsr_le16(ends.head + 4), 45);
        cr_expect_eq(lsr_le16(ends.head + 6), 8);
        cr_expect_eq(lsr_le16(ends.head + 8), 8);
        cr_expect_eq(lsr_le64(ends.head + 18), UINT64_MAX);
        cr_expect_eq(lsr_le16(ends.head + 28), 24 + 20);
        cr_expect_eq(memcmp(ends.head + 30 + 1 + 24, "\1\0\20\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20), 0);
        /* The central headers, from the end: 71 + 12 bytes and 71 + 20. */
        c = end - 22 - 76 - (71 + 12) - (71 + 20);
        cr_assert_eq(lsr_le32(c), LSR_ZIP_CENTRAL);
        cr_expect_eq(lsr_le16(c + 6), 45);
        cr_expect_eq(lsr_le64(c + 20), UINT64_MAX);
        cr_expect_eq(lsr_le32(c + 42), 0);
        cr_expect_eq(lsr_le32(c + 71), 0x00100001);
        cr_expect_eq(lsr_le64(c + 75), size);
        cr_expect_eq(lsr_le64(c + 83), packed);
        /* The descriptor, before the other member. */
        d = c - (55 + 5) - 24;
        cr_expect_eq(lsr_le32(d), LSR_ZIP_DESCRIPTOR);
        cr_expect_eq(lsr_le32(d + 4), lsr_le32(c + 16));
        cr_expect_eq(lsr_le64(d + 8), packed);
        cr_expect_eq(lsr_le64(d + 16), size);
        cr_expect_eq(ends.total - (uint64_t)(end - d), 30 + 1 + 44 + packed);
        /* The last block is of what was left, and says that it is the last. */
        cr_expect_eq(d[-5 - (int)(size % 65535)], 1);
        c += 71 + 20;
        cr_expect_eq(lsr_le32(c), LSR_ZIP_CENTRAL);
        cr_expect_eq(lsr_le64(c + 75), 30 + 1 + 44 + packed + 24);
}

/* --- what goes wrong --------------------------------------------------------------------- */

Test(zip_write, bad_output)
{
        struct item items[SIZED];
        struct lsr_output out;
        int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

        sized(items);
        lsr_output_init(&out, fd);
        cr_expect_eq(write_items(&lsr_writer_zip, &out, items, SIZED, NULL), -ENOSPC);
        lsr_output_free(&out);
        lsr_output_init(&out, fd);
        cr_expect_eq(write_items(&lsr_writer_zip, &out, items, 1, NULL), -ENOSPC);
        lsr_output_free(&out);
        close(fd);
        sized_free(items);
}

/* Content that is more or less than was said is noticed, whoever is to blame. */
Test(zip_write, bad_content)
{
        static const struct lsr_writer_options options = { .level = 6, .threads = 1 };
        struct lsr_member m = item_member(&(struct item){ .path = "f", .data = "12345" });
        int fd = made_file();

        for (unsigned i = 0; i < 3; i++) {
                struct lsr_output out;
                struct lsr_writer *w;

                lsr_output_init(&out, fd);
                cr_assert_eq(lsr_writer_zip.open(&w, &out, &options), 0);
                cr_assert_eq(lsr_writer_zip.member(w, &m, NULL, 0), 0);
                if (i == 0)
                        cr_expect_eq(lsr_writer_zip.data(w, "123456", 6), -EINVAL);
                else
                        cr_expect_eq(lsr_writer_zip.data(w, "1234", 4), 0);
                if (i == 1)
                        cr_expect_eq(lsr_writer_zip.member(w, &m, NULL, 0), -EINVAL);
                cr_expect_eq(lsr_writer_zip.finish(w), -EINVAL);
                lsr_writer_zip.free(w);
                lsr_output_free(&out);
        }
        close(fd);
}

/* Given up on the way, with work under way. */
Test(zip_write, given_up)
{
        static const struct lsr_writer_options options = { .level = 9, .threads = 3 };
        struct item items[SIZED];
        int fd = made_file();
        struct lsr_output out;
        struct lsr_writer *w;

        sized(items);
        lsr_output_init(&out, fd);
        cr_assert_eq(lsr_writer_zip.open(&w, &out, &options), 0);
        for (unsigned i = 0; i < SIZED; i++)
                cr_assert_eq(write_item(w, &items[i], SIZE_MAX), 0);
        lsr_writer_zip.free(w);
        lsr_output_free(&out);
        close(fd);
        sized_free(items);
}
