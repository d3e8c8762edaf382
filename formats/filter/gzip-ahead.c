/*
 * gzip-ahead - spans, their jobs, and how the decoder meets them
 *
 *      span      0              1              2              3
 *           [ ........... | ....bbbbbbb... | ..bbbb        |               ]
 *                   ^ decoder   ^ job          ^ job         waits
 *
 * On two cores the decoder arrives at the place where a job began before that is
 * done with its span, stops it, replaces marks in what it has, and decodes the
 * rest of the span, while the thread is at the next one.  So both are always
 * busy, whatever they take, nothing is decoded twice, and there is nothing to tune
 * for the ratio of their speeds.  With more cores the jobs end by themselves.
 *
 * rapidgzip cuts the file into chunks, decodes them all from found blocks and
 * puts the parts together, with an index as a result.  Here nobody wants the
 * index, and the decoder, which needs no marks, is the fastest of all.
 */
#include "formats/filter/gzip-ahead.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/pool.h"
#include "formats/inflate/guess.h"

#define AHEAD_MEMBER_TRIES 8u
#define AHEAD_MEMBER_MIN 18u

enum ahead_state { AHEAD_WAITS, AHEAD_RUNS, AHEAD_ENDED };

struct ahead_span {
        struct lsr_job job;
        uint8_t *data;
        size_t n;
        uint64_t at;                    /* in the input */
        uint64_t source_at;             /* of what follows */
        int error;                      /* behind it; 0: none, or the end if n is 0 */
        bool held;                      /* by the pool */
        bool fresh;                     /* what its job has was not asked for yet */
        bool members;                   /* what is looked for */
        size_t used, made;              /* members, from begin on */
        _Atomic enum ahead_state state; /* of the job */
        atomic_bool stop;
        _Atomic uint64_t begin; /* bit in the span where it is decoded from, or LSR_GUESS_NONE */
        struct lsr_guess *guess;
};

struct lsr_gzip_ahead {
        struct lsr_input in;
        struct lsr_input *inner;
        struct lsr_gzip_ahead_options o;
        struct lsr_gzip_ahead_stats stats;
        struct lsr_pool *pool;
        bool members;
        struct ahead_span *takes;   /* its output is being taken */
        size_t taken;               /* of members */
        unsigned n_spans, first, n; /* a ring: the first is the one that the decoder reads */
        bool entered;               /* it does */
        struct ahead_span spans[];
};

/* --- jobs ---------------------------------------------------------------------------- */

static void work_on_members(struct lsr_gzip_ahead *a, struct ahead_span *s)
{
        size_t room, at = 0;
        uint8_t *out = lsr_guess_room(s->guess, &room);

        for (unsigned tries = 0; tries < AHEAD_MEMBER_TRIES && s->made == 0 && !atomic_load(&s->stop); at++) {
                const uint8_t *p =
                        at + AHEAD_MEMBER_MIN < s->n ? memchr(s->data + at, 0x1f, s->n - at - AHEAD_MEMBER_MIN) : NULL;

                if (!p)
                        break;
                at = (size_t)(p - s->data);
                if (p[1] != 0x8b || p[2] != 8 || p[3] & 0xe0)
                        continue;
                tries++;
                atomic_store(&s->begin, 8 * (uint64_t)at);
                s->made = a->o.members(p, s->n - at, out, room, &s->stop, &s->used);
        }
        if (s->made == 0)
                atomic_store(&s->begin, LSR_GUESS_NONE);
}

static void ahead_work(void *ctx, unsigned worker, struct lsr_job *job)
{
        struct ahead_span *s = (struct ahead_span *)job;

        atomic_store(&s->state, AHEAD_RUNS);
        if (s->members)
                work_on_members(ctx, s);
        else
                lsr_guess_run(s->guess, s->data, s->n, &s->stop, &s->begin);
        atomic_store(&s->state, AHEAD_ENDED);
}

