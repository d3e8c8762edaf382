/*
 * decode-ahead - a ring of buffers between a decoder and its reader
 *
 * Listing a compressed tar takes the time of decoding; reading its headers
 * takes next to nothing.  With a thread of its own the decoder runs beside the
 * reader, and continues while the reader waits for something else.
 *
 *      decoder ─► [ b0 | b1 | b2 | b3 ] ─► reader
 *
 * Nearly all compressed files are small, and a thread saves less on them than
 * starting it and waiting for it costs: the first buffers are filled in the
 * caller's thread.
 *
 * There is no cancelling: pthread_cancel() needs libgcc_s.so, which a static
 * binary cannot load.  Freeing the input waits for the current buffer.
 */
#include "formats/filter/decode-ahead.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/pool.h"
#include "base/thread.h"
#include "formats/format.h"

#define AHEAD_SLOTS 4u

struct ahead_slot {
        struct lsr_job job;
        const uint8_t *data;
        size_t n;
        int result; /* of decode() */
        uint64_t source_at;
};

struct ahead {
        struct lsr_input in;
        struct lsr_decoder *decoder;
        uint8_t *buffers;        /* one, or with a thread AHEAD_SLOTS */
        uint64_t decoded;        /* without a thread */
        int result;              /* of the buffer given out last: what comes when it is used up */
        bool alone;              /* there will be no thread */
        int ended;               /* of the thread: what decode() said last */
        struct lsr_pool *pool;   /* of one thread, or NULL */
        struct ahead_slot *lent; /* the reader has it */
        struct ahead_slot slots[AHEAD_SLOTS];
};

unsigned lsr_ahead_cpus(void)
{
        unsigned n = lsr_thread_cpus();
        unsigned most = lsr_thread_asked() ? LSR_AHEAD_CPUS_MAX : LSR_AHEAD_CPUS;

        return n > most ? most : n;
}

static void ahead_fill(struct ahead *a, struct ahead_slot *slot)
{
        uint8_t *buf = a->buffers + (size_t)(slot - a->slots) * LSR_AHEAD_BUFFER;

        slot->data = buf;
        slot->result = a->decoder->ops->decode(a->decoder, buf, LSR_AHEAD_BUFFER, &slot->n);
        slot->source_at = a->decoder->inner->source_at;
}

/* In the thread. */
static void ahead_work(void *ctx, unsigned worker, struct lsr_job *job)
{
        struct ahead *a = ctx;
        struct ahead_slot *slot = (struct ahead_slot *)job;

        slot->n = 0;
        slot->result = a->ended;
        if (a->ended == 0)
                ahead_fill(a, slot);
        a->ended = slot->result;
}

static void ahead_start(struct ahead *a)
{
        if (lsr_ahead_cpus() == 1) {
                a->alone = true;
                return;
        }
        free(a->buffers);
        a->buffers = lsr_xmalloc(AHEAD_SLOTS * LSR_AHEAD_BUFFER);
        a->pool = lsr_pool_new(&(struct lsr_pool_options){ ahead_work, a, 1 });
        for (unsigned i = 0; i < AHEAD_SLOTS; i++)
                lsr_pool_submit(a->pool, &a->slots[i].job);
}

/* The next slot of the thread; its buffer is the reader's until the call after. */
static struct ahead_slot *ahead_wait(struct ahead *a)
{
        if (a->lent)
                lsr_pool_submit(a->pool, &a->lent->job);
        a->lent = (struct ahead_slot *)lsr_pool_next(a->pool);
        return a->lent;
}

static struct ahead_slot *ahead_alone(struct ahead *a)
{
        struct ahead_slot *slot = &a->slots[0];

        if (a->decoder->ops->lend) {
                slot->n = a->decoder->ops->lend(a->decoder, &slot->data);
                slot->source_at = a->decoder->inner->source_at;
                if (slot->n)
                        return slot;
        }
        if (!a->buffers)
                a->buffers = lsr_xmalloc(LSR_AHEAD_BUFFER);
        ahead_fill(a, slot);
        a->decoded += slot->n;
        return slot;
}

