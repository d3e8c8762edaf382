/*
 * json - one object per entry and line
 *
 * Only known fields are written.  Names are bytes and JSON is UTF-8: invalid
 * bytes become U+FFFD, and the bytes of the name follow in base64.
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

static void json_put_key(struct lsr_out *out, const char *key)
{
        lsr_out_put(out, ",\"", 2);
        lsr_out_puts(out, key);
        lsr_out_put(out, "\":", 2);
}

bool lsr_json_string(struct lsr_out *out, const char *key, const char *text, size_t len)
{
        bool valid;

        json_put_key(out, key);
        lsr_out_putc(out, '"');
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

void lsr_json_bytes(struct lsr_out *out, const char *key, const char *text, size_t len)
{
        if (lsr_json_string(out, key, text, len))
                return;
        lsr_out_printf(out, ",\"%s_b64\":\"", key);
        json_put_base64(out, text, len);
        lsr_out_putc(out, '"');
}

void lsr_json_number(struct lsr_out *out, const char *key, uint64_t value)
{
        json_put_key(out, key);
        lsr_out_commit(out, lsr_text_number(lsr_out_reserve(out, 24), value, 0));
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
        lsr_json_bytes(out, "name", name, name_len);
        if (type)
                lsr_json_string(out, "type", type, strlen(type));
        for (size_t i = 0; i < v->cells.n; i++)
                if (v->cells.all[i].column->json)
                        v->cells.all[i].column->json(v, v->cells.all[i].column, e);
        if (e->meta.error)
                lsr_json_string(out, "error", strerror(-e->meta.error), strlen(strerror(-e->meta.error)));
        lsr_out_puts(out, "}\n");
}

/* Unknown names of users are looked up together.  */
static void json_look_up(struct lsr_view *v, const struct lsr_set *set)
{
        for (size_t i = 0; i < v->cells.n; i++) {
                const struct lsr_column *column = v->cells.all[i].column;

                if (column->needs & (LSR_NEED_USERS | LSR_NEED_GROUPS))
                        column->measure(v, &v->cells.all[i], set->rows, set->n);
        }
        lsr_users_resolve(&v->users);
        lsr_users_resolve(&v->groups);
}

void lsr_json_set(struct lsr_view *v, const struct lsr_set *set)
{
        json_look_up(v, set);
        for (size_t i = 0; i < set->n; i++)
                if ((set->rows[i]->flags & LSR_ENTRY_OPERAND) || !lsr_entry_is_dots(set->rows[i]->name))
                        json_row(v, set, set->rows[i]);
}
