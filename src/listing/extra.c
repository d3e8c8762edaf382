/*
 * extra - link targets, what they lead to, ACL marks, contexts, capabilities
 *
 * The mark behind the mode bits takes GNU ls two getxattr calls a file, three
 * for a directory.  One llistxattr answers the same, as it is presence that
 * counts; only a context has to be read.  Mostly it has been asked with the stat,
 * through the directory (LSR_FIELD_ATTRIBUTES); here it is by path.
 */
#include "listing/extra.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"

#define EXTRA_LOT 4096u

/* Everything about members of bundles is known, and they have no path for the kernel. */
static bool extra_on_disk(const struct lsr_entry *e)
{
        return lsr_entry_stat_ok(e) && !(e->flags & LSR_ENTRY_MEMBER);
}

static struct lsr_entry_extra *extra_of(const struct lsr_extra_job *job, struct lsr_entry *e)
{
        if (!e->extra) {
                e->extra = lsr_arena_alloc(job->arena, sizeof(*e->extra));
                *e->extra = (struct lsr_entry_extra){};
        }
        return e->extra;
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
                struct lsr_entry_extra *extra = extra_of(job, links[i]);

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

/* Operations for attributes of some files.  They and the paths are needed for a moment only. */
struct extra_ops {
        struct lsr_arena *scratch;
        struct lsr_op *ops;
        struct lsr_op_data *data;
        struct lsr_entry **entries;
        size_t n;
};

static struct extra_ops extra_ops_new(struct lsr_arena *scratch, size_t most)
{
        return (struct extra_ops){ .scratch = scratch,
                                   .ops = lsr_arena_new(scratch, struct lsr_op, most),
                                   .data = lsr_arena_new(scratch, struct lsr_op_data, most),
                                   .entries = lsr_arena_new(scratch, struct lsr_entry *, most) };
}

static void extra_ops_add(struct extra_ops *o, const char *dir, struct lsr_entry *e, enum lsr_op_kind kind)
{
        o->entries[o->n] = e;
        o->data[o->n] = (struct lsr_op_data){ .attribute = LSR_CONTEXT_NAME };
        o->ops[o->n] = (struct lsr_op){ .name = lsr_path_shown(o->scratch, dir, e->name),
                                        .data = &o->data[o->n],
                                        .dirfd = AT_FDCWD,
                                        .kind = (uint8_t)kind,
                                        .follow = e->flags & LSR_ENTRY_FOLLOWED };
        o->n++;
}

/* The names of attributes, where they did not come with the stat. */
static void extra_names(const struct lsr_extra_job *job, struct lsr_arena *scratch, struct lsr_entry **files, size_t n)
{
        struct extra_ops o = extra_ops_new(scratch, n);

        for (size_t i = 0; i < n; i++)
                if (!(files[i]->meta.known & LSR_FIELD_ATTRIBUTES))
                        extra_ops_add(&o, job->dir, files[i], LSR_OP_LIST_XATTRS);
        lsr_io_run(job->io, o.ops, o.n);
        for (size_t i = 0; i < o.n; i++) {
                struct lsr_op_data *names = &o.data[i];

                if (names->ret < 0 && names->ret != -ENOTSUP && names->ret != -ENODATA)
                        extra_of(job, o.entries[i])->xattr_error = (int)names->ret;
                if (names->ret <= 0)
                        continue;
                o.entries[i]->meta.attributes = (uint16_t)lsr_meta_attributes(names->buf, (size_t)names->ret);
                free(names->buf);
        }
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

/* Of @n files at most EXTRA_LOT. */
static void extra_xattrs_lot(const struct lsr_extra_job *job, struct lsr_arena *scratch, struct lsr_entry **files,
                             size_t n)
{
        struct extra_ops contexts = extra_ops_new(scratch, n);

        extra_names(job, scratch, files, n);
        for (size_t i = 0; i < n; i++) {
                unsigned found = files[i]->meta.attributes;

                if (found & LSR_ATTRIBUTE_ACL)
                        extra_of(job, files[i])->acl = LSR_ACL_YES;
                if (found & LSR_ATTRIBUTE_CAPABILITY)
                        extra_of(job, files[i])->has_cap = job->want->cap;
                if (found & LSR_ATTRIBUTE_CONTEXT)
                        extra_ops_add(&contexts, job->dir, files[i], LSR_OP_GET_XATTR);
        }
        lsr_io_run(job->io, contexts.ops, contexts.n);
        for (size_t i = 0; i < contexts.n; i++) {
                extra_use_context(job, extra_of(job, contexts.entries[i]), &contexts.data[i]);
                free(contexts.data[i].buf);
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
        if (job->want->acl || job->want->context || job->want->cap)
                extra_xattrs(job, entries, n);
        if (job->want->link_target)
                extra_links(job, entries, n);
}
