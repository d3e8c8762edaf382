/*
 * bundle - from a path to a catalogue
 *
 *      path ─► open ─► plausible? ─► index cache ─► worker: open, scan ─► catalogue
 *                                        └──────────── hit ──────────────────▲
 *
 * Everything behind the cache happens in a worker.  That may die, or be ended for
 * another one, as few run at a time: then -ESTALE comes, and the bundle is handed
 * over again.
 *
 * Descriptors are few and bundles may be many, so all but the last ones used are
 * parked: both processes close theirs, and the catalogue stays.
 */
#include "source/bundle-parts.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/limits.h"
#include "remote/client.h"
#include "remote/url.h"
#include "source/cache.h"
#include "source/remote.h"
#include "source/spool.h"

#define BUNDLE_PIPE_READ ((size_t)256 << 10)
#define BUNDLE_TRIES 2 /* of a request, as the worker may have died since the last one */

uint64_t lsr_bundle_members(const struct lsr_bundle *b)
{
        /* A database was listed as far as anybody went. */
        if (strcmp(b->format, "sqlite") == 0)
                return UINT64_MAX;
        if (b->catalogue == b->some)
                return b->members > 0 ? b->members : UINT64_MAX;
        return lsr_catalogue_members(b->catalogue);
}

void lsr_bundles_look(struct lsr_bundles *b, bool looking)
{
        b->looking = looking;
}

struct lsr_bundles *lsr_bundles_new(const struct lsr_bundles_options *options)
{
        struct lsr_bundles *b = lsr_xmalloc(sizeof(*b));

        *b = (struct lsr_bundles){ .o = *options, .confined = 1 };
        return b;
}

void bundle_free(struct lsr_bundle *bundle)
{
        bundle_free_worker(bundle);
        bundle_close(bundle);
        bundle->remote = bundle_remote_free(bundle);
        if (bundle->some != bundle->catalogue)
                lsr_catalogue_free(bundle->some);
        lsr_catalogue_free(bundle->catalogue);
        free(bundle->asked);
        free(bundle->asked_text);
        free(bundle->shown);
        free(bundle->path);
        free(bundle);
}

struct lsr_bundles *lsr_bundles_free(struct lsr_bundles *b)
{
        if (!b)
                return NULL;
        while (b->all) {
                struct lsr_bundle *next = b->all->next;

                bundle_free(b->all);
                b->all = next;
        }
        lsr_nursery_free(b->nursery);
        if (b->remote)
                lsr_remote_stop(b->remote);
        free(b->remote);
        free(b->expected);
        free(b->held);
        free(b);
        return NULL;
}

struct lsr_io *lsr_bundles_io(struct lsr_bundles *b)
{
        return b->o.io;
}

struct lsr_bundle *bundle_new(struct lsr_bundles *b, char *path)
{
        struct lsr_bundle *bundle = lsr_xmalloc(sizeof(*bundle));

        *bundle = (struct lsr_bundle){ .path = path, .all = b, .fd = -1, .size = LSR_INPUT_UNKNOWN };
        for (size_t i = 0; i < LSR_COMPANIONS; i++)
                bundle->companions[i] = -1;
        return bundle;
}

struct lsr_bundle *bundle_keep(struct lsr_bundle *bundle)
{
        bundle->next = bundle->all->all;
        bundle->all->all = bundle;
        return bundle;
}

struct lsr_bundle *bundles_find(struct lsr_bundles *b, const char *path)
{
        for (struct lsr_bundle *bundle = b->all; bundle; bundle = bundle->next)
                if (strcmp(bundle->path, path) == 0)
                        return bundle;
        return NULL;
}

/* --- bundles that are open, and others ---------------------------------------------- */

static void bundle_park(struct lsr_bundle *bundle)
{
        /* Those that lie in it as they are borrow its descriptor. */
        for (struct lsr_bundle *inner = bundle->all->all; inner; inner = inner->next)
                if (inner->outer == bundle && inner->fd >= 0 && !inner->fd_owned)
                        bundle_park(inner);
        if (bundle->handed)
                lsr_worker_close(bundle_worker(bundle), bundle->id);
        bundle->handed = false;
        bundle_close(bundle);
}

