/*
 * output - a file system of one file, which is being written
 *
 * The file is new and belongs to nobody else yet, and is thrown away if
 * anything fails: so there are no locks, no journal and no syncs.  SQLite writes
 * page by page, and mostly in order; what is adjacent is gathered into large
 * writes.  What it has written it hardly ever reads again.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "formats/sqlite/plain.h"
#include "formats/sqlite/write.h"

#define OUTPUT_PATH_MAX 64

struct lsr_sqlite_output {
        sqlite3_vfs base;
        char name[32];
        struct lsr_output *out;
        uint64_t at; /* where what is gathered belongs */
        size_t n;
        uint64_t size; /* of the file, with that */
        uint8_t buf[LSR_OUTPUT_BUFFER];
};

struct output_file {
        sqlite3_file base;
        struct lsr_sqlite_output *fs;
};

static struct lsr_sqlite_output *output_of(sqlite3_file *file)
{
        return ((struct output_file *)file)->fs;
}

int lsr_sqlite_output_flush(struct lsr_sqlite_output *fs)
{
        struct lsr_output *out = fs->out;
        size_t done = 0;

        while (done < fs->n && out->error == 0) {
                ssize_t r = pwrite(out->fd, fs->buf + done, fs->n - done, (off_t)(fs->at + done));

                if (r > 0)
                        done += (size_t)r;
                else if (r == 0 || errno != EINTR)
                        out->error = r == 0 ? -EIO : -errno;
        }
        fs->n = 0;
        out->at = fs->size;
        return out->error;
}

/* --- the file -------------------------------------------------------------------- */

static int output_close(sqlite3_file *file)
{
        return SQLITE_OK;
}

static int output_read(sqlite3_file *file, void *buf, int n, sqlite3_int64 offset)
{
        struct lsr_sqlite_output *fs = output_of(file);
        ssize_t got = 0;

        if (lsr_sqlite_output_flush(fs) < 0)
                return SQLITE_IOERR_READ;
        do
                got = (uint64_t)offset < fs->size ? pread(fs->out->fd, buf, (size_t)n, offset) : 0;
        while (got < 0 && errno == EINTR);
        if (got < 0) {
                fs->out->error = -errno;
                return SQLITE_IOERR_READ;
        }
        if (got == n)
                return SQLITE_OK;
        memset((char *)buf + got, 0, (size_t)(n - got));
        return SQLITE_IOERR_SHORT_READ;
}

static int output_write(sqlite3_file *file, const void *data, int n, sqlite3_int64 offset)
{
        struct lsr_sqlite_output *fs = output_of(file);

        /* A page, of 64 KiB at most. */
        if (((uint64_t)offset != fs->at + fs->n || sizeof(fs->buf) - fs->n < (size_t)n) &&
            lsr_sqlite_output_flush(fs) < 0)
                return fs->out->error == -ENOSPC ? SQLITE_FULL : SQLITE_IOERR_WRITE;
        if (fs->n == 0)
                fs->at = (uint64_t)offset;
        memcpy(fs->buf + fs->n, data, (size_t)n);
        fs->n += (size_t)n;
        if ((uint64_t)offset + (size_t)n > fs->size)
                fs->size = (uint64_t)offset + (size_t)n;
        return SQLITE_OK;
}

static int output_truncate(sqlite3_file *file, sqlite3_int64 size)
{
        struct lsr_sqlite_output *fs = output_of(file);

        if (lsr_sqlite_output_flush(fs) < 0 || ftruncate(fs->out->fd, size) < 0)
                return SQLITE_IOERR_TRUNCATE;
        fs->size = fs->out->at = (uint64_t)size;
        return SQLITE_OK;
}

static int output_size(sqlite3_file *file, sqlite3_int64 *ret_size)
{
        *ret_size = (sqlite3_int64)output_of(file)->size;
        return SQLITE_OK;
}

static int output_characteristics(sqlite3_file *file)
{
        return SQLITE_IOCAP_POWERSAFE_OVERWRITE | SQLITE_IOCAP_UNDELETABLE_WHEN_OPEN;
}

static const sqlite3_io_methods output_methods = {
        .iVersion = 1,
        .xClose = output_close,
        .xRead = output_read,
        .xWrite = output_write,
        .xTruncate = output_truncate,
        .xFileSize = output_size,
        .xDeviceCharacteristics = output_characteristics,
        LSR_SQLITE_PLAIN_FILE,
};

/* --- the file system ---------------------------------------------------------------- */

static int output_open(sqlite3_vfs *base, const char *name, sqlite3_file *file, int flags, int *ret_flags)
{
        struct output_file *f = (struct output_file *)file;

        f->base.pMethods = NULL;
        /* Journals and temporary files have no place here. */
        if (!name || !(flags & SQLITE_OPEN_MAIN_DB))
                return SQLITE_CANTOPEN;
        f->fs = base->pAppData;
        f->base.pMethods = &output_methods;
        if (ret_flags)
                *ret_flags = flags;
        return SQLITE_OK;
}

static int output_delete(sqlite3_vfs *base, const char *name, int sync)
{
        return SQLITE_IOERR_DELETE_NOENT;
}

static int output_access(sqlite3_vfs *base, const char *name, int flags, int *ret_yes)
{
        *ret_yes = 0;
        return SQLITE_OK;
}

/* Nothing that is stored depends on the time. */
static int output_time(sqlite3_vfs *base, double *ret_days)
{
        *ret_days = 2440587.5;
        return SQLITE_OK;
}

int lsr_sqlite_output_new(struct lsr_sqlite_output **ret_fs, struct lsr_output *out)
{
        struct lsr_sqlite_output *fs = lsr_xmalloc(sizeof(*fs));

        /* Not as a whole: the buffer is large. */
        fs->base = (sqlite3_vfs){
                .iVersion = 1,
                .szOsFile = sizeof(struct output_file),
                .mxPathname = OUTPUT_PATH_MAX,
                .zName = fs->name,
                .pAppData = fs,
                .xOpen = output_open,
                .xDelete = output_delete,
                .xAccess = output_access,
                .xCurrentTime = output_time,
                LSR_SQLITE_PLAIN_VFS,
        };
        /* Its address is a name that no other has at the same time. */
        snprintf(fs->name, sizeof(fs->name), "lsr-out-%p", (void *)fs);
        fs->out = out;
        fs->at = fs->size = 0;
        fs->n = 0;
        if (sqlite3_vfs_register(&fs->base, 0) != SQLITE_OK) {
                free(fs);
                return -ENOMEM;
        }
        *ret_fs = fs;
        return 0;
}

struct lsr_sqlite_output *lsr_sqlite_output_free(struct lsr_sqlite_output *fs)
{
        if (fs)
                sqlite3_vfs_unregister(&fs->base);
        free(fs);
        return NULL;
}

const char *lsr_sqlite_output_name(const struct lsr_sqlite_output *fs)
{
        return fs->name;
}
