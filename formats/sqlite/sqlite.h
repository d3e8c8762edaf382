/*
 * sqlite - shared by the files of the SQLite driver
 *
 * The one place that includes <sqlite3.h>; only formats/sqlite*.c include this.
 *
 *      sqlite.c         the driver: opening a database safely, reading
 *      formats/sqlite/archive.c the listing of archives (`sqlar`)
 *      formats/sqlite/leaves.c  the same without SQLite, where the rows lie
 *      formats/sqlite/list.c    the same from an index that has all of it
 *      formats/sqlite/vfs.c     the database, its log and its journal as SQLite sees them
 *      formats/sqlite/schema.c  the tables of any other, and names for what they hold
 *      formats/sqlite/tables.c  any other database as tables, rows and columns
 *      formats/sqlite/describe.c what long rows say of these
 *      formats/sqlite/pages.c   how large a table is, without reading it
 *      formats/sqlite/cursor.c  the content of a table, a row, a value
 *      formats/sqlite/read.c    values in pieces, rows as JSON, members of archives
 *      formats/sqlite/check.c   all of them, counted
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/out.h"
#include "formats/format.h"

#define LSR_SQLITE_SLACK ((uint64_t)1 << 20) /* a value may be that much longer than the database */
#define LSR_SQLITE_ROW_MAX (1 << 20)         /* bytes of a blob that comes along with its row */
#define LSR_SQLITE_NAME_MAX ((size_t)255)    /* bytes of a shown name; beyond, it goes by its number */

/* --- formats/sqlite/vfs.c ------------------------------------------------------------ */

struct lsr_sqlite_vfs;

/*
 * A file system that holds nothing but the inputs of @scan, registered under a
 * name of its own and as the default, so that SQLite never asks its own.
 */
int lsr_sqlite_vfs_new(struct lsr_sqlite_vfs **ret_vfs, const struct lsr_scan *scan);
struct lsr_sqlite_vfs *lsr_sqlite_vfs_free(struct lsr_sqlite_vfs *v);

const char *lsr_sqlite_vfs_name(const struct lsr_sqlite_vfs *v);

/* Is there a log or a journal, so that the database is not what its file alone says? */
bool lsr_sqlite_vfs_changing(const struct lsr_sqlite_vfs *v);

/* Look at the database where it lies, if it is cached. */
void lsr_sqlite_vfs_map(struct lsr_sqlite_vfs *v);

/* The same; and a table is going to be read from its beginning to its end, and not here and there. */
void lsr_sqlite_vfs_read_all(struct lsr_sqlite_vfs *v);

/*
 * The database where it lies, if it is not changing: cached, or not (@ret_cold) and of @cold_min bytes at least.  NULL:
 * it cannot be looked at so.
 */
const uint8_t *lsr_sqlite_vfs_where(struct lsr_sqlite_vfs *v, uint64_t cold_min, uint64_t *ret_size, bool *ret_cold);

/*
 * @n bytes of the database at @offset, as SQLite reads it now.  False: there are none, or a log may have others.  Pages
 * that do not exist are no error of the database.
 */
bool lsr_sqlite_vfs_page(struct lsr_sqlite_vfs *v, uint64_t offset, uint8_t *buf, size_t n);

/* Bytes of the database and its log together. */
uint64_t lsr_sqlite_vfs_size(const struct lsr_sqlite_vfs *v);

/* Why the last call of SQLite failed, if it was here: a negative errno, and words for it or NULL.  Else 0. */
int lsr_sqlite_vfs_error(const struct lsr_sqlite_vfs *v, const char **ret_text);

/* --- what they share -------------------------------------------------------- */

struct lsr_sqlite_column {
        char *name;
        char *shown;
        unsigned key; /* place in the primary key, from 1; 0: it has none */
        bool text;    /* of TEXT affinity: any text here is text */
        bool integer; /* declared INTEGER: the only column of a primary key, it is the rowid */
};

enum lsr_sqlite_kind {
        LSR_SQLITE_TABLE,
        LSR_SQLITE_VIEW,
        LSR_SQLITE_SEARCH,  /* a virtual table for text search, by code of SQLite that is run */
        LSR_SQLITE_VIRTUAL, /* another one: its rows are made by code that is not run */
};

