/*
 * serve-read - content of members, one or many in a pass
 *
 * The parent says nothing while it waits for an answer, unless it has had enough.
 */
#include "worker/serve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "worker/worker.h"

static int serve_data(void *ctx, const void *data, size_t n)
{
        struct serve *s = ctx;
        const char *p = data;

        while (n > 0) {
                size_t part = n < LSR_WIRE_DATA_MAX ? n : LSR_WIRE_DATA_MAX;
                int r;

                if (lsr_wire_waiting(s->wire))
                        return -ECANCELED;
                r = serve_send(s, LSR_WIRE_DATA, p, part);
                if (r < 0)
                        return r;
                p += part;
                n -= part;
        }
        return 0;
}

static int serve_hole(void *ctx, uint64_t n)
{
        struct serve *s = ctx;

        return lsr_wire_waiting(s->wire) ? -ECANCELED : serve_send(s, LSR_WIRE_HOLE, &n, sizeof(n));
}

/* All that the filters make of a bundle. */
static int serve_unpacked(struct lsr_scan *scan, const struct lsr_sink *sink)
{
        for (;;) {
                const uint8_t *data;
                ssize_t n = lsr_input_peek(scan->input, 1, &data);
                int r;

                if (n <= 0)
                        return (int)n;
                r = sink->write(sink->ctx, data, (size_t)n);
                if (r < 0)
                        return r;
                lsr_input_take(scan->input, (size_t)n);
        }
}

/* Announce to a far input what reading the @n members at @data + @at will take, as far as they are before @until. */
static void serve_announce(struct lsr_scan *scan, const struct lsr_format *format, const uint8_t *data, size_t size,
                           size_t at, struct lsr_record_owner owner, uint64_t n, uint64_t until)
{
        struct lsr_input_range *ranges;
        struct lsr_member m;
        size_t known = 0;

        if (!lsr_input_far(scan->input) || !format->range)
                return;
        ranges = lsr_xmalloc((n + 1) * sizeof(*ranges));
        while (n-- > 0 && lsr_record_get(data, size, &at, &owner, &m) == 0 && m.position < until)
                known += format->range(scan, &m, &ranges[known]);
        lsr_input_want(scan->input, ranges, known);
        free(ranges);
}

/* READ and EXTENT. */
int serve_member(struct serve *s, enum lsr_wire_type type, const uint8_t *data, size_t size, struct lsr_wire_done *done)
{
        const struct lsr_sink sink = { s, serve_data, serve_hole };
        const struct lsr_format *format;
        struct serve_bundle *b;
        struct lsr_member m;
        struct lsr_scan *scan;
        struct lsr_wire_bundle request;
        struct lsr_record_owner owner = {};
        size_t at = sizeof(request);
        int r = serve_about(s, data, size, &request, sizeof(request), &b);

        if (r == 0)
                r = lsr_record_get(data, size, &at, &owner, &m);
        if (r < 0)
                return r;
        format = b->identity.format;
        if (type == LSR_WIRE_READ && !format->read && !b->packed)
                return -EOPNOTSUPP;
        /* Behind a filter nothing lies as it is. */
        if (type == LSR_WIRE_EXTENT && (!format->extent || b->identity.n_filters > 0))
                return 1;
        r = serve_begin(s, b, m.position, &scan);
        if (r < 0)
                return r;
        if (type == LSR_WIRE_READ)
                serve_announce(scan, format, data, size, sizeof(request), (struct lsr_record_owner){}, 1, UINT64_MAX);
        if (b->packed)
                r = serve_unpacked(scan, &sink);
        else if (type == LSR_WIRE_READ)
                r = format->read(scan, &m, &sink);
        else
                r = format->extent(scan, &m, &done->offset, &done->size);
        if (r != -ECANCELED)
                serve_scan_explain(scan, r);
        serve_end(b);
        return r;
}

/* --- many members in one pass ----------------------------------------------------------- */

struct serve_many {
        struct serve *s;
        struct lsr_scan *scan;
        bool tells;          /* which members were compared with a checksum, */
        bool verified;       /* or are all of them, by a filter? */
        const uint8_t *data; /* records */
        size_t size;
        size_t at;      /* of the first that is not taken yet */
        uint64_t until; /* those from this position on are not taken in this pass */
        uint64_t left;  /* how many these are */
        struct lsr_record_owner owner;
        bool open;  /* one was taken and is not at its end */
        int broken; /* negative: the parent wants no more, or is gone */
};

static int many_put(struct serve_many *many, enum lsr_wire_type type, const void *data, size_t n)
{
        int r = lsr_wire_put(many->s->wire, type, many->s->request, data, n);

        /* As in serve_data(), but only where a call was made anyway. */
        if (r > 0)
                r = lsr_wire_waiting(many->s->wire) ? -ECANCELED : 0;
        if (r < 0)
                many->broken = r;
        return r;
}

/* Where the next of them is; UINT64_MAX: there is none. */
static uint64_t many_position(const struct serve_many *many)
{
        struct lsr_record_owner owner = many->owner;
        size_t at = many->at;
        struct lsr_member m;

        return many->left > 0 && lsr_record_get(many->data, many->size, &at, &owner, &m) == 0 ? m.position : UINT64_MAX;
}

static bool many_next(void *ctx, struct lsr_member *ret_member)
{
        struct serve_many *many = ctx;

        if (many->left == 0 || (many->until < UINT64_MAX && many_position(many) >= many->until) ||
            lsr_record_get(many->data, many->size, &many->at, &many->owner, ret_member) < 0)
                return false;
        many->left--;
        many->open = true;
        many->scan->troubles = 0;
        many->scan->verified = false;
        return true;
}

