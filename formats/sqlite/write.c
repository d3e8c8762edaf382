/*
 * write - archives as `sqlite3 -A` makes them (sqlite.org/sqlar.html)
 *
 * One row for each member, with its content in the zlib format where that is
 * smaller.  The workers deflate; SQLite lays out pages in the thread that hands
 * in, which takes a fraction of the time.  It is told that there is no journal,
 * no lock and no other process, and makes one transaction of all.
 *
 * A blob's size must be known before its first byte.  Members in pieces are
 * therefore gathered and then written into a blob of zeros, in place: a large
 * member is in memory once, deflated, and never in one block.
 *
 * The last is an index with all that a listing shows.  It is made when all rows
 * are there, as then its pages follow each other, and listing reads these alone.
 * Another one has the names that are not those of their paths; we write none, and
 * so it says until somebody adds some.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "formats/drivers.h"
#include "formats/filter/deflate-parallel.h"
#include "formats/sqlite/write.h"
#include "formats/writer.h"

/* SQLite's own limit for a row is 1,000,000,000 bytes; the rest is for the name and what else there is. */
#define LSR_SQLAR_MEMBER_MAX UINT64_C(999000000)
#define LSR_SQLAR_NAME_MAX ((size_t)500000)

#define SQLAR_SCHEMA "CREATE TABLE sqlar(name TEXT PRIMARY KEY,mode INT,mtime INT,sz INT,data BLOB)"
#define SQLAR_ZLIB_HEAD "\x78\x9c" /* a window of 32 KiB, the default level */
#define SQLAR_ZLIB_HEAD_BYTES 2
#define SQLAR_ZLIB_BYTES (SQLAR_ZLIB_HEAD_BYTES + 4) /* with the checksum */

/* Parameters of the statement. */
enum { SQLAR_NAME = 1, SQLAR_MODE, SQLAR_MTIME, SQLAR_SZ, SQLAR_DATA };

/* What goes through the press with the content; the name follows, and the target of a link. */
struct sqlar_head {
        int64_t mtime;
        uint32_t mode;
        size_t name_len;
        size_t target_len;
};

struct sqlar_writer {
        struct lsr_writer w;
        struct lsr_press *press;
        struct lsr_sqlite_output *fs;
        sqlite3 *db;
        sqlite3_stmt *insert;
        uint8_t *head; /* of the member that is handed in */
        size_t head_cap;
        uint8_t *joined; /* LSR_PRESS_PIECE: a blob in one block */
        /* Of a member that comes piece by piece: */
        struct lsr_arena gathered; /* its head, and what its pieces need of their content */
        void *first_head;
        struct lsr_press_piece *pieces;
        size_t n_pieces, cap_pieces;
        /* The blob being written: */
        sqlite3_blob *blob;
        int blob_at;
};

static int sqlar_fail(struct sqlar_writer *s, int code)
{
        if (s->w.out->error < 0)
                return s->w.out->error;
        switch (code & 0xff) {
        case SQLITE_OK:
        case SQLITE_DONE:
                return 0;
        case SQLITE_NOMEM:
                return -ENOMEM;
        case SQLITE_TOOBIG:
                return -EFBIG;
        case SQLITE_FULL:
                return -ENOSPC;
        case SQLITE_CONSTRAINT:
                return -EEXIST;
        default:
                return -EIO;
        }
}

/* --- blobs ---------------------------------------------------------------------------- */

static uint32_t sqlar_check(const struct lsr_press_piece *pieces, size_t n)
{
        uint32_t check = 1;

        for (size_t i = 0; i < n; i++)
                check = lsr_adler32_join(check, pieces[i].check, pieces[i].n);
        return htobe32(check);
}

/* Content of one piece: in one block, perhaps where it is. */
static int sqlar_bind_one(struct sqlar_writer *s, const struct lsr_press_piece *piece)
{
        uint32_t check = sqlar_check(piece, 1);
        uint8_t *p = s->joined;

        if (piece->n_packed == 0)
                return sqlite3_bind_blob(s->insert, SQLAR_DATA, piece->data, (int)piece->n, SQLITE_STATIC);
        memcpy(p, SQLAR_ZLIB_HEAD, SQLAR_ZLIB_HEAD_BYTES);
        p += SQLAR_ZLIB_HEAD_BYTES;
        memcpy(p, piece->packed, piece->n_packed);
        p += piece->n_packed;
        memcpy(p, &check, sizeof(check));
        p += sizeof(check);
        return sqlite3_bind_blob(s->insert, SQLAR_DATA, s->joined, (int)(p - s->joined), SQLITE_STATIC);
}

static int sqlar_blob_write(void *ctx, const void *data, size_t n)
{
        struct sqlar_writer *s = ctx;
        int code = sqlite3_blob_write(s->blob, data, (int)n, s->blob_at);

        s->blob_at += (int)n;
        return code;
}

