/*
 * arena - blocks come straight from mmap
 *
 * malloc serves large requests by mmap as well, but copies them when they grow
 * and returns them to the kernel at moments of its own choosing.  A listing
 * wants neither: blocks double up to 16 MiB and stay until the reset.
 */
#include "base/arena.h"

#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/compat.h"

#define ARENA_FIRST_BLOCK ((size_t)4 << 20)
#define ARENA_MIN_BLOCK ((size_t)256 << 10)
#define ARENA_LARGEST_BLOCK ((size_t)16 << 20)

#define ARENA_FORGET_MIN ((size_t)1 << 20) /* bytes for which a call pays */

#define ARRAY_FIRST 64 /* elements of one that grows */

#define HEAP_EXPECT ((size_t)24 << 20)
#define HEAP_MAP ((size_t)4 << 20)
#define HEAP_PAGE ((size_t)2 << 20)

struct lsr_arena_block {
        struct lsr_arena_block *older;
        size_t size; /* whole mapping, bytes */
        _Alignas(16) char data[];
};

/* The first arena of the process starts here: no system call, no page before its use. */
static _Alignas(16) char arena_first[ARENA_FIRST_BLOCK];
static atomic_bool arena_first_taken;

_Thread_local struct lsr_last_resort lsr_last_resort;

_Noreturn void lsr_exhausted(void)
{
        static const char text[] = "lsr: memory exhausted\n";
        struct lsr_last_resort last = lsr_last_resort;

        lsr_last_resort = (struct lsr_last_resort){};
        if (last.save)
                last.save(last.ctx);
        (void)!write(2, text, sizeof(text) - 1);
        _exit(2);
}

static void arena_unmap(struct lsr_arena_block *block)
{
        if ((char *)block == arena_first)
                arena_first_taken = false;
        else
                munmap(block, block->size);
}

/* A block for @n bytes at least.  0 or -ENOMEM. */
static int arena_try_block(struct lsr_arena *a, size_t n)
{
        size_t size = a->block_size ? a->block_size : ARENA_MIN_BLOCK;
        struct lsr_arena_block *block = MAP_FAILED;

        if (n > SIZE_MAX / 2)
                return -ENOMEM;
        if (n + sizeof(*block) <= ARENA_FIRST_BLOCK && !atomic_exchange(&arena_first_taken, true)) {
                size = ARENA_FIRST_BLOCK;
                block = (struct lsr_arena_block *)arena_first;
        } else {
                while (size < n + sizeof(*block) && size < ARENA_LARGEST_BLOCK)
                        size *= 2;
                if (size < n + sizeof(*block))
                        size = (n + sizeof(*block) + HEAP_PAGE - 1) & -HEAP_PAGE;
                block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        }
        if (block == MAP_FAILED)
                return -ENOMEM;
        block->size = size;
        block->older = a->blocks;
        a->blocks = block;
        a->next = block->data;
        a->end = (char *)block + size;
        a->block_size = size < ARENA_LARGEST_BLOCK ? size * 2 : ARENA_LARGEST_BLOCK;
        return 0;
}

static void arena_add_block(struct lsr_arena *a, size_t n)
{
        if (arena_try_block(a, n) < 0)
                lsr_exhausted();
}

int lsr_arena_reserve(struct lsr_arena *a, size_t n)
{
        return a->blocks && (size_t)(a->end - a->next) >= n ? 0 : arena_try_block(a, n);
}

char *lsr_arena_text(struct lsr_arena *a, size_t n)
{
        char *p;

        if (!a->blocks || (size_t)(a->end - a->next) < n)
                arena_add_block(a, n);
        p = a->next;
        a->next += n;
        return p;
}

void lsr_arena_trim(struct lsr_arena *a, char *end)
{
        a->next = end;
}

void *lsr_arena_alloc(struct lsr_arena *a, size_t n)
{
        size_t gap = -(uintptr_t)a->next & 15;
        char *p = a->next + gap;

        if (!a->blocks || (size_t)(a->end - a->next) < n + gap || n > SIZE_MAX / 2) {
                arena_add_block(a, n);
                p = a->next;
        }
        a->next = p + n;
        return p;
}

void *lsr_arena_alloc_n(struct lsr_arena *a, size_t size, size_t n)
{
        size_t bytes;

        if (__builtin_mul_overflow(size, n, &bytes))
                lsr_exhausted();
        return lsr_arena_alloc(a, bytes);
}

