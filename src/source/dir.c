/*
 * dir - getdents64 without a copy
 *
 * readdir() hands out one entry a call from a buffer of 32 KiB; a directory of
 * 10,000 names is 13 system calls then, and 2 with DIR_BUFFER.  For an engine
 * that starts at once the first read is smaller, so that metadata is under way
 * while the rest is read.
 */
#include "source/dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define DIR_BUFFER_FIRST ((size_t)64 << 10)
#define DIR_BUFFER ((size_t)512 << 10)
#define DIR_IN_PLACE 2 /* lots whose names stay where they are */

#define DIR_TRIES_MAX 100 /* of a call that a signal interrupts */

/* Bytes that the kernel leaves unused at the end of a full buffer: the largest record. */
#define DIR_RECORD_MAX 280

int lsr_dir_open(struct lsr_dir *ret_dir, struct lsr_io *io, const char *path, bool follow)
{
        int fd = lsr_io_open_dir(io, AT_FDCWD, path, follow);

        if (fd < 0)
                return fd;
        *ret_dir = (struct lsr_dir){ .io = io, .fd = fd };
        return 0;
}

void lsr_dir_close(struct lsr_dir *dir)
{
        if (dir->fd < 0)
                return;
        close(dir->fd);
        lsr_io_count(dir->io, 1);
        dir->fd = -1;
}

/*
 * Entries of @len bytes of @buf, with names there, or copied to @text, which is left behind them.  Returns their
 * number.
 */
static size_t dir_fill(struct lsr_entry *entries, const char *buf, ssize_t len, char **text)
{
        size_t n = 0;

        for (const char *p = buf; p < buf + len;) {
                const struct dirent *d = (const struct dirent *)(const void *)p;
                size_t name_len = strlen(d->d_name);
                const char *name = d->d_name;

                if (text) {
                        name = memcpy(*text, name, name_len + 1);
                        *text += name_len + 1;
                }
                entries[n++] = (struct lsr_entry){
                        .name = name,
                        .name_len = (uint32_t)name_len,
                        .type = d->d_type,
                        .meta = { .known = LSR_FIELD_INODE, .inode = d->d_ino },
                };
                p += d->d_reclen;
        }
        return n;
}

/* How many entries are in @len bytes of @buf? */
static size_t dir_count(const char *buf, ssize_t len)
{
        size_t n = 0;

        for (const char *p = buf; p < buf + len; n++)
                p += ((const struct dirent *)(const void *)p)->d_reclen;
        return n;
}

int lsr_dir_next(struct lsr_dir *dir, struct lsr_arena *arena, struct lsr_dir_lot *ret_lot)
{
        size_t size = dir->steady || (dir->lots == 0 && lsr_io_eager(dir->io)) ? DIR_BUFFER_FIRST : DIR_BUFFER;
        bool copy = dir->lots >= DIR_IN_PLACE && !dir->steady;
        char *buf = copy && dir->buf ? dir->buf : lsr_arena_alloc(arena, size), *text;
        struct lsr_entry *entries;
        size_t n;
        ssize_t len;

        for (unsigned tries = 0; (len = lsr_io_read_dir(dir->io, dir->fd, buf, size)) == -EINTR; tries++)
                if (tries == DIR_TRIES_MAX)
                        break;
        if (len < 0)
                return (int)len;
        dir->lots++;
        if (copy) {
                dir->buf = buf;
                n = dir_count(buf, len);
                entries = lsr_arena_new(arena, struct lsr_entry, n);
                text = lsr_arena_text(arena, (size_t)len - n * offsetof(struct dirent, d_name));
                dir_fill(entries, buf, len, &text);
                lsr_arena_trim(arena, text);
        } else {
                lsr_arena_trim(arena, buf + len);
                entries = lsr_arena_new(arena, struct lsr_entry, (size_t)len / offsetof(struct dirent, d_name[5]));
                n = dir_fill(entries, buf, len, NULL);
                lsr_arena_trim(arena, (char *)(entries + n));
        }
        *ret_lot = (struct lsr_dir_lot){ entries, n, (size_t)len + DIR_RECORD_MAX < size };
        return 0;
}
