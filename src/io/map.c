/*
 * map - asking the kernel what is cached before it is mapped
 *
 * cachestat(2), Linux 6.5, counts the cached pages of a range without touching them. fstat is called by its
 * number, since glibc's calls newfstatat, which takes a path and is refused in the worker.  Large files are
 * sampled: counting 600 MB would take a millisecond.  On older kernels files are read.
 */
#include "io/map.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io/io.h"
#include "io/read.h"

#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif

/* With few addresses no file takes any. */
#define MAP_MAX (sizeof(void *) < sizeof(uint64_t) ? 0 : SIZE_MAX / 2)
#define MAP_MIN ((uint64_t)256 << 10) /* below, a read or two get all of it */
#define MAP_SAMPLES 8u
#define MAP_SAMPLE ((uint64_t)1 << 20) /* what is no larger is looked at as a whole */
#define MAP_PAGE UINT64_C(4096)

/* As in linux/mman.h. */
struct map_range {
        uint64_t offset;
        uint64_t length;
};

struct map_cachestat {
        uint64_t cached; /* pages */
        uint64_t dirty;
        uint64_t writeback;
        uint64_t evicted;
        uint64_t recently_evicted;
};

/* Is nearly all of it cached, as far as samples tell? */
static bool map_is_cached(struct lsr_reads *reads, int fd, uint64_t offset, uint64_t size)
{
        unsigned n = size > MAP_SAMPLE ? MAP_SAMPLES : 1;
        uint64_t step = size / n;

        for (unsigned i = 0; i < n; i++) {
                struct map_range range = { offset + i * step, step < MAP_SAMPLE ? step : MAP_SAMPLE };
                struct map_cachestat stat;

                reads->stats->syscalls++;
                if (syscall(SYS_cachestat, fd, &range, &stat, 0) < 0 || stat.cached < range.length / MAP_PAGE / 8 * 7)
                        return false;
        }
        return true;
}

static int map_make(struct lsr_io *io, int fd, uint64_t offset, uint64_t size, bool cold, struct lsr_map *ret_map)
{
        struct lsr_reads *reads = lsr_io_reads(io);
        uint64_t before = offset % (uint64_t)sysconf(_SC_PAGESIZE);
        struct stat st;
        void *base;

        if (reads->way != LSR_READS_AUTO || size < MAP_MIN || size > MAP_MAX)
                return 1;
        reads->stats->syscalls++;
        if (syscall(SYS_fstat, fd, &st) < 0 || !S_ISREG(st.st_mode) || (uint64_t)st.st_size < offset ||
            (uint64_t)st.st_size - offset < size || (!cold && !map_is_cached(reads, fd, offset, size)))
                return 1;
        reads->stats->syscalls++;
        base = mmap(NULL, (size_t)(before + size), PROT_READ, MAP_PRIVATE, fd, (off_t)(offset - before));
        if (base == MAP_FAILED)
                return 1;
        if (cold)
                madvise(base, (size_t)(before + size), MADV_RANDOM);
        *ret_map = (struct lsr_map){ (uint8_t *)base + before, base, (size_t)(before + size) };
        return 0;
}

int lsr_io_map(struct lsr_io *io, int fd, uint64_t offset, uint64_t size, struct lsr_map *ret_map)
{
        return map_make(io, fd, offset, size, false, ret_map);
}

int lsr_io_map_cold(struct lsr_io *io, int fd, uint64_t offset, uint64_t size, struct lsr_map *ret_map)
{
        return map_make(io, fd, offset, size, true, ret_map);
}

void lsr_io_unmap(struct lsr_map *map)
{
        if (map->base)
                munmap(map->base, map->length);
        *map = (struct lsr_map){ NULL, NULL, 0 };
}

static void map_advise(const struct lsr_map *map, uint64_t offset, uint64_t n, int advice)
{
        uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)map->data + offset;

        if (map->base)
                madvise((void *)(at & -page), (size_t)(n + (at & (page - 1))), advice);
}

void lsr_io_map_want(const struct lsr_map *map, uint64_t offset, uint64_t n)
{
        map_advise(map, offset, n, MADV_WILLNEED);
}

void lsr_io_map_forget(const struct lsr_map *map, uint64_t offset, uint64_t n)
{
        map_advise(map, offset, n, MADV_DONTNEED);
}
