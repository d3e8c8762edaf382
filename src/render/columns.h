/*
 * columns - what a row shows of a file besides its name
 *
 * lsr_columns[] has one entry for each column, and that entry is all there is
 * to know of it: what it is called, what must be asked of files for it, how
 * wide it gets, how a cell of it is put into the output and into JSON.  To add
 * a column is to add an entry.
 *
 * A view has the columns that were chosen, as cells: lsr_cells_parse() and
 * lsr_cells_add() once, lsr_cells_measure() for what aligns, then
 * lsr_cells_put() for each row.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "entry.h"

struct lsr_view;
struct lsr_cell;

enum lsr_align { LSR_LEFT, LSR_RIGHT };

/* By what a column is called for.  -l has those of LSR_SHOW_LONG and what options add or take away. */
enum lsr_shown {
        LSR_SHOW_INODE = 1 << 0,
        LSR_SHOW_BLOCKS = 1 << 1,
        LSR_SHOW_LONG = 1 << 2,
        LSR_SHOW_USER = 1 << 3,
        LSR_SHOW_GROUP = 1 << 4,
        LSR_SHOW_AUTHOR = 1 << 5,
        LSR_SHOW_CONTEXT = 1 << 6,
        LSR_SHOW_GIT = 1 << 7,
        LSR_SHOW_JSON = 1 << 8,
        LSR_SHOW_TIME = 1 << 9, /* shifted by enum lsr_time */
};

/* What a column needs besides the metadata of files. */
enum lsr_need {
        LSR_NEED_USERS = 1 << 0,  /* names of users */
        LSR_NEED_GROUPS = 1 << 1, /* names of groups */
        LSR_NEED_ZONE = 1 << 2,   /* the time zone */
        LSR_NEED_ACL =
                1 << 3, /* whether there are access control lists; it costs a call a file, so only if that is wanted */
        LSR_NEED_CONTEXT = 1 << 4,
        LSR_NEED_GIT = 1 << 5,
        LSR_NEED_MEMBER = 1 << 6, /* what only bundles tell */
};

typedef char *lsr_column_put(struct lsr_view *v, struct lsr_cell *cell, const struct lsr_entry *e, char *p);

/* The sequence that colours the cell of @e, NULL: none does. */
typedef const char *lsr_column_paint(struct lsr_view *v, const struct lsr_cell *cell, const struct lsr_entry *e);

/* ,"name": as it stands in an object. */
struct lsr_json_key {
        char text[15];
        uint8_t len;
};
#define LSR_JSON_KEY(name_)                              \
        {                                                \
                ",\"" name_ "\":", sizeof(name_) - 1 + 4 \
        }

struct lsr_column {
        const char *name;  /* for --columns */
        const char *title; /* NULL: it is in no row, but in JSON */
        unsigned shown;    /* enum lsr_shown: any of these calls for it */
        unsigned fields;   /* LSR_FIELD_* to ask of files */
        unsigned needs;    /* enum lsr_need */
        unsigned which;    /* for functions that serve several columns */
        struct lsr_json_key key;
        uint16_t offset; /* of a number in struct lsr_meta */
        bool wide;       /* it has 64 bits and not 32 */
        uint8_t align;   /* enum lsr_align */
        bool optional;   /* left out of a set whose cells are all empty */
        size_t room;     /* bytes that a cell may take beyond its width and what measure() found */
        /* Have cell->width, and what else put() needs, suffice for @n more entries.  NULL: nothing to measure. */
        void (*measure)(struct lsr_view *v, struct lsr_cell *cell, struct lsr_entry *const *entries, size_t n);
        /* Write the cell of @e, cell->width columns wide, and return its end. */
        lsr_column_put *put;
        lsr_column_paint *paint; /* NULL: it has no colours */
        /* Write ,"key":value for what is known of @e.  NULL: it is not in JSON. */
        void (*json)(struct lsr_view *v, struct lsr_cell *cell, const struct lsr_entry *e);
};

/* The marks of members behind their mode, in the order of LSR_MARK_*. */
struct lsr_mark {
        char sign;
        const char *meaning;
};
extern const struct lsr_mark lsr_marks[];

extern const struct lsr_column lsr_columns[];
extern const size_t lsr_n_columns;

/* The @i-th name for --columns; NULL: there are no more. */
const char *lsr_column_name(size_t i);

#define LSR_CELLS_MAX 24
#define LSR_CELL_TEXT_MAX 32

/* A chosen column, measured over the sets at hand. */
struct lsr_cell {
        const struct lsr_column *column;
        lsr_column_put *put;   /* the column's, or what colours it */
        uint8_t align;         /* enum lsr_align */
        int width;             /* columns on the screen; this and what follows are measured */
        size_t bytes;          /* user, group, context: of the longest text */
        bool marks;            /* mode: there is a mark behind one */
        int remarks;           /* mode: the most marks of a member behind one */
        int major, minor;      /* size: digits of device numbers */
        size_t owners;         /* user and group: how often they change from one measured entry to the next, and 1 */
        struct lsr_cell_last { /* user, group and device: most rows have those of the row before */
                const char *name;
                uint32_t id, known;
                uint8_t len; /* 0: there is none */
                char text[LSR_CELL_TEXT_MAX];
        } last;
};

/* The columns of a view. */
struct lsr_cells {
        struct lsr_cell all[LSR_CELLS_MAX];
        size_t n;
        /* Of all of them: what calls for one, enum lsr_shown; LSR_FIELD_*; enum lsr_need. */
        unsigned called, fields, needs;
        /* Those that are shown, NULL-terminated: behind lsr_cells_measure(). */
        struct lsr_cell *shown[LSR_CELLS_MAX + 1];
        size_t anew;    /* GNU ls counts the columns of names from shown[anew] on */
        size_t room;    /* bytes that all of them take at most, with the blanks between them */
        size_t width;   /* columns, with a blank behind each */
        bool paints;    /* some are coloured */
        size_t painted; /* bytes of the last row that were colours */
        bool ragged;    /* each cell is as wide as its text: set before they are measured */
};

/* Entries to measure together. */
struct lsr_span {
        struct lsr_entry *const *entries;
        size_t n;
};

/* Add those that any of @shown calls for and that are not there: before the first that the table has behind them. */
void lsr_cells_add(struct lsr_cells *cells, unsigned shown);

/* Those of @list, names with commas between them.  NULL, or the beginning of the first name that there is not. */
const char *lsr_cells_parse(struct lsr_cells *cells, const char *list);

/* Colour cells; @all: also those that ls -l shows.  Before they are measured. */
void lsr_cells_paint(struct lsr_cells *cells, bool all);

/* Widths for what is going to be aligned; with titles wide enough for those, too. */
void lsr_cells_measure(struct lsr_view *v, const struct lsr_span *spans, size_t n);

/*
 * The cells of @e, a blank behind each; there must be room.  Returns the end, and in @ret_anew where shown[anew]
 * began.
 */
char *lsr_cells_put(struct lsr_view *v, const struct lsr_entry *e, char *p, char **ret_anew);

/* The columns that the cells of @e take. */
size_t lsr_cells_width(struct lsr_view *v, const struct lsr_entry *e);

/* The line of titles. */
void lsr_cells_put_titles(struct lsr_view *v);
