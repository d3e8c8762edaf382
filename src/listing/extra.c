/*
 * extra - link targets, what they lead to, ACL marks, contexts, capabilities
 *
 * The mark behind the mode bits takes GNU ls two getxattr calls a file, three
 * for a directory.  One llistxattr answers the same, as it is presence that
 * counts; only a context has to be read.
 */
#include "listing/extra.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/path.h"

#define EXTRA_XATTR_LIST_MAX 65536 /* XATTR_LIST_MAX of the kernel */

struct extra_work {
        const struct lsr_extra_job *job;
        struct lsr_entry **entries;
};

/* Everything about members of bundles is known, and they have no path for the kernel.  */
static bool extra_on_disk(const struct lsr_entry *e)
{
        return lsr_entry_stat_ok(e) && !(e->flags & LSR_ENTRY_MEMBER);
}

char *lsr_path_join(struct lsr_arena *arena, const char *dir, const char *name)
{
        size_t dir_len = !dir || (dir[0] == '.' && !dir[1]) ? 0 : strlen(dir);
        size_t name_len = strlen(name);
        char *path = lsr_arena_text(arena, dir_len + 1 + name_len + 1);

        lsr_path_put(path, dir, dir_len, name, name_len);
        return path;
}

/* Runs in workers: no arena here.  The room for the target was allocated before. */
static void extra_read_link(void *ctx, size_t i)
{
        const struct extra_work *work = ctx;
        struct lsr_entry *e = work->entries[i];
        ssize_t len = readlinkat(work->job->dirfd, e->name, (char *)(uintptr_t)e->extra->target, e->extra->target_len);

        e->extra->link_error = len < 0 ? -errno : 0;
        e->extra->target_len = len < 0 ? 0 : (uint32_t)len;
        if (len < 0)
                e->extra->target = NULL;
        else
                ((char *)(uintptr_t)e->extra->target)[len] = '\0';
}

static void extra_links(const struct lsr_extra_job *job, struct lsr_entry **entries, size_t n)
{
        struct extra_work work = { job, lsr_arena_new(job->arena, struct lsr_entry *, n) };
        struct lsr_stat_op *ops = lsr_arena_new(job->arena, struct lsr_stat_op, n);
        struct lsr_meta *metas;
        size_t links = 0;

        for (size_t i = 0; i < n; i++) {
                struct lsr_entry *e = entries[i];
                size_t room;

                if (!S_ISLNK(lsr_entry_mode(e)) || !extra_on_disk(e))
                        continue;
                /* st_size is the length of the target, but some file systems say 0. */
                room = e->meta.size > 0 && e->meta.size < PATH_MAX ? e->meta.size + 1 : PATH_MAX;
                e->extra->target = lsr_arena_text(job->arena, room + 1);
                e->extra->target_len = (uint32_t)room;
                work.entries[links++] = e;
        }
        if (!links)
                return;
        lsr_io_each(job->io, links, 1, extra_read_link, &work);
        if (!job->want->link_target_mode)
                return;
        metas = lsr_arena_new(job->arena, struct lsr_meta, links);
        for (size_t i = 0; i < links; i++) {
                metas[i] = (struct lsr_meta){};
                ops[i] = (struct lsr_stat_op){ work.entries[i]->name, &metas[i] };
        }
        lsr_io_stat(job->io,
                    &(struct lsr_stat_batch){ .dirfd = job->dirfd,
                                              .follow = true,
                                              .fields = LSR_FIELD_TYPE | LSR_FIELD_MODE,
                                              .expected = links },
                    ops, links);
        for (size_t i = 0; i < links; i++) {
                work.entries[i]->extra->link_ok = metas[i].error == 0 && work.entries[i]->extra->target;
                work.entries[i]->extra->target_mode = metas[i].mode;
        }
}

/* Runs in workers, so the context is allocated; extra_xattrs() moves it into the arena. */
static void extra_read_context(struct lsr_entry *e, const char *path, bool follow)
{
        char value[4096];
        ssize_t len = follow ? getxattr(path, "security.selinux", value, sizeof(value) - 1)
                             : lgetxattr(path, "security.selinux", value, sizeof(value) - 1);

        if (len <= 0)
                return;
        value[len] = '\0';
        /* What SELinux says of a file without a context. */
        if (strcmp(value, "unlabeled") != 0)
                e->extra->context = strdup(value);
}

