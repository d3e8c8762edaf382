/*
 * json - one object an entry and line
 *
 * Only what is known is written.  Names are bytes and JSON is UTF-8: what is
 * not valid becomes U+FFFD, and the name's bytes follow in base64.
 */
#include "render/json.h"

#include <string.h>

#include "render/view.h"

/* Length of the valid UTF-8 sequence at @s (RFC 3629), 0 if there is none. */
static size_t json_utf8(const unsigned char *s, size_t left)
{
        size_t n = s[0] < 0x80                   ? 1
                   : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
                   : (s[0] & 0xf0) == 0xe0       ? 3
                   : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                                 : 0;

        if (n == 0 || n > left)
                return 0;
        for (size_t i = 1; i < n; i++)
                if ((s[i] & 0xc0) != 0x80)
                        return 0;
        /* Overlong forms, surrogates, beyond U+10FFFF. */
        if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
            (s[0] == 0xf4 && s[1] > 0x8f))
                return 0;
        return n;
}

bool lsr_json_text(struct lsr_out *out, const char *text, size_t len)
{
        const unsigned char *s = (const unsigned char *)text;
        bool valid = true;

        for (size_t i = 0; i < len;) {
                size_t n = json_utf8(s + i, len - i);

                if (n == 0) {
                        lsr_out_puts(out, "\xef\xbf\xbd");
                        valid = false;
                        n = 1;
                } else if (s[i] == '"' || s[i] == '\\') {
                        lsr_out_putc(out, '\\');
                        lsr_out_putc(out, (char)s[i]);
                } else if (s[i] < 0x20 || s[i] == 0x7f) {
                        lsr_out_printf(out, "\\u%04x", s[i]);
                } else {
                        lsr_out_put(out, s + i, n);
                }
                i += n;
        }
        return valid;
}

static bool json_put_string(struct lsr_out *out, const char *key, const char *text, size_t len)
{
        bool valid;

        lsr_out_printf(out, ",\"%s\":\"", key);
        valid = lsr_json_text(out, text, len);
        lsr_out_putc(out, '"');
        return valid;
}

static void json_put_base64(struct lsr_out *out, const char *text, size_t len)
{
        static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        const unsigned char *s = (const unsigned char *)text;

        for (size_t i = 0; i < len; i += 3) {
                size_t left = len - i;
                unsigned v = (unsigned)s[i] << 16 | (left > 1 ? (unsigned)s[i + 1] << 8 : 0) |
                             (left > 2 ? (unsigned)s[i + 2] : 0);
                char four[4] = { digits[v >> 18], digits[v >> 12 & 63], left > 1 ? digits[v >> 6 & 63] : '=',
                                 left > 2 ? digits[v & 63] : '=' };

                lsr_out_put(out, four, 4);
        }
}

static const char *json_type(mode_t mode)
{
        switch (mode & S_IFMT) {
        case S_IFREG:
                return "file";
        case S_IFDIR:
                return "directory";
        case S_IFLNK:
                return "symlink";
        case S_IFCHR:
                return "char-device";
        case S_IFBLK:
                return "block-device";
        case S_IFIFO:
                return "fifo";
        case S_IFSOCK:
                return "socket";
        }
        return NULL;
}

/* RFC 3339 in UTC with nanoseconds. */
static void json_put_time(struct lsr_out *out, const char *key, int64_t sec, uint32_t nsec)
{
        struct tm tm;

        if (!lsr_zone_break_down(sec, &tm))
                return;
        lsr_out_printf(out, ",\"%s\":\"%04lld-%02d-%02dT%02d:%02d:%02d.%09uZ\"", key, (long long)tm.tm_year + 1900,
                       tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, nsec);
}

/* @stored: the name that a bundle stores, or NULL. */
static void json_put_user(struct lsr_view *v, struct lsr_users *users, const char *stored, bool known, uint32_t id,
                          const char *key)
{
        const struct lsr_user *user = v->o.numeric || stored || !known ? NULL : lsr_users_find(users, id);

        if (stored && !v->o.numeric)
                json_put_string(v->out, key, stored, strlen(stored));
        else if (user && user->name)
                json_put_string(v->out, key, user->name, user->name_len);
}

