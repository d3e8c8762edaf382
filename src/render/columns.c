/*
 * columns - the table, and the columns that are a number or a word
 *
 * The order is that of ls -l.  Those with more to them: column-user.c,
 * column-size.c, column-time.c.
 */
#include "render/columns.h"

#include <stdio.h>
#include <string.h>

#include "catalogue/member.h"
#include "render/column.h"

/* ---- numbers that stand in the metadata ---- */

static uint64_t number_of(const struct lsr_column *column, const struct lsr_entry *e)
{
        const char *at = (const char *)&e->meta + column->offset;
        uint64_t wide;
        uint32_t narrow;

        if (column->wide) {
                memcpy(&wide, at, sizeof(wide));
                return wide;
        }
        memcpy(&narrow, at, sizeof(narrow));
        return narrow;
}

static void number_measure(struct lsr_view *v, struct lsr_cell *cell, struct lsr_entry *const *entries, size_t n)
{
        uint64_t most = 0;

        for (size_t i = 0; i < n; i++) {
                uint64_t value = number_of(cell->column, entries[i]);

                if (value > most && lsr_entry_knows(entries[i], cell->column->fields))
                        most = value;
        }
        lsr_cell_widen(cell, lsr_digits(most));
}

static char *number_put(struct lsr_view *v, struct lsr_cell *cell, const struct lsr_entry *e, char *p)
{
        return lsr_entry_knows(e, cell->column->fields) ? lsr_text_number(p, number_of(cell->column, e), cell->width)
                                                        : lsr_cell_unknown(cell, p);
}

static void number_json(struct lsr_view *v, struct lsr_cell *cell, const struct lsr_entry *e)
{
        const struct lsr_column *column = cell->column;

        if (lsr_entry_knows(e, column->fields))
                lsr_out_commit(v->out, lsr_json_put_number(lsr_out_reserve(v->out, LSR_JSON_ROOM), &column->key,
                                                           number_of(column, e)));
}

static void device_json(struct lsr_view *v, struct lsr_cell *cell, const struct lsr_entry *e)
{
        struct lsr_cell_last *last = &cell->last;
        const struct lsr_meta *m = &e->meta;

        if (!(m->known & cell->column->fields))
                return;
        if (!last->len || last->id != m->dev) {
                last->id = m->dev;
                last->len = (uint8_t)snprintf(last->text, sizeof(last->text), ",\"dev\":\"%u:%u\"",
                                              lsr_dev_major(m->dev), lsr_dev_minor(m->dev));
        }
        /* Of a member, that says which device it stands for; it lies on none. */
        if (!e->extra || !e->extra->member)
                lsr_json_put_last(v->out, last);
        if (S_ISCHR(m->mode) || S_ISBLK(m->mode))
                lsr_out_printf(v->out, ",\"rdev\":\"%u:%u\"", lsr_dev_major(m->rdev), lsr_dev_minor(m->rdev));
}

/* ---- the mode ---- */

const struct lsr_mark lsr_marks[LSR_MARKS] = {
        { '!', "stored under a path that leads elsewhere" },
        { '=', "hides earlier members of its name" },
        { '*', "set-user-ID or set-group-ID" },
        { '#', "encrypted" },
};

static void mode_measure(struct lsr_view *v, struct lsr_cell *cell, struct lsr_entry *const *entries, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                const struct lsr_entry_extra *extra = entries[i]->extra;

                if (!extra)
                        continue;
                cell->marks |= extra->acl != LSR_ACL_NONE;
                if (extra->marks) {
                        int remarks = __builtin_popcount(extra->marks);

                        cell->remarks = remarks > cell->remarks ? remarks : cell->remarks;
                        v->marks |= extra->marks;
                }
        }
        lsr_cell_widen(cell, 10 + cell->marks + cell->remarks);
}

