/*
 * vfs - a file system of three files that lives in a scan's inputs
 *
 *      db          scan->input
 *      db-wal      the write-ahead log beside it
 *      db-journal  the rollback journal beside it
 *
 * Without a log and a journal the database is declared immutable: SQLite then
 * takes no lock and looks for nothing.  With a log it reads that one under the
 * exclusive locking mode, which keeps the log's index on the heap and needs no
 * shared memory file.  With a journal it undoes the transaction that was cut
 * short, and so writes to the database: those pages go to an overlay, which
 * exists in memory only.  A listing therefore never shows a stale or a half
 * written state, and nothing is ever written.  What is written to while it is
 * read, source/bundle-load.c reads again.
 *
 * SQLite reads page by page.  Reads go through a few windows of the file; one
 * that is followed by the next piece doubles, so that a scan makes few large
 * reads and hopping from leaf to leaf around the content makes small ones.
 *
 * A database that is cached, and needs neither rollback nor log, is mapped: of
 * an archive SQLite needs half of all pages, and a few bytes of each.  Without
 * shared memory for logs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/hash.h"
#include "formats/sqlite/plain.h"
#include "formats/sqlite/sqlite.h"

#define VFS_WINDOWS 4u
#define VFS_WINDOW_MIN ((size_t)16 << 10)
#define VFS_WINDOW_FIRST ((size_t)64 << 10) /* the schema and small databases in one read */
#define VFS_WINDOW_MAX ((size_t)256 << 10)
#define VFS_ALIGN UINT64_C(4096)
#define VFS_ALIGN_SPARSE UINT64_C(512) /* the smallest page */
#define VFS_FETCHES_HELD 1024u /* of each kind, from a map, before their pages are let go: each may bring 64 KiB */
#define VFS_LEAF 0x0d          /* the first byte of a leaf of a table, sqlite.org/fileformat2.html 1.6 */
#define VFS_PATH_MAX 512       /* as SQLite's own: a longer name of a super-journal would be taken for none */

/* The end of a journal that belongs to a transaction over several databases, sqlite.org/fileformat2.html 3. */
static const uint8_t vfs_journal_magic[8] = { 0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7 };

struct vfs_window {
        uint8_t *data;
        size_t cap;
        size_t len;
        uint64_t offset;
        uint64_t used; /* when, by the clock of its side */
};

/* One of the three files. */
struct vfs_side {
        struct lsr_input *input; /* NULL: it does not exist */
        uint64_t size;
        uint64_t stored; /* of it, bytes that the input has; zeros follow */
        uint64_t clock;
        bool sparse; /* what is wanted lies here and there */
        struct vfs_window windows[VFS_WINDOWS];
};

enum vfs_which { VFS_MAIN, VFS_WAL, VFS_JOURNAL, VFS_SIDES };

/* Pages that SQLite looked at and that were not let go. */
struct vfs_held {
        unsigned n;
        uint64_t from;
        uint64_t to;
};

struct vfs_page {
        uint64_t number; /* counted from 1 */
        uint8_t *data;
};

struct lsr_sqlite_vfs {
        sqlite3_vfs base;
        char name[32];
        struct vfs_side sides[VFS_SIDES];
        const uint8_t *map;     /* of the database, or NULL */
        struct vfs_held leaves; /* of tables: a scan goes from one to the next */
        struct vfs_held others;
        /* Pages of the database that a rollback has restored. */
        struct vfs_page *pages;
        size_t n_pages;
        size_t cap_pages;
        struct lsr_hash_table page_table; /* from numbers of pages to places in pages, less 1 */
        uint64_t page_size;
        int error;
        const char *error_text;
};

struct vfs_file {
        sqlite3_file base;
        struct lsr_sqlite_vfs *vfs;
        enum vfs_which which;
};

static const char *const vfs_names[VFS_SIDES] = { "db", "db-wal", "db-journal" };
static const int vfs_kinds[VFS_SIDES] = { SQLITE_OPEN_MAIN_DB, SQLITE_OPEN_WAL, SQLITE_OPEN_MAIN_JOURNAL };

static int vfs_fail(struct lsr_sqlite_vfs *v, int error, const char *text, int code)
{
        if (!v->error) {
                v->error = error;
                v->error_text = text;
        }
        return code;
}

/* --- windows ------------------------------------------------------------------ */

/*
 * A window that has the byte at @offset, of @n bytes that are wanted: 0, 1 at an early end of the input, or a
 * negative errno.
 */
