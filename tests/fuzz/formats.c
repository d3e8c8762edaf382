/*
 * formats - the targets of drivers: what the confined worker does with a file, in this process
 *
 * Half of the inputs are random, as files are, and half streams, as pipes are and what comes from a filter.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "formats/drivers.h"
#include "formats/lsr1/lsr1.h"
#include "fuzz.h"

#define FORMATS_MEMBERS_MAX 64u /* that are read of one bundle */

/* --- inputs ----------------------------------------------------------------------- */

struct stream {
        struct lsr_input in;
        const uint8_t *data;
        size_t left, piece;
};

static ssize_t stream_next(struct lsr_input *in, const uint8_t **ret_data)
{
        struct stream *s = (struct stream *)in;
        size_t n = s->left < s->piece ? s->left : s->piece;

        *ret_data = s->data;
        s->data += n;
        s->left -= n;
        return (ssize_t)n;
}

static void stream_free(struct lsr_input *in)
{
        free(in);
}

struct lsr_input *fuzz_stream(const uint8_t *data, size_t n, size_t piece)
{
        static const struct lsr_input_ops ops = { .next = stream_next, .free = stream_free };
        struct stream *s = lsr_input_alloc(sizeof(*s), &ops);

        s->in.size = LSR_INPUT_UNKNOWN;
        s->data = data;
        s->left = n;
        s->piece = piece;
        return &s->in;
}

/* Of the same bytes the same kind, each time. */
static struct lsr_input *formats_input(const struct lsr_format *f, const uint8_t *data, size_t n)
{
        if (n % 2 == 0 || f->needs_random)
                return lsr_input_memory(data, n);
        return fuzz_stream(data, n, n % 3 == 0 ? n : 1 + n % 1000);
}

/* --- a listing -------------------------------------------------------------------- */

void fuzz_catalogue(const struct lsr_catalogue *c)
{
        uint32_t rows = lsr_catalogue_rows(c);
        char *path = NULL;

        fuzz_check(rows >= 1);
        for (uint32_t row = 0; row < rows; row++) {
                struct lsr_slice below = lsr_catalogue_children(c, row);
                struct lsr_member m;
                size_t len = lsr_catalogue_path(c, row, NULL, 0);

                fuzz_check(below.n == 0 || (below.first > row && below.n <= rows - below.first));
                path = lsr_xrealloc(path, len + 1);
                fuzz_check(lsr_catalogue_path(c, row, path, len + 1) == len && strlen(path) == len);
                fuzz_check(lsr_catalogue_find(c, 0, path, len) == (int64_t)row);
                lsr_catalogue_get(c, row, &m);
                fuzz_check(!m.path || (m.path[m.path_len] == '\0' && !memchr(m.path, '/', m.path_len)));
                fuzz_check(!m.target || m.target[m.target_len] == '\0');
                fuzz_check(lsr_catalogue_link(c, row) < rows && lsr_catalogue_parent(c, row) < rows);
                fuzz_check(lsr_catalogue_attr(c, row) < lsr_catalogue_attrs(c));
        }
        free(path);
}

static void formats_hear(void *ctx, int error, const char *text)
{
        unsigned *troubles = ctx;

        fuzz_check(error <= 0 && error >= -4095 && text && *text && strlen(text) < 512);
        fuzz_check(++*troubles <= 2 * lsr_limit(LSR_LIMIT_TROUBLES));
}

/* A scan of all.  NULL: there is nothing to be listed. */
static struct lsr_catalogue *formats_list(const struct lsr_format *f, const uint8_t *data, size_t n, bool distrusted,
                                          const struct lsr_wanted *wanted)
{
        unsigned troubles = 0;
        struct lsr_scan scan = {
                .input = formats_input(f, data, n),
                .builder = lsr_builder_new(),
                .distrusted = distrusted,
                .window_max = FUZZ_WINDOW_MAX,
                .ctx = &troubles,
                .trouble = formats_hear,
        };
        struct lsr_catalogue *c = NULL;
        int r;

        lsr_builder_limit(scan.builder, FUZZ_BUILDER_MAX);
        r = wanted && f->list ? f->list(&scan, wanted) : 1;
        if (r == 1)
                r = f->scan(&scan);
        fuzz_check(r <= 0);
        if (r == 0 && scan.catalogue) {
                r = lsr_catalogue_decode(&c, scan.catalogue, scan.catalogue_size);
                fuzz_check(!distrusted || r == 0);
        } else if (r == 0) {
                fuzz_check(lsr_builder_finish(scan.builder, &c) == 0);
        }
        free(scan.catalogue);
        lsr_builder_free(scan.builder);
        lsr_scan_close(&scan, f);
        if (r < 0 && !distrusted && !wanted)
                return formats_list(f, data, n, true, NULL);
        return c;
}

