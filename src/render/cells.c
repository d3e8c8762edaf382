/*
 * cells - the chosen columns of a view, side by side
 *
 * Columns are measured for one block of entries at a time, in the order of
 * memory, so that all columns find the block in the cache.  An id without a
 * name may get one from getent, and then everything is measured again.
 */
#include <assert.h>
#include <string.h>

#include "base/width.h"
#include "render/view.h"

#define CELLS_BLOCK 256u /* entries */
#define CELLS_PAINT 16   /* bytes of colours in a cell */

/* @column becomes all[at], if there is room. */
static void cells_insert(struct lsr_cells *cells, const struct lsr_column *column, size_t at)
{
        assert(at <= cells->n && cells->n <= LSR_CELLS_MAX);
        if (cells->n == LSR_CELLS_MAX)
                return;
        memmove(&cells->all[at + 1], &cells->all[at], (cells->n++ - at) * sizeof(*cells->all));
        cells->all[at] = (struct lsr_cell){ .column = column, .put = column->put, .align = column->align };
        cells->called |= column->shown;
        cells->fields |= column->fields;
        cells->needs |= column->needs;
}

static bool cells_has(const struct lsr_cells *cells, const struct lsr_column *column)
{
        for (size_t i = 0; i < cells->n; i++)
                if (cells->all[i].column == column)
                        return true;
        return false;
}

void lsr_cells_add(struct lsr_cells *cells, unsigned shown)
{
        for (const struct lsr_column *c = lsr_columns; c < lsr_columns + lsr_n_columns; c++) {
                size_t at = 0;

                if (!(c->shown & shown) || cells_has(cells, c))
                        continue;
                while (at < cells->n && cells->all[at].column < c)
                        at++;
                cells_insert(cells, c, at);
        }
}

static const struct lsr_column *cells_find(const char *name, size_t len)
{
        for (size_t i = 0; i < lsr_n_columns; i++)
                if (lsr_columns[i].title && strncmp(lsr_columns[i].name, name, len) == 0 && !lsr_columns[i].name[len])
                        return &lsr_columns[i];
        return NULL;
}

const char *lsr_cells_parse(struct lsr_cells *cells, const char *list)
{
        cells->n = cells->called = cells->fields = cells->needs = 0;
        for (;;) {
                size_t len = strcspn(list, ",");
                const struct lsr_column *column = cells_find(list, len);

                if (!column || cells->n == LSR_CELLS_MAX)
                        return list;
                cells_insert(cells, column, cells->n);
                if (!list[len])
                        return NULL;
                list += len + 1;
        }
}

static char *cells_put_painted(struct lsr_view *v, struct lsr_cell *cell, const struct lsr_entry *e, char *p)
{
        static const char off[] = "\033[0m";
        /* What is implied is dimmed altogether. */
        const char *paint = e->flags & LSR_ENTRY_IMPLIED ? NULL : cell->column->paint(v, cell, e);
        size_t len = paint ? strlen(paint) : 0;

        assert(len + sizeof(off) <= CELLS_PAINT);
        if (!paint)
                return cell->column->put(v, cell, e, p);
        v->cells.painted += len + sizeof(off) - 1;
        p = cell->column->put(v, cell, e, (char *)memcpy(p, paint, len) + len);
        return (char *)memcpy(p, off, sizeof(off)) + sizeof(off) - 1;
}

void lsr_cells_paint(struct lsr_cells *cells, bool all)
{
        const unsigned times = LSR_SHOW_TIME << LSR_MTIME | LSR_SHOW_TIME << LSR_ATIME | LSR_SHOW_TIME << LSR_CTIME |
                               LSR_SHOW_TIME << LSR_BTIME;

        for (size_t i = 0; i < cells->n; i++) {
                struct lsr_cell *cell = &cells->all[i];

                if (!cell->column->paint || (!all && (cell->column->shown & (LSR_SHOW_LONG | times))))
                        continue;
                cell->put = cells_put_painted;
                cells->paints = true;
        }
}

