/*
 * io - the face: which engine does what
 *
 * "auto" owns two engines: sync for small batches, and a ring that is made when
 * the first batch of LSR_IO_RING_MIN entries comes.  If the kernel refuses the
 * ring once, threads stand in for it from then on: seccomp profiles and
 * kernel.io_uring_disabled do not change while a program runs.
 */
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "io/engine.h"
#include "io/read.h"

struct lsr_io {
        struct lsr_engine *sync;    /* always there */
        struct lsr_engine *wide;    /* for large batches; under auto made on need */
        struct lsr_engine *current; /* of the running or the last batch */
        struct lsr_engine *files;   /* of the files being read */
        struct lsr_engine *named;   /* not auto: this one does everything */
        struct lsr_engine *probe;   /* a uring engine that must prove itself */
        struct lsr_reads reads;     /* of open files */
        bool helped;                /* there are or were threads with helpers */
        struct lsr_io_stats stats;
};

static int io_make_uring(struct lsr_io *io, const char *tuning)
{
        int r = lsr_uring_new(&io->named, &io->stats, tuning);

        if (r >= 0)
                io->probe = io->named;
        io->reads.way = LSR_READS_RING;
        return r;
}

static int io_make_named(struct lsr_io *io, const char *name, size_t len)
{
        if (len == 4 && memcmp(name, "sync", 4) == 0) {
                io->named = lsr_sync_new(&io->stats);
                return 0;
        }
        if (len == 7 && memcmp(name, "threads", 7) == 0)
                return lsr_threads_new(&io->named, &io->stats);
        if (len == 5 && memcmp(name, "uring", 5) == 0)
                return io_make_uring(io, "");
        return -EINVAL;
}

/* "ENGINE:SPEC" behind "fault:" */
static int io_make_fault(struct lsr_io *io, const char *name)
{
        const char *spec = strchrnul(name, ':');
        struct lsr_engine *inner;
        int r = io_make_named(io, name, (size_t)(spec - name));

        if (r < 0)
                return r;
        inner = io->named;
        return lsr_fault_new(&io->named, inner, *spec ? spec + 1 : spec, &io->stats);
}

int lsr_io_new(struct lsr_io **ret_io, const char *name)
{
        struct lsr_io *io = lsr_xmalloc(sizeof(*io));
        int r = 0;

        *io = (struct lsr_io){};
        io->sync = lsr_sync_new(&io->stats);
        io->reads.stats = &io->stats;
        if (strncmp(name, "fault:", 6) == 0)
                r = io_make_fault(io, name + 6);
        else if (strncmp(name, "uring:", 6) == 0)
                r = io_make_uring(io, name + 6);
        else if (strcmp(name, "auto") != 0)
                r = io_make_named(io, name, strlen(name));
        else
                io->reads.way = LSR_READS_AUTO;
        if (r < 0) {
                lsr_io_free(io);
                return r;
        }
        io->current = io->named ? io->named : io->sync;
        io->reads.named = io->named;
        *ret_io = io;
        return 0;
}

struct lsr_io *lsr_io_free(struct lsr_io *io)
{
        if (!io)
                return NULL;
        lsr_read_ring_free(io->reads.ring);
        if (io->named)
                io->named->ops->free(io->named);
        if (io->wide)
                io->wide->ops->free(io->wide);
        io->sync->ops->free(io->sync);
        free(io);
        return NULL;
}

int lsr_io_require(struct lsr_io *io)
{
        return io->probe ? lsr_uring_probe(io->probe) : 0;
}

const struct lsr_io_stats *lsr_io_stats(const struct lsr_io *io)
{
        return &io->stats;
}

const char *lsr_io_name(const struct lsr_io *io)
{
        return io->current->ops->name;
}

bool lsr_io_eager(const struct lsr_io *io)
{
        return io->current->ops->eager;
}

bool lsr_io_is_plain(const struct lsr_io *io)
{
        return !io->wide && !io->helped && !io->reads.ring && (!io->named || io->named->ops == io->sync->ops);
}

bool lsr_io_may_help(const struct lsr_io *io)
{
        return !io->named || strcmp(io->named->ops->name, "threads") == 0;
}

struct lsr_io *lsr_io_new_helper(struct lsr_io *io)
{
        struct lsr_io *helper = lsr_xmalloc(sizeof(*helper));

        *helper = (struct lsr_io){};
        helper->sync = helper->named = helper->current = lsr_sync_new(&helper->stats);
        io->helped = true;
        return helper;
}

void lsr_io_join_helper(struct lsr_io *io, struct lsr_io *helper)
{
        io->stats.syscalls += helper->stats.syscalls;
        io->stats.thread_ops += helper->stats.sync_ops;
        io->stats.bytes_read += helper->stats.bytes_read;
        helper->named = NULL;
        lsr_io_free(helper);
}

struct lsr_reads *lsr_io_reads(struct lsr_io *io)
{
        return &io->reads;
}

void lsr_io_time(struct lsr_io *io)
{
        io->reads.timed = true;
}

void lsr_io_count(struct lsr_io *io, unsigned syscalls)
{
        io->stats.syscalls += syscalls;
}

