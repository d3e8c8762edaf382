/*
 * total - a walk that keeps nothing
 *
 * Depth first with one arena that is reset a directory, so memory is that of
 * the largest directory and of the paths still to visit.
 */
#include "listing/total.h"

#include <stdlib.h>
#include <string.h>

#include "listing/extra.h"
#include "source/dir.h"

struct total_stack {
        char **paths; /* owned, as each path is */
        size_t n;
        size_t cap;
};

static void total_push(struct total_stack *s, const char *path)
{
        if (s->n == s->cap) {
                s->cap = s->cap ? 2 * s->cap : 64;
                s->paths = lsr_xrealloc(s->paths, s->cap * sizeof(*s->paths));
        }
        s->paths[s->n++] = lsr_xstrdup(path);
}

static uint64_t total_lot(struct lsr_dir *dir, const char *path, struct lsr_dir_lot *lot, struct lsr_arena *arena,
                          struct total_stack *stack)
{
        struct lsr_stat_op *ops = lsr_arena_new(arena, struct lsr_stat_op, lot->n);
        uint64_t sum = 0;

        for (size_t i = 0; i < lot->n; i++)
                ops[i] = (struct lsr_stat_op){ lot->entries[i].name, &lot->entries[i].meta };
        if (lsr_io_stat(dir->io,
                        &(struct lsr_stat_batch){
                                .dirfd = dir->fd, .fields = LSR_FIELD_TYPE | LSR_FIELD_SIZE, .expected = lot->n },
                        ops, lot->n) < 0)
                return 0;
        for (size_t i = 0; i < lot->n; i++) {
                struct lsr_entry *e = &lot->entries[i];

                if (e->meta.error || lsr_entry_is_dots(e->name))
                        continue;
                if (S_ISDIR(e->meta.mode))
                        total_push(stack, lsr_path_join(arena, path, e->name));
                else
                        sum += e->meta.size;
        }
        return sum;
}

uint64_t lsr_total_size(struct lsr_io *io, const char *path)
{
        struct total_stack stack = {};
        struct lsr_arena arena = {};
        uint64_t sum = 0;

        total_push(&stack, path);
        while (stack.n > 0) {
                char *next = stack.paths[--stack.n];
                struct lsr_dir_lot lot;
                struct lsr_dir dir;

                if (lsr_dir_open(&dir, io, next, false) == 0) {
                        while (lsr_dir_next(&dir, &arena, &lot) == 0 && lot.n > 0)
                                sum += total_lot(&dir, next, &lot, &arena, &stack);
                        lsr_dir_close(&dir);
                }
                lsr_arena_reset(&arena);
                free(next);
        }
        free(stack.paths);
        lsr_arena_free(&arena);
        return sum;
}