void lsr_arena_forget(const void *p, size_t n)
{
        const uintptr_t page = 4096, begin = ((uintptr_t)p + page - 1) & -page, end = ((uintptr_t)p + n) & -page;

        if (n >= ARENA_FORGET_MIN && begin < end)
                madvise((void *)begin, end - begin, MADV_DONTNEED);
}

char *lsr_arena_strndup(struct lsr_arena *a, const char *s, size_t len)
{
        char *p = lsr_arena_text(a, len + 1);

        memcpy(p, s, len);
        p[len] = '\0';
        return p;
}

void lsr_arena_reset(struct lsr_arena *a)
{
        struct lsr_arena_block *keep = NULL, *older;

        for (struct lsr_arena_block *b = a->blocks; b; b = older) {
                older = b->older;
                if (!keep || b->size > keep->size) {
                        if (keep)
                                arena_unmap(keep);
                        keep = b;
                } else {
                        arena_unmap(b);
                }
        }
        a->blocks = keep;
        if (keep) {
                keep->older = NULL;
                a->next = keep->data;
                a->end = (char *)keep + keep->size;
        }
}

void lsr_arena_adopt(struct lsr_arena *a, struct lsr_arena *from)
{
        struct lsr_arena_block **oldest = &a->blocks;

        while (*oldest)
                oldest = &(*oldest)->older;
        *oldest = from->blocks;
        *from = (struct lsr_arena){};
}

void lsr_arena_free(struct lsr_arena *a)
{
        struct lsr_arena_block *older;

        if (!a)
                return;
        for (struct lsr_arena_block *b = a->blocks; b; b = older) {
                older = b->older;
                arena_unmap(b);
        }
        *a = (struct lsr_arena){};
}

/* Whole large pages of a range; if the kernel has none, it stays as it is. */
static void heap_advise(char *begin, size_t n)
{
        char *first = begin + (-(uintptr_t)begin & (HEAP_PAGE - 1));
        size_t skip = (size_t)(first - begin);

        if (skip < n)
                madvise(first, (n - skip) & ~(HEAP_PAGE - 1), MADV_HUGEPAGE);
}

/*
 * Pages of the heap keep what was advised for them: a piece that is advised and freed at once is where the next ones
 * come from.  What is smaller than HEAP_MAP stays in the heap from then on, and the heap stays.
 */
void lsr_heap_large(void)
{
        static bool done;
        void *p;

        if (done)
                return;
        done = true;
        heap_advise(arena_first, sizeof(arena_first));
        if (!mallopt(M_TRIM_THRESHOLD, INT_MAX) || !mallopt(M_MMAP_THRESHOLD, HEAP_EXPECT + HEAP_MAP))
                return;
        p = malloc(HEAP_EXPECT);
        mallopt(M_MMAP_THRESHOLD, HEAP_MAP);
        if (p)
                heap_advise(p, HEAP_EXPECT);
        free(p);
}

void *lsr_try_realloc(void *p, size_t size, size_t n)
{
        size_t bytes;

        return __builtin_mul_overflow(size, n, &bytes) ? NULL : realloc(p, bytes ? bytes : 1);
}

void *lsr_xmalloc(size_t n)
{
        return lsr_xrealloc(NULL, n);
}

void *lsr_xrealloc(void *p, size_t n)
{
        p = realloc(p, n ? n : 1);
        if (!p)
                lsr_exhausted();
        return p;
}

char *lsr_xstrdup(const char *s)
{
        size_t n = strlen(s) + 1;

        return memcpy(lsr_xmalloc(n), s, n);
}

char *lsr_xstrndup(const char *s, size_t n)
{
        size_t len = n ? strnlen(s, n) : 0;
        char *copy = lsr_xmalloc(len + 1);

        *(char *)mempcpy(copy, len ? s : "", len) = '\0';
        return copy;
}

char *lsr_xprintf(const char *format, ...)
{
        va_list args;
        char *text;

        va_start(args, format);
        if (vasprintf(&text, format, args) < 0)
                lsr_exhausted();
        va_end(args);
        return text;
}

void *lsr_xgrow(void *p, size_t size, size_t n, size_t *cap)
{
        assert(n <= *cap);
        if (n < *cap)
                return p;
        *cap = *cap ? 2 * *cap : ARRAY_FIRST;
        p = lsr_try_realloc(p, size, *cap);
        if (!p)
                lsr_exhausted();
        return p;
}

void *lsr_xrenew(void *p, size_t n, size_t *cap)
{
        if (p && n <= *cap)
                return p;
        free(p);
        *cap = n;
        return lsr_xmalloc(n);
}
