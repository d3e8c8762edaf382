/*
 * archive - the listing of archives, sqlite.org/sqlar
 *
 * Content stays unread: length() of a blob comes from the header of its row,
 * and only the targets of symbolic links are fetched.
 *
 * Rows leave SQLite through an aggregate function, which is called for each with
 * its values as they lie in the registers of the virtual machine: to step from
 * row to row and to fetch every column by a call of its own takes longer.
 *
 * SQLite decodes row after row on one core.  A large archive that is mapped is
 * therefore listed through several connections, with a piece of the rowids each:
 *
 *      rowids     | 1 .. 1024 | 1025 .. 2048 | 2049 .. 3072 | ...
 *      threads         0             1              0            decode pieces
 *      this one       add  ────────► add  ────────► add          in their order
 *
 * Order matters, as the last of rows with the same path counts.  Pieces that a
 * thread could not decode, for whatever reason, are decoded again by this one,
 * so that errors are found and reported in one place.
 *
 * Archives that we write have all this in an index, whose entries follow each other,
 * in an order of their own.
 *
 * The lookup of some paths, or the listing of one directory, needs a few members,
 * which are found in the index of names.  All of the index is read, as "zz/../a"
 * and "./a" stand for "a" too; it is small compared with the archive.  Of ours an
 * index has such names, and where it is empty members are looked up.  Of one that is far, paths of files are looked up
 * as they are; only if one is not found that way all of the index is read.
 *
 * Rejected: two halves for two threads (the second half waits in memory);
 * reading leaves by number through the ring or by pread, which takes as long as
 * the page faults of the map.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/pool.h"
#include "catalogue/way.h"
#include "formats/filter/decode-ahead.h"
#include "formats/sqlite/sqlite.h"

#define ARCHIVE_TARGET_MAX 4096           /* as LSR_SQLITE_TARGET_MAX */
#define ARCHIVE_PIECE UINT64_C(1024)      /* rowids in one, at least */
#define ARCHIVE_PIECES_MAX UINT64_C(4096) /* rowids may be far apart */
#define ARCHIVE_PIECES_MIN UINT64_C(8)    /* below, one connection is done before others are open */
#define ARCHIVE_PIECE_BYTES ((size_t)4 << 20)
#define ARCHIVE_BYTES_PER_ROW UINT64_C(64) /* rowids are not above what that makes of the size */
#define ARCHIVE_HELD 2u                    /* pieces for each thread */
#define ARCHIVE_ONLY_SHARE 4u              /* one by one a member costs that many that are listed with all */

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

#define ARCHIVE_SELECT "SELECT " LSR_SQLITE_TAKE "(rowid,name,mode,mtime,sz,length(data),%s) FROM sqlar"
#define ARCHIVE_SELECT_NAMES "SELECT " LSR_SQLITE_TAKE "(rowid,name) FROM sqlar"
/* No row is looked at where SQLite has what was asked for; it has no other way to say that all of an index is wanted. */
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
        int result; /* of the last call */
};

/* --- rows out of SQLite ---------------------------------------------------------- */

/* Text in UTF-8, whatever the database has it in, and anything else as it is stored; NULL: there is nothing. */
static const char *archive_text(const struct lsr_sqlite *s, sqlite3_value *value, size_t *ret_len)
{
        /* What is UTF-8 already is taken where it lies, without the NUL that text would be given. */
        bool convert = s->utf16 && sqlite3_value_type(value) == SQLITE_TEXT;
        const char *text = convert ? (const char *)sqlite3_value_text(value) : sqlite3_value_blob(value);

        *ret_len = (size_t)sqlite3_value_bytes(value);
        return text;
}

static void archive_step(sqlite3_context *context, int n, sqlite3_value **values)
{
        struct archive_sink *sink = sqlite3_user_data(context);
        struct archive_row row;
        int type;

        row.has = 0;
        for (int i = 0; i < ARCHIVE_TARGET; i++) {
                if (i == ARCHIVE_NAME || sqlite3_value_type(values[i]) != SQLITE_INTEGER)
                        continue;
                row.has |= 1u << i;
                row.numbers[i] = sqlite3_value_int64(values[i]);
        }
        row.name = archive_text(sink->s, values[ARCHIVE_NAME], &row.name_len);
        row.target = NULL;
        row.target_len = 0;
        type = sqlite3_value_type(values[ARCHIVE_TARGET]);
        if (type != SQLITE_NULL) {
                row.target = archive_text(sink->s, values[ARCHIVE_TARGET], &row.target_len);
                /* Of a text length() counts characters. */
                if (type == SQLITE_TEXT)
                        row.numbers[ARCHIVE_PACKED] = (int64_t)row.target_len;
                if (!row.target || row.target_len > ARCHIVE_TARGET_MAX) {
                        row.target = NULL;
                        row.target_len = 0;
                }
        }
        sink->result = sink->take(sink->ctx, &row);
        if (sink->result != 0)
                sqlite3_result_error_code(context, SQLITE_ABORT);
}

