/*
 * long - the rows of ls -l
 *
 * Two passes over a set: the first measures the columns, the second writes.  A
 * row whose fields are ordinary numbers is written straight into the output
 * buffer; only names that need quoting or colour leave that path.
 */
#include <string.h>

#include "base/locale.h"
#include "render/view.h"

/* The most a row takes before its name, but for user and group names and contexts, which are added. */
#define LONG_ROW_MAX (512 + 2 * LSR_HUMAN_MAX + LSR_WHEN_MAX)

static int long_max(int a, int b)
{
        return a > b ? a : b;
}

static bool long_plain_size(const struct lsr_size_style *s)
{
        return s->flags == 0 && s->unit == 1;
}

static int long_size_width(const struct lsr_size_style *s, uint64_t value, uint64_t from)
{
        char buf[LSR_HUMAN_MAX];

        if (from == 1 && long_plain_size(s))
                return lsr_digits(value);
        return (int)lsr_text_width(buf, lsr_size_format(s, value, from, buf));
}

/* Has @e the owner and the group of the row before it in @set?  Most rows do. */
static bool long_same_owners(const struct lsr_set *set, size_t i)
{
        const struct lsr_entry *e = set->measured[i], *last = i ? set->measured[i - 1] : NULL;

        return last && e->meta.uid == last->meta.uid && e->meta.gid == last->meta.gid && e->extra == last->extra &&
               e->meta.known == last->meta.known && lsr_entry_stat_ok(last);
}

/* Look up what users and groups the set shows; getent runs at most once for each. */
static void long_resolve_users(struct lsr_view *v, const struct lsr_set *set)
{
        for (size_t i = 0; i < set->n_measured; i++) {
                const struct lsr_entry *e = set->measured[i];

                if (!lsr_entry_stat_ok(e) || long_same_owners(set, i))
                        continue;
                if ((v->o.owner || v->o.author) && lsr_entry_knows(e, LSR_FIELD_UID) && !(e->extra && e->extra->user))
                        lsr_users_want(&v->users, e->meta.uid);
                if (v->o.group && lsr_entry_knows(e, LSR_FIELD_GID) && !(e->extra && e->extra->group))
                        lsr_users_want(&v->groups, e->meta.gid);
        }
        lsr_users_resolve(&v->users);
        lsr_users_resolve(&v->groups);
}

/* An owner or a group as it is to be shown: a name that the bundle stores, or an id. */
struct long_user {
        const char *name; /* NULL: look the id up */
        uint32_t id;
        bool known;
};

static struct long_user long_user(const struct lsr_view *v, const struct lsr_entry *e, bool group)
{
        const char *name = v->o.numeric || !e->extra ? NULL : group ? e->extra->group : e->extra->user;
        bool known = lsr_entry_knows(e, group ? LSR_FIELD_GID : LSR_FIELD_UID);

        return (struct long_user){ name, group ? e->meta.gid : e->meta.uid, known || (name && lsr_entry_stat_ok(e)) };
}

static int long_user_width(struct lsr_view *v, struct lsr_users *users, struct long_user u)
{
        if (!u.known)
                return 1;
        if (u.name)
                return (int)lsr_text_width(u.name, strlen(u.name));
        return v->o.numeric ? lsr_digits(u.id) : (int)lsr_users_find(users, u.id)->width;
}

static void long_measure_owners(struct lsr_view *v, const struct lsr_entry *e, struct lsr_columns *c)
{
        if (v->o.owner)
                c->owner = long_max(c->owner, long_user_width(v, &v->users, long_user(v, e, false)));
        if (v->o.group)
                c->group = long_max(c->group, long_user_width(v, &v->groups, long_user(v, e, true)));
        if (v->o.author)
                c->author = long_max(c->author, long_user_width(v, &v->users, long_user(v, e, false)));
}

static void long_measure_stat(struct lsr_view *v, const struct lsr_entry *e, struct lsr_columns *c, uint64_t *max_size,
                              uint32_t *max_nlink)
{
        const struct lsr_meta *m = &e->meta;

        *max_nlink = m->nlink > *max_nlink ? m->nlink : *max_nlink;
        if (S_ISCHR(m->mode) || S_ISBLK(m->mode)) {
                c->major = long_max(c->major, lsr_digits(lsr_dev_major(m->rdev)));
                c->minor = long_max(c->minor, lsr_digits(lsr_dev_minor(m->rdev)));
                c->size = long_max(c->size, c->major + 2 + c->minor);
        } else if (long_plain_size(&v->o.size_style)) {
                *max_size = m->size > *max_size ? m->size : *max_size;
        } else {
                c->size = long_max(c->size, long_size_width(&v->o.size_style, m->size, 1));
        }
}