/* The job of the first span, and of no other, has ended afterwards; @stop it. */
static void ahead_join(struct lsr_gzip_ahead *a, struct ahead_span *s, bool stop)
{
        struct lsr_job *job;

        if (!s->held)
                return;
        if (stop)
                atomic_store(&s->stop, true);
        job = lsr_pool_next(a->pool);
        assert(job == &s->job);
        (void)job;
        s->held = false;
}

/* --- the input ------------------------------------------------------------------------ */

static struct ahead_span *ahead_first(struct lsr_gzip_ahead *a)
{
        return &a->spans[a->first];
}

/* Read a span.  False: there was nothing left but the end or an error. */
static bool ahead_read(struct lsr_gzip_ahead *a, struct ahead_span *s)
{
        s->at = a->inner->at;
        s->n = 0;
        s->error = 0;
        if (!s->data)
                s->data = lsr_xmalloc(a->o.span);
        while (s->n < a->o.span) {
                const uint8_t *data;
                ssize_t got = lsr_input_peek(a->inner, 1, &data);
                size_t n = a->o.span - s->n;

                if (got <= 0) {
                        s->error = (int)got;
                        break;
                }
                n = n < (size_t)got ? n : (size_t)got;
                memcpy(s->data + s->n, data, n);
                lsr_input_take(a->inner, n);
                s->n += n;
        }
        s->source_at = a->inner->source_at;
        return s->n == a->o.span;
}

/* Read what there is room for, and let it be worked on. */
static void ahead_fill(struct lsr_gzip_ahead *a)
{
        bool more = a->n == 0 || a->spans[(a->first + a->n - 1) % a->n_spans].n == a->o.span;

        while (more && a->n < a->n_spans) {
                struct ahead_span *s = &a->spans[(a->first + a->n) % a->n_spans];

                more = ahead_read(a, s);
                a->n++;
                /* The decoder is at the beginning of the first one. */
                if (a->n == 1 || s->n == 0)
                        continue;
                if (!s->guess)
                        s->guess = lsr_guess_new(a->o.room);
                s->members = a->members;
                s->used = s->made = 0;
                atomic_store(&s->state, AHEAD_WAITS);
                atomic_store(&s->stop, false);
                atomic_store(&s->begin, LSR_GUESS_NONE);
                s->held = s->fresh = true;
                lsr_pool_submit(a->pool, &s->job);
        }
}

static ssize_t ahead_next(struct lsr_input *in, const uint8_t **ret_data)
{
        struct lsr_gzip_ahead *a = (struct lsr_gzip_ahead *)in;
        struct ahead_span *s = ahead_first(a);

        assert(!a->takes);
        if (a->entered && s->n == a->o.span) {
                a->stats.useless += s->fresh;
                s->fresh = false;
                ahead_join(a, s, true);
                a->first = (a->first + 1) % a->n_spans;
                a->n--;
        }
        if (!a->entered || s->n == a->o.span)
                ahead_fill(a);
        else {
                /* That was the last one. */
                in->what = a->inner->what;
                return s->error;
        }
        a->entered = true;
        s = ahead_first(a);
        if (a->o.waits)
                ahead_join(a, s, false);
        /* The decoder would be ahead of it: the next span is the better place. */
        if (atomic_load(&s->state) == AHEAD_WAITS)
                atomic_store(&s->stop, true);
        *ret_data = s->data;
        if (!in->bottom)
                in->source_at = s->source_at;
        in->what = s->n ? NULL : a->inner->what;
        return s->n ? (ssize_t)s->n : s->error;
}

static void ahead_free_input(struct lsr_input *in)
{
        struct lsr_gzip_ahead *a = (struct lsr_gzip_ahead *)in;

        for (unsigned i = 0; i < a->n_spans; i++)
                atomic_store(&a->spans[i].stop, true);
        lsr_pool_free(a->pool);
        if (a->o.stats)
                *a->o.stats = a->stats;
        for (unsigned i = 0; i < a->n_spans; i++) {
                lsr_guess_free(a->spans[i].guess);
                free(a->spans[i].data);
        }
        lsr_input_free(a->inner);
        free(a);
}

static const struct lsr_input_ops ahead_ops = { .next = ahead_next, .free = ahead_free_input };

