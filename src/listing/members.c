/*
 * members - most entries of a bundle need nothing of their own
 *
 * The names of owner and group belong to the catalogue's attributes, of which
 * there are few, so rows share an extra for each; only links, members with
 * ACLs and the rows of --json have one to themselves.
 */
#include "listing/members.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "listing/filter.h"

#define MEMBERS_SHARED_MAX 4096u /* attributes with a shared extra; those beyond have extras of their own */

/* What an entry takes, with its place in the order and what it takes to sort, bytes; and one of --json. */
#define MEMBERS_ENTRY (sizeof(struct lsr_entry) + 128)
#define MEMBERS_DESCRIBED (MEMBERS_ENTRY + sizeof(struct lsr_entry_extra) + sizeof(struct lsr_entry_member))

struct members {
        const struct lsr_members_job *job;
        const struct lsr_catalogue *c;
        struct lsr_entry_extra **shared; /* by attribute, NULL until used */
        uint32_t n_shared;
};

static void members_begin(struct members *x, const struct lsr_members_job *job)
{
        *x = (struct members){ .job = job, .c = job->dir.bundle->catalogue };
        x->n_shared = lsr_catalogue_attrs(x->c);
        if (x->n_shared > MEMBERS_SHARED_MAX)
                x->n_shared = MEMBERS_SHARED_MAX;
        x->shared = lsr_arena_new(job->arena, struct lsr_entry_extra *, x->n_shared);
        memset(x->shared, 0, x->n_shared * sizeof(*x->shared));
}

/* A stored name of an owner or a group, unless it could do something to a terminal: then its number is shown. */
static const char *members_owner(const char *name)
{
        const unsigned char *s = (const unsigned char *)name;

        if (!s || !*s)
                return NULL;
        for (; *s; s++) {
                if (*s < 0x20 || *s == 0x7f || (*s == 0xc2 && s[1] < 0xa0))
                        return NULL;
                /* Marks, embeddings, overrides and isolates of the bidirectional algorithm, U+200E to U+2069. */
                if (*s == 0xe2 && (s[1] == 0x80 || s[1] == 0x81))
                        return NULL;
        }
        return name;
}

static struct lsr_entry_extra *members_new_extra(struct members *x, const struct lsr_member *m)
{
        struct lsr_entry_extra *extra = lsr_arena_new(x->job->arena, struct lsr_entry_extra, 1);

        *extra = (struct lsr_entry_extra){ .user = members_owner(m->user), .group = members_owner(m->group) };
        return extra;
}

/* One that is only this entry's. */
static struct lsr_entry_extra *members_own_extra(struct members *x, struct lsr_entry *e, const struct lsr_member *m)
{
        e->extra = members_new_extra(x, m);
        return e->extra;
}

static struct lsr_entry_extra *members_shared_extra(struct members *x, uint32_t row, const struct lsr_member *m)
{
        uint32_t attr = lsr_catalogue_attr(x->c, row);

        if (attr >= x->n_shared)
                return members_new_extra(x, m);
        if (!x->shared[attr])
                x->shared[attr] = members_new_extra(x, m);
        return x->shared[attr];
}

/* Seconds of a zip without extra fields are civil ones. */
static void members_date(const struct members *x, const struct lsr_member *m, struct lsr_meta *meta)
{
        const struct lsr_list_options *o = x->job->o;

        if ((m->meta.known & LSR_FIELD_MTIME) && (m->flags & LSR_MEMBER_LOCALTIME) && o->civil)
                meta->sec[LSR_MTIME] = o->civil(o->civil_ctx, m->meta.sec[LSR_MTIME]);
}

/* What a link leads to.  0; 1: it leaves the bundle; a negative errno. */
static int members_follow(struct members *x, uint32_t dir, const struct lsr_member *m, struct lsr_member *ret_target,
                          struct lsr_place *ret_place)
{
        const struct lsr_place from = { x->job->dir.bundle, dir };
        int r = lsr_place_below(&from, m->target, m->target_len, LSR_PLACE_FOLLOW, ret_place);

        /* Rows of what is being listed must stay, so that no more is loaded of what is around the bundle. */
        if (r == -EAGAIN)
                return 1;
        if (r != 0)
                return r == LSR_PLACE_UNREADABLE ? -EBADMSG : r;
        lsr_catalogue_get(ret_place->bundle->catalogue, ret_place->row, ret_target);
        return 0;
}