static void json_put_meta(struct lsr_view *v, const struct lsr_entry *e)
{
        static const struct {
                const char *key;
                unsigned field;
        } times[LSR_TIMES] = { { "mtime", LSR_FIELD_MTIME },
                               { "atime", LSR_FIELD_ATIME },
                               { "ctime", LSR_FIELD_CTIME },
                               { "btime", LSR_FIELD_BTIME } };
        const struct lsr_meta *m = &e->meta;
        struct lsr_out *out = v->out;
        char perm[10];

        if (m->known & LSR_FIELD_MODE) {
                lsr_text_mode(perm, m->mode);
                lsr_out_printf(out, ",\"mode\":\"%04o\"", m->mode & 07777);
                json_put_string(out, "perm", perm, 10);
        }
        if (m->known & LSR_FIELD_NLINK)
                lsr_out_printf(out, ",\"nlink\":%u", m->nlink);
        if (m->known & LSR_FIELD_UID)
                lsr_out_printf(out, ",\"uid\":%u", m->uid);
        json_put_user(v, &v->users, e->extra ? e->extra->user : NULL, m->known & LSR_FIELD_UID, m->uid, "user");
        if (m->known & LSR_FIELD_GID)
                lsr_out_printf(out, ",\"gid\":%u", m->gid);
        json_put_user(v, &v->groups, e->extra ? e->extra->group : NULL, m->known & LSR_FIELD_GID, m->gid, "group");
        if (m->known & LSR_FIELD_SIZE)
                lsr_out_printf(out, ",\"size\":%llu", (unsigned long long)m->size);
        if (m->known & LSR_FIELD_BLOCKS)
                lsr_out_printf(out, ",\"blocks\":%llu", (unsigned long long)m->blocks);
        for (unsigned t = 0; t < LSR_TIMES; t++)
                if (m->known & times[t].field)
                        json_put_time(out, times[t].key, m->sec[t], m->nsec[t]);
        if (m->known & LSR_FIELD_INODE)
                lsr_out_printf(out, ",\"inode\":%llu", (unsigned long long)m->inode);
        if (m->known & LSR_FIELD_DEV)
                lsr_out_printf(out, ",\"dev\":\"%u:%u\"", lsr_dev_major(m->dev), lsr_dev_minor(m->dev));
        if ((m->known & LSR_FIELD_DEV) && (S_ISCHR(m->mode) || S_ISBLK(m->mode)))
                lsr_out_printf(out, ",\"rdev\":\"%u:%u\"", lsr_dev_major(m->rdev), lsr_dev_minor(m->rdev));
}

static void json_put_member(struct lsr_out *out, const struct lsr_entry_member *m)
{
        static const char dangling[] = "hard link to a member that is not there";

        json_put_string(out, "bundle", m->bundle, strlen(m->bundle));
        if (m->packed != UINT64_MAX)
                lsr_out_printf(out, ",\"packed\":%llu", (unsigned long long)m->packed);
        if (m->method)
                json_put_string(out, "method", m->method, strlen(m->method));
        if (m->encrypted)
                lsr_out_puts(out, ",\"encrypted\":true");
        if (m->raw && !json_put_string(out, "raw_name", m->raw, m->raw_len)) {
                lsr_out_puts(out, ",\"raw_name_b64\":\"");
                json_put_base64(out, m->raw, m->raw_len);
                lsr_out_putc(out, '"');
        }
        if (m->dangling)
                json_put_string(out, "error", dangling, sizeof(dangling) - 1);
}

static void json_row(struct lsr_view *v, const struct lsr_set *set, const struct lsr_entry *e)
{
        struct lsr_out *out = v->out;
        const char *type = json_type(lsr_entry_mode(e));
        const char *name = e->name;
        size_t name_len = e->name_len;

        lsr_out_puts(out, "{\"path\":\"");
        if (set->dir) {
                size_t len = strlen(set->dir);

                lsr_json_text(out, set->dir, len);
                if (len && set->dir[len - 1] != '/')
                        lsr_out_putc(out, '/');
        }
        lsr_json_text(out, name, name_len);
        lsr_out_putc(out, '"');
        /* An operand's name is what stands behind its last slash. */
        for (size_t i = 0; !set->dir && i + 1 < name_len; i++) {
                if (name[i] == '/') {
                        name_len -= i + 1;
                        name += i + 1;
                        i = (size_t)-1;
                }
        }
        if (!json_put_string(out, "name", name, name_len)) {
                lsr_out_puts(out, ",\"name_b64\":\"");
                json_put_base64(out, name, name_len);
                lsr_out_putc(out, '"');
        }
        if (type)
                json_put_string(out, "type", type, strlen(type));
        json_put_meta(v, e);
        if (e->extra && e->extra->target)
                json_put_string(out, "target", e->extra->target, e->extra->target_len);
        if (e->git)
                json_put_string(out, "git", (const char[2]){ (char)(e->git >> 8), (char)(e->git & 0xff) }, 2);
        if (e->extra && e->extra->member)
                json_put_member(out, e->extra->member);
        if (e->meta.error)
                json_put_string(out, "error", strerror(-e->meta.error), strlen(strerror(-e->meta.error)));
        lsr_out_puts(out, "}\n");
}

void lsr_json_set(struct lsr_view *v, const struct lsr_set *set)
{
        for (size_t i = 0; i < set->n; i++) {
                const struct lsr_entry *e = set->rows[i];

                if (v->o.numeric)
                        continue;
                if (lsr_entry_knows(e, LSR_FIELD_UID))
                        lsr_users_want(&v->users, e->meta.uid);
                if (lsr_entry_knows(e, LSR_FIELD_GID))
                        lsr_users_want(&v->groups, e->meta.gid);
        }
        lsr_users_resolve(&v->users);
        lsr_users_resolve(&v->groups);
        for (size_t i = 0; i < set->n; i++)
                if ((set->rows[i]->flags & LSR_ENTRY_OPERAND) || !lsr_entry_is_dots(set->rows[i]->name))
                        json_row(v, set, set->rows[i]);
}
