/*
 * compress - pieces go round: filled, compressed, written, filled again
 *
 *      free ─► at hand ─► [ jobs: done | being compressed | waiting ] ─► output ─► free
 *
 * There are some pieces more than threads: one at hand, and those that wait, so that no thread is idle while the
 * caller reads from a disk.  When none is free the oldest is waited for, which bounds the memory.  Buffers stay as
 * large as they were needed once.
 */
#include "formats/filter/compress.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/pool.h"
#include "formats/writer.h"

#define COMPRESS_WAITING 6u /* pieces beyond those that are worked on */

static int codec_level(const struct lsr_codec *codec, int *level)
{
        if (*level == LSR_LEVEL_DEFAULT)
                *level = codec->level_default;
        return *level < codec->level_min || *level > codec->level_max ? -EINVAL : 0;
}

int lsr_codec_buffer(const struct lsr_codec *codec, int level, const void *data, size_t n, uint8_t **ret_data,
                     size_t *ret_n)
{
        int r = codec_level(codec, &level);
        void *context = r < 0 ? NULL : codec->new (level);
        size_t bound;
        uint8_t *out;

        if (!context)
                return r < 0 ? r : -ENOMEM;
        bound = codec->bound(context, n);
        out = lsr_xmalloc(bound);
        n = codec->compress(context, data, n, out, bound);
        codec->free(context);
        if (n == 0) {
                free(out);
                return -ENOMEM;
        }
        *ret_data = out;
        *ret_n = n;
        return 0;
}

struct compress_piece {
        struct lsr_job job;
        struct compress_piece *next; /* that is free */
        uint8_t *in;
        size_t n, cap;
        uint8_t *out;
        size_t out_n, out_cap; /* out_n 0: it failed */
};

struct lsr_compress {
        const struct lsr_codec *codec;
        struct lsr_output *out;
        struct lsr_pool *pool; /* NULL: nothing is cut into pieces */
        struct compress_piece *at;
        struct compress_piece *free;
        void (*made)(void *ctx, size_t n, const uint8_t *packed, size_t packed_n);
        void *made_ctx;
        int error;
        unsigned n_pieces;
        struct compress_piece *pieces;
        unsigned n_contexts;
        void *contexts[]; /* of the workers */
};

static void compress_work(void *ctx, unsigned worker, struct lsr_job *job)
{
        struct lsr_compress *c = ctx;
        struct compress_piece *p = (struct compress_piece *)job;
        size_t bound = c->codec->bound(c->contexts[worker], p->cap);

        lsr_renew(&p->out, bound, &p->out_cap);
        p->out_n = c->codec->compress(c->contexts[worker], p->in, p->n, p->out, p->out_cap);
}

static void compress_give_back(struct lsr_compress *c, struct compress_piece *p)
{
        p->next = c->free;
        c->free = p;
}

static int compress_fail(struct lsr_compress *c, int error)
{
        if (c->error == 0)
                c->error = error;
        return c->error;
}

/* A piece is compressed. */
static void compress_put(struct lsr_compress *c, struct lsr_job *job)
{
        struct compress_piece *p = (struct compress_piece *)job;

        if (p->out_n == 0)
                compress_fail(c, -ENOMEM);
        if (c->error == 0)
                compress_fail(c, lsr_output_write(c->out, p->out, p->out_n));
        if (c->made && c->error == 0)
                c->made(c->made_ctx, p->n, p->out, p->out_n);
        compress_give_back(c, p);
}

static int compress_open(struct lsr_compress *c, int level, unsigned threads)
{
        if (c->codec->stream) {
                c->contexts[0] = c->codec->stream_new(level, threads);
                c->n_contexts = 1;
                return c->contexts[0] ? 0 : -ENOMEM;
        }
        for (; c->n_contexts < threads; c->n_contexts++) {
                c->contexts[c->n_contexts] = c->codec->new (level);
                if (!c->contexts[c->n_contexts])
                        return -ENOMEM;
        }
        c->n_pieces = threads > 1 ? threads + COMPRESS_WAITING : 1;
        c->pieces = lsr_xmalloc(c->n_pieces * sizeof(*c->pieces));
        for (unsigned i = 0; i < c->n_pieces; i++) {
                c->pieces[i] = (struct compress_piece){};
                compress_give_back(c, &c->pieces[i]);
        }
        c->at = c->free;
        c->free = c->at->next;
        c->pool = lsr_pool_new(&(struct lsr_pool_options){ compress_work, c, threads, .helps = threads == 1 });
        return 0;
}

