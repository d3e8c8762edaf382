/* map: what is cached is memory, only where that is asked for, and reads the same */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "formats/input.h"
#include "io/io.h"
#include "io/map.h"

static uint8_t map_byte(uint64_t at)
{
        return (uint8_t)(at * 2654435761u >> 7);
}

static int map_file(size_t size)
{
        char path[] = "/tmp/lsr-test-map-XXXXXX";
        int fd = mkstemp(path);
        uint8_t *data = lsr_xmalloc(size);

        cr_assert_geq(fd, 0);
        unlink(path);
        for (size_t i = 0; i < size; i++)
                data[i] = map_byte(i);
        cr_assert_eq(write(fd, data, size), (ssize_t)size);
        free(data);
        return fd;
}

static struct lsr_io *map_io(const char *engine)
{
        struct lsr_io *io;

        cr_assert_eq(lsr_io_new(&io, engine), 0);
        return io;
}

/* Pages of a range that are cached; -1: an older kernel does not tell. */
static int64_t map_cached(int fd, uint64_t offset, uint64_t size)
{
        const uint64_t range[2] = { offset, size };
        uint64_t stat[5];

        return syscall(451, fd, range, stat, 0) == 0 ? (int64_t)stat[0] : -1;
}

static bool map_can(int fd)
{
        return sizeof(void *) >= 8 && map_cached(fd, 0, 4096) >= 0;
}

/* Pages of files that this process has mapped and touched. */
static long map_touched(void)
{
        FILE *f = fopen("/proc/self/statm", "re");
        long pages = 0;

        if (!f)
                cr_skip_test("no /proc");
        cr_assert_eq(fscanf(f, "%*d %*d %ld", &pages), 1);
        fclose(f);
        return pages;
}

Test(map, only_where_it_is_right)
{
        struct lsr_io *io = map_io("auto"), *plain = map_io("sync");
        int fd = map_file((size_t)1 << 20), pipe_fds[2];
        struct lsr_map map;

        cr_assert_eq(pipe(pipe_fds), 0);
        cr_assert_eq(lsr_io_map(plain, fd, 0, 1 << 20, &map), 1);
        cr_assert_eq(lsr_io_map(io, fd, 0, 4096, &map), 1, "small");
        cr_assert_eq(lsr_io_map(io, fd, 0, (1 << 20) + 1, &map), 1, "beyond the end");
        cr_assert_eq(lsr_io_map(io, fd, 2 << 20, 1 << 19, &map), 1, "behind the end");
        cr_assert_eq(lsr_io_map(io, pipe_fds[0], 0, 1 << 20, &map), 1);
        if (map_can(fd)) {
                cr_assert_eq(lsr_io_map(io, fd, 4711, 1 << 19, &map), 0);
                for (size_t i = 0; i < 1 << 19; i++)
                        cr_assert_eq(map.data[i], map_byte(4711 + i));
                lsr_io_map_forget(&map, 4000, 2000);
                cr_assert_eq(map.data[5000], map_byte(9711));
                lsr_io_unmap(&map);
                cr_assert_null(map.data);
        }
        close(fd);
        close(pipe_fds[0]);
        close(pipe_fds[1]);
        lsr_io_free(io);
        lsr_io_free(plain);
}

/* Of a range that comes from the disk, large or small, nothing is mapped. */
Test(map, only_what_is_cached)
{
        const uint64_t half = (uint64_t)2 << 20;
        struct lsr_io *io = map_io("auto");
        int fd = map_file(2 * half);
        struct lsr_map map;

        cr_assert_eq(fsync(fd), 0);
        cr_assert_eq(posix_fadvise(fd, (off_t)half, (off_t)half, POSIX_FADV_DONTNEED), 0);
        if (map_cached(fd, half, half) != 0)
                cr_skip_test("this kernel does not tell, or /tmp is in memory");
        if (!map_can(fd))
                cr_skip_test("nothing is mapped here");
        cr_assert_eq(lsr_io_map(io, fd, half, half, &map), 1);
        cr_assert_eq(lsr_io_map(io, fd, half + 4711, 1 << 19, &map), 1);
        cr_assert_eq(lsr_io_map(io, fd, 0, 2 * half, &map), 1, "half of it");
        cr_assert_eq(lsr_io_map(io, fd, 0, half, &map), 0);
        lsr_io_unmap(&map);
        close(fd);
        lsr_io_free(io);
}

