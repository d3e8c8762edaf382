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
 *
 * A bundle inside a bundle is a range of the outer file where its content lies
 * there as it is.  Otherwise the worker reads it out, and it is spooled.
 */
#include "source/bundle-parts.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
#define BUNDLE_ROOM_MIN ((uint64_t)1 << 20) /* a catalogue of less is not tried, bytes */
#define BUNDLE_TRIES 2                      /* of a request, as the worker may have died since the last one */

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

static void bundle_free(struct lsr_bundle *bundle)
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
        free(b);
        return NULL;
}

struct lsr_io *lsr_bundles_io(struct lsr_bundles *b)
{
        return b->o.io;
}

static struct lsr_bundle *bundle_new(struct lsr_bundles *b, char *path)
{
        struct lsr_bundle *bundle = lsr_xmalloc(sizeof(*bundle));

        *bundle = (struct lsr_bundle){ .path = path, .all = b, .fd = -1, .size = LSR_INPUT_UNKNOWN };
        for (size_t i = 0; i < LSR_COMPANIONS; i++)
                bundle->companions[i] = -1;
        return bundle;
}

static struct lsr_bundle *bundle_keep(struct lsr_bundle *bundle)
{
        bundle->next = bundle->all->all;
        bundle->all->all = bundle;
        return bundle;
}

static struct lsr_bundle *bundles_find(struct lsr_bundles *b, const char *path)
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

/* Another bundle is about to be opened.  Standard input stays: there is no way back to it. */
static void bundles_make_room(struct lsr_bundles *b)
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
        if (n >= LSR_BUNDLES_OPEN_MAX)
                bundle_park(oldest);
}

/* It and what it lies in are the last that will be parked. */
static void bundle_touch(struct lsr_bundle *bundle)
{
        for (; bundle; bundle = bundle->outer)
                bundle->used = ++bundle->all->tick;
}

static int bundle_place_inner(struct lsr_bundle *inner, bool whole);

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
        if (r == 0 &&
            (was.dev != bundle->meta.dev || was.inode != bundle->meta.inode || was.size != bundle->meta.size ||
             was.sec[LSR_MTIME] != bundle->meta.sec[LSR_MTIME] || was.nsec[LSR_MTIME] != bundle->meta.nsec[LSR_MTIME]))
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

/* @format: with the limit, and by what it is raised. */
__attribute__((format(printf, 3, 0))) static void bundle_say_limit(struct lsr_bundle *bundle, enum lsr_limit limit,
                                                                   const char *format)
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

/* From now on the bundle's bytes are those of @spool; with @r an error, there are none. */
static int bundle_use_spool(struct lsr_bundle *bundle, struct lsr_spool *spool, int r)
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

static void bundle_remember(const struct lsr_bundle *bundle)
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

/* The open file behind @bundle->fd: 0; 1: it is no bundle; a negative errno. */
static int bundle_recognise(struct lsr_bundle *bundle)
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
                return 1;
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
                lsr_autofree char *path = strndup(url, ends[i]);

                bundle = bundles_find(b, path);
                *ret_end = ends[i];
        }
        return bundle;
}

int lsr_bundle_open_url(struct lsr_bundles *b, const char *url, struct lsr_bundle **ret_bundle, uint32_t *ret_end)
{
        struct lsr_bundle *bundle = bundles_find_url(b, url, ret_end);
        int r;

        if (bundle) {
                *ret_bundle = bundle;
                return 0;
        }
        bundles_make_room(b);
        bundle = bundle_new(b, lsr_xstrdup(url));
        r = bundle_remote_open(bundle, ret_end);
        if (r == 0)
                r = bundle_recognise(bundle);
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
        return r;
}

/* What the catalogue of one more bundle may take. */
static uint64_t bundle_room(struct lsr_bundle *bundle)
{
        const struct lsr_bundle *outermost = bundle_outermost(bundle);
        uint64_t room = lsr_limit(LSR_LIMIT_ROWS_PIPE);

        /*
         * A file without content takes about 100, and may be little more than one byte of a .tar.xz; a column of a row
         * of a database takes as much, and may be one byte, too.
         */
        if (outermost->stored != LSR_INPUT_UNKNOWN)
                room = lsr_limit_in_proportion(LSR_LIMIT_ROWS, LSR_LIMIT_ROWS_PER_BYTE, outermost->stored);
        return room > outermost->taken ? room - outermost->taken : 0;
}