/* How many are open at a time, where @n are.  Where descriptors are very few, as many as lie in each other. */
static unsigned bundles_open_max(struct lsr_bundles *b, unsigned n)
{
        struct rlimit files;

        if (n < LSR_BUNDLES_OPEN_MIN)
                return LSR_BUNDLES_OPEN_MIN;
        if (!b->open_max)
                b->open_max = getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < LSR_BUNDLES_FILES_MIN
                                      ? LSR_BUNDLES_OPEN_MIN
                                      : LSR_BUNDLES_OPEN_MAX;
        return b->open_max;
}

void bundles_make_room(struct lsr_bundles *b)
{
        struct lsr_bundle *oldest = NULL;
        unsigned n = 0;

        for (struct lsr_bundle *bundle = b->all; bundle; bundle = bundle->next) {
                if (bundle->fd < 0 || strcmp(bundle->path, "-") == 0)
                        continue;
                n++;
                if (!oldest || bundle->used < oldest->used)
                        oldest = bundle;
        }
        if (n >= bundles_open_max(b, n))
                bundle_park(oldest);
}

void bundle_touch(struct lsr_bundle *bundle)
{
        do
                bundle->used = ++bundle->all->tick;
        while ((bundle = bundle->outer));
}

/* Has nothing been written between @a and @b? */
static bool bundle_same_content(const struct lsr_meta *a, const struct lsr_meta *b)
{
        return a->dev == b->dev && a->inode == b->inode && a->size == b->size &&
               a->sec[LSR_MTIME] == b->sec[LSR_MTIME] && a->nsec[LSR_MTIME] == b->nsec[LSR_MTIME];
}

bool bundle_is_written(const struct lsr_bundle *bundle)
{
        struct lsr_meta now;
        struct statx stx;

        if (!bundle->database || bundle->fd < 0)
                return false;
        lsr_io_count(bundle->all->o.io, 1);
        if (statx(bundle->fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &stx) < 0)
                return false;
        lsr_meta_from_statx(&now, &stx);
        return !bundle_same_content(&bundle->meta, &now);
}

bool bundle_tell_written(struct lsr_bundle *bundle)
{
        if (!bundle_is_written(bundle))
                return false;
        if (!bundle->written)
                bundle->all->o.trouble(bundle->all->o.ctx, bundle->path, -ESTALE,
                                       "it was changed while it was read; run lsr again");
        return bundle->written = bundle->troubled = true;
}

int bundle_open_again(struct lsr_bundle *bundle)
{
        int r;

        bundle_park(bundle);
        bundles_make_room(bundle->all);
        r = bundle_open_file(bundle);
        if (r == 0)
                r = bundle_open_companions(bundle);
        if (r != 0)
                bundle_close(bundle);
        bundle->stored = bundle->size;
        return r == 1 ? -ESTALE : r;
}

/* Make sure that it is not parked.  -ESTALE: it is not the file that it was. */
static int bundle_unpark(struct lsr_bundle *bundle)
{
        const struct lsr_meta was = bundle->meta;
        int r;

        if (bundle->fd >= 0)
                return 0;
        bundles_make_room(bundle->all);
        if (bundle->outer)
                return bundle_place_inner(bundle, true);
        r = bundle_open_file(bundle);
        if (r == 0 && !bundle_same_content(&was, &bundle->meta))
                r = -ESTALE;
        if (r == 0 && bundle->database)
                r = bundle_open_companions(bundle);
        if (r != 0)
                bundle_close(bundle);
        return r == 1 ? -ESTALE : r;
}

/* --- what the worker is asked -------------------------------------------------------- */

