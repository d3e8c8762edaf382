/*
 * verify - decode everything once more
 *
 * A tar of any kind is read from its beginning to its end, through its
 * filters, as other tars read it: headers and contents are digested as they
 * were when they were packed; filters decode in threads of their own.  For
 * formats with an index the members are read on all cores: each thread has an
 * input and takes runs of rows, which it reads in one pass.
 *
 * A large tar is read while it is written.  The bytes come from the file as they
 * would afterwards, and nothing in it is written twice; that they all are there
 * is compared when it is complete, and a table of contents is read then.
 *
 * Nothing is confined here: lsr wrote the bundle a moment ago.
 */
#include "pack/verify.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/pool.h"
#include "catalogue/catalogue.h"
#include "formats/drivers.h"
#include "formats/tar/tar.h"
#include "pack/content.h"
#include "pack/digest.h"

#define VERIFY_RUN 128u                   /* rows */
#define VERIFY_WINDOW ((uint64_t)1 << 31) /* bytes of decoder memory: what lsr wrote it can read */
#define VERIFY_PIECE ((size_t)1 << 20)    /* bytes read at a time of what is being written */

/* A reader of the bundle. */
struct verify {
        const struct lsr_verify *v;
        struct lsr_io *io; /* its own, or NULL */
        struct lsr_scan scan;
        struct lsr_identity id;
        char *text; /* the first damage that a driver told of: also what it could go on after */
        uint64_t members;
        uint64_t digest;
        struct lsr_digest content;
};

static void verify_trouble(void *ctx, int error, const char *text)
{
        struct verify *v = ctx;

        if (error < 0 && !v->text)
                v->text = lsr_xstrdup(text);
}

static int verify_progress(const struct verify *v)
{
        return v->v->progress ? v->v->progress(v->v->ctx) : 0;
}

static void verify_count(struct verify *v, const struct lsr_member *m, uint64_t content)
{
        struct lsr_member cleaned = *m;

        while (cleaned.path_len >= 2 && memcmp(cleaned.path, "./", 2) == 0) {
                cleaned.path += 2;
                cleaned.path_len -= 2;
        }
        v->members++;
        v->digest += lsr_digest_member(&cleaned, content);
}

/* @left bytes of the member at hand. */
static int verify_tar_content(struct verify *v, struct tar_walk *w, uint64_t left)
{
        while (left > 0) {
                const uint8_t *data;
                ssize_t n = lsr_input_peek(w->in, 1, &data);
                int r;

                if (n <= 0)
                        return n < 0 ? (int)n : -ENODATA;
                if ((uint64_t)n > left)
                        n = (ssize_t)left;
                lsr_digest_add(&v->content, data, (size_t)n);
                lsr_input_take(w->in, (size_t)n);
                left -= (uint64_t)n;
                r = verify_progress(v);
                if (r < 0)
                        return r;
        }
        return lsr_input_skip(w->in, (TAR_BLOCK - w->stored % TAR_BLOCK) % TAR_BLOCK);
}

/* Begin the digest of a sparse member. */
static int verify_tar_sparse(struct verify *v, struct tar_walk *w, uint64_t *ret_stored)
{
        const struct tar_map *map;
        struct lsr_extent *extents;
        int r = tar_member_map(w, &map, ret_stored);

        if (r < 0)
                return r;
        extents = lsr_xmalloc(map->n * sizeof(*extents) + 1);
        for (size_t i = 0; i < map->n; i++)
                extents[i] = (struct lsr_extent){ map->pieces[i].offset, map->pieces[i].size };
        lsr_content_digest(&v->content, w->header.meta.size, extents, map->n);
        free(extents);
        return 0;
}

static int verify_tar_member(struct verify *v, struct tar_walk *w)
{
        struct lsr_member m;
        uint64_t stored = w->stored;
        int r = 0;

        tar_walk_member(w, &m);
        if (m.flags & LSR_MEMBER_SPARSE)
                r = verify_tar_sparse(v, w, &stored);
        else
                lsr_content_digest(&v->content, m.meta.size, NULL, 0);
        if (r == 0)
                r = verify_tar_content(v, w, stored);
        if (r < 0)
                return r;
        verify_count(v, &m, S_ISREG(m.meta.mode) && !(m.flags & LSR_MEMBER_HARDLINK) ? lsr_digest_end(&v->content) : 0);
        return 0;
}

static int verify_tar(struct verify *v)
{
        struct tar_walk w = { .scan = &v->scan, .in = v->scan.input, .want_map = true };
        int r;

        while ((r = tar_walk_next(&w)) > 0) {
                r = verify_tar_member(v, &w);
                if (r < 0)
                        break;
        }
        tar_walk_close(&w);
        return r;
}