static void members_link(struct members *x, struct lsr_entry *e, const struct lsr_member *m, uint32_t dir)
{
        const struct lsr_list_options *o = x->job->o;
        struct lsr_entry_extra *extra;
        struct lsr_member target;
        struct lsr_place place;
        int r;

        if (o->follow == LSR_FOLLOW_ALWAYS) {
                /* For names alone nobody asks where they lead. */
                if (!lsr_want_stat(&o->want, e->type))
                        return;
                e->flags |= LSR_ENTRY_FOLLOWED;
                r = members_follow(x, dir, m, &target, &place);
                if (r != 0) {
                        e->meta.error = r < 0 ? r : -ENOENT;
                        return;
                }
                extra = members_own_extra(x, e, &target);
                e->meta = target.meta;
                members_date(x, &target, &e->meta);
                e->type = (uint8_t)(target.meta.mode >> 12 & 15);
                extra->place = memcpy(lsr_arena_new(x->job->arena, struct lsr_place, 1), &place, sizeof(place));
                return;
        }
        if (!o->want.link_target)
                return;
        extra = members_own_extra(x, e, m);
        extra->target = m->target;
        extra->target_len = (uint32_t)m->target_len;
        if (!o->want.link_target_mode)
                return;
        r = members_follow(x, dir, m, &target, &place);
        extra->link_ok = r >= 0;
        /*
         * Where a link that leaves the bundle leads depends on where that is unpacked, and a bundle must not make us
         * look at files of its choice.  So it is not broken, and its target looks like any file.
         */
        extra->target_mode = r == 0 ? target.meta.mode : S_IFREG;
}

static void members_describe(struct members *x, struct lsr_entry *e, const struct lsr_member *m)
{
        struct lsr_entry_member *member = lsr_arena_new(x->job->arena, struct lsr_entry_member, 1);
        struct lsr_entry_extra *extra = members_new_extra(x, m);

        *member = (struct lsr_entry_member){ .bundle = x->job->dir.bundle->path,
                                             .method = m->method,
                                             .raw = m->raw,
                                             .raw_len = m->raw_len,
                                             .packed = m->packed,
                                             .encrypted = m->flags & LSR_MEMBER_ENCRYPTED,
                                             .dangling = m->flags & LSR_MEMBER_DANGLING };
        if (e->extra)
                *extra = *e->extra;
        extra->member = member;
        e->extra = extra;
}

/* Row @row, found in directory @dir, as an entry called @name. */
static void members_fill(struct members *x, uint32_t row, uint32_t dir, const char *name, size_t name_len,
                         struct lsr_entry *ret_entry)
{
        const struct lsr_list_options *o = x->job->o;
        struct lsr_member m;

        lsr_catalogue_get(x->c, row, &m);
        *ret_entry = (struct lsr_entry){ .name = name ? name : m.path,
                                         .name_len = (uint32_t)(name ? name_len : m.path_len),
                                         .type = (uint8_t)(m.meta.mode >> 12 & 15),
                                         .flags = LSR_ENTRY_STAT,
                                         .meta = m.meta };
        members_date(x, &m, &ret_entry->meta);
        /* The root of a bundle that does not store it: it came to be with the bundle. */
        if (row == 0 && !(m.meta.known & LSR_FIELD_MTIME)) {
                const struct lsr_meta *file = &x->job->dir.bundle->meta;
                const unsigned times = LSR_FIELD_MTIME | LSR_FIELD_ATIME | LSR_FIELD_CTIME | LSR_FIELD_BTIME;

                ret_entry->meta.known |= file->known & times;
                memcpy(ret_entry->meta.sec, file->sec, sizeof(file->sec));
                memcpy(ret_entry->meta.nsec, file->nsec, sizeof(file->nsec));
        }
        if (S_ISLNK(m.meta.mode) && m.target)
                members_link(x, ret_entry, &m, dir);
        if ((m.flags & LSR_MEMBER_ACL) && o->want.acl)
                (ret_entry->extra ? ret_entry->extra : members_own_extra(x, ret_entry, &m))->acl = LSR_ACL_YES;
        if (!ret_entry->extra && (m.user || m.group) && (o->want.fields & (LSR_FIELD_UID | LSR_FIELD_GID)))
                ret_entry->extra = members_shared_extra(x, row, &m);
        if (o->want.member)
                members_describe(x, ret_entry, &m);
}