/* The request to the worker that hands @bundle over. */
static int bundle_ask(struct lsr_bundle *bundle, struct lsr_worker_bundle *ret_bundle, uint8_t **ret_head,
                      size_t *ret_head_len)
{
        struct lsr_worker_file file = {
                .fd = bundle->fd, .offset = bundle->offset, .size = bundle->size, .far = bundle_is_far(bundle)
        };

        memcpy(file.companions, bundle->companions, sizeof(file.companions));
        if (file.far)
                file.bitmap = bundle_remote_bitmap(bundle);
        bundle->all->current = bundle;
        return lsr_worker_open(bundle_need_worker(bundle), &file, ret_bundle, ret_head, ret_head_len);
}

void bundle_say_limit(struct lsr_bundle *bundle, enum lsr_limit limit, const char *format)
{
        const struct lsr_bundles_options *o = &bundle->all->o;
        char text[160], value[32];

        snprintf(text, sizeof(text), format, lsr_limit_text(limit, value), lsr_limit_raised(limit));
        o->trouble(o->ctx, bundle->path, -E2BIG, text);
}

static int bundle_spool_write(void *ctx, const void *data, size_t n)
{
        return lsr_spool_write(ctx, data, n);
}

static int bundle_spool_hole(void *ctx, uint64_t n)
{
        return lsr_spool_hole(ctx, n);
}

int bundle_use_spool(struct lsr_bundle *bundle, struct lsr_spool *spool, int r)
{
        if (r == LSR_LIMIT_EXCEEDED)
                bundle_say_limit(bundle, LSR_LIMIT_SPOOL,
                                 "it cannot be read at random, and a copy takes more than %s%s");
        if (r == 0)
                r = lsr_spool_finish(spool);
        if (r < 0) {
                lsr_spool_drop(spool);
                return r;
        }
        if (bundle->fd_owned)
                close(bundle->fd);
        bundle->fd = spool->fd;
        bundle->fd_owned = true;
        bundle->offset = 0;
        bundle->size = spool->size;
        return 0;
}

/* Its format needs random access, which there is none behind a filter: spool what the filters make of it. */
static int bundle_spool_unpacked(struct lsr_bundle *bundle, const struct lsr_worker_bundle *got)
{
        struct lsr_worker *w = bundle_worker(bundle);
        struct lsr_spool spool = {};
        const struct lsr_member all = { .path = "" };
        int r = lsr_worker_read(w, got->id, &all, &(struct lsr_sink){ &spool, bundle_spool_write, bundle_spool_hole });

        lsr_worker_close(w, got->id);
        /* Cut off or damaged, as was said: what came before is worth a look. */
        if (r == -EBADMSG && bundle->troubled)
                r = 0;
        return bundle_use_spool(bundle, &spool, r);
}

/* Spool what is in @head and everything else that comes from the pipe. */
static int bundle_spool_pipe(struct lsr_bundle *bundle, const uint8_t *head, size_t head_len)
{
        struct lsr_spool spool = {};
        uint8_t *buf = lsr_xmalloc(BUNDLE_PIPE_READ);
        int r = lsr_spool_write(&spool, head, head_len);

        while (r == 0) {
                ssize_t n = read(bundle->fd, buf, BUNDLE_PIPE_READ);

                if (n == 0)
                        break;
                if (n > 0)
                        r = lsr_spool_write(&spool, buf, (size_t)n);
                else if (errno != EINTR)
                        r = -errno;
        }
        free(buf);
        return bundle_use_spool(bundle, &spool, r);
}

