/*
 * pack - what is packed is found again: names, types, contents, targets
 *
 *      byte 0     the writer
 *      members    kind, length of the name, name, length of the content, how often it is repeated, content
 *
 * Names are made such as a file system has.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "formats/drivers.h"
#include "fuzz.h"

#define PACK_MEMBERS_MAX 40u

struct item {
        char name[256];
        size_t name_len;
        uint32_t mode;
        uint8_t *content; /* or the target */
        size_t n;
};

static int item_compare(const void *a, const void *b)
{
        return strcmp(((const struct item *)a)->name, ((const struct item *)b)->name);
}

static bool pack_item(struct fuzz_bytes *in, struct item *item)
{
        uint8_t kind = fuzz_byte(in);
        size_t part, times, at = 0;
        const uint8_t *from = fuzz_take(in, fuzz_byte(in), &item->name_len);

        for (size_t i = 0; i < item->name_len; i++)
                item->name[i] = (char)(from[i] == '/' || from[i] == '\0' ? '_' : from[i]);
        item->name[item->name_len] = '\0';
        from = fuzz_take(in, fuzz_byte(in), &part);
        times = kind % 3 == 0 ? 1 + (size_t)fuzz_byte(in) * 16 : 1;
        item->mode = kind % 3 == 0 ? S_IFREG | 0644 : kind % 3 == 1 ? S_IFDIR | 0755 : S_IFLNK | 0777;
        item->n = S_ISDIR(item->mode) ? 0 : part * times;
        item->content = lsr_xmalloc(item->n + 1);
        for (; at < item->n; at += part)
                memcpy(item->content + at, from, part);
        if (S_ISLNK(item->mode))
                for (size_t i = 0; i < item->n; i++)
                        item->content[i] = item->content[i] ? item->content[i] : '_';
        return item->name_len > 0 && strcmp(item->name, ".") != 0 && strcmp(item->name, "..") != 0 &&
               (!S_ISLNK(item->mode) || item->n > 0);
}

static int pack_write(const struct lsr_writer_kind *kind, struct lsr_output *out, struct item *items, size_t n)
{
        const struct lsr_writer_options options = { .level = LSR_LEVEL_DEFAULT, .threads = 1 };
        struct lsr_writer *w;
        int r;

        fuzz_check(kind->open(&w, out, &options) == 0);
        for (size_t i = 0; i < n; i++) {
                struct lsr_member m = {
                        .path = items[i].name,
                        .path_len = items[i].name_len,
                        .meta = { .known = LSR_FIELD_TYPE | LSR_FIELD_MODE | LSR_FIELD_UID | LSR_FIELD_GID |
                                           LSR_FIELD_SIZE | LSR_FIELD_MTIME,
                                  .mode = items[i].mode,
                                  .size = items[i].n,
                                  .sec = { 1000000000 } },
                };

                if (S_ISLNK(items[i].mode)) {
                        m.target = (const char *)items[i].content;
                        m.target_len = items[i].n;
                        items[i].content[items[i].n] = '\0';
                }
                r = kind->member(w, &m, NULL, 0);
                fuzz_check(r >= 0);
                if (r & LSR_LOSS_KIND)
                        items[i].name_len = 0;
                else if (S_ISREG(items[i].mode) && items[i].n > 0)
                        fuzz_check(kind->data(w, items[i].content, items[i].n) == 0);
        }
        r = kind->finish(w);
        fuzz_check(r == 0);
        kind->free(w);
        return r;
}

static void pack_hear(void *ctx, int error, const char *text)
{
        fuzz_failed("a bundle of our own", error, text);
}

struct taker {
        const struct item *item;
        size_t at;
};

static int taker_write(void *ctx, const void *data, size_t n)
{
        struct taker *t = ctx;

        fuzz_check(n <= t->item->n - t->at && memcmp(t->item->content + t->at, data, n) == 0);
        t->at += n;
        return 0;
}

static void pack_scan(struct lsr_scan *scan, struct lsr_identity *id, const uint8_t *data, size_t n)
{
        *scan = (struct lsr_scan){ .window_max = FUZZ_WINDOW_MAX, .trouble = pack_hear };
        fuzz_check(lsr_identify(lsr_input_memory(data, n), (uint64_t)128 << 20, id, &scan->input) == 0);
}

