/*
 * json - one object per entry and line
 *
 * Only known fields are written.  Names are bytes and JSON is UTF-8: invalid
 * bytes become U+FFFD, and the bytes of the name follow in base64.
 *
 * A tree is one object for each operand, and what is in a directory are its children.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#include "render/column.h"

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

void lsr_json_bytes(struct lsr_out *out, const char *key, const char *text, size_t len)
{
        if (lsr_json_string(out, key, text, len))
                return;
        lsr_out_printf(out, ",\"%s_b64\":\"", key);
        lsr_json_base64(out, text, len);
        lsr_out_putc(out, '"');
}

void lsr_json_number(struct lsr_out *out, const char *key, uint64_t value)
{
        json_put_key(out, key);
        lsr_out_commit(out, lsr_text_number(lsr_out_reserve(out, 24), value, 0));
}

static const struct lsr_json_key json_name = LSR_JSON_KEY("name");

/* Write ,"type":"..." if there is one. */
static char *json_put_type(char *p, mode_t mode)
{
#define TYPE(word_)                                               \
        {                                                         \
                ",\"type\":\"" word_ "\"", sizeof(word_) - 1 + 10 \
        }
        static const struct {
                char text[24];
                size_t len;
        } types[16] = {
                [S_IFREG >> 12] = TYPE("file"),         [S_IFDIR >> 12] = TYPE("directory"),
                [S_IFLNK >> 12] = TYPE("symlink"),      [S_IFCHR >> 12] = TYPE("char-device"),
                [S_IFBLK >> 12] = TYPE("block-device"), [S_IFIFO >> 12] = TYPE("fifo"),
                [S_IFSOCK >> 12] = TYPE("socket"),
        };
#undef TYPE
        unsigned i = (mode & S_IFMT) >> 12;

        memcpy(p, types[i].text, sizeof(types[i].text));
        return p + types[i].len;
}

/* What the rows of a set have in common. */
struct json_rows {
        struct lsr_cell *cells[LSR_CELLS_MAX]; /* of columns that have keys */
        size_t n_cells;
        struct lsr_out head; /* what they begin with, up to the name */
};

/* Each key once: "mode" and "octal" have the same. */
static void json_rows_init(struct json_rows *r, struct lsr_view *v, const char *dir)
{
        size_t n = 0, k, len = dir ? strlen(dir) : 0;

        for (size_t i = 0; i < v->cells.n; i++) {
                const struct lsr_column *column = v->cells.all[i].column;

                for (k = 0; k < n; k++)
                        if (r->cells[k]->column->json == column->json &&
                            r->cells[k]->column->fields == column->fields &&
                            r->cells[k]->column->which == column->which)
                                break;
                if (k == n && column->json)
                        r->cells[n++] = &v->cells.all[i];
        }
        r->n_cells = n;
        r->head = LSR_OUT_MEMORY;
        lsr_out_puts(&r->head, "{\"path\":\"");
        lsr_json_text(&r->head, dir, len);
        if (len && dir[len - 1] != '/')
                lsr_out_putc(&r->head, '/');
}

/* Path, name and type of what has a name of plain ASCII. */
static void json_plain_names(struct lsr_view *v, const struct lsr_out *head, const struct lsr_entry *e)
{
        char *p = lsr_out_reserve(v->out, head->len + 2 * (size_t)e->name_len + LSR_JSON_ROOM);

        p = (char *)memcpy(p, head->buf, head->len) + head->len;
        p = (char *)memcpy(p, e->name, e->name_len) + e->name_len;
        *p++ = '"';
        p = lsr_json_put_key(p, &json_name);
        *p++ = '"';
        p = (char *)memcpy(p, e->name, e->name_len) + e->name_len;
        *p++ = '"';
        lsr_out_commit(v->out, json_put_type(p, lsr_entry_mode(e)));
}

