/*
 * column-user - owners and groups: names to the left, numbers to the right
 *
 * A bundle may store names; other ids are looked up.  Most rows have the owner
 * and the group of the row before, so the text is kept and copied; and where all
 * that are measured have the same, which measuring tells, no row is compared.
 */
#include <string.h>

#include "base/width.h"
#include "render/column.h"

struct user {
        const char *name; /* that the bundle stores; NULL: look the id up */
        uint32_t id;
        uint32_t known; /* the bit of the id; 0: it is not */
};

static struct user user_of(const struct lsr_view *v, const struct lsr_column *column, const struct lsr_entry *e)
{
        const char *name = !e->extra || v->o.numeric ? NULL : column->which ? e->extra->group : e->extra->user;

        return (struct user){ name, column->which ? e->meta.gid : e->meta.uid, e->meta.known & column->fields };
}

/* The text to show and its width; a number has neither. */
static const char *user_text(struct lsr_view *v, const struct lsr_column *column, struct user u, size_t *ret_len,
                             int *ret_width)
{
        const struct lsr_user *user;
        const char *text = u.known || u.name ? u.name : "?";

        if (text) {
                *ret_len = strlen(text);
                *ret_width = (int)lsr_text_width(text, *ret_len);
                return text;
        }
        if (v->o.numeric)
                return NULL;
        user = lsr_users_find(column->which ? &v->groups : &v->users, u.id);
        *ret_len = user->name_len;
        *ret_width = (int)user->width;
        return user->name;
}

static bool user_is_last(const struct lsr_cell *cell, struct user u)
{
        return cell->last.id == u.id && cell->last.name == u.name && cell->last.known == u.known;
}

void lsr_user_measure(struct lsr_view *v, struct lsr_cell *cell, struct lsr_entry *const *entries, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                struct user u = user_of(v, cell->column, entries[i]);
                size_t len = 0;
                int width = 0;

                if (user_is_last(cell, u) && cell->owners > 0)
                        continue;
                cell->owners++;
                cell->last = (struct lsr_cell_last){ .name = u.name, .id = u.id, .known = u.known };
                if (!lsr_entry_stat_ok(entries[i]))
                        continue;
                if (!user_text(v, cell->column, u, &len, &width))
                        width = lsr_digits(u.id);
                lsr_cell_widen(cell, width);
                cell->bytes = len > cell->bytes ? len : cell->bytes;
        }
}

/* Another one than that of the row before; apart, so that the usual way stays short. */
static __attribute__((noinline)) char *user_put(struct lsr_view *v, struct lsr_cell *cell, struct user u, char *p)
{
        struct lsr_cell_last *last = &cell->last;
        char *begin = p;
        size_t len;
        int width;
        const char *text = user_text(v, cell->column, u, &len, &width);

        p = text ? lsr_cell_text(cell, p, text, len, width) : lsr_text_number(p, u.id, cell->width);
        len = (size_t)(p - begin);
        last->len = 0;
        if (len <= sizeof(last->text)) {
                *last = (struct lsr_cell_last){ u.name, u.id, u.known, (uint8_t)len, {} };
                memcpy(last->text, begin, len);
        }
        return p;
}

char *lsr_user_put(struct lsr_view *v, struct lsr_cell *cell, const struct lsr_entry *e, char *p)
{
        const struct lsr_cell_last *last = &cell->last;

        if (!last->len || cell->owners != 1) {
                struct user u = user_of(v, cell->column, e);

                if (!last->len || !user_is_last(cell, u))
                        return user_put(v, cell, u, p);
        }
        /* There is room for all of it, and copying that takes less than counting. */
        memcpy(p, last->text, sizeof(last->text));
        return p + last->len;
}

/* Another one than that of the row before. */
static __attribute__((noinline)) void user_json(struct lsr_view *v, struct lsr_cell *cell, struct user u)
{
        const struct lsr_column *column = cell->column;
        const uint64_t begin = lsr_out_pos(v->out);
        const char *text;
        size_t len;
        int width;

        lsr_out_reserve(v->out, LSR_JSON_ROOM);
        if (u.known)
                lsr_json_number(v->out, column->which ? "gid" : "uid", u.id);
        text = u.known || u.name ? user_text(v, column, u, &len, &width) : NULL;
        if (text)
                lsr_json_string(v->out, column->name, text, len);
        len = (size_t)(lsr_out_pos(v->out) - begin);
        cell->last.len = 0;
        if (len <= sizeof(cell->last.text)) {
                cell->last = (struct lsr_cell_last){ u.name, u.id, u.known, (uint8_t)len, {} };
                memcpy(cell->last.text, v->out->buf + v->out->len - len, len);
        }
}

void lsr_user_json(struct lsr_view *v, struct lsr_cell *cell, const struct lsr_entry *e)
{
        struct user u = user_of(v, cell->column, e);

        if (cell->last.len && user_is_last(cell, u))
                lsr_json_put_last(v->out, &cell->last);
        else
                user_json(v, cell, u);
}