static void archive_end(sqlite3_context *context)
{
}

/* Compile the listing, the rows of which go to @sink; @where restricts it, or is "".  SQLITE_OK or what SQLite says. */
static int archive_prepare(struct lsr_sqlite *s, struct archive_sink *sink, const char *where, sqlite3_stmt **ret_stmt)
{
        int code = sqlite3_create_function_v2(s->db, LSR_SQLITE_TAKE, ARCHIVE_COLUMNS, SQLITE_UTF8 | SQLITE_DIRECTONLY,
                                              sink, NULL, archive_step, archive_end, NULL);
        /* How long text is in UTF-16 it must itself tell. */
        const char *target = s->utf16 ? "CASE WHEN typeof(data)='text' THEN data ELSE " LSR_SQLITE_TARGET " END"
                                      : LSR_SQLITE_TARGET;

        return code == SQLITE_OK ? lsr_sqlite_prepare(s, ret_stmt, ARCHIVE_SELECT "%s", target, where) : code;
}

/* All rows of it: 0, what the sink returned, or a negative errno with trouble reported. */
static int archive_run(struct lsr_sqlite *s, sqlite3_stmt *stmt, struct archive_sink *sink)
{
        int code;

        sink->result = 0;
        code = sqlite3_step(stmt);
        if (sink->result != 0)
                return sink->result;
        return code == SQLITE_ROW ? 0 : lsr_sqlite_fail(s, code, "table sqlar");
}

/* Is there the index of lists?  Rows without a name it has too, but by no question that SQLite would answer from it alone. */
static bool archive_is_listed(struct lsr_sqlite *s)
{
        LSR_SQLITE_STMT stmt = NULL;

        return !s->utf16 &&
               lsr_sqlite_prepare(s, &stmt,
                                  "SELECT 1 FROM sqlite_schema WHERE type='index' AND rootpage>0 AND sql=%Q"
                                  " AND NOT EXISTS (SELECT 1 FROM sqlar WHERE name IS NULL)",
                                  LSR_SQLITE_LIST_SQL) == SQLITE_OK &&
               sqlite3_step(stmt) == SQLITE_ROW;
}

static bool archive_is_clean(struct lsr_sqlite *s)
{
        LSR_SQLITE_STMT stmt = NULL;

        return lsr_sqlite_prepare(
                       s, &stmt,
                       "SELECT 1 FROM sqlite_schema WHERE type='index' AND rootpage>0 AND sql=%Q AND NOT EXISTS"
                       " (SELECT 1 FROM sqlar INDEXED BY " LSR_SQLITE_ODD " WHERE " LSR_SQLITE_ODD_NAMES ")",
                       LSR_SQLITE_ODD_SQL) == SQLITE_OK &&
               sqlite3_step(stmt) == SQLITE_ROW;
}

int lsr_sqlite_is_archive(struct lsr_sqlite *s)
{
        LSR_SQLITE_STMT stmt = NULL;
        LSR_SQLITE_STMT columns = NULL;
        int r = lsr_sqlite_prepare(s, &stmt,
                                   "SELECT 1 FROM sqlite_schema"
                                   " WHERE type='table' AND rootpage>0 AND name='sqlar' COLLATE NOCASE");

        if (r != SQLITE_OK)
                return lsr_sqlite_fail(s, r, NULL);
        r = lsr_sqlite_step(s, stmt, NULL);
        if (r <= 0)
                return r;
        /* A table of that name with other columns is just a table. */
        if (lsr_sqlite_prepare(s, &columns, "SELECT rowid,name,mode,mtime,sz,data FROM sqlar") != SQLITE_OK)
                return 0;
        s->listed = archive_is_listed(s);
        s->clean = s->listed && archive_is_clean(s);
        return 1;
}

/* --- members ---------------------------------------------------------------------- */