/* Content of several pieces, into the row that was added last. */
static int sqlar_blob(struct sqlar_writer *s, const struct lsr_press_piece *pieces, size_t n, bool smaller)
{
        sqlite3_int64 row = sqlite3_last_insert_rowid(s->db);
        uint32_t check = sqlar_check(pieces, n);
        int code = sqlite3_blob_open(s->db, "main", "sqlar", "data", row, 1, &s->blob);

        s->blob_at = 0;
        if (code == SQLITE_OK && smaller)
                code = sqlar_blob_write(s, SQLAR_ZLIB_HEAD, SQLAR_ZLIB_HEAD_BYTES);
        for (size_t i = 0; code == SQLITE_OK && i < n; i++)
                code = smaller ? lsr_press_stream(&pieces[i], i == n - 1, s, sqlar_blob_write)
                               : sqlar_blob_write(s, pieces[i].data, pieces[i].n);
        if (code == SQLITE_OK && smaller)
                code = sqlar_blob_write(s, &check, sizeof(check));
        if (code == SQLITE_OK)
                code = sqlite3_blob_close(s->blob);
        else
                sqlite3_blob_close(s->blob);
        s->blob = NULL;
        return code;
}

/* --- rows ------------------------------------------------------------------------------ */

static int sqlar_bind_head(struct sqlar_writer *s, const void *from, uint64_t size)
{
        const char *name = (const char *)from + sizeof(struct sqlar_head);
        struct sqlar_head head;
        int64_t sz = (int64_t)size;
        int code;

        memcpy(&head, from, sizeof(head));
        if (S_ISLNK(head.mode))
                sz = -1;
        code = sqlite3_bind_text(s->insert, SQLAR_NAME, name, (int)head.name_len, SQLITE_STATIC);
        if (code == SQLITE_OK)
                code = sqlite3_bind_int64(s->insert, SQLAR_MODE, head.mode);
        if (code == SQLITE_OK)
                code = sqlite3_bind_int64(s->insert, SQLAR_MTIME, head.mtime);
        if (code == SQLITE_OK)
                code = sqlite3_bind_int64(s->insert, SQLAR_SZ, sz);
        if (code != SQLITE_OK)
                return code;
        if (S_ISLNK(head.mode))
                return sqlite3_bind_text(s->insert, SQLAR_DATA, name + head.name_len, (int)head.target_len,
                                         SQLITE_STATIC);
        return S_ISDIR(head.mode) ? sqlite3_bind_null(s->insert, SQLAR_DATA)
                                  : sqlite3_bind_zeroblob(s->insert, SQLAR_DATA, 0);
}

static int sqlar_row(struct sqlar_writer *s, const void *head, uint64_t size, const struct lsr_press_piece *pieces,
                     size_t n)
{
        bool smaller = lsr_press_smaller(pieces, n);
        uint64_t packed = SQLAR_ZLIB_BYTES;
        int code = sqlar_bind_head(s, head, size);

        for (size_t i = 0; i < n; i++)
                packed += lsr_press_stream_size(&pieces[i]);
        if (code == SQLITE_OK && n == 1)
                code = sqlar_bind_one(s, pieces);
        if (code == SQLITE_OK && n > 1)
                code = sqlite3_bind_zeroblob64(s->insert, SQLAR_DATA, smaller ? packed : size);
        if (code == SQLITE_OK)
                code = sqlite3_step(s->insert);
        sqlite3_reset(s->insert);
        if (code == SQLITE_DONE && n > 1)
                code = sqlar_blob(s, pieces, n, smaller);
        return sqlar_fail(s, code);
}

static void *sqlar_copy(struct sqlar_writer *s, const void *data, size_t n)
{
        return memcpy(lsr_arena_alloc(&s->gathered, n), data, n);
}

static void sqlar_gather(struct sqlar_writer *s, const struct lsr_press_piece *from)
{
        struct lsr_press_piece *piece;

        lsr_grow(&s->pieces, s->n_pieces, &s->cap_pieces);
        piece = &s->pieces[s->n_pieces++];
        *piece = *from;
        piece->packed = from->n_packed > 0 ? sqlar_copy(s, from->packed, from->n_packed) : NULL;
        piece->data = from->n_packed > 0 ? NULL : sqlar_copy(s, from->data, from->n);
}

static int sqlar_put(void *ctx, const struct lsr_press_member *m)
{
        struct sqlar_writer *s = ctx;
        int r = 0;

        if (m->first && m->last)
                return sqlar_row(s, m->head, m->size, m->pieces, m->n);
        if (m->first)
                s->first_head = sqlar_copy(s, m->head, m->head_len);
        sqlar_gather(s, m->pieces);
        if (m->last) {
                r = sqlar_row(s, s->first_head, m->size, s->pieces, s->n_pieces);
                lsr_arena_free(&s->gathered);
                s->n_pieces = 0;
        }
        return r;
}

/* --- the writer -------------------------------------------------------------------------- */