static void json_names(struct lsr_view *v, const struct lsr_out *head, const struct lsr_set *set,
                       const struct lsr_entry *e)
{
        struct lsr_out *out = v->out;
        const char *name = e->name, *slash;
        size_t name_len = e->name_len;

        lsr_out_put(out, head->buf, head->len);
        lsr_json_text(out, name, name_len);
        lsr_out_putc(out, '"');
        /* An operand's name is what stands behind its last slash, unless that ends it. */
        slash = !set->dir && name_len > 0 ? memrchr(name, '/', name_len - 1) : NULL;
        if (slash) {
                name_len -= (size_t)(slash + 1 - name);
                name = slash + 1;
        }
        lsr_json_bytes(out, "name", name, name_len);
        lsr_out_commit(out, json_put_type(lsr_out_reserve(out, LSR_JSON_ROOM), lsr_entry_mode(e)));
}

/* All of an object but its end. */
static void json_begin(struct lsr_view *v, const struct lsr_set *set, const struct lsr_entry *e,
                       const struct json_rows *r)
{
        struct lsr_out *out = v->out;

        if (set->dir && lsr_json_plain(e->name, e->name_len) == e->name_len)
                json_plain_names(v, &r->head, e);
        else
                json_names(v, &r->head, set, e);
        for (size_t i = 0; i < r->n_cells; i++)
                r->cells[i]->column->json(v, r->cells[i], e);
        if (e->meta.error)
                lsr_json_string(out, "error", strerror(-e->meta.error), strlen(strerror(-e->meta.error)));
}

/* Unknown names of users are looked up together. */
static void json_look_up(struct lsr_view *v, const struct lsr_set *set)
{
        for (size_t i = 0; i < v->cells.n; i++) {
                struct lsr_cell *cell = &v->cells.all[i];

                cell->owners = 0;
                cell->last.len = 0;
                if (cell->column->needs & (LSR_NEED_USERS | LSR_NEED_GROUPS))
                        cell->column->measure(v, cell, set->rows, set->n);
        }
        lsr_users_resolve(&v->users);
        lsr_users_resolve(&v->groups);
}

void lsr_json_set(struct lsr_view *v, const struct lsr_set *set)
{
        struct json_rows r;

        json_look_up(v, set);
        json_rows_init(&r, v, set->dir);
        for (size_t i = 0; i < set->n; i++) {
                lsr_view_prefetch(set, i);
                if ((set->rows[i]->flags & LSR_ENTRY_OPERAND) || !lsr_entry_is_dots(set->rows[i]->name)) {
                        json_begin(v, set, set->rows[i], &r);
                        lsr_out_put(v->out, "}\n", 2);
                }
        }
        lsr_out_free(&r.head);
}

/* ---- trees ---- */

struct lsr_json_level {
        bool children; /* their list has begun, */
        bool some;     /* and there is one in it */
};

/* Close objects until @n are open. */
static void json_close(struct lsr_view *v, size_t n)
{
        while (v->json_open > n) {
                lsr_out_puts(v->out, v->json_levels[--v->json_open].children ? "]}" : "}");
                if (v->json_open == 0)
                        lsr_out_putc(v->out, '\n');
        }
}

static void json_tree_set(struct lsr_view *v, const struct lsr_set *set)
{
        json_look_up(v, set);
        json_close(v, set->depth);
        assert(v->json_open == set->depth);
        if (set->depth == 0)
                return;
        v->json_levels[set->depth - 1].children = true;
        lsr_out_puts(v->out, ",\"children\":[");
}

static void json_tree_row(struct lsr_view *v, const struct lsr_set *set, size_t i)
{
        struct json_rows r;

        json_close(v, set->depth);
        if (set->depth > 0 && v->json_levels[set->depth - 1].some)
                lsr_out_putc(v->out, ',');
        if (set->depth > 0)
                v->json_levels[set->depth - 1].some = true;
        json_rows_init(&r, v, set->dir);
        json_begin(v, set, set->rows[i], &r);
        lsr_out_free(&r.head);
        lsr_grow(&v->json_levels, v->json_open, &v->json_cap);
        v->json_levels[v->json_open++] = (struct lsr_json_level){};
}

static void json_tree_end(struct lsr_view *v)
{
        json_close(v, 0);
        free(v->json_levels);
        v->json_levels = NULL;
}

const struct lsr_view_tree lsr_json_tree_view = { json_tree_set, json_tree_row, json_tree_end };
