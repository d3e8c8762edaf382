/*
 * gzip - members of deflate data, one after another (RFC 1952)
 *
 * Three ways, from fast to slow:
 *
 * - all that is left fits into a peek, and the size it claims at its end is
 *   plausible: libdeflate decodes member after member into memory;
 * - the member says how long it is, as bgzip writes it: libdeflate again;
 * - anything else: formats/inflate/ streams it.
 *
 * Members that the first two reject go to the third from their beginning: it
 * distinguishes damage from truncation, and returns the data before it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "formats/filter/decode-ahead.h"
#include "formats/filter/crc.h"
#include "formats/drivers.h"
#include "formats/filter/inflate.h"
#include "formats/inflate/stream.h"

#define GZIP_WHOLE_MAX ((size_t)32 << 20) /* bytes a member decoded in memory may have */
#define GZIP_MEMBER_MIN 18u               /* header and trailer, and no deflate data in between */
#define GZIP_BLOCK_MAX ((size_t)64 << 10) /* of bgzip: bytes in a member, on both sides */

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
        uint32_t crc;
        uint32_t size;
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

static int gzip_decode(struct lsr_decoder *d, uint8_t *buf, size_t size, size_t *ret_n)
{
        struct gzip *g = (struct gzip *)d;
        size_t n = 0, made;
        int r = 0;

        while (r == 0 && n < size) {
                size_t before = n;

                switch (g->state) {
                case GZIP_HEAD:
                        if (size - n >= GZIP_BLOCK_MAX && gzip_block(g, buf + n, &made)) {
                                n += made;
                                break;
                        }
                        r = gzip_head(g);
                        if (r == 0)
                                g->state = GZIP_BODY;
                        break;
                case GZIP_BODY:
                        r = lsr_decoder_feed(d, buf, size, &n, gzip_step);
                        g->crc = lsr_crc32(g->crc, buf + before, n - before);
                        g->size += (uint32_t)(n - before);
                        if (r == 1) {
                                r = 0;
                                g->state = GZIP_TAIL;
                        }
                        break;
                case GZIP_TAIL:
                        r = gzip_tail(g);
                        if (r == 0)
                                g->state = GZIP_HEAD;
                        break;
                }
        }
        *ret_n = n;
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

static int gzip_open(struct lsr_input **ret_input, struct lsr_input *inner, uint64_t window_max)
{
        struct gzip *g = lsr_xmalloc(sizeof(*g));

        *g = (struct gzip){ .d = { .ops = &gzip_ops, .name = "gzip", .inner = inner } };
        *ret_input = lsr_ahead_new(&g->d);
        return 0;
}

const struct lsr_filter lsr_filter_gzip = {
        .name = "gzip",
        .suffixes = (const char *const[]){ ".gz", ".tgz", NULL },
        .probe = gzip_probe,
        .open = gzip_open,
};
