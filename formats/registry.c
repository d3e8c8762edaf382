/*
 * registry - the table of drivers and filters, and how an input is identified
 *
 * Order matters: the first driver that recognises the bytes gets them.
 *
 *      lsr1                  zstd, which is a filter's, but for what it ends with
 *      magic number at 0     exclude each other; whatever archives they hold
 *      tar                   by a checksum in the first block
 *      iso9660               by five bytes far behind, where a tar may have anything
 *      zip                   last: it is found by its end, and may be a member that
 *                            is stored at the end of one of the others
 *
 * Filters likewise: lzma, which has no magic number, is the last.  What none of them recognises may be a tar of which
 * the first block is damaged.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "formats/drivers.h"

/* An end of central directory record with the longest comment, and the locator before it, APPNOTE 4.3.15 and 4.3.16. */
#define REGISTRY_ZEROS ((size_t)64 << 10)
#define REGISTRY_TAIL_BYTES ((size_t)66000)
/* A driver that begins at the end finds this much there already. */
#define REGISTRY_KEPT_BYTES ((size_t)128 << 10)
/* Of the beginning that much, of files that are not read with one read anyway. */
#define REGISTRY_HEAD_BYTES 16u
#define REGISTRY_FROM_END_MIN ((uint64_t)256 << 10)

const struct lsr_format *const lsr_formats[] = {
        &lsr_format_lsr1, &lsr_format_sqlite,  &lsr_format_7z,  &lsr_format_rar5,
        &lsr_format_rar,  &lsr_format_rpm,     &lsr_format_cab, &lsr_format_ar,
        &lsr_format_warc, &lsr_format_cpio,    &lsr_format_lha, &lsr_format_mtree,
        &lsr_format_tar,  &lsr_format_iso9660, &lsr_format_zip, NULL,
};

const struct lsr_filter *const lsr_filters[] = {
        &lsr_filter_gzip, &lsr_filter_zstd, &lsr_filter_xz, &lsr_filter_bzip2, &lsr_filter_lz4, &lsr_filter_compress,
        &lsr_filter_lzip, &lsr_filter_lzma, NULL,
};

int lsr_write_zeros(int (*write)(void *ctx, const void *data, size_t n), void *ctx, uint64_t n)
{
        static const uint8_t zeros[REGISTRY_ZEROS];

        while (n > 0) {
                size_t part = n < sizeof(zeros) ? (size_t)n : sizeof(zeros);
                int r = write(ctx, zeros, part);

                if (r < 0)
                        return r;
                n -= part;
        }
        return 0;
}

int lsr_sink_hole(const struct lsr_sink *sink, uint64_t n)
{
        if (n == 0)
                return 0;
        return sink->hole ? sink->hole(sink->ctx, n) : lsr_write_zeros(sink->write, sink->ctx, n);
}

static int member_hole(void *ctx, uint64_t n)
{
        struct lsr_member_sink *s = ctx;
        const struct lsr_many *many = s->many;

        s->result = lsr_sink_hole(&(struct lsr_sink){ many->ctx, many->write, many->hole }, n);
        return s->result;
}

static int member_write(void *ctx, const void *data, size_t n)
{
        struct lsr_member_sink *s = ctx;

        s->result = s->many->write(s->many->ctx, data, n);
        return s->result;
}

static int member_map(void *ctx, const struct lsr_extent *extents, size_t n)
{
        struct lsr_member_sink *s = ctx;

        s->result = s->many->map(s->many->ctx, extents, n);
        return s->result;
}

void lsr_member_sink_init(struct lsr_member_sink *ret_sink, const struct lsr_many *many)
{
        *ret_sink = (struct lsr_member_sink){
                .sink = { ret_sink, member_write, member_hole, many->map ? member_map : NULL },
                .many = many,
        };
}

static void registry_silence(struct lsr_scan *scan, int error)
{
        char text[120];

        snprintf(text, sizeof(text), "further problems of this kind are not shown%s",
                 lsr_limit_raised(LSR_LIMIT_TROUBLES));
        scan->trouble(scan->ctx, error, text);
}

