/*
 * gzip - members of deflate data, one after another (RFC 1952)
 *
 * Three ways, from fast to slow on one core:
 *
 * - all that is left fits into a peek, and the size it claims at its end is
 *   plausible: libdeflate decodes member after member into memory;
 * - the member says how long it is, as bgzip writes it: libdeflate again;
 * - anything else: formats/inflate/ streams it.
 *
 * Members that the first two reject go to the third from their beginning: it
 * distinguishes damage from truncation, and returns the data before it.
 *
 * Of a large file further cores decode what lies ahead (gzip-ahead.h), once the
 * first megabytes have been wanted.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "formats/filter/decode-ahead.h"
#include "formats/filter/crc.h"
#include "formats/drivers.h"
#include "formats/filter/gzip.h"
#include "formats/filter/inflate.h"
#include "formats/inflate/stream.h"

#define GZIP_WHOLE_MAX ((size_t)32 << 20) /* bytes a member decoded in memory may have */
#define GZIP_MEMBER_MIN 18u               /* header and trailer, and no deflate data in between */
#define GZIP_BLOCK_MAX ((size_t)64 << 10) /* of bgzip: bytes in a member, on both sides */

/* Of what further cores decode.  Smaller spans take more time to find blocks in, and larger ones leave the cache. */
#define GZIP_SPAN ((size_t)1 << 20)
#define GZIP_ROOM ((size_t)4 << 20)
#define GZIP_LEFT ((uint64_t)2 << 20)

enum gzip_flag {
        GZIP_HCRC = 1 << 1,
        GZIP_EXTRA = 1 << 2,
        GZIP_NAME = 1 << 3,
        GZIP_COMMENT = 1 << 4,
        GZIP_OTHER = 0xe0
};

enum gzip_state { GZIP_HEAD, GZIP_BODY, GZIP_TAIL };

struct gzip {
        struct lsr_decoder d;
        struct lsr_inflate *z; /* NULL until it is needed */
        enum gzip_state state;
        bool streams; /* the rest is not decoded in memory */
        bool found;   /* there was a member */
        bool takes;   /* what was decoded ahead */
        uint32_t crc;
        uint32_t size;
        uint64_t begin;               /* of the member in the input */
        uint64_t body;                /* of its deflate data */
        uint64_t last_size;           /* of the member before */
        uint64_t decoded;             /* bytes, in all */
        struct lsr_gzip_ahead *ahead; /* NULL: there is none, or not yet */
        struct lsr_gzip_options o;
        uint8_t *whole; /* what was lent last */
        size_t whole_cap;
};

static bool gzip_probe(const uint8_t *head, size_t n)
{
        return n >= 3 && head[0] == 0x1f && head[1] == 0x8b && head[2] == 8;
}

/* Exactly @n bytes ahead, 0, or an error. */
static int gzip_need(struct gzip *g, size_t n, const uint8_t **ret_data)
{
        ssize_t got = lsr_decoder_peek(&g->d, n, ret_data);

        if (got < 0)
                return (int)got;
        return (size_t)got < n ? lsr_decoder_short(&g->d) : 0;
}

/* Past a part of the header, which has a checksum too. */
static void gzip_take(struct gzip *g, const uint8_t *data, size_t n)
{
        g->crc = lsr_crc32(g->crc, data, n);
        lsr_input_take(g->d.inner, n);
}

static int gzip_pass_extra(struct gzip *g)
{
        const uint8_t *p;
        size_t n;
        int r = gzip_need(g, 2, &p);

        if (r < 0)
                return r;
        n = lsr_le16(p);
        gzip_take(g, p, 2);
        r = gzip_need(g, n, &p);
        if (r < 0)
                return r;
        if (n)
                gzip_take(g, p, n);
        return 0;
}

static int gzip_pass_text(struct gzip *g)
{
        const uint8_t *p, *end;

        do {
                ssize_t got = lsr_decoder_peek(&g->d, 1, &p);

                if (got <= 0)
                        return got < 0 ? (int)got : lsr_decoder_short(&g->d);
                end = memchr(p, 0, (size_t)got);
                gzip_take(g, p, end ? (size_t)(end - p) + 1 : (size_t)got);
        } while (!end);
        return 0;
}