static char *mode_put(struct lsr_view *v, struct lsr_cell *cell, const struct lsr_entry *e, char *p)
{
        bool known = lsr_entry_knows(e, LSR_FIELD_MODE);

        lsr_text_mode(p, lsr_entry_mode(e));
        if (!known)
                memset(p + 1, '?', 9);
        p += 10;
        if (cell->marks)
                *p++ = !known ? '?' : " .+"[e->extra ? e->extra->acl : LSR_ACL_NONE];
        if (cell->remarks) {
                unsigned marks = e->extra ? e->extra->marks : 0;
                int left = cell->remarks;

                for (unsigned i = 0; i < LSR_MARKS; i++)
                        if (marks >> i & 1 && left-- > 0)
                                *p++ = lsr_marks[i].sign;
                while (left-- > 0)
                        *p++ = ' ';
        }
        return p;
}

static char *mode_octal(char *p, uint32_t mode)
{
        for (int shift = 9; shift >= 0; shift -= 3)
                *p++ = (char)('0' + (mode >> shift & 7));
        return p;
}

static void mode_json(struct lsr_view *v, struct lsr_cell *cell, const struct lsr_entry *e)
{
        static const char model[] = ",\"mode\":\"0000\",\"perm\":\"----------\"";
        char *p;

        if (!(e->meta.known & cell->column->fields))
                return;
        p = lsr_out_reserve(v->out, sizeof(model));
        memcpy(p, model, sizeof(model));
        mode_octal(p + 9, e->meta.mode);
        lsr_text_mode(p + 23, e->meta.mode);
        lsr_out_commit(v->out, p + sizeof(model) - 1);
}

static char *octal_put(struct lsr_view *v, struct lsr_cell *cell, const struct lsr_entry *e, char *p)
{
        return lsr_entry_knows(e, LSR_FIELD_MODE) ? mode_octal(p, e->meta.mode) : lsr_cell_unknown(cell, p);
}

static void octal_measure(struct lsr_view *v, struct lsr_cell *cell, struct lsr_entry *const *entries, size_t n)
{
        lsr_cell_widen(cell, n ? 4 : 0);
}

/* ---- security contexts ---- */

static const char *context_of(const struct lsr_entry *e)
{
        return e->extra && e->extra->context ? e->extra->context : "?";
}

static void context_measure(struct lsr_view *v, struct lsr_cell *cell, struct lsr_entry *const *entries, size_t n)
{
        for (size_t i = 0; i < n; i++)
                lsr_cell_widen(cell, (int)strlen(context_of(entries[i])));
}

static char *context_put(struct lsr_view *v, struct lsr_cell *cell, const struct lsr_entry *e, char *p)
{
        const char *context = context_of(e);

        return lsr_cell_text(cell, p, context, strlen(context), (int)strlen(context));
}

/* ---- git ---- */

static void git_measure(struct lsr_view *v, struct lsr_cell *cell, struct lsr_entry *const *entries, size_t n)
{
        uint16_t any = 0;

        for (size_t i = 0; i < n; i++)
                any |= entries[i]->git;
        lsr_cell_widen(cell, any ? 2 : 0);
}

static char *git_put(struct lsr_view *v, struct lsr_cell *cell, const struct lsr_entry *e, char *p)
{
        *p++ = e->git ? (char)(e->git >> 8) : ' ';
        *p++ = e->git ? (char)(e->git & 0xff) : ' ';
        return p;
}

/* As git status has it: what is in the index is green, what is not red. */
static const char *git_paint(struct lsr_view *v, const struct lsr_cell *cell, const struct lsr_entry *e)
{
        char index = (char)(e->git >> 8), tree = (char)(e->git & 0xff);

        return index == '!'             ? "\033[90m"
               : e->git && tree != '-'  ? "\033[31m"
               : e->git && index != '-' ? "\033[32m"
                                        : NULL;
}

static void git_json(struct lsr_view *v, struct lsr_cell *cell, const struct lsr_entry *e)
{
        if (e->git)
                lsr_json_string(v->out, "git", (const char[2]){ (char)(e->git >> 8), (char)(e->git & 0xff) }, 2);
}

