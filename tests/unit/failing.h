/*
 * failing - bundles whose Nth read fails, for each N in turn
 *
 * Whatever a driver was about when the disk failed: it says so, unless it gives all there is; what it lists is there,
 * and content that it calls whole is whole.  The same goes for allocations that fail, where a test can make them.
 */
#pragma once

#include <criterion/criterion.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "formats/drivers.h"
#include "formats/filter/crc.h"

/* --- what fails --------------------------------------------------------------------- */

/* Tries are counted from 0: this one fails, and all behind it. */
static struct {
        unsigned count;
        unsigned fail;
        bool lasts;
} failing = { .fail = UINT_MAX };

static inline bool failing_now(void)
{
        unsigned now = __atomic_fetch_add(&failing.count, 1, __ATOMIC_RELAXED);

        return now == failing.fail || (failing.lasts && now > failing.fail);
}

/* An input in pieces. */
struct failing_input {
        struct lsr_input in;
        const uint8_t *data;
        size_t n, at;
        bool reads;     /* are what fails */
        uint8_t *given; /* a copy of each piece, so that use after the next call is seen */
};

#define FAILING_PIECE ((size_t)300)

static inline ssize_t failing_next(struct lsr_input *in, const uint8_t **ret_data)
{
        struct failing_input *f = (struct failing_input *)in;
        size_t n = f->n - f->at < FAILING_PIECE ? f->n - f->at : FAILING_PIECE;

        free(f->given);
        f->given = NULL;
        if (n == 0)
                return 0;
        if (f->reads && failing_now())
                return -EIO;
        f->given = memcpy(lsr_xmalloc(n), f->data + f->at, n);
        f->at += n;
        *ret_data = f->given;
        return (ssize_t)n;
}

static inline ssize_t failing_read_at(struct lsr_input *in, void *buf, size_t size, uint64_t offset)
{
        struct failing_input *f = (struct failing_input *)in;

        if (offset >= f->n || size == 0)
                return 0;
        if (f->reads && failing_now())
                return -EIO;
        if (size > f->n - offset)
                size = f->n - (size_t)offset;
        memcpy(buf, f->data + offset, size);
        return (ssize_t)size;
}

static inline int failing_seek(struct lsr_input *in, uint64_t offset)
{
        ((struct failing_input *)in)->at = (size_t)offset;
        return 0;
}

static inline void failing_free(struct lsr_input *in)
{
        free(((struct failing_input *)in)->given);
        free(in);
}

/* --- a bundle ----------------------------------------------------------------------- */

enum failing_request { FAILING_SCAN, FAILING_LIST, FAILING_READ, FAILING_EXTENT, FAILING_CHECK, FAILING_REQUESTS };

struct failing_member {
        struct lsr_member m;
        char path[256];
        int result; /* of reading it where nothing fails */
        uint32_t crc;
        uint64_t n;
};

struct failing_bundle {
        const void *data;
        size_t n;
        bool stream;   /* it comes from a pipe */
        bool dirs;     /* have content, too */
        int error;     /* of what fails: -EIO for reads, or -ENOMEM */
        bool is_known; /* by the fields below: from then on something fails */
        const struct lsr_format *format;
        struct lsr_catalogue *whole;
        struct failing_member *members; /* the files, by their positions */
        size_t n_members;
        int results[FAILING_REQUESTS];
};

static inline struct lsr_input *failing_new(const struct failing_bundle *b)
{
        static const struct lsr_input_ops file_ops = {
                .next = failing_next, .read_at = failing_read_at, .seek = failing_seek, .free = failing_free
        };
        static const struct lsr_input_ops stream_ops = { .next = failing_next, .free = failing_free };
        struct failing_input *f = lsr_input_alloc(sizeof(*f), b->stream ? &stream_ops : &file_ops);

        f->in.size = b->stream ? LSR_INPUT_UNKNOWN : b->n;
        f->data = b->data;
        f->n = b->n;
        f->reads = b->error == -EIO;
        return &f->in;
}

/* One request, and what was said of it. */
struct failing_run {
        struct failing_bundle *b;
        struct lsr_scan scan;
        bool said;  /* that something failed */
        bool whole; /* nothing is missing */
        size_t at;  /* the member being read */
        uint32_t crc;
        uint64_t made;
};

static inline void failing_trouble(void *ctx, int error, const char *text)
{
        struct failing_run *run = ctx;

        cr_assert_not_null(text);
        run->said |= error == run->b->error;
}

