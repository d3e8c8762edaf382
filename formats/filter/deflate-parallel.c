/*
 * deflate-parallel - jobs go round: filled, deflated, handed back, filled again
 *
 *      free ─► at hand ─► [ jobs: done | being worked on | waiting ] ─► kept ─► free
 *
 * A job holds LSR_PRESS_PIECE bytes: either parts that are small members whole,
 * or one part that is a piece of a large member.  Jobs of the same member are
 * kept until its last has come, so that the size of what was made is known
 * before the first byte is written; a member of more than LSR_PRESS_WHOLE
 * pieces is handed on piece by piece.
 *
 * Whether deflating is worthwhile is decided piece by piece: each must save more than all other pieces could lose
 * by being stored, so a single deflated piece makes the stream smaller, and no decision is revised.
 */
#include "formats/filter/deflate-parallel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/pool.h"
#include "formats/writer.h"

#define PRESS_PARTS_MAX 4096

struct press_part {
        size_t head, head_len; /* in the heads of the job */
        uint64_t size;         /* of the member */
        size_t data, n;
        size_t packed, n_packed;
        size_t saved; /* bytes that deflating must save; SIZE_MAX: it is not to be tried */
        uint32_t check;
        bool first, last;
        bool whole; /* all of the member is put at once */
};

struct press_job {
        struct lsr_job job;
        struct press_job *next; /* free, or of all */
        struct press_job *next_of_all;
        uint8_t *data, *packed; /* LSR_PRESS_PIECE each */
        size_t n;
        uint8_t *heads;
        size_t n_heads, cap_heads;
        struct press_part *parts;
        size_t n_parts, cap_parts;
};

struct lsr_press {
        const struct lsr_press_user *user;
        void *ctx;
        struct lsr_pool *pool;
        int error;
        uint64_t left; /* bytes of the last member that are still to come */
        struct press_job *at;
        struct press_job *free;
        struct press_job *all;
        unsigned n_jobs, max_jobs;
        struct press_job *kept[LSR_PRESS_WHOLE];
        unsigned n_kept;
        unsigned n_deflaters;
        struct lsr_deflater *deflaters[]; /* of the workers */
};

/* --- the workers -------------------------------------------------------------- */

static void press_work(void *ctx, unsigned worker, struct lsr_job *base)
{
        struct press_job *job = (struct press_job *)base;
        struct lsr_press *press = ctx;
        struct lsr_deflater *d = press->deflaters[worker];
        size_t used = 0;

        for (size_t i = 0; i < job->n_parts; i++) {
                struct press_part *part = &job->parts[i];
                const uint8_t *data = job->data + part->data;
                uint8_t *packed = job->packed + used;

                part->check = press->user->checksum(press->user->check, data, part->n);
                part->packed = used;
                if (part->saved >= part->n)
                        continue;
                part->n_packed = part->last ? lsr_deflate_last(d, data, part->n, packed, part->n - part->saved)
                                            : lsr_deflate_piece(d, data, part->n, packed, part->n - part->saved);
                used += part->n_packed;
        }
}

/* --- back in order ------------------------------------------------------------- */

static void press_give_back(struct lsr_press *press, struct press_job *job)
{
        job->n = job->n_heads = job->n_parts = 0;
        job->next = press->free;
        press->free = job;
}

static struct lsr_press_piece press_piece(const struct press_job *job, const struct press_part *part)
{
        return (struct lsr_press_piece){
                .data = job->data + part->data,
                .n = part->n,
                .packed = job->packed + part->packed,
                .n_packed = part->n_packed,
                .check = part->check,
        };
}

static void press_put(struct lsr_press *press, const struct press_job *job, const struct press_part *part,
                      const struct lsr_press_piece *pieces, size_t n, bool last)
{
        struct lsr_press_member m = {
                .head = job->heads + part->head,
                .head_len = part->head_len,
                .size = part->size,
                .pieces = pieces,
                .n = n,
                .first = part->first,
                .last = last,
        };

        if (press->error == 0)
                press->error = press->user->put(press->ctx, &m);
}

/* A piece of a member that comes back as a whole. */
static void press_keep(struct lsr_press *press, struct press_job *job)
{
        struct lsr_press_piece pieces[LSR_PRESS_WHOLE];

        press->kept[press->n_kept++] = job;
        if (!job->parts->last)
                return;
        for (unsigned i = 0; i < press->n_kept; i++)
                pieces[i] = press_piece(press->kept[i], press->kept[i]->parts);
        press_put(press, press->kept[0], press->kept[0]->parts, pieces, press->n_kept, true);
        while (press->n_kept > 0)
                press_give_back(press, press->kept[--press->n_kept]);
}

