/*
 * sync - plain system calls, one after the other
 *
 * The reference for the other engines, and the fastest for a handful of files:
 * a warm statx takes about a microsecond, setting up a ring a hundred.
 *
 * lsr_sync_run() does any operation.  Threads run it, and so does the ring for
 * what it cannot do itself.
 */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "io/engine.h"

#ifndef SYS_getxattrat
#define SYS_getxattrat 464
#define SYS_listxattrat 465
#endif

#define SYNC_XATTR_FIRST 1024
#define SYNC_XATTR_MAX ((size_t)64 << 10) /* of a list, and of a value: XATTR_LIST_MAX, XATTR_SIZE_MAX of the kernel */

/* ---- files ---- */

int lsr_op_open_flags(const struct lsr_op *op)
{
        return O_RDONLY | O_NONBLOCK | O_NOCTTY | (op->follow ? 0 : O_NOFOLLOW) | op->data->flags;
}

static int sync_open_file(const struct lsr_op *op, struct lsr_io_stats *stats)
{
        int flags = lsr_op_open_flags(op) | O_CLOEXEC, fd;

        stats->syscalls++;
        fd = openat(op->dirfd, op->name, flags);
        if (fd < 0 && errno == EPERM && (flags & O_NOATIME)) {
                /* Somebody else's file. */
                stats->syscalls++;
                fd = openat(op->dirfd, op->name, flags & ~O_NOATIME);
        }
        return fd < 0 ? -errno : fd;
}

static void sync_open(const struct lsr_op *op, struct lsr_io_stats *stats)
{
        op->data->ret = sync_open_file(op, stats);
}

bool lsr_file_is_complete(const struct lsr_op_data *file)
{
        if (file->ret <= 0 || (size_t)file->ret >= file->cap)
                return false;
        if (file->ends)
                return true;
        return file->size > 0 ? (size_t)file->ret == file->size : file->buf[file->ret - 1] == '\n';
}

static void sync_read_file(const struct lsr_op *op, struct lsr_io_stats *stats)
{
        struct lsr_op_data *file = op->data;
        int fd = sync_open_file(op, stats);
        size_t len = 0;
        ssize_t n = 1;

        file->ret = fd < 0 ? fd : 0;
        if (fd < 0)
                return;
        while (n > 0 && len < file->cap && !lsr_file_is_complete(file)) {
                n = read(fd, file->buf + len, file->cap - len);
                stats->syscalls++;
                if (n < 0 && errno == EINTR)
                        n = 1;
                else if (n > 0)
                        len += (size_t)n;
                file->ret = (ssize_t)len;
        }
        if (n < 0)
                file->ret = -errno;
        else if (len == file->cap)
                file->ret = -EFBIG;
        else
                stats->bytes_read += len;
        if (file->leave_open)
                return;
        close(fd);
        stats->syscalls++;
}

/* With offsets of 64 bits the C library has the kernel's entries; dirent64 is glibc's alone. */
static_assert(sizeof(ino_t) == 8 && offsetof(struct dirent, d_name) == 19, "struct dirent is not getdents64()'s");

static void sync_read_dir(const struct lsr_op *op, struct lsr_io_stats *stats)
{
        ssize_t n = syscall(SYS_getdents64, op->dirfd, op->data->buf, op->data->cap);

        stats->syscalls++;
        stats->bytes_read += n > 0 ? (size_t)n : 0;
        /* A directory that has been removed is at its end: POSIX has it so of readdir(). */
        op->data->ret = n >= 0 ? n : errno == ENOENT ? 0 : -errno;
}

static void sync_read_link(const struct lsr_op *op, struct lsr_io_stats *stats)
{
        ssize_t n = readlinkat(op->dirfd, op->name, op->data->buf, op->data->cap);

        stats->syscalls++;
        op->data->ret = n < 0 ? -errno : n;
}

/* ---- extended attributes ---- */

/* The argument of getxattrat(2). */
struct sync_xattr_args {
        uint64_t value;
        uint32_t size;
        uint32_t flags;
};

/*
 * listxattrat(2) and getxattrat(2), of Linux 6.13, take a directory's descriptor.
 * Before them there is no way to name a file below one but through /proc.
 */
static ssize_t sync_xattr_at(const struct lsr_op *op, struct lsr_io_stats *stats, void *buf, size_t size)
{
        static atomic_bool missing;
        struct sync_xattr_args args = { (uintptr_t)buf, (uint32_t)size, 0 };
        int flags = op->follow ? 0 : AT_SYMLINK_NOFOLLOW;
        ssize_t n;

        if (atomic_load_explicit(&missing, memory_order_relaxed))
                return -ENOSYS;
        stats->syscalls++;
        if (op->kind == LSR_OP_GET_XATTR)
                n = syscall(SYS_getxattrat, op->dirfd, op->name, flags, op->data->attribute, &args, sizeof(args));
        else
                n = syscall(SYS_listxattrat, op->dirfd, op->name, flags, buf, size);
        if (n >= 0)
                return n;
        if (errno == ENOSYS)
                atomic_store_explicit(&missing, true, memory_order_relaxed);
        return -errno;
}

