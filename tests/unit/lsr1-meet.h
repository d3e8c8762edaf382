/*
 * lsr1-meet - a file as it is met, identified and listed and read, and the bundle that the tests take apart
 */
#pragma once

#include "lsr1-maker.h"

/* --- looking at it ----------------------------------------------------------------- */

/* All of a catalogue, a line a row. */
static inline char *dump(const struct lsr_catalogue *c)
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

static inline ssize_t counted_read_at(struct lsr_input *in, void *buf, size_t size, uint64_t offset)
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
static inline ssize_t counted_next(struct lsr_input *in, const uint8_t **ret_data)
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

static inline int counted_seek(struct lsr_input *in, uint64_t offset)
{
        ((struct counted *)in)->next = offset;
        return 0;
}

static inline void counted_free(struct lsr_input *in)
{
        free(in);
}

static const struct lsr_input_ops counted_ops = {
        .next = counted_next,
        .read_at = counted_read_at,
        .seek = counted_seek,
        .free = counted_free,
};

static inline struct lsr_input *counted_new(const struct blob *file, unsigned *reads)
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

static inline struct met *meet(const struct blob *file)
{
        struct met *m = memset(lsr_xmalloc(sizeof(*m)), 0, sizeof(*m));

        m->result = lsr_identify(counted_new(file, &m->reads), WINDOW_MAX, &m->id, &m->in);
        if (m->result == 0)
                m->c = catalogue_of(m->id.format, m->in, &m->said);
        return m;
}

static inline void met_free(struct met *m)
{
        lsr_input_free(m->in);
        lsr_catalogue_free(m->c);
        free(m);
}

static inline int collect(void *ctx, const void *data, size_t n)
{
        blob_add(ctx, data, n);
        return 0;
}

/* Content of @row, from an input of its own. */
static inline int content(const struct met *m, const struct blob *file, uint32_t row, struct blob *ret_content,
                          struct said *said, unsigned *reads)
{
        char path[4096];
        struct lsr_member member;
        struct blob got = {};
        const struct lsr_sink sink = { &got, collect };
        struct lsr_scan scan = { .window_max = WINDOW_MAX, .ctx = said, .trouble = said_trouble };
        int r = 0;

        scan.input = counted_new(file, reads);
        for (unsigned i = 0; i < m->id.n_filters; i++)
                cr_assert_eq(m->id.filters[i]->open(&scan.input, scan.input, WINDOW_MAX), 0);
        lsr_catalogue_get(m->c, lsr_catalogue_link(m->c, row), &member);
        member.path_len = lsr_catalogue_path(m->c, lsr_catalogue_link(m->c, row), path, sizeof(path));
        member.path = path;
        r = m->id.format->read(&scan, &member, &sink);
        lsr_scan_close(&scan, m->id.format);
        *ret_content = got;
        return r;
}

static inline uint32_t row_of(const struct lsr_catalogue *c, const char *path)
{
        int64_t row = lsr_catalogue_find(c, 0, path, strlen(path));

        cr_assert_geq(row, 0, "%s", path);
        return (uint32_t)row;
}

static inline bool content_is(const struct blob *b, unsigned seed, size_t n)
{
        for (size_t i = 0; i < n && b->n == n; i++)
                if (b->data[i] != tape_byte(seed, i))
                        return false;
        return b->n == n;
}

static inline void expect_content(const struct met *m, const struct blob *file, const char *path, unsigned seed,
                                  size_t n)
{
        struct said said = {};
        unsigned reads = 0;
        struct blob got;
        int r = content(m, file, row_of(m->c, path), &got, &said, &reads);

        cr_expect_eq(r, 0, "%s: %d %s", path, r, said.text);
        cr_expect(content_is(&got, seed, n), "%s: %zu bytes", path, got.n);
        free(got.data);
}

static inline int check(const struct blob *file, struct said *said)
{
        unsigned reads = 0;
        struct lsr_scan scan = { .window_max = WINDOW_MAX, .ctx = said, .trouble = said_trouble };
        int r;

        scan.input = counted_new(file, &reads);
        r = lsr_format_lsr1.check(&scan, &(struct lsr_checked){});
        lsr_scan_close(&scan, &lsr_format_lsr1);
        return r;
}

/* --- what is used again and again ------------------------------------------------- */

#define BIG 5000
#define MIDDLE 900

/* A few of each kind; the big one has frames of its own. */
static inline struct tape *tape_zoo(void)
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

static inline struct bundle *pack_zoo(void)
{
        struct tape *t = tape_zoo();
        struct bundle *b = pack(t);

        tape_free(t);
        return b;
}

static inline char *dump_zoo(void)
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

static inline void expect_zoo_listed(const struct met *m, const char *what)
{
        char *want = dump_zoo(), *got;

        cr_assert(m->c, "%s: %d %s", what, m->result, m->said.text);
        got = dump(m->c);
        cr_expect_str_eq(got, want, "%s:\n%s\n%s", what, got, m->said.text);
        free(want);
        free(got);
}
