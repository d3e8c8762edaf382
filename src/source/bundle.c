/*
 * bundle - from a path to a catalogue
 *
 *      path ─► open ─► plausible? ─► index cache ─► worker: open, scan ─► catalogue
 *                                        └──────────── hit ──────────────────▲
 *
 * Whether a file can be a bundle at all is asked here, by comparing 64 KiB with
 * magic numbers, so that listing an ordinary file starts no process; everything
 * behind that happens in the worker.  The worker may die and forget its bundles:
 * then -ESTALE comes, and the bundle is handed over again.
 *
 * Descriptors are few and bundles may be many, so all but the last ones used are
 * parked: both processes close theirs, and the catalogue stays.
 *
 * A bundle inside a bundle is a range of the outer file where its content lies
 * there as it is.  Otherwise the worker reads it out, and it is spooled.
 */
#include "source/bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "io/stream.h"
#include "source/cache.h"
#include "source/spool.h"
#include "source/wire.h"

#define BUNDLE_TAIL ((size_t)66000) /* as much of the end as formats/registry.c looks at */
#define BUNDLE_PIPE_READ ((size_t)256 << 10)
#define BUNDLE_DEATHS_MAX 8 /* members that may kill a worker before the others are given up */
#define BUNDLE_TRIES 2      /* of a request, as the worker may have died since the last one */

struct lsr_bundles {
        struct lsr_bundles_options o;
        struct lsr_worker *worker; /* NULL until it is needed */
        struct lsr_bundle *all;
        struct lsr_bundle *current; /* what trouble is about */
        uint64_t tick;
};

static void bundles_trouble(void *ctx, int error, const char *text)
{
        struct lsr_bundles *b = ctx;

        if (!b->current)
                return;
        b->current->troubled |= error != 0;
        b->o.trouble(b->o.ctx, b->current->path, error, text);
}

struct lsr_bundles *lsr_bundles_new(const struct lsr_bundles_options *options)
{
        struct lsr_bundles *b = lsr_xmalloc(sizeof(*b));

        *b = (struct lsr_bundles){ .o = *options };
        return b;
}

static void bundle_close(struct lsr_bundle *bundle)
{
        if (bundle->fd_owned && bundle->fd >= 0)
                close(bundle->fd);
        bundle->fd = -1;
        bundle->fd_owned = false;
        for (size_t i = 0; i < LSR_COMPANIONS; i++) {
                if (bundle->companions[i] >= 0)
                        close(bundle->companions[i]);
                bundle->companions[i] = -1;
        }
}

static void bundle_free(struct lsr_bundle *bundle)
{
        bundle_close(bundle);
        if (bundle->part != bundle->catalogue)
                lsr_catalogue_free(bundle->part);
        lsr_catalogue_free(bundle->catalogue);
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
        lsr_worker_free(b->worker);
        free(b);
        return NULL;
}

void lsr_bundles_stats(struct lsr_bundles *b, struct lsr_io_stats *sum)
{
        if (b->worker)
                lsr_worker_stats(b->worker, sum);
}

