/*
 * cold - drop_caches(5) for root, posix_fadvise(2) for the others
 *
 * Dirty pages cannot be dropped; those of bundles never are dirty.
 */
#include "compare/cold.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/self.h"
#include "compare/ways.h"

bool lsr_cold_never(const char *path)
{
        struct statfs fs;

        return statfs(path, &fs) == 0 && ((uint32_t)fs.f_type == TMPFS_MAGIC || (uint32_t)fs.f_type == RAMFS_MAGIC);
}

/* The program that a way executes is not part of its input. */
static void cold_keep_program(void)
{
        int fd = open(LSR_SELF, O_RDONLY | O_CLOEXEC);
        void *program;
        struct stat st;

        if (fd < 0)
                return;
        if (fstat(fd, &st) == 0) {
                program = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
                if (program != MAP_FAILED)
                        munmap(program, (size_t)st.st_size);
        }
        close(fd);
}

bool lsr_cold_drop_all(void)
{
        int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
        bool done;

        if (fd < 0)
                return false;
        sync();
        done = write(fd, "3", 1) == 1;
        close(fd);
        if (done)
                cold_keep_program();
        return done;
}

static int cold_lot(void *ctx, const struct way_item *items, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                int fd = items[i].link ? -1
                                       : openat(items[i].dirfd, items[i].name,
                                                O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);

                if (fd < 0)
                        continue;
                posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
                close(fd);
        }
        return 0;
}

void lsr_cold_drop_tree(const char *dir)
{
        const struct lsr_way_job job = { .dir = dir };
        struct lsr_way_report report = {};
        struct way w = { .job = &job, .report = &report };

        sync();
        way_walk(&w, cold_lot, NULL);
}

void lsr_cold_drop_files(const int *fds, size_t n)
{
        for (size_t i = 0; i < n; i++)
                posix_fadvise(fds[i], 0, 0, POSIX_FADV_DONTNEED);
}
