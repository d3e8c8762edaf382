/*
 * sqlite - databases as directories
 *
 * A database with a table `sqlar` is an archive (sqlite.org/sqlar); any other
 * shows its tables, see sqlite-tables.c.
 *
 * A database is a program as much as data: its schema may hold views that never
 * end or that call functions.  So the connection follows sqlite.org/security.html:
 * the schema is not trusted, an authorizer lets SELECT through with functions of
 * a list, no virtual table exists but those of JSON, and memory and steps of the
 * virtual machine are limited in proportion to the size of the file.
 *
 * An archive's content stays unread in a listing: length() of a blob comes from
 * the header of its row, and only the targets of symbolic links are fetched.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/drivers.h"
#include "formats/sqlite.h"

#define SQLITE_HEAD "SQLite format 3" /* with its NUL */
#define SQLITE_PROGRESS 1000          /* steps between calls of the progress handler */
#define SQLITE_TARGET_MAX 4096        /* bytes of a symbolic link's target */

/* Functions without side effects, and the same each time: rows of a view are found again by their order. */
static const char *const sqlite_functions =
        " abs acos acosh asin asinh atan atan2 atanh avg ceil ceiling char coalesce concat concat_ws cos cosh count"
        " cume_dist date datetime degrees dense_rank exp first_value floor format glob group_concat hex ifnull iif"
        " instr json json_array json_array_length json_each json_error_position json_extract json_group_array"
        " json_group_object json_insert json_object json_patch json_quote json_remove json_replace json_set json_tree"
        " json_type json_valid julianday lag last_value lead length like likelihood likely ln log log10 log2 lower"
        " ltrim max min mod nth_value ntile nullif octet_length percent_rank pi pow power printf quote radians rank"
        " replace round row_number rtrim sign sin sinh soundex sqrt strftime string_agg substr substring sum tan tanh"
        " time timediff total trim trunc typeof unhex unicode unixepoch unlikely upper zeroblob -> ->> ";

static bool sqlite_probe(const struct lsr_probe *p)
{
        /* A page is 512 bytes at least, and the header 100. */
        return p->head_len >= 100 && memcmp(p->head, SQLITE_HEAD, sizeof(SQLITE_HEAD)) == 0;
}

/* --- the connection ----------------------------------------------------------- */

static bool sqlite_is_harmless(const char *function)
{
        size_t n = strlen(function);

        for (const char *at = sqlite_functions; n && (at = strcasestr(at, function)); at++)
                if (at[-1] == ' ' && at[n] == ' ')
                        return true;
        return false;
}

static int sqlite_authorize(void *ctx, int action, const char *a, const char *b, const char *database,
                            const char *trigger)
{
        (void)ctx;
        (void)database;
        (void)trigger;
        switch (action) {
        case SQLITE_SELECT:
        case SQLITE_READ:
        case SQLITE_RECURSIVE:
                return SQLITE_OK;
        case SQLITE_FUNCTION:
                return b && sqlite_is_harmless(b) ? SQLITE_OK : SQLITE_DENY;
        case SQLITE_PRAGMA:
                return a && strcmp(a, "table_xinfo") == 0 ? SQLITE_OK : SQLITE_DENY;
        default:
                return SQLITE_DENY;
        }
}

static int sqlite_progress(void *ctx)
{
        struct lsr_sqlite *s = ctx;

        s->steps += SQLITE_PROGRESS;
        return s->steps > s->steps_max;
}

static void sqlite_limit(struct lsr_sqlite *s, uint64_t size)
{
        static const struct {
                int id;
                int value;
        } limits[] = {
                { SQLITE_LIMIT_SQL_LENGTH, 1000000 }, { SQLITE_LIMIT_EXPR_DEPTH, 100 },
                { SQLITE_LIMIT_COMPOUND_SELECT, 50 }, { SQLITE_LIMIT_VDBE_OP, 250000 },
                { SQLITE_LIMIT_ATTACHED, 0 },         { SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100 },
                { SQLITE_LIMIT_VARIABLE_NUMBER, 10 }, { SQLITE_LIMIT_TRIGGER_DEPTH, 1 },
                { SQLITE_LIMIT_WORKER_THREADS, 0 },
        };

        for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
                sqlite3_limit(s->db, limits[i].id, limits[i].value);
        /* No value is longer than the file that holds it; SQLite cuts this off at its own limit. */
        size = size < INT32_MAX - LSR_SQLITE_SLACK ? size + LSR_SQLITE_SLACK : INT32_MAX;
        sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, (int)size);
        s->steps_max = size < UINT64_MAX / LSR_SQLITE_STEPS_PER_BYTE - LSR_SQLITE_STEPS_MIN
                               ? LSR_SQLITE_STEPS_MIN + size * LSR_SQLITE_STEPS_PER_BYTE
                               : UINT64_MAX;
}