static ssize_t sync_xattr_path(const struct lsr_op *op, struct lsr_io_stats *stats, const char *path, void *buf,
                               size_t size)
{
        stats->syscalls++;
        if (op->kind == LSR_OP_GET_XATTR)
                return (op->follow ? getxattr : lgetxattr)(path, op->data->attribute, buf, size);
        return (op->follow ? listxattr : llistxattr)(path, buf, size);
}

/*
 * Without /proc the thread goes to the directory for a moment, having a working
 * directory of its own.  A descriptor of the file would have to be one for
 * reading: not everybody gets that, and opening a FIFO or a device is noticed.
 */
static ssize_t sync_xattr_there(const struct lsr_op *op, struct lsr_io_stats *stats, void *buf, size_t size)
{
        lsr_autoclose int back = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
        ssize_t n;

        stats->syscalls += 5;
        if (back < 0 || unshare(CLONE_FS) < 0 || fchdir(op->dirfd) < 0)
                return -ENOENT;
        n = sync_xattr_path(op, stats, op->name, buf, size);
        n = n < 0 ? -errno : n;
        if (fchdir(back) < 0)
                abort(); /* operands would be looked for there */
        return n;
}

static ssize_t sync_xattr_call(const struct lsr_op *op, struct lsr_io_stats *stats, void *buf, size_t size)
{
        char path[PATH_MAX];
        ssize_t n;

        if (op->dirfd == AT_FDCWD) {
                n = sync_xattr_path(op, stats, op->name, buf, size);
                return n < 0 ? -errno : n;
        }
        n = sync_xattr_at(op, stats, buf, size);
        if (n != -ENOSYS && n != -EPERM)
                return n;
        if (snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", op->dirfd, op->name) >= (int)sizeof(path))
                return -ENAMETOOLONG;
        n = sync_xattr_path(op, stats, path, buf, size);
        if (n < 0 && errno == ENOENT)
                return sync_xattr_there(op, stats, buf, size);
        return n < 0 ? -errno : n;
}

/* Most files have no attributes, and none of the others many. */
static void sync_xattr(const struct lsr_op *op, struct lsr_io_stats *stats)
{
        char first[SYNC_XATTR_FIRST], *all = first;
        ssize_t n = sync_xattr_call(op, stats, first, sizeof(first));

        if (n == -ERANGE) {
                all = lsr_xmalloc(SYNC_XATTR_MAX);
                n = sync_xattr_call(op, stats, all, SYNC_XATTR_MAX);
        }
        if (n > 0) {
                op->data->buf = lsr_xmalloc((size_t)n + 1);
                memcpy(op->data->buf, all, (size_t)n);
                op->data->buf[n] = '\0';
        }
        if (all != first)
                free(all);
        op->data->ret = n;
}

/* ---- stat ---- */

static void sync_attributes(const struct lsr_op *op, struct lsr_io_stats *stats)
{
        char names[SYNC_XATTR_FIRST];
        ssize_t n = sync_xattr_at(op, stats, names, sizeof(names));

        if (n < 0 && n != -ENOTSUP && n != -ENODATA)
                return;
        op->meta->attributes = (uint16_t)lsr_meta_attributes(names, n < 0 ? 0 : (size_t)n);
        op->meta->known |= LSR_FIELD_ATTRIBUTES;
}

static void sync_stat(const struct lsr_op *op, struct lsr_io_stats *stats)
{
        int flags = AT_NO_AUTOMOUNT | (op->follow ? 0 : AT_SYMLINK_NOFOLLOW);
        struct statx stx;

        stats->syscalls++;
        if (statx(op->dirfd, op->name, flags, op->mask, &stx) == 0) {
                lsr_meta_from_statx(op->meta, &stx);
                if (op->attributes)
                        sync_attributes(op, stats);
        } else {
                op->meta->error = -errno;
        }
}

void lsr_sync_run(const struct lsr_op *op, struct lsr_io_stats *stats)
{
        static void (*const kinds[LSR_OP_KINDS])(const struct lsr_op *op, struct lsr_io_stats *stats) = {
                [LSR_OP_STAT] = sync_stat,           [LSR_OP_READ_FILE] = sync_read_file,
                [LSR_OP_READ_LINK] = sync_read_link, [LSR_OP_LIST_XATTRS] = sync_xattr,
                [LSR_OP_GET_XATTR] = sync_xattr,     [LSR_OP_OPEN] = sync_open,
                [LSR_OP_READ_DIR] = sync_read_dir,
        };

        assert(op->kind < LSR_OP_KINDS);
        kinds[op->kind](op, stats);
}

/* ---- the engine ---- */

static struct lsr_engine *sync_free(struct lsr_engine *e)
{
        free(e);
        return NULL;
}

static void sync_add(struct lsr_engine *e, const struct lsr_op *ops, size_t n)
{
        for (size_t i = 0; i < n; i++)
                lsr_sync_run(&ops[i], e->stats);
        e->stats->sync_ops += n;
}

static const struct lsr_engine_ops sync_ops = {
        .name = "sync",
        .free = sync_free,
        .add = sync_add,
};

struct lsr_engine *lsr_sync_new(struct lsr_io_stats *stats)
{
        struct lsr_engine *e = lsr_xmalloc(sizeof(*e));

        *e = (struct lsr_engine){ &sync_ops, stats };
        return e;
}
