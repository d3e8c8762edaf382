/*
 * writing - what the tests of writers share: members in, bytes out, and what the reader of the format says of them
 */
#pragma once

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "formats/drivers.h"
#include "formats/output.h"
#include "formats/filter/deflate-parallel.h"
#include "errors.h"

/* What is to be packed.  Zero is a file without content. */
struct item {
        const char *path; /* as writers get it */
        size_t path_len;  /* 0: strlen */
        uint32_t mode;    /* 0: a file, 0644 */
        int64_t sec;
        uint32_t uid, gid;
        const void *data; /* or the target of a link */
        size_t n;         /* 0: strlen */
        unsigned flags;
        const char *xattrs;
        size_t xattrs_len;
        int losses; /* that member() is to return */
};

/* What came of it. */
struct made {
        uint8_t *data; /* mapped */
        size_t n;
        int r; /* of the first call that failed */
};

static inline size_t item_len(const struct item *item)
{
        return item->path_len ? item->path_len : strlen(item->path);
}

static inline size_t item_n(const struct item *item)
{
        return item->n || !item->data ? item->n : strlen(item->data);
}

static inline struct lsr_member item_member(const struct item *item)
{
        struct lsr_member m = {
                .path = item->path,
                .path_len = item_len(item),
                .flags = item->flags,
                .xattrs = (const uint8_t *)item->xattrs,
                .xattrs_len = item->xattrs_len,
                .meta = {
                        .known = LSR_FIELD_TYPE | LSR_FIELD_MODE | LSR_FIELD_UID | LSR_FIELD_GID | LSR_FIELD_SIZE |
                                 LSR_FIELD_MTIME,
                        .mode = item->mode ? item->mode : S_IFREG | 0644,
                        .uid = item->uid,
                        .gid = item->gid,
                        .size = item_n(item),
                        .sec = { item->sec },
                },
        };

        if (S_ISLNK(m.meta.mode)) {
                m.target = item->data;
                m.target_len = item_n(item);
        }
        return m;
}

/* Hand one item in.  @step: so many bytes at a time. */
static inline int write_item(struct lsr_writer *w, const struct item *item, size_t step)
{
        struct lsr_member m = item_member(item);
        int r = w->kind->member(w, &m, NULL, 0);

        if (r < 0)
                return r;
        cr_expect_eq(r, item->losses, "'%s' loses %x and not %x", item->path, (unsigned)r, (unsigned)item->losses);
        if (!S_ISREG(m.meta.mode) || r & LSR_LOSS_KIND)
                return 0;
        r = 0;
        for (size_t at = 0, n; r == 0 && at < item_n(item); at += n) {
                n = item_n(item) - at < step ? item_n(item) - at : step;
                r = w->kind->data(w, (const uint8_t *)item->data + at, n);
        }
        return r;
}

struct options {
        unsigned threads; /* 0: 2 */
        size_t step;      /* 0: everything at once */
        int level;        /* 0: the default, -1: 0 */
};

static inline int write_items(const struct lsr_writer_kind *kind, struct lsr_output *out, const struct item *items,
                              size_t n, const struct options *o)
{
        struct lsr_writer_options options = {
                .threads = o && o->threads ? o->threads : 2,
                .level = !o || o->level == 0 ? LSR_LEVEL_DEFAULT
                         : o->level < 0      ? 0
                                             : o->level,
        };
        struct lsr_writer *w;
        int r = kind->open(&w, out, &options);

        if (r < 0)
                return r;
        for (size_t i = 0; r == 0 && i < n; i++)
                r = write_item(w, &items[i], o && o->step ? o->step : SIZE_MAX);
        if (r == 0)
                r = kind->finish(w);
        kind->free(w);
        return r;
}

/* A new file without a name, and what is in one. */
static inline int made_file(void)
{
        int fd = memfd_create("made", MFD_CLOEXEC);

        cr_assert_geq(fd, 0);
        return fd;
}

