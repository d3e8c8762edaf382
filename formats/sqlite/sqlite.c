/*
 * sqlite - databases as directories
 *
 * A database with a table `sqlar` is an archive (sqlite.org/sqlar); any other
 * shows its tables; see formats/sqlite/archive.c and formats/sqlite/tables.c.
 *
 * A database is a program as much as data: its schema may hold views that never
 * end or that call functions.  So the connection follows sqlite.org/security.html:
 * the schema is not trusted, an authorizer lets SELECT through with functions of
 * a list, no virtual table exists but those of JSON and of text search, and memory
 * and steps of the virtual machine are limited in proportion to the size of the
 * file.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "formats/drivers.h"
#include "formats/sqlite/sqlite.h"

#define SQLITE_HEAD "SQLite format 3" /* with its NUL */
#define SQLITE_PROGRESS 1000          /* steps between calls of the progress handler */

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
        switch (action) {
        case SQLITE_SELECT:
        case SQLITE_READ:
        case SQLITE_RECURSIVE:
                return SQLITE_OK;
        case SQLITE_FUNCTION:
                return b && (sqlite_is_harmless(b) || strcmp(b, LSR_SQLITE_TAKE) == 0 ||
                             strcmp(b, LSR_SQLITE_SIZES) == 0)
                               ? SQLITE_OK
                               : SQLITE_DENY;
        case SQLITE_PRAGMA:
                /* The second is fts5's, to see whether what it has read is old, the third for what is damaged. */
                return a && (strcmp(a, "table_xinfo") == 0 || (strcmp(a, "data_version") == 0 && !b) ||
                             strcmp(a, "cell_size_check") == 0)
                               ? SQLITE_OK
                               : SQLITE_DENY;
        case SQLITE_UPDATE:
                /* So SQLite asks for leave to make a virtual table known to itself; nothing can be written here. */
                return a && strcmp(a, "sqlite_master") == 0 ? SQLITE_OK : SQLITE_DENY;
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
        s->steps_max = lsr_limit_in_proportion(LSR_LIMIT_SQL_STEPS, LSR_LIMIT_SQL_STEPS_PER_BYTE, size);
}

static int sqlite_encoding(void *ctx, int n, char **values, char **names)
{
        struct lsr_sqlite *s = ctx;

        s->utf16 = n > 0 && values[0] && strcmp(values[0], "UTF-8") != 0;
        return 0;
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
        static const char *modules[] = { "json_each", "json_tree", "fts3", "fts4", "fts5", NULL };
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
        code = sqlite3_exec(s->db, "PRAGMA encoding", sqlite_encoding, s, NULL);
        if (code != SQLITE_OK)
                return code;
        return sqlite3_set_authorizer(s->db, sqlite_authorize, NULL);
}

/* Did SQLite refuse memory by its limit?  Not if the most that it had and its largest request are below that. */
static bool sqlite_heap_was_full(void)
{
        sqlite3_int64 now, most = 0, largest = 0;

        sqlite3_status64(SQLITE_STATUS_MEMORY_USED, &now, &most, 0);
        sqlite3_status64(SQLITE_STATUS_MALLOC_SIZE, &now, &largest, 0);
        return most + largest >= (int64_t)lsr_limit(LSR_LIMIT_SQL_MEMORY);
}

