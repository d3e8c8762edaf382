/*
 * view - sets of entries to bytes
 *
 * A view shows the sets that the listing hands over, in one of the formats.
 * This is what all of them share: the options of the output and the state of
 * the view.  There is one file per format: long.c, grid.c, lines.c, json.c,
 * tree.c; name.c prints a name with quotes, colour and mark, hyperlink.c makes
 * it a link.
 */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/out.h"
#include "entry.h"
#include "listing/listing.h"
#include "render/color.h"
#include "render/columns.h"
#include "render/human.h"
#include "render/hyperlink.h"
#include "render/quote.h"
#include "render/users.h"
#include "render/when.h"

#define LSR_VIEW_WORDS 3 /* of a view, with the NULL behind them */
#define LSR_VIEW_KINDS_MAX 16

/* The rows of lsr_view_kinds[] that options ask for. */
enum lsr_layout {
        LSR_FORMAT_LONG,   /* -l */
        LSR_FORMAT_COMMAS, /* -m */
        LSR_FORMAT_ACROSS, /* -x */
        LSR_FORMAT_GRID,   /* -C */
        LSR_FORMAT_ONE,    /* -1 */
        LSR_FORMAT_JSON,
};

enum lsr_indicator {
        LSR_INDICATOR_NONE,
        LSR_INDICATOR_SLASH,     /* -p */
        LSR_INDICATOR_FILE_TYPE, /* --file-type */
        LSR_INDICATOR_CLASSIFY,  /* -F */
};

struct lsr_view_options {
        enum lsr_layout format;
        bool tree;
        unsigned shown; /* enum lsr_shown, by what options say of columns */
        bool numeric;   /* users and groups */
        bool titles, icons;
        bool dired;
        bool unaligned; /* rows of a directory do not align: GNU ls prints them as they come */
        bool hyperlink;
        bool color;
        char end; /* of a line: '\n', or NUL with --zero */
        enum lsr_indicator indicator;
        enum lsr_time time;
        struct lsr_size_style block_style; /* -s and "total" */
        struct lsr_size_style size_style;  /* file sizes */
        size_t width;                      /* columns of the terminal, 0: no limit */
        size_t tabsize;                    /* 0: spaces only */
};

/* Positions for --dired. */
struct lsr_dired {
        struct lsr_dired_place *at;
        size_t n, cap;
};

struct lsr_dired_place {
        uint64_t begin, end;
};

struct lsr_view {
        struct lsr_view_options o;
        struct lsr_out *out;
        struct lsr_cells cells;
        struct lsr_quote_table quote;     /* of names */
        struct lsr_quote_table dir_quote; /* of headings */
        bool align_quotes;                /* unquoted names get a blank if others are quoted */
        bool frills;                      /* names have colours, links, icons, or positions to tell */
        struct lsr_colors colors;
        struct lsr_when when;
        struct lsr_users users;
        struct lsr_users groups;
        struct lsr_dired dired;    /* file names */
        struct lsr_dired subdired; /* headings of directories */
        struct lsr_hyperlinks links;
        /* state */
        bool used_color;
        bool some_quoted;    /* a name of the set at hand is, and that matters for the others */
        bool any_set;        /* one was shown before */
        uint8_t marks;       /* LSR_MARK_* that were shown */
        const char *dir;     /* of the set at hand, NULL for operands */
        const char *prefix;  /* a tree's branches in front of a name */
        size_t prefix_len;   /* bytes of it */
        size_t prefix_width; /* its columns */
        size_t note_column;  /* columns of names in front of notes; 0: these follow their name */
        uint64_t not_dired;  /* bytes put that --dired does not count: colour sequences */
        struct lsr_tree *tree;
        struct lsr_json_level *json_levels; /* of a tree: objects that are open, each in the one before */
        size_t json_open, json_cap;
        uint64_t syscalls; /* made for colours */
};

/* How trees are shown: each set, its rows with the sets below them in between, and when all were there. */
struct lsr_view_tree {
        void (*set)(struct lsr_view *v, const struct lsr_set *set);
        void (*row)(struct lsr_view *v, const struct lsr_set *set, size_t i);
        void (*end)(struct lsr_view *v);
};

/*
 * A view is a row of the table: what it needs of files, of the terminal and of the options follows from it.  One that
 * --format alone asks for needs no other place.
 */
struct lsr_view_kind {
        const char *words[LSR_VIEW_WORDS]; /* of --format, NULL behind them */
        bool extra;                        /* GNU ls has no such words */
        unsigned shown;    /* enum lsr_shown: columns that it has by itself.  Then links are shown, and not followed */
        unsigned optional; /* those that options may ask for */
        bool rows;         /* of ls -l: a total, titles, a time, what bundles say */
        bool plain;        /* for programs: sets follow each other, without headings, colours and links */
        bool utc;          /* times are UTC */
        bool fills;        /* lines as wide as the terminal */
        bool aligned;      /* names are below each other: unquoted ones get a blank if others are quoted */
        void (*set)(struct lsr_view *v, const struct lsr_set *set);
        const struct lsr_view_tree *tree; /* NULL: trees have names alone, one on each line */
};

