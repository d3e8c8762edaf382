/*
 * source-bundle - directories in bundles: all that is known of their members is in the catalogue
 *
 * What stat-ing would add on disk, link targets and what they lead to, ACL marks, comes from there too.  Most entries
 * need nothing of their own.  The names of owner and group belong to the catalogue's attributes, of which
 * there are few, so rows share an extra for each; only links, members with
 * ACLs and the rows of --json have one to themselves.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/utf8.h"
#include "listing/filter.h"
#include "listing/source.h"
#include "remote/url.h"

#define MEMBERS_SHARED_MAX 4096u /* attributes with a shared extra; those beyond have extras of their own */

/* What an entry takes, with its place in the order and what it takes to sort, bytes; and one of --json. */
#define MEMBERS_ENTRY (sizeof(struct lsr_entry) + 128)
#define MEMBERS_DESCRIBED (MEMBERS_ENTRY + sizeof(struct lsr_entry_extra) + sizeof(struct lsr_entry_member))

/* A directory whose rows become entries.  Names point into the catalogue. */
struct members {
        struct lsr_reader *in;
        struct lsr_arena *arena;
        struct lsr_place dir;
        const struct lsr_catalogue *c;
        bool offsets;                    /* members have one */
        bool unseen;                     /* it is an operand that is going to be listed, not a row */
        struct lsr_entry_extra **shared; /* by attribute, NULL until used */
        uint32_t n_shared;
};

static void members_begin(struct members *x, struct lsr_reader *in, struct lsr_arena *arena, struct lsr_place dir)
{
        *x = (struct members){ .in = in, .arena = arena, .dir = dir, .c = dir.catalogue };
        for (size_t i = 0; in->o->want.member && lsr_formats[i]; i++)
                x->offsets |= lsr_formats[i]->offsets && strcmp(lsr_formats[i]->name, dir.bundle->format) == 0;
        x->n_shared = lsr_catalogue_attrs(x->c);
        if (x->n_shared > MEMBERS_SHARED_MAX)
                x->n_shared = MEMBERS_SHARED_MAX;
        x->shared = lsr_arena_new(arena, struct lsr_entry_extra *, x->n_shared);
        memset(x->shared, 0, x->n_shared * sizeof(*x->shared));
}

/* A stored name of an owner or a group, unless it could do something to a terminal: then its number is shown. */
static const char *members_owner(const char *name)
{
        size_t left = name ? strlen(name) : 0;
        bool control = left == 0;

        for (const char *s = name; left > 0 && !control;) {
                size_t len = lsr_utf8_next(s, left, &control);

                s += len;
                left -= len;
        }
        return control ? NULL : name;
}

static struct lsr_entry_extra *members_new_extra(struct members *x, const struct lsr_member *m)
{
        struct lsr_entry_extra *extra = lsr_arena_new(x->arena, struct lsr_entry_extra, 1);

        *extra = (struct lsr_entry_extra){ .user = members_owner(m->user), .group = members_owner(m->group) };
        return extra;
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
        const struct lsr_list_options *o = x->in->o;

        if ((m->meta.known & LSR_FIELD_MTIME) && (m->flags & LSR_MEMBER_LOCALTIME) && o->civil)
                meta->sec[LSR_MTIME] = o->civil(o->civil_ctx, m->meta.sec[LSR_MTIME]);
}

static mode_t members_umask(void)
{
        static int mask = -1;

        if (mask < 0) {
                mask = (int)umask(0);
                umask((mode_t)mask);
        }
        return (mode_t)mask;
}

/*
 * A directory that the bundle does not store.  Unpacking makes it, and has last put something below it.  @whole as for
 * members_fill().
 */
static void members_imply(struct members *x, uint32_t row, bool whole, struct lsr_entry *e)
{
        struct lsr_meta *meta = &e->meta;
        struct lsr_member m;

        e->flags |= LSR_ENTRY_IMPLIED;
        meta->known |= LSR_FIELD_MODE;
        meta->mode = S_IFDIR | (0777 & ~members_umask());
        if ((meta->known & LSR_FIELD_MTIME) || !whole || !(x->in->o->want.fields & LSR_FIELD_MTIME))
                return;
        row = lsr_catalogue_newest(x->dir.catalogue, row);
        if (row == 0)
                return;
        lsr_catalogue_get(x->c, row, &m);
        members_date(x, &m, &m.meta);
        meta->known |= LSR_FIELD_MTIME;
        meta->sec[LSR_MTIME] = m.meta.sec[LSR_MTIME];
        meta->nsec[LSR_MTIME] = m.meta.nsec[LSR_MTIME];
}

static const struct lsr_place *members_keep_place(struct members *x, const struct lsr_place *place)
{
        return memcpy(lsr_arena_new(x->arena, struct lsr_place, 1), place, sizeof(*place));
}

