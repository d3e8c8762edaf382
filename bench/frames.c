/*
 * frames - what the size of compressed frames costs and saves
 *
 *      frames TAR FRAME_BYTES LEVEL MEMBERS SEED
 *
 * Cuts a tar into zstd frames by the rule of LSR1: small members share a frame until it holds FRAME_BYTES; one
 * of that size and more begins frames of its own, of four times as much.  Then decodes all of it, and MEMBERS
 * files in random order, each from the frames that hold it and as if nothing was decoded before.  One thread,
 * everything in memory: so it is the frame size that is compared and not programs.
 *
 * lsr --pack has one size (LSR1_GROUP in formats/lsr1/write.c) and no option for another.
 *
 * Prints tab-separated: frames, bytes, sequential ns, random ns for a member (medians of five).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <zstd.h>

enum { MAIN_ROUNDS = 5, MAIN_LARGER = 4 };

struct frame {
        size_t at, raw; /* in the tar */
        size_t packed_at, packed;
};

struct member {
        size_t at, size; /* of its content, in the tar */
        size_t frame;    /* that it begins in */
};

static struct frame *main_frames;
static struct member *main_members;
static size_t main_n_frames, main_n_members;

_Noreturn static void main_fail(const char *what)
{
        fprintf(stderr, "frames: %s\n", what);
        exit(1);
}

static void *main_alloc(size_t n, size_t size)
{
        void *p = calloc(n, size);

        if (!p)
                main_fail("memory");
        return p;
}

static uint64_t main_now(void)
{
        struct timespec t;

        clock_gettime(CLOCK_MONOTONIC, &t);
        return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int main_compare(const void *a, const void *b)
{
        uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

        return x < y ? -1 : x > y;
}

static uint64_t main_median(uint64_t *values)
{
        qsort(values, MAIN_ROUNDS, sizeof *values, main_compare);
        return values[MAIN_ROUNDS / 2];
}

static void main_end_frame(size_t *start, size_t end)
{
        if (end == *start)
                return;
        main_frames[main_n_frames++] = (struct frame){ .at = *start, .raw = end - *start };
        *start = end;
}

/* Headers of long names and times stay with the member behind them. */
static void main_cut(const char *tar, size_t size, size_t most)
{
        size_t start = 0;

        for (size_t at = 0; at + 512 <= size && tar[at];) {
                uint64_t length = strtoull(tar + at + 124, NULL, 8), padded = (length + 511) / 512 * 512;
                char type = tar[at + 156];

                if (padded > size - at - 512)
                        main_fail("the tar is cut off");
                at += 512;
                if ((type == '0' || type == '\0') && length >= most) {
                        main_end_frame(&start, at);
                        main_members[main_n_members++] = (struct member){ at, length, main_n_frames };
                        for (size_t left = padded; left > 0;) {
                                size_t part = left < MAIN_LARGER * most ? left : MAIN_LARGER * most;

                                main_end_frame(&start, start + part);
                                left -= part;
                        }
                } else if (type == '0' || type == '\0') {
                        main_members[main_n_members++] = (struct member){ at, length, main_n_frames };
                }
                at += padded;
                if (at - start >= most && type != 'x' && type != 'L')
                        main_end_frame(&start, at);
        }
        main_end_frame(&start, size);
}

static void main_decode(ZSTD_DCtx *d, char *to, const char *packed, const struct frame *f)
{
        if (ZSTD_decompressDCtx(d, to, f->raw, packed + f->packed_at, f->packed) != f->raw)
                main_fail("a frame cannot be decoded");
}

int main(int argc, char **argv)
{
        uint64_t sequential[MAIN_ROUNDS], random[MAIN_ROUNDS], state;
        size_t size, most, wanted, largest = 0, room = 0, packed_size = 0;
        struct stat st;
        char *tar, *packed, *out;
        ZSTD_CCtx *c = ZSTD_createCCtx();
        ZSTD_DCtx *d = ZSTD_createDCtx();
        int fd;

        if (argc != 6 || !c || !d) {
                fputs("usage: frames TAR FRAME_BYTES LEVEL MEMBERS SEED\n", stderr);
                return 2;
        }
        fd = open(argv[1], O_RDONLY | O_CLOEXEC);
        if (fd < 0 || fstat(fd, &st) < 0 || st.st_size < 512)
                main_fail(argv[1]);
        size = (size_t)st.st_size;
        most = strtoull(argv[2], NULL, 10);
        wanted = strtoull(argv[4], NULL, 10);
        state = strtoull(argv[5], NULL, 10);
        if (most < 512 || wanted == 0)
                main_fail("bad numbers");
        tar = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
        if (tar == MAP_FAILED)
                main_fail("mmap");
        main_frames = main_alloc(size / 512 + 1, sizeof *main_frames);
        main_members = main_alloc(size / 512 + 1, sizeof *main_members);
        main_cut(tar, size, most);
        if (main_n_members == 0)
                main_fail("no files in the tar");

        for (size_t i = 0; i < main_n_frames; i++) {
                room += ZSTD_compressBound(main_frames[i].raw);
                if (main_frames[i].raw > largest)
                        largest = main_frames[i].raw;
        }
        packed = main_alloc(room, 1);
        out = main_alloc(largest, 1);
        ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, atoi(argv[3]));
        ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
        for (size_t i = 0; i < main_n_frames; i++) {
                struct frame *f = &main_frames[i];

                f->packed_at = packed_size;
                f->packed = ZSTD_compress2(c, packed + packed_size, room - packed_size, tar + f->at, f->raw);
                if (ZSTD_isError(f->packed))
                        main_fail("zstd");
                packed_size += f->packed;
        }

        for (size_t round = 0; round < MAIN_ROUNDS; round++) {
                uint64_t start = main_now();

                for (size_t i = 0; i < main_n_frames; i++) {
                        main_decode(d, out, packed, &main_frames[i]);
                        if (memcmp(out, tar + main_frames[i].at, 512) != 0)
                                main_fail("a frame decodes to something else");
                }
                sequential[round] = main_now() - start;
                start = main_now();
                for (size_t i = 0; i < wanted; i++) {
                        const struct member *m;

                        state = state * 6364136223846793005u + 1442695040888963407u;
                        m = &main_members[(state >> 33) % main_n_members];
                        for (size_t f = m->frame;
                             f < main_n_frames && main_frames[f].at < m->at + (m->size ? m->size : 1); f++)
                                main_decode(d, out, packed, &main_frames[f]);
                }
                random[round] = (main_now() - start) / wanted;
        }
        printf("%zu\t%zu\t%" PRIu64 "\t%" PRIu64 "\n", main_n_frames, packed_size, main_median(sequential),
               main_median(random));
        return 0;
}
