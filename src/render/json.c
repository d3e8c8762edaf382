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

static const char *json_type(mode_t mode)
{
        static const char *const types[16] = {
                [S_IFREG >> 12] = "file",        [S_IFDIR >> 12] = "directory",    [S_IFLNK >> 12] = "symlink",
                [S_IFCHR >> 12] = "char-device", [S_IFBLK >> 12] = "block-device", [S_IFIFO >> 12] = "fifo",
                [S_IFSOCK >> 12] = "socket",
        };

        return types[(mode & S_IFMT) >> 12];
}

/* The columns that have keys, each key once: "mode" and "octal" have the same.  How many there are. */
static size_t json_columns(const struct lsr_cells *cells, const struct lsr_column *ret_columns[LSR_CELLS_MAX])
{
        size_t n = 0, k;

        for (size_t i = 0; i < cells->n; i++) {
                const struct lsr_column *column = cells->all[i].column;

                for (k = 0; k < n; k++)
                        if (ret_columns[k]->json == column->json && ret_columns[k]->fields == column->fields &&
                            ret_columns[k]->which == column->which)
                                break;
                if (k == n && column->json)
                        ret_columns[n++] = column;
        }
        return n;
}

/* All of an object but its end. */
static void json_begin(struct lsr_view *v, const struct lsr_set *set, const struct lsr_entry *e,
                       const struct lsr_column *const *columns, size_t n_columns)
{
        struct lsr_out *out = v->out;
        const char *type = json_type(lsr_entry_mode(e));
        const char *name = e->name, *slash;
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
        /* An operand's name is what stands behind its last slash, unless that ends it. */
        slash = !set->dir && name_len > 0 ? memrchr(name, '/', name_len - 1) : NULL;
        if (slash) {
                name_len -= (size_t)(slash + 1 - name);
                name = slash + 1;
        }
        lsr_json_bytes(out, "name", name, name_len);
        if (type)
                lsr_json_string(out, "type", type, strlen(type));
        for (size_t i = 0; i < n_columns; i++)
                columns[i]->json(v, columns[i], e);
        if (e->meta.error)
                lsr_json_string(out, "error", strerror(-e->meta.error), strlen(strerror(-e->meta.error)));
}

/* Unknown names of users are looked up together. */
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
        const struct lsr_column *columns[LSR_CELLS_MAX];
        size_t n_columns = json_columns(&v->cells, columns);

        json_look_up(v, set);
        for (size_t i = 0; i < set->n; i++)
                if ((set->rows[i]->flags & LSR_ENTRY_OPERAND) || !lsr_entry_is_dots(set->rows[i]->name)) {
                        json_begin(v, set, set->rows[i], columns, n_columns);
                        lsr_out_puts(v->out, "}\n");
                }
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
        const struct lsr_column *columns[LSR_CELLS_MAX];
        size_t n_columns = json_columns(&v->cells, columns);

        json_close(v, set->depth);
        if (set->depth > 0 && v->json_levels[set->depth - 1].some)
                lsr_out_putc(v->out, ',');
        if (set->depth > 0)
                v->json_levels[set->depth - 1].some = true;
        json_begin(v, set, set->rows[i], columns, n_columns);
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