/* --- formats with an index ---------------------------------------------------- */

struct verify_rows {
        const struct lsr_catalogue *catalogue;
        int fd;
        atomic_bool stop;
        struct verify *readers; /* one a thread */
};

struct verify_run {
        struct lsr_job job;
        uint32_t first, end;
        int error;
};

/* The rows of one run, as read_many() wants them. */
struct verify_many {
        struct verify *v;
        const struct verify_rows *rows;
        uint32_t at;
        uint32_t end;
        struct lsr_member m; /* the one at hand */
        char *path;
        size_t cap;
        bool link; /* what comes of it is the target, which the listing has left out */
        char target[PATH_MAX];
};

/* The next row, with its whole path.  False: that was all, or no more is wanted. */
static bool verify_row(struct verify_many *many)
{
        const struct lsr_catalogue *c = many->rows->catalogue;
        size_t len;

        if (many->at == many->end || atomic_load(&many->rows->stop))
                return false;
        len = lsr_catalogue_path(c, many->at, many->path, many->cap);
        if (len >= many->cap) {
                many->cap = 2 * len + 1;
                many->path = lsr_xrealloc(many->path, many->cap);
                lsr_catalogue_path(c, many->at, many->path, many->cap);
        }
        lsr_catalogue_get(c, many->at++, &many->m);
        many->m.path = many->path;
        many->m.path_len = len;
        return true;
}

/* Go to the next member with content of its own; those without are counted. */
static bool verify_next(void *ctx, struct lsr_member *ret_member)
{
        struct verify_many *many = ctx;
        const struct lsr_member *m = &many->m;

        while (verify_row(many)) {
                many->link = S_ISLNK(m->meta.mode) && !m->target;
                if (many->link || (S_ISREG(m->meta.mode) && !(m->flags & (LSR_MEMBER_HARDLINK | LSR_MEMBER_IMPLIED)))) {
                        lsr_content_digest(&many->v->content, m->meta.size, NULL, 0);
                        *ret_member = *m;
                        return true;
                }
                if (!(m->flags & LSR_MEMBER_IMPLIED))
                        verify_count(many->v, m, 0);
        }
        return false;
}

static int verify_write(void *ctx, const void *data, size_t n)
{
        struct verify_many *many = ctx;

        if (many->link) {
                if (n > sizeof(many->target) - many->m.target_len)
                        return -EBADMSG;
                memcpy(many->target + many->m.target_len, data, n);
                many->m.target_len += n;
                return 0;
        }
        lsr_digest_add(&many->v->content, data, n);
        return 0;
}

static int verify_end(void *ctx, int result)
{
        struct verify_many *many = ctx;

        if (many->link)
                many->m.target = many->target;
        if (result == 0)
                verify_count(many->v, &many->m, many->link ? 0 : lsr_digest_end(&many->v->content));
        return result;
}

static int verify_open(struct verify *v, const struct lsr_verify *options, struct lsr_io *io, int fd)
{
        struct lsr_input *input;
        struct stat st;
        int r = fstat(fd, &st) < 0 ? -errno : lsr_input_file(&input, io, fd, 0, (uint64_t)st.st_size);

        v->v = options;
        v->scan = (struct lsr_scan){ .window_max = VERIFY_WINDOW, .ctx = v, .trouble = verify_trouble };
        if (r == 0)
                r = lsr_identify(input, VERIFY_WINDOW, &v->id, &v->scan.input);
        return r > 0 ? -EBADMSG : r;
}

static void verify_close(struct verify *v)
{
        lsr_scan_close(&v->scan, v->id.format);
        lsr_io_free(v->io);
        free(v->text);
}

/* Runs in threads. */
static void verify_work(void *ctx, unsigned worker, struct lsr_job *job)
{
        struct verify_rows *rows = ctx;
        struct verify *v = &rows->readers[worker];
        struct verify_run *run = (struct verify_run *)job;
        struct verify_many many = { .v = v, .rows = rows, .at = run->first, .end = run->end, .cap = 256 };
        int r = 0;

        many.path = lsr_xmalloc(many.cap);
        if (!v->io) {
                r = lsr_io_new(&v->io, "sync");
                if (r == 0)
                        r = verify_open(v, v->v, v->io, rows->fd);
        }
        if (r == 0)
                r = lsr_input_seek(v->scan.input, 0);
        if (r == 0)
                r = v->id.format->read_many(&v->scan,
                                            &(struct lsr_many){ &many, verify_next, verify_write, verify_end });
        free(many.path);
        run->error = r;
}