/* What is let go of takes no memory, and the rest does. */
Test(map, forgets)
{
        const uint64_t size = (uint64_t)32 << 20;
        struct lsr_io *io = map_io("auto");
        int fd = map_file(size);
        struct lsr_map map;
        long before, all, rest;
        unsigned sum = 0;

        if (!map_can(fd))
                cr_skip_test("this kernel does not tell what is cached");
        before = map_touched();
        cr_assert_eq(lsr_io_map(io, fd, 0, size, &map), 0);
        for (uint64_t at = 0; at < size; at += 4096)
                sum += map.data[at];
        all = map_touched();
        lsr_io_map_forget(&map, 0, size / 2);
        rest = map_touched();
        cr_assert_gt(all - before, 7000, "%u", sum);
        cr_assert_geq(all - rest, 3500);
        cr_assert_leq(all - rest, 4700);
        lsr_io_unmap(&map);
        close(fd);
        lsr_io_free(io);
}

/* Of an input, from an odd place; reading it goes on as before. */
Test(map, of_an_input)
{
        const uint64_t offset = 4096 + 17, size = ((uint64_t)1 << 20) - 5000;
        struct lsr_io *io = map_io("auto");
        int fd = map_file((size_t)1 << 20);
        struct lsr_input *in;
        const uint8_t *data, *map;

        cr_assert_eq(lsr_input_file(&in, io, fd, offset, size), 0);
        cr_assert_geq(lsr_input_peek(in, 1000, &data), 1000);
        lsr_input_take(in, 10);
        map = lsr_input_map(in);
        cr_assert_eq(map != NULL, map_can(fd));
        cr_assert_eq(lsr_input_map(in), map);
        cr_assert_geq(lsr_input_peek(in, 100, &data), 100);
        cr_assert_eq(data[0], map_byte(offset + 10));
        for (uint64_t at = 0; map && at < size; at++)
                cr_assert_eq(map[at], map_byte(offset + at));
        lsr_input_map_rest(in, 0, size);
        if (map)
                cr_assert_eq(map[size - 1], map_byte(offset + size - 1));
        lsr_input_free(in);
        close(fd);
        lsr_io_free(io);
}

/* The end that is kept, and a view, are the bytes of the file, mapped or not. */
Test(map, ends_and_views)
{
        const uint64_t offset = 4096 + 17, size = ((uint64_t)3 << 20) - 5000;
        static const char *const engines[] = { "auto", "sync" };
        int fd = map_file((size_t)3 << 20);

        for (size_t e = 0; e < 2; e++) {
                struct lsr_io *io = map_io(engines[e]);
                bool can = e == 0 && map_can(fd);
                static const size_t sizes[] = { 100, 128 << 10, 2 << 20, 100 };
                struct lsr_input *in;
                const uint8_t *data;
                uint8_t last[50];

                cr_assert_eq(lsr_input_file(&in, io, fd, offset, size), 0);
                for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
                        cr_assert_eq(lsr_input_keep_end(in, sizes[i], &data), (ssize_t)sizes[i]);
                        for (uint64_t at = 0; at < sizes[i]; at++)
                                cr_assert_eq(data[at], map_byte(offset + size - sizes[i] + at));
                        cr_assert_eq(lsr_input_read_at(in, last, 100, size - 50), 50);
                        cr_assert_eq(last[49], map_byte(offset + size - 1));
                }
                data = lsr_input_view(in, 4711, 1 << 20);
                cr_assert_eq(data != NULL, can);
                for (uint64_t at = 0; data && at < 1 << 20; at++)
                        cr_assert_eq(data[at], map_byte(offset + 4711 + at));
                cr_assert_null(lsr_input_view(in, 4711, 4096), "small");
                cr_assert_null(lsr_input_view(in, size - 1000, 1 << 20), "beyond the end");
                cr_assert_null(lsr_input_view(in, UINT64_MAX - 10, 1 << 20));
                cr_assert_eq(lsr_input_keep_end(in, 1 << 20, &data), 1 << 20);
                cr_assert_eq(data[0], map_byte(offset + size - (1 << 20)));
                lsr_input_free(in);
                lsr_io_free(io);
        }
        close(fd);
}