struct lsr_gzip_ahead *lsr_gzip_ahead_new(struct lsr_input *inner, const struct lsr_gzip_ahead_options *options)
{
        unsigned n_spans = options->workers + 1; /* the decoder's, and those being worked on */
        struct lsr_gzip_ahead *a = lsr_input_alloc(sizeof(*a) + n_spans * sizeof(a->spans[0]), &ahead_ops);

        a->inner = inner;
        a->o = *options;
        a->n_spans = n_spans;
        a->in.at = inner->at;
        a->in.size = inner->size;
        a->in.bottom = inner->bottom;
        a->in.source_at = inner->source_at;
        a->pool = lsr_pool_new(&(struct lsr_pool_options){ ahead_work, a, options->workers });
        return a;
}

struct lsr_input *lsr_gzip_ahead_input(struct lsr_gzip_ahead *a)
{
        return &a->in;
}

/* --- meeting ------------------------------------------------------------------------- */

void lsr_gzip_ahead_expect(struct lsr_gzip_ahead *a, bool members)
{
        a->members = members;
}

/* Did the job of the first span begin at @bit of the input?  Then it has ended.  *ret_next: where to ask again. */
static bool ahead_meets(struct lsr_gzip_ahead *a, uint64_t bit, bool members, uint64_t *ret_next)
{
        struct ahead_span *s = ahead_first(a);
        uint64_t begin;
        bool ended;

        *ret_next = bit + 1;
        if (!a->entered || bit < 8 * s->at)
                return false;
        *ret_next = 8 * (s->at + s->n);
        if (!s->fresh || s->members != members)
                return false;
        /* In this order: what has ended finds nothing any more. */
        ended = atomic_load(&s->state) == AHEAD_ENDED || atomic_load(&s->stop);
        begin = atomic_load(&s->begin);
        if (begin == LSR_GUESS_NONE && ended)
                return false;
        if (begin == LSR_GUESS_NONE || begin + 8 * s->at > bit) {
                /* It may yet be found, or turn out to be wrong. */
                *ret_next = bit + 1;
                return false;
        }
        ahead_join(a, s, true);
        s->fresh = false;
        if (atomic_load(&s->begin) + 8 * s->at == bit)
                return true;
        a->stats.useless++;
        return false;
}

bool lsr_gzip_ahead_block(struct lsr_gzip_ahead *a, struct lsr_inflate **inout_z, uint64_t base)
{
        struct ahead_span *s = ahead_first(a);
        uint64_t next = 0;
        size_t used = 0;

        if (ahead_meets(a, 8 * base + lsr_inflate_halted(*inout_z), false, &next)) {
                used = lsr_guess_meet(s->guess, inout_z, s->at - base);
                a->stats.useless += used == 0;
                a->stats.blocks += used > 0;
        }
        lsr_inflate_halt(*inout_z, next - 8 * base);
        if (used == 0)
                return false;
        lsr_input_skip(&a->in, used);
        a->takes = s;
        return true;
}

bool lsr_gzip_ahead_member(struct lsr_gzip_ahead *a)
{
        struct ahead_span *s = ahead_first(a);
        uint64_t next;

        if (!ahead_meets(a, 8 * a->in.at, true, &next) || s->made == 0)
                return false;
        a->stats.members++;
        lsr_input_skip(&a->in, s->used);
        a->takes = s;
        a->taken = 0;
        return true;
}

size_t lsr_gzip_ahead_take(struct lsr_gzip_ahead *a, uint8_t *out, size_t size)
{
        struct ahead_span *s = a->takes;
        size_t n, room;

        if (!s)
                return 0;
        if (s->members) {
                n = s->made - a->taken;
                n = n < size ? n : size;
                memcpy(out, lsr_guess_room(s->guess, &room) + a->taken, n);
                a->taken += n;
                a->stats.member_bytes += n;
        } else {
                n = lsr_guess_take(s->guess, out, size);
                a->stats.block_bytes += n;
        }
        if (n == 0)
                a->takes = NULL;
        return n;
}