static void cells_measure_all(struct lsr_view *v, const struct lsr_span *spans, size_t n)
{
        struct lsr_cells *cells = &v->cells;

        for (size_t i = 0; i < cells->n; i++) {
                struct lsr_cell *cell = &cells->all[i];

                /* Of the last text only the length says whether there is one. */
                memset(&cell->width, 0, offsetof(struct lsr_cell, last.text) - offsetof(struct lsr_cell, width));
        }
        for (size_t s = 0; s < n; s++) {
                for (size_t at = 0; at < spans[s].n; at += CELLS_BLOCK) {
                        size_t left = spans[s].n - at;

                        for (size_t i = 0; i < cells->n; i++)
                                if (cells->all[i].column->measure)
                                        cells->all[i].column->measure(v, &cells->all[i], spans[s].entries + at,
                                                                      left < CELLS_BLOCK ? left : CELLS_BLOCK);
                }
        }
}

void lsr_cells_measure(struct lsr_view *v, const struct lsr_span *spans, size_t n)
{
        struct lsr_cells *cells = &v->cells;
        size_t shown = 0;

        v->frills = v->o.color || v->o.hyperlink || v->o.icons || v->o.dired;
        cells_measure_all(v, spans, n);
        if (lsr_users_resolve(&v->users) + lsr_users_resolve(&v->groups) > 0)
                cells_measure_all(v, spans, n);
        cells->anew = cells->room = cells->width = 0;
        for (size_t i = 0; i < cells->n; i++) {
                struct lsr_cell *cell = &cells->all[i];
                const struct lsr_column *column = cell->column;

                if (column->optional && cell->width == 0)
                        continue;
                if (v->o.titles && cell->width < (int)strlen(column->title))
                        cell->width = (int)strlen(column->title);
                cells->room += (size_t)cell->width + cell->bytes + column->room + 1;
                if (cell->put != column->put)
                        cells->room += CELLS_PAINT;
                if (cells->ragged)
                        cell->width = 0;
                cells->width += (size_t)cell->width + 1;
                cells->shown[shown++] = cell;
                if (column->shown & (LSR_SHOW_USER | LSR_SHOW_GROUP | LSR_SHOW_AUTHOR | LSR_SHOW_CONTEXT))
                        cells->anew = shown;
        }
        cells->shown[shown] = NULL;
}

char *lsr_cells_put(struct lsr_view *v, const struct lsr_entry *e, char *p, char **ret_anew)
{
        struct lsr_cell *const *cell = v->cells.shown, *const *anew = cell + v->cells.anew;
        const char *end __attribute__((unused)) = p + v->cells.room;

        v->cells.painted = 0;
        for (; cell < anew; cell++) {
                p = (*cell)->put(v, *cell, e, p);
                *p++ = ' ';
        }
        *ret_anew = p;
        for (; *cell; cell++) {
                p = (*cell)->put(v, *cell, e, p);
                *p++ = ' ';
        }
        assert(p <= end);
        return p;
}

size_t lsr_cells_width(struct lsr_view *v, const struct lsr_entry *e)
{
        struct lsr_out scratch;
        char *begin, *end, *anew;
        size_t width;

        if (!v->cells.ragged || v->cells.width == 0)
                return v->cells.width;
        lsr_out_init(&scratch, -1);
        begin = lsr_out_reserve(&scratch, v->cells.room);
        end = lsr_cells_put(v, e, begin, &anew);
        width = lsr_text_width(begin, (size_t)(end - begin));
        lsr_out_free(&scratch);
        return width;
}

void lsr_cells_put_titles(struct lsr_view *v)
{
        for (struct lsr_cell *const *cell = v->cells.shown; *cell; cell++) {
                const char *title = (*cell)->column->title;
                size_t blanks = (size_t)(*cell)->width - strlen(title);

                if ((*cell)->align == LSR_RIGHT)
                        lsr_out_fill(v->out, ' ', blanks);
                lsr_out_puts(v->out, title);
                lsr_out_fill(v->out, ' ', ((*cell)->align == LSR_LEFT ? blanks : 0) + 1);
        }
        lsr_out_puts(v->out, "Name");
        lsr_out_putc(v->out, v->o.end);
}
