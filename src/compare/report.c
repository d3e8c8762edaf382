/*
 * report - the table
 *
 * Cells are made as text first: their widths decide the columns, and whether
 * the terminal gets one table or two below each other.
 */
#include "compare/report.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/width.h"
#include "compare/columns.h"
#include "compare/data.h"
#include "compare/figures.h"
#include "compare/conclusions.h"

#define REPORT_GAP 2

/* All cells, row after row; rows 0 and 1 are the heading. */
struct report_grid {
        struct lsr_out text;
        size_t *starts; /* n_rows * lsr_compare_n_columns + 1 of them */
        size_t n_rows;
        size_t *widths; /* 0: not shown */
};

static size_t report_cell(const struct report_grid *grid, size_t row, unsigned column, const char **ret_text)
{
        size_t i = row * lsr_compare_n_columns + column;

        *ret_text = grid->text.buf + grid->starts[i];
        return grid->starts[i + 1] - grid->starts[i];
}

static void report_fill(struct report_grid *grid, const struct lsr_experiment *x)
{
        size_t n = lsr_compare_n_columns, i = 0;

        lsr_out_init(&grid->text, -1);
        grid->n_rows = x->n_ways + 2;
        grid->starts = lsr_xmalloc((grid->n_rows * n + 1) * sizeof(size_t));
        grid->widths = lsr_xmalloc(n * sizeof(size_t));
        for (size_t row = 0; row < grid->n_rows; row++) {
                for (unsigned c = 0; c < n; c++) {
                        const struct lsr_compare_column *column = &lsr_compare_columns[c];

                        grid->starts[i++] = grid->text.len;
                        if (row < 2)
                                lsr_out_puts(&grid->text, row == 0 ? column->title : column->unit);
                        else
                                column->put(&grid->text, x, &x->ways[row - 2]);
                }
        }
        grid->starts[i] = grid->text.len;
        for (unsigned c = 0; c < n; c++) {
                grid->widths[c] = 0;
                for (size_t row = 0; row < grid->n_rows; row++) {
                        const char *text;
                        size_t width = report_cell(grid, row, c, &text);

                        if (width > grid->widths[c])
                                grid->widths[c] = width;
                }
                if (!lsr_compare_column_wanted(&lsr_compare_columns[c], x))
                        grid->widths[c] = 0;
        }
}

enum report_part { REPORT_ALL, REPORT_MAIN, REPORT_DETAIL };

static bool report_in_part(const struct report_grid *grid, unsigned column, enum report_part part)
{
        return grid->widths[column] > 0 &&
               (column == 0 || part == REPORT_ALL || lsr_compare_columns[column].detail == (part == REPORT_DETAIL));
}

static void report_part(struct lsr_out *out, const struct report_grid *grid, enum report_part part)
{
        for (size_t row = 0; row < grid->n_rows; row++) {
                size_t blanks = 0;

                for (unsigned c = 0; c < lsr_compare_n_columns; c++) {
                        const char *text;
                        size_t width = report_cell(grid, row, c, &text), room = grid->widths[c];
                        bool left = lsr_compare_columns[c].left;

                        if (!report_in_part(grid, c, part))
                                continue;
                        blanks += (c > 0 ? REPORT_GAP : 0) + (left ? 0 : room - width);
                        /* None at the end of a line. */
                        if (width > 0) {
                                lsr_out_fill(out, ' ', blanks);
                                lsr_out_put(out, text, width);
                                blanks = 0;
                        }
                        blanks += left ? room - width : 0;
                }
                lsr_out_putc(out, '\n');
        }
}

static void report_grid(struct lsr_out *out, const struct lsr_experiment *x, size_t width)
{
        struct report_grid grid;
        size_t needed = 0;

        report_fill(&grid, x);
        for (unsigned c = 0; c < lsr_compare_n_columns; c++)
                if (report_in_part(&grid, c, REPORT_ALL))
                        needed += grid.widths[c] + (c > 0 ? REPORT_GAP : 0);
        if (width == 0 || needed <= width) {
                report_part(out, &grid, REPORT_ALL);
        } else {
                report_part(out, &grid, REPORT_MAIN);
                lsr_out_putc(out, '\n');
                report_part(out, &grid, REPORT_DETAIL);
        }
        lsr_out_free(&grid.text);
        free(grid.starts);
        free(grid.widths);
}

/* @text with lines of @width columns at most, where blanks allow it; all but the first begin with @indent blanks. */
static void report_wrapped(struct lsr_out *out, const char *text, size_t len, size_t indent, size_t width)
{
        size_t column = indent;

        for (size_t i = 0; i < len;) {
                size_t blank = i < len && text[i] == ' ', end = i + blank;

                while (end < len && text[end] != ' ')
                        end++;
                size_t columns = lsr_text_width(text + i, end - i);

                if (width > 0 && blank && column + columns > width && column > indent) {
                        lsr_out_putc(out, '\n');
                        lsr_out_fill(out, ' ', indent);
                        column = indent;
                        i++;
                        columns--;
                }
                lsr_out_put(out, text + i, end - i);
                column += columns;
                i = end;
        }
        lsr_out_putc(out, '\n');
}

static void report_fact(struct lsr_out *out, const char *name, size_t name_width, const struct lsr_out *value,
                        size_t width)
{
        size_t len = strlen(name);

        lsr_out_puts(out, name);
        lsr_out_fill(out, ' ', name_width - len + REPORT_GAP);
        report_wrapped(out, value->buf, value->len, name_width + REPORT_GAP, width);
}

static void report_facts(struct lsr_out *out, const struct lsr_experiment *x, size_t width)
{
        size_t names = strlen("tree");
        lsr_auto(lsr_out_free) struct lsr_out value = LSR_OUT_MEMORY;

        for (size_t i = 0; i < x->n_facts; i++)
                if (strlen(x->facts[i].name) > names)
                        names = strlen(x->facts[i].name);
        lsr_compare_shown(&value, x->dir, LSR_QUOTE_SHELL_ESCAPE);
        lsr_out_puts(&value, ": ");
        lsr_compare_tree(&value, x);
        report_fact(out, "tree", names, &value, width);
        value.len = 0;
        lsr_compare_reads(&value, x);
        report_fact(out, "read", names, &value, width);
        for (size_t i = 0; i < x->n_facts; i++) {
                value.len = 0;
                lsr_compare_shown(&value, x->facts[i].value, LSR_QUOTE_LITERAL);
                report_fact(out, x->facts[i].name, names, &value, width);
        }
}

static void report_table(struct lsr_out *out, const struct lsr_experiment *x, size_t width)
{
        lsr_auto(lsr_out_free) struct lsr_out text = LSR_OUT_MEMORY;

        report_facts(out, x, width);
        if (x->n_ways > 0) {
                lsr_out_putc(out, '\n');
                report_grid(out, x, width);
        }
        lsr_out_putc(out, '\n');
        if (lsr_compare_troubles(&text, x) > 0) {
                lsr_out_put(out, text.buf, text.len);
                lsr_out_putc(out, '\n');
        }
        text.len = 0;
        lsr_compare_words(&text, x);
        report_wrapped(out, text.buf, text.len, 0, width);
}

void lsr_report(struct lsr_out *out, const struct lsr_experiment *x, enum lsr_report_form form, size_t width)
{
        switch (form) {
        case LSR_REPORT_TABLE:
                report_table(out, x, width);
                break;
        case LSR_REPORT_JSON:
                lsr_report_json(out, x);
                break;
        case LSR_REPORT_CSV:
                lsr_report_csv(out, x);
                break;
        }
}