/* Recognise it.  0, or what that failed with. */
static inline int failing_identify(struct failing_run *run)
{
        struct lsr_identity id;
        int r = lsr_identify(failing_new(run->b), 1 << 27, &id, &run->scan.input);

        if (r == 0)
                run->b->format = id.format;
        else
                run->scan.input = NULL;
        return r;
}

/* Scan, or with @path list what that takes. */
static inline int failing_list(struct failing_run *run, const char *path, struct lsr_catalogue **ret_catalogue)
{
        const struct lsr_wanted wanted = { .paths = &path, .n = 1, .content = true };
        const struct lsr_format *format = run->b->format;
        struct lsr_scan *scan = &run->scan;
        int r = 1;

        *ret_catalogue = NULL;
        scan->builder = lsr_builder_new();
        if (path && format->list)
                r = format->list(scan, &wanted);
        if (r == 1)
                r = format->scan(scan);
        if (r == 0 && scan->catalogue)
                cr_assert_eq(lsr_catalogue_decode(ret_catalogue, scan->catalogue, scan->catalogue_size), 0);
        else if (r == 0)
                cr_assert_eq(lsr_builder_finish(scan->builder, ret_catalogue), 0);
        free(scan->catalogue);
        scan->catalogue = NULL;
        scan->builder = lsr_builder_free(scan->builder);
        return r;
}

static inline bool failing_take_next(void *ctx, struct lsr_member *ret_member)
{
        struct failing_run *run = ctx;

        run->crc = 0;
        run->made = 0;
        if (run->at == run->b->n_members)
                return false;
        *ret_member = run->b->members[run->at].m;
        return true;
}

static inline int failing_take(void *ctx, const void *data, size_t n)
{
        struct failing_run *run = ctx;

        run->crc = lsr_crc32(run->crc, data, n);
        run->made += n;
        return 0;
}

static inline int failing_take_end(void *ctx, int result)
{
        struct failing_run *run = ctx;
        struct failing_member *m = &run->b->members[run->at++];

        run->said |= result == run->b->error;
        if (!run->b->is_known) {
                m->result = result;
                m->crc = run->crc;
                m->n = run->made;
        }
        run->whole &= result == m->result;
        if (result == 0)
                cr_assert(m->result == 0 && m->crc == run->crc && m->n == run->made,
                          "'%s' is not whole: %d, %lu of %lu bytes, try %u%s", m->path, m->result,
                          (unsigned long)run->made, (unsigned long)m->n, failing.fail, failing.lasts ? " and on" : "");
        return 0;
}

static inline int failing_read(struct failing_run *run)
{
        const struct lsr_format *format = run->b->format;
        const struct lsr_many many = {
                .ctx = run, .next = failing_take_next, .write = failing_take, .end = failing_take_end
        };
        struct lsr_sink sink = { .ctx = run, .write = failing_take };
        struct lsr_member m;
        int r = 0;

        run->whole = true;
        if (format->read_many) {
                r = format->read_many(&run->scan, &many);
                run->whole &= run->at == run->b->n_members;
                return r;
        }
        while (r == 0 && failing_take_next(run, &m)) {
                failing_take_end(run, format->read(&run->scan, &m, &sink));
                /* Each from the beginning. */
                lsr_scan_close(&run->scan, format);
                r = failing_identify(run);
        }
        return r;
}

/* All that is listed is there. */
static inline void failing_compare(const struct failing_bundle *b, const struct lsr_catalogue *c)
{
        char path[512];

        for (uint32_t row = 1; row < lsr_catalogue_rows(c); row++) {
                size_t len = lsr_catalogue_path(c, row, path, sizeof(path));

                cr_assert_lt(len, sizeof(path));
                cr_assert_gt(lsr_catalogue_find(b->whole, 0, path, len), 0, "'%s' is not there", path);
        }
}