extern const struct lsr_view_kind lsr_view_kinds[];
extern const size_t lsr_n_view_kinds;

static inline const struct lsr_view_kind *lsr_view_kind(const struct lsr_view *v)
{
        assert(v->o.format < lsr_n_view_kinds);
        return &lsr_view_kinds[v->o.format];
}

/* What the sink of lsr_list() is handed; the rows of a tree one by one. */
void lsr_view_set(struct lsr_view *v, const struct lsr_set *set);
void lsr_view_row(struct lsr_view *v, const struct lsr_set *set, size_t i);

/* All sets were handed over: print what waited for this.  The sets must still exist. */
void lsr_view_end(struct lsr_view *v);

/* Print the end of the output: --dired's positions, the colour reset. */
void lsr_view_finish(struct lsr_view *v);

/* ---- the formats, named by the table in view.c ---- */

/* ", 1,234 bytes", or in the unit of sizes. */
void lsr_view_bytes(struct lsr_view *v, uint64_t bytes);

/* Sorted rows are scattered in memory, in the order of the directory: while row @i is shown, the next ones come. */
static inline void lsr_view_prefetch(const struct lsr_set *set, size_t i)
{
        if (i + 16 < set->n) {
                __builtin_prefetch(set->rows[i + 16]);
                __builtin_prefetch((const char *)set->rows[i + 16] + 64);
                __builtin_prefetch(set->rows[i + 8]->name);
        }
}

/* Measure the columns for one set. */
void lsr_view_measure(struct lsr_view *v, const struct lsr_set *set);

void lsr_long_set(struct lsr_view *v, const struct lsr_set *set);
void lsr_long_row(struct lsr_view *v, const struct lsr_entry *e);
void lsr_grid_set(struct lsr_view *v, const struct lsr_set *set);
void lsr_lines_set(struct lsr_view *v, const struct lsr_set *set);
void lsr_commas_set(struct lsr_view *v, const struct lsr_set *set);
void lsr_json_set(struct lsr_view *v, const struct lsr_set *set);
extern const struct lsr_view_tree lsr_tree_view, lsr_json_tree_view;

/* ---- name.c ---- */

/* A cell of a grid: columns, name, indicator. */
void lsr_name_cell(struct lsr_view *v, const struct lsr_entry *e, size_t start_column);
/* The columns that lsr_name_cell() would take. */
size_t lsr_name_cell_width(struct lsr_view *v, const struct lsr_entry *e);

/*
 * The name of @e in its colour, or with @target that of its link target.
 * @start_column is where it begins on the screen, for the clear-to-end-of-line
 * sequence.  Returns the columns.
 */
size_t lsr_name_put(struct lsr_view *v, const struct lsr_entry *e, bool target, size_t start_column);

/* Write the prefix; returns its end. */
static inline char *lsr_name_put_prefix(const struct lsr_view *v, char *p)
{
        return v->prefix_len > 0 ? (char *)memcpy(p, v->prefix, v->prefix_len) + v->prefix_len : p;
}

/*
 * Is the name printed as its bytes, with at most a mark?  Then lsr_name_put_bare() writes both: name_len + 2 bytes
 * of room.
 */
bool lsr_name_is_bare(const struct lsr_view *v, const struct lsr_entry *e);
char *lsr_name_put_bare(const struct lsr_view *v, const struct lsr_entry *e, char *p);

/* The mark behind a name, if there is one; @stat_ok false: @mode has the type only. */
void lsr_indicator_put(struct lsr_view *v, bool stat_ok, mode_t mode);

/* The heading of a directory, with its ":" and newline. */
void lsr_heading_put(struct lsr_view *v, const char *dir);

/* Columns of a name by itself, for --sort=width; which names are quoted must be known. */
size_t lsr_name_width(struct lsr_view *v, const struct lsr_entry *e);

/* Make v->quote's verdict on the names of a set: v->some_quoted. */
void lsr_name_scan_quoting(struct lsr_view *v, struct lsr_entry *const *entries, size_t n);

/* Colour sequences. */
void lsr_color_normal(struct lsr_view *v);
void lsr_color_off(struct lsr_view *v);
void lsr_color_sequence(struct lsr_view *v, const char *sequence);

/* ---- icons.c ---- */

#define LSR_ICON_WIDTH 2 /* columns: a glyph and a blank */

/* Put the Nerd Font glyph of @e, from the fonts' private use area, and a blank. */
void lsr_icon_put(struct lsr_out *out, const struct lsr_entry *e);

/* ---- text.c: pieces of rows ---- */

int lsr_digits(uint64_t value);

/* Write @value right-aligned to @width columns.  Returns the end. */
char *lsr_text_number(char *p, uint64_t value, int width);

/* The ten characters of a mode, as ls -l shows them. */
void lsr_text_mode(char p[10], mode_t mode);