static int many_write(void *ctx, const void *data, size_t n)
{
        const char *p = data;
        int r = 0;

        while (n > 0 && r >= 0) {
                size_t part = n < LSR_WIRE_DATA_MAX ? n : LSR_WIRE_DATA_MAX;

                r = many_put(ctx, LSR_WIRE_DATA, p, part);
                p += part;
                n -= part;
        }
        return r;
}

static int many_hole(void *ctx, uint64_t n)
{
        return many_put(ctx, LSR_WIRE_HOLE, &n, sizeof(n));
}

static int many_map(void *ctx, const struct lsr_extent *extents, size_t n)
{
        return many_put(ctx, LSR_WIRE_MAP, extents, n * sizeof(*extents));
}

static int many_end(void *ctx, int result)
{
        struct serve_many *many = ctx;
        int32_t number = result;

        many->open = false;
        if (many->tells && result == 0 && (many->verified || many->scan->verified)) {
                int r = many_put(many, LSR_WIRE_VERIFIED, NULL, 0);

                if (r < 0)
                        return r;
        }
        return many_put(many, LSR_WIRE_END, &number, sizeof(number));
}

/* For formats that have no better way. */
static int many_one_by_one(struct serve *s, struct serve_bundle *b, struct serve_many *many)
{
        const struct lsr_format *format = b->identity.format;
        const struct lsr_sink sink = { many, many_write, many_hole };
        struct lsr_member m;
        bool first = true;

        while (many_next(many, &m)) {
                int r = 0;

                if (!first) {
                        serve_end(b);
                        r = serve_begin(s, b, 0, &many->scan);
                }
                if (r < 0)
                        return r;
                first = false;
                r = format->read(many->scan, &m, &sink);
                if (!many->broken)
                        serve_scan_explain(many->scan, r);
                if (many->broken)
                        return many->broken;
                r = many_end(many, r);
                if (r < 0)
                        return r;
        }
        return 0;
}

/* What is behind the last member: a checksum may be there, or what is no part of the bundle. */
static int serve_to_end(struct lsr_scan *scan)
{
        struct lsr_input *in = scan->input;
        const uint8_t *data;
        ssize_t got;

        if (lsr_input_random(in))
                return 0;
        while ((got = lsr_input_peek(in, 1, &data)) > 0)
                lsr_input_take(in, (size_t)got);
        if (got == 0 && in->ignores)
                lsr_scan_trouble(scan, -EBADMSG, "%s", in->what);
        return (int)got;
}

/* Those before many->until. */
static int many_pass(struct serve *s, struct serve_bundle *b, struct serve_many *many, unsigned flags)
{
        const struct lsr_format *format = b->identity.format;
        struct lsr_member m;
        int r = serve_begin(s, b, many_position(many), &many->scan);

        if (r < 0)
                return r;
        serve_announce(many->scan, format, many->data, many->size, many->at, many->owner, many->left, many->until);
        if (flags & (LSR_MANY_TO_END | LSR_MANY_ALL))
                serve_announce_all(b);
        many->scan->exact = flags & LSR_MANY_EXACT;
        many->scan->exact_end = flags & LSR_MANY_ALL;
        many->scan->exact_gaps = flags & LSR_MANY_GAPS;
        many->scan->exact_follow = flags & LSR_MANY_FROM_START ? 0 : LSR_INPUT_UNKNOWN;
        if (format->read_many)
                r = format->read_many(many->scan, &(struct lsr_many){ many, many_next, many_write, many_end, many_hole,
                                                                      flags & LSR_MANY_MAPS ? many_map : NULL });
        else
                r = format->read ? many_one_by_one(s, b, many) : -EOPNOTSUPP;
        if (r >= 0 && flags & LSR_MANY_TO_END)
                r = serve_to_end(many->scan);
        if (!many->broken && many->scan->input)
                serve_scan_explain(many->scan, r);
        /* Those that are left have the same result. */
        many->until = UINT64_MAX;
        while (r < 0 && !many->broken && (many->open || many_next(many, &m)))
                many_end(many, r);
        serve_end(b);
        return many->broken ? many->broken : r;
}

/* Where a scan has stopped it waits for the last of them, while those before come out of the file once more. */
static int many_before(struct serve *s, struct serve_bundle *b, struct serve_many *many)
{
        struct lsr_scan kept = b->scan;
        int r;

        if (!kept.stopped || many_position(many) >= kept.stopped_at)
                return 0;
        b->scan = (struct lsr_scan){};
        many->until = kept.stopped_at;
        r = many_pass(s, b, many, 0);
        b->scan = kept;
        return r;
}

int serve_many(struct serve *s, const uint8_t *data, size_t size)
{
        struct serve_many many = { .s = s, .until = UINT64_MAX };
        struct lsr_wire_many request;
        struct serve_bundle *b;
        int r = serve_about(s, data, size, &request, sizeof(request), &b);

        if (r < 0)
                return r;
        many.tells = request.flags & (LSR_MANY_TELL | LSR_MANY_TO_END);
        many.verified = b->identity.verified;
        many.data = data + sizeof(request);
        many.size = size - sizeof(request);
        many.left = request.n;
        r = many_before(s, b, &many);
        if (r == 0 && (many.left > 0 || request.n == 0))
                r = many_pass(s, b, &many, request.flags);
        return r;
}

int serve_want(struct serve *s, const uint8_t *data, size_t size)
{
        struct lsr_wire_many request;
        struct serve_bundle *b;
        struct lsr_scan *scan;
        int r = serve_about(s, data, size, &request, sizeof(request), &b);

        if (r == 0)
                r = serve_begin(s, b, 0, &scan);
        if (r < 0)
                return r;
        serve_announce(scan, b->identity.format, data, size, sizeof(request), (struct lsr_record_owner){}, request.n,
                       UINT64_MAX);
        serve_end(b);
        return 0;
}