/* --- what is asked of a bundle ---------------------------------------------------------- */

static int bundle_compare_paths(const void *a, const void *b)
{
        return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void lsr_bundles_expect(struct lsr_bundles *b, const struct lsr_wanted *wanted)
{
        assert(b->wanted.n == 0 && wanted->n > 0);
        b->wanted = *wanted;
}

bool lsr_bundles_list(const struct lsr_bundles *b)
{
        return b->wanted.n == 0 || b->wanted.depth > 0;
}

/* The first path expected that is not before @path followed by @c. */
static size_t bundle_expected_from(const struct lsr_bundles *b, const char *path, char c)
{
        size_t len = strlen(path), low = 0, high = b->wanted.n;

        while (low < high) {
                size_t middle = low + (high - low) / 2;
                int r = strncmp(b->expected[middle], path, len);

                if (r < 0 || (r == 0 && (unsigned char)b->expected[middle][len] < (unsigned char)c))
                        low = middle + 1;
                else
                        high = middle;
        }
        return low;
}

/* Sorted, each once. */
static void bundle_ask_once(struct lsr_bundle *bundle, size_t n)
{
        size_t kept = 0;

        qsort(bundle->asked, n, sizeof(*bundle->asked), bundle_compare_paths);
        for (size_t i = 0; i < n; i++)
                if (i == 0 || strcmp(bundle->asked[i], bundle->asked[kept - 1]) != 0)
                        bundle->asked[kept++] = bundle->asked[i];
        bundle->n_asked = kept;
}

/* The same for what lies on a server: URLs have other signs for what is in a path. */
static void bundle_gather_urls(struct lsr_bundle *bundle, const char *path)
{
        const struct lsr_wanted *wanted = &bundle->all->wanted;
        size_t len = strlen(bundle->path), size = strlen(path) + 1, n = 0;
        char *to;

        for (size_t i = 0; i < wanted->n; i++)
                size += strlen(wanted->paths[i]) + 1;
        bundle->asked = lsr_xmalloc((wanted->n + 1) * sizeof(*bundle->asked));
        bundle->asked_text = lsr_xmalloc(size);
        bundle->asked[n++] = bundle->asked_text;
        to = stpcpy(bundle->asked_text, path) + 1;
        for (size_t i = 0; i < wanted->n; i++) {
                const char *url = wanted->paths[i];
                lsr_autofree char *inner = NULL;

                if (strncmp(url, bundle->path, len) != 0 || !strchr("/#", url[len]))
                        continue;
                inner = lsr_url_inner(url, (uint32_t)len);
                if (!inner)
                        continue;
                bundle->asked[n++] = to;
                to = stpcpy(to, inner) + 1;
        }
        bundle_ask_once(bundle, n);
}

/* The questions for it: @path, and what is expected of paths through it. */
static void bundle_gather(struct lsr_bundle *bundle, const char *path)
{
        struct lsr_bundles *b = bundle->all;
        size_t len = strlen(bundle->path), size = b->wanted.n * sizeof(*b->expected), n = 0;
        size_t exact, first, end;

        if (!b->expected) {
                b->expected = memcpy(lsr_xmalloc(size), b->wanted.paths, size);
                qsort(b->expected, b->wanted.n, sizeof(*b->expected), bundle_compare_paths);
        }
        exact = bundle_expected_from(b, bundle->path, '\0');
        first = bundle_expected_from(b, bundle->path, '/');
        end = bundle_expected_from(b, bundle->path, '/' + 1);
        bundle->asked_text = lsr_xstrdup(path);
        bundle->asked = lsr_xmalloc((end - first + 2) * sizeof(*bundle->asked));
        bundle->asked[n++] = bundle->asked_text;
        if (exact < b->wanted.n && strcmp(b->expected[exact], bundle->path) == 0)
                bundle->asked[n++] = "";
        for (size_t i = first; i < end; i++)
                bundle->asked[n++] = b->expected[i] + len + strspn(b->expected[i] + len, "/");
        bundle_ask_once(bundle, n);
}

static bool bundle_answers(const struct lsr_bundle *bundle, const char *path)
{
        return bsearch(&path, bundle->asked, bundle->n_asked, sizeof(*bundle->asked), bundle_compare_paths);
}

struct bundle_scan {
        const struct lsr_wanted *wanted; /* NULL: all */
        uint64_t room;
        struct lsr_worker_answer answer;
};

static int bundle_ask_scan(struct lsr_bundle *bundle, void *ctx)
{
        struct bundle_scan *scan = ctx;

        return lsr_worker_scan(bundle_worker(bundle), bundle->id, scan->wanted, &scan->room, &scan->answer);
}

/* From now on it is what @answer says. */
static void bundle_take(struct lsr_bundle *bundle, const struct lsr_worker_answer *answer)
{
        bundle->catalogue = answer->catalogue;
        bundle->members = answer->members;
        bundle->claimed = answer->claimed;
        bundle_outermost(bundle)->taken += lsr_catalogue_size(answer->catalogue);
        if (answer->some)
                bundle->some = answer->catalogue;
        else
                bundle_remember(bundle);
}

/* @wanted: what that takes will do. */
static int bundle_load(struct lsr_bundle *bundle, const struct lsr_wanted *wanted)
{
        struct bundle_scan scan = { .wanted = wanted, .room = bundle_room(bundle) };
        int r;

        if (bundle->loaded)
                return bundle->load_error;
        assert(!wanted || !bundle->some);
        /* Where memory is short, what fits of it. */
        do
                r = bundle_retry(bundle, bundle_ask_scan, &scan);
        while (r == -ENOMEM && scan.room >= BUNDLE_ROOM_MIN && bundle->size != LSR_INPUT_UNKNOWN);
        bundle->loaded = r < 0 || !scan.answer.some;
        bundle->load_error = r;
        if (r == 0)
                bundle_take(bundle, &scan.answer);
        else if (!bundle->troubled)
                bundle->all->o.trouble(bundle->all->o.ctx, bundle->path, r, NULL);
        return r;
}

int lsr_bundle_load(struct lsr_bundle *bundle)
{
        return bundle_load(bundle, NULL);
}

bool lsr_bundle_streams(const struct lsr_bundle *bundle)
{
        return !bundle->loaded && bundle->filtered && bundle->size != LSR_INPUT_UNKNOWN &&
               strcmp(bundle->format, "tar") == 0;
}

struct bundle_stream {
        bool busy;
        int (*member)(void *ctx, const struct lsr_member *m);
        const struct lsr_sink *content;
        uint64_t room;
        struct lsr_worker_answer answer;
};

static int bundle_ask_stream(struct lsr_bundle *bundle, void *ctx)
{
        struct bundle_stream *s = ctx;

        return lsr_worker_stream(bundle_worker(bundle), bundle->id, &s->room, s->busy, s->member, s->content,
                                 &s->answer);
}

int lsr_bundle_stream(struct lsr_bundle *bundle, bool busy, int (*member)(void *ctx, const struct lsr_member *m),
                      const struct lsr_sink *content)
{
        struct lsr_bundles *b = bundle->all;
        struct bundle_stream stream = { busy, member, content, bundle_room(bundle), {} };
        int r;

        if (!lsr_bundle_streams(bundle))
                return 1;
        b->heard = false;
        b->trying = true;
        r = bundle_retry(bundle, bundle_ask_stream, &stream);
        b->trying = false;
        if (r == 0 && !b->heard) {
                bundle->loaded = true;
                bundle_take(bundle, &stream.answer);
                return 0;
        }
        lsr_catalogue_free(stream.answer.catalogue);
        return 1;
}

/*
 * Of what lies on a server all that costs time is fetched for some of it, too, and all of it can be remembered; but a
 * database has an index, and a stream may end early where something is looked up.
 */
static bool bundle_wants_all(const struct lsr_bundle *bundle)
{
        return bundle->remote && bundle->all->o.cache && !bundle->all->wanted.content &&
               strcmp(bundle->format, "sqlite") != 0;
}

int lsr_bundle_load_some(struct lsr_bundle *bundle, const char *path)
{
        struct lsr_wanted wanted = bundle->all->wanted;

        if (bundle->loaded || (bundle->some && bundle_answers(bundle, path)))
                return bundle->load_error;
        if (bundle->some || wanted.n == 0 || bundle_wants_all(bundle))
                return lsr_bundle_load(bundle);
        if (bundle->remote)
                bundle_gather_urls(bundle, path);
        else
                bundle_gather(bundle, path);
        wanted.paths = bundle->asked;
        wanted.n = bundle->n_asked;
        return bundle_load(bundle, &wanted);
}

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

/* Where its content can be read: a range of the outer file, or a spool. */
static int bundle_place_inner(struct lsr_bundle *inner, bool whole)
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
