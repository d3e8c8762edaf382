/*
 * pack-names - the files of --files-from, checked before anything is made
 *
 * Names are paths below one directory, and are stored as they are written.  The walk follows no symbolic link, so none
 * may lie on the way to a file that is named.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/path.h"
#include "cli/message.h"
#include "cli/name-list.h"
#include "cli/pack.h"
#include "formats/format.h"

#define NAMES_TOLD 10u /* names that cannot be packed, each with a line of its own */

struct names_check {
        const char *dir;
        const char *real; /* the same without links */
        bool follow;
        char *before; /* the directory of the last name, which is fine; owned */
        bool all;     /* the directory itself is named */
        uint64_t bad;
};

/* Components of @name apart by one '/' each, without ".".  False: it leads out, through "..", or is absolute. */
static bool names_clean(const char *name, char *ret_clean)
{
        char *to = ret_clean;

        if (*name == '/')
                return false;
        while (*name) {
                size_t n = strcspn(name, "/");

                if (n == 2 && name[0] == '.' && name[1] == '.')
                        return false;
                if (n > 0 && !(n == 1 && name[0] == '.')) {
                        if (to > ret_clean)
                                *to++ = '/';
                        to = mempcpy(to, name, n);
                }
                name += n + (name[n] == '/');
        }
        *to = '\0';
        return true;
}

/* Is there a link among the directories of @clean?  They are asked once for all that are in the same one. */
static bool names_through_link(struct names_check *c, const char *clean)
{
        const char *slash = strrchr(clean, '/');
        size_t len = slash ? (size_t)(slash - clean) : 0;

        if (len == 0 || c->follow || (c->before && strlen(c->before) == len && memcmp(c->before, clean, len) == 0))
                return false;
        for (size_t i = 1; i <= len; i++) {
                lsr_autofree char *part = lsr_xstrndup(clean, i), *path = lsr_path_new(c->real, part);
                struct stat st;

                if (clean[i] == '/' && lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
                        return true;
        }
        free(c->before);
        c->before = lsr_xstrndup(clean, len);
        return false;
}

static void names_refuse(struct names_check *c, const char *name, int error, const char *text)
{
        if (c->bad++ < NAMES_TOLD)
                lsr_message_errno(error, text, lsr_quoted_always(name), lsr_quoted_always(c->dir));
}

static void names_add(struct names_check *c, struct lsr_keep *keep, const char *name)
{
        lsr_autofree char *clean = lsr_xmalloc(strlen(name) + 1), *path = NULL;
        struct stat st;

        if (!names_clean(name, clean)) {
                names_refuse(c, name, 0, "%s is not below %s: use --directory=DIR");
                return;
        }
        path = lsr_path_new(c->real, clean);
        if ((c->follow ? stat : lstat)(path, &st) < 0)
                names_refuse(c, name, errno, "cannot access %s");
        else if (names_through_link(c, clean))
                names_refuse(c, name, 0, "%s is behind a symbolic link: name what that leads to, or use --dereference");
        else if (!*clean)
                c->all = true;
        else
                lsr_keep_add(keep, clean, strlen(clean), S_ISDIR(st.st_mode));
}

int lsr_pack_names(struct lsr_pack_plan *plan, const struct lsr_settings *settings, const char *dir,
                   struct lsr_walk_root *ret_root)
{
        lsr_autofree char *real = realpath(dir, NULL);
        struct names_check c = { .dir = dir, .real = real, .follow = plan->pack.follow };
        struct lsr_name_list names;
        struct lsr_keep *keep;
        struct stat st;
        int status;

        if (!real || stat(real, &st) < 0)
                return lsr_message_errno(errno, "cannot access %s", lsr_quoted_always(dir));
        if (!S_ISDIR(st.st_mode))
                return lsr_message_errno(ENOTDIR, "cannot access %s", lsr_quoted_always(dir));
        status = lsr_name_list_read(settings, &names);
        if (status)
                return status;
        keep = lsr_keep_new();
        for (size_t i = 0; i < names.n; i++)
                names_add(&c, keep, names.list[i]);
        if (c.bad > NAMES_TOLD)
                lsr_message("%s more names cannot be packed", lsr_grouped(c.bad - NAMES_TOLD));
        *ret_root = (struct lsr_walk_root){ .path = lsr_arena_strndup(&plan->texts, real, strlen(real)),
                                            .prefix = "",
                                            .is_dir = true,
                                            .bare = true,
                                            .keep = keep };
        if (c.bad == 0 && names.n == 0)
                status = lsr_message("nothing to pack: %s names no files", lsr_quoted_always(settings->files_from));
        free(c.before);
        lsr_name_list_free(&names);
        if (c.bad > 0 || status != 0 || c.all)
                ret_root->keep = lsr_keep_free(keep);
        return c.bad > 0 ? 2 : status;
}
