/*
 * read - values as content
 *
 * A value of a table with rowids goes out in pieces, however large it is.
 * This returns bytes as they are stored, so text of a database in UTF-16,
 * computed values, and values of tables without rowid are read whole, within
 * SQLite's limit of memory.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/utf8.h"
#include "formats/filter/inflate.h"
#include "formats/sqlite/sqlite.h"

#define READ_CHUNK ((size_t)256 << 10)
#define READ_WHOLE_MAX (16 << 20) /* content of this size is inflated in one go */

/* Columns of lsr_sqlite.row. */
enum { READ_SIZE, READ_IS_THERE, READ_DATA };

/* --- a blob as an input --------------------------------------------------------- */

struct read_blob {
        struct lsr_input in;
        struct lsr_sqlite *s;
        sqlite3_blob *blob;
        uint64_t next;
        uint8_t *chunk;
};

static ssize_t blob_next(struct lsr_input *in, const uint8_t **ret_data)
{
        struct read_blob *b = (struct read_blob *)in;
        size_t n = b->in.size - b->next < READ_CHUNK ? (size_t)(b->in.size - b->next) : READ_CHUNK;
        int code;

        if (n == 0)
                return 0;
        if (!b->chunk)
                b->chunk = lsr_xmalloc(n);
        code = sqlite3_blob_read(b->blob, b->chunk, (int)n, (int)b->next);
        if (code != SQLITE_OK)
                return lsr_sqlite_fail(b->s, code, NULL);
        b->next += n;
        *ret_data = b->chunk;
        return (ssize_t)n;
}

static void blob_free(struct lsr_input *in)
{
        struct read_blob *b = (struct read_blob *)in;

        sqlite3_blob_close(b->blob);
        free(b->chunk);
        free(b);
}

static const struct lsr_input_ops blob_ops = { .next = blob_next, .free = blob_free };

int lsr_sqlite_blob(struct lsr_sqlite *s, const char *table, const char *column, int64_t rowid,
                    struct lsr_input **ret_input)
{
        sqlite3_blob *blob;
        struct read_blob *b;
        int code;

        code = sqlite3_blob_open(s->db, "main", table, column, rowid, 0, &blob);
        if (code != SQLITE_OK) {
                sqlite3_blob_close(blob);
                return code;
        }
        b = lsr_input_alloc(sizeof(*b), &blob_ops);
        b->in.size = (uint64_t)sqlite3_blob_bytes(blob);
        b->s = s;
        b->blob = blob;
        *ret_input = &b->in;
        return SQLITE_OK;
}

int lsr_sqlite_copy(struct lsr_input *in, uint64_t max, const struct lsr_sink *sink)
{
        for (;;) {
                const uint8_t *data;
                ssize_t got = lsr_input_peek(in, 1, &data);
                int r;

                if (got <= 0)
                        return (int)got;
                if ((uint64_t)got > max - in->at)
                        return -EBADMSG;
                r = sink->write(sink->ctx, data, (size_t)got);
                if (r < 0)
                        return r;
                lsr_input_take(in, (size_t)got);
        }
}

/* --- content of an archive ------------------------------------------------------ */

static int read_whole(const void *packed, size_t packed_size, size_t size, const struct lsr_sink *sink)
{
        uint8_t *out = lsr_xmalloc(size);
        size_t used, made;
        int r = lsr_inflate_buffer(LSR_DEFLATE_ZLIB, packed, packed_size, out, size, &used, &made);

        if (r == -ENOSPC || (r == 0 && made != size))
                r = -EBADMSG;
        if (r == 0)
                r = sink->write(sink->ctx, out, size);
        free(out);
        return r;
}

/* Takes @in over. */
static int read_inflated(struct lsr_input *in, uint64_t size, const struct lsr_sink *sink)
{
        struct lsr_input *inflated = NULL;
        int r = lsr_inflate_open(&inflated, in, LSR_DEFLATE_ZLIB);

        if (r < 0) {
                lsr_input_free(in);
                return r;
        }
        r = lsr_sqlite_copy(inflated, size, sink);
        if (r == 0 && inflated->at != size)
                r = -EBADMSG;
        lsr_input_free(inflated);
        return r;
}

/* Is @size, what the row says, what @packed bytes can hold? */
static bool read_plausible(int64_t size, uint64_t packed)
{
        return size <= 0 || ((uint64_t)size >= packed && (uint64_t)size / LSR_INFLATE_RATIO_MAX <= packed);
}

static bool read_stored(int64_t size, uint64_t packed)
{
        return size <= 0 || (uint64_t)size == packed;
}