/* What SQLite calls the number of a row, unless a column has that name (lang_createtable.html#rowid). */
#define LSR_SQLITE_ROWID_NAMES "rowid", "_rowid_", "oid"

struct lsr_sqlite_table {
        char *name;
        char *shown;
        enum lsr_sqlite_kind kind;
        uint32_t root;   /* its first page; 0: it has none */
        char module[32]; /* of a virtual one: whose code makes its rows */
        /* The rest is known once it is entered. */
        const char *rowid; /* a name for it that no column has, or NULL: there is none */
        bool keyed;        /* rows are named by the primary key */
        bool computed;     /* some column is not stored: sqlite3_blob_open() takes another one for those behind it */
        struct lsr_sqlite_column *columns;
        unsigned n_columns;
        unsigned *by_shown; /* their numbers, sorted by shown name */
        unsigned *keys;     /* columns of the primary key, in its order */
        unsigned n_keys;
};

/* A row of sqlite_schema: a table, one of its indexes or triggers. */
struct lsr_sqlite_part {
        char *table; /* whose it is */
        uint32_t root;
        uint64_t dump_size; /* bytes of its statement, with its end */
};

/* What sqlite_schema says. */
struct lsr_sqlite_schema {
        struct lsr_sqlite_table *tables;
        size_t n;
        size_t cap;
        uint64_t dump_size;
        struct lsr_sqlite_part *parts;
        size_t n_parts;
        size_t cap_parts;
        bool sorted; /* the parts are, by table */
};

/* --- sqlite.c ---------------------------------------------------------------- */

/* Where the last member was read of a database that is no archive. */
struct lsr_sqlite_cursor {
        struct lsr_sqlite_schema schema;
        bool loaded;
        struct lsr_sqlite_table *table; /* entered; NULL: none is */
        sqlite3_stmt *stmt;             /* its rows with all columns */
        bool whole;                     /* nothing is too large to come along */
        bool on_row;
        uint64_t place; /* of that row: its rowid, or its place in the order */
};

struct lsr_sqlite {
        struct lsr_scan *scan; /* of the request at hand */
        struct lsr_sqlite_vfs *vfs;
        sqlite3 *db;
        bool archive;      /* what lsr_sqlite_is_archive() said, */
        const char *rowid; /* and a name for the numbers of its rows that no column has */
        uint64_t steps;    /* of all statements of a request, in units of the progress handler */
        uint64_t steps_max;
        uint64_t looked;   /* pages that lsr_sqlite_measure() has looked at for a request */
        bool listed;       /* an archive with LSR_SQLITE_LIST, which has all of its rows, */
        bool clean;        /* and with LSR_SQLITE_ODD, which has none */
        bool utf16;        /* its text is, and no bytes that SQLite has of text are what is shown */
        bool failed;       /* SQLite has, in this request, which may not have */
        bool malformed;    /* its table of an archive, as was said */
        bool heap_limited; /* counted among those for which the process has a limit of memory */
        sqlite3_stmt *row; /* of lsr_sqlite_archive_read(), from its first call on */
        struct lsr_sqlite_cursor cursor;
};

/*
 * 0, or a negative errno with trouble reported.  Close it in either case.  @all: most of the database will be read, see
 * lsr_sqlite_vfs_read_all().
 */
int lsr_sqlite_open(struct lsr_sqlite *s, struct lsr_scan *scan, bool all);
void lsr_sqlite_close(struct lsr_sqlite *s);

/* Compile SQL made as by sqlite3_mprintf.  SQLITE_OK or what SQLite says. */
int lsr_sqlite_prepare(struct lsr_sqlite *s, sqlite3_stmt **ret_stmt, const char *format, ...);

/* The same; takes @sql over. */
int lsr_sqlite_prepare_str(struct lsr_sqlite *s, sqlite3_str *sql, sqlite3_stmt **ret_stmt);

/* To the next row: 1, 0 at the end, or a negative errno with trouble reported about @what. */
int lsr_sqlite_step(struct lsr_sqlite *s, sqlite3_stmt *stmt, const char *what);