/* ---- what is in JSON alone, as rows have it behind names or not at all ---- */

static void target_json(struct lsr_view *v, struct lsr_cell *cell, const struct lsr_entry *e)
{
        if (e->extra && e->extra->target)
                lsr_json_string(v->out, "target", e->extra->target, e->extra->target_len);
}

static void member_json(struct lsr_view *v, struct lsr_cell *cell, const struct lsr_entry *e)
{
        static const char dangling[] = "hard link to a member that is not there";
        const struct lsr_entry_member *m = e->extra ? e->extra->member : NULL;

        if (!m)
                return;
        lsr_json_string(v->out, "bundle", m->bundle, strlen(m->bundle));
        if (m->packed != UINT64_MAX)
                lsr_json_number(v->out, "packed", m->packed);
        if (m->method)
                lsr_json_string(v->out, "method", m->method, strlen(m->method));
        if (m->encrypted)
                lsr_out_puts(v->out, ",\"encrypted\":true");
        if (m->implied)
                lsr_out_puts(v->out, ",\"implied\":true");
        if (m->rows != UINT64_MAX)
                lsr_json_number(v->out, "rows", m->rows);
        if (e->extra->note)
                lsr_json_bytes(v->out, "note", e->extra->note, e->extra->note_len);
        if (m->raw)
                lsr_json_bytes(v->out, "raw_name", m->raw, m->raw_len);
        if (m->dangling)
                lsr_json_string(v->out, "error", dangling, sizeof(dangling) - 1);
}

/* A number in the metadata, and its key. */
#define NUMBER(key_, member_)                                                    \
        .key = LSR_JSON_KEY(key_), .offset = offsetof(struct lsr_meta, member_), \
        .wide = sizeof(((struct lsr_meta *)0)->member_) == 8, .json = number_json