static int sqlite_harden(struct lsr_sqlite *s, bool changing)
{
        static const struct {
                int id;
                int value;
        } switches[] = {
                { SQLITE_DBCONFIG_DEFENSIVE, 1 },        { SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
                { SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },   { SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 },
                { SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1 },
        };
        static const char *modules[] = { "json_each", "json_tree", NULL };
        int code;

        for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++)
                sqlite3_db_config(s->db, switches[i].id, switches[i].value, NULL);
        sqlite3_drop_modules(s->db, modules);
        code = sqlite3_exec(s->db,
                            "PRAGMA cell_size_check=ON; PRAGMA mmap_size=2147418112; PRAGMA temp_store=MEMORY;"
                            "PRAGMA query_only=ON;",
                            NULL, NULL, NULL);
        /* Before the first read: it keeps the index of the log on the heap. */
        if (code == SQLITE_OK && changing)
                code = sqlite3_exec(s->db, "PRAGMA locking_mode=EXCLUSIVE", NULL, NULL, NULL);
        if (code != SQLITE_OK)
                return code;
        sqlite3_progress_handler(s->db, SQLITE_PROGRESS, sqlite_progress, s);
        return sqlite3_set_authorizer(s->db, sqlite_authorize, NULL);
}

int lsr_sqlite_fail(struct lsr_sqlite *s, int code, const char *what)
{
        const char *text, *colon = what ? ": " : "";
        int r = lsr_sqlite_vfs_error(s->vfs, &text);

        what = what ? what : "";
        if (r < 0) {
                text = text ? text : s->scan->input->what;
                lsr_scan_trouble(s->scan, r, "%s%s%s", what, colon, text ? text : strerror(-r));
                return r;
        }
        switch (code & 0xff) {
        case SQLITE_NOMEM:
                r = -ENOMEM;
                lsr_scan_trouble(s->scan, r, "%s%sneeds more than %s bytes of memory", what, colon,
                                 lsr_grouped((uint64_t)LSR_SQLITE_HEAP_MAX));
                return r;
        case SQLITE_INTERRUPT:
                r = -E2BIG;
                lsr_scan_trouble(s->scan, r, "%s%stakes more than %s steps", what, colon, lsr_grouped(s->steps_max));
                return r;
        case SQLITE_TOOBIG:
                r = -E2BIG;
                break;
        case SQLITE_AUTH:
                r = -EPERM;
                break;
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
        case SQLITE_READONLY:
        case SQLITE_CANTOPEN:
                r = -EBUSY;
                break;
        default:
                r = -EBADMSG;
        }
        lsr_scan_trouble(s->scan, r, "%s%s%s", what, colon, s->db ? sqlite3_errmsg(s->db) : sqlite3_errstr(code));
        return r;
}

int lsr_sqlite_open(struct lsr_sqlite *s, struct lsr_scan *scan)
{
        const char *text;
        bool changing;
        int code, r;

        *s = (struct lsr_sqlite){ .scan = scan, .heap_before = -1 };
        if (sqlite3_initialize() != SQLITE_OK)
                return -ENOMEM;
        r = lsr_sqlite_vfs_new(&s->vfs, scan);
        if (r < 0)
                return r;
        if (lsr_sqlite_vfs_error(s->vfs, &text) < 0)
                return lsr_sqlite_fail(s, SQLITE_IOERR, NULL);
        s->heap_before = sqlite3_hard_heap_limit64(-1);
        if (s->heap_before == 0 || s->heap_before > LSR_SQLITE_HEAP_MAX)
                sqlite3_hard_heap_limit64(LSR_SQLITE_HEAP_MAX);
        changing = lsr_sqlite_vfs_changing(s->vfs);
        /* Only a rollback writes, and only to the overlay. */
        code = sqlite3_open_v2("db", &s->db,
                               SQLITE_OPEN_NOMUTEX | (changing ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY),
                               lsr_sqlite_vfs_name(s->vfs));
        if (code != SQLITE_OK)
                return lsr_sqlite_fail(s, code, NULL);
        sqlite_limit(s, lsr_sqlite_vfs_size(s->vfs));
        code = sqlite_harden(s, changing);
        return code == SQLITE_OK ? 0 : lsr_sqlite_fail(s, code, NULL);
}

void lsr_sqlite_close(struct lsr_sqlite *s)
{
        sqlite3_finalize(s->row);
        sqlite3_close(s->db);
        s->row = NULL;
        s->db = NULL;
        s->vfs = lsr_sqlite_vfs_free(s->vfs);
        if (s->heap_before >= 0)
                sqlite3_hard_heap_limit64(s->heap_before);
}