static bool archive_has(const struct archive_row *row, enum archive_column column)
{
        return row->has & 1u << column;
}

static void archive_size(struct lsr_member *m, int64_t size, bool stored)
{
        if (S_ISLNK(m->meta.mode)) {
                if (m->target) {
                        m->meta.known |= LSR_FIELD_SIZE;
                        m->meta.size = m->target_len;
                }
                return;
        }
        if (size < 0)
                return;
        m->meta.known |= LSR_FIELD_SIZE;
        m->meta.size = (uint64_t)size;
        if (!stored)
                return;
        if (m->packed > m->meta.size)
                m->flags |= LSR_MEMBER_SUSPECT;
        else
                m->method = m->packed < m->meta.size ? "deflate" : "store";
}

static void archive_member(const struct archive_row *row, struct lsr_member *m)
{
        bool stored = archive_has(row, ARCHIVE_PACKED);

        *m = (struct lsr_member){ .packed = UINT64_MAX };
        m->path = row->name;
        m->path_len = row->name_len;
        m->position = archive_has(row, ARCHIVE_ROWID) ? (uint64_t)row->numbers[ARCHIVE_ROWID] : 0;
        if (archive_has(row, ARCHIVE_MODE)) {
                m->meta.known |= LSR_FIELD_TYPE | LSR_FIELD_MODE;
                m->meta.mode = (uint32_t)row->numbers[ARCHIVE_MODE] & 0177777;
                /* As `sqlite3 -A` takes them: what is neither a directory nor a link is a file. */
                if (!(m->meta.mode & S_IFMT))
                        m->meta.mode |= S_IFREG;
        }
        if (archive_has(row, ARCHIVE_MTIME)) {
                m->meta.known |= LSR_FIELD_MTIME;
                m->meta.sec[LSR_MTIME] = row->numbers[ARCHIVE_MTIME];
        }
        if (stored)
                m->packed = (uint64_t)row->numbers[ARCHIVE_PACKED];
        if (S_ISLNK(m->meta.mode) && row->target) {
                m->target = row->target;
                m->target_len = row->target_len;
                m->packed = m->target_len;
        }
        if (archive_has(row, ARCHIVE_SIZE))
                archive_size(m, row->numbers[ARCHIVE_SIZE], stored);
}

static int archive_add(void *ctx, const struct archive_row *row)
{
        struct lsr_scan *scan = ctx;
        struct lsr_member m;
        int r;

        archive_member(row, &m);
        if (!m.path) {
                lsr_scan_trouble(scan, -EBADMSG, "row %s of sqlar has no name", lsr_grouped(m.position));
                return 0;
        }
        r = lsr_builder_add(scan->builder, &m);
        return r < 0 ? r : 0;
}

/* --- rows that are added later ------------------------------------------------------- */

/* Each with its texts behind it. */
struct archive_kept {
        uint8_t *data;
        size_t len;
        size_t cap;
};

/* False: then it would have more than @max bytes. */
static bool kept_put(struct archive_kept *k, const struct archive_row *row, size_t max)
{
        size_t n = sizeof(*row) + row->name_len + row->target_len;
        uint8_t *at;

        if (k->cap - k->len < n) {
                if (k->len + n > max)
                        return false;
                k->cap = 2 * (k->len + n);
                k->data = lsr_xrealloc(k->data, k->cap);
        }
        at = mempcpy(k->data + k->len, row, sizeof(*row));
        if (row->name)
                at = mempcpy(at, row->name, row->name_len);
        if (row->target)
                memcpy(at, row->target, row->target_len);
        k->len += n;
        return true;
}

/* Add the row at @inout_at, which is moved behind it. */
static int kept_add(const struct archive_kept *k, size_t *inout_at, struct lsr_scan *scan)
{
        const char *text = (const char *)k->data + *inout_at + sizeof(struct archive_row);
        struct archive_row row;

        memcpy(&row, k->data + *inout_at, sizeof(row));
        *inout_at += sizeof(row) + row.name_len + row.target_len;
        row.target = row.target ? text + row.name_len : NULL;
        row.name = row.name ? text : NULL;
        return archive_add(scan, &row);
}

/* --- through several connections ---------------------------------------------------- */

struct archive_piece {
        struct lsr_job job;
        int64_t first; /* rowids; what is not done yet */
        int64_t last;
        bool done;
        struct archive_kept rows;
};