/* 0: a member's data follow; 1: there is no further one; or an error. */
static int gzip_head(struct gzip *g)
{
        const uint8_t *p;
        ssize_t got = lsr_decoder_peek(&g->d, 10, &p);
        uint8_t flags;
        int r = 0;

        if (got < 0)
                return (int)got;
        if (g->found && (got == 0 || p[0] != 0x1f || (got > 1 && p[1] != 0x8b)))
                return lsr_decoder_trailing(&g->d);
        if (got < 10)
                return lsr_decoder_short(&g->d);
        flags = p[3];
        if (p[0] != 0x1f || p[1] != 0x8b || flags & GZIP_OTHER)
                return lsr_decoder_damaged(&g->d);
        if (p[2] != 8)
                return lsr_decoder_fail(&g->d, -EOPNOTSUPP, "gzip data use unknown method %u", p[2]);
        g->crc = 0;
        gzip_take(g, p, 10);
        if (flags & GZIP_EXTRA)
                r = gzip_pass_extra(g);
        if (r == 0 && flags & GZIP_NAME)
                r = gzip_pass_text(g);
        if (r == 0 && flags & GZIP_COMMENT)
                r = gzip_pass_text(g);
        if (r == 0 && flags & GZIP_HCRC) {
                r = gzip_need(g, 2, &p);
                if (r == 0 && lsr_le16(p) != (uint16_t)g->crc)
                        r = lsr_decoder_damaged(&g->d);
                if (r == 0)
                        lsr_input_take(g->d.inner, 2);
        }
        if (r < 0)
                return r;
        g->crc = g->size = 0;
        if (!g->z)
                g->z = lsr_inflate_new();
        lsr_inflate_reset(g->z);
        if (g->ahead)
                lsr_inflate_halt(g->z, 0);
        g->body = g->d.inner->at;
        return 0;
}

static int gzip_tail(struct gzip *g)
{
        const uint8_t *p;
        int r = gzip_need(g, 8, &p);

        if (r < 0)
                return r;
        if (lsr_le32(p) != g->crc || lsr_le32(p + 4) != g->size)
                return lsr_decoder_fail(&g->d, -EBADMSG, "gzip checksum at byte %s does not match the data",
                                        lsr_grouped(g->d.inner->at));
        lsr_input_take(g->d.inner, 8);
        g->found = true;
        g->last_size = g->d.inner->at - g->begin;
        return 0;
}

static int gzip_step(struct lsr_decoder *d, struct lsr_flow *flow)
{
        return lsr_inflate_step(((struct gzip *)d)->z, flow);
}

/* A member of bgzip, whole, into @out with room for GZIP_BLOCK_MAX.  1: there was one, 0: go the long way. */
static int gzip_block(struct gzip *g, uint8_t *out, size_t *ret_made)
{
        static const uint8_t extra[] = { 6, 0, 'B', 'C', 2, 0 };
        const uint8_t *p;
        size_t n, size, used;
        ssize_t got = lsr_input_peek(g->d.inner, GZIP_MEMBER_MIN, &p);

        if (got < (ssize_t)GZIP_MEMBER_MIN || !gzip_probe(p, 3) || p[3] != GZIP_EXTRA ||
            memcmp(p + 10, extra, sizeof(extra)) != 0)
                return 0;
        n = (size_t)lsr_le16(p + 16) + 1;
        got = lsr_input_peek(g->d.inner, n, &p);
        if (n < GZIP_MEMBER_MIN || got < (ssize_t)n)
                return 0;
        size = lsr_le32(p + n - 4);
        if (size > GZIP_BLOCK_MAX || lsr_inflate_buffer(LSR_DEFLATE_GZIP, p, n, out, size, &used, ret_made) < 0 ||
            used != n || *ret_made != size)
                return 0;
        lsr_input_take(g->d.inner, n);
        g->found = true;
        return 1;
}

/* Whole members in memory: an lsr_gzip_members. */
static size_t gzip_members(const uint8_t *data, size_t n, uint8_t *out, size_t room, const atomic_bool *stop,
                           size_t *ret_used)
{
        struct gzip g = { .d = { .name = "gzip", .inner = lsr_input_memory(data, n) } };
        size_t made = 0, used = 0;

        while (!atomic_load(stop) || used == 0) {
                size_t end = made;

                if (gzip_head(&g) != 0 || lsr_decoder_feed(&g.d, out, room, &end, gzip_step) != 1)
                        break;
                g.crc = lsr_crc32(0, out + made, end - made);
                g.size = (uint32_t)(end - made);
                if (gzip_tail(&g) < 0)
                        break;
                made = end;
                used = (size_t)g.d.inner->at;
        }
        lsr_inflate_free(g.z);
        lsr_input_free(g.d.inner);
        *ret_used = used;
        return made;
}

/* Have further cores decode from here on, if it pays. */
static void gzip_look_ahead(struct gzip *g)
{
        struct lsr_input *inner = g->d.inner;

        if (g->ahead) {
                bool within = g->state != GZIP_HEAD;

                lsr_gzip_ahead_expect(g->ahead, g->found && g->last_size < g->o.ahead.span &&
                                                        (!within || inner->at - g->begin < g->o.ahead.span));
                return;
        }
        if (g->decoded < g->o.start || inner->size == LSR_INPUT_UNKNOWN || inner->size - inner->at < g->o.left)
                return;
        g->o.ahead.workers = g->o.cores ? lsr_ahead_cpus() - 1 : g->o.ahead.workers;
        if (g->o.ahead.workers == 0) {
                g->o.start = UINT64_MAX;
                return;
        }
        g->ahead = lsr_gzip_ahead_new(inner, &g->o.ahead);
        g->d.inner = lsr_gzip_ahead_input(g->ahead);
        if (g->z)
                lsr_inflate_halt(g->z, 0);
}