/* The engine for batches of LSR_IO_RING_MIN and more under auto. */
static int io_begin_wide(struct lsr_io *io, const struct lsr_stat_batch *batch)
{
        int r;

        if (!io->wide) {
                r = lsr_uring_new(&io->wide, &io->stats, "");
                if (r < 0)
                        return r;
        }
        io->current = io->wide;
        r = io->wide->ops->stat_begin(io->wide, batch);
        if (r >= 0 || strcmp(io->wide->ops->name, "uring") != 0)
                return r;
        io->wide = io->wide->ops->free(io->wide);
        r = lsr_threads_new(&io->wide, &io->stats);
        if (r < 0)
                return r;
        io->current = io->wide;
        return io->wide->ops->stat_begin(io->wide, batch);
}

int lsr_io_stat_begin(struct lsr_io *io, const struct lsr_stat_batch *batch)
{
        if (io->named)
                return io->named->ops->stat_begin(io->named, batch);
        if (batch->expected == 0 || batch->expected >= LSR_IO_RING_MIN)
                return io_begin_wide(io, batch);
        io->current = io->sync;
        return io->sync->ops->stat_begin(io->sync, batch);
}

int lsr_io_stat_add(struct lsr_io *io, const struct lsr_stat_op *ops, size_t n)
{
        return io->current->ops->stat_add(io->current, ops, n);
}

int lsr_io_stat_go(struct lsr_io *io)
{
        return io->current->ops->stat_go ? io->current->ops->stat_go(io->current) : 0;
}

int lsr_io_stat_wait(struct lsr_io *io)
{
        return io->current->ops->stat_wait(io->current);
}

int lsr_io_stat(struct lsr_io *io, const struct lsr_stat_batch *batch, const struct lsr_stat_op *ops, size_t n)
{
        int r = lsr_io_stat_begin(io, batch);

        if (r >= 0)
                r = lsr_io_stat_add(io, ops, n);
        if (r >= 0)
                r = lsr_io_stat_go(io);
        if (r >= 0)
                r = lsr_io_stat_wait(io);
        return r;
}

int lsr_io_files_start(struct lsr_io *io, struct lsr_file_read *files, size_t n)
{
        int r = 0;

        io->files = io->current->ops->files_start ? io->current : io->sync;
        if (!io->named && n >= LSR_IO_RING_MIN && !io->wide)
                lsr_uring_new(&io->wide, &io->stats, "");
        if (!io->named && n >= LSR_IO_RING_MIN && io->wide && io->wide->ops->files_start)
                io->files = io->wide;
        r = io->files->ops->files_start(io->files, files, n);
        if (r >= 0 || io->files == io->sync)
                return r;
        io->files = io->sync;
        return io->sync->ops->files_start(io->sync, files, n);
}

int lsr_io_files_wait(struct lsr_io *io)
{
        return io->files ? io->files->ops->files_wait(io->files) : 0;
}

int lsr_io_read_files(struct lsr_io *io, struct lsr_file_read *files, size_t n)
{
        int r = lsr_io_files_start(io, files, n);

        return r < 0 ? r : lsr_io_files_wait(io);
}

void lsr_io_each(struct lsr_io *io, size_t n, unsigned syscalls_each, void (*fn)(void *ctx, size_t i), void *ctx)
{
        struct lsr_engine *e = io->current->ops->each ? io->current : io->sync;

        io->stats.syscalls += n * syscalls_each;
        e->ops->each(e, n, fn, ctx);
}

int lsr_io_open_dir(struct lsr_io *io, int dirfd, const char *path, bool follow)
{
        int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW);
        int fd = io->current->ops->before_open ? io->current->ops->before_open(io->current) : 0;

        if (fd < 0)
                return fd;
        io->stats.syscalls++;
        fd = openat(dirfd, path, flags);
        return fd < 0 ? -errno : fd;
}

int lsr_io_open_file(struct lsr_io *io, int dirfd, const char *path, bool follow)
{
        int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW);
        int fd = io->current->ops->before_open ? io->current->ops->before_open(io->current) : 0;

        if (fd < 0)
                return fd;
        io->stats.syscalls++;
        fd = openat(dirfd, path, flags | O_NOATIME);
        if (fd < 0 && errno == EPERM) {
                /* Somebody else's file. */
                io->stats.syscalls++;
                fd = openat(dirfd, path, flags);
        }
        return fd < 0 ? -errno : fd;
}

ssize_t lsr_io_read_dir(struct lsr_io *io, int fd, void *buf, size_t size)
{
        ssize_t n = io->current->ops->before_read_dir ? io->current->ops->before_read_dir(io->current) : 0;

        if (n < 0)
                return n;
        io->stats.syscalls++;
        n = syscall(SYS_getdents64, fd, buf, size);
        /* A directory that has been removed is at its end: POSIX has it so of readdir(). */
        if (n < 0)
                return errno == ENOENT ? 0 : -errno;
        if (io->current->ops->after_read_dir)
                n = (ssize_t)io->current->ops->after_read_dir(io->current, buf, (size_t)n, size);
        io->stats.bytes_read += (size_t)n;
        return n;
}
