/* spool - a memfd that turns into a temporary file when it grows */
#include "source/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/stdfds.h"

enum { SPOOL_NONE, SPOOL_MEMORY, SPOOL_FILE };

static int spool_memory(struct lsr_spool *s)
{
        lsr_fsize_guard();
        s->fd = memfd_create("lsr", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        if (s->fd < 0)
                return -errno;
        s->kind = SPOOL_MEMORY;
        return 0;
}

int lsr_spool_file(void)
{
        const char *dirs[] = { getenv("TMPDIR"), "/var/tmp", "/tmp" };
        int fd = -1;

        lsr_fsize_guard();
        /* mkostemp would leave a name for a moment, and O_TMPFILE is known to all file systems that matter. */
        for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs) && fd < 0; i++)
                if (dirs[i] && dirs[i][0] == '/')
                        fd = open(dirs[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        return fd < 0 ? -errno : fd;
}

static int spool_to_file(struct lsr_spool *s)
{
        int fd = lsr_spool_file();
        off_t from = 0;

        if (fd < 0)
                return fd;
        while ((uint64_t)from < s->size) {
                ssize_t n = sendfile(fd, s->fd, &from, (size_t)(s->size - (uint64_t)from));

                if (n <= 0) {
                        int error = n < 0 ? -errno : -EIO;

                        close(fd);
                        return error;
                }
        }
        close(s->fd);
        s->fd = fd;
        s->kind = SPOOL_FILE;
        return 0;
}

static int spool_make_room(struct lsr_spool *s, uint64_t n)
{
        int r = s->kind == SPOOL_NONE ? spool_memory(s) : 0;

        if (r < 0)
                return r;
        if (n > lsr_limit(LSR_LIMIT_SPOOL) - s->size)
                return LSR_LIMIT_EXCEEDED;
        return s->kind == SPOOL_MEMORY && s->size + n > LSR_SPOOL_MEMORY_MAX ? spool_to_file(s) : 0;
}

int lsr_spool_hole(struct lsr_spool *s, uint64_t n)
{
        int r = spool_make_room(s, n);

        if (r < 0)
                return r;
        if (ftruncate(s->fd, (off_t)(s->size + n)) < 0 || lseek(s->fd, (off_t)(s->size + n), SEEK_SET) < 0)
                return -errno;
        s->size += n;
        return 0;
}

int lsr_spool_write(struct lsr_spool *s, const void *data, size_t n)
{
        const char *p = data;
        int r = spool_make_room(s, n);

        while (r == 0 && n > 0) {
                ssize_t done = write(s->fd, p, n);

                if (done < 0 && errno == EINTR)
                        continue;
                if (done < 0)
                        return -errno;
                p += done;
                n -= (size_t)done;
                s->size += (uint64_t)done;
        }
        return r;
}

int lsr_spool_reopen(int fd)
{
        char path[sizeof("/proc/self/fd/") + 3 * sizeof(fd)];
        int again;

        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        again = open(path, O_RDONLY | O_CLOEXEC);
        return again < 0 ? -errno : again;
}

int lsr_spool_finish(struct lsr_spool *s)
{
        int r = s->kind == SPOOL_NONE ? spool_memory(s) : 0, reader;

        if (r < 0)
                return r;
        if (s->kind == SPOOL_MEMORY)
                return fcntl(s->fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0 ? -errno
                                                                                                               : 0;
        /* Without /proc it stays writable, and the filter of the process that gets it is what keeps it. */
        reader = lsr_spool_reopen(s->fd);
        if (reader >= 0) {
                close(s->fd);
                s->fd = reader;
        }
        return 0;
}

void lsr_spool_drop(struct lsr_spool *s)
{
        if (s->kind != SPOOL_NONE)
                close(s->fd);
        *s = (struct lsr_spool){};
}