int lsr_sqlite_prepare(struct lsr_sqlite *s, sqlite3_stmt **ret_stmt, const char *format, ...)
{
        va_list args;
        char *sql;
        int code;

        va_start(args, format);
        sql = sqlite3_vmprintf(format, args);
        va_end(args);
        if (!sql)
                return SQLITE_NOMEM;
        s->steps = 0;
        code = sqlite3_prepare_v2(s->db, sql, -1, ret_stmt, NULL);
        sqlite3_free(sql);
        return code;
}

int lsr_sqlite_step(struct lsr_sqlite *s, sqlite3_stmt *stmt, const char *what)
{
        int code = sqlite3_step(stmt);

        if (code == SQLITE_ROW)
                return 1;
        return code == SQLITE_DONE ? 0 : lsr_sqlite_fail(s, code, what);
}

/* --- archives ------------------------------------------------------------------ */

#define ARCHIVE_COLUMNS \
        "rowid,name,mode,mtime,sz,length(data),CASE WHEN sz=-1 AND length(data)<=%d THEN data END FROM sqlar"

enum archive_column {
        ARCHIVE_ROWID,
        ARCHIVE_NAME,
        ARCHIVE_MODE,
        ARCHIVE_MTIME,
        ARCHIVE_SIZE,
        ARCHIVE_PACKED,
        ARCHIVE_TARGET
};

/* 1: it is an archive; 0: it is none; or a negative errno. */
static int sqlite_is_archive(struct lsr_sqlite *s)
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
        return lsr_sqlite_prepare(s, &columns, "SELECT " ARCHIVE_COLUMNS, SQLITE_TARGET_MAX) == SQLITE_OK;
}

/* No component that a path is cleaned of. */
static bool archive_is_plain(const char *name, size_t n)
{
        for (const char *end = name + n, *slash; name <= end; name = slash + 1) {
                size_t len;

                slash = memchr(name, '/', (size_t)(end - name));
                slash = slash ? slash : end;
                len = (size_t)(slash - name);
                /* A slash at the very end does no harm. */
                if ((len == 0 && slash != end) || (len == 1 && name[0] == '.') ||
                    (len == 2 && memcmp(name, "..", 2) == 0))
                        return false;
        }
        return true;
}

/*
 * Whether the names below a directory are those that begin with its path: 1 or 0, or a negative errno.
 * Names are kept as they were given, and "./a", "/a" and "x//a" are other keys than "a".  The index of names
 * tells without a look at the rows.
 */
static int archive_has_plain_names(struct lsr_sqlite *s)
{
        LSR_SQLITE_STMT stmt = NULL;
        int r = lsr_sqlite_prepare(s, &stmt, "SELECT name FROM sqlar");

        if (r != SQLITE_OK)
                return lsr_sqlite_fail(s, r, NULL);
        while ((r = lsr_sqlite_step(s, stmt, "table sqlar")) > 0) {
                const char *name;

                if (sqlite3_column_type(stmt, 0) != SQLITE_TEXT)
                        return 0;
                name = (const char *)sqlite3_column_text(stmt, 0);
                if (!name || !archive_is_plain(name, (size_t)sqlite3_column_bytes(stmt, 0)))
                        return 0;
        }
        /* An index that is damaged tells nothing, and the table may be whole. */
        return r == 0;
}

