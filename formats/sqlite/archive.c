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
 * A table just as sqlite.org/sqlar has it is not read by SQLite at all, see leaves.c.
 *
 * Archives that we write have all this in an index, whose entries follow each other,
 * in an order of their own.
 *
 * The lookup of some paths, or the listing of one directory, needs a few members,
 * which are found in the index of names.  All of the index is read, as "zz/../a"
 * and "./a" stand for "a" too; it is small compared with the archive.  Of ours an
 * index has such names, and where it is empty members are looked up.  Of one that is far, paths of files are looked up
 * as they are; only if one is not found that way all of the index is read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/pool.h"
#include "catalogue/way.h"
#include "formats/filter/decode-ahead.h"
#include "formats/sqlite/archive.h"

#define ARCHIVE_TARGET_MAX 4096 /* as LSR_SQLITE_TARGET_MAX */
#define ARCHIVE_PIECE 512u      /* leaves in one */
#define ARCHIVE_PIECE_BYTES ((size_t)4 << 20)
#define ARCHIVE_HELD 2u         /* pieces for each thread, */
#define ARCHIVE_PIECES_COLD 64u /* or all together, where the disk is waited for */
#define ARCHIVE_TRY_STEPS 400u  /* what looking for a row counts, which goes down a tree in a few steps */
#define ARCHIVE_ONLY_SHARE 4u   /* one by one a member costs that many that are listed with all */

#define ARCHIVE_SELECT "SELECT " LSR_SQLITE_TAKE "(%s,name,mode,mtime,sz,length(data),%s) FROM sqlar"
#define ARCHIVE_SELECT_NAMES "SELECT " LSR_SQLITE_TAKE "(%s,name) FROM sqlar%s"
#define ARCHIVE_FIRST "SELECT %s%s FROM sqlar NOT INDEXED WHERE %s BETWEEN ?1 AND ?2 LIMIT 1"

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
        int64_t rowid;
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
        rowid = archive_has(&row, ARCHIVE_ROWID) ? row.numbers[ARCHIVE_ROWID] : 0;
        if (sink->ascending && sink->seen && rowid <= sink->rowid) {
                sink->disorder = true;
                /* Behind the last but one it is the last that has a wrong number.  This has, and perhaps another's. */
                if (rowid <= sink->before)
                        return;
        } else {
                sink->before = sink->seen ? sink->rowid : INT64_MIN;
        }
        sink->seen++;
        sink->rowid = rowid;
        sink->result = sink->take(sink->ctx, &row);
        if (sink->result != 0)
                sqlite3_result_error_code(context, SQLITE_ABORT);
}

static void archive_end(sqlite3_context *context)
{
}

int archive_prepare(struct lsr_sqlite *s, struct archive_sink *sink, const char *where, const char *rowids,
                    sqlite3_stmt **ret_stmt)
{
        int code = sqlite3_create_function_v2(s->db, LSR_SQLITE_TAKE, ARCHIVE_COLUMNS, SQLITE_UTF8 | SQLITE_DIRECTONLY,
                                              sink, NULL, archive_step, archive_end, NULL);
        /* How long text is in UTF-16 it must itself tell. */
        const char *target = s->utf16 ? "CASE WHEN typeof(data)='text' THEN data ELSE " LSR_SQLITE_TARGET " END"
                                      : LSR_SQLITE_TARGET;

        if (code != SQLITE_OK)
                return code;
        return lsr_sqlite_prepare(s, ret_stmt, ARCHIVE_SELECT "%s%s%s%s", s->rowid, target, where,
                                  rowids ? " WHERE " : "", rowids ? s->rowid : "", rowids ? rowids : "");
}