int lsr_compress_new(struct lsr_compress **ret_compress, const struct lsr_codec *codec, int level, unsigned threads,
                     struct lsr_output *out)
{
        struct lsr_compress *c;
        int r = codec ? codec_level(codec, &level) : 0;

        if (r < 0)
                return r;
        threads = threads ? threads : 1;
        c = lsr_xmalloc(sizeof(*c) + threads * sizeof(*c->contexts));
        *c = (struct lsr_compress){ .codec = codec, .out = out };
        if (codec)
                r = compress_open(c, level, threads);
        if (r < 0) {
                lsr_compress_free(c);
                return r;
        }
        *ret_compress = c;
        return 0;
}

struct lsr_compress *lsr_compress_free(struct lsr_compress *c)
{
        if (!c)
                return NULL;
        lsr_pool_free(c->pool);
        for (unsigned i = 0; i < c->n_contexts; i++)
                c->codec->free(c->contexts[i]);
        for (unsigned i = 0; i < c->n_pieces; i++) {
                free(c->pieces[i].in);
                free(c->pieces[i].out);
        }
        free(c->pieces);
        free(c);
        return NULL;
}

void lsr_compress_tell(struct lsr_compress *c,
                       void (*made)(void *ctx, size_t n, const uint8_t *packed, size_t packed_n), void *ctx)
{
        c->made = made;
        c->made_ctx = ctx;
}

void lsr_compress_add(struct lsr_compress *c, const void *data, size_t n)
{
        struct compress_piece *p = c->at;

        if (n == 0)
                return;
        if (p->cap - p->n < n) {
                p->cap = (p->n + n) * 2 > c->codec->piece ? (p->n + n) * 2 : c->codec->piece;
                p->in = lsr_xrealloc(p->in, p->cap);
        }
        memcpy(p->in + p->n, data, n);
        p->n += n;
}

int lsr_compress_cut(struct lsr_compress *c)
{
        struct lsr_job *job;

        if (c->at->n == 0)
                return c->error;
        lsr_pool_submit(c->pool, &c->at->job);
        while ((job = lsr_pool_done(c->pool)))
                compress_put(c, job);
        if (!c->free)
                compress_put(c, lsr_pool_next(c->pool));
        c->at = c->free;
        c->free = c->at->next;
        c->at->n = 0;
        return c->error;
}

size_t lsr_compress_held(const struct lsr_compress *c)
{
        return c->at->n;
}

int lsr_compress_stream(struct lsr_compress *c, const void *data, size_t n)
{
        const uint8_t *p = data;

        if (!c->codec)
                return lsr_output_write(c->out, data, n);
        if (c->codec->stream)
                return c->error || n == 0 ? c->error
                                          : compress_fail(c, c->codec->stream(c->contexts[0], data, n, c->out));
        while (n > 0 && c->error == 0) {
                size_t room = c->codec->piece - c->at->n, part = n < room ? n : room;

                lsr_compress_add(c, p, part);
                p += part;
                n -= part;
                if (part == room)
                        lsr_compress_cut(c);
        }
        return c->error;
}

int lsr_compress_finish(struct lsr_compress *c)
{
        struct lsr_job *job;

        if (c->codec && c->codec->stream && c->error == 0)
                compress_fail(c, c->codec->stream(c->contexts[0], NULL, 0, c->out));
        if (c->pool) {
                lsr_compress_cut(c);
                while ((job = lsr_pool_next(c->pool)))
                        compress_put(c, job);
        }
        return compress_fail(c, lsr_output_flush(c->out));
}
