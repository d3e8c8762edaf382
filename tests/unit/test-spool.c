/*
 * Spools: what is written comes back, and when nothing more is coming nobody can write.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "source/spool.h"

#define PIECE ((size_t)1 << 20)

/* A spool of @n bytes, each the low byte of which mebibyte it is in. */
static struct lsr_spool filled(uint64_t n)
{
        struct lsr_spool s = {};
        char *piece = malloc(PIECE);

        for (uint64_t at = 0; at < n; at += PIECE) {
                memset(piece, (int)(at / PIECE), PIECE);
                cr_assert_eq(lsr_spool_write(&s, piece, n - at < PIECE ? (size_t)(n - at) : PIECE), 0);
        }
        free(piece);
        cr_assert_eq(lsr_spool_finish(&s), 0);
        cr_assert_eq(s.size, n);
        return s;
}

static void check_only_read(int fd)
{
        void *map = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

        cr_assert_eq(map, MAP_FAILED);
        cr_assert_lt(pwrite(fd, "x", 1, 0), 0);
        cr_assert_lt(ftruncate(fd, (off_t)1 << 30), 0);
        cr_assert_lt(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096), 0);
}

Test(spool, of_memory)
{
        struct lsr_spool s = filled(3 * PIECE);
        char byte;

        check_only_read(s.fd);
        cr_assert_eq(pread(s.fd, &byte, 1, (off_t)(2 * PIECE)), 1);
        cr_assert_eq(byte, 2);
        lsr_spool_drop(&s);
}

Test(spool, of_nothing)
{
        struct lsr_spool s = filled(0);

        check_only_read(s.fd);
        lsr_spool_drop(&s);
}

Test(spool, of_a_file)
{
        struct lsr_spool s = filled(LSR_SPOOL_MEMORY_MAX + PIECE);
        char byte;

        check_only_read(s.fd);
        cr_assert_eq(fcntl(s.fd, F_GETFL) & O_ACCMODE, O_RDONLY);
        cr_assert_eq(fcntl(s.fd, F_GETFD), FD_CLOEXEC);
        cr_assert_eq(pread(s.fd, &byte, 1, (off_t)(LSR_SPOOL_MEMORY_MAX - 1)), 1);
        cr_assert_eq(byte, 63);
        cr_assert_eq(lseek(s.fd, 0, SEEK_END), (off_t)(LSR_SPOOL_MEMORY_MAX + PIECE));
        lsr_spool_drop(&s);
}