static void extra_use_names(struct lsr_entry *e, const char *names, ssize_t len, const char *path, bool follow,
                            bool want_cap)
{
        bool context = false, acl = false;

        for (const char *p = names; p < names + len; p += strlen(p) + 1) {
                context |= strcmp(p, "security.selinux") == 0;
                acl |= strcmp(p, "system.posix_acl_access") == 0 || strcmp(p, "system.posix_acl_default") == 0;
                e->extra->has_cap |= want_cap && strcmp(p, "security.capability") == 0;
        }
        if (context)
                extra_read_context(e, path, follow);
        if (acl)
                e->extra->acl = LSR_ACL_YES;
        else if (e->extra->context)
                e->extra->acl = LSR_ACL_CONTEXT;
}

static void extra_read_xattrs(void *ctx, size_t i)
{
        const struct extra_work *work = ctx;
        struct lsr_entry *e = work->entries[i];
        bool follow = e->flags & LSR_ENTRY_FOLLOWED;
        struct lsr_arena arena = {};
        char local[PATH_MAX + 256], names[1024];
        const char *dir = work->job->dir ? work->job->dir : "";
        size_t dir_len = strlen(dir);
        const char *path = local;
        ssize_t len;

        if (dir_len + e->name_len + 2 <= sizeof(local)) {
                lsr_path_put(local, dir, dir_len, e->name, e->name_len);
        } else {
                path = e->name; /* ENAMETOOLONG, as for GNU ls */
        }
        len = follow ? listxattr(path, names, sizeof(names)) : llistxattr(path, names, sizeof(names));
        if (len >= 0) {
                extra_use_names(e, names, len, path, follow, work->job->want->cap);
        } else if (errno == ERANGE) {
                char *all = lsr_arena_text(&arena, EXTRA_XATTR_LIST_MAX);

                len = follow ? listxattr(path, all, EXTRA_XATTR_LIST_MAX) : llistxattr(path, all, EXTRA_XATTR_LIST_MAX);
                if (len >= 0)
                        extra_use_names(e, all, len, path, follow, work->job->want->cap);
                lsr_arena_free(&arena);
        } else if (errno != ENOTSUP && errno != ENODATA) {
                e->extra->xattr_error = -errno;
        }
}

static void extra_xattrs(const struct lsr_extra_job *job, struct lsr_entry **entries, size_t n)
{
        struct extra_work work = { job, lsr_arena_new(job->arena, struct lsr_entry *, n) };
        bool all = job->want->acl || job->want->context;
        size_t count = 0;

        for (size_t i = 0; i < n; i++)
                if (extra_on_disk(entries[i]) && (all || S_ISREG(entries[i]->meta.mode)))
                        work.entries[count++] = entries[i];
        lsr_io_each(job->io, count, 1, extra_read_xattrs, &work);
        /* Workers have no arena: what they allocated moves there now. */
        for (size_t i = 0; i < count; i++) {
                struct lsr_entry_extra *extra = work.entries[i]->extra;
                char *context = (char *)(uintptr_t)extra->context;

                if (!context)
                        continue;
                extra->context = lsr_arena_strndup(job->arena, context, strlen(context));
                free(context);
        }
}

void lsr_extra_fill(const struct lsr_extra_job *job, struct lsr_entry **entries, size_t n)
{
        bool xattrs = job->want->acl || job->want->context || job->want->cap;

        for (size_t i = 0; i < n; i++) {
                struct lsr_entry *e = entries[i];

                if (!(xattrs || (job->want->link_target && S_ISLNK(lsr_entry_mode(e)))) || !extra_on_disk(e))
                        continue;
                e->extra = lsr_arena_alloc(job->arena, sizeof(*e->extra));
                *e->extra = (struct lsr_entry_extra){};
        }
        if (xattrs)
                extra_xattrs(job, entries, n);
        if (job->want->link_target)
                extra_links(job, entries, n);
}