/* --- contents --------------------------------------------------------------------- */

struct formats_read {
        const struct lsr_catalogue *c;
        uint32_t rows[FORMATS_MEMBERS_MAX]; /* by position */
        unsigned n, at, ended;
        uint64_t bytes;
        char *path;
};

static int read_write(void *ctx, const void *data, size_t n)
{
        struct formats_read *r = ctx;
        const volatile uint8_t *bytes = data;

        for (size_t i = 0; i < n; i += 64)
                (void)bytes[i];
        if (n > 0)
                (void)bytes[n - 1];
        r->bytes += n;
        return r->bytes > FUZZ_CONTENT_MAX ? -ENOSPC : 0;
}

static int read_hole(void *ctx, uint64_t n)
{
        return 0;
}

static void read_member(struct formats_read *r, uint32_t row, struct lsr_member *ret_member)
{
        size_t len = lsr_catalogue_path(r->c, row, NULL, 0);

        r->path = lsr_xrealloc(r->path, len + 1);
        lsr_catalogue_path(r->c, row, r->path, len + 1);
        lsr_catalogue_get(r->c, row, ret_member);
        ret_member->path = r->path;
        ret_member->path_len = len;
}

static bool read_next(void *ctx, struct lsr_member *ret_member)
{
        struct formats_read *r = ctx;

        if (r->at == r->n)
                return false;
        read_member(r, r->rows[r->at++], ret_member);
        return true;
}

static int read_end(void *ctx, int result)
{
        struct formats_read *r = ctx;

        fuzz_check(result <= 0 && ++r->ended <= r->at);
        return 0;
}

static const struct lsr_catalogue *read_sorted;

static int read_compare(const void *a, const void *b)
{
        struct lsr_member x, y;

        lsr_catalogue_get(read_sorted, *(const uint32_t *)a, &x);
        lsr_catalogue_get(read_sorted, *(const uint32_t *)b, &y);
        return x.position < y.position ? -1 : x.position > y.position;
}

static void formats_scan_begin(struct lsr_scan *scan, const struct lsr_format *f, const uint8_t *data, size_t n,
                               unsigned *troubles)
{
        *troubles = 0;
        *scan = (struct lsr_scan){
                .input = formats_input(f, data, n),
                .window_max = FUZZ_WINDOW_MAX,
                .ctx = troubles,
                .trouble = formats_hear,
                .exact_follow = LSR_INPUT_UNKNOWN,
        };
}

static void formats_read(const struct lsr_format *f, const uint8_t *data, size_t n, const struct lsr_catalogue *c)
{
        struct formats_read r = { .c = c };
        struct lsr_scan scan;
        unsigned troubles;

        for (uint32_t row = 1; row < lsr_catalogue_rows(c) && r.n < FORMATS_MEMBERS_MAX; row++) {
                struct lsr_member m;

                lsr_catalogue_get(c, row, &m);
                if (S_ISREG(m.meta.mode) && lsr_catalogue_link(c, row) == row)
                        r.rows[r.n++] = row;
        }
        read_sorted = c;
        qsort(r.rows, r.n, sizeof(r.rows[0]), read_compare);
        if (f->read_many) {
                formats_scan_begin(&scan, f, data, n, &troubles);
                fuzz_check(f->read_many(&scan, &(struct lsr_many){ &r, read_next, read_write, read_end, read_hole }) <=
                           0);
                lsr_scan_close(&scan, f);
        }
        for (unsigned i = 0; f->read && i < r.n && i < 4; i++) {
                const struct lsr_sink sink = { &r, read_write, read_hole };
                uint64_t at, size;
                struct lsr_member m;

                r.bytes = 0;
                read_member(&r, r.rows[i], &m);
                formats_scan_begin(&scan, f, data, n, &troubles);
                fuzz_check(f->read(&scan, &m, &sink) <= 0);
                lsr_scan_close(&scan, f);
                formats_scan_begin(&scan, f, data, n, &troubles);
                if (f->extent && lsr_input_random(scan.input) && f->extent(&scan, &m, &at, &size) == 0)
                        fuzz_check(at <= n && size <= n - at);
                lsr_scan_close(&scan, f);
        }
        free(r.path);
}