/* Sorted rows lie in memory as the directory had them: fetch what the next ones need. */
static void long_prefetch(const struct lsr_set *set, size_t i)
{
        if (i + 8 < set->n) {
                __builtin_prefetch(set->rows[i + 8]);
                __builtin_prefetch((const char *)set->rows[i + 8] + 64);
                __builtin_prefetch(set->rows[i + 4]->name);
        }
}

void lsr_columns_measure(struct lsr_view *v, const struct lsr_set *set, struct lsr_columns *ret_columns)
{
        bool rows = v->o.format == LSR_FORMAT_LONG;
        struct lsr_columns c = {};
        uint64_t max_inode = 0, max_size = 0;
        uint32_t max_nlink = 0;
        bool any_regular = false;

        v->owners.len = 0; /* extras of another set may have been where those of this one are */
        if (rows && !v->o.numeric)
                long_resolve_users(v, set);
        for (size_t i = 0; i < set->n_measured; i++) {
                const struct lsr_entry *e = set->measured[i];

                long_prefetch(set, i);
                c.any_git |= e->git != 0;
                max_inode = e->meta.inode > max_inode ? e->meta.inode : max_inode;
                if (e->extra) {
                        c.any_acl |= e->extra->acl != LSR_ACL_NONE;
                        if (v->o.context && e->extra->context)
                                c.context = long_max(c.context, (int)strlen(e->extra->context));
                }
                if (!lsr_entry_stat_ok(e))
                        continue;
                if (v->o.blocks)
                        c.blocks = long_max(c.blocks, long_size_width(&v->o.block_style, e->meta.blocks, 512));
                any_regular |= !S_ISCHR(e->meta.mode) && !S_ISBLK(e->meta.mode);
                if (!rows)
                        continue;
                if (!long_same_owners(set, i))
                        long_measure_owners(v, e, &c);
                long_measure_stat(v, e, &c, &max_size, &max_nlink);
        }
        c.inode = lsr_digits(max_inode);
        c.nlink = max_nlink ? lsr_digits(max_nlink) : 0;
        c.context = long_max(c.context, v->o.context && set->n ? 1 : 0);
        if (any_regular && long_plain_size(&v->o.size_style))
                c.size = long_max(c.size, lsr_digits(max_size));
        *ret_columns = c;
}

static char *long_right(char *p, const char *text, size_t len, int width, int columns)
{
        for (int i = columns; i < width; i++)
                *p++ = ' ';
        memcpy(p, text, len);
        return p + len;
}

static char *long_put_size(char *p, const struct lsr_size_style *s, uint64_t value, uint64_t from, int width)
{
        char buf[LSR_HUMAN_MAX];
        size_t len;

        if (from == 1 && long_plain_size(s))
                return lsr_text_number(p, value, width);
        len = lsr_size_format(s, value, from, buf);
        return long_right(p, buf, len, width, (int)lsr_text_width(buf, len));
}

/* A name to the left, a number to the right; then a blank. */
static void long_put_user(struct lsr_view *v, struct lsr_users *users, struct long_user u, int width)
{
        const struct lsr_user *user = !u.known || u.name || v->o.numeric ? NULL : lsr_users_find(users, u.id);
        const char *name = !u.known ? "?" : u.name ? u.name : user ? user->name : NULL;
        size_t len = !name ? 0 : user && user->name ? user->name_len : strlen(name);
        char *p = lsr_out_reserve(v->out, (size_t)width + 64 + len);

        if (name) {
                memcpy(p, name, len);
                p += len;
                for (int i = user ? (int)user->width : (int)lsr_text_width(name, len); i < width; i++)
                        *p++ = ' ';
        } else {
                p = lsr_text_number(p, u.id, width);
        }
        *p++ = ' ';
        lsr_out_commit(v->out, p);
}