struct archive_lane {
        struct lsr_sqlite s;
        sqlite3_stmt *stmt;
        struct archive_sink sink;
};

struct archive_lanes {
        unsigned n;
        struct archive_lane lanes[LSR_AHEAD_CPUS_MAX];
        struct archive_piece pieces[LSR_AHEAD_CPUS_MAX * ARCHIVE_HELD];
};

static int piece_keep(void *ctx, const struct archive_row *row)
{
        struct archive_piece *p = ctx;
        int64_t rowid = row->numbers[ARCHIVE_ROWID];

        if (!kept_put(&p->rows, row, ARCHIVE_PIECE_BYTES))
                return 1;
        p->first = rowid < p->last ? rowid + 1 : rowid;
        return 0;
}

/* Add what it has kept. */
static int piece_add(const struct archive_piece *p, struct lsr_scan *scan)
{
        int r = 0;

        for (size_t at = 0; at < p->rows.len && r == 0;)
                r = kept_add(&p->rows, &at, scan);
        return r;
}

static void lane_bind(sqlite3_stmt *stmt, const struct archive_piece *p)
{
        sqlite3_reset(stmt);
        sqlite3_bind_int64(stmt, 1, p->first);
        sqlite3_bind_int64(stmt, 2, p->last);
}

static void lane_work(void *ctx, unsigned worker, struct lsr_job *job)
{
        struct archive_lane *lane = &((struct archive_lanes *)ctx)->lanes[worker];
        struct archive_piece *p = (struct archive_piece *)job;

        lane_bind(lane->stmt, p);
        lane->sink = (struct archive_sink){ .s = &lane->s, .ctx = p, .take = piece_keep };
        p->done = sqlite3_step(lane->stmt) == SQLITE_ROW && lane->sink.result == 0;
}

#define ARCHIVE_RANGE " WHERE rowid BETWEEN ?1 AND ?2"

static int lanes_open(struct archive_lanes *l, unsigned n, struct lsr_scan *scan)
{
        int r = 0;

        while (r == 0 && l->n < n) {
                struct archive_lane *lane = &l->lanes[l->n++];

                r = lsr_sqlite_open(&lane->s, scan);
                if (r == 0)
                        lsr_sqlite_vfs_read_all(lane->s.vfs);
                if (r == 0)
                        r = archive_prepare(&lane->s, &lane->sink, ARCHIVE_RANGE, &lane->stmt);
                if (r > 0)
                        r = lsr_sqlite_fail(&lane->s, r, "table sqlar");
        }
        return r;
}

static void lanes_close(struct archive_lanes *l)
{
        while (l->n > 0) {
                struct archive_lane *lane = &l->lanes[--l->n];

                sqlite3_finalize(lane->stmt);
                lsr_sqlite_close(&lane->s);
        }
        for (unsigned i = 0; i < LSR_AHEAD_CPUS_MAX * ARCHIVE_HELD; i++)
                free(l->pieces[i].rows.data);
        free(l);
}

/* Rows [first, last], through all of @l; @s does again what they could not. */
static int lanes_run(struct archive_lanes *l, struct lsr_sqlite *s, int64_t first, int64_t last)
{
        struct archive_sink sink = { .s = s, .ctx = s->scan, .take = archive_add };
        uint64_t left = (uint64_t)last - (uint64_t)first; /* rowids not given out yet, less 1 */
        uint64_t width = left / ARCHIVE_PIECES_MAX < ARCHIVE_PIECE ? ARCHIVE_PIECE : left / ARCHIVE_PIECES_MAX;
        LSR_SQLITE_STMT again = NULL;
        struct lsr_pool *pool;
        unsigned given = 0;
        bool more = true;
        int r = archive_prepare(s, &sink, ARCHIVE_RANGE, &again);

        if (r != SQLITE_OK)
                return lsr_sqlite_fail(s, r, "table sqlar");
        pool = lsr_pool_new(&(struct lsr_pool_options){ lane_work, l, l->n });
        do {
                struct archive_piece *p = &l->pieces[given % (l->n * ARCHIVE_HELD)];

                /* Taken back in the order in which they are given, so the next one is free again. */
                if (more && lsr_pool_held(pool) < l->n * ARCHIVE_HELD) {
                        p->first = (int64_t)((uint64_t)last - left);
                        more = left >= width;
                        p->last = more ? p->first + (int64_t)(width - 1) : last;
                        left -= more ? width : left;
                        p->rows.len = 0;
                        lsr_pool_submit(pool, &p->job);
                        given++;
                        continue;
                }
                p = (struct archive_piece *)lsr_pool_next(pool);
                r = piece_add(p, s->scan);
                if (r == 0 && !p->done) {
                        lane_bind(again, p);
                        r = archive_run(s, again, &sink);
                }
        } while (r == 0 && (more || lsr_pool_held(pool) > 0));
        lsr_pool_free(pool);
        return r;
}