int lsr_sqlite_fail(struct lsr_sqlite *s, int code, const char *what)
{
        const char *text, *colon = what ? ": " : "";
        int r = lsr_sqlite_vfs_error(s->vfs, &text);

        s->failed = true;
        what = what ? what : "";
        if (r < 0) {
                text = text ? text : s->scan->input->what;
                lsr_scan_trouble(s->scan, r, "%s%s%s", what, colon, text ? text : strerror(-r));
                return r;
        }
        switch (code & 0xff) {
        case SQLITE_NOMEM:
                r = -ENOMEM;
                if (!sqlite_heap_was_full())
                        lsr_scan_trouble(s->scan, r, "%s%sneeds more memory than the process that reads it may take%s",
                                         what, colon, lsr_limit_raised(LSR_LIMIT_MEMORY));
                else
                        lsr_scan_trouble(s->scan, r, "%s%sneeds more than %s bytes of memory%s", what, colon,
                                         lsr_grouped(lsr_limit(LSR_LIMIT_SQL_MEMORY)),
                                         lsr_limit_raised(LSR_LIMIT_SQL_MEMORY));
                return r;
        case SQLITE_INTERRUPT:
                r = -E2BIG;
                lsr_scan_trouble(s->scan, r, "%s%stakes more than %s steps%s", what, colon, lsr_grouped(s->steps_max),
                                 lsr_limit_raised(LSR_LIMIT_SQL_STEPS));
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
        /* What was not found by SQLite it has no words for. */
        text = s->db && (sqlite3_errcode(s->db) & 0xff) == (code & 0xff) ? sqlite3_errmsg(s->db) : sqlite3_errstr(code);
        lsr_scan_trouble(s->scan, r, "%s%s%s", what, colon, text);
        return r;
}

/*
 * SQLite has one limit of memory for the process.  Connections come and go in several threads, so the first one sets
 * it, and the last one puts back what was there.
 */
static struct {
        pthread_mutex_t lock;
        unsigned connections;
        int64_t before;
} sqlite_heap = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void sqlite_heap_limit(void)
{
        const int64_t most = (int64_t)lsr_limit(LSR_LIMIT_SQL_MEMORY);

        pthread_mutex_lock(&sqlite_heap.lock);
        if (sqlite_heap.connections++ == 0) {
                sqlite_heap.before = sqlite3_hard_heap_limit64(-1);
                if (sqlite_heap.before == 0 || sqlite_heap.before > most)
                        sqlite3_hard_heap_limit64(most);
        }
        pthread_mutex_unlock(&sqlite_heap.lock);
}

static void sqlite_heap_release(void)
{
        pthread_mutex_lock(&sqlite_heap.lock);
        assert(sqlite_heap.connections > 0);
        if (--sqlite_heap.connections == 0)
                sqlite3_hard_heap_limit64(sqlite_heap.before);
        pthread_mutex_unlock(&sqlite_heap.lock);
}

int lsr_sqlite_open(struct lsr_sqlite *s, struct lsr_scan *scan, bool all)
{
        const char *text;
        bool changing;
        int code, r;

        *s = (struct lsr_sqlite){ .scan = scan };
        if (sqlite3_initialize() != SQLITE_OK)
                return -ENOMEM;
        r = lsr_sqlite_vfs_new(&s->vfs, scan);
        if (r < 0)
                return r;
        if (all)
                lsr_sqlite_vfs_read_all(s->vfs);
        if (lsr_sqlite_vfs_error(s->vfs, &text) < 0)
                return lsr_sqlite_fail(s, SQLITE_IOERR, NULL);
        sqlite_heap_limit();
        s->heap_limited = true;
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
        lsr_sqlite_cursor_close(s);
        sqlite3_close(s->db);
        s->row = NULL;
        s->db = NULL;
        s->vfs = lsr_sqlite_vfs_free(s->vfs);
        if (s->heap_limited)
                sqlite_heap_release();
        s->heap_limited = false;
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
        code = sqlite3_prepare_v2(s->db, sql, -1, ret_stmt, NULL);
        sqlite3_free(sql);
        return code;
}

int lsr_sqlite_prepare_str(struct lsr_sqlite *s, sqlite3_str *sql, sqlite3_stmt **ret_stmt)
{
        char *text = sqlite3_str_finish(sql);
        int code = text ? sqlite3_prepare_v2(s->db, text, -1, ret_stmt, NULL) : SQLITE_NOMEM;

        sqlite3_free(text);
        return code;
}

int lsr_sqlite_step(struct lsr_sqlite *s, sqlite3_stmt *stmt, const char *what)
{
        int code = sqlite3_step(stmt);

        if (code == SQLITE_ROW)
                return 1;
        return code == SQLITE_DONE ? 0 : lsr_sqlite_fail(s, code, what);
}

/* --- the driver ---------------------------------------------------------------- */

static void sqlite_close(struct lsr_scan *scan)
{
        lsr_sqlite_close(scan->state);
        free(scan->state);
        scan->state = NULL;
}

/*
 * The connection, which the first request opens: that takes longer than to read a small member.  0, or a negative errno
 * with trouble reported.
 */
static int sqlite_begin(struct lsr_scan *scan, bool all, struct lsr_sqlite **ret_s)
{
        struct lsr_sqlite *s = scan->state;
        int r = 0;

        if (!s) {
                scan->state = s = lsr_xmalloc(sizeof(*s));
                r = lsr_sqlite_open(s, scan, all);
                if (r == 0)
                        r = lsr_sqlite_is_archive(s);
                s->archive = r > 0;
        }
        s->scan = scan;
        s->steps = 0;
        s->looked = 0;
        s->failed = false;
        *ret_s = s;
        return r < 0 ? r : 0;
}

/*
 * One that has failed would explain all that follows with that, and a page that SQLite has found damaged when it came
 * into the cache is taken for sound when it is looked at again: the next request has another.  But for an archive,
 * whose damage is told once.
 */
static int sqlite_end(struct lsr_scan *scan, int r)
{
        const struct lsr_sqlite *s = scan->state;
        const char *text;

        if (r < 0 || (s->failed && !s->archive) || lsr_sqlite_vfs_error(s->vfs, &text) < 0)
                sqlite_close(scan);
        return r;
}

static int sqlite_list(struct lsr_scan *scan, const struct lsr_wanted *wanted)
{
        struct lsr_sqlite *s;
        int r = sqlite_begin(scan, !wanted, &s);

        /* No statement may be at a row while functions are made for those of a listing. */
        if (r == 0)
                lsr_sqlite_cursor_close(s);
        if (r == 0)
                r = (s->archive ? lsr_sqlite_archive_scan : lsr_sqlite_tables_scan)(s, wanted);
        return sqlite_end(scan, r);
}

static int sqlite_scan(struct lsr_scan *scan)
{
        return sqlite_list(scan, NULL);
}

static int sqlite_read_one(void *ctx, const struct lsr_member *m, const struct lsr_sink *sink)
{
        struct lsr_sqlite *s = ctx;

        if (!s->archive)
                return lsr_sqlite_tables_read(s, m, sink);
        if (S_ISDIR(m->meta.mode))
                return -EISDIR;
        if (m->meta.known & LSR_FIELD_TYPE && !S_ISREG(m->meta.mode))
                return -EOPNOTSUPP;
        return lsr_sqlite_archive_read(s, m, sink);
}

static int sqlite_read(struct lsr_scan *scan, const struct lsr_member *m, const struct lsr_sink *sink)
{
        struct lsr_sqlite *s;
        int r = sqlite_begin(scan, true, &s);

        return sqlite_end(scan, r == 0 ? sqlite_read_one(s, m, sink) : r);
}

static int sqlite_read_many(struct lsr_scan *scan, const struct lsr_many *many)
{
        struct lsr_sqlite *s;
        int r = sqlite_begin(scan, true, &s);

        return sqlite_end(scan, r == 0 ? lsr_many_each(many, s, sqlite_read_one) : r);
}

static int sqlite_check(struct lsr_scan *scan, struct lsr_checked *ret_checked)
{
        struct lsr_sqlite *s;
        int r = sqlite_begin(scan, true, &s);

        if (r == 0)
                lsr_sqlite_cursor_close(s);
        if (r == 0)
                r = s->archive ? 1 : lsr_sqlite_tables_check(s, ret_checked);
        return sqlite_end(scan, r);
}

const struct lsr_format lsr_format_sqlite = {
        .name = "sqlite",
        .suffixes = (const char *const[]){ ".sqlar", ".sqlite", ".sqlite3", ".db", NULL },
        .needs_random = true,
        .probe = sqlite_probe,
        .scan = sqlite_scan,
        .list = sqlite_list,
        .read = sqlite_read,
        .read_many = sqlite_read_many,
        .check = sqlite_check,
        .close = sqlite_close,
};
