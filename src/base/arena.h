/*
 * arena - memory that lives as long as a listing
 *
 * Blocks are taken from the kernel in growing sizes and handed out by moving a
 * pointer.  Nothing is freed piecemeal; lsr_arena_reset() gives everything
 * back at once and keeps the largest block for the next directory.
 *
 * Allocation never fails to the caller: a process that lists directories and
 * cannot get memory has nothing useful left to do, so exhaustion ends it with
 * one line on standard error and exit status 2.
 */
#pragma once

#include <errno.h>
#include <stddef.h>

struct lsr_arena_block;

struct lsr_arena {
        char *next;                     /* first free byte of the current block */
        char *end;                      /* its end */
        struct lsr_arena_block *blocks; /* all blocks, newest first */
        size_t block_size;              /* what the next block will measure, bytes */
};

/* A zeroed struct is an empty arena.  Alignment is 16 bytes; n may be 0. */
void *lsr_arena_alloc(struct lsr_arena *a, size_t n);

/* The same without alignment, for text. */
char *lsr_arena_text(struct lsr_arena *a, size_t n);

/* Give back what lies behind @end of the text that was allocated last. */
void lsr_arena_trim(struct lsr_arena *a, char *end);

/* Nothing of these bytes is needed any more: whole pages of them go back to the kernel if they are many. */
void lsr_arena_forget(const void *p, size_t n);

/* A NUL-terminated copy of @len bytes. */
char *lsr_arena_strndup(struct lsr_arena *a, const char *s, size_t len);

/* Forget all allocations.  The largest block is kept. */
void lsr_arena_reset(struct lsr_arena *a);

/* What @from has allocated is @a's from now on, and @from is empty. */
void lsr_arena_adopt(struct lsr_arena *a, struct lsr_arena *from);

/* Give all memory back.  NULL is fine. */
void lsr_arena_free(struct lsr_arena *a);

#define lsr_arena_new(a, type, n) ((type *)lsr_arena_alloc_n((a), sizeof(type), (n)))
void *lsr_arena_alloc_n(struct lsr_arena *a, size_t size, size_t n);

/*
 * Announce that the functions below will allocate much, in many growing pieces: the first megabytes then come in
 * large pages, each of which saves five hundred page faults.  Has an effect once in a process.
 */
void lsr_heap_large(void);

/* One line, and the end of the program; before that what the thread that wants memory has as its last resort. */
_Noreturn void lsr_exhausted(void);

/* Saves what was done so far, or does not return.  It allocates nothing, and is called once. */
struct lsr_last_resort {
        void (*save)(void *ctx); /* NULL: there is none */
        void *ctx;
};
extern _Thread_local struct lsr_last_resort lsr_last_resort;

/* malloc and realloc with the same doctrine: they return memory or end the program. */
void *lsr_xmalloc(size_t n);
void *lsr_xrealloc(void *p, size_t n);
char *lsr_xstrdup(const char *s);
char *lsr_xstrndup(const char *s, size_t n);
char *lsr_xprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Room for one more than the @n elements of the array at @p, for *@cap of which there is room; it doubles.  A zeroed
 * array is an empty one.
 */
#define lsr_grow(p, n, cap) (*(p) = lsr_xgrow(*(p), sizeof(**(p)), (n), (cap)))
void *lsr_xgrow(void *p, size_t size, size_t n, size_t *cap);

/* Room for @n bytes in the buffer at @p, for *@cap of which there is room.  What was in a smaller one is lost. */
#define lsr_renew(p, n, cap) (*(p) = lsr_xrenew(*(p), (n), (cap)))
void *lsr_xrenew(void *p, size_t n, size_t *cap);

/*
 * For arrays that grow with a file made by others: a lack of memory for them does not end the program.  The pointer
 * at @p is that of an array, or NULL, and becomes that of one for @n elements; 0, or -ENOMEM and it is as it was.
 */
#define lsr_try_resize(p, n)                                                \
        ({                                                                  \
                void *resized_ = lsr_try_realloc(*(p), sizeof(**(p)), (n)); \
                resized_ ? (*(p) = resized_, 0) : -ENOMEM;                  \
        })
void *lsr_try_realloc(void *p, size_t size, size_t n);

/*
 * Make sure that the next allocations of an arena, @n bytes with their gaps, need nothing from the kernel.  0 or
 * -ENOMEM.
 */
int lsr_arena_reserve(struct lsr_arena *a, size_t n);
