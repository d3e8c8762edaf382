/*
 * way-files - the files of a tree, by four kinds of reader
 *
 * Readers take small files in groups that stay in the cache of a core, and only then sum them up: the clock is
 * read once for a group and not for each file, which would be a hundredth of the measured time.
 *
 *      open read close, open read close, ...      sync, threads
 *      open fstat mmap close touch, ...           mmap; unmapped behind the sums
 *      all of a batch at once                     io_uring, with the batch before summed meanwhile
 *
 * A short read ends a regular file, so that no second read is needed.  That holds on the file systems of Linux;
 * otherwise the digests would differ.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/pool.h"
#include "base/thread.h"
#include "compare/ways.h"
#include "io/stream.h"
#include "pack/digest.h"

#define FILES_BUFFER ((size_t)256 << 10) /* of a group, and of reads of large files */
#define FILES_ROOM ((size_t)64 << 10)    /* less than that is no room for another file */
#define FILES_GROUP 16u
#define FILES_RUN 32u /* items of one job of a thread */
#define FILES_THREADS_MAX 64u
#define FILES_PAGE ((size_t)4096)

struct files_held {
        const struct way_item *item;
        uint8_t *data;
        size_t n;
};

/* What one thread has. */
struct files_reader {
        struct lsr_way_report report; /* what it found */
        char what[sizeof(((struct lsr_way_report *)0)->what)];
        bool map;
        int noatime; /* O_NOATIME as long as nobody refused it */
        uint64_t began, io_ns, other_ns;
        uint8_t *buf;
        size_t used;
        struct files_held held[FILES_GROUP];
        unsigned n_held;
};

static uint64_t files_digest(const void *data, size_t n)
{
        struct lsr_digest d;

        lsr_digest_begin(&d);
        lsr_digest_add(&d, data, n);
        return lsr_digest_end(&d);
}

static int files_fail(struct files_reader *f, int error, const struct way_item *item)
{
        struct way w = { .report = &f->report };

        return way_fail(&w, error, item->path);
}

static void files_io_begin(struct files_reader *f)
{
        f->began = way_clock();
}

/* Returns when it ended. */
static uint64_t files_io_end(struct files_reader *f)
{
        uint64_t now = way_clock();

        f->io_ns += now - f->began;
        return now;
}

/* Sum up what is held. */
static void files_sum(struct files_reader *f)
{
        uint64_t began = files_io_end(f);

        for (unsigned i = 0; i < f->n_held; i++) {
                const struct files_held *h = &f->held[i];

                way_file(&f->report, h->item->path, h->item->path_len, files_digest(h->data, h->n), h->n);
        }
        files_io_begin(f);
        f->other_ns += f->began - began;
        for (unsigned i = 0; f->map && i < f->n_held; i++)
                if (f->held[i].n > 0)
                        munmap(f->held[i].data, f->held[i].n);
        f->n_held = 0;
        f->used = 0;
}

static void files_hold(struct files_reader *f, const struct way_item *item, uint8_t *data, size_t n)
{
        f->report.opened++;
        f->held[f->n_held++] = (struct files_held){ item, data, n };
        f->used += n;
}

/*
 * May this user not read it?  Then no way has it, unless it is empty: bundles contain it, since packing an empty
 * file needs no reading.
 */
static bool files_forbidden(struct lsr_way_report *report, const struct way_item *item, int error)
{
        struct stat st;

        if (error != -EACCES && error != -EPERM)
                return false;
        if (fstatat(item->dirfd, item->name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) && st.st_size == 0)
                way_file(report, item->path, item->path_len, files_digest(NULL, 0), 0);
        return true;
}

/* A descriptor; -1: it is not read; another negative errno. */
static int files_open(struct files_reader *f, const struct way_item *item)
{
        int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, fd;

        fd = openat(item->dirfd, item->name, flags | f->noatime);
        if (fd < 0 && errno == EPERM && f->noatime) {
                f->noatime = 0;
                fd = openat(item->dirfd, item->name, flags);
        }
        if (fd < 0)
                return files_forbidden(&f->report, item, -errno) ? -1 : files_fail(f, -errno, item);
        return fd;
}

static ssize_t files_read(int fd, void *buf, size_t n)
{
        ssize_t got;

        do
                got = read(fd, buf, n);
        while (got < 0 && errno == EINTR);
        return got < 0 ? -errno : got;
}