static void press_take(struct lsr_press *press, struct press_job *job)
{
        if (job->parts->whole && !(job->parts->first && job->parts->last)) {
                press_keep(press, job);
                return;
        }
        for (size_t i = 0; i < job->n_parts; i++) {
                struct lsr_press_piece piece = press_piece(job, &job->parts[i]);

                press_put(press, job, &job->parts[i], &piece, piece.n > 0, job->parts[i].last);
        }
        press_give_back(press, job);
}

/* --- handing in ----------------------------------------------------------------- */

static void press_submit(struct lsr_press *press)
{
        struct lsr_job *done;

        if (press->at)
                lsr_pool_submit(press->pool, &press->at->job);
        press->at = NULL;
        while ((done = lsr_pool_done(press->pool)))
                press_take(press, (struct press_job *)done);
}

static struct press_job *press_new_job(struct lsr_press *press)
{
        struct press_job *job = lsr_xmalloc(sizeof(*job));

        *job = (struct press_job){
                .next_of_all = press->all,
                .data = lsr_xmalloc(LSR_PRESS_PIECE),
                .packed = lsr_xmalloc(LSR_PRESS_PIECE),
        };
        press->all = job;
        press->n_jobs++;
        return job;
}

/* A job to be filled.  Kept are fewer than there are, so one to wait for is always there. */
static struct press_job *press_job(struct lsr_press *press)
{
        if (press->at)
                return press->at;
        while (!press->free && press->n_jobs == press->max_jobs)
                press_take(press, (struct press_job *)lsr_pool_next(press->pool));
        if (press->free) {
                press->at = press->free;
                press->free = press->at->next;
        } else {
                press->at = press_new_job(press);
        }
        return press->at;
}

static struct press_part *press_add_part(struct press_job *job)
{
        struct press_part *part;

        lsr_grow(&job->parts, job->n_parts, &job->cap_parts);
        part = &job->parts[job->n_parts++];
        *part = (struct press_part){ .data = job->n };
        return part;
}

static size_t press_add_head(struct press_job *job, const void *head, size_t n)
{
        size_t at = job->n_heads;

        if (job->cap_heads - at < n) {
                job->cap_heads = (at + n) * 2;
                job->heads = lsr_xrealloc(job->heads, job->cap_heads);
        }
        if (n)
                memcpy(job->heads + at, head, n);
        job->n_heads += n;
        return at;
}

/* What a piece must save, so that it makes up for all other pieces being stored. */
static size_t press_saved(const struct lsr_press *press, uint64_t size, bool whole)
{
        uint64_t blocks = (size + LSR_DEFLATE_STORED_MAX - 1) / LSR_DEFLATE_STORED_MAX;

        if (size <= LSR_PRESS_PIECE || !(whole || press->user->strict))
                return press->user->extra + 1;
        return press->user->extra + 1 + (size_t)blocks * LSR_DEFLATE_STORED_BYTES;
}

int lsr_press_begin(struct lsr_press *press, const void *head, size_t head_len, uint64_t size, bool deflate)
{
        bool large = size > LSR_PRESS_PIECE;
        struct press_part *part;
        struct press_job *job = press->at;

        if (press->left > 0)
                press->error = press->error ? press->error : -EINVAL;
        if (press->error < 0)
                return press->error;
        if (job && (large || size > LSR_PRESS_PIECE - job->n || job->n_parts == PRESS_PARTS_MAX))
                press_submit(press);
        job = press_job(press);
        part = press_add_part(job);
        part->head = press_add_head(job, head, head_len);
        part->head_len = head_len;
        part->size = size;
        part->first = true;
        part->last = !large;
        part->whole = size <= LSR_PRESS_WHOLE * LSR_PRESS_PIECE;
        part->saved = deflate ? press_saved(press, size, part->whole) : SIZE_MAX;
        press->left = size;
        return press->error;
}

/* Another piece of the member that the full job at hand is of. */
static void press_next_piece(struct lsr_press *press)
{
        struct press_part before = *press->at->parts;
        struct press_part *part;

        press_submit(press);
        part = press_add_part(press_job(press));
        part->size = before.size;
        part->saved = before.saved;
        part->whole = before.whole;
        part->last = press->left <= LSR_PRESS_PIECE;
}

