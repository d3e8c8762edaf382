/*
 * A memfd and not a pipe or messages: who parses reads at random, and as from a file.  Its size is sealed, so that a
 * mapping never ends before the object; a read-only descriptor stays one where nothing may be opened.
 */
#include "remote/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define STORE_REQUEST_BLOCKS (LSR_REMOTE_REQUEST_MAX / LSR_REMOTE_BLOCK)

int lsr_runs_add(struct lsr_runs *runs, uint64_t first, uint64_t end)
{
        if (runs->at == runs->n)
                runs->at = runs->n = 0;
        if (runs->n == runs->capacity) {
                size_t capacity = runs->capacity ? 2 * runs->capacity : 16;
                struct lsr_run *more = reallocarray(runs->runs, capacity, sizeof(*more));

                if (!more)
                        return -ENOMEM;
                runs->runs = more;
                runs->capacity = capacity;
        }
        runs->runs[runs->n++] = (struct lsr_run){ first, end };
        return 0;
}

bool lsr_runs_take(struct lsr_runs *runs, struct lsr_run *ret_run)
{
        if (runs->at == runs->n)
                return false;
        *ret_run = runs->runs[runs->at++];
        if (runs->at > 1024 && runs->at > runs->n / 2) {
                memmove(runs->runs, runs->runs + runs->at, (runs->n - runs->at) * sizeof(*runs->runs));
                runs->n -= runs->at;
                runs->at = 0;
        }
        return true;
}

void lsr_runs_end(struct lsr_runs *runs)
{
        free(runs->runs);
        *runs = (struct lsr_runs){ 0 };
}

/* A memfd of a size that stays. */
static int store_memfd(const char *name, uint64_t size)
{
        int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

        if (fd < 0)
                return -errno;
        if (ftruncate(fd, (off_t)size) < 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0) {
                int r = -errno;

                close(fd);
                return r;
        }
        return fd;
}

int lsr_store_begin(struct lsr_store *s, uint64_t size)
{
        *s = (struct lsr_store){ .size = size, .data = -1, .bits = -1 };
        if (size > LSR_REMOTE_SIZE_MAX)
                return -EFBIG;
        s->n_blocks = (size + LSR_REMOTE_BLOCK - 1) / LSR_REMOTE_BLOCK;
        s->bitmap_bytes = s->n_blocks / 8 + 1;
        s->asked = calloc(1, s->bitmap_bytes);
        if (!s->asked)
                return -ENOMEM;
        s->data = store_memfd("lsr-remote", size);
        if (s->data < 0)
                return s->data;
        s->bits = store_memfd("lsr-remote-blocks", s->bitmap_bytes);
        if (s->bits < 0)
                return s->bits;
        s->have = mmap(NULL, s->bitmap_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->bits, 0);
        if (s->have == MAP_FAILED) {
                s->have = NULL;
                return -errno;
        }
        return 0;
}

void lsr_store_end(struct lsr_store *s)
{
        if (s->have)
                munmap(s->have, s->bitmap_bytes);
        if (s->data >= 0)
                close(s->data);
        if (s->bits >= 0)
                close(s->bits);
        free(s->asked);
        lsr_runs_end(&s->ages);
        *s = (struct lsr_store){ .data = -1, .bits = -1 };
}

int lsr_store_reader(int fd)
{
        char path[32];
        int reader;

        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        reader = open(path, O_RDONLY | O_CLOEXEC);
        return reader < 0 ? -errno : reader;
}

bool lsr_store_has(const struct lsr_store *s, uint64_t block)
{
        return __atomic_load_n(&s->have[block / 8], __ATOMIC_RELAXED) >> block % 8 & 1;
}

bool lsr_store_asked(const struct lsr_store *s, uint64_t block)
{
        return s->asked[block / 8] >> block % 8 & 1;
}

void lsr_store_ask(struct lsr_store *s, struct lsr_run run, bool asked)
{
        for (uint64_t b = run.first; b < run.end; b++) {
                uint8_t bit = (uint8_t)(1u << b % 8);

                s->asked[b / 8] = (uint8_t)(asked ? s->asked[b / 8] | bit : s->asked[b / 8] & ~bit);
        }
}