/* Does "rowid" mean the number of a row, and no column of that name? */
static bool archive_has_rowid(struct lsr_sqlite *s)
{
        LSR_SQLITE_STMT stmt = NULL;

        if (lsr_sqlite_prepare(s, &stmt, "PRAGMA table_xinfo(sqlar)") != SQLITE_OK)
                return false;
        while (sqlite3_step(stmt) == SQLITE_ROW) {
                const char *name = (const char *)sqlite3_column_text(stmt, 1);

                if (!name || sqlite3_stricmp(name, "rowid") == 0)
                        return false;
        }
        return true;
}

/* 0, 1: it is not for several connections, or a negative errno. */
static int archive_scan_lanes(struct lsr_sqlite *s)
{
        LSR_SQLITE_STMT ends = NULL;
        unsigned cpus = lsr_ahead_cpus();
        struct archive_lanes *l;
        int64_t first, last;
        int r;

        if (cpus < 2 || !lsr_sqlite_vfs_mapped(s->vfs) || !archive_has_rowid(s))
                return 1;
        r = lsr_sqlite_prepare(s, &ends, "SELECT (SELECT min(rowid) FROM sqlar),(SELECT max(rowid) FROM sqlar)");
        /* If something is wrong, the listing says so. */
        if (r != SQLITE_OK || sqlite3_step(ends) != SQLITE_ROW || sqlite3_column_type(ends, 0) != SQLITE_INTEGER)
                return 1;
        first = sqlite3_column_int64(ends, 0);
        last = sqlite3_column_int64(ends, 1);
        if (last < first || (uint64_t)last - (uint64_t)first < ARCHIVE_PIECE * ARCHIVE_PIECES_MIN)
                return 1;
        l = lsr_xmalloc(sizeof(*l));
        memset(l, 0, sizeof(*l));
        r = lanes_open(l, cpus, s->scan);
        if (r == 0)
                r = lanes_run(l, s, first, last);
        lanes_close(l);
        return r;
}

/* --- from the index of lists ------------------------------------------------------------ */

/*
 * The index has them by name, and they are added by rowid.  We number rows from 1 on; where others have put so many far
 * away, or taken so many out, that there is no array of all rowids, rows are listed from the table.
 */
struct archive_list {
        struct archive_kept rows;
        size_t *places; /* by rowid less 1: in rows, counted from 1; 0: there is none */
        uint64_t max;   /* rowids that are taken, */
        uint64_t end;   /* and seen */
        size_t cap;
};

static int list_keep(void *ctx, const struct archive_row *row)
{
        struct archive_list *l = ctx;
        uint64_t place = (uint64_t)row->numbers[ARCHIVE_ROWID] - 1;

        if (!archive_has(row, ARCHIVE_ROWID) || place >= l->max)
                return 1;
        if (place >= l->cap) {
                size_t cap = 2 * (size_t)place + 1024;

                l->places = lsr_xrealloc(l->places, cap * sizeof(*l->places));
                memset(l->places + l->cap, 0, (cap - l->cap) * sizeof(*l->places));
                l->cap = cap;
        }
        if (l->end <= place)
                l->end = place + 1;
        l->places[place] = l->rows.len + 1;
        return kept_put(&l->rows, row, SIZE_MAX / 4) ? 0 : 1;
}

static int list_add(const struct archive_list *l, struct lsr_scan *scan)
{
        int r = 0;

        for (uint64_t i = 0; i < l->end && r == 0; i++) {
                size_t at = l->places[i] - 1;

                if (l->places[i] > 0)
                        r = kept_add(&l->rows, &at, scan);
        }
        return r;
}