int lsr_press_data(struct lsr_press *press, const void *data, size_t n)
{
        const uint8_t *from = data;

        if (n > press->left)
                press->error = press->error ? press->error : -EINVAL;
        while (n > 0 && press->error == 0) {
                struct press_job *job;
                size_t some;

                if (press->at->n == LSR_PRESS_PIECE)
                        press_next_piece(press);
                job = press->at;
                some = LSR_PRESS_PIECE - job->n;
                some = n < some ? n : some;
                memcpy(job->data + job->n, from, some);
                job->n += some;
                job->parts[job->n_parts - 1].n += some;
                from += some;
                n -= some;
                press->left -= some;
                /* The last piece of several is alone in its job as well. */
                if (press->left == 0 && !job->parts->first)
                        press_submit(press);
        }
        return press->error;
}

int lsr_press_finish(struct lsr_press *press)
{
        struct lsr_job *job;

        if (press->left > 0)
                press->error = press->error ? press->error : -EINVAL;
        if (press->error < 0)
                return press->error;
        press_submit(press);
        while ((job = lsr_pool_next(press->pool)))
                press_take(press, (struct press_job *)job);
        return press->error;
}

/* --- life ------------------------------------------------------------------------ */

int lsr_press_new(struct lsr_press **ret_press, const struct lsr_press_user *user, void *ctx, int level,
                  unsigned threads)
{
        struct lsr_press *press;

        level = level == LSR_LEVEL_DEFAULT ? LSR_DEFLATE_LEVEL_DEFAULT : level;
        if (level < LSR_DEFLATE_LEVEL_MIN || level > LSR_DEFLATE_LEVEL_MAX || threads == 0)
                return -EINVAL;
        press = lsr_xmalloc(sizeof(*press) + threads * sizeof(*press->deflaters));
        *press = (struct lsr_press){ .user = user, .ctx = ctx, .n_deflaters = threads };
        /* One at hand, and one that waits for every thread. */
        press->max_jobs = LSR_PRESS_WHOLE + 2 * threads + 1;
        for (unsigned i = 0; i < threads; i++)
                press->deflaters[i] = lsr_deflater_new(level);
        for (unsigned i = 0; i < threads; i++)
                if (!press->deflaters[i]) {
                        lsr_press_free(press);
                        return -ENOMEM;
                }
        press->pool = lsr_pool_new(&(struct lsr_pool_options){ press_work, press, threads, .helps = threads == 1 });
        *ret_press = press;
        return 0;
}

struct lsr_press *lsr_press_free(struct lsr_press *press)
{
        if (!press)
                return NULL;
        lsr_pool_free(press->pool);
        for (struct press_job *job = press->all, *next; job; job = next) {
                next = job->next_of_all;
                free(job->data);
                free(job->packed);
                free(job->heads);
                free(job->parts);
                free(job);
        }
        for (unsigned i = 0; i < press->n_deflaters; i++)
                lsr_deflater_free(press->deflaters[i]);
        free(press);
        return NULL;
}

/* --- streams ------------------------------------------------------------------------ */

bool lsr_press_smaller(const struct lsr_press_piece *pieces, size_t n)
{
        for (size_t i = 0; i < n; i++)
                if (pieces[i].n_packed > 0)
                        return true;
        return false;
}

size_t lsr_press_stream_size(const struct lsr_press_piece *piece)
{
        size_t blocks = (piece->n + LSR_DEFLATE_STORED_MAX - 1) / LSR_DEFLATE_STORED_MAX;

        return piece->n_packed > 0 ? piece->n_packed : piece->n + blocks * LSR_DEFLATE_STORED_BYTES;
}

int lsr_press_stream(const struct lsr_press_piece *piece, bool last, void *ctx,
                     int (*write)(void *ctx, const void *data, size_t n))
{
        uint8_t head[LSR_DEFLATE_STORED_BYTES];
        int r = 0;

        if (piece->n_packed > 0)
                return write(ctx, piece->packed, piece->n_packed);
        for (size_t at = 0, n; r == 0 && at < piece->n; at += n) {
                n = piece->n - at < LSR_DEFLATE_STORED_MAX ? piece->n - at : LSR_DEFLATE_STORED_MAX;
                lsr_deflate_stored(head, n, last && at + n == piece->n);
                r = write(ctx, head, sizeof(head));
                if (r == 0)
                        r = write(ctx, piece->data + at, n);
        }
        return r;
}