/* Report that SQLite returned @code for @what ("table users", may be NULL).  Returns the negative errno. */
int lsr_sqlite_fail(struct lsr_sqlite *s, int code, const char *what);

/* --- formats/sqlite/archive.c -------------------------------------------------------- */

/*
 * What a listing shows, beside the rows: archives that we write have it as an index.  Its entries follow each other,
 * where rows lie between contents.  Whoever adds rows keeps it up to date, as SQLite does that.
 */
#define LSR_SQLITE_LIST "sqlar_list"
#define LSR_SQLITE_TARGET_MAX "4096" /* bytes of a symbolic link's target */
#define LSR_SQLITE_TARGET "CASE WHEN sz=-1 AND length(data)<=" LSR_SQLITE_TARGET_MAX " THEN data END"
#define LSR_SQLITE_LIST_SQL \
        "CREATE INDEX " LSR_SQLITE_LIST " ON sqlar(name,mode,mtime,sz,length(data)," LSR_SQLITE_TARGET ")"

/*
 * And one of names that stand for another's path, such as "./a" and "b/../a": where there is none, a path is looked up.
 */
#define LSR_SQLITE_ODD "sqlar_odd"
#define LSR_SQLITE_ODD_NAMES                                                                                       \
        "name<>'.' AND ('/'||name||'/' GLOB '*/./*' OR '/'||name||'/' GLOB '*/../*' OR instr('/'||name||'/','//')" \
        " OR instr(CAST(name AS BLOB),x'00'))"
#define LSR_SQLITE_ODD_SQL "CREATE INDEX " LSR_SQLITE_ODD " ON sqlar(name) WHERE " LSR_SQLITE_ODD_NAMES

/* A function of the listing's own statements, which no schema can call. */
#define LSR_SQLITE_TAKE "lsr_take"

/* 1: it is an archive; 0: it is none; or a negative errno. */
int lsr_sqlite_is_archive(struct lsr_sqlite *s);

/* As lsr_format.list; @wanted NULL: all. */
int lsr_sqlite_archive_scan(struct lsr_sqlite *s, const struct lsr_wanted *wanted);

/* --- formats/sqlite/schema.c --------------------------------------------------------- */

#define LSR_SQLITE_DUMP LSR_SCHEMA_NAME

/* 0 or a negative errno with trouble reported; free it in either case. */
int lsr_sqlite_schema_load(struct lsr_sqlite *s, struct lsr_sqlite_schema *schema);
void lsr_sqlite_schema_free(struct lsr_sqlite_schema *schema);

/* The parts of @t: how many. */
size_t lsr_sqlite_schema_parts(struct lsr_sqlite_schema *schema, const struct lsr_sqlite_table *t,
                               const struct lsr_sqlite_part **ret_parts);

/* Bytes of the statements that made @t. */
uint64_t lsr_sqlite_schema_dump_size(struct lsr_sqlite_schema *schema, const struct lsr_sqlite_table *t);

/* Find out about columns and keys; as above. */
int lsr_sqlite_table_enter(struct lsr_sqlite *s, struct lsr_sqlite_table *t);
void lsr_sqlite_table_leave(struct lsr_sqlite_table *t);

/* The column shown as @shown of a table that was entered, or NULL. */
const struct lsr_sqlite_column *lsr_sqlite_table_find(const struct lsr_sqlite_table *t, const char *shown);

/* Append the name of the row at hand, the values of whose key begin at column @first. */
void lsr_sqlite_row_name(struct lsr_out *out, const struct lsr_sqlite_table *t, sqlite3_stmt *stmt, int first,
                         uint64_t position);

/* Append the order in which rows without rowid are counted. */
void lsr_sqlite_put_order(sqlite3_str *sql, const struct lsr_sqlite_table *t);

/* --- formats/sqlite/tables.c --------------------------------------------------------- */

#define LSR_SQLITE_SIZES "lsr_sizes" /* as LSR_SQLITE_TAKE */

/* As lsr_sqlite_archive_scan(). */
int lsr_sqlite_tables_scan(struct lsr_sqlite *s, const struct lsr_wanted *wanted);

/* Say that @t is LSR_SQLITE_VIRTUAL, with @error 0 as a remark. */
void lsr_sqlite_virtual(struct lsr_sqlite *s, const struct lsr_sqlite_table *t, int error);

