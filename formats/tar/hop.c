/*
 * hop - from header to header of a file, reading as little in between as pays
 *
 * In the page cache a read of one header costs about what copying 8 KiB costs, so there it pays to hop over
 * content of that size and more.  A disk that is asked for one header after the other has to answer each before
 * the next is known, where reading everything lets the kernel read ahead.  The kernel does not tell which of the
 * two it is, but the clock does: a hop that takes long did not end in memory, and then content is read through for
 * a while, longer each time.
 *
 * Measured, in the cache: 590 MB, 50,000 members of 11 KB, bare reads without
 * parsing: 37 ms by hops, 55 ms read through.  Not measured: that the clock
 * pays.  On the virtual disk at hand, without cache, runs of the same kind
 * differed more than the two ways; that a disk gains is an argument only.
 *
 * Rejected: one fixed limit (right for memory or for a disk, not for both), several hops in flight (each header
 * tells where the next one is), mapping the file (docs/decisions/0006-maps-for-databases.md).
 */
#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "formats/tar/tar.h"

#define HOP_PAYS ((uint64_t)8 << 10)      /* bytes of content that cost as much as a hop */
#define HOP_ALWAYS ((uint64_t)1 << 20)    /* bytes that cost more than a hop wherever they are */
#define HOP_SLOW_NS UINT64_C(32000)       /* a hop this long was none within memory */
#define HOP_RUN_MIN ((uint64_t)256 << 10) /* bytes read through after a slow hop, */
#define HOP_RUN_MAX ((uint64_t)16 << 20)  /* after many of them */
#define HOP_TRUST 8                       /* fast hops after which only every so many is timed */
#define HOP_FAST 256                      /* fast hops until the slow ones are forgotten */
#define HOP_MEMBERS 64                    /* over which the average goes, more or less */
#define HOP_WINDOW ((size_t)4 << 10)      /* bytes read at a hop at most */

struct tar_hop {
        struct lsr_input in;
        struct lsr_input *inner;
        uint64_t next;    /* where the next window begins */
        uint64_t end;     /* of the last one */
        uint64_t through; /* up to here all is read */
        uint64_t run;
        uint64_t pitch; /* content of a member on average, bytes */
        unsigned fast;
        uint64_t member; /* where the content of the last one ended */
        size_t window;   /* bytes read at a hop: as many as the last member's header and extensions took */
        uint8_t data[HOP_WINDOW];
};

/* Reading the clock costs time, too: after fast hops it is not read for a few. */
static ssize_t hop_hop(struct tar_hop *h, const uint8_t **ret_data)
{
        bool timed = h->fast < HOP_TRUST || h->fast % HOP_TRUST == 0;
        uint64_t start = timed ? lsr_clock() : 0;
        size_t window = h->next == h->end ? HOP_WINDOW : h->window;
        ssize_t got = lsr_input_read_at(h->inner, h->data, window, h->next);

        *ret_data = h->data;
        if (timed && lsr_clock() - start >= HOP_SLOW_NS) {
                h->fast = 0;
                h->through = h->next + h->run;
                h->run = h->run * 2 < HOP_RUN_MAX ? h->run * 2 : HOP_RUN_MAX;
        } else if (++h->fast == HOP_FAST) {
                h->run = HOP_RUN_MIN;
        }
        return got;
}

static ssize_t hop_through(struct tar_hop *h, const uint8_t **ret_data)
{
        int r = lsr_input_seek(h->inner, h->next);
        ssize_t got = r < 0 ? r : lsr_input_peek(h->inner, 1, ret_data);

        if (got > 0)
                lsr_input_take(h->inner, (size_t)got);
        return got;
}

static ssize_t hop_next(struct lsr_input *in, const uint8_t **ret_data)
{
        struct tar_hop *h = (struct tar_hop *)in;
        bool through = h->pitch < HOP_PAYS || (h->next < h->through && h->pitch < HOP_ALWAYS);
        ssize_t got;

        got = through ? hop_through(h, ret_data) : hop_hop(h, ret_data);
        if (got < 0)
                in->what = h->inner->what;
        else
                h->next += (uint64_t)got;
        h->end = h->next;
        in->source_at = h->next;
        return got;
}

static int hop_seek(struct lsr_input *in, uint64_t offset)
{
        ((struct tar_hop *)in)->next = offset;
        return 0;
}

static void hop_free(struct lsr_input *in)
{
        free(in);
}

static const struct lsr_input_ops hop_ops = {
        .next = hop_next,
        .seek = hop_seek,
        .free = hop_free,
};

struct lsr_input *tar_hop_new(struct lsr_input *inner)
{
        struct tar_hop *h = lsr_input_alloc(sizeof(*h), &hop_ops);

        h->in.size = inner->size;
        h->inner = inner;
        h->end = UINT64_MAX;
        h->run = HOP_RUN_MIN;
        h->window = TAR_BLOCK;
        return &h->in;
}

int tar_hop_over(struct lsr_input *in, uint64_t n)
{
        struct tar_hop *h = (struct tar_hop *)in;
        bool beyond = n > in->size - in->at;
        uint64_t head = in->at - h->member;
        int r;

        h->pitch = (h->pitch * (HOP_MEMBERS - 1) + (n < HOP_ALWAYS * 8 ? n : HOP_ALWAYS * 8)) / HOP_MEMBERS;
        h->window = head < TAR_BLOCK ? TAR_BLOCK : head < HOP_WINDOW ? (size_t)head : HOP_WINDOW;
        h->member = in->at + n;
        r = lsr_input_seek(in, beyond ? in->size : in->at + n);
        return r < 0 ? r : beyond ? -ENODATA : 0;
}