/* What a link leads to.  0; 1: it leaves the bundle; a negative errno. */
static int members_follow(struct members *x, uint32_t dir, const struct lsr_member *m, struct lsr_member *ret_target,
                          struct lsr_place *ret_place)
{
        const struct lsr_place from = { x->dir.bundle, x->dir.catalogue, dir };
        int r = lsr_place_below(&from, m->target, m->target_len, LSR_PLACE_FOLLOW, ret_place);

        /* For that no more is loaded of what is around the bundle. */
        if (r == -EAGAIN)
                return 1;
        if (r != 0)
                return r == LSR_PLACE_UNREADABLE ? -EBADMSG : r;
        lsr_catalogue_get(ret_place->catalogue, ret_place->row, ret_target);
        return 0;
}

static void members_link(struct members *x, struct lsr_entry *e, const struct lsr_member *m, uint32_t dir)
{
        const struct lsr_list_options *o = x->in->o;
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
                e->extra = extra = members_new_extra(x, &target);
                e->meta = target.meta;
                members_date(x, &target, &e->meta);
                e->type = (uint8_t)(target.meta.mode >> 12 & 15);
                extra->place = members_keep_place(x, &place);
                return;
        }
        if (!o->want.link_target)
                return;
        e->extra = extra = members_new_extra(x, m);
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
        struct lsr_entry_member *member = lsr_arena_new(x->arena, struct lsr_entry_member, 1);
        struct lsr_entry_extra *extra = members_new_extra(x, m);

        *member = (struct lsr_entry_member){ .bundle = lsr_bundle_shown(x->dir.bundle),
                                             .method = m->method,
                                             .raw = m->raw,
                                             .raw_len = m->raw_len,
                                             .packed = m->packed,
                                             .offset = x->offsets && !(m->flags & LSR_MEMBER_IMPLIED) ? m->position
                                                                                                      : UINT64_MAX,
                                             .rows = m->flags & LSR_MEMBER_COUNTED ? m->data : UINT64_MAX,
                                             .encrypted = m->flags & LSR_MEMBER_ENCRYPTED,
                                             .dangling = m->flags & LSR_MEMBER_DANGLING,
                                             .implied = m->flags & LSR_MEMBER_IMPLIED };
        if (e->extra)
                *extra = *e->extra;
        extra->member = member;
        e->extra = extra;
}

/* A note comes from the bundle: it stays on its line. */
static void members_note(struct members *x, struct lsr_entry *e, const struct lsr_member *m)
{
        struct lsr_entry_extra *extra = members_new_extra(x, m);
        char *text = lsr_arena_strndup(x->arena, m->target, m->target_len);

        for (size_t i = 0; i < m->target_len; i++)
                if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
                        text[i] = ' ';
        if (e->extra)
                *extra = *e->extra;
        extra->note = text;
        extra->note_len = (uint32_t)m->target_len;
        e->extra = extra;
}

static void members_mark(struct members *x, struct lsr_entry *e, const struct lsr_member *m)
{
        unsigned marks = lsr_member_marks(m);
        struct lsr_entry_extra *extra;

        if (!marks)
                return;
        extra = members_new_extra(x, m);
        if (e->extra)
                *extra = *e->extra;
        extra->marks = (uint8_t)marks;
        e->extra = extra;
}

/* Row @row, found in directory @dir, as an entry called @name.  @whole: all that is below it was asked for. */
static void members_fill(struct members *x, uint32_t row, uint32_t dir, const char *name, size_t name_len, bool whole,
                         struct lsr_entry *ret_entry)
{
        const struct lsr_list_options *o = x->in->o;
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
                const struct lsr_meta *file = &x->dir.bundle->meta;
                const unsigned times = LSR_FIELD_MTIME | LSR_FIELD_ATIME | LSR_FIELD_CTIME | LSR_FIELD_BTIME;

                ret_entry->meta.known |= file->known & times;
                memcpy(ret_entry->meta.sec, file->sec, sizeof(file->sec));
                memcpy(ret_entry->meta.nsec, file->nsec, sizeof(file->nsec));
        }
        if ((m.flags & LSR_MEMBER_IMPLIED) && !x->unseen)
                members_imply(x, row, whole || !lsr_place_is_some(&x->dir), ret_entry);
        if (S_ISLNK(m.meta.mode) && m.target)
                members_link(x, ret_entry, &m, dir);
        if ((m.flags & LSR_MEMBER_ACL) && o->want.acl) {
                ret_entry->extra = ret_entry->extra ? ret_entry->extra : members_new_extra(x, &m);
                ret_entry->extra->acl = LSR_ACL_YES;
        }
        if (!ret_entry->extra && (m.user || m.group) && (o->want.fields & (LSR_FIELD_UID | LSR_FIELD_GID)))
                ret_entry->extra = members_shared_extra(x, row, &m);
        if (o->want.remarks && (m.raw || m.flags || (m.meta.mode & (S_ISUID | S_ISGID))))
                members_mark(x, ret_entry, &m);
        if ((m.flags & LSR_MEMBER_NOTED) && m.target && (o->want.remarks || o->want.member))
                members_note(x, ret_entry, &m);
        if (o->want.member)
                members_describe(x, ret_entry, &m);
}