/* --- targets ---------------------------------------------------------------------- */

bool fuzz_probe(const struct lsr_format *f, const uint8_t *data, size_t n)
{
        struct lsr_probe p = {
                .head = data,
                .head_len = n < LSR_PROBE_BYTES ? n : LSR_PROBE_BYTES,
                .tail = data + n - (n < 66000 ? n : 66000),
                .tail_len = n < 66000 ? n : 66000,
                .size = n,
        };

        return f->probe(&p);
}

int fuzz_format(const struct lsr_format *f, const uint8_t *data, size_t n)
{
        const char *paths[] = { "a", "dir/b" };
        const struct lsr_wanted wanted = {
                .paths = paths,
                .n = n % 16 > 7 ? 1 : 2,
                .content = n % 4 < 2,
                .depth = n % 4 / 2 ? LSR_DEPTH_ALL : 0,
                .links = n % 8 > 3,
        };
        struct lsr_checked checked;
        struct lsr_catalogue *c;
        struct lsr_scan scan;
        unsigned troubles;

        if (!fuzz_probe(f, data, n))
                return 0;
        c = formats_list(f, data, n, false, NULL);
        if (c) {
                fuzz_catalogue(c);
                formats_read(f, data, n, c);
                lsr_catalogue_free(c);
        }
        lsr_catalogue_free(formats_list(f, data, n, false, &wanted));
        if (f->check) {
                formats_scan_begin(&scan, f, data, n, &troubles);
                fuzz_check(f->check(&scan, &checked) <= 1);
                lsr_scan_close(&scan, f);
        }
        return 0;
}

/* Whatever it is, behind whatever filters. */
int fuzz_identify(const uint8_t *data, size_t n)
{
        struct lsr_input *in = n % 2 ? fuzz_stream(data, n, 1 + n % 5000) : lsr_input_memory(data, n), *outer;
        struct lsr_identity id;
        unsigned troubles = 0;
        struct lsr_scan scan;
        int r = lsr_identify(in, FUZZ_WINDOW_MAX, &id, &outer);

        fuzz_check(r <= 1 && memchr(id.what, '\0', sizeof(id.what)));
        if (r != 0)
                return 0;
        scan = (struct lsr_scan){ .input = outer,
                                  .builder = lsr_builder_new(),
                                  .window_max = FUZZ_WINDOW_MAX,
                                  .ctx = &troubles,
                                  .trouble = formats_hear };
        lsr_builder_limit(scan.builder, FUZZ_BUILDER_MAX);
        if (!id.format->needs_random || lsr_input_random(outer))
                fuzz_check(id.format->scan(&scan) <= 0);
        free(scan.catalogue);
        lsr_builder_free(scan.builder);
        lsr_scan_close(&scan, id.format);
        return 0;
}

int fuzz_filter(const struct lsr_filter *f, const uint8_t *data, size_t n)
{
        struct lsr_input *inner, *outer;
        uint64_t made = 0;

        if (!f->probe(data, n))
                return 0;
        if (f->verifies)
                f->verifies(data, n);
        inner = n % 2 ? fuzz_stream(data, n, 1 + n % 700) : lsr_input_memory(data, n);
        if (f->open(&outer, inner, FUZZ_WINDOW_MAX) < 0) {
                lsr_input_free(inner);
                return 0;
        }
        while (made < 2 * FUZZ_CONTENT_MAX) {
                const uint8_t *piece;
                ssize_t got = lsr_input_peek(outer, 1 + made % 5000, &piece);

                if (got < 0)
                        got = lsr_input_peek(outer, 1, &piece);
                fuzz_check(got >= -4095);
                if (got <= 0)
                        break;
                lsr_input_take(outer, (size_t)got);
                made += (uint64_t)got;
        }
        fuzz_check(!outer->what || strlen(outer->what) < 512);
        lsr_input_free(outer);
        return 0;
}

/* The end of an LSR1 bundle behind so many bytes that are not looked at: the first two say how many. */
int fuzz_lsr1_tail(const uint8_t *data, size_t n)
{
        struct lsr_input *in = lsr_input_memory(data, n);
        struct lsr1 l;

        lsr_lsr1_is_lost(in);
        if (!lsr1_open(&l, in)) {
                fuzz_check(l.n >= 1 && l.frames[l.n].raw == l.tar_length && l.toc_at + l.toc_clen <= n);
                lsr1_close(&l);
        }
        lsr_input_free(in);
        return 0;
}