static int verify_rows(struct verify *v, const struct lsr_catalogue *c, int fd)
{
        uint32_t rows = lsr_catalogue_rows(c), n = (rows + VERIFY_RUN - 1) / VERIFY_RUN;
        unsigned threads = v->v->threads;
        struct verify_run *runs = lsr_xmalloc(n * sizeof(*runs) + 1);
        struct verify_rows work = { .catalogue = c, .fd = fd };
        struct lsr_pool *pool = lsr_pool_new(&(struct lsr_pool_options){ verify_work, &work, threads, .helps = true });
        struct lsr_job *job;
        int r = 0;

        work.readers = lsr_xmalloc(threads * sizeof(*work.readers));
        for (unsigned i = 0; i < threads; i++)
                work.readers[i] = (struct verify){ .v = v->v };
        for (uint32_t i = 0; i < n; i++) {
                runs[i].first = i * VERIFY_RUN;
                runs[i].end = i + 1 < n ? (i + 1) * VERIFY_RUN : rows;
                lsr_pool_submit(pool, &runs[i].job);
        }
        while ((job = lsr_pool_next(pool))) {
                int error = ((struct verify_run *)job)->error;

                r = r < 0 ? r : error < 0 ? error : verify_progress(v);
                if (r < 0)
                        atomic_store(&work.stop, true);
        }
        lsr_pool_free(pool);
        for (unsigned i = 0; i < threads; i++) {
                v->members += work.readers[i].members;
                v->digest += work.readers[i].digest;
                if (work.readers[i].text)
                        verify_trouble(v, -EBADMSG, work.readers[i].text);
                verify_close(&work.readers[i]);
        }
        free(work.readers);
        free(runs);
        return r;
}

static int verify_index(struct verify *v, int fd)
{
        struct lsr_catalogue *catalogue = NULL;
        int r;

        v->scan.builder = lsr_builder_new();
        r = v->id.format->scan(&v->scan);
        if (r == 0)
                r = lsr_builder_finish(v->scan.builder, &catalogue);
        lsr_builder_free(v->scan.builder);
        v->scan.builder = NULL;
        assert(v->id.format->read_many);
        if (r == 0)
                r = verify_rows(v, catalogue, fd);
        lsr_catalogue_free(catalogue);
        return r;
}

/* The table of contents is there, valid, and as long as it should be. */
static int verify_toc(struct verify *v)
{
        struct lsr_catalogue *c = NULL;
        int r;

        v->scan.builder = lsr_builder_new();
        r = lsr_format_lsr1.scan(&v->scan);
        v->scan.builder = lsr_builder_free(v->scan.builder);
        if (r >= 0)
                r = v->scan.catalogue ? lsr_catalogue_decode(&c, v->scan.catalogue, v->scan.catalogue_size) : -EBADMSG;
        free(v->scan.catalogue);
        v->scan.catalogue = NULL;
        if (r < 0)
                return r;
        /* The root has a row, be it a member or not. */
        r = lsr_catalogue_rows(c) - v->v->members <= 1 ? 0 : -EBADMSG;
        lsr_catalogue_free(c);
        return r;
}

/* The tar in front of the table of contents. */
static int verify_frames(struct verify *v)
{
        struct lsr_input *tar;
        int r = lsr_input_seek(v->scan.input, 0);

        if (r == 0)
                r = lsr_filter_zstd.open(&tar, v->scan.input, VERIFY_WINDOW);
        if (r != 0)
                return r;
        v->scan.input = tar;
        return verify_tar(v);
}

static int verify_content(struct verify *v, int fd)
{
        if (v->id.format == &lsr_format_lsr1)
                return verify_frames(v);
        return strcmp(v->id.format->name, "tar") == 0 ? verify_tar(v) : verify_index(v, fd);
}

/* --- while it is written --------------------------------------------------------- */

struct lsr_verify_early {
        struct lsr_job job;
        struct lsr_pool *pool; /* of one thread; NULL: it was not started */
        struct lsr_verify options;
        struct verify v; /* of the thread */
        int fd;
        int result;
        pthread_mutex_t lock; /* of these: */
        pthread_cond_t changed;
        uint64_t size; /* bytes that are in the file */
        bool complete;
        bool stop;
};

/* The file as an input, the end of which is waited for. */
struct early_input {
        struct lsr_input in;
        struct lsr_verify_early *e;
        uint64_t read;
        uint8_t buf[VERIFY_PIECE];
};