/* The directory that holds the bundle, as "..". */
static void members_holder(struct members *x, struct lsr_entry *ret_entry)
{
        const struct lsr_bundle *bundle = x->dir.bundle;
        const char *slash = strrchr(bundle->path, '/');
        const char *path = !slash ? "."
                           : slash == bundle->path
                                   ? "/"
                                   : lsr_arena_strndup(x->arena, bundle->path, (size_t)(slash - bundle->path));
        const struct lsr_op stat = lsr_op_stat(AT_FDCWD, x->in->o->want.fields & ~(unsigned)LSR_FIELD_ATTRIBUTES, true);
        struct lsr_op op;

        *ret_entry = (struct lsr_entry){ .name = "..", .name_len = 2, .type = S_IFDIR >> 12, .flags = LSR_ENTRY_STAT };
        lsr_op_put(&op, &stat, path, &ret_entry->meta);
        lsr_io_run(x->in->io, &op, 1);
}

/* @whole: of the directory above, all that is below it was asked for. */
static void members_up(struct members *x, bool whole, struct lsr_entry *ret_entry)
{
        const struct lsr_bundle *bundle = x->dir.bundle;
        uint32_t row = x->dir.row;

        if (row != 0) {
                row = lsr_catalogue_parent(x->c, row);
                members_fill(x, row, row, "..", 2, whole, ret_entry);
        } else if (bundle->outer) {
                struct members outer;

                row = lsr_catalogue_parent(bundle->outer_catalogue, bundle->outer_row);
                members_begin(&outer, x->in, x->arena,
                              (struct lsr_place){ bundle->outer, bundle->outer_catalogue, row });
                members_fill(&outer, row, row, "..", 2, false, ret_entry);
        } else {
                members_holder(x, ret_entry);
        }
}

/* To read and to sort a directory may take more than there is. */
static int bundle_next(struct lsr_reader *in, struct lsr_node *dir)
{
        const size_t each = in->o->want.member ? MEMBERS_DESCRIBED : MEMBERS_ENTRY;
        const uint32_t row = dir->place.row;
        struct lsr_rows *r = &dir->read->rows;
        struct lsr_entry *entries;
        struct lsr_slice below;
        struct lsr_member self;
        struct members x;
        uint64_t at;
        size_t n = 0;

        if (in->sink->before_wait)
                in->sink->before_wait(in->sink->ctx);
        at = lsr_clock();
        members_begin(&x, in, r->arena, dir->place);
        below = lsr_catalogue_children(x.c, row);
        lsr_catalogue_get(x.c, row, &self);
        r->numbers = self.flags & LSR_MEMBER_TABLE;
        r->noted = strcmp(dir->place.bundle->format, "sqlite") == 0;
        if (lsr_arena_reserve(r->arena, ((size_t)below.n + 2) * each) < 0) {
                in->sink->trouble(in->sink->ctx, LSR_TROUBLE_READ_DIR, dir->read->path, -ENOMEM, false);
                return LSR_READ_NONE;
        }
        entries = lsr_arena_new(r->arena, struct lsr_entry, (size_t)below.n + 2);
        if (lsr_filter_keeps(in->o, ".", DT_DIR))
                members_fill(&x, row, row, ".", 1, true, &entries[n++]);
        if (lsr_filter_keeps(in->o, "..", DT_DIR))
                members_up(&x, dir->depth > 0, &entries[n++]);
        for (uint32_t i = 0; i < below.n; i++) {
                members_fill(&x, below.first + i, row, NULL, 0, true, &entries[n]);
                if (lsr_filter_keeps(in->o, entries[n].name, entries[n].type))
                        n++;
        }
        lsr_rows_add(r, entries, n);
        lsr_lap(&in->stats->read_ns, &at);
        return LSR_READ_ALL;
}

