/*
 * include - a walk before the walk
 *
 * Whether a directory is stored depends on what is in it.  So the names are matched first, and what matches becomes a
 * set of paths as git makes one.
 */
#include "pack/include.h"

#include <string.h>
#include <sys/stat.h>

int lsr_pack_include(const struct lsr_pack_options *options, struct lsr_excludes *includes, struct lsr_walk_root *root,
                     uint64_t *n)
{
        struct lsr_walk *walk = lsr_walk_new(&(struct lsr_walk_options){
                .io = options->walk_io,
                .roots = root,
                .n_roots = 1,
                .excludes = options->excludes,
                .follow = options->follow,
                .one_file_system = options->one_file_system,
                .sizes_only = true,
        });
        size_t skip = root->prefix[0] ? strlen(root->prefix) + 1 : 0;
        struct lsr_keep *keep = lsr_keep_new();
        struct lsr_walk_lot lot = {};
        int r = 0;

        lsr_excludes_root(includes, root->given, root->prefix, root->path);
        while (r >= 0 && (r = lsr_walk_next(walk, &lot)) > 0) {
                for (size_t i = 0; i < lot.n; i++) {
                        const struct lsr_walk_item *item = &lot.items[i];
                        bool is_dir = item->below || S_ISDIR(item->meta.mode);
                        char *path = (char *)(uintptr_t)item->path;
                        int error = item->meta.error ? item->meta.error : item->dir_error;

                        if (lsr_pack_is_exhausted(error)) {
                                lsr_pack_unseen(options, item);
                                r = error;
                                break;
                        }
                        if (item->path_len <= skip)
                                continue;
                        if (!lsr_excludes_has(includes, path + skip, item->name, is_dir)) {
                                /* Something in it might have matched, and it may not be entered again. */
                                if (item->dir_error)
                                        lsr_pack_unseen(options, item);
                                continue;
                        }
                        lsr_keep_add(keep, item->path + skip, item->path_len - skip, is_dir);
                        ++*n;
                }
        }
        lsr_walk_lot_free(&lot);
        lsr_walk_free(walk);
        lsr_keep_free(root->keep);
        root->keep = keep;
        return r;
}