static struct lsr_worker *bundles_worker(struct lsr_bundles *b)
{
        if (!b->worker)
                b->worker = lsr_worker_new(&(struct lsr_worker_options){ .engine = b->o.engine,
                                                                         .io = b->o.io,
                                                                         .window_max = LSR_BUNDLE_WINDOW_MAX,
                                                                         .ctx = b,
                                                                         .trouble = bundles_trouble });
        return b->worker;
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

/* Has it the look of a bundle?  @ret_database: of one that may have companions. */
static bool bundle_plausible(struct lsr_bundle *bundle, bool *ret_database)
{
        static const char sqlite_magic[16] = "SQLite format 3";
        struct lsr_io *io = bundle->all->o.io;
        uint8_t *buf = lsr_xmalloc(LSR_PROBE_BYTES + BUNDLE_TAIL);
        struct lsr_probe p = { .head = buf, .size = bundle->size };
        size_t head = bundle->size < LSR_PROBE_BYTES ? (size_t)bundle->size : LSR_PROBE_BYTES;
        size_t tail = bundle->size < BUNDLE_TAIL ? (size_t)bundle->size : BUNDLE_TAIL;
        ssize_t got = lsr_io_read_at(io, bundle->fd, buf, head, bundle->offset);
        bool plausible;

        p.head_len = got > 0 ? (size_t)got : 0;
        plausible = lsr_plausible(&p);
        if (!plausible && p.head_len == bundle->size) {
                p.tail = buf;
                p.tail_len = p.head_len;
                plausible = lsr_plausible(&p);
        } else if (!plausible) {
                got = lsr_io_read_at(io, bundle->fd, buf + LSR_PROBE_BYTES, tail, bundle->offset + bundle->size - tail);
                p.tail = buf + LSR_PROBE_BYTES;
                p.tail_len = got > 0 ? (size_t)got : 0;
                plausible = lsr_plausible(&p);
        }
        *ret_database = p.head_len >= sizeof(sqlite_magic) && memcmp(buf, sqlite_magic, sizeof(sqlite_magic)) == 0;
        free(buf);
        return plausible;
}

/*
 * What lies beside a database, by its own name, not that of a link to it.  A negative errno, said: something does that
 * cannot be read, and without it the database would be listed as it was once.
 */
static int bundle_open_companions(struct lsr_bundle *bundle)
{
        static const char *const suffixes[LSR_COMPANIONS] = {
                [LSR_COMPANION_WAL] = "-wal",
                [LSR_COMPANION_JOURNAL] = "-journal",
        };
        char *real = realpath(bundle->path, NULL);
        const char *base = real ? real : bundle->path;
        char path[PATH_MAX + 16], text[64];
        int r = 0;

        for (size_t i = 0; i < LSR_COMPANIONS && r == 0; i++) {
                snprintf(path, sizeof(path), "%s%s", base, suffixes[i]);
                bundle->companions[i] = lsr_io_open_file(bundle->all->o.io, AT_FDCWD, path, true);
                if (bundle->companions[i] >= 0 || bundle->companions[i] == -ENOENT)
                        continue;
                r = bundle->companions[i];
                snprintf(text, sizeof(text), "its %s cannot be opened: %s", suffixes[i] + 1, strerrordesc_np(-r));
                bundle->troubled = true;
                bundle->all->o.trouble(bundle->all->o.ctx, bundle->path, r, text);
        }
        free(real);
        return r;
}

static int bundle_open_file(struct lsr_bundle *bundle)
{
        struct lsr_io *io = bundle->all->o.io;
        struct statx stx;

        if (strcmp(bundle->path, "-") == 0) {
                bundle->fd = STDIN_FILENO;
        } else {
                bundle->fd = lsr_io_open_file(io, AT_FDCWD, bundle->path, true);
                if (bundle->fd < 0)
                        return bundle->fd;
                bundle->fd_owned = true;
        }
        lsr_io_count(io, 1);
        if (statx(bundle->fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &stx) < 0)
                return -errno;
        lsr_meta_from_statx(&bundle->meta, &stx);
        if (S_ISREG(stx.stx_mode))
                bundle->size = stx.stx_size;
        else if (bundle->fd_owned)
                return 1;
        return S_ISDIR(stx.stx_mode) ? -EISDIR : 0;
}

/* --- bundles that are open, and others ---------------------------------------------- */

static void bundle_park(struct lsr_bundle *bundle)
{
        /* Those that lie in it as they are borrow its descriptor. */
        for (struct lsr_bundle *inner = bundle->all->all; inner; inner = inner->next)
                if (inner->outer == bundle && inner->fd >= 0 && !inner->fd_owned)
                        bundle_park(inner);
        if (bundle->handed)
                lsr_worker_close(bundle->all->worker, bundle->id);
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

static int bundle_place_inner(struct lsr_bundle *inner, uint32_t row);

/* Make sure that it is not parked.  -ESTALE: it is not the file that it was. */
static int bundle_unpark(struct lsr_bundle *bundle)
{
        const struct lsr_meta was = bundle->meta;
        int r;

        if (bundle->fd >= 0)
                return 0;
        bundles_make_room(bundle->all);
        if (bundle->outer)
                return bundle_place_inner(bundle, bundle->outer_row);
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
        struct lsr_worker_file file = { .fd = bundle->fd, .offset = bundle->offset, .size = bundle->size };

        memcpy(file.companions, bundle->companions, sizeof(file.companions));
        bundle->all->current = bundle;
        return lsr_worker_open(bundles_worker(bundle->all), &file, ret_bundle, ret_head, ret_head_len);
}

static int bundle_spool_write(void *ctx, const void *data, size_t n)
{
        return lsr_spool_write(ctx, data, n);
}

/* From now on the bundle's bytes are those of @spool; with @r an error, there are none. */
static int bundle_use_spool(struct lsr_bundle *bundle, struct lsr_spool *spool, int r)
{
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
        struct lsr_worker *w = bundle->all->worker;
        struct lsr_spool spool = {};
        const struct lsr_member all = { .path = "" };
        int r = lsr_worker_read(w, got->id, &all, &(struct lsr_sink){ &spool, bundle_spool_write });

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

        if (!bundle->all->o.cache || bundle->outer || !lsr_cache_get(&bundle->meta, &entry))
                return false;
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

        if (!bundle->all->o.cache || bundle->outer || !bundle->filtered || bundle->troubled)
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
        if (bundle->size == LSR_INPUT_UNKNOWN)
                return bundle_hand_over(bundle);
        if (bundle_cached(bundle))
                return 0;
        if (!bundle_plausible(bundle, &database))
                return 1;
        bundle->database = database && !bundle->outer && strcmp(bundle->path, "-") != 0;
        bundle->load_error = bundle->database ? bundle_open_companions(bundle) : 0;
        bundle->loaded = bundle->load_error < 0;
        return bundle->loaded ? 0 : bundle_hand_over(bundle);
}

/* There is no file to list instead. */
static void bundle_no_stdin(struct lsr_bundle *bundle)
{
        if (!bundle->troubled)
                bundle->all->o.trouble(bundle->all->o.ctx, bundle->path, -EINVAL, "standard input is no bundle");
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

/* Do @op, again if the worker has lost the bundle.  For the requests below. */
static int bundle_retry(struct lsr_bundle *bundle, int (*op)(struct lsr_bundle *bundle, void *ctx), void *ctx)
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

struct bundle_scan {
        const char *part; /* NULL: all */
        struct lsr_catalogue *catalogue;
        bool is_part;
};

static int bundle_ask_scan(struct lsr_bundle *bundle, void *ctx)
{
        struct bundle_scan *scan = ctx;

        return lsr_worker_scan(bundle->all->worker, bundle->id, scan->part, &scan->catalogue, &scan->is_part);
}

/* @part: a part will do. */
static int bundle_load(struct lsr_bundle *bundle, const char *part)
{
        struct bundle_scan scan = { .part = part };
        int r;

        if (bundle->loaded || (part && bundle->part))
                return bundle->load_error;
        r = bundle_retry(bundle, bundle_ask_scan, &scan);
        /* Rows of the part are known elsewhere by their numbers. */
        if (r == 0 && bundle->part && !lsr_catalogue_is_part(bundle->part, scan.catalogue)) {
                lsr_catalogue_free(scan.catalogue);
                r = -ESTALE;
        }
        bundle->loaded = r < 0 || !scan.is_part;
        bundle->load_error = r;
        if (r == 0)
                bundle->catalogue = scan.catalogue;
        if (r == 0 && scan.is_part)
                bundle->part = scan.catalogue;
        else if (r == 0)
                bundle_remember(bundle);
        else if (!bundle->troubled)
                bundle->all->o.trouble(bundle->all->o.ctx, bundle->path, r, NULL);
        return r;
}

int lsr_bundle_load(struct lsr_bundle *bundle)
{
        return bundle_load(bundle, NULL);
}

int lsr_bundle_load_part(struct lsr_bundle *bundle, const char *path)
{
        return bundle_load(bundle, path);
}

/* A row with its whole path, as the worker wants it.  The path is to be freed. */
static char *bundle_whole_member(const struct lsr_bundle *bundle, uint32_t row, struct lsr_member *ret_member)
{
        const struct lsr_catalogue *c = bundle->catalogue;
        struct lsr_member m;
        size_t len;
        char *path;

        row = lsr_catalogue_link(c, row);
        lsr_catalogue_get(c, row, &m);
        len = lsr_catalogue_path(c, row, NULL, 0);
        path = lsr_xmalloc(len + 1);
        lsr_catalogue_path(c, row, path, len + 1);
        m.path = path;
        m.path_len = len;
        *ret_member = m;
        return path;
}

struct bundle_read {
        const struct lsr_member *m;
        const struct lsr_sink *sink;
};

static int bundle_read_member(struct lsr_bundle *bundle, void *ctx)
{
        const struct bundle_read *r = ctx;

        return lsr_worker_read(bundle->all->worker, bundle->id, r->m, r->sink);
}

int lsr_bundle_read(struct lsr_bundle *bundle, uint32_t row, const struct lsr_sink *sink)
{
        struct lsr_member m;
        char *path = bundle_whole_member(bundle, row, &m);
        int r = bundle_retry(bundle, bundle_read_member, &(struct bundle_read){ &m, sink });

        free(path);
        return r;
}

struct bundle_many {
        const struct lsr_many_sink *sink;
        struct lsr_records members;
        size_t first, n, done; /* of the rows: those in members, and how many of these are through */
        bool to_end;
        bool wanted; /* the sink has not had enough */
        bool killed; /* the last member that ended did so with its worker */
};

static int many_begin(void *ctx, size_t i)
{
        struct bundle_many *many = ctx;
        int r = many->sink->begin(many->sink->ctx, many->first + i);

        many->wanted = r >= 0;
        return r;
}

static int many_write(void *ctx, const void *data, size_t n)
{
        struct bundle_many *many = ctx;
        int r = many->sink->write(many->sink->ctx, data, n);

        many->wanted = r >= 0;
        return r;
}

static int many_end(void *ctx, size_t i, int error)
{
        struct bundle_many *many = ctx;
        bool wanted = many->wanted;
        int r = many->sink->end(many->sink->ctx, many->first + i, error);

        many->wanted = wanted && r >= 0;
        many->killed = error == -EPIPE;
        return r;
}

static int bundle_ask_many(struct lsr_bundle *bundle, void *ctx)
{
        struct bundle_many *many = ctx;
        const struct lsr_many_sink sink = { many, many_begin, many_write, many_end };

        return lsr_worker_read_many(bundle->all->worker, bundle->id, &many->members, many->n, many->to_end, &sink,
                                    &many->done);
}

/* As many of the @n rows as go into one request. */
static void bundle_pack_many(struct lsr_bundle *bundle, struct bundle_many *many, const uint32_t *rows, size_t n)
{
        lsr_records_clear(&many->members);
        many->n = 0;
        /* Another one is no longer than its texts may be. */
        while (many->n < n && many->members.len < LSR_WIRE_MANY_MAX - LSR_WIRE_REQUEST_MAX) {
                struct lsr_member m;
                char *path = bundle_whole_member(bundle, rows[many->n++], &m);

                lsr_record_put(
                        &many->members,
                        &(struct lsr_member){
                                .path = m.path,
                                .path_len = m.path_len,
                                .meta = { .known = m.meta.known & (LSR_FIELD_TYPE | LSR_FIELD_MODE | LSR_FIELD_SIZE),
                                          .mode = m.meta.mode,
                                          .size = m.meta.size },
                                .packed = m.packed,
                                .position = m.position,
                                .data = m.data,
                                .method = m.method,
                                .raw = m.raw,
                                .raw_len = m.raw_len,
                                .flags = m.flags,
                        });
                free(path);
        }
}

int lsr_bundle_read_many(struct lsr_bundle *bundle, const uint32_t *rows, size_t n, bool to_end,
                         const struct lsr_many_sink *sink)
{
        struct bundle_many many = { .sink = sink, .wanted = true };
        unsigned deaths = 0;
        bool died;
        int r = 0;

        do {
                many.done = 0;
                many.killed = false;
                bundle_pack_many(bundle, &many, rows + many.first, n - many.first);
                many.to_end = to_end && many.first + many.n == n;
                r = bundle_retry(bundle, bundle_ask_many, &many);
                if (!many.wanted)
                        break;
                /* A member of which nothing has come: its own, or that of the process which died over it. */
                died = r == -EPIPE && deaths++ < BUNDLE_DEATHS_MAX;
                while (r < 0 && many.done < many.n && !(died && many.killed)) {
                        int ended = many_begin(&many, many.done);

                        if (ended >= 0)
                                ended = many_end(&many, many.done++, r);
                        if (!many.wanted) {
                                r = ended;
                                break;
                        }
                }
                many.first += many.done;
        } while (many.wanted && many.first < n);
        free(many.members.data);
        return r;
}

static int bundle_do_check(struct lsr_bundle *bundle, void *ctx)
{
        (void)ctx;
        return lsr_worker_check(bundle->all->worker, bundle->id);
}

int lsr_bundle_check(struct lsr_bundle *bundle)
{
        return bundle_retry(bundle, bundle_do_check, NULL);
}

struct bundle_extent {
        const struct lsr_member *m;
        uint64_t offset;
        uint64_t size;
};

static int bundle_find_extent(struct lsr_bundle *bundle, void *ctx)
{
        struct bundle_extent *x = ctx;

        return lsr_worker_extent(bundle->all->worker, bundle->id, x->m, &x->offset, &x->size);
}

/* Where the content of @row can be read: a range of the outer file, or a spool. */
static int bundle_place_inner(struct lsr_bundle *inner, uint32_t row)
{
        struct lsr_bundle *outer = inner->outer;
        struct lsr_spool spool = {};
        struct lsr_member m;
        char *path = bundle_whole_member(outer, row, &m);
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
        r = lsr_bundle_read(outer, row, &(struct lsr_sink){ &spool, bundle_spool_write });
        return bundle_use_spool(inner, &spool, r);
}

int lsr_bundle_open_inner(struct lsr_bundle *outer, uint32_t row, struct lsr_bundle **ret_bundle)
{
        size_t outer_len = strlen(outer->path), len = lsr_catalogue_path(outer->catalogue, row, NULL, 0);
        struct lsr_bundle *bundle;
        char *path;
        int r;

        if (outer->depth + 1 >= LSR_BUNDLE_DEPTH_MAX)
                return -ELOOP;
        path = lsr_xmalloc(outer_len + len + 2);
        memcpy(path, outer->path, outer_len);
        path[outer_len] = '/';
        lsr_catalogue_path(outer->catalogue, row, path + outer_len + 1, len + 1);
        bundle = bundles_find(outer->all, path);
        if (bundle) {
                free(path);
                *ret_bundle = bundle;
                return 0;
        }
        bundle_touch(outer);
        bundles_make_room(outer->all);
        bundle = bundle_new(outer->all, path);
        bundle->outer = outer;
        bundle->outer_row = row;
        bundle->depth = outer->depth + 1;
        r = bundle_place_inner(bundle, row);
        if (r == 0)
                r = bundle_recognise(bundle);
        if (r == 0)
                *ret_bundle = bundle_keep(bundle);
        else
                bundle_free(bundle);
        return r;
}