void lsr_scan_trouble(struct lsr_scan *scan, int error, const char *format, ...)
{
        char text[512];
        va_list args;

        if (scan->troubles++ >= lsr_limit(LSR_LIMIT_TROUBLES) || !scan->trouble)
                return;
        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        scan->trouble(scan->ctx, error, text);
        if (scan->troubles == lsr_limit(LSR_LIMIT_TROUBLES))
                registry_silence(scan, error);
}

int lsr_many_each(const struct lsr_many *many, void *ctx,
                  int (*read)(void *ctx, const struct lsr_member *m, const struct lsr_sink *sink))
{
        struct lsr_member_sink s;
        struct lsr_member m;
        int r = 0;

        lsr_member_sink_init(&s, many);
        while (r >= 0 && many->next(many->ctx, &m)) {
                r = read(ctx, &m, &s.sink);
                r = s.result < 0 ? s.result : many->end(many->ctx, r);
        }
        return r < 0 ? r : 0;
}

void lsr_scan_close(struct lsr_scan *scan, const struct lsr_format *format)
{
        if (scan->state)
                format->close(scan);
        scan->state = NULL;
        scan->input = lsr_input_free(scan->input);
        for (unsigned i = 0; i < LSR_COMPANIONS; i++)
                scan->companions[i] = lsr_input_free(scan->companions[i]);
}

static const struct lsr_filter *registry_filter(const uint8_t *head, size_t n)
{
        for (size_t i = 0; lsr_filters[i]; i++)
                if (lsr_filters[i]->probe(head, n))
                        return lsr_filters[i];
        return NULL;
}

static const struct lsr_format *registry_format(const struct lsr_probe *p)
{
        for (size_t i = 0; lsr_formats[i]; i++)
                if (lsr_formats[i]->probe(p))
                        return lsr_formats[i];
        return NULL;
}

/* What nobody knows may be something damaged. */
static const struct lsr_format *registry_damaged(const struct lsr_probe *p)
{
        for (size_t i = 0; lsr_formats[i]; i++)
                if (lsr_formats[i]->probe_damaged && lsr_formats[i]->probe_damaged(p))
                        return lsr_formats[i];
        return NULL;
}

static bool registry_ends_in(const char *name, size_t n, const char *const *suffixes)
{
        for (; *suffixes; suffixes++) {
                size_t len = strlen(*suffixes);

                if (n > len && strncasecmp(name + n - len, *suffixes, len) == 0)
                        return true;
        }
        return false;
}

bool lsr_suffix_known(const char *name, size_t n)
{
        if (!memchr(name, '.', n))
                return false;
        for (size_t i = 0; lsr_formats[i]; i++)
                if (registry_ends_in(name, n, lsr_formats[i]->suffixes))
                        return true;
        for (size_t i = 0; lsr_filters[i]; i++)
                if (registry_ends_in(name, n, lsr_filters[i]->suffixes))
                        return true;
        return false;
}

bool lsr_plausible(const struct lsr_probe *p)
{
        return registry_format(p) || registry_filter(p->head, p->head_len) || registry_damaged(p);
}

/* The last bytes of @in.  Returns how many, or a negative errno. */
static ssize_t registry_tail(struct lsr_input *in, const uint8_t **ret_tail)
{
        ssize_t got;

        if (!lsr_input_random(in))
                return 0;
        got = lsr_input_keep_end(in, REGISTRY_KEPT_BYTES, ret_tail);
        if (got <= (ssize_t)REGISTRY_TAIL_BYTES)
                return got;
        *ret_tail += (size_t)got - REGISTRY_TAIL_BYTES;
        return REGISTRY_TAIL_BYTES;
}

/*
 * Those that come first and are known by the end: then there is no need to read much of the beginning.  In the table
 * they precede all others, so that none of these would have been asked before.
 */
static const struct lsr_format *registry_from_end(struct lsr_input *in)
{
        uint8_t head[REGISTRY_HEAD_BYTES];
        struct lsr_probe p = { .head = head, .size = in->size };
        ssize_t got;

        if (!lsr_input_random(in) || in->size < REGISTRY_FROM_END_MIN)
                return NULL;
        got = registry_tail(in, &p.tail);
        p.tail_len = got > 0 ? (size_t)got : 0;
        got = lsr_input_read_at(in, head, sizeof(head), 0);
        p.head_len = got > 0 ? (size_t)got : 0;
        for (size_t i = 0; lsr_formats[i]->from_end; i++)
                if (lsr_formats[i]->probe(&p))
                        return lsr_formats[i];
        return NULL;
}