static uint64_t bundle_total(struct lsr_reader *in, const struct lsr_place *place, const struct lsr_entry *e,
                             const char *path)
{
        const struct lsr_catalogue *c = place->catalogue;
        struct lsr_slice below = lsr_catalogue_children(c, place->row);
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

/* Of a directory in one, nothing. */
static bool bundle_about(const struct lsr_place *place, struct lsr_set_bundle *ret_about)
{
        const struct lsr_bundle *b = place->bundle;

        *ret_about = (struct lsr_set_bundle){
                .format = b->format, .filters = b->filters, .members = lsr_bundle_members(b), .bytes = b->stored
        };
        return place->row == 0;
}

static int bundle_follow(struct lsr_reader *in, struct lsr_node *dir)
{
        return lsr_place_enter(&dir->place, false);
}

static int bundle_open(struct lsr_reader *in, struct lsr_node *dir)
{
        dir->read->ino = dir->place.row;
        return 0;
}

const struct lsr_source lsr_source_bundle = {
        .follow = bundle_follow,
        .open = bundle_open,
        .next = bundle_next,
        .complete = lsr_rows_report,
        .about = bundle_about,
        .total = bundle_total,
};

/* The place itself as operand @e, of which only the name is there. */
static void bundle_operand(struct lsr_reader *in, struct lsr_arena *arena, const struct lsr_place *place,
                           struct lsr_entry *e)
{
        const uint32_t row = place->row;
        struct members x;

        members_begin(&x, in, arena, *place);
        x.unseen = !in->o->dirs_as_files && !in->o->tree;
        members_fill(&x, row, row ? lsr_catalogue_parent(x.c, row) : 0, e->name, e->name_len, false, e);
        e->flags |= LSR_ENTRY_OPERAND;
        if (!e->extra)
                e->extra = members_new_extra(&x, &(struct lsr_member){});
        e->extra->place = members_keep_place(&x, place);
}

/* Is operand @e, of which the kernel has told what it knows, to be looked at as a bundle? */
static bool bundle_is_asked(const struct lsr_list_options *o, const struct lsr_entry *e, size_t n)
{
        if (e->meta.error == -ENOTDIR || (e->meta.error && o->enter != LSR_ENTER_SLASH && lsr_url_is(e->name)))
                return true;
        if (o->enter == LSR_ENTER_SLASH)
                return false;
        if (strcmp(e->name, "-") == 0)
                return true;
        return !e->meta.error && S_ISREG(e->meta.mode) && !o->dirs_as_files && (n == 1 || o->enter == LSR_ENTER_ALWAYS);
}

/* The member that operand @path means.  As lsr_place_find(). */
static int bundle_find_member(const struct lsr_list_options *o, const char *path, struct lsr_place *ret_place)
{
        unsigned flags = (o->dirs_as_files ? 0 : LSR_PLACE_ENTER) |
                         (o->follow != LSR_FOLLOW_NEVER ? LSR_PLACE_FOLLOW : 0) | LSR_PLACE_SOME;
        int error = lsr_place_find(o->bundles, path, flags, ret_place);

        if (o->follow == LSR_FOLLOW_OPERAND_DIR && (error == -ENOENT || (error == 0 && !lsr_place_is_dir(ret_place)))) {
                /* As in listing_wants_lstat(). */
                flags &= ~(unsigned)(LSR_PLACE_FOLLOW | LSR_PLACE_ENTER);
                error = lsr_place_find(o->bundles, path, flags, ret_place);
        }
        return error;
}

/* Operand @e is called as its URL may be shown. */
static void bundle_hide_secrets(struct lsr_arena *arena, const struct lsr_bundle *bundle, struct lsr_entry *e)
{
        lsr_autofree char *shown = lsr_bundle_is_remote(bundle) ? lsr_url_show_all(e->name) : NULL;

        if (!shown)
                return;
        e->name_len = (uint32_t)strlen(shown);
        e->name = lsr_arena_strndup(arena, shown, e->name_len);
}

void lsr_source_find_members(struct lsr_reader *in, struct lsr_rows *r)
{
        struct lsr_place *places;
        int *errors;

        if (!in->o->bundles)
                return;
        places = lsr_arena_new(r->arena, struct lsr_place, r->n);
        errors = lsr_arena_new(r->arena, int, r->n);
        for (size_t i = 0; i < r->n; i++)
                errors[i] = bundle_is_asked(in->o, r->rows[i], r->n)
                                    ? bundle_find_member(in->o, r->rows[i]->name, &places[i])
                                    : 1;
        for (size_t i = 0; i < r->n; i++) {
                struct lsr_entry *e = r->rows[i];
                int error = errors[i];

                if (error == 1)
                        continue;
                if (error == 0) {
                        bundle_hide_secrets(r->arena, places[i].bundle, e);
                        bundle_operand(in, r->arena, &places[i], e);
                } else if (error == LSR_PLACE_UNREADABLE) {
                        in->sink->trouble(in->sink->ctx, LSR_TROUBLE_BUNDLE, e->name, 0, true);
                        e->flags |= LSR_ENTRY_REPORTED;
                        e->meta.error = -EBADMSG;
                } else {
                        e->meta.error = error;
                }
                e->flags |= LSR_ENTRY_MEMBER;
        }
}