/* A file of which @n bytes follow those that are held, and that has more. */
static int files_large(struct files_reader *f, const struct way_item *item, int fd, size_t n)
{
        const uint8_t *data = f->buf + f->used;
        struct lsr_digest d;
        uint64_t bytes = n, began;
        size_t asked = n;
        ssize_t got = (ssize_t)n;

        files_sum(f);
        f->report.opened++;
        lsr_digest_begin(&d);
        while (got > 0) {
                began = files_io_end(f);
                lsr_digest_add(&d, data, (size_t)got);
                files_io_begin(f);
                f->other_ns += f->began - began;
                if ((size_t)got < asked)
                        break;
                data = f->buf;
                asked = FILES_BUFFER;
                got = files_read(fd, f->buf, asked);
                bytes += got > 0 ? (size_t)got : 0;
        }
        if (got < 0)
                return files_fail(f, (int)got, item);
        way_file(&f->report, item->path, item->path_len, lsr_digest_end(&d), bytes);
        return 0;
}

static int files_read_one(struct files_reader *f, const struct way_item *item)
{
        size_t room = FILES_BUFFER - f->used;
        int fd = files_open(f, item), r = 0;
        ssize_t got;

        if (fd < 0)
                return fd == -1 ? 0 : fd;
        got = files_read(fd, f->buf + f->used, room);
        if (got < 0)
                r = files_fail(f, (int)got, item);
        else if ((size_t)got == room)
                r = files_large(f, item, fd, (size_t)got);
        else
                files_hold(f, item, f->buf + f->used, (size_t)got);
        close(fd);
        return r;
}

static int files_map_one(struct files_reader *f, const struct way_item *item)
{
        int fd = files_open(f, item), error = 0;
        volatile uint8_t seen = 0;
        uint8_t *data = NULL;
        struct stat st;
        size_t size = 0;

        if (fd < 0)
                return fd == -1 ? 0 : fd;
        if (fstat(fd, &st) < 0) {
                error = -errno;
        } else if (st.st_size > 0) {
                size = (size_t)st.st_size;
                data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
                error = data == MAP_FAILED ? -errno : 0;
        }
        close(fd);
        if (error < 0)
                return files_fail(f, error, item);
        for (size_t at = 0; at < size; at += FILES_PAGE)
                seen = data[at];
        (void)seen;
        files_hold(f, item, data, size);
        return 0;
}

static int files_link(struct files_reader *f, const struct way_item *item)
{
        char target[PATH_MAX];
        ssize_t n = readlinkat(item->dirfd, item->name, target, sizeof(target));

        if (n < 0)
                return files_forbidden(&f->report, item, -errno) ? 0 : files_fail(f, -errno, item);
        way_link(&f->report, item->path, item->path_len, target, (size_t)n);
        return 0;
}

static int files_items(struct files_reader *f, const struct way_item *items, size_t n)
{
        int r = 0;

        files_io_begin(f);
        for (size_t i = 0; i < n && r >= 0; i++) {
                if (f->n_held == FILES_GROUP || f->used > FILES_BUFFER - FILES_ROOM)
                        files_sum(f);
                if (items[i].link)
                        r = files_link(f, &items[i]);
                else
                        r = f->map ? files_map_one(f, &items[i]) : files_read_one(f, &items[i]);
        }
        files_sum(f);
        files_io_end(f);
        return r;
}

/* --- all cores ---------------------------------------------------------------- */

struct files_job {
        struct lsr_job job;
        const struct way_item *items;
        size_t n;
        int result;
};

struct files {
        struct way *w;
        struct lsr_pool *pool;
        uint64_t wall_ns; /* while threads read */
        struct files_reader *readers;
        unsigned n_readers;
        struct files_job runs[WAY_LOT / FILES_RUN];
};

static int files_lot(void *ctx, const struct way_item *items, size_t n)
{
        return files_items(((struct files *)ctx)->readers, items, n);
}

static void files_work(void *ctx, unsigned worker, struct lsr_job *job)
{
        struct files_job *run = (struct files_job *)job;

        run->result = files_items(&((struct files *)ctx)->readers[worker], run->items, run->n);
}

static int files_lot_threads(void *ctx, const struct way_item *items, size_t n)
{
        struct files *s = ctx;
        uint64_t began = way_clock();
        unsigned runs = 0;
        struct lsr_job *job;
        int r = 0;

        for (size_t i = 0; i < n; i += FILES_RUN) {
                struct files_job *run = &s->runs[runs++];

                run->items = items + i;
                run->n = n - i < FILES_RUN ? n - i : FILES_RUN;
                lsr_pool_submit(s->pool, &run->job);
        }
        while ((job = lsr_pool_next(s->pool)))
                r = r < 0 ? r : ((struct files_job *)job)->result;
        s->wall_ns += way_clock() - began;
        return r;
}