/* clang-format off */
const struct lsr_column lsr_columns[] = {
        { "inode", "Inode", .shown = LSR_SHOW_INODE | LSR_SHOW_JSON, .fields = LSR_FIELD_INODE, .align = LSR_RIGHT,
          NUMBER("inode", inode), .room = 20, .measure = number_measure, .put = number_put },
        { "blocks", "Blocks", .shown = LSR_SHOW_BLOCKS | LSR_SHOW_JSON, .fields = LSR_FIELD_BLOCKS, .align = LSR_RIGHT,
          NUMBER("blocks", blocks), .room = LSR_HUMAN_MAX, .measure = lsr_blocks_measure, .put = lsr_blocks_put },
        { "mode", "Mode", .shown = LSR_SHOW_LONG | LSR_SHOW_JSON, .fields = LSR_FIELD_MODE, .needs = LSR_NEED_ACL,
          .room = 11, .measure = mode_measure, .put = mode_put, .json = mode_json },
        { "octal", "Octal", .fields = LSR_FIELD_MODE, .align = LSR_RIGHT,
          .room = 4, .measure = octal_measure, .put = octal_put, .json = mode_json },
        { "links", "Links", .shown = LSR_SHOW_LONG | LSR_SHOW_JSON, .fields = LSR_FIELD_NLINK, .align = LSR_RIGHT,
          NUMBER("nlink", nlink), .room = 20, .measure = number_measure, .put = number_put },
        { "user", "User", .shown = LSR_SHOW_USER | LSR_SHOW_JSON, .fields = LSR_FIELD_UID, .needs = LSR_NEED_USERS,
          .room = LSR_CELL_TEXT_MAX, .measure = lsr_user_measure, .put = lsr_user_put, .json = lsr_user_json },
        { "group", "Group", .shown = LSR_SHOW_GROUP | LSR_SHOW_JSON, .fields = LSR_FIELD_GID,
          .needs = LSR_NEED_GROUPS, .which = 1,
          .room = LSR_CELL_TEXT_MAX, .measure = lsr_user_measure, .put = lsr_user_put, .json = lsr_user_json },
        { "author", "Author", .shown = LSR_SHOW_AUTHOR, .fields = LSR_FIELD_UID, .needs = LSR_NEED_USERS,
          .room = LSR_CELL_TEXT_MAX, .measure = lsr_user_measure, .put = lsr_user_put },
        { "context", "Context", .shown = LSR_SHOW_CONTEXT, .fields = LSR_FIELD_MODE, .needs = LSR_NEED_CONTEXT,
          .room = 1, .measure = context_measure, .put = context_put },
        { "size", "Size", .shown = LSR_SHOW_LONG | LSR_SHOW_JSON, .fields = LSR_FIELD_SIZE, .align = LSR_RIGHT,
          NUMBER("size", size), .room = LSR_HUMAN_MAX, .measure = lsr_size_measure, .put = lsr_size_put,
          .paint = lsr_size_paint },
        LSR_TIME_COLUMN("modified", "Modified", "mtime", LSR_MTIME, LSR_FIELD_MTIME),
        LSR_TIME_COLUMN("accessed", "Accessed", "atime", LSR_ATIME, LSR_FIELD_ATIME),
        LSR_TIME_COLUMN("changed", "Changed", "ctime", LSR_CTIME, LSR_FIELD_CTIME),
        LSR_TIME_COLUMN("created", "Created", "btime", LSR_BTIME, LSR_FIELD_BTIME),
        { "age", "Age", .fields = LSR_FIELD_MTIME, .align = LSR_RIGHT, .key = LSR_JSON_KEY("mtime"),
          .room = 24, .measure = lsr_age_measure, .put = lsr_age_put, .json = lsr_time_json, .paint = lsr_time_paint },
        { "packed", "Packed", .needs = LSR_NEED_MEMBER, .align = LSR_RIGHT,
          .key = LSR_JSON_KEY("packed"), .which = LSR_MEMBER_PACKED,
          .room = LSR_HUMAN_MAX, .measure = lsr_member_measure, .put = lsr_member_put, .json = lsr_member_json },
        { "ratio", "Ratio", .fields = LSR_FIELD_SIZE, .needs = LSR_NEED_MEMBER, .align = LSR_RIGHT,
          .key = LSR_JSON_KEY("ratio"), .which = LSR_MEMBER_RATIO,
          .room = LSR_HUMAN_MAX, .measure = lsr_member_measure, .put = lsr_member_put, .json = lsr_member_json },
        { "method", "Method", .needs = LSR_NEED_MEMBER,
          .room = 1, .measure = lsr_method_measure, .put = lsr_method_put, .json = lsr_method_json },
        { "offset", "Offset", .needs = LSR_NEED_MEMBER, .align = LSR_RIGHT,
          .key = LSR_JSON_KEY("offset"), .which = LSR_MEMBER_OFFSET,
          .room = LSR_HUMAN_MAX, .measure = lsr_member_measure, .put = lsr_member_put, .json = lsr_member_json },
        { "device", NULL, .shown = LSR_SHOW_JSON, .fields = LSR_FIELD_DEV, .json = device_json },
        { "target", NULL, .shown = LSR_SHOW_JSON, .json = target_json },
        { "git", "G", .shown = LSR_SHOW_GIT, .needs = LSR_NEED_GIT, .optional = true,
          .room = 2, .measure = git_measure, .put = git_put, .json = git_json, .paint = git_paint },
        { "bundle", NULL, .shown = LSR_SHOW_JSON, .needs = LSR_NEED_MEMBER, .json = member_json },
};
/* clang-format on */
const size_t lsr_n_columns = sizeof(lsr_columns) / sizeof(*lsr_columns);

const char *lsr_column_name(size_t i)
{
        for (const struct lsr_column *c = lsr_columns; c < lsr_columns + lsr_n_columns; c++)
                if (c->title && i-- == 0)
                        return c->name;
        return NULL;
}