static int vfs_window(struct vfs_side *s, uint64_t offset, size_t n, struct vfs_window **ret_window)
{
        struct vfs_window *oldest = &s->windows[0], *before = NULL;
        uint64_t align = s->sparse ? VFS_ALIGN_SPARSE : VFS_ALIGN, start = offset & ~(align - 1);
        size_t len = start ? VFS_WINDOW_MIN : VFS_WINDOW_FIRST;
        ssize_t got;

        for (unsigned i = 0; i < VFS_WINDOWS; i++) {
                struct vfs_window *w = &s->windows[i];
                uint64_t end = w->offset + w->len;

                if (offset >= w->offset && offset < end) {
                        w->used = ++s->clock;
                        *ret_window = w;
                        return 0;
                }
                if (w->len && start >= end - end % align && start - (end - end % align) < 4 * align)
                        before = w;
                if (w->used < oldest->used)
                        oldest = w;
        }
        if (start && s->sparse)
                len = n > align ? n : (size_t)align;
        if (before) {
                oldest = before;
                len = before->len < VFS_WINDOW_MAX / 2 ? before->len * 2 : VFS_WINDOW_MAX;
        }
        /* The window before it may be of a time when little was read in each place. */
        if (len < offset - start + n)
                len = (size_t)(offset - start) + n;
        if (len > s->stored - start)
                len = (size_t)(s->stored - start);
        lsr_renew(&oldest->data, len, &oldest->cap);
        oldest->len = 0;
        got = lsr_input_read_at(s->input, oldest->data, len, start);
        if (got < 0)
                return (int)got;
        oldest->offset = start;
        oldest->len = (size_t)got;
        oldest->used = ++s->clock;
        if (start + (uint64_t)got <= offset)
                return 1;
        *ret_window = oldest;
        return 0;
}

/* Bytes that the input has, all of them within s->stored. */
static int vfs_read_stored(struct lsr_sqlite_vfs *v, struct vfs_side *s, uint8_t *buf, size_t n, uint64_t offset)
{
        if (v->map && s == &v->sides[VFS_MAIN]) {
                memcpy(buf, v->map + offset, n);
                return SQLITE_OK;
        }
        while (n > 0) {
                struct vfs_window *w = NULL;
                size_t part;
                int r = vfs_window(s, offset, n, &w);

                if (r)
                        return vfs_fail(v, r < 0 ? r : -EIO, r < 0 ? NULL : "it shrank while it was read",
                                        SQLITE_IOERR_READ);
                part = w->len - (size_t)(offset - w->offset);
                if (part > n)
                        part = n;
                memcpy(buf, w->data + (offset - w->offset), part);
                buf += part;
                offset += part;
                n -= part;
        }
        return SQLITE_OK;
}

/* --- overlay ------------------------------------------------------------------ */

static const struct vfs_page *vfs_page(const struct lsr_sqlite_vfs *v, uint64_t number)
{
        uint32_t hash = lsr_hash(0, &number, sizeof(number));

        LSR_HASH_FOREACH(&v->page_table, hash, at)
        {
                if (v->pages[at - 1].number == number)
                        return &v->pages[at - 1];
        }
        return NULL;
}

static const struct vfs_page *vfs_add_page(struct lsr_sqlite_vfs *v, uint64_t number)
{
        lsr_grow(&v->pages, v->n_pages, &v->cap_pages);
        v->pages[v->n_pages++] = (struct vfs_page){ number, lsr_xmalloc((size_t)v->page_size) };
        lsr_hash_add(&v->page_table, lsr_hash(0, &number, sizeof(number)), (uint32_t)v->n_pages);
        return &v->pages[v->n_pages - 1];
}

static int vfs_write_main(struct lsr_sqlite_vfs *v, const void *buf, size_t n, uint64_t offset)
{
        struct vfs_side *s = &v->sides[VFS_MAIN];
        const struct vfs_page *page;

        if (!v->page_size)
                v->page_size = n;
        if (n != v->page_size || offset % n)
                return vfs_fail(v, -EBUSY, "its journal cannot be rolled back", SQLITE_IOERR_WRITE);
        if ((v->n_pages + 1) * v->page_size > lsr_limit(LSR_LIMIT_SQL_JOURNAL))
                return vfs_fail(
                        v, -EBUSY,
                        "its journal is too large to be rolled back in memory (--limit=sql-journal=... raises it)",
                        SQLITE_IOERR_WRITE);
        page = vfs_page(v, offset / n + 1);
        if (!page)
                page = vfs_add_page(v, offset / n + 1);
        memcpy(page->data, buf, n);
        if (s->size < offset + n)
                s->size = offset + n;
        return SQLITE_OK;
}

