/*
 * bundle-inner - a bundle inside a bundle
 *
 * It is a range of the outer file where its content lies there as it is.  Otherwise
 * the worker reads it out, and it is spooled.
 */
#include "source/bundle-parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/limits.h"
#include "source/spool.h"

struct bundle_extent {
        const struct lsr_member *m;
        uint64_t offset;
        uint64_t size;
};

static int bundle_find_extent(struct lsr_bundle *bundle, void *ctx)
{
        struct bundle_extent *x = ctx;

        return lsr_worker_extent(bundle_worker(bundle), bundle->id, x->m, &x->offset, &x->size);
}

/* May @n more bytes be copied to see whether members are bundles?  That not all of them are looked at is said once. */
static bool bundle_may_look(struct lsr_bundle *outermost, uint64_t n)
{
        uint64_t most =
                outermost->stored == LSR_INPUT_UNKNOWN
                        ? lsr_limit(LSR_LIMIT_LOOKED)
                        : lsr_limit_in_proportion(LSR_LIMIT_LOOKED, LSR_LIMIT_LOOKED_PER_BYTE, outermost->stored);

        if (n <= most && outermost->looked <= most - n) {
                outermost->looked += n;
                return true;
        }
        outermost->looked = most;
        if (!outermost->looked_all)
                bundle_say_limit(outermost, LSR_LIMIT_LOOKED,
                                 "further members are not looked into: %s were copied for it%s");
        outermost->looked_all = true;
        return false;
}

/* A member is spooled, unless it turns out to be none that is worth it. */
struct bundle_look {
        struct lsr_bundle *outermost; /* NULL: whatever it is it has to be spooled */
        struct lsr_spool spool;
        bool large;  /* it is known to be, */
        bool looked; /* its beginning was looked at, */
        bool is_one; /* and is that of a bundle */
};

/* -ECANCELED: it is no bundle, or only its end would tell. */
static int bundle_look(struct bundle_look *l)
{
        const struct lsr_spool *s = &l->spool;

        if (!l->looked && s->size >= LSR_PROBE_BYTES) {
                struct lsr_probe p = { .size = LSR_INPUT_UNKNOWN };
                uint8_t *head = lsr_xmalloc(LSR_PROBE_BYTES);
                ssize_t got = pread(s->fd, head, LSR_PROBE_BYTES, 0);

                p.head = head;
                p.head_len = got > 0 ? (size_t)got : 0;
                l->is_one = lsr_plausible(&p);
                l->looked = true;
                free(head);
        }
        return l->looked && !l->is_one && (l->large || s->size > lsr_limit(LSR_LIMIT_LOOK)) ? -ECANCELED : 0;
}

static int bundle_look_write(void *ctx, const void *data, size_t n)
{
        struct bundle_look *l = ctx;
        int r = l->outermost && !bundle_may_look(l->outermost, n) ? -ECANCELED : lsr_spool_write(&l->spool, data, n);

        return r < 0 ? r : bundle_look(l);
}

static int bundle_look_hole(void *ctx, uint64_t n)
{
        struct bundle_look *l = ctx;
        uint64_t head = l->spool.size < LSR_PROBE_BYTES ? LSR_PROBE_BYTES - l->spool.size : 0;
        int r;

        if (head > n)
                head = n;
        r = lsr_spool_hole(&l->spool, head);
        if (r == 0)
                r = bundle_look(l);
        if (r == 0)
                r = lsr_spool_hole(&l->spool, n - head);
        return r < 0 ? r : bundle_look(l);
}

int bundle_place_inner(struct lsr_bundle *inner, bool whole)
{
        struct lsr_bundle *outer = inner->outer;
        const struct lsr_place place = { outer, inner->outer_catalogue, inner->outer_row };
        struct bundle_look look = { whole ? NULL : bundle_outermost(outer), .looked = whole, .is_one = whole };
        struct lsr_member m;
        char *path = bundle_whole_member(place.catalogue, place.row, &m);
        struct bundle_extent x = { .m = &m };
        int r = outer->size == LSR_INPUT_UNKNOWN || outer->filtered ? 1 : bundle_retry(outer, bundle_find_extent, &x);

        free(path);
        if (r == 0 && (x.offset > outer->size || x.size > outer->size - x.offset))
                return -EBADMSG;
        if (r == 0) {
                inner->fd = outer->fd;
                inner->offset = outer->offset + x.offset;
                inner->size = x.size;
                return 0;
        }
        if (r < 0)
                return r;
        if (look.outermost && !bundle_may_look(look.outermost, 1))
                return 1;
        look.large = (m.meta.known & LSR_FIELD_SIZE) && m.meta.size > lsr_limit(LSR_LIMIT_LOOK);
        r = lsr_bundle_read(&place, &(struct lsr_sink){ &look, bundle_look_write, bundle_look_hole });
        if (r == -ECANCELED || (outer->all->looking && bundle_is_shut(r))) {
                lsr_spool_drop(&look.spool);
                return 1;
        }
        return bundle_use_spool(inner, &look.spool, r);
}

/* It lies in so many others that it is not looked into, if it is a bundle at all. */
static int bundle_too_deep(struct lsr_bundle *bundle)
{
        bool database;

        if (!bundle_plausible(bundle, &database))
                return 1;
        bundle_say_limit(bundle, LSR_LIMIT_NESTING, "it is not looked into, as it lies in %s bundles%s");
        return LSR_LIMIT_EXCEEDED;
}

int lsr_bundle_open_inner(const struct lsr_place *place, bool whole, struct lsr_bundle **ret_bundle)
{
        struct lsr_bundle *outer = place->bundle, *bundle;
        size_t outer_len = strlen(outer->path), len = lsr_catalogue_path(place->catalogue, place->row, NULL, 0);
        bool known;
        char *path;
        int r;

        path = lsr_xmalloc(outer_len + len + 2);
        memcpy(path, outer->path, outer_len);
        path[outer_len] = '/';
        lsr_catalogue_path(place->catalogue, place->row, path + outer_len + 1, len + 1);
        bundle = bundles_find(outer->all, path);
        known = bundle;
        if (known) {
                free(path);
        } else {
                bundle_touch(outer);
                bundles_make_room(outer->all);
                bundle = bundle_new(outer->all, path);
        }
        /* Of two catalogues that it was found in, the one that is looked at. */
        bundle->outer = outer;
        bundle->outer_catalogue = place->catalogue;
        bundle->outer_row = place->row;
        bundle->depth = outer->depth + 1;
        r = known ? 0 : bundle_place_inner(bundle, whole);
        if (r == 0 && !known)
                r = bundle->depth >= lsr_limit(LSR_LIMIT_NESTING) ? bundle_too_deep(bundle) : bundle_recognise(bundle);
        if (r == 0)
                *ret_bundle = known ? bundle : bundle_keep(bundle);
        else
                bundle_free(bundle);
        return r;
}
