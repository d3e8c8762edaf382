/*
 * sync - plain system calls, one after the other
 *
 * The reference for the other engines, and the fastest for a handful of files:
 * a warm statx takes about a microsecond, setting up a ring a hundred.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "io/engine.h"

struct sync_engine {
        struct lsr_engine base;
        struct lsr_stat_batch batch;
};

void lsr_sync_stat(const struct lsr_stat_batch *batch, const struct lsr_stat_op *op)
{
        int flags = AT_NO_AUTOMOUNT | (batch->follow ? 0 : AT_SYMLINK_NOFOLLOW);
        struct statx stx;

        if (statx(batch->own_dirs ? op->dirfd : batch->dirfd, op->name, flags, lsr_meta_statx_mask(batch->fields),
                  &stx) == 0)
                lsr_meta_from_statx(op->meta, &stx);
        else
                op->meta->error = -errno;
}

bool lsr_file_read_complete(const struct lsr_file_read *file)
{
        if (file->ret <= 0 || (size_t)file->ret >= file->cap)
                return false;
        if (file->ends)
                return true;
        return file->size > 0 ? (size_t)file->ret == file->size : file->buf[file->ret - 1] == '\n';
}

void lsr_sync_read_file(struct lsr_file_read *file, unsigned *syscalls)
{
        int flags = LSR_FILE_FLAGS | O_CLOEXEC | file->flags;
        int fd = openat(file->below ? file->dirfd : AT_FDCWD, file->path, flags);
        size_t len = 0;
        ssize_t n = 1;

        file->ret = 0;
        (*syscalls)++;
        if (fd < 0 && errno == EPERM && (flags & O_NOATIME)) {
                fd = openat(file->below ? file->dirfd : AT_FDCWD, file->path, flags & ~O_NOATIME);
                (*syscalls)++;
        }
        if (fd < 0) {
                file->ret = -errno;
                return;
        }
        while (n > 0 && len < file->cap && !lsr_file_read_complete(file)) {
                n = read(fd, file->buf + len, file->cap - len);
                (*syscalls)++;
                if (n < 0 && errno == EINTR)
                        n = 1;
                else if (n > 0)
                        len += (size_t)n;
                file->ret = (ssize_t)len;
        }
        if (n < 0)
                file->ret = -errno;
        else
                file->ret = len == file->cap ? -EFBIG : (ssize_t)len;
        close(fd);
        (*syscalls)++;
}

static struct lsr_engine *sync_free(struct lsr_engine *e)
{
        free(e);
        return NULL;
}

static int sync_stat_begin(struct lsr_engine *e, const struct lsr_stat_batch *batch)
{
        ((struct sync_engine *)e)->batch = *batch;
        return 0;
}

static int sync_stat_add(struct lsr_engine *e, const struct lsr_stat_op *ops, size_t n)
{
        const struct lsr_stat_batch *batch = &((struct sync_engine *)e)->batch;

        for (size_t i = 0; i < n; i++)
                lsr_sync_stat(batch, &ops[i]);
        e->stats->syscalls += n;
        e->stats->sync_ops += n;
        return 0;
}

static int sync_stat_wait(struct lsr_engine *e)
{
        return 0;
}

static int sync_files_start(struct lsr_engine *e, struct lsr_file_read *files, size_t n)
{
        unsigned syscalls = 0;

        for (size_t i = 0; i < n; i++) {
                lsr_sync_read_file(&files[i], &syscalls);
                e->stats->bytes_read += files[i].ret > 0 ? (size_t)files[i].ret : 0;
        }
        e->stats->syscalls += syscalls;
        return 0;
}

static int sync_files_wait(struct lsr_engine *e)
{
        return 0;
}

static void sync_each(struct lsr_engine *e, size_t n, void (*fn)(void *ctx, size_t i), void *ctx)
{
        for (size_t i = 0; i < n; i++)
                fn(ctx, i);
}

static const struct lsr_engine_ops sync_ops = {
        .name = "sync",
        .free = sync_free,
        .stat_begin = sync_stat_begin,
        .stat_add = sync_stat_add,
        .stat_wait = sync_stat_wait,
        .files_start = sync_files_start,
        .files_wait = sync_files_wait,
        .each = sync_each,
};

struct lsr_engine *lsr_sync_new(struct lsr_io_stats *stats)
{
        struct sync_engine *e = lsr_xmalloc(sizeof(*e));

        *e = (struct sync_engine){ .base = { &sync_ops, stats } };
        return &e->base;
}