/* 0, 1: not from it, or a negative errno. */
static int archive_scan_list(struct lsr_sqlite *s)
{
        struct archive_list l = { .max = lsr_sqlite_vfs_size(s->vfs) / ARCHIVE_BYTES_PER_ROW };
        struct archive_sink sink = { .s = s, .ctx = &l, .take = list_keep };
        LSR_SQLITE_STMT stmt = NULL;
        int r = 1;

        /* Like any index it is believed for lists alone. */
        if (s->listed && s->scan->wanted && s->scan->wanted->partial &&
            archive_prepare(s, &sink, ARCHIVE_LISTED, &stmt) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW &&
            sink.result == 0)
                r = list_add(&l, s->scan);
        free(l.rows.data);
        free(l.places);
        return r;
}

/* --- in one go ------------------------------------------------------------------------ */

static int archive_scan_all(struct lsr_sqlite *s)
{
        struct archive_sink sink = { .s = s, .ctx = s->scan, .take = archive_add };
        LSR_SQLITE_STMT stmt = NULL;
        int r = archive_prepare(s, &sink, "", &stmt);

        if (r != SQLITE_OK)
                return lsr_sqlite_fail(s, r, "table sqlar");
        return archive_run(s, stmt, &sink);
}

/* --- for some paths -------------------------------------------------------------------- */

struct archive_only {
        const struct lsr_sqlite *s;
        struct lsr_ways ways;
        bool lists;      /* a directory, */
        bool links;      /* without symbolic links: where they lead will be asked */
        uint64_t names;  /* seen */
        int64_t *rowids; /* of the members that are wanted */
        size_t n;
        size_t cap;
        size_t added;
};

/* A row without a name is wanted, to be complained about. */
static void only_step(sqlite3_context *context, int n, sqlite3_value **values)
{
        struct archive_only *only = sqlite3_user_data(context);
        size_t len;
        const char *name = archive_text(only->s, values[ARCHIVE_NAME], &len);

        only->names++;
        /* Which of them are directories their names do not say. */
        if (name && !lsr_ways_want(&only->ways, name, len, true))
                return;
        lsr_grow(&only->rowids, only->n, &only->cap);
        only->rowids[only->n++] = sqlite3_value_int64(values[ARCHIVE_ROWID]);
}

/* The same for what is far, of which the whole index takes as long as all of it. */
static bool only_find_far(struct lsr_sqlite *s, struct archive_only *only)
{
        const struct lsr_wanted *wanted = s->scan->wanted;
        LSR_SQLITE_STMT stmt = NULL;

        if (only->lists || !lsr_input_far(s->scan->input) ||
            sqlite3_create_function_v2(s->db, LSR_SQLITE_TAKE, 2, SQLITE_UTF8 | SQLITE_DIRECTONLY, only, NULL,
                                       only_step, archive_end, NULL) != SQLITE_OK ||
            lsr_sqlite_prepare(s, &stmt, ARCHIVE_SELECT_NAMES " WHERE name=?1") != SQLITE_OK)
                return false;
        for (size_t i = 0; i < wanted->n && only->n == i; i++) {
                sqlite3_reset(stmt);
                if (sqlite3_bind_text(stmt, 1, wanted->paths[i], -1, SQLITE_STATIC) != SQLITE_OK ||
                    sqlite3_step(stmt) != SQLITE_ROW)
                        break;
        }
        if (only->n == wanted->n)
                return true;
        only->n = 0;
        return false;
}

static int only_compare(const void *a, const void *b)
{
        int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

        return (x > y) - (x < y);
}

/* The first row from @first to @last, of @n bytes each, if there is any. */
static bool only_seek(sqlite3_stmt *stmt, const char *first, const char *last, size_t n)
{
        sqlite3_reset(stmt);
        sqlite3_bind_text(stmt, 1, first, (int)n, SQLITE_STATIC);
        sqlite3_bind_text(stmt, 2, last, (int)n, SQLITE_STATIC);
        return sqlite3_step(stmt) == SQLITE_ROW;
}

/* Those of a way, where no path has another name: itself, what leads to it, and one below each of them. */
static bool only_seek_way(sqlite3_stmt *stmt, const struct lsr_way *way)
{
        char *first = lsr_xmalloc(2 * (way->len + 1)), *last = first + way->len + 1;
        bool done = only_seek(stmt, ".", ".", 1);

        memcpy(first, way->path, way->len);
        memcpy(last, way->path, way->len);
        for (size_t n = 1; n <= way->len && done; n++) {
                if (n < way->len && way->path[n] != '/')
                        continue;
                first[n] = '/';
                last[n] = '/' + 1;
                done = only_seek(stmt, way->path, way->path, n) && only_seek(stmt, first, last, n + 1);
                last[n] = '/';
        }
        free(first);
        return done;
}