static ssize_t early_next(struct lsr_input *in, const uint8_t **ret_data)
{
        struct early_input *f = (struct early_input *)in;
        struct lsr_verify_early *e = f->e;
        uint64_t size;
        ssize_t n;
        bool stop;

        pthread_mutex_lock(&e->lock);
        while (e->size - f->read < VERIFY_PIECE && !e->complete && !e->stop)
                pthread_cond_wait(&e->changed, &e->lock);
        size = e->size - f->read;
        stop = e->stop;
        pthread_mutex_unlock(&e->lock);
        if (stop)
                return -ECANCELED;
        do
                n = pread(e->fd, f->buf, size < VERIFY_PIECE ? size : VERIFY_PIECE, (off_t)f->read);
        while (n < 0 && errno == EINTR);
        if (n < 0)
                return -errno;
        f->read += (uint64_t)n;
        in->source_at = f->read;
        *ret_data = f->buf;
        return n;
}

static void early_input_free(struct lsr_input *in)
{
        free(in);
}

/* Runs in the thread. */
static void early_work(void *ctx, unsigned worker, struct lsr_job *job)
{
        static const struct lsr_input_ops ops = { .next = early_next, .free = early_input_free };
        struct early_input *f = lsr_input_alloc(sizeof(*f), &ops);
        struct lsr_verify_early *e = ctx;
        struct verify *v = &e->v;

        f->e = e;
        e->result = lsr_identify(&f->in, VERIFY_WINDOW, &v->id, &v->scan.input);
        if (e->result > 0 || (e->result == 0 && strcmp(v->id.format->name, "tar") != 0))
                e->result = -EBADMSG;
        if (e->result == 0)
                e->result = verify_tar(v);
}

struct lsr_verify_early *lsr_verify_early_new(int fd)
{
        struct lsr_verify_early *e = lsr_xmalloc(sizeof(*e));

        *e = (struct lsr_verify_early){ .fd = fd,
                                        .lock = PTHREAD_MUTEX_INITIALIZER,
                                        .changed = PTHREAD_COND_INITIALIZER };
        e->v = (struct verify){
                .v = &e->options,
                .scan = { .window_max = VERIFY_WINDOW, .ctx = &e->v, .trouble = verify_trouble },
        };
        return e;
}

void lsr_verify_early_grown(struct lsr_verify_early *e, uint64_t size)
{
        pthread_mutex_lock(&e->lock);
        e->size = size;
        pthread_cond_signal(&e->changed);
        pthread_mutex_unlock(&e->lock);
        if (e->pool)
                return;
        e->pool = lsr_pool_new(&(struct lsr_pool_options){ early_work, e, 1 });
        lsr_pool_submit(e->pool, &e->job);
}

/* The file has @size bytes, and no more will come: wait for the thread. */
static void early_join(struct lsr_verify_early *e, uint64_t size, bool stop)
{
        pthread_mutex_lock(&e->lock);
        e->size = size;
        e->complete = true;
        e->stop = stop;
        pthread_cond_signal(&e->changed);
        pthread_mutex_unlock(&e->lock);
        if (e->pool)
                lsr_pool_next(e->pool);
        e->pool = lsr_pool_free(e->pool);
}

/* All was written: what the thread has found out is @v's.  1: there was none. */
static int early_take(struct lsr_verify_early *e, struct verify *v)
{
        struct stat st;

        if (!e || !e->pool)
                return 1;
        if (fstat(e->fd, &st) < 0)
                return -errno;
        early_join(e, (uint64_t)st.st_size, false);
        v->members = e->v.members;
        v->digest = e->v.digest;
        v->text = lsr_take(&e->v.text, NULL);
        return e->result;
}

struct lsr_verify_early *lsr_verify_early_free(struct lsr_verify_early *e)
{
        if (!e)
                return NULL;
        early_join(e, e->size, true);
        verify_close(&e->v);
        free(e);
        return NULL;
}

/* --- all of it --------------------------------------------------------------------- */

int lsr_verify(const struct lsr_verify *options, int fd)
{
        struct verify v = {};
        int r = verify_open(&v, options, options->io, fd), early;

        if (r == 0 && v.id.format == &lsr_format_lsr1)
                r = verify_toc(&v);
        early = r == 0 ? early_take(options->early, &v) : r;
        if (r == 0)
                r = early > 0 ? verify_content(&v, fd) : early;
        if (v.text)
                options->trouble(options->ctx, v.text);
        if (r == 0 && (v.text || v.members != options->members || v.digest != options->digest))
                r = -EBADMSG;
        verify_close(&v);
        return r;
}