/* Make sure that the worker knows it.  0; 1: it is no bundle; a negative errno. */
static int bundle_hand_over(struct lsr_bundle *bundle)
{
        struct lsr_worker_bundle got;
        uint8_t *head = NULL;
        size_t head_len = 0;
        int r;

        bundle_touch(bundle);
        if (bundle->handed)
                return 0;
        r = bundle_unpark(bundle);
        if (r < 0)
                return r;
        r = bundle_ask(bundle, &got, &head, &head_len);
        if (r == 2) {
                r = bundle_spool_pipe(bundle, head, head_len);
                free(head);
                head = NULL;
                if (r == 0)
                        r = bundle_ask(bundle, &got, &head, &head_len);
        } else if (r == 3) {
                memcpy(bundle->filters, got.filters, sizeof(bundle->filters));
                r = bundle_spool_unpacked(bundle, &got);
                if (r == 0)
                        r = bundle_ask(bundle, &got, &head, &head_len);
        }
        free(head);
        /* A copy can be read at random: a worker that wants another one lies. */
        if (r > 1)
                return -EPROTO;
        if (r != 0)
                return r;
        bundle->handed = true;
        bundle->id = got.id;
        bundle->filtered = got.filtered;
        memcpy(bundle->format, got.format, sizeof(bundle->format));
        if (got.filtered)
                memcpy(bundle->filters, got.filters, sizeof(bundle->filters));
        return 0;
}

static bool bundle_cached(struct lsr_bundle *bundle)
{
        struct lsr_cache_entry entry;

        if (bundle->remote)
                return bundle_remote_cached(bundle);
        if (!bundle->all->o.cache || bundle->outer || !lsr_cache_get(&bundle->meta, &entry))
                return false;
        /* Of files of one name it knows the last, and --cat takes the first, whether it was listed before or not. */
        if (bundle->all->wanted.content && strcmp(entry.format, "tar") == 0) {
                lsr_catalogue_free(entry.catalogue);
                return false;
        }
        memcpy(bundle->format, entry.format, sizeof(bundle->format));
        memcpy(bundle->filters, entry.filters, sizeof(bundle->filters));
        bundle->filtered = true;
        bundle->catalogue = entry.catalogue;
        bundle->cached = bundle->loaded = true;
        return true;
}

void bundle_remember(const struct lsr_bundle *bundle)
{
        struct lsr_cache_entry entry = { .catalogue = bundle->catalogue };

        assert(bundle->catalogue != bundle->some);
        if (bundle->remote && bundle->all->o.cache)
                bundle_remote_remember(bundle);
        if (!bundle->all->o.cache || bundle->outer || bundle->remote || !bundle->filtered || bundle->troubled ||
            bundle->claimed)
                return;
        memcpy(entry.format, bundle->format, sizeof(entry.format));
        memcpy(entry.filters, bundle->filters, sizeof(entry.filters));
        lsr_cache_put(&bundle->meta, &entry);
}

int bundle_recognise(struct lsr_bundle *bundle)
{
        bool database;

        if (bundle->size == LSR_INPUT_UNKNOWN && bundle->all->o.keep_pipes) {
                int r = bundle_spool_pipe(bundle, NULL, 0);

                if (r < 0)
                        return r;
        }
        bundle->stored = bundle->size;
        if (bundle->size == LSR_INPUT_UNKNOWN)
                return bundle_hand_over(bundle);
        if (bundle_cached(bundle))
                return 0;
        if (!bundle_plausible(bundle, &database))
                return bundle->look_error < 0 && bundle->all->o.must_read ? bundle->look_error : 1;
        bundle->database = database && !bundle->outer && !bundle->remote && strcmp(bundle->path, "-") != 0;
        bundle->load_error = bundle->database ? bundle_open_companions(bundle) : 0;
        bundle->loaded = bundle->load_error < 0;
        return bundle->loaded ? 0 : bundle_hand_over(bundle);
}

/* There is no file to list instead. */
static void bundle_no_stdin(struct lsr_bundle *bundle)
{
        if (!bundle->troubled)
                bundle->all->o.trouble(bundle->all->o.ctx, bundle->path, -EINVAL, "standard input is not a bundle");
}

int lsr_bundle_open(struct lsr_bundles *b, const char *path, struct lsr_bundle **ret_bundle)
{
        struct lsr_bundle *bundle = bundles_find(b, path);
        int r;

        if (bundle) {
                *ret_bundle = bundle;
                return 0;
        }
        bundles_make_room(b);
        bundle = bundle_new(b, lsr_xstrdup(path));
        r = bundle_open_file(bundle);
        if (r == 0)
                r = bundle_recognise(bundle);
        if (r == 1 && strcmp(path, "-") == 0)
                bundle_no_stdin(bundle);
        if (r == 0)
                *ret_bundle = bundle_keep(bundle);
        else
                bundle_free(bundle);
        return r;
}