/* Most rows have the owner and the group of the one before: what was put there is put again. */
static void long_put_owners(struct lsr_view *v, const struct lsr_columns *c, const struct lsr_entry *e)
{
        struct lsr_owners *o = &v->owners;
        uint64_t begin = lsr_out_pos(v->out);
        size_t len;

        if (o->len && o->extra == e->extra && o->uid == e->meta.uid && o->gid == e->meta.gid &&
            o->known == e->meta.known && lsr_entry_stat_ok(e) && o->widths[0] == c->owner && o->widths[1] == c->group &&
            o->widths[2] == c->author) {
                lsr_out_put(v->out, o->text, o->len);
                return;
        }
        if (v->o.owner)
                long_put_user(v, &v->users, long_user(v, e, false), c->owner);
        if (v->o.group)
                long_put_user(v, &v->groups, long_user(v, e, true), c->group);
        if (v->o.author)
                long_put_user(v, &v->users, long_user(v, e, false), c->author);
        len = (size_t)(lsr_out_pos(v->out) - begin);
        o->len = 0;
        /* The buffer may have been written out in between. */
        if (!lsr_entry_stat_ok(e) || len > sizeof(o->text) || len > v->out->len)
                return;
        *o = (struct lsr_owners){ .extra = e->extra,
                                  .uid = e->meta.uid,
                                  .gid = e->meta.gid,
                                  .known = e->meta.known,
                                  .widths = { c->owner, c->group, c->author },
                                  .len = (uint32_t)len };
        memcpy(o->text, v->out->buf + v->out->len - len, len);
}

/* Inode, blocks, mode, links. */
static char *long_put_front(struct lsr_view *v, const struct lsr_columns *c, const struct lsr_entry *e, char *p)
{
        bool mode = lsr_entry_knows(e, LSR_FIELD_MODE);

        if (v->o.inode) {
                p = e->meta.inode ? lsr_text_number(p, e->meta.inode, c->inode) : long_right(p, "?", 1, c->inode, 1);
                *p++ = ' ';
        }
        if (v->o.blocks) {
                p = lsr_entry_knows(e, LSR_FIELD_BLOCKS)
                            ? long_put_size(p, &v->o.block_style, e->meta.blocks, 512, c->blocks)
                            : long_right(p, "?", 1, c->blocks, 1);
                *p++ = ' ';
        }
        lsr_text_mode(p, lsr_entry_mode(e));
        if (!mode)
                memset(p + 1, '?', 9);
        p += 10;
        if (c->any_acl)
                *p++ = !mode ? '?' : " .+"[e->extra ? e->extra->acl : LSR_ACL_NONE];
        *p++ = ' ';
        p = lsr_entry_knows(e, LSR_FIELD_NLINK) ? lsr_text_number(p, e->meta.nlink, c->nlink)
                                                : long_right(p, "?", 1, c->nlink, 1);
        *p++ = ' ';
        return p;
}

static char *long_put_device(char *p, const struct lsr_columns *c, uint32_t rdev)
{
        int blanks = c->size - (c->major + 2 + c->minor);

        p = lsr_text_number(p, lsr_dev_major(rdev), c->major + (blanks > 0 ? blanks : 0));
        *p++ = ',';
        *p++ = ' ';
        return lsr_text_number(p, lsr_dev_minor(rdev), c->minor);
}

/* Size or device numbers, and the time. */
static char *long_put_back(struct lsr_view *v, const struct lsr_columns *c, const struct lsr_entry *e, char *p)
{
        static const unsigned fields[LSR_TIMES] = { LSR_FIELD_MTIME, LSR_FIELD_ATIME, LSR_FIELD_CTIME,
                                                    LSR_FIELD_BTIME };
        bool device = S_ISCHR(e->meta.mode) || S_ISBLK(e->meta.mode);
        bool timed = lsr_entry_knows(e, fields[v->o.time]);

        if (!lsr_entry_knows(e, device ? LSR_FIELD_TYPE : LSR_FIELD_SIZE))
                p = long_right(p, "?", 1, c->size, 1);
        else if (device)
                p = long_put_device(p, c, e->meta.rdev);
        else
                p = long_put_size(p, &v->o.size_style, e->meta.size, 1, c->size);
        *p++ = ' ';
        if (!timed) {
                p = long_right(p, "?", 1, lsr_when_width(&v->when), 1);
        } else {
                int64_t sec = e->meta.sec[v->o.time];
                size_t len = lsr_when_format(&v->when, sec, e->meta.nsec[v->o.time], p);

                if (len == 0 && lsr_when_out_of_range(&v->when, sec)) {
                        char digits[24];
                        char *end = digits;

                        if (sec < 0)
                                *end++ = '-';
                        end = lsr_text_number(end, sec < 0 ? 0 - (uint64_t)sec : (uint64_t)sec, 0);
                        p = long_right(p, digits, (size_t)(end - digits), lsr_when_width(&v->when),
                                       (int)(end - digits));
                }
                p += len;
        }
        *p++ = ' ';
        return c->any_git ? lsr_text_git(p, e->git) : p;
}