/* Find a name for the number of a row that no column has.  SQLITE_OK, also if there is none, or what SQLite says. */
static int archive_find_rowid(struct lsr_sqlite *s)
{
        const char *names[] = { LSR_SQLITE_ROWID_NAMES };
        LSR_SQLITE_STMT stmt = NULL;
        int code = lsr_sqlite_prepare(s, &stmt, "PRAGMA table_xinfo(sqlar)");

        while (code == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW) {
                const char *column = (const char *)sqlite3_column_text(stmt, 1);

                if (!column)
                        return SQLITE_NOMEM;
                for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
                        if (names[i] && sqlite3_stricmp(column, names[i]) == 0)
                                names[i] = NULL;
        }
        s->rowid = NULL;
        for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !s->rowid; i++)
                s->rowid = names[i];
        return code;
}

/* The first page of the table; 0: that is not known. */
static uint32_t archive_root(struct lsr_sqlite *s)
{
        LSR_SQLITE_STMT stmt = NULL;
        int code = lsr_sqlite_prepare(
                s, &stmt, "SELECT rootpage FROM sqlite_schema WHERE type='table' AND name='sqlar' COLLATE NOCASE");

        return code == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW ? (uint32_t)sqlite3_column_int64(stmt, 0) : 0;
}

/* --- around damage ------------------------------------------------------------------ */

/* Statements for the rows between two rowids: for all of them, for reading the first, and for its rowid alone. */
struct archive_range {
        struct lsr_sqlite *s;
        struct archive_sink *sink;
        sqlite3_stmt *rows;
        sqlite3_stmt *row; /* of one rowid */
        sqlite3_stmt *first;
        sqlite3_stmt *rowid;
        int64_t rowids[ARCHIVE_LEAF_ROWS]; /* of a leaf */
};