static bool archive_has(sqlite3_stmt *stmt, enum archive_column column)
{
        return sqlite3_column_type(stmt, (int)column) == SQLITE_INTEGER;
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

static void archive_member(sqlite3_stmt *stmt, struct lsr_member *m)
{
        bool stored = archive_has(stmt, ARCHIVE_PACKED);

        *m = (struct lsr_member){ .packed = UINT64_MAX };
        m->path = sqlite3_column_blob(stmt, ARCHIVE_NAME);
        m->path_len = (size_t)sqlite3_column_bytes(stmt, ARCHIVE_NAME);
        m->position = (uint64_t)sqlite3_column_int64(stmt, ARCHIVE_ROWID);
        if (archive_has(stmt, ARCHIVE_MODE)) {
                m->meta.known |= LSR_FIELD_TYPE | LSR_FIELD_MODE;
                m->meta.mode = (uint32_t)sqlite3_column_int64(stmt, ARCHIVE_MODE) & 0177777;
                /* As `sqlite3 -A` takes them: what is neither a directory nor a link is a file. */
                if (!(m->meta.mode & S_IFMT))
                        m->meta.mode |= S_IFREG;
        }
        if (archive_has(stmt, ARCHIVE_MTIME)) {
                m->meta.known |= LSR_FIELD_MTIME;
                m->meta.sec[LSR_MTIME] = sqlite3_column_int64(stmt, ARCHIVE_MTIME);
        }
        if (stored)
                m->packed = (uint64_t)sqlite3_column_int64(stmt, ARCHIVE_PACKED);
        if (S_ISLNK(m->meta.mode) && sqlite3_column_type(stmt, ARCHIVE_TARGET) != SQLITE_NULL) {
                m->target = (const char *)sqlite3_column_text(stmt, ARCHIVE_TARGET);
                m->target_len = (size_t)sqlite3_column_bytes(stmt, ARCHIVE_TARGET);
                m->packed = m->target_len;
        }
        if (archive_has(stmt, ARCHIVE_SIZE))
                archive_size(m, sqlite3_column_int64(stmt, ARCHIVE_SIZE), stored);
}

static int archive_scan(struct lsr_sqlite *s)
{
        const char *prefix = s->scan->prefix;
        LSR_SQLITE_STMT stmt = NULL;
        int r, part = 0;

        if (*prefix) {
                part = archive_has_plain_names(s);
                if (part < 0)
                        return part;
        }
        /* '0' follows '/'. */
        r = lsr_sqlite_prepare(s, &stmt, "SELECT " ARCHIVE_COLUMNS "%s", SQLITE_TARGET_MAX,
                               part ? " WHERE name=?1 OR name>=?1||'/' AND name<?1||'0'" : "");
        if (r != SQLITE_OK)
                return lsr_sqlite_fail(s, r, "table sqlar");
        if (part)
                sqlite3_bind_text(stmt, 1, prefix, -1, SQLITE_STATIC);
        while ((r = lsr_sqlite_step(s, stmt, "table sqlar")) > 0) {
                struct lsr_member m;

                archive_member(stmt, &m);
                if (!m.path)
                        lsr_scan_trouble(s->scan, -EBADMSG, "row %s of sqlar has no name", lsr_grouped(m.position));
                else if ((r = lsr_builder_add(s->scan->builder, &m)) < 0)
                        return r;
        }
        /* What came before the damage is listed. */
        return lsr_builder_count(s->scan->builder) ? 0 : r;
}

/* --- the driver ---------------------------------------------------------------- */

static int sqlite_scan(struct lsr_scan *scan)
{
        struct lsr_sqlite s;
        int r = lsr_sqlite_open(&s, scan);

        if (r == 0)
                r = sqlite_is_archive(&s);
        if (r > 0)
                r = archive_scan(&s);
        else if (r == 0)
                r = lsr_sqlite_tables_scan(&s);
        lsr_sqlite_close(&s);
        return r;
}

/* @archive is what sqlite_is_archive() said. */
static int sqlite_read_row(struct lsr_sqlite *s, int archive, const struct lsr_member *m, const struct lsr_sink *sink)
{
        if (archive < 0)
                return archive;
        if (archive == 0)
                return lsr_sqlite_tables_read(s, m, sink);
        if (m->meta.known & LSR_FIELD_TYPE && !S_ISREG(m->meta.mode))
                return -EOPNOTSUPP;
        return lsr_sqlite_archive_read(s, (int64_t)m->position, sink);
}

static int sqlite_read(struct lsr_scan *scan, const struct lsr_member *m, const struct lsr_sink *sink)
{
        struct lsr_sqlite s;
        int r = lsr_sqlite_open(&s, scan);

        if (r == 0)
                r = sqlite_read_row(&s, sqlite_is_archive(&s), m, sink);
        lsr_sqlite_close(&s);
        return r;
}

struct sqlite_many {
        struct lsr_sqlite s;
        int archive;
};

static int sqlite_read_one(void *ctx, const struct lsr_member *m, const struct lsr_sink *sink)
{
        struct sqlite_many *many = ctx;

        return sqlite_read_row(&many->s, many->archive, m, sink);
}

/* With one connection: to open one takes longer than to read a small member. */
static int sqlite_read_many(struct lsr_scan *scan, const struct lsr_many *many)
{
        struct sqlite_many all;
        int r = lsr_sqlite_open(&all.s, scan);

        if (r == 0) {
                all.archive = sqlite_is_archive(&all.s);
                r = lsr_many_each(many, &all, sqlite_read_one);
        }
        lsr_sqlite_close(&all.s);
        return r;
}

const struct lsr_format lsr_format_sqlite = {
        .name = "sqlite",
        .suffixes = (const char *const[]){ ".sqlar", ".sqlite", ".sqlite3", ".db", NULL },
        .needs_random = true,
        .probe = sqlite_probe,
        .scan = sqlite_scan,
        .read = sqlite_read,
        .read_many = sqlite_read_many,
};