struct lsr_run lsr_store_run(const struct lsr_store *s, struct lsr_remote_range range)
{
        if (!range.length)
                return (struct lsr_run){ 0, 0 };
        return (struct lsr_run){ range.offset / LSR_REMOTE_BLOCK,
                                 (range.offset + range.length - 1) / LSR_REMOTE_BLOCK + 1 };
}

int lsr_store_write(struct lsr_store *s, uint64_t offset, const void *data, size_t n)
{
        const uint8_t *p = data;

        if (offset > s->size || n > s->size - offset)
                return -ERANGE;
        while (n) {
                ssize_t done = pwrite(s->data, p, n, (off_t)offset);

                if (done < 0 && errno == EINTR)
                        continue;
                if (done <= 0)
                        return done < 0 ? -errno : -EIO;
                p += done;
                offset += (uint64_t)done;
                n -= (size_t)done;
        }
        return 0;
}

int lsr_store_mark(struct lsr_store *s, struct lsr_run run)
{
        for (uint64_t b = run.first; b < run.end; b++) {
                s->held += !lsr_store_has(s, b);
                __atomic_fetch_or(&s->have[b / 8], (uint8_t)(1u << b % 8), __ATOMIC_RELEASE);
        }
        lsr_store_ask(s, run, false);
        return lsr_runs_add(&s->ages, run.first, run.end);
}

/* The one of @keep that @block is in, or NULL. */
static bool store_kept(uint64_t block, const struct lsr_run *keep, size_t n_keep)
{
        for (size_t i = 0; i < n_keep; i++)
                if (block >= keep[i].first && block < keep[i].end)
                        return true;
        return false;
}

static void store_drop(struct lsr_store *s, uint64_t block)
{
        __atomic_fetch_and(&s->have[block / 8], (uint8_t) ~(1u << block % 8), __ATOMIC_RELEASE);
        (void)fallocate(s->data, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(block * LSR_REMOTE_BLOCK),
                        (off_t)LSR_REMOTE_BLOCK);
        s->held--;
}

void lsr_store_trim(struct lsr_store *s, uint64_t n, const struct lsr_run *keep, size_t n_keep)
{
        uint64_t max = LSR_REMOTE_HELD_MAX / LSR_REMOTE_BLOCK;
        size_t runs = s->ages.n - s->ages.at;
        struct lsr_run run;

        while (s->held + n > max && runs-- && lsr_runs_take(&s->ages, &run)) {
                for (uint64_t b = run.first; b < run.end; b++) {
                        if (!lsr_store_has(s, b))
                                continue;
                        if (store_kept(b, keep, n_keep))
                                (void)lsr_runs_add(&s->ages, b, b + 1);
                        else
                                store_drop(s, b);
                }
        }
}

static bool store_asked_between(const struct lsr_store *s, uint64_t first, uint64_t end)
{
        while (first < end && !lsr_store_asked(s, first))
                first++;
        return first < end;
}

int lsr_store_plan(struct lsr_store *s, const struct lsr_run *runs, size_t n, uint64_t gap, struct lsr_runs *ret_runs)
{
        struct lsr_run run = { 0, 0 };
        int r;

        for (size_t i = 0; i < n; i++)
                for (uint64_t b = runs[i].first; b < runs[i].end; b++) {
                        if (b < run.end || lsr_store_has(s, b) || lsr_store_asked(s, b))
                                continue;
                        if (run.end && b - run.end <= gap && b + 1 - run.first <= STORE_REQUEST_BLOCKS &&
                            !store_asked_between(s, run.end, b)) {
                                run.end = b + 1;
                                continue;
                        }
                        r = run.end ? lsr_runs_add(ret_runs, run.first, run.end) : 0;
                        if (r < 0)
                                return r;
                        lsr_store_ask(s, run, true);
                        run = (struct lsr_run){ b, b + 1 };
                }
        r = run.end ? lsr_runs_add(ret_runs, run.first, run.end) : 0;
        if (r == 0)
                lsr_store_ask(s, run, true);
        return r;
}
