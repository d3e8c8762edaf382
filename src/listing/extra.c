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

#include "base/path.h"

#define EXTRA_CONTEXT "security.selinux"
#define EXTRA_LOT 4096u

/* Everything about members of bundles is known, and they have no path for the kernel. */
static bool extra_on_disk(const struct lsr_entry *e)
{
        return lsr_entry_stat_ok(e) && !(e->flags & LSR_ENTRY_MEMBER);
}

static void extra_targets(const struct lsr_extra_job *job, struct lsr_entry **links, struct lsr_op *ops, size_t n)
{
        struct lsr_op_data *data = lsr_arena_new(job->arena, struct lsr_op_data, n);

        for (size_t i = 0; i < n; i++) {
                uint64_t size = links[i]->meta.size;

                /* st_size is the length of the target, but some file systems say 0. */
                data[i] = (struct lsr_op_data){ .cap = size > 0 && size < PATH_MAX ? size + 1 : PATH_MAX };
                data[i].buf = lsr_arena_text(job->arena, data[i].cap + 1);
                ops[i] = (struct lsr_op){
                        .name = links[i]->name, .data = &data[i], .dirfd = job->dirfd, .kind = LSR_OP_READ_LINK
                };
        }
        lsr_io_run(job->io, ops, n);
        for (size_t i = 0; i < n; i++) {
                struct lsr_entry_extra *extra = links[i]->extra;

                if (data[i].ret < 0) {
                        extra->link_error = (int)data[i].ret;
                        continue;
                }
                data[i].buf[data[i].ret] = '\0';
                extra->target = data[i].buf;
                extra->target_len = (uint32_t)data[i].ret;
        }
}

static void extra_links(const struct lsr_extra_job *job, struct lsr_entry **entries, size_t n)
{
        const struct lsr_op stat = lsr_op_stat(job->dirfd, LSR_FIELD_TYPE | LSR_FIELD_MODE, true);
        struct lsr_entry **links = lsr_arena_new(job->arena, struct lsr_entry *, n);
        struct lsr_meta *metas;
        struct lsr_op *ops;
        size_t n_links = 0;

        for (size_t i = 0; i < n; i++)
                if (S_ISLNK(lsr_entry_mode(entries[i])) && extra_on_disk(entries[i]))
                        links[n_links++] = entries[i];
        if (n_links == 0)
                return;
        ops = lsr_arena_new(job->arena, struct lsr_op, n_links);
        extra_targets(job, links, ops, n_links);
        if (!job->want->link_target_mode)
                return;
        metas = lsr_arena_new(job->arena, struct lsr_meta, n_links);
        for (size_t i = 0; i < n_links; i++) {
                metas[i] = (struct lsr_meta){};
                lsr_op_put(&ops[i], &stat, links[i]->name, &metas[i]);
        }
        lsr_io_run(job->io, ops, n_links);
        for (size_t i = 0; i < n_links; i++) {
                links[i]->extra->link_ok = metas[i].error == 0 && links[i]->extra->target;
                links[i]->extra->target_mode = metas[i].mode;
        }
}

/* What the names of its attributes say.  Is there a context to read? */
static bool extra_use_names(struct lsr_entry_extra *extra, const struct lsr_op_data *names, bool want_cap)
{
        bool context = false;

        for (const char *p = names->buf; p < names->buf + names->ret; p += strlen(p) + 1) {
                context |= strcmp(p, EXTRA_CONTEXT) == 0;
                if (strcmp(p, "system.posix_acl_access") == 0 || strcmp(p, "system.posix_acl_default") == 0)
                        extra->acl = LSR_ACL_YES;
                extra->has_cap |= want_cap && strcmp(p, "security.capability") == 0;
        }
        return context;
}

static void extra_use_context(const struct lsr_extra_job *job, struct lsr_entry_extra *extra,
                              const struct lsr_op_data *context)
{
        /* SELinux's name for a missing context. */
        if (context->ret <= 0 || strcmp(context->buf, "unlabeled") == 0)
                return;
        extra->context = lsr_arena_strndup(job->arena, context->buf, strlen(context->buf));
        if (extra->acl != LSR_ACL_YES)
                extra->acl = LSR_ACL_CONTEXT;
}

/* @dir and @name as one path, as GNU ls writes it: without "./" in front.  NULL dir: the name. */
static const char *extra_path(struct lsr_arena *arena, const char *dir, const char *name)
{
        size_t dir_len = !dir || (dir[0] == '.' && !dir[1]) ? 0 : strlen(dir);
        size_t name_len = strlen(name);
        char *path = lsr_arena_text(arena, dir_len + 1 + name_len + 1);

        lsr_path_put(path, dir, dir_len, name, name_len);
        return path;
}

/* Of @n files at most EXTRA_LOT.  Paths are needed for a moment only. */
static void extra_xattrs_lot(const struct lsr_extra_job *job, struct lsr_arena *scratch, struct lsr_entry **files,
                             size_t n)
{
        struct lsr_op *ops = lsr_arena_new(scratch, struct lsr_op, n);
        struct lsr_op_data *data = lsr_arena_new(scratch, struct lsr_op_data, n);
        size_t contexts = 0;

        for (size_t i = 0; i < n; i++) {
                data[i] = (struct lsr_op_data){};
                ops[i] = (struct lsr_op){ .name = extra_path(scratch, job->dir, files[i]->name),
                                          .data = &data[i],
                                          .dirfd = AT_FDCWD,
                                          .kind = LSR_OP_LIST_XATTRS,
                                          .follow = files[i]->flags & LSR_ENTRY_FOLLOWED };
        }
        lsr_io_run(job->io, ops, n);
        for (size_t i = 0; i < n; i++) {
                struct lsr_op_data names = data[i];

                if (names.ret < 0 && names.ret != -ENOTSUP && names.ret != -ENODATA)
                        files[i]->extra->xattr_error = (int)names.ret;
                if (names.ret <= 0)
                        continue;
                if (extra_use_names(files[i]->extra, &names, job->want->cap)) {
                        ops[contexts] = ops[i];
                        ops[contexts].kind = LSR_OP_GET_XATTR;
                        ops[contexts].data = &data[contexts];
                        files[contexts] = files[i];
                        data[contexts++] = (struct lsr_op_data){ .attribute = EXTRA_CONTEXT };
                }
                free(names.buf);
        }
        lsr_io_run(job->io, ops, contexts);
        for (size_t i = 0; i < contexts; i++) {
                extra_use_context(job, files[i]->extra, &data[i]);
                free(data[i].buf);
        }
}

static void extra_xattrs(const struct lsr_extra_job *job, struct lsr_entry **entries, size_t n)
{
        struct lsr_entry **files = lsr_arena_new(job->arena, struct lsr_entry *, n);
        bool all = job->want->acl || job->want->context;
        struct lsr_arena scratch = {};
        size_t count = 0;

        for (size_t i = 0; i < n; i++)
                if (extra_on_disk(entries[i]) && (all || S_ISREG(entries[i]->meta.mode)))
                        files[count++] = entries[i];
        for (size_t i = 0; i < count; i += EXTRA_LOT) {
                extra_xattrs_lot(job, &scratch, files + i, count - i < EXTRA_LOT ? count - i : EXTRA_LOT);
                lsr_arena_reset(&scratch);
        }
        lsr_arena_free(&scratch);
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