/* Damage, which another row may not have.  No value is longer than its file. */
static bool range_damaged(int code)
{
        return (code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_TOOBIG;
}

static bool range_goes_on(int code)
{
        return code == SQLITE_ROW || code == SQLITE_DONE || range_damaged(code);
}

static int range_step(sqlite3_stmt *stmt, int64_t first, int64_t last)
{
        sqlite3_reset(stmt);
        sqlite3_bind_int64(stmt, 1, first);
        sqlite3_bind_int64(stmt, 2, last);
        return sqlite3_step(stmt);
}

/* The same in search of one.  A code of SQLite. */
static int range_try(struct archive_range *x, sqlite3_stmt *stmt, int64_t first, int64_t last)
{
        x->s->steps += ARCHIVE_TRY_STEPS;
        return x->s->steps > x->s->steps_max ? SQLITE_INTERRUPT : range_step(stmt, first, last);
}

/* SQLITE_ROW: these are all.  Anything else: behind what the sink has seen something is wrong. */
static int range_run(struct archive_range *x, int64_t first, int64_t last)
{
        x->sink->result = 0;
        x->sink->seen = 0;
        x->sink->disorder = false;
        return range_step(x->rows, first, last);
}

/* Say what is wrong, of damage once.  0: it is damage, around which there may be more. */
static int range_complain(struct lsr_sqlite *s, int code)
{
        int r = range_damaged(code) && s->malformed ? -EBADMSG : lsr_sqlite_fail(s, code, "table sqlar");

        if (!range_damaged(code) || (r != -EBADMSG && r != -E2BIG))
                return r;
        /* What is there in spite of a cell that has a wrong size is wanted, too. */
        if (!s->malformed)
                sqlite3_exec(s->db, "PRAGMA cell_size_check=OFF", NULL, NULL, NULL);
        s->malformed = true;
        return 0;
}

/*
 * The first rowid in steps that double, behind @bad and up to @end, from which on a row can be read; @last is that of
 * the range.  SQLITE_ROW, SQLITE_DONE: there is none, or what ended the search.
 */
static int range_find(struct archive_range *x, int64_t bad, int64_t end, int64_t last, int64_t *ret_good)
{
        int64_t good = bad, before = bad, behind = bad;
        uint64_t step = 1;
        int code;

        do {
                /* Where nothing was said to follow the step may have been too long. */
                if (good >= end)
                        return behind > before ? range_find(x, before, behind - 1, last, ret_good) : SQLITE_DONE;
                bad = good;
                good = step < (uint64_t)end - (uint64_t)bad ? (int64_t)((uint64_t)bad + step) : end;
                step = step > INT64_MAX / 2 ? step : 2 * step;
                /* Most rowids are small. */
                if (bad < 0 && good > 0) {
                        good = 0;
                        step = 1;
                }
                code = range_try(x, x->first, good, last);
                if (!range_goes_on(code))
                        return code;
                if (code == SQLITE_DONE && behind == before) {
                        before = bad;
                        behind = good;
                }
        } while (code != SQLITE_ROW);
        while ((uint64_t)good - (uint64_t)bad > 1) {
                int64_t middle = (int64_t)((uint64_t)bad + ((uint64_t)good - (uint64_t)bad) / 2);

                code = range_try(x, x->first, middle, last);
                if (!range_goes_on(code))
                        return code;
                if (code == SQLITE_ROW)
                        good = middle;
                else
                        bad = middle;
        }
        *ret_good = good;
        return SQLITE_ROW;
}

/*
 * Where pages do not tell which rows there are.  SQLite ends at the first row or page that is damaged.  Behind @bad,
 * where it ended, the next row that can be read is looked for up to the one that is said to be there, whose rowid may
 * be what is damaged, so that one before it can be read; and then behind that.  So damage costs what is in it.  0,
 * what the sink returned, or a negative errno, said.
 */
static int range_salvage(struct archive_range *x, int64_t bad, int64_t last)
{
        while (bad < last) {
                int code = range_try(x, x->rowid, bad + 1, last);
                int64_t good = 0, end = code == SQLITE_ROW ? sqlite3_column_int64(x->rowid, 0) : last;

                if (end <= bad || end > last)
                        end = last;
                if (range_goes_on(code))
                        code = range_find(x, bad, end, last, &good);
                bad = end;
                if (code == SQLITE_ROW) {
                        code = range_run(x, good, last);
                        if (x->sink->result != 0 || code == SQLITE_ROW)
                                return x->sink->result;
                        bad = x->sink->seen && x->sink->rowid > good ? x->sink->rowid : good;
                }
                if (!range_goes_on(code))
                        return range_complain(x->s, code);
        }
        return 0;
}

static int archive_compare(const void *a, const void *b)
{
        int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

        return (x > y) - (x < y);
}

/*
 * The rows of @leaf from @first to @last.  As long as SQLite finds just those that are there, in their order, it is
 * asked for all at once; else for one after the other.  0, what the sink returned, or a negative errno, said.
 */
static int range_leaf(struct lsr_sqlite *s, struct archive_range *x, const struct archive_leaves *way,
                      const struct archive_leaf *leaf, int64_t first, int64_t last)
{
        unsigned n = archive_leaf_rowids(way, leaf->number, x->rowids), kept = 0, done = 0;
        bool ordered = n > 0 && x->rowids[0] >= leaf->first;
        int code, r;

        for (unsigned i = 0; i < n; i++) {
                ordered = ordered && x->rowids[i] <= leaf->last && (i == 0 || x->rowids[i] > x->rowids[i - 1]);
                if (x->rowids[i] >= first && x->rowids[i] <= last)
                        x->rowids[kept++] = x->rowids[i];
        }
        if (ordered || n == 0) {
                code = range_run(x, first, last);
                if (x->sink->result != 0)
                        return x->sink->result;
                if (code == SQLITE_ROW && x->sink->seen == kept && !x->sink->disorder)
                        return 0;
                done = x->sink->seen < kept ? (unsigned)x->sink->seen : kept;
        } else {
                code = SQLITE_CORRUPT;
                qsort(x->rowids, kept, sizeof(*x->rowids), archive_compare);
        }
        r = range_complain(s, code == SQLITE_ROW ? SQLITE_CORRUPT : code);
        for (unsigned i = done; i < kept && r == 0; i++) {
                if (i > 0 && x->rowids[i] == x->rowids[i - 1])
                        continue;
                sqlite3_reset(x->row);
                sqlite3_bind_int64(x->row, 1, x->rowids[i]);
                x->sink->result = 0;
                x->sink->seen = 0;
                code = sqlite3_step(x->row);
                r = x->sink->result;
                if (r == 0 && code != SQLITE_ROW)
                        r = range_complain(s, code);
        }
        return r;
}

/* The same of the @n @leaves. */
static int range_leaves(struct lsr_sqlite *s, struct archive_range *x, const struct archive_leaves *way,
                        const struct archive_leaf *leaves, unsigned n, int64_t first, int64_t last)
{
        int r = 0;

        for (unsigned i = 0; i < n && r == 0 && first <= last; i++) {
                if (leaves[i].last < first)
                        continue;
                r = range_leaf(s, x, way, &leaves[i], first, leaves[i].last < last ? leaves[i].last : last);
                if (leaves[i].last >= last)
                        break;
                first = leaves[i].last + 1;
        }
        return r;
}

/* All rows behind @bad, in leaves that are not known yet, and which may be damaged above. */
static int range_behind(struct lsr_sqlite *s, struct archive_range *x, int64_t bad)
{
        struct archive_leaf leaves[ARCHIVE_PIECE];
        struct archive_leaves way;
        uint32_t root = archive_root(s);
        unsigned n;
        int r = 0;

        if (root == 0)
                return range_salvage(x, bad, INT64_MAX);
        if (!archive_leaves_begin(&way, s, root, true))
                way.broken = true;
        while (r == 0 && bad < INT64_MAX && (n = archive_leaves_around(&way, leaves, ARCHIVE_PIECE)) > 0) {
                int64_t last = leaves[n - 1].last;

                if (last <= bad)
                        continue;
                r = range_leaves(s, x, &way, leaves, n, bad + 1, last);
                bad = last;
        }
        archive_leaves_end(&way);
        return r == 0 && way.broken ? range_salvage(x, bad, INT64_MAX) : r;
}

/* The rows from @first to the last one. */
static int range_rest(struct lsr_sqlite *s, struct archive_range *x, int64_t first)
{
        LSR_SQLITE_STMT row = NULL;
        LSR_SQLITE_STMT one = NULL;
        LSR_SQLITE_STMT rowid = NULL;
        int code = range_run(x, first, INT64_MAX), r;

        if (x->sink->result != 0 || (code == SQLITE_ROW && !x->sink->disorder))
                return x->sink->result;
        r = range_complain(s, code == SQLITE_ROW ? SQLITE_CORRUPT : code);
        if (r < 0 || code == SQLITE_ROW)
                return r;
        code = archive_prepare(s, x->sink, "", "=?1", &row);
        x->row = row;
        if (code == SQLITE_OK)
                code = lsr_sqlite_prepare(s, &rowid, ARCHIVE_FIRST, s->rowid, "", s->rowid);
        if (code == SQLITE_OK)
                code = lsr_sqlite_prepare(s, &one, ARCHIVE_FIRST, s->rowid, ",name,mode,mtime,sz,length(data)",
                                          s->rowid);
        if (code != SQLITE_OK)
                return lsr_sqlite_fail(s, code, "table sqlar");
        x->rowid = rowid;
        x->first = one;
        if (x->sink->seen && x->sink->rowid >= first)
                return range_behind(s, x, x->sink->rowid);
        return range_behind(s, x, first > INT64_MIN ? first - 1 : first);
}

/*
 * All rows from @first to @last but those that are damaged, in the order of their numbers.  They are in the @n @leaves,
 * or that is not known, and @last is the greatest number.  0, what the sink returned, or a negative errno, said.
 */
static int archive_rows(struct lsr_sqlite *s, struct archive_sink *sink, const struct archive_leaves *way,
                        const struct archive_leaf *leaves, unsigned n, int64_t first, int64_t last)
{
        LSR_SQLITE_STMT rows = NULL;
        LSR_SQLITE_STMT row = NULL;
        int code = archive_prepare(s, sink, "", " BETWEEN ?1 AND ?2", &rows), r;
        struct archive_range *x;

        if (code == SQLITE_OK && n > 0)
                code = archive_prepare(s, sink, "", "=?1", &row);
        if (code != SQLITE_OK)
                return lsr_sqlite_fail(s, code, "table sqlar");
        x = lsr_xmalloc(sizeof(*x));
        x->s = s;
        x->sink = sink;
        x->sink->ascending = true;
        x->rows = rows;
        x->row = row;
        r = n > 0 ? range_leaves(s, x, way, leaves, n, first, last) : range_rest(s, x, first);
        free(x);
        return r;
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
        r = archive_find_rowid(s);
        if (r == SQLITE_OK && s->rowid)
                r = lsr_sqlite_prepare(s, &columns, "SELECT %s,name,mode,mtime,sz,data FROM sqlar", s->rowid);
        if (r == SQLITE_NOMEM)
                return lsr_sqlite_fail(s, r, "table sqlar");
        /* A table of that name with other columns, or whose rows have no numbers, is just a table. */
        if (r != SQLITE_OK || !s->rowid)
                return 0;
        archive_find_indexes(s);
        return 1;
}

/* --- members ---------------------------------------------------------------------- */

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

/* As `sqlite3 -A` takes them: what is neither a directory nor a link is a file.  We write others, without content. */
static uint32_t archive_mode(uint32_t mode, bool content)
{
        switch (mode & S_IFMT) {
        case S_IFDIR:
        case S_IFLNK:
        case S_IFREG:
                return mode;
        case S_IFIFO:
        case S_IFCHR:
        case S_IFBLK:
        case S_IFSOCK:
                return content ? (mode & ~(uint32_t)S_IFMT) | S_IFREG : mode;
        default:
                return (mode & ~(uint32_t)S_IFMT) | S_IFREG;
        }
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
                m->meta.mode = archive_mode(m->meta.mode, stored && row->numbers[ARCHIVE_PACKED] > 0);
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

int archive_add(void *ctx, const struct archive_row *row)
{
        struct lsr_scan *scan = ctx;
        struct lsr_member m;
        int r;

        archive_member(row, &m);
        r = m.path ? lsr_builder_add(scan->builder, &m) : 1;
        if (r > 0)
                lsr_scan_trouble(scan, -EBADMSG, "row %s of sqlar has no name", lsr_grouped(m.position));
        return r < 0 ? r : 0;
}

/* --- in several threads ---------------------------------------------------------------- */

/* Leaves of the table, and what they have. */
struct archive_piece {
        struct lsr_job job;
        int64_t first; /* rowids; what is not done yet */
        int64_t last;
        unsigned n;
        bool done;
        struct archive_leaf leaves[ARCHIVE_PIECE];
        struct archive_kept rows;
};

struct archive_pieces {
        struct archive_leaves leaves;
        unsigned n; /* of these: */
        struct archive_piece of[ARCHIVE_PIECES_COLD];
};

static int piece_keep(void *ctx, const struct archive_row *row)
{
        struct archive_piece *p = ctx;
        int64_t rowid = row->numbers[ARCHIVE_ROWID];

        if (rowid < p->first || rowid > p->last || !archive_keep(&p->rows, row, ARCHIVE_PIECE_BYTES))
                return 1;
        if (rowid < p->last) {
                p->first = rowid + 1;
        } else {
                p->first = INT64_MAX;
                p->last = INT64_MIN;
        }
        return 0;
}

static void piece_work(void *ctx, unsigned worker, struct lsr_job *job)
{
        struct archive_piece *p = (struct archive_piece *)job;
        struct archive_sink sink = { .ctx = p, .take = piece_keep };

        p->done = archive_leaves_rows(&((struct archive_pieces *)ctx)->leaves, p->leaves, p->n, &sink) && p->n > 0;
}

/* The next piece of @x, from behind the one with the rowid @before.  False: there is none. */
static bool piece_fill(struct archive_pieces *x, struct archive_piece *p, int64_t *inout_before)
{
        int64_t before = *inout_before;

        p->rows.len = 0;
        p->n = archive_leaves_next(&x->leaves, p->leaves, ARCHIVE_PIECE);
        p->last = p->n > 0 ? p->leaves[p->n - 1].last : INT64_MAX;
        /* Where pages do not tell more, SQLite does. */
        if (before == INT64_MAX || (p->n == 0 && !x->leaves.broken))
                return false;
        p->first = before + (before > INT64_MIN);
        *inout_before = p->last;
        return true;
}

/* Add what it has kept, and what it could not decode. */
static int piece_add(struct lsr_sqlite *s, const struct archive_pieces *x, const struct archive_piece *p)
{
        struct archive_sink sink = { .s = s, .ctx = s->scan, .take = archive_add };
        int r = 0;

        for (size_t at = 0; at < p->rows.len && r == 0;)
                r = archive_add_kept(&p->rows, &at, s->scan);
        if (r != 0 || p->done)
                return r;
        return archive_rows(s, &sink, &x->leaves, p->leaves, p->n, p->first, p->last);
}

static int pieces_run(struct archive_pieces *x, struct lsr_sqlite *s, unsigned cpus)
{
        unsigned held = x->leaves.cold ? ARCHIVE_PIECES_COLD : cpus * ARCHIVE_HELD;
        struct lsr_pool *pool = lsr_pool_new(&(struct lsr_pool_options){ piece_work, x, cpus });
        int64_t before = INT64_MIN;
        bool more = true;
        int r = 0;

        do {
                struct archive_piece *p = &x->of[x->n % held];

                /* Taken back in the order in which they are given, so the next one is free again. */
                more = more && (lsr_pool_held(pool) == held || piece_fill(x, p, &before));
                if (more && lsr_pool_held(pool) < held) {
                        lsr_pool_submit(pool, &p->job);
                        x->n++;
                } else if (lsr_pool_held(pool) > 0) {
                        r = piece_add(s, x, (struct archive_piece *)lsr_pool_next(pool));
                }
        } while (r == 0 && (more || lsr_pool_held(pool) > 0));
        lsr_pool_free(pool);
        return r;
}

/* Has it the columns of sqlite.org/sqlar, declared as there, and no more? */
static bool archive_is_plain(struct lsr_sqlite *s)
{
        static const char *const columns[][2] = {
                { "name", "TEXT" }, { "mode", "INT" }, { "mtime", "INT" }, { "sz", "INT" }, { "data", "BLOB" },
        };
        LSR_SQLITE_STMT info = NULL;
        size_t n = 0;

        if (s->utf16 || lsr_sqlite_prepare(s, &info, "PRAGMA table_xinfo(sqlar)") != SQLITE_OK)
                return false;
        for (; sqlite3_step(info) == SQLITE_ROW; n++) {
                const char *name = (const char *)sqlite3_column_text(info, 1);
                const char *type = (const char *)sqlite3_column_text(info, 2);

                if (n == ARCHIVE_TARGET - ARCHIVE_NAME || !name || strcmp(name, columns[n][0]) != 0 || !type ||
                    strcmp(type, columns[n][1]) != 0 || sqlite3_column_int(info, 6) != 0)
                        return false;
        }
        return n == ARCHIVE_TARGET - ARCHIVE_NAME;
}

/* 0, 1: it is not to be decoded so, or a negative errno. */
static int archive_scan_leaves(struct lsr_sqlite *s)
{
        uint32_t root = archive_is_plain(s) ? archive_root(s) : 0;
        struct archive_pieces *x;
        int r = 1;

        if (root == 0)
                return 1;
        x = lsr_xmalloc(sizeof(*x));
        memset(x, 0, sizeof(*x));
        if (archive_leaves_begin(&x->leaves, s, root, false))
                r = pieces_run(x, s, lsr_ahead_cpus());
        archive_leaves_end(&x->leaves);
        for (unsigned i = 0; i < ARCHIVE_PIECES_COLD; i++)
                free(x->of[i].rows.data);
        free(x);
        return r;
}

/* --- in one go ------------------------------------------------------------------------ */

static int archive_scan_all(struct lsr_sqlite *s)
{
        struct archive_sink sink = { .s = s, .ctx = s->scan, .take = archive_add };

        return archive_rows(s, &sink, NULL, NULL, 0, INT64_MIN, INT64_MAX);
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
static bool only_find_far(struct lsr_sqlite *s, struct archive_only *only, const struct lsr_wanted *wanted)
{
        LSR_SQLITE_STMT stmt = NULL;

        if (only->lists || !lsr_input_far(s->scan->input) ||
            sqlite3_create_function_v2(s->db, LSR_SQLITE_TAKE, 2, SQLITE_UTF8 | SQLITE_DIRECTONLY, only, NULL,
                                       only_step, archive_end, NULL) != SQLITE_OK ||
            lsr_sqlite_prepare(s, &stmt, ARCHIVE_SELECT_NAMES, s->rowid, " WHERE name=?1") != SQLITE_OK)
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
                                       "(n,name) FROM (SELECT %s AS n,name FROM sqlar INDEXED BY " LSR_SQLITE_LIST
                                       " WHERE name BETWEEN ?1 AND ?2 ORDER BY name LIMIT 1)",
                                       s->rowid) == SQLITE_OK;

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
               lsr_sqlite_prepare(s, &stmt, ARCHIVE_SELECT_NAMES, s->rowid, s->listed ? ARCHIVE_LISTED : "") ==
                       SQLITE_OK &&
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

        if (archive_prepare(s, &sink, "", "=?1", &stmt) != SQLITE_OK)
                return false;
        qsort(only->rowids, only->n, sizeof(*only->rowids), archive_compare);
        for (size_t i = 0; i < only->n; i++) {
                sqlite3_reset(stmt);
                sqlite3_bind_int64(stmt, 1, only->rowids[i]);
                if (sqlite3_step(stmt) != SQLITE_ROW || only->added != i + 1)
                        return false;
        }
        return true;
}

/* Did that suffice?  If not, all rows are listed, which also reports errors. */
static bool archive_scan_only(struct lsr_sqlite *s, const struct lsr_wanted *wanted)
{
        struct archive_only only = { .s = s };
        bool done;

        if (wanted->numbers || !lsr_ways_begin(&only.ways, wanted->paths, wanted->n, !wanted->content))
                return false;
        only.lists = !wanted->content;
        only.links = wanted->links;
        done = only_find_far(s, &only, wanted) || only_find(s, &only);
        if (done && !only_list(s, &only)) {
                done = false;
                lsr_builder_reset(s->scan->builder);
        }
        free(only.rowids);
        lsr_ways_end(&only.ways);
        s->scan->some = done;
        return done;
}

int lsr_sqlite_archive_scan(struct lsr_sqlite *s, const struct lsr_wanted *wanted)
{
        int r;

        lsr_sqlite_vfs_map(s->vfs);
        if (wanted && archive_scan_only(s, wanted))
                return 0;
        lsr_sqlite_vfs_read_all(s->vfs);
        r = archive_scan_list(s, wanted);
        if (r > 0)
                r = archive_scan_leaves(s);
        if (r > 0)
                r = archive_scan_all(s);
        /* What came before the damage is listed. */
        return lsr_builder_count(s->scan->builder) ? 0 : r;
}
