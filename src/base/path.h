/* path - a directory and a name in it */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/arena.h"

/*
 * Write @dir, a '/' unless @dir is empty or ends in one, @name and a NUL: dir_len + 1 + name_len + 1 bytes of room.
 * Returns where the name begins.
 */
static inline size_t lsr_path_put(char *path, const char *dir, size_t dir_len, const char *name, size_t name_len)
{
        if (dir_len > 0) {
                memcpy(path, dir, dir_len);
                if (dir[dir_len - 1] != '/')
                        path[dir_len++] = '/';
        }
        memcpy(path + dir_len, name, name_len);
        path[dir_len + name_len] = '\0';
        return dir_len;
}

/* Is it empty, or nothing but dots and slashes, so that it most likely leads up to the root? */
static inline bool lsr_path_is_dots(const char *path, size_t n)
{
        while (n > 0 && (path[n - 1] == '.' || path[n - 1] == '/'))
                n--;
        return n == 0;
}

/* As lsr_path_put(), to be freed. */
static inline char *lsr_path_new(const char *dir, const char *name)
{
        size_t dir_len = strlen(dir), name_len = strlen(name);
        char *path = lsr_xmalloc(dir_len + 1 + name_len + 1);

        lsr_path_put(path, dir, dir_len, name, name_len);
        return path;
}

/* The path of @name in @dir, NULL: none, as GNU ls writes it: without "./" in front. */
static inline const char *lsr_path_shown(struct lsr_arena *arena, const char *dir, const char *name)
{
        size_t dir_len = !dir || (dir[0] == '.' && !dir[1]) ? 0 : strlen(dir), name_len = strlen(name);
        char *path = lsr_arena_text(arena, dir_len + 1 + name_len + 1);

        lsr_path_put(path, dir, dir_len, name, name_len);
        return path;
}

/* What stands behind the last '/'. */
static inline const char *lsr_path_name(const char *path)
{
        const char *slash = strrchr(path, '/');

        return slash ? slash + 1 : path;
}