/* --- formats/sqlite/pages.c ---------------------------------------------------------- */

struct lsr_sqlite_extent {
        uint64_t rows;
        uint64_t bytes;  /* of its pages */
        uint64_t looked; /* how many of these were */
        bool exact;      /* all of it was looked at; else these are estimates */
};

/* The tree with the first page @root.  False: that cannot be told. */
bool lsr_sqlite_measure(struct lsr_sqlite *s, uint32_t root, struct lsr_sqlite_extent *ret_extent);

/* A number of 1 to 9 bytes at @at, which is moved behind it.  False: it ends beyond @end. */
static inline bool lsr_sqlite_varint(const uint8_t **at, const uint8_t *end, uint64_t *ret_value)
{
        const uint8_t *p = *at;
        uint64_t value = 0;

        for (unsigned i = 0; i < 9; i++) {
                if (p == end)
                        return false;
                if (i == 8) {
                        value = value << 8 | *p++;
                        break;
                }
                value = value << 7 | (*p & 0x7f);
                if (!(*p++ & 0x80))
                        break;
        }
        *at = p;
        *ret_value = value;
        return true;
}

/* --- formats/sqlite/describe.c ------------------------------------------------------- */

struct lsr_sqlite_about {
        uint64_t rows;  /* UINT64_MAX: not known exactly */
        uint64_t bytes; /* with its indexes; UINT64_MAX: not known */
        char note[80];
};

void lsr_sqlite_describe(struct lsr_sqlite *s, struct lsr_sqlite_schema *schema, const struct lsr_sqlite_table *t,
                         struct lsr_sqlite_about *ret_about);

/* Append result columns for a preview of a row: how many. */
unsigned lsr_sqlite_preview_select(sqlite3_str *sql, const struct lsr_sqlite_table *t);

/* Append the preview, of @n result columns from @first on. */
void lsr_sqlite_preview(struct lsr_out *out, const struct lsr_sqlite_table *t, sqlite3_stmt *stmt, int first,
                        unsigned n);

/* --- formats/sqlite/cursor.c --------------------------------------------------------- */

/* Members that are asked for in the order of their positions are read in one pass. */
int lsr_sqlite_tables_read(struct lsr_sqlite *s, const struct lsr_member *m, const struct lsr_sink *sink);
void lsr_sqlite_cursor_close(struct lsr_sqlite *s);

/* --- formats/sqlite/check.c ---------------------------------------------------------- */

/* 0; or 1, with nothing said: reading the members will tell. */
int lsr_sqlite_tables_check(struct lsr_sqlite *s, struct lsr_checked *ret_checked);

/* --- formats/sqlite/read.c ----------------------------------------------------------- */

/* One value of the database as an input, in pieces.  SQLITE_OK; SQLITE_ERROR: this one cannot be read so; others. */
int lsr_sqlite_blob(struct lsr_sqlite *s, const char *table, const char *column, int64_t rowid,
                    struct lsr_input **ret_input);

/* All of @in from its start, -EBADMSG if it is more than @max bytes. */
int lsr_sqlite_copy(struct lsr_input *in, uint64_t max, const struct lsr_sink *sink);

/* The content of @m, a row of the table sqlar. */
int lsr_sqlite_archive_read(struct lsr_sqlite *s, const struct lsr_member *m, const struct lsr_sink *sink);

/* "name":value as JSON; bytes that are no text in base64, as "name_b64". */
void lsr_sqlite_json(struct lsr_out *out, const char *name, sqlite3_stmt *stmt, int column);

/*
 * Was there no memory for a value of the row at hand?  Such a one is NULL, and SQLite returns the row all the same; nor
 * can one without a byte be told from one that could not be made text.
 */
static inline bool lsr_sqlite_no_memory(const struct lsr_sqlite *s)
{
        return sqlite3_errcode(s->db) == SQLITE_NOMEM;
}

static inline void lsr_sqlite_finalize(sqlite3_stmt **stmt)
{
        sqlite3_finalize(*stmt);
}
#define LSR_SQLITE_STMT __attribute__((cleanup(lsr_sqlite_finalize))) sqlite3_stmt *
