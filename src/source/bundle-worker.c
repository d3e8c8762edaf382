/*
 * bundle-worker - which worker parses a bundle, and how many there are at a time
 *
 * Each file has one of its own, and what is nested in the file has it, too; so whoever made a file that takes its
 * worker over is believed about that file alone.
 */
#include "source/bundle-parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/stdfds.h"
#include "source/remote.h"

bool bundle_is_shut(int error)
{
        return error == -EACCES || error == -EKEYREJECTED || error == -EOPNOTSUPP;
}

static void bundles_trouble(void *ctx, int error, const char *text)
{
        struct lsr_bundles *b = ctx;

        b->heard = true;
        if (!b->current || b->trying || b->stale || (b->looking && bundle_is_shut(error)))
                return;
        if (b->holding) {
                lsr_grow(&b->held, b->n_held, &b->cap_held);
                b->held[b->n_held++] = (struct bundle_held){ error, text ? lsr_xstrdup(text) : NULL };
                return;
        }
        if (error && bundle_tell_written(b->current))
                return;
        b->current->troubled |= error != 0;
        b->o.trouble(b->o.ctx, b->current->path, error, text);
}

void bundle_hear(struct lsr_bundle *bundle, bool say)
{
        struct lsr_bundles *b = bundle->all;

        b->holding = false;
        for (size_t i = 0; i < b->n_held; i++) {
                if (say)
                        bundles_trouble(b, b->held[i].error, b->held[i].text);
                free(b->held[i].text);
        }
        b->n_held = 0;
}

struct lsr_bundle *bundle_outermost(struct lsr_bundle *bundle)
{
        while (bundle->outer)
                bundle = bundle->outer;
        return bundle;
}

struct lsr_worker *bundle_worker(const struct lsr_bundle *bundle)
{
        return bundle_outermost((struct lsr_bundle *)bundle)->worker;
}

/*
 * The worker of @bundle is about to start, and another one ends for it; but what came by a pipe cannot be read again.
 */
static void bundles_end_worker(struct lsr_bundles *b, struct lsr_bundle *bundle)
{
        struct lsr_bundle **place = NULL;

        for (size_t i = 0; i < LSR_BUNDLES_WORKERS_MAX; i++) {
                struct lsr_bundle *other = b->working[i];

                if (!other || other == bundle || !lsr_worker_runs(other->worker)) {
                        place = &b->working[i];
                        break;
                }
                if (strcmp(other->path, "-") != 0 && (!place || other->used < (*place)->used))
                        place = &b->working[i];
        }
        if (*place)
                lsr_worker_end((*place)->worker);
        *place = bundle;
}

struct lsr_worker *bundle_need_worker(struct lsr_bundle *bundle)
{
        struct lsr_bundles *b = bundle->all;

        bundle = bundle_outermost(bundle);
        if (!b->nursery) {
                /* Nor may the socket to the worker be where messages go. */
                lsr_io_count(b->o.io, 1);
                lsr_stdfds_guard();
                b->nursery = lsr_nursery_new();
        }
        if (!bundle->worker)
                bundle->worker = lsr_worker_new(&(struct lsr_worker_options){ .engine = b->o.engine,
                                                                              .nursery = b->nursery,
                                                                              .window_max = lsr_limit(LSR_LIMIT_WINDOW),
                                                                              .encoding = b->o.encoding,
                                                                              .size = bundle->stored,
                                                                              .confine_required = b->o.confine_required,
                                                                              .ctx = b,
                                                                              .trouble = bundles_trouble,
                                                                              .need = bundle_remote_need,
                                                                              .serve = b->o.serve });
        if (!lsr_worker_runs(bundle->worker))
                bundles_end_worker(b, bundle);
        return bundle->worker;
}

/* Of two answers of lsr_bundles_confined() the one that says more. */
static int bundles_confined(int a, int b)
{
        return a < b ? a : b;
}

int lsr_bundles_confined(const struct lsr_bundles *b)
{
        int confined = b->confined;

        for (const struct lsr_bundle *bundle = b->all; bundle; bundle = bundle->next)
                if (bundle->worker)
                        confined = bundles_confined(confined, lsr_worker_confined(bundle->worker));
        return confined;
}

void lsr_bundles_stats(struct lsr_bundles *b, struct lsr_io_stats *sum)
{
        lsr_io_stats_add(sum, &b->stats);
        for (const struct lsr_bundle *bundle = b->all; bundle; bundle = bundle->next)
                if (bundle->worker)
                        lsr_worker_stats(bundle->worker, sum);
}

void bundle_free_worker(struct lsr_bundle *bundle)
{
        struct lsr_bundles *b = bundle->all;

        if (bundle->worker) {
                lsr_worker_stats(bundle->worker, &b->stats);
                b->confined = bundles_confined(b->confined, lsr_worker_confined(bundle->worker));
                lsr_worker_free(bundle->worker);
                for (size_t i = 0; i < LSR_BUNDLES_WORKERS_MAX; i++)
                        if (b->working[i] == bundle)
                                b->working[i] = NULL;
        }
}