static ssize_t ahead_next(struct lsr_input *in, const uint8_t **ret_data)
{
        struct ahead *a = (struct ahead *)in;
        size_t n = 0;

        while (n == 0 && a->result == 0) {
                struct ahead_slot *slot;

                if (!a->pool && !a->alone && a->decoded >= LSR_AHEAD_START)
                        ahead_start(a);
                slot = a->pool ? ahead_wait(a) : ahead_alone(a);
                n = slot->n;
                *ret_data = slot->data;
                in->source_at = slot->source_at;
                a->result = slot->result;
        }
        if (n)
                return (ssize_t)n;
        in->what = a->decoder->what;
        in->ignores = a->result == 1 && a->decoder->ignores;
        return a->result == 1 ? 0 : a->result;
}

static void ahead_free(struct lsr_input *in)
{
        struct ahead *a = (struct ahead *)in;

        lsr_pool_free(a->pool);
        a->decoder->ops->free(a->decoder);
        free(a->buffers);
        free(a);
}

static const struct lsr_input_ops ahead_ops = {
        .next = ahead_next,
        .free = ahead_free,
};

struct lsr_input *lsr_ahead_new(struct lsr_decoder *d)
{
        struct ahead *a = lsr_input_alloc(sizeof(*a), &ahead_ops);

        a->decoder = d;
        return &a->in;
}

/* --- for decoders -------------------------------------------------------------- */

ssize_t lsr_decoder_peek(struct lsr_decoder *d, size_t n, const uint8_t **ret_data)
{
        ssize_t got = lsr_input_peek(d->inner, n, ret_data);

        if (got < 0 || (got == 0 && d->inner->ignores)) {
                d->what = d->inner->what;
                d->ignores = got == 0;
        }
        return got;
}

int lsr_decoder_feed(struct lsr_decoder *d, uint8_t *buf, size_t size, size_t *inout_n, lsr_decoder_step *step)
{
        struct lsr_flow flow = { .out = buf + *inout_n, .out_left = size - *inout_n };
        int r = 0;

        while (r == 0 && flow.out_left) {
                size_t room = flow.out_left;
                ssize_t got = lsr_decoder_peek(d, 1, &flow.in);

                if (got < 0) {
                        r = (int)got;
                        break;
                }
                /* At the end call it once more without input: libraries hold back output that had no room. */
                flow.in_left = (size_t)got;
                flow.ended = got == 0;
                r = step(d, &flow);
                if (got)
                        lsr_input_take(d->inner, (size_t)got - flow.in_left);
                if (r == -EBADMSG && !d->what)
                        lsr_decoder_damaged(d);
                else if (r == 0 && flow.out_left == room && flow.in_left == (size_t)got)
                        r = got ? lsr_decoder_damaged(d) : lsr_decoder_short(d);
        }
        *inout_n = size - flow.out_left;
        return r;
}

int lsr_decoder_fail(struct lsr_decoder *d, int error, const char *format, ...)
{
        va_list args;

        va_start(args, format);
        vsnprintf(d->text, sizeof(d->text), format, args);
        va_end(args);
        d->what = d->text;
        return error;
}

int lsr_decoder_damaged(struct lsr_decoder *d)
{
        return lsr_decoder_fail(d, -EBADMSG, "%s data are damaged at byte %s", d->name, lsr_grouped(d->inner->at));
}

int lsr_decoder_short(struct lsr_decoder *d)
{
        return lsr_decoder_fail(d, -EBADMSG, "%s data end too early, at byte %s", d->name, lsr_grouped(d->inner->at));
}

int lsr_decoder_limit(struct lsr_decoder *d, uint64_t need, uint64_t limit)
{
        return lsr_decoder_fail(d, -EFBIG, "%s data need %s bytes of memory, and the limit is %s%s", d->name,
                                lsr_grouped(need), lsr_grouped(limit), lsr_limit_raised(LSR_LIMIT_WINDOW));
}

int lsr_decoder_trailing(struct lsr_decoder *d)
{
        const uint8_t *data;
        ssize_t got;

        while ((got = lsr_decoder_peek(d, 1, &data)) > 0) {
                size_t zeros = 0;

                while (zeros < (size_t)got && data[zeros] == 0)
                        zeros++;
                lsr_input_take(d->inner, zeros);
                d->ignores = zeros < (size_t)got;
                if (d->ignores)
                        return lsr_decoder_fail(d, 1, "what follows the %s data at byte %s is ignored", d->name,
                                                lsr_grouped(d->inner->at));
        }
        return got < 0 ? (int)got : 1;
}