static inline struct made made_of(int fd)
{
        struct made made = {};
        struct stat st;

        cr_assert_eq(fstat(fd, &st), 0);
        made.n = (size_t)st.st_size;
        if (made.n > 0) {
                made.data = mmap(NULL, made.n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
                cr_assert_neq(made.data, MAP_FAILED);
        }
        return made;
}

static inline void made_free(struct made *made)
{
        if (made->data)
                munmap(made->data, made->n);
}

static inline struct made make_bundle(const struct lsr_writer_kind *kind, const struct item *items, size_t n,
                                      const struct options *o)
{
        int fd = made_file(), r;
        struct lsr_output out;
        struct made made;

        lsr_output_init(&out, fd);
        r = write_items(kind, &out, items, n, o);
        made = made_of(fd);
        made.r = r;
        if (r == 0)
                cr_assert_eq(out.at, made.n);
        lsr_output_free(&out);
        close(fd);
        return made;
}

static inline bool same_bytes(const struct made *a, const struct made *b)
{
        return a->n == b->n && memcmp(a->data, b->data, a->n) == 0;
}

/* --- reading back ------------------------------------------------------------------- */

struct back {
        const struct lsr_format *format;
        const struct made *made;
        struct lsr_catalogue *c;
        char trouble[1000];
        const struct item *item;
        uint64_t at; /* in its content */
        bool differs;
};

static inline void back_trouble(void *ctx, int error, const char *text)
{
        struct back *b = ctx;

        snprintf(b->trouble, sizeof(b->trouble), "%s: %s", error ? error_name(-error) : "remark", text);
}

static inline struct lsr_scan back_scan(struct back *b)
{
        return (struct lsr_scan){
                .input = lsr_input_memory(b->made->data, b->made->n),
                .window_max = 1 << 27,
                .ctx = b,
                .trouble = back_trouble,
        };
}

static inline struct back back_open(const struct lsr_format *format, const struct made *made)
{
        struct back b = { .format = format, .made = made };
        struct lsr_scan scan = back_scan(&b);

        scan.builder = lsr_builder_new();
        cr_assert_eq(made->r, 0, "%s", strerror(-made->r));
        cr_assert_eq(format->scan(&scan), 0, "%s", b.trouble);
        cr_assert_str_eq(b.trouble, "");
        cr_assert_eq(lsr_builder_finish(scan.builder, &b.c), 0);
        lsr_builder_free(scan.builder);
        lsr_scan_close(&scan, format);
        return b;
}

static inline int back_take(void *ctx, const void *data, size_t n)
{
        struct back *b = ctx;

        if (n > item_n(b->item) - b->at || memcmp((const uint8_t *)b->item->data + b->at, data, n) != 0)
                b->differs = true;
        b->at += n;
        return 0;
}

static inline struct lsr_member back_find(struct back *b, const char *path)
{
        int64_t row = lsr_catalogue_find(b->c, 0, path, strlen(path));
        struct lsr_member m;

        cr_assert_geq(row, 0, "there is no '%s'", path);
        lsr_catalogue_get(b->c, (uint32_t)row, &m);
        return m;
}

/* Is @item there as it was handed in?  @fields: of what this format keeps. */
static inline void back_check(struct back *b, const struct item *item, uint32_t fields)
{
        struct lsr_member want = item_member(item), m = back_find(b, item->path);
        struct lsr_scan scan;

        cr_expect_eq(m.meta.known & fields, fields, "'%s': %x", item->path, m.meta.known);
        cr_expect_eq(m.meta.mode, want.meta.mode, "'%s': %o", item->path, m.meta.mode);
        cr_expect_eq(m.meta.sec[LSR_MTIME], want.meta.sec[LSR_MTIME], "'%s'", item->path);
        if (fields & LSR_FIELD_UID)
                cr_expect(m.meta.uid == want.meta.uid && m.meta.gid == want.meta.gid, "'%s'", item->path);
        if (S_ISLNK(want.meta.mode))
                cr_expect(m.target && m.target_len == want.target_len && !memcmp(m.target, want.target, m.target_len),
                          "'%s'", item->path);
        if (!S_ISREG(want.meta.mode))
                return;
        cr_expect_eq(m.meta.size, want.meta.size, "'%s': %llu", item->path, (unsigned long long)m.meta.size);
        m.path = item->path;
        m.path_len = strlen(item->path);
        b->item = item;
        b->at = 0;
        b->differs = false;
        scan = back_scan(b);
        cr_expect_eq(b->format->read(&scan, &m, &(struct lsr_sink){ b, back_take }), 0, "'%s': %s", item->path,
                     b->trouble);
        cr_expect(b->at == item_n(item) && !b->differs, "'%s' has another content", item->path);
        cr_expect_str_eq(b->trouble, "");
        lsr_scan_close(&scan, b->format);
}

static inline void back_close(struct back *b)
{
        lsr_catalogue_free(b->c);
}

/* Everything of @items that is stored is there, and nothing else. */
static inline void check_items(const struct lsr_format *format, const struct made *made, const struct item *items,
                               size_t n, uint32_t fields)
{
        struct back b = back_open(format, made);
        uint32_t rows = 1;

        for (size_t i = 0; i < n; i++) {
                if (items[i].losses & LSR_LOSS_KIND)
                        continue;
                rows += item_len(&items[i]) > 0;
                back_check(&b, &items[i], fields);
        }
        cr_expect_eq(lsr_catalogue_rows(b.c), rows, "%u rows instead of %u", lsr_catalogue_rows(b.c), rows);
        back_close(&b);
}

/* --- content --------------------------------------------------------------------------- */

/* Words that deflate to about a third; another @seed, other words. */
static inline uint8_t *text_of(size_t n, uint64_t seed)
{
        uint8_t *text = lsr_xmalloc(n + 16);

        for (size_t at = 0; at < n;) {
                seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
                at += (size_t)snprintf((char *)text + at, 16, "%llx ", (unsigned long long)(seed >> 40) % 5000);
        }
        return text;
}

/* What does not deflate. */
static inline uint8_t *noise_of(size_t n, uint64_t seed)
{
        uint8_t *noise = lsr_xmalloc(n + 8);

        for (size_t at = 0; at < n; at += 4) {
                seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
                memcpy(noise + at, (uint8_t *)&seed + 4, 4);
        }
        return noise;
}

#define PIECE LSR_PRESS_PIECE
#define WHOLE (LSR_PRESS_WHOLE * LSR_PRESS_PIECE)

/* Noise with @run zeros in it, so that it deflates by few bytes. */
static inline uint8_t *nearly_noise_of(size_t n, size_t run)
{
        uint8_t *noise = noise_of(n, n + run);

        memset(noise + n / 2, 0, run);
        return noise;
}

/* Files of all sizes that are treated in ways of their own.  To be freed with sized_free(). */
#define SIZED 19
static inline void sized(struct item items[static SIZED])
{
        static const size_t sizes[] = { 0,     1,         100,   65535,     70000, PIECE - 100, PIECE, PIECE + 1,
                                        65536, 2 * PIECE, 50000, WHOLE - 1, WHOLE, WHOLE + 1,   10,    9 * PIECE };
        static char names[SIZED][16];
        size_t i = 0;

        for (; i < sizeof(sizes) / sizeof(sizes[0]); i++)
                items[i] = (struct item){ .data = sizes[i] ? text_of(sizes[i], i) : NULL, .n = sizes[i] };
        items[i++] = (struct item){ .data = noise_of(100000, 1), .n = 100000 };
        items[i++] = (struct item){ .data = noise_of(WHOLE - 1, 2), .n = WHOLE - 1 };
        items[i++] = (struct item){ .data = noise_of(WHOLE + 100, 3), .n = WHOLE + 100 };
        /* Noise with text in the middle of it. */
        memcpy((uint8_t *)(uintptr_t)items[SIZED - 1].data + 3 * PIECE + 7, items[13].data, 2 * PIECE);
        for (i = 0; i < SIZED; i++) {
                snprintf(names[i], sizeof(names[i]), "%02zu", i);
                items[i].path = names[i];
        }
}

static inline void sized_free(struct item items[static SIZED])
{
        for (size_t i = 0; i < SIZED; i++)
                free((void *)(uintptr_t)items[i].data);
}