static int sqlar_member(struct lsr_writer *w, const struct lsr_member *m, const struct lsr_extent *extents, size_t n)
{
        struct sqlar_writer *s = (struct sqlar_writer *)w;
        bool link = S_ISLNK(m->meta.mode), file = S_ISREG(m->meta.mode);
        struct sqlar_head head = {
                .mtime = m->meta.sec[LSR_MTIME],
                .mode = m->meta.mode,
                .name_len = m->path_len ? m->path_len : 1,
                .target_len = link ? m->target_len : 0,
        };
        size_t head_len = sizeof(head) + head.name_len + head.target_len;
        int r;

        if (!file && !link && !S_ISDIR(m->meta.mode))
                return LSR_LOSS_KIND;
        if (head.name_len + head.target_len > LSR_SQLAR_NAME_MAX)
                return LSR_LOSS_KIND | LSR_LOSS_NAME;
        if (file && m->meta.size > LSR_SQLAR_MEMBER_MAX)
                return LSR_LOSS_KIND | LSR_LOSS_SIZE;
        lsr_renew(&s->head, head_len, &s->head_cap);
        memcpy(s->head, &head, sizeof(head));
        memcpy(s->head + sizeof(head), m->path_len ? m->path : ".", head.name_len);
        if (link)
                memcpy(s->head + sizeof(head) + head.name_len, m->target, head.target_len);
        r = lsr_press_begin(s->press, s->head, head_len, file ? m->meta.size : 0, true);
        if (r < 0)
                return r;
        return lsr_writer_xattr_losses(m) | LSR_LOSS_OWNER | (m->flags & LSR_MEMBER_HARDLINK ? LSR_LOSS_HARDLINK : 0);
}

static int sqlar_data(struct lsr_writer *w, const void *data, size_t n)
{
        return lsr_press_data(((struct sqlar_writer *)w)->press, data, n);
}

static int sqlar_finish(struct lsr_writer *w)
{
        struct sqlar_writer *s = (struct sqlar_writer *)w;
        int r = lsr_press_finish(s->press), code;

        if (r < 0)
                return r;
        sqlite3_finalize(s->insert);
        s->insert = NULL;
        code = sqlite3_exec(s->db, LSR_SQLITE_LIST_SQL "; COMMIT", NULL, NULL, NULL);
        if (code == SQLITE_OK)
                code = sqlite3_close(s->db);
        if (code != SQLITE_OK)
                return sqlar_fail(s, code);
        s->db = NULL;
        return lsr_sqlite_output_flush(s->fs);
}

static void sqlar_free(struct lsr_writer *w)
{
        struct sqlar_writer *s = (struct sqlar_writer *)w;

        lsr_press_free(s->press);
        sqlite3_finalize(s->insert);
        sqlite3_close(s->db);
        lsr_sqlite_output_free(s->fs);
        lsr_arena_free(&s->gathered);
        free(s->pieces);
        free(s->joined);
        free(s->head);
        free(s);
}

static int sqlar_open_database(struct sqlar_writer *s)
{
        int code = sqlite3_open_v2("out", &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                                   lsr_sqlite_output_name(s->fs));

        if (code == SQLITE_OK)
                code = sqlite3_exec(s->db,
                                    "PRAGMA page_size=512; PRAGMA encoding='UTF-8'; PRAGMA journal_mode=OFF;"
                                    "PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; PRAGMA temp_store=MEMORY;"
                                    "PRAGMA cache_size=-8192; BEGIN EXCLUSIVE;" SQLAR_SCHEMA ";" LSR_SQLITE_ODD_SQL,
                                    NULL, NULL, NULL);
        if (code == SQLITE_OK)
                code = sqlite3_prepare_v2(s->db, "INSERT INTO sqlar VALUES(?1,?2,?3,?4,?5)", -1, &s->insert, NULL);
        return sqlar_fail(s, code);
}

static int sqlar_open(struct lsr_writer **ret_writer, struct lsr_output *out, const struct lsr_writer_options *options)
{
        static const struct lsr_press_user user = {
                .check = 1,
                .checksum = lsr_adler32,
                .extra = SQLAR_ZLIB_BYTES,
                .strict = true,
                .put = sqlar_put,
        };
        struct sqlar_writer *s;
        int r;

        if (out->pipe)
                return -ESPIPE;
        if (sqlite3_initialize() != SQLITE_OK)
                return -ENOMEM;
        s = lsr_xmalloc(sizeof(*s));
        *s = (struct sqlar_writer){
                .w = { .kind = &lsr_writer_sqlar, .out = out },
                .joined = lsr_xmalloc(LSR_PRESS_PIECE),
        };
        r = lsr_press_new(&s->press, &user, s, options->level, options->threads);
        if (r == 0)
                r = lsr_sqlite_output_new(&s->fs, out);
        if (r == 0)
                r = sqlar_open_database(s);
        if (r < 0) {
                sqlar_free(&s->w);
                return r;
        }
        *ret_writer = &s->w;
        return 0;
}

const struct lsr_writer_kind lsr_writer_sqlar = {
        .name = "sqlar",
        .suffixes = (const char *const[]){ ".sqlar", NULL },
        .level_min = LSR_DEFLATE_LEVEL_MIN,
        .level_max = LSR_DEFLATE_LEVEL_MAX,
        .needs_file = true,
        .open = sqlar_open,
        .member = sqlar_member,
        .data = sqlar_data,
        .finish = sqlar_finish,
        .free = sqlar_free,
};