static void files_collect(struct files *s)
{
        struct lsr_way_report *report = s->w->report;
        uint64_t io_ns = 0, all_ns = 0;

        for (unsigned i = 0; i < s->n_readers; i++) {
                struct files_reader *f = &s->readers[i];

                if (f->report.error < 0)
                        way_fail(s->w, f->report.error, f->report.what);
                report->opened += f->report.opened;
                report->members += f->report.members;
                report->bytes += f->report.bytes;
                report->digest += f->report.digest;
                io_ns += f->io_ns;
                all_ns += f->io_ns + f->other_ns;
                free(f->buf);
        }
        /* The share of I/O in the wall time of parallel threads is its share in the sum of their times. */
        if (s->pool && all_ns > 0)
                io_ns = (uint64_t)((double)s->wall_ns * (double)io_ns / (double)all_ns);
        s->w->io_ns += io_ns;
        free(s->readers);
}

static unsigned files_cpus(void)
{
        unsigned n = lsr_thread_cpus();

        return n < FILES_THREADS_MAX ? n : FILES_THREADS_MAX;
}

/* O_NOATIME is for the user's own files, and for root all files. */
static int files_noatime(const char *dir)
{
        struct stat st;
        uid_t uid = geteuid();

        return uid == 0 || (stat(dir, &st) == 0 && st.st_uid == uid) ? O_NOATIME : 0;
}

static int files_plain(struct way *w)
{
        struct files s = { .w = w, .n_readers = w->job->kind == LSR_WAY_THREADS ? files_cpus() : 1 };
        int noatime = files_noatime(w->job->dir), r;

        s.readers = lsr_xmalloc(s.n_readers * sizeof(*s.readers));
        for (unsigned i = 0; i < s.n_readers; i++) {
                s.readers[i] = (struct files_reader){ .map = w->job->kind == LSR_WAY_MMAP, .noatime = noatime };
                s.readers[i].buf = lsr_xmalloc(FILES_BUFFER);
        }
        if (w->job->kind == LSR_WAY_THREADS)
                s.pool = lsr_pool_new(
                        &(struct lsr_pool_options){ files_work, &s, s.n_readers, .helps = s.n_readers == 1 });
        r = way_walk(w, s.pool ? files_lot_threads : files_lot, &s);
        files_collect(&s);
        lsr_pool_free(s.pool);
        return r;
}

/* --- the ring ----------------------------------------------------------------- */

#define RING_FILES 128u
#define RING_CAP ((size_t)128 << 10)       /* a file of this size or more is streamed */
#define RING_STRIDE (RING_CAP + 4096 + 64) /* buffers that do not all want the same lines of the cache */

struct ring_batch {
        struct lsr_op ops[RING_FILES];
        struct lsr_op_data files[RING_FILES];
        const struct way_item *items[RING_FILES];
        unsigned n;
        char *bufs;
};

struct ring {
        struct way *w;
        struct lsr_io *io;
        int flags;
        struct ring_batch batches[2];
};

static int ring_error(struct ring *k, int error, const struct way_item *item)
{
        return files_forbidden(k->w->report, item, error) ? 0 : way_fail(k->w, error, item->path);
}

static int ring_large(struct ring *k, const struct way_item *item)
{
        struct lsr_stream *s = NULL;
        uint64_t bytes = 0, began = way_clock();
        struct lsr_digest d;
        const uint8_t *data;
        struct stat st;
        ssize_t n = 0;
        int fd = lsr_io_open_file(k->io, item->dirfd, item->name, false);

        if (fd < 0)
                return ring_error(k, fd, item);
        if (fstat(fd, &st) == 0)
                lsr_stream_new(&s, k->io, fd, 0, (uint64_t)st.st_size);
        k->w->io_ns += way_clock() - began;
        lsr_digest_begin(&d);
        while (s && (n = lsr_stream_next(s, &data)) > 0) {
                lsr_digest_add(&d, data, (size_t)n);
                bytes += (size_t)n;
        }
        lsr_stream_free(s);
        began = way_clock();
        close(fd);
        k->w->io_ns += way_clock() - began;
        if (n < 0)
                return way_fail(k->w, (int)n, item->path);
        k->w->report->opened++;
        way_file(k->w->report, item->path, item->path_len, lsr_digest_end(&d), bytes);
        return 0;
}

