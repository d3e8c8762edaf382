/*
 * archive - what the files that list archives share
 */
#pragma once

#include "formats/sqlite/sqlite.h"

enum archive_column {
        ARCHIVE_ROWID,
        ARCHIVE_NAME,
        ARCHIVE_MODE,
        ARCHIVE_MTIME,
        ARCHIVE_SIZE,
        ARCHIVE_PACKED,
        ARCHIVE_TARGET,
        ARCHIVE_COLUMNS
};

/*
 * No row is looked at where SQLite has what was asked for; it has no other way to say that all of an index is wanted.
 */
#define ARCHIVE_LISTED " INDEXED BY " LSR_SQLITE_LIST " WHERE name>=''"

/* What one has; numbers count where their bit is set. */
struct archive_row {
        unsigned has;
        int64_t numbers[ARCHIVE_TARGET];
        const char *name; /* NULL: none */
        size_t name_len;
        const char *target; /* NULL: none that counts */
        size_t target_len;
};

struct archive_sink {
        const struct lsr_sqlite *s;
        void *ctx;
        /* Other than 0: no more. */
        int (*take)(void *ctx, const struct archive_row *row);
        int result;     /* of the last call */
        bool ascending; /* rowids of a range */
        bool disorder;  /* one was not: a row whose number is damaged */
        uint64_t seen;  /* rows that were taken, */
        int64_t before; /* of which this is the last but one, or INT64_MIN, */
        int64_t rowid;  /* and this the last */
};

static inline bool archive_has(const struct archive_row *row, enum archive_column column)
{
        return row->has & 1u << column;
}

/* --- formats/sqlite/archive.c -------------------------------------------------------- */

/*
 * Compile the listing, the rows of which go to @sink.  @where restricts it, or is ""; so does what the rowid is compared
 * with, such as "=?1", or NULL.  SQLITE_OK or what SQLite says.
 */
int archive_prepare(struct lsr_sqlite *s, struct archive_sink *sink, const char *where, const char *rowids,
                    sqlite3_stmt **ret_stmt);

/* For a sink: to the builder of the scan that is @ctx. */
int archive_add(void *ctx, const struct archive_row *row);

/* --- formats/sqlite/list.c ----------------------------------------------------------- */

/* Rows that are added later, each with its texts behind it.  Begins as zeros; free data. */
struct archive_kept {
        uint8_t *data;
        size_t len;
        size_t cap;
};

/* False: then it would have more than @max bytes. */
bool archive_keep(struct archive_kept *k, const struct archive_row *row, size_t max);

/* Add the row at @inout_at, which is moved behind it. */
int archive_add_kept(const struct archive_kept *k, size_t *inout_at, struct lsr_scan *scan);

/* Set s->listed and s->clean. */
void archive_find_indexes(struct lsr_sqlite *s);

/* List from LSR_SQLITE_LIST.  0, 1: not from it, or a negative errno. */
int archive_scan_list(struct lsr_sqlite *s, const struct lsr_wanted *wanted);

/* --- formats/sqlite/leaves.c --------------------------------------------------------- */

#define ARCHIVE_DEPTH_MAX 20 /* as SQLite's own */

/* A page of rows, and the least and the greatest rowid that they may have. */
struct archive_leaf {
        uint32_t number;
        int64_t first;
        int64_t last;
};

/* A page above others. */
struct archive_level {
        const uint8_t *page;
        unsigned n;   /* children, less 1 */
        unsigned at;  /* the next one */
        int64_t last; /* the greatest rowid below it */
};

/* The way through the pages above leaves. */
struct archive_leaves {
        struct lsr_input *input;
        struct lsr_sqlite_vfs *vfs;
        const uint8_t *map;
        uint8_t *copies; /* a page for each level and one below, where there is no map */
        bool cold;       /* it is not in the page cache */
        bool broken;
        size_t page_size;
        size_t usable; /* bytes of a page */
        uint64_t n_pages;
        uint64_t walked; /* pages above, */
        uint64_t given;  /* and leaves */
        int64_t first;   /* the least rowid of the next leaf */
        unsigned depth;
        unsigned leaves; /* the depth that they are at; 0: not known yet */
        struct archive_level levels[ARCHIVE_DEPTH_MAX];
};

/*
 * Of the table whose first page is @root.  False: they cannot be found, or are not mapped, so that their rows cannot be
 * decoded in place; with @copy the pages above are read then.  To be ended in any case.
 */
bool archive_leaves_begin(struct archive_leaves *l, const struct lsr_sqlite *s, uint32_t root, bool copy);
void archive_leaves_end(struct archive_leaves *l);

/* The next leaves, @most at most.  Returns how many; 0: there are no more or, with @l broken, none can be found. */
unsigned archive_leaves_next(struct archive_leaves *l, struct archive_leaf *leaves, unsigned most);

/* The same without pages that are damaged, or whose number is: nor can SQLite get to what is below them. */
unsigned archive_leaves_around(struct archive_leaves *l, struct archive_leaf *leaves, unsigned most);

#define ARCHIVE_LEAF_ROWS 32768u /* as many as a page has, and more */

/* The rowids that stand in a leaf, in its order.  How many; 0: it is none. */
unsigned archive_leaf_rowids(const struct archive_leaves *l, uint32_t number, int64_t ret[static ARCHIVE_LEAF_ROWS]);

/*
 * Their rows, where they are mapped and have just sqlar's columns, from any thread.  False: at one of them it ended, be
 * it the sink or the row.
 */
bool archive_leaves_rows(const struct archive_leaves *l, const struct archive_leaf *leaves, unsigned n,
                         struct archive_sink *sink);