/* The row of its name, or of the name that is stored as such. */
static int64_t pack_find(const struct lsr_catalogue *c, const struct item *item)
{
        for (uint32_t row = 1; row < lsr_catalogue_rows(c); row++) {
                struct lsr_member m;

                lsr_catalogue_get(c, row, &m);
                if (m.path_len == item->name_len && memcmp(m.path, item->name, m.path_len) == 0)
                        return row;
                if (m.raw && m.raw_len >= item->name_len && memcmp(m.raw, item->name, item->name_len) == 0)
                        return row;
        }
        return -ENOENT;
}

static void pack_meet(const uint8_t *data, size_t n, const struct item *items, size_t n_items)
{
        struct lsr_identity id;
        struct lsr_catalogue *c;
        struct lsr_scan scan;
        size_t left = n_items;

        pack_scan(&scan, &id, data, n);
        scan.builder = lsr_builder_new();
        /* Which is then said. */
        scan.distrusted = n % 2;
        if (scan.distrusted)
                scan.trouble = NULL;
        fuzz_check(id.format->scan(&scan) == 0);
        if (scan.catalogue)
                fuzz_check(lsr_catalogue_decode(&c, scan.catalogue, scan.catalogue_size) == 0);
        else
                fuzz_check(lsr_builder_finish(scan.builder, &c) == 0);
        free(scan.catalogue);
        lsr_builder_free(scan.builder);
        lsr_scan_close(&scan, id.format);
        for (size_t i = 0; i < n_items; i++) {
                struct taker taker = { &items[i], 0 };
                const struct lsr_sink sink = { &taker, taker_write, NULL };
                struct lsr_member m;
                int64_t row;

                if (items[i].name_len == 0) {
                        left--;
                        continue;
                }
                row = pack_find(c, &items[i]);
                fuzz_check(row > 0);
                lsr_catalogue_get(c, (uint32_t)row, &m);
                fuzz_check((m.meta.mode & S_IFMT) == (items[i].mode & S_IFMT));
                if (S_ISLNK(m.meta.mode))
                        fuzz_check(m.target_len == items[i].n && memcmp(m.target, items[i].content, items[i].n) == 0);
                if (!S_ISREG(m.meta.mode))
                        continue;
                fuzz_check(m.meta.size == items[i].n);
                pack_scan(&scan, &id, data, n);
                fuzz_check(id.format->read(&scan, &m, &sink) == 0 && taker.at == items[i].n);
                lsr_scan_close(&scan, id.format);
        }
        fuzz_check(lsr_catalogue_rows(c) == left + 1);
        lsr_catalogue_free(c);
}

int fuzz_pack(const uint8_t *data, size_t n)
{
        static const char *const names[] = { "x.tar", "x.zip", "x.tar.zst", "x.sqlar", "x.tar.gz" };
        static struct item items[PACK_MEMBERS_MAX];
        struct fuzz_bytes in = { data, n };
        const struct lsr_writer_kind *kind = lsr_writer_kind_of(names[fuzz_byte(&in) % 5]);
        struct lsr_output out;
        uint8_t *packed;
        size_t count = 0, unique = 0;

        while (in.left > 0 && count < PACK_MEMBERS_MAX) {
                if (pack_item(&in, &items[count]))
                        count++;
                else
                        free(items[count].content);
        }
        qsort(items, count, sizeof(items[0]), item_compare);
        for (size_t i = 0; i < count; i++) {
                if (unique > 0 && item_compare(&items[unique - 1], &items[i]) == 0)
                        free(items[i].content);
                else
                        items[unique++] = items[i];
        }
        lsr_output_init(&out, memfd_create("packed", MFD_CLOEXEC));
        pack_write(kind, &out, items, unique);
        n = (size_t)lseek(out.fd, 0, SEEK_END);
        packed = mmap(NULL, n, PROT_READ, MAP_PRIVATE, out.fd, 0);
        fuzz_check(packed != MAP_FAILED);
        pack_meet(packed, n, items, unique);
        munmap(packed, n);
        close(out.fd);
        lsr_output_free(&out);
        for (size_t i = 0; i < unique; i++)
                free(items[i].content);
        return 0;
}