static inline int failing_ask(struct failing_run *run, enum failing_request request)
{
        struct failing_bundle *b = run->b;
        const struct failing_member *middle = &b->members[b->n_members / 2];
        struct lsr_catalogue *c = NULL;
        struct lsr_checked sum;
        uint64_t offset, size;
        int r = 0, one;

        switch (request) {
        case FAILING_SCAN:
        case FAILING_LIST:
                r = failing_list(run, request == FAILING_LIST ? middle->path : NULL, &c);
                if (c) {
                        failing_compare(b, c);
                        run->at = lsr_catalogue_rows(c);
                        run->whole = request == FAILING_SCAN
                                             ? lsr_catalogue_rows(c) == lsr_catalogue_rows(b->whole)
                                             : lsr_catalogue_find(c, 0, middle->path, strlen(middle->path)) > 0;
                }
                lsr_catalogue_free(c);
                break;
        case FAILING_READ:
                r = failing_read(run);
                break;
        case FAILING_EXTENT:
                for (size_t i = 0; b->format->extent && i < b->n_members; i++) {
                        one = b->format->extent(&run->scan, &b->members[i].m, &offset, &size);
                        r = one == b->error ? one : r * 2 + one;
                }
                run->whole = r == b->results[request];
                break;
        default:
                r = b->format->check ? b->format->check(&run->scan, &sum) : 0;
                /* 1: members are to be read, which tells what is wrong. */
                run->whole = r == b->results[request] || r == 1;
        }
        return r;
}

/* Returns whether there was something to fail. */
static inline bool failing_once(struct failing_bundle *b, enum failing_request request, unsigned fail, bool lasts)
{
        struct failing_run run = { .b = b };
        int r;

        run.scan = (struct lsr_scan){ .window_max = 1 << 27, .ctx = &run, .trouble = failing_trouble };
        failing.count = 0;
        failing.fail = fail;
        failing.lasts = lasts;
        r = failing_identify(&run);
        if (r == 0)
                r = failing_ask(&run, request);
        lsr_scan_close(&run.scan, b->format);
        failing.fail = UINT_MAX;
        failing.lasts = false;
        if (!b->is_known)
                b->results[request] = r;
        if (failing.count <= fail)
                return false;
        cr_assert(r == b->error || run.said || run.whole,
                  "%s, request %d: try %u of %u fails%s: %d, and nothing is said, %zu of %u rows", b->format->name,
                  (int)request, fail, failing.count, lasts ? " and those behind it" : "", r, run.at,
                  lsr_catalogue_rows(b->whole));
        return true;
}

static inline int failing_by_position(const void *a, const void *b)
{
        const struct failing_member *x = a, *y = b;

        return (x->m.position > y->m.position) - (x->m.position < y->m.position);
}

/* What is in it, and what each request gives: nothing fails. */
static inline void failing_learn(struct failing_bundle *b)
{
        struct failing_run run = { .b = b };
        uint32_t rows;

        run.scan = (struct lsr_scan){ .window_max = 1 << 27, .ctx = &run, .trouble = failing_trouble };
        cr_assert_eq(failing_identify(&run), 0);
        cr_assert_eq(failing_list(&run, NULL, &b->whole), 0);
        lsr_scan_close(&run.scan, b->format);
        rows = lsr_catalogue_rows(b->whole);
        b->members = lsr_xmalloc(rows * sizeof(*b->members));
        for (uint32_t row = 1; row < rows; row++) {
                struct failing_member *m = &b->members[b->n_members];

                lsr_catalogue_get(b->whole, row, &m->m);
                m->m.path_len = lsr_catalogue_path(b->whole, row, m->path, sizeof(m->path));
                cr_assert_lt(m->m.path_len, sizeof(m->path));
                if ((S_ISREG(m->m.meta.mode) || b->dirs) && !(m->m.flags & (LSR_MEMBER_HARDLINK | LSR_MEMBER_IMPLIED)))
                        b->n_members++;
        }
        cr_assert_gt(b->n_members, 0);
        qsort(b->members, b->n_members, sizeof(*b->members), failing_by_position);
        for (size_t i = 0; i < b->n_members; i++)
                b->members[i].m.path = b->members[i].path;
        for (enum failing_request request = 0; request < FAILING_REQUESTS; request++)
                failing_once(b, request, UINT_MAX - 1, false);
        b->is_known = true;
}

/* Each try of each request to a bundle fails in turn, alone and with all that come behind it. */
static inline void failing_each(struct failing_bundle b)
{
        failing_learn(&b);
        for (enum failing_request request = 0; request < FAILING_REQUESTS; request++)
                for (int lasts = 0; lasts < 2; lasts++)
                        for (unsigned fail = 0; failing_once(&b, request, fail, lasts); fail++)
                                cr_assert_lt(fail, 100000);
        free(b.members);
        lsr_catalogue_free(b.whole);
}

static inline void failing_reads(const void *data, size_t n, bool stream)
{
        failing_each((struct failing_bundle){ .data = data, .n = n, .stream = stream, .error = -EIO });
}