void lsr_long_row(struct lsr_view *v, const struct lsr_columns *c, const struct lsr_entry *e)
{
        bool ok = lsr_entry_stat_ok(e);
        size_t begin, width;
        char *p;

        lsr_color_normal(v);
        if (v->o.dired)
                lsr_out_puts(v->out, "  ");
        begin = v->out->len;
        p = lsr_out_reserve(v->out, LONG_ROW_MAX);
        begin = v->out->len;
        lsr_out_commit(v->out, long_put_front(v, c, e, p));
        long_put_owners(v, c, e);
        if (v->o.context) {
                const char *context = e->extra && e->extra->context ? e->extra->context : "?";

                lsr_out_puts(v->out, context);
                lsr_out_fill(v->out, ' ', (size_t)long_max(c->context - (int)strlen(context), 0) + 1);
        }
        p = lsr_out_reserve(v->out, LONG_ROW_MAX);
        /* Columns count from here if users were printed, as GNU ls has it. */
        if (v->o.owner || v->o.group || v->o.author || v->o.context)
                begin = v->out->len;
        lsr_out_commit(v->out, long_put_back(v, c, e, p));
        width = v->out->len - begin;
        if (v->prefix) {
                lsr_out_puts(v->out, v->prefix);
                width += v->prefix_width;
        }
        begin = lsr_name_put(v, e, false, width);
        if (S_ISLNK(lsr_entry_mode(e)) && e->extra && e->extra->target) {
                lsr_out_puts(v->out, " -> ");
                lsr_name_put(v, e, true, width + begin + 4);
                lsr_indicator_put(v, true, lsr_entry_target_mode(e));
        } else if (!S_ISLNK(lsr_entry_mode(e))) {
                lsr_indicator_put(v, ok, lsr_entry_mode(e));
        }
        lsr_out_putc(v->out, v->o.end);
}

static void long_title(struct lsr_view *v, const char *text, int width, bool left)
{
        int blanks = long_max(width - (int)strlen(text), 0);

        if (!left)
                lsr_out_fill(v->out, ' ', (size_t)blanks);
        lsr_out_puts(v->out, text);
        if (left)
                lsr_out_fill(v->out, ' ', (size_t)blanks);
        lsr_out_putc(v->out, ' ');
}

/* --titles widens columns that are narrower than their titles. */
static void long_titles(struct lsr_view *v, struct lsr_columns *c)
{
        static const char *const times[LSR_TIMES] = { "Modified", "Accessed", "Changed", "Created" };

        c->inode = long_max(c->inode, 5);
        c->blocks = long_max(c->blocks, 6);
        c->nlink = long_max(c->nlink, 5);
        c->owner = long_max(c->owner, 4);
        c->group = long_max(c->group, 5);
        c->author = long_max(c->author, 6);
        c->context = long_max(c->context, 7);
        c->size = long_max(c->size, 4);
        if (v->o.inode)
                long_title(v, "Inode", c->inode, false);
        if (v->o.blocks)
                long_title(v, "Blocks", c->blocks, false);
        long_title(v, "Mode", 10 + c->any_acl, true);
        long_title(v, "Links", c->nlink, false);
        if (v->o.owner)
                long_title(v, "User", c->owner, true);
        if (v->o.group)
                long_title(v, "Group", c->group, true);
        if (v->o.author)
                long_title(v, "Author", c->author, true);
        if (v->o.context)
                long_title(v, "Context", c->context, true);
        long_title(v, "Size", c->size, false);
        long_title(v, times[v->o.time], lsr_when_width(&v->when), true);
        if (c->any_git)
                long_title(v, "G", 2, true);
        lsr_out_puts(v->out, "Name");
        lsr_out_putc(v->out, v->o.end);
}

void lsr_long_set(struct lsr_view *v, const struct lsr_set *set)
{
        struct lsr_columns c;

        lsr_columns_measure(v, set, &c);
        if (v->o.titles && set->n > 0)
                long_titles(v, &c);
        for (size_t i = 0; i < set->n; i++) {
                long_prefetch(set, i);
                lsr_long_row(v, &c, set->rows[i]);
        }
}