static bool only_seek_all(struct lsr_sqlite *s, const struct archive_only *only)
{
        LSR_SQLITE_STMT stmt = NULL;
        bool done = lsr_sqlite_prepare(s, &stmt,
                                       "SELECT " LSR_SQLITE_TAKE
                                       "(rowid,name) FROM (SELECT rowid,name FROM sqlar INDEXED BY " LSR_SQLITE_LIST
                                       " WHERE name BETWEEN ?1 AND ?2 ORDER BY name LIMIT 1)") == SQLITE_OK;

        for (size_t i = 0; i < only->ways.n && done; i++)
                done = only_seek_way(stmt, &only->ways.of[i]);
        return done;
}

/* Which rows they are, the index of names tells.  False: it does not. */
static bool only_find(struct lsr_sqlite *s, struct archive_only *only)
{
        LSR_SQLITE_STMT stmt = NULL;

        if (s->clean && !only->lists)
                return sqlite3_create_function_v2(s->db, LSR_SQLITE_TAKE, 2, SQLITE_UTF8 | SQLITE_DIRECTONLY, only,
                                                  NULL, only_step, archive_end, NULL) == SQLITE_OK &&
                       only_seek_all(s, only) && only->n > 0;
        return sqlite3_create_function_v2(s->db, LSR_SQLITE_TAKE, 2, SQLITE_UTF8 | SQLITE_DIRECTONLY, only, NULL,
                                          only_step, archive_end, NULL) == SQLITE_OK &&
               lsr_sqlite_prepare(s, &stmt, ARCHIVE_SELECT_NAMES "%s", s->listed ? ARCHIVE_LISTED : "") == SQLITE_OK &&
               sqlite3_step(stmt) == SQLITE_ROW && only->n > 0 &&
               (!only->lists || only->n <= only->names / ARCHIVE_ONLY_SHARE);
}

static int only_add(void *ctx, const struct archive_row *row)
{
        struct archive_only *only = ctx;

        only->added++;
        if (only->links && archive_has(row, ARCHIVE_MODE) && S_ISLNK(row->numbers[ARCHIVE_MODE]))
                return 1;
        return archive_add(only->s->scan, row);
}

/* Add them, in the order of a listing.  False: not all of them are there. */
static bool only_list(struct lsr_sqlite *s, struct archive_only *only)
{
        struct archive_sink sink = { .s = s, .ctx = only, .take = only_add };
        LSR_SQLITE_STMT stmt = NULL;

        if (archive_prepare(s, &sink, " WHERE rowid=?1", &stmt) != SQLITE_OK)
                return false;
        qsort(only->rowids, only->n, sizeof(*only->rowids), only_compare);
        for (size_t i = 0; i < only->n; i++) {
                sqlite3_reset(stmt);
                sqlite3_bind_int64(stmt, 1, only->rowids[i]);
                if (sqlite3_step(stmt) != SQLITE_ROW || only->added != i + 1)
                        return false;
        }
        return true;
}

/* Did that suffice?  If not, all rows are listed, which also reports errors. */
static bool archive_scan_only(struct lsr_sqlite *s)
{
        const struct lsr_wanted *wanted = s->scan->wanted;
        struct archive_only only = { .s = s };
        bool done;

        if (!wanted || !(wanted->lookups || wanted->partial) || !archive_has_rowid(s) ||
            !lsr_ways_begin(&only.ways, wanted->paths, wanted->n, !wanted->lookups))
                return false;
        only.lists = !wanted->lookups;
        only.links = wanted->links;
        done = only_find_far(s, &only) || only_find(s, &only);
        if (done && !only_list(s, &only)) {
                done = false;
                lsr_builder_reset(s->scan->builder);
        }
        free(only.rowids);
        lsr_ways_end(&only.ways);
        s->scan->is_only = done;
        return done;
}

int lsr_sqlite_archive_scan(struct lsr_sqlite *s)
{
        int r;

        lsr_sqlite_vfs_map(s->vfs);
        if (archive_scan_only(s))
                return 0;
        lsr_sqlite_vfs_read_all(s->vfs);
        r = archive_scan_list(s);
        if (r > 0)
                r = archive_scan_lanes(s);
        if (r > 0)
                r = archive_scan_all(s);
        /* What came before the damage is listed. */
        return lsr_builder_count(s->scan->builder) ? 0 : r;
}