/* Items from @items on, as many as a batch takes.  Returns how many. */
static size_t ring_plan(struct ring *k, struct ring_batch *b, const struct way_item *items, size_t n)
{
        size_t i;

        b->n = 0;
        for (i = 0; i < n && b->n < RING_FILES; i++) {
                if (items[i].link)
                        continue;
                b->items[b->n] = &items[i];
                b->files[b->n] = (struct lsr_op_data){
                        .buf = b->bufs + b->n * RING_STRIDE,
                        .cap = RING_CAP,
                        .flags = k->flags,
                        .ends = true,
                };
                b->ops[b->n] = (struct lsr_op){
                        .name = items[i].name,
                        .data = &b->files[b->n],
                        .dirfd = items[i].dirfd,
                        .kind = LSR_OP_READ_FILE,
                };
                b->n++;
        }
        return i;
}

static int ring_start(struct ring *k, struct ring_batch *b)
{
        uint64_t began = way_clock();
        int r = lsr_io_add(k->io, b->ops, b->n);

        lsr_io_go(k->io);
        k->w->io_ns += way_clock() - began;
        return r < 0 ? way_fail(k->w, r, "io_uring") : 0;
}

static void ring_wait(struct ring *k)
{
        uint64_t began = way_clock();

        lsr_io_wait(k->io);
        k->w->io_ns += way_clock() - began;
}

/* @large: items that are streamed; the ring must be idle then. */
static int ring_sum(struct ring *k, const struct ring_batch *b, bool large)
{
        int r = 0;

        for (unsigned i = 0; i < b->n && r >= 0; i++) {
                const struct lsr_op_data *file = &b->files[i];
                const struct way_item *item = b->items[i];

                if ((file->ret == -EFBIG || file->ret == (ssize_t)file->cap) != large)
                        continue;
                if (large) {
                        r = ring_large(k, item);
                } else if (file->ret < 0) {
                        r = ring_error(k, (int)file->ret, item);
                } else {
                        k->w->report->opened++;
                        way_file(k->w->report, item->path, item->path_len, files_digest(file->buf, (size_t)file->ret),
                                 (size_t)file->ret);
                }
        }
        return r;
}

static int ring_links(struct ring *k, const struct way_item *items, size_t n)
{
        struct files_reader f = {};
        int r = 0;

        files_io_begin(&f);
        for (size_t i = 0; i < n && r >= 0; i++)
                if (items[i].link)
                        r = files_link(&f, &items[i]);
        files_io_end(&f);
        k->w->io_ns += f.io_ns;
        k->w->report->members += f.report.members;
        k->w->report->digest += f.report.digest;
        return r < 0 ? way_fail(k->w, r, f.report.what) : 0;
}

static int ring_lot(void *ctx, const struct way_item *items, size_t n)
{
        struct ring *k = ctx;
        struct ring_batch *b = &k->batches[0], *next = &k->batches[1], *swap;
        size_t at = ring_plan(k, b, items, n);
        int r = ring_start(k, b);

        while (r >= 0 && b->n > 0) {
                ring_wait(k);
                r = ring_sum(k, b, true);
                at += ring_plan(k, next, items + at, n - at);
                if (r >= 0)
                        r = ring_start(k, next);
                if (r >= 0)
                        r = ring_sum(k, b, false);
                swap = b;
                b = next;
                next = swap;
        }
        if (r < 0)
                ring_wait(k);
        return r < 0 ? r : ring_links(k, items, n);
}

static int files_ring(struct way *w)
{
        struct ring k = { .w = w, .flags = files_noatime(w->job->dir) };
        int r = lsr_io_new(&k.io, "uring");

        if (r < 0)
                return way_fail(w, r, "io_uring");
        if (!way_unmeasured)
                lsr_io_time(k.io);
        for (unsigned i = 0; i < 2; i++)
                k.batches[i].bufs = lsr_xmalloc(RING_FILES * RING_STRIDE);
        r = way_walk(w, ring_lot, &k);
        /* Without a ring plain calls were made instead. */
        if (lsr_io_require(k.io) < 0)
                r = way_fail(w, lsr_io_require(k.io), "io_uring");
        w->report->ring_ops = lsr_io_stats(k.io)->ring_ops;
        w->report->ring_enters = lsr_io_stats(k.io)->ring_enters;
        w->io_ns += lsr_io_stats(k.io)->read_ns;
        for (unsigned i = 0; i < 2; i++)
                free(k.batches[i].bufs);
        lsr_io_free(k.io);
        return r;
}

int way_files(struct way *w)
{
        return w->job->kind == LSR_WAY_URING ? files_ring(w) : files_plain(w);
}