uint64_t lsr_probe_behind(struct lsr_input *in, struct lsr_probe *p, uint8_t buf[static LSR_PROBE_BEHIND])
{
        uint64_t end = lsr_input_random(in) ? lsr_program_end(p->head, p->head_len) : 0;
        ssize_t got = end && end < in->size ? lsr_input_read_at(in, buf, LSR_PROBE_BEHIND, end) : 0;

        p->behind = buf;
        p->behind_len = got > 0 ? (size_t)got : 0;
        return end;
}

/*
 * A decoder failed before anything was recognised.  If the filter has no magic number, it was probably chosen by
 * mistake.  1; or @error if the file itself cannot be read.
 */
static int registry_damage(struct lsr_identity *id, const struct lsr_input *in, int error)
{
        if (!in->what || id->n_filters == 0)
                return error;
        if (id->filters[id->n_filters - 1] != &lsr_filter_lzma)
                snprintf(id->what, sizeof(id->what), "%s", in->what);
        return 1;
}

/* 1: it is packed so often that nobody looks what is in it. */
static int registry_too_many(struct lsr_identity *id)
{
        snprintf(id->what, sizeof(id->what), "more than %s compressions on top of each other%s",
                 lsr_grouped(lsr_limit(LSR_LIMIT_FILTERS)), lsr_limit_raised(LSR_LIMIT_FILTERS));
        return 1;
}

/* Take filter after filter off *in until a format is recognised.  As lsr_identify(), but nothing is freed. */
static int registry_peel(struct lsr_identity *id, struct lsr_input **in, uint64_t window_max)
{
        for (;;) {
                struct lsr_probe p = { .size = (*in)->size };
                const struct lsr_filter *filter;
                struct lsr_input *outer;
                uint8_t behind[LSR_PROBE_BEHIND];
                ssize_t got = lsr_input_peek(*in, LSR_PROBE_BYTES, &p.head);
                int error = got < 0 ? (int)got : 0, r;
                bool verifies;

                /* A decoder that fails so early: there may be enough to know the format by. */
                if (got < 0)
                        got = lsr_input_peek(*in, 1, &p.head);
                if (got < 0)
                        return registry_damage(id, *in, error);
                p.head_len = (size_t)got < LSR_PROBE_BYTES ? (size_t)got : LSR_PROBE_BYTES;
                got = registry_tail(*in, &p.tail);
                if (got < 0)
                        return (int)got;
                p.tail_len = (size_t)got;
                lsr_probe_behind(*in, &p, behind);
                id->format = registry_format(&p);
                filter = id->format ? NULL : registry_filter(p.head, p.head_len);
                if (!id->format && !filter)
                        id->format = registry_damaged(&p);
                if (id->format)
                        return 0;
                if (filter && id->n_filters == lsr_limit(LSR_LIMIT_FILTERS))
                        return registry_too_many(id);
                if (!filter)
                        return error ? registry_damage(id, *in, error) : 1;
                verifies = !filter->verifies || filter->verifies(p.head, p.head_len);
                r = filter->open(&outer, *in, window_max);
                if (r < 0)
                        return r;
                *in = outer;
                id->filters[id->n_filters++] = filter;
                id->verified |= verifies;
        }
}

bool lsr_verifies_nothing(const uint8_t *head, size_t n)
{
        return false;
}

int lsr_identify(struct lsr_input *input, uint64_t window_max, struct lsr_identity *ret_identity,
                 struct lsr_input **ret_input)
{
        struct lsr_identity id = { .format = registry_from_end(input) };
        struct lsr_input *in = input;
        int r = id.format ? 0 : registry_peel(&id, &in, window_max);

        *ret_identity = id;
        if (r == 0) {
                if (!id.format->from_end)
                        lsr_input_drop_end(in);
                *ret_input = in;
        } else {
                lsr_input_free(in);
        }
        return r;
}