/* What came along with the row.  Text has never been compressed. */
static int read_row(struct lsr_sqlite *s, int64_t size, uint64_t *ret_packed, const struct lsr_sink *sink)
{
        sqlite3_stmt *stmt = s->row;
        bool text = sqlite3_column_type(stmt, READ_DATA) == SQLITE_TEXT;
        const void *data = text ? (const void *)sqlite3_column_text(stmt, READ_DATA)
                                : sqlite3_column_blob(stmt, READ_DATA);
        size_t packed = (size_t)sqlite3_column_bytes(stmt, READ_DATA);

        *ret_packed = packed;
        if (!data && lsr_sqlite_no_memory(s))
                return lsr_sqlite_fail(s, SQLITE_NOMEM, "table sqlar");
        if (!read_plausible(size, packed))
                return -EBADMSG;
        if (read_stored(size, packed))
                return packed > 0 ? sink->write(sink->ctx, data, packed) : 0;
        return text ? -EBADMSG : read_whole(data, packed, (size_t)size, sink);
}

/* A large value. */
static int read_pieces(struct lsr_sqlite *s, int64_t rowid, int64_t size, uint64_t *ret_packed,
                       const struct lsr_sink *sink)
{
        struct lsr_input *in;
        int r = lsr_sqlite_blob(s, "sqlar", "data", rowid, &in);

        if (r != SQLITE_OK)
                return lsr_sqlite_fail(s, r, "table sqlar");
        *ret_packed = in->size;
        if (read_plausible(size, in->size) && !read_stored(size, in->size))
                return read_inflated(in, (uint64_t)size, sink);
        r = read_plausible(size, in->size) ? lsr_sqlite_copy(in, in->size, sink) : -EBADMSG;
        lsr_input_free(in);
        return r;
}

int lsr_sqlite_archive_read(struct lsr_sqlite *s, const struct lsr_member *m, const struct lsr_sink *sink)
{
        int64_t rowid = (int64_t)m->position;
        uint64_t packed = 0;
        int64_t size;
        int r = SQLITE_OK;

        if (!s->row)
                r = lsr_sqlite_prepare(s, &s->row,
                                       "SELECT sz,typeof(data) IN ('blob','text'),"
                                       "CASE WHEN typeof(data)='blob' AND length(data)<=%d AND sz<=%d%s THEN data END "
                                       "FROM sqlar WHERE %s=?1",
                                       LSR_SQLITE_ROW_MAX, READ_WHOLE_MAX, s->utf16 ? " OR typeof(data)='text'" : "",
                                       s->rowid);
        if (r != SQLITE_OK)
                return lsr_sqlite_fail(s, r, "table sqlar");
        sqlite3_bind_int64(s->row, 1, rowid);
        r = lsr_sqlite_step(s, s->row, "table sqlar");
        if (r <= 0) {
                sqlite3_reset(s->row);
                return r < 0 ? r : -ENOENT;
        }
        size = sqlite3_column_int64(s->row, READ_SIZE);
        if (!sqlite3_column_int(s->row, READ_IS_THERE))
                r = size > 0 ? -ENODATA : 0;
        else if (sqlite3_column_type(s->row, READ_DATA) != SQLITE_NULL)
                r = read_row(s, size, &packed, sink);
        else
                r = read_pieces(s, rowid, size, &packed, sink);
        sqlite3_reset(s->row);
        if (r == -ENODATA) {
                lsr_scan_trouble(s->scan, -EBADMSG, "'%s' has no content", m->path);
                return -EBADMSG;
        }
        if (r == -EBADMSG)
                lsr_scan_trouble(s->scan, r, "%s bytes of '%s' do not inflate to %s", lsr_grouped(packed), m->path,
                                 lsr_grouped((uint64_t)size));
        /* zlib has a checksum, what is stored has none. */
        s->scan->verified = r == 0 && !read_stored(size, packed);
        return r;
}

/* --- a row as JSON -------------------------------------------------------------- */

void lsr_sqlite_json(struct lsr_out *out, const char *name, sqlite3_stmt *stmt, int column)
{
        int type = sqlite3_column_type(stmt, column);
        const uint8_t *data = type == SQLITE_BLOB ? sqlite3_column_blob(stmt, column)
                                                  : sqlite3_column_text(stmt, column);
        size_t n = (size_t)sqlite3_column_bytes(stmt, column);
        bool bytes = type == SQLITE_BLOB || (type == SQLITE_TEXT && !lsr_utf8_valid(data, n));

        lsr_out_putc(out, '"');
        lsr_json_text(out, name, strlen(name));
        lsr_out_puts(out, bytes ? "_b64\":" : "\":");
        if (bytes || type == SQLITE_TEXT) {
                lsr_out_putc(out, '"');
                if (bytes)
                        lsr_json_base64(out, data, n);
                else
                        lsr_json_text(out, data, n);
                lsr_out_putc(out, '"');
        } else if (type == SQLITE_NULL) {
                lsr_out_puts(out, "null");
        } else if (data && strstr((const char *)data, "Inf")) {
                lsr_out_puts(out, data[0] == '-' ? "-1e999" : "1e999");
        } else {
                lsr_out_put(out, data, n);
        }
}