/* Put restored pages over what was read. */
static void vfs_overlay(const struct lsr_sqlite_vfs *v, uint8_t *buf, size_t n, uint64_t offset)
{
        while (n > 0) {
                uint64_t in_page = offset % v->page_size;
                size_t part = (size_t)(v->page_size - in_page);
                const struct vfs_page *page = vfs_page(v, offset / v->page_size + 1);

                if (part > n)
                        part = n;
                if (page)
                        memcpy(buf, page->data + in_page, part);
                buf += part;
                offset += part;
                n -= part;
        }
}

/* --- methods of a file -------------------------------------------------------- */

static int vfs_close(sqlite3_file *file)
{
        file->pMethods = NULL;
        return SQLITE_OK;
}

static int vfs_read(sqlite3_file *file, void *buf, int n, sqlite3_int64 at)
{
        struct vfs_file *f = (struct vfs_file *)file;
        struct vfs_side *s = &f->vfs->sides[f->which];
        uint64_t offset = (uint64_t)at;
        size_t want = (size_t)n, have, stored;
        int r;

        have = offset >= s->size ? 0 : s->size - offset < want ? (size_t)(s->size - offset) : want;
        stored = offset >= s->stored ? 0 : s->stored - offset < have ? (size_t)(s->stored - offset) : have;
        memset((uint8_t *)buf + stored, 0, want - stored);
        r = vfs_read_stored(f->vfs, s, buf, stored, offset);
        if (r != SQLITE_OK)
                return r;
        if (f->which == VFS_MAIN && f->vfs->n_pages)
                vfs_overlay(f->vfs, buf, have, offset);
        return have < want ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

/* Once the rollback is over, the journal is emptied, cut off or deleted: it is no more. */
static void vfs_drop_journal(struct lsr_sqlite_vfs *v)
{
        v->sides[VFS_JOURNAL].input = NULL;
        v->sides[VFS_JOURNAL].size = v->sides[VFS_JOURNAL].stored = 0;
}

static int vfs_write(sqlite3_file *file, const void *buf, int n, sqlite3_int64 offset)
{
        struct vfs_file *f = (struct vfs_file *)file;

        switch (f->which) {
        case VFS_MAIN:
                return vfs_write_main(f->vfs, buf, (size_t)n, (uint64_t)offset);
        case VFS_JOURNAL:
                vfs_drop_journal(f->vfs);
                return SQLITE_OK;
        default:
                return vfs_fail(f->vfs, -EBUSY, "its write-ahead log cannot be followed", SQLITE_READONLY);
        }
}

static int vfs_truncate(sqlite3_file *file, sqlite3_int64 size)
{
        struct vfs_file *f = (struct vfs_file *)file;
        struct vfs_side *s = &f->vfs->sides[f->which];

        if (f->which == VFS_JOURNAL) {
                vfs_drop_journal(f->vfs);
                return SQLITE_OK;
        }
        if (f->which == VFS_WAL)
                return SQLITE_READONLY;
        s->size = (uint64_t)size;
        if (s->stored > s->size)
                s->stored = s->size;
        return SQLITE_OK;
}

static int vfs_file_size(sqlite3_file *file, sqlite3_int64 *ret_size)
{
        struct vfs_file *f = (struct vfs_file *)file;

        *ret_size = (sqlite3_int64)f->vfs->sides[f->which].size;
        return SQLITE_OK;
}

static int vfs_characteristics(sqlite3_file *file)
{
        struct vfs_file *f = (struct vfs_file *)file;

        return lsr_sqlite_vfs_changing(f->vfs) ? 0 : SQLITE_IOCAP_IMMUTABLE;
}

/* Leaves that a scan has left are let go as a piece. */
static void vfs_hold(struct lsr_sqlite_vfs *v, uint64_t at, uint64_t n)
{
        struct vfs_held *held = v->map[at] == VFS_LEAF ? &v->leaves : &v->others;

        if (held->n == 0 || at < held->from)
                held->from = at;
        if (held->n == 0 || at + n > held->to)
                held->to = at + n;
        if (++held->n < VFS_FETCHES_HELD)
                return;
        lsr_input_map_rest(v->sides[VFS_MAIN].input, held->from, held->to - held->from);
        held->n = 0;
}

/* Both sides of a map: a pointer stays good as long as there is the input. */
static int vfs_fetch(sqlite3_file *file, sqlite3_int64 at, int n, void **ret_page)
{
        struct vfs_file *f = (struct vfs_file *)file;
        struct lsr_sqlite_vfs *v = f->vfs;
        const struct vfs_side *s = &v->sides[f->which];

        *ret_page = NULL;
        if (f->which != VFS_MAIN || !v->map || (uint64_t)at > s->size || s->size - (uint64_t)at < (uint64_t)n)
                return SQLITE_OK;
        vfs_hold(v, (uint64_t)at, (uint64_t)n);
        *ret_page = (void *)(v->map + at);
        return SQLITE_OK;
}

static int vfs_unfetch(sqlite3_file *file, sqlite3_int64 at, void *page)
{
        return SQLITE_OK;
}

static const sqlite3_io_methods vfs_methods = {
        .iVersion = 3,
        .xClose = vfs_close,
        .xRead = vfs_read,
        .xWrite = vfs_write,
        .xTruncate = vfs_truncate,
        .xFileSize = vfs_file_size,
        .xDeviceCharacteristics = vfs_characteristics,
        .xFetch = vfs_fetch,
        .xUnfetch = vfs_unfetch,
        LSR_SQLITE_PLAIN_FILE,
};

/* --- methods of the file system ----------------------------------------------- */

static struct lsr_sqlite_vfs *vfs_of(sqlite3_vfs *base)
{
        return base->pAppData;
}

static int vfs_open(sqlite3_vfs *base, const char *name, sqlite3_file *file, int flags, int *ret_flags)
{
        struct vfs_file *f = (struct vfs_file *)file;

        /* Temporary files have no name; statement journals and the like have no place here either. */
        f->base.pMethods = NULL;
        if (!name)
                return SQLITE_CANTOPEN;
        for (unsigned i = 0; i < VFS_SIDES; i++) {
                if (!(flags & vfs_kinds[i]) || strcmp(name, vfs_names[i]) != 0)
                        continue;
                /* A database that is in the mode of logs and has none: one without a byte. */
                if (!vfs_of(base)->sides[i].input && i != VFS_WAL)
                        break;
                f->vfs = vfs_of(base);
                f->which = (enum vfs_which)i;
                f->base.pMethods = &vfs_methods;
                if (ret_flags)
                        *ret_flags = i == VFS_WAL ? SQLITE_OPEN_READONLY : flags;
                return SQLITE_OK;
        }
        return SQLITE_CANTOPEN;
}

static int vfs_delete(sqlite3_vfs *base, const char *name, int sync)
{
        if (strcmp(name, vfs_names[VFS_JOURNAL]) != 0)
                return SQLITE_IOERR_DELETE;
        vfs_drop_journal(vfs_of(base));
        return SQLITE_OK;
}

static int vfs_access(sqlite3_vfs *base, const char *name, int flags, int *ret_yes)
{
        for (unsigned i = 0; i < VFS_SIDES; i++)
                if (strcmp(name, vfs_names[i]) == 0) {
                        *ret_yes = vfs_of(base)->sides[i].input != NULL;
                        return SQLITE_OK;
                }
        return SQLITE_IOERR_ACCESS;
}

static int vfs_time(sqlite3_vfs *base, double *ret_days)
{
        struct timespec now = lsr_clock_now();

        *ret_days = 2440587.5 + ((double)now.tv_sec + (double)now.tv_nsec / 1e9) / 86400.0;
        return SQLITE_OK;
}

/* --- outside ------------------------------------------------------------------ */

static void vfs_take_input(struct vfs_side *s, struct lsr_input *input)
{
        /* An empty log or journal says nothing. */
        if (!input || input->size == 0)
                return;
        s->input = input;
        s->size = s->stored = input->size;
}

/* Whether a transaction over several databases was committed, only another file could say. */
static int vfs_check_journal(struct lsr_sqlite_vfs *v)
{
        struct vfs_side *s = &v->sides[VFS_JOURNAL];
        uint8_t head[sizeof(vfs_journal_magic)], tail[sizeof(vfs_journal_magic)];

        if (s->size <= sizeof(tail))
                return 0;
        if (vfs_read_stored(v, s, head, sizeof(head), 0) != SQLITE_OK ||
            vfs_read_stored(v, s, tail, sizeof(tail), s->size - sizeof(tail)) != SQLITE_OK)
                return v->error;
        if (memcmp(head, vfs_journal_magic, sizeof(head)) == 0 && memcmp(tail, vfs_journal_magic, sizeof(tail)) == 0) {
                vfs_fail(v, -EBUSY, "its journal belongs to a transaction over several databases", 0);
                return v->error;
        }
        return 0;
}

int lsr_sqlite_vfs_new(struct lsr_sqlite_vfs **ret_vfs, const struct lsr_scan *scan)
{
        struct lsr_sqlite_vfs *v;

        if (scan->input->size == LSR_INPUT_UNKNOWN || !lsr_input_random(scan->input))
                return -ESPIPE;
        v = lsr_xmalloc(sizeof(*v));
        *v = (struct lsr_sqlite_vfs){
                .base = {
                        .iVersion = 1,
                        .szOsFile = sizeof(struct vfs_file),
                        .mxPathname = VFS_PATH_MAX,
                        .pAppData = v,
                        .xOpen = vfs_open,
                        .xDelete = vfs_delete,
                        .xAccess = vfs_access,
                        .xCurrentTime = vfs_time,
                        LSR_SQLITE_PLAIN_VFS,
                },
        };
        /* Its address is a name that no other has at the same time. */
        snprintf(v->name, sizeof(v->name), "lsr-%p", (void *)v);
        v->base.zName = v->name;
        v->sides[VFS_MAIN].sparse = true;
        vfs_take_input(&v->sides[VFS_MAIN], scan->input);
        vfs_take_input(&v->sides[VFS_WAL], scan->companions[LSR_COMPANION_WAL]);
        vfs_take_input(&v->sides[VFS_JOURNAL], scan->companions[LSR_COMPANION_JOURNAL]);
        vfs_check_journal(v);
        if (sqlite3_vfs_register(&v->base, 1) != SQLITE_OK) {
                free(v);
                return -ENOMEM;
        }
        *ret_vfs = v;
        return 0;
}

struct lsr_sqlite_vfs *lsr_sqlite_vfs_free(struct lsr_sqlite_vfs *v)
{
        if (!v)
                return NULL;
        sqlite3_vfs_unregister(&v->base);
        for (unsigned i = 0; i < VFS_SIDES; i++)
                for (unsigned j = 0; j < VFS_WINDOWS; j++)
                        free(v->sides[i].windows[j].data);
        for (size_t i = 0; i < v->n_pages; i++)
                free(v->pages[i].data);
        free(v->pages);
        lsr_hash_free(&v->page_table);
        free(v);
        return NULL;
}

const char *lsr_sqlite_vfs_name(const struct lsr_sqlite_vfs *v)
{
        return v->name;
}

bool lsr_sqlite_vfs_changing(const struct lsr_sqlite_vfs *v)
{
        return v->sides[VFS_WAL].input || v->sides[VFS_JOURNAL].input || v->n_pages;
}

void lsr_sqlite_vfs_map(struct lsr_sqlite_vfs *v)
{
        struct vfs_side *s = &v->sides[VFS_MAIN];

        if (v->map || lsr_sqlite_vfs_changing(v))
                return;
        v->map = lsr_input_map(s->input);
}

void lsr_sqlite_vfs_read_all(struct lsr_sqlite_vfs *v)
{
        v->sides[VFS_MAIN].sparse = false;
        lsr_sqlite_vfs_map(v);
}

const uint8_t *lsr_sqlite_vfs_where(struct lsr_sqlite_vfs *v, uint64_t cold_min, uint64_t *ret_size, bool *ret_cold)
{
        const struct vfs_side *s = &v->sides[VFS_MAIN];

        *ret_size = s->size;
        *ret_cold = !v->map;
        if (v->map || lsr_sqlite_vfs_changing(v) || s->size < cold_min)
                return v->map;
        return lsr_input_map_cold(s->input);
}

bool lsr_sqlite_vfs_page(struct lsr_sqlite_vfs *v, uint64_t offset, uint8_t *buf, size_t n)
{
        struct vfs_side *s = &v->sides[VFS_MAIN];

        if (v->sides[VFS_WAL].input || v->error || offset > s->stored || s->stored - offset < n ||
            vfs_read_stored(v, s, buf, n, offset) != SQLITE_OK)
                return false;
        if (v->n_pages)
                vfs_overlay(v, buf, n, offset);
        return true;
}

uint64_t lsr_sqlite_vfs_size(const struct lsr_sqlite_vfs *v)
{
        uint64_t sum;

        return __builtin_add_overflow(v->sides[VFS_MAIN].size, v->sides[VFS_WAL].size, &sum) ? UINT64_MAX : sum;
}

int lsr_sqlite_vfs_error(const struct lsr_sqlite_vfs *v, const char **ret_text)
{
        *ret_text = v->error_text;
        return v->error;
}