/* The directory that holds the bundle, as "..". */
static void members_holder(struct members *x, struct lsr_entry *ret_entry)
{
        const struct lsr_bundle *bundle = x->job->dir.bundle;
        const char *slash = strrchr(bundle->path, '/');
        const char *path = !slash ? "."
                           : slash == bundle->path
                                   ? "/"
                                   : lsr_arena_strndup(x->job->arena, bundle->path, (size_t)(slash - bundle->path));
        struct lsr_stat_op op = { path, &ret_entry->meta };
        const struct lsr_stat_batch batch = { .dirfd = AT_FDCWD,
                                              .follow = true,
                                              .fields = x->job->o->want.fields,
                                              .expected = 1 };

        *ret_entry = (struct lsr_entry){ .name = "..", .name_len = 2, .type = S_IFDIR >> 12, .flags = LSR_ENTRY_STAT };
        lsr_io_stat(x->job->io, &batch, &op, 1);
}

static void members_up(struct members *x, struct lsr_entry *ret_entry)
{
        const struct lsr_bundle *bundle = x->job->dir.bundle;
        uint32_t row = x->job->dir.row;

        if (row != 0) {
                row = lsr_catalogue_parent(x->c, row);
                members_fill(x, row, row, "..", 2, ret_entry);
        } else if (bundle->outer) {
                struct lsr_members_job job = *x->job;
                struct members outer;

                row = lsr_catalogue_parent(bundle->outer->catalogue, bundle->outer_row);
                job.dir = (struct lsr_place){ bundle->outer, row };
                members_begin(&outer, &job);
                members_fill(&outer, row, row, "..", 2, ret_entry);
        } else {
                members_holder(x, ret_entry);
        }
}

int lsr_members_read(const struct lsr_members_job *job, struct lsr_entry **ret_entries, size_t *ret_n)
{
        const size_t each = job->o->want.member ? MEMBERS_DESCRIBED : MEMBERS_ENTRY;
        const uint32_t dir = job->dir.row;
        struct lsr_slice below;
        struct lsr_entry *entries;
        struct members x;
        size_t n = 0;

        members_begin(&x, job);
        below = lsr_catalogue_children(x.c, dir);
        if (lsr_arena_reserve(job->arena, ((size_t)below.n + 2) * each) < 0)
                return -ENOMEM;
        entries = lsr_arena_new(job->arena, struct lsr_entry, (size_t)below.n + 2);
        if (lsr_filter_keeps(job->o, "."))
                members_fill(&x, dir, dir, ".", 1, &entries[n++]);
        if (lsr_filter_keeps(job->o, ".."))
                members_up(&x, &entries[n++]);
        for (uint32_t i = 0; i < below.n; i++) {
                members_fill(&x, below.first + i, dir, NULL, 0, &entries[n]);
                if (lsr_filter_keeps(job->o, entries[n].name))
                        n++;
        }
        *ret_entries = entries;
        *ret_n = n;
        return 0;
}

void lsr_members_operand(const struct lsr_members_job *job, const char *name, struct lsr_entry *ret_entry)
{
        struct members x;
        const uint32_t row = job->dir.row;

        members_begin(&x, job);
        members_fill(&x, row, row ? lsr_catalogue_parent(x.c, row) : 0, name, strlen(name), ret_entry);
        ret_entry->flags |= LSR_ENTRY_OPERAND;
        if (!ret_entry->extra) {
                ret_entry->extra = lsr_arena_new(job->arena, struct lsr_entry_extra, 1);
                *ret_entry->extra = (struct lsr_entry_extra){};
        }
        ret_entry->extra->place = memcpy(lsr_arena_new(job->arena, struct lsr_place, 1), &job->dir, sizeof(job->dir));
}

uint64_t lsr_members_total(const struct lsr_place *dir)
{
        const struct lsr_catalogue *c = dir->bundle->catalogue;
        struct lsr_slice below = lsr_catalogue_children(c, dir->row);
        uint64_t sum = 0;

        /*
         * Breadth-first: the directories of one level are contiguous, so what lies below them is too, and one slice
         * a level is all there is to remember.
         */
        while (below.n > 0) {
                struct lsr_slice next = {};

                for (uint32_t row = below.first; row < below.first + below.n; row++) {
                        struct lsr_slice children;
                        struct lsr_member m;

                        lsr_catalogue_get(c, row, &m);
                        if (!S_ISDIR(m.meta.mode)) {
                                sum += m.meta.known & LSR_FIELD_SIZE ? m.meta.size : 0;
                                continue;
                        }
                        children = lsr_catalogue_children(c, row);
                        if (children.n > 0 && next.n == 0)
                                next.first = children.first;
                        next.n += children.n;
                }
                below = next;
        }
        return sum;
}