/* Bytes of the member at hand. */
static int gzip_body(struct gzip *g, uint8_t *buf, size_t size, size_t *inout_n)
{
        size_t before = *inout_n;
        int r = 0;

        if (g->takes) {
                size_t n = lsr_gzip_ahead_take(g->ahead, buf + before, size - before);

                g->takes = n > 0;
                *inout_n += n;
        } else {
                r = lsr_decoder_feed(&g->d, buf, size, inout_n, gzip_step);
        }
        g->crc = lsr_crc32(g->crc, buf + before, *inout_n - before);
        g->size += (uint32_t)(*inout_n - before);
        if (r == 1)
                g->state = GZIP_TAIL;
        if (r == 2)
                g->takes = lsr_gzip_ahead_block(g->ahead, &g->z, g->body);
        return r < 0 ? r : 0;
}

/* The beginning of a member, or several members. */
static int gzip_begin(struct gzip *g, uint8_t *buf, size_t size, size_t *inout_n)
{
        size_t made;
        int r;

        if (g->takes || (g->ahead && lsr_gzip_ahead_member(g->ahead))) {
                made = lsr_gzip_ahead_take(g->ahead, buf + *inout_n, size - *inout_n);
                g->takes = made > 0;
                *inout_n += made;
                return 0;
        }
        g->begin = g->d.inner->at;
        if (size - *inout_n >= GZIP_BLOCK_MAX && gzip_block(g, buf + *inout_n, &made)) {
                *inout_n += made;
                g->last_size = g->d.inner->at - g->begin;
                return 0;
        }
        r = gzip_head(g);
        if (r == 0)
                g->state = GZIP_BODY;
        return r;
}

static int gzip_decode(struct lsr_decoder *d, uint8_t *buf, size_t size, size_t *ret_n)
{
        struct gzip *g = (struct gzip *)d;
        int r = 0;

        *ret_n = 0;
        gzip_look_ahead(g);
        while (r == 0 && *ret_n < size) {
                switch (g->state) {
                case GZIP_HEAD:
                        r = gzip_begin(g, buf, size, ret_n);
                        break;
                case GZIP_BODY:
                        r = gzip_body(g, buf, size, ret_n);
                        break;
                case GZIP_TAIL:
                        r = gzip_tail(g);
                        if (r == 0)
                                g->state = GZIP_HEAD;
                        break;
                }
        }
        g->decoded += *ret_n;
        return r;
}

static size_t gzip_lend(struct lsr_decoder *d, const uint8_t **ret_data)
{
        struct gzip *g = (struct gzip *)d;
        struct lsr_input *inner = d->inner;
        size_t size, used, made;
        const uint8_t *p;
        ssize_t got;

        if (g->streams || (inner->size != LSR_INPUT_UNKNOWN && inner->size - inner->at >= LSR_INPUT_PEEK_MAX)) {
                g->streams = true;
                return 0;
        }
        got = lsr_input_peek(inner, LSR_INPUT_PEEK_MAX, &p);
        if (got == 0)
                return 0;
        g->streams = true;
        if (got < (ssize_t)GZIP_MEMBER_MIN || (size_t)got >= LSR_INPUT_PEEK_MAX)
                return 0;
        size = lsr_le32(p + got - 4);
        if (size > GZIP_WHOLE_MAX || size / LSR_INFLATE_RATIO_MAX > (size_t)got)
                return 0;
        lsr_renew(&g->whole, size, &g->whole_cap);
        if (lsr_inflate_buffer(LSR_DEFLATE_GZIP, p, (size_t)got, g->whole, size, &used, &made) < 0)
                return 0;
        lsr_input_take(inner, used);
        g->streams = made == 0; /* decode() will be asked, and may stop in the middle of a member */
        g->found = true;
        *ret_data = g->whole;
        return made;
}

static void gzip_free(struct lsr_decoder *d)
{
        struct gzip *g = (struct gzip *)d;

        lsr_inflate_free(g->z);
        lsr_input_free(d->inner);
        free(g->whole);
        free(g);
}

static const struct lsr_decoder_ops gzip_ops = {
        .decode = gzip_decode,
        .lend = gzip_lend,
        .free = gzip_free,
};

int lsr_gzip_open(struct lsr_input **ret_input, struct lsr_input *inner, const struct lsr_gzip_options *options)
{
        struct gzip *g = lsr_xmalloc(sizeof(*g));

        *g = (struct gzip){ .d = { .ops = &gzip_ops, .name = "gzip", .inner = inner }, .o = *options };
        g->streams = options->streams;
        g->o.ahead.members = gzip_members;
        *ret_input = lsr_ahead_new(&g->d);
        return 0;
}

static int gzip_open(struct lsr_input **ret_input, struct lsr_input *inner, uint64_t window_max)
{
        return lsr_gzip_open(ret_input, inner,
                             &(struct lsr_gzip_options){
                                     .ahead = { .span = GZIP_SPAN, .room = GZIP_ROOM },
                                     .cores = true,
                                     .start = LSR_AHEAD_START,
                                     .left = GZIP_LEFT,
                             });
}

const struct lsr_filter lsr_filter_gzip = {
        .name = "gzip",
        .suffixes = (const char *const[]){ ".gz", ".tgz", NULL },
        .probe = gzip_probe,
        .open = gzip_open,
};