/* The one of @url that is open, or was, and where its name ends. */
static struct lsr_bundle *bundles_find_url(struct lsr_bundles *b, const char *url, uint32_t *ret_end)
{
        uint32_t ends[LSR_URL_CANDIDATES];
        unsigned n = bundle_remote_candidates(url, ends);
        struct lsr_bundle *bundle = NULL;

        for (unsigned i = 0; i < n && !bundle; i++) {
                lsr_autofree char *path = lsr_xstrndup(url, ends[i]);

                bundle = bundles_find(b, path);
                *ret_end = ends[i];
        }
        return bundle;
}

/* What lies at a beginning of @url, which is longer than @after.  As bundle_recognise(). */
static int bundle_open_candidate(struct lsr_bundles *b, const char *url, uint32_t after, struct lsr_bundle **ret_bundle,
                                 uint32_t *ret_end)
{
        struct lsr_bundle *bundle;
        int r;

        bundles_make_room(b);
        *ret_bundle = bundle = bundle_new(b, lsr_xstrdup(url));
        r = bundle_remote_open(bundle, after, ret_end);
        return r == 0 ? bundle_recognise(bundle) : r;
}

/* A web server shows a page for a directory that has the name of a bundle: is there one in it?  Nothing is said. */
static struct lsr_bundle *bundle_open_longer(struct lsr_bundles *b, const char *url, uint32_t *end)
{
        struct lsr_bundle *bundle;
        uint32_t longer;
        int r;

        b->trying = true;
        r = bundle_open_candidate(b, url, *end, &bundle, &longer);
        b->trying = false;
        if (r == 0) {
                *end = longer;
                return bundle;
        }
        bundle_free(bundle);
        return NULL;
}

int lsr_bundle_open_url(struct lsr_bundles *b, const char *url, struct lsr_bundle **ret_bundle, uint32_t *ret_end)
{
        struct lsr_bundle *bundle = bundles_find_url(b, url, ret_end);
        int r;

        if (bundle) {
                *ret_bundle = bundle;
                return 0;
        }
        r = bundle_open_candidate(b, url, 0, &bundle, ret_end);
        if (r == 1) {
                struct lsr_bundle *longer = bundle_open_longer(b, url, ret_end);

                if (longer) {
                        bundle_free(bundle);
                        bundle = longer;
                        r = 0;
                }
        }
        if (r == 1 || (r < 0 && !bundle->troubled))
                r = bundle_remote_refuse(bundle);
        if (r == 0)
                *ret_bundle = bundle_keep(bundle);
        else
                bundle_free(bundle);
        return r;
}

bool lsr_bundles_anew(struct lsr_bundles *b)
{
        b->again = lsr_take(&b->stale, false);
        for (struct lsr_bundle *bundle = b->all; bundle && b->again; bundle = bundle->next)
                if (bundle->remote && bundle_remote_is_stale(bundle)) {
                        bundle_park(bundle);
                        bundle->path[0] = '\0';
                }
        return b->again;
}

int bundle_retry(struct lsr_bundle *bundle, int (*op)(struct lsr_bundle *bundle, void *ctx), void *ctx)
{
        int r = -ESTALE;

        for (unsigned i = 0; i < BUNDLE_TRIES && r == -ESTALE; i++) {
                r = bundle_hand_over(bundle);
                if (r == 1)
                        return -ESTALE; /* it was one before: the file changed */
                if (r < 0)
                        return r;
                bundle->all->current = bundle;
                r = op(bundle, ctx);
                if (r == -ESTALE || r == -EPIPE)
                        bundle->handed = false;
        }
        /* What came may be of two times, even if all of it could be read. */
        if (bundle->database && !bundle->all->holding)
                bundle_tell_written(bundle);
        return r;
}
