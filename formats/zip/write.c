/*
 * write - zips as Info-ZIP writes them, members deflated on all cores
 *
 * A member's header goes through the workers together with its content, laid
 * out as the central header it will be; when it comes back, checksum, sizes
 * and offset are filled in and the local header is made from it.  Memory grows
 * with the central headers only.
 *
 * Nothing is ever written twice, so that a pipe gets the same bytes as a file.
 * The sizes of members that come back whole are known before they are written;
 * larger ones have a descriptor after them (4.3.9) and are always deflated, if
 * only as stored blocks, since the end of stored data cannot be found without
 * sizes.
 *
 * Names that are not UTF-8 are stored as they are and not marked; with the owner
 * behind them, stock tools on Unix and formats/zip/name.c give the same bytes back.
 *
 * The local time of 4.4.6 is written in UTC, so that it does not depend on the
 * machine; every reader on Unix prefers the exact time in the extra field.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "formats/filter/crc.h"
#include "formats/drivers.h"
#include "formats/filter/deflate-parallel.h"
#include "formats/writer.h"
#include "formats/zip/zip.h"

#define WRITE_CHUNK ((size_t)1 << 20) /* bytes of central headers */
/* What is streamed from here on may be too long for 32 bits when deflated. */
#define WRITE_LARGE (UINT32_MAX - (UINT64_C(1) << 20))

#define WRITE_UNIX (3 << 8)    /* 4.4.2 */
#define WRITE_VERSION 30       /* of Info-ZIP's zip, whose fields these are */
#define WRITE_DIRECTORY 0x10   /* as FAT marks it, 4.4.15 */
#define WRITE_EXTRA_HEAD 4     /* bytes: id and size, 4.5.1 */
#define WRITE_EXTRA_64 0x0001  /* 4.5.3 */
#define WRITE_EXTRA_UT 0x5455  /* the time, proginfo/extrafld.txt of Info-ZIP's unzip */
#define WRITE_EXTRA_UX 0x7875  /* the owner */
#define WRITE_EXTRA_UT_BYTES 9 /* with the head, and so below */
#define WRITE_EXTRA_UX_BYTES 15
#define WRITE_EXTRA_64_MAX 28

/* Versions needed to extract, 4.4.3. */
enum { NEEDS_STORE = 10, NEEDS_DEFLATE = 20, NEEDS_ZIP64 = 45 };

/* Places in a central header, 4.3.12. */
enum {
        CENTRAL_MADE_BY = 4,
        CENTRAL_NEEDS = 6,
        CENTRAL_FLAGS = 8,
        CENTRAL_METHOD = 10,
        CENTRAL_TIME = 12,
        CENTRAL_CRC = 16,
        CENTRAL_PACKED = 20,
        CENTRAL_SIZE = 24,
        CENTRAL_NAME_LEN = 28,
        CENTRAL_EXTRA_LEN = 30,
        CENTRAL_ATTRIBUTES = 38,
        CENTRAL_OFFSET = 42,
};

struct write_chunk {
        struct write_chunk *next;
        size_t n;
        uint8_t data[];
};

struct write_zip {
        struct lsr_writer w;
        struct lsr_press *press;
        uint8_t *head; /* of the member that is handed in */
        size_t head_cap;
        struct write_chunk *chunks, *chunk; /* first and last */
        size_t chunk_room;
        uint64_t entries;
        /* The member being written: */
        uint8_t *central;
        uint64_t offset;
        uint64_t size; /* so far */
        uint64_t packed;
        uint32_t crc;
        bool deflated;
        bool streamed; /* sizes and checksum come behind it, */
        bool large;    /* and have eight bytes */
};

static uint32_t write_cut(uint64_t n)
{
        return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* --- what a member becomes -------------------------------------------------------- */

/* 4.4.6: from 1980 to 2107, in steps of two seconds. */
static uint32_t write_dos_time(int64_t sec)
{
        const int64_t first = 315532800, last = 4354819198;
        time_t t = (time_t)(sec < first ? first : sec > last ? last : sec);
        struct tm tm;

        gmtime_r(&t, &tm);
        return (uint32_t)(tm.tm_year - 80) << 25 | (uint32_t)(tm.tm_mon + 1) << 21 | (uint32_t)tm.tm_mday << 16 |
               (uint32_t)tm.tm_hour << 11 | (uint32_t)tm.tm_min << 5 | (uint32_t)tm.tm_sec / 2;
}

static uint8_t *write_put_time(uint8_t *p, int64_t sec)
{
        lsr_put_le16(p, WRITE_EXTRA_UT);
        lsr_put_le16(p + 2, WRITE_EXTRA_UT_BYTES - WRITE_EXTRA_HEAD);
        p[4] = 1; /* of modification */
        lsr_put_le32(p + 5, (uint32_t)sec);
        return p + WRITE_EXTRA_UT_BYTES;
}

static uint8_t *write_put_owner(uint8_t *p, uint32_t uid, uint32_t gid)
{
        lsr_put_le16(p, WRITE_EXTRA_UX);
        lsr_put_le16(p + 2, WRITE_EXTRA_UX_BYTES - WRITE_EXTRA_HEAD);
        p[4] = 1; /* version */
        p[5] = sizeof(uid);
        lsr_put_le32(p + 6, uid);
        p[10] = sizeof(gid);
        lsr_put_le32(p + 11, gid);
        return p + WRITE_EXTRA_UX_BYTES;
}

static bool write_is_ascii(const char *name, size_t n)
{
        unsigned char all = 0;

        for (size_t i = 0; i < n; i++)
                all |= (unsigned char)name[i];
        return all < 0x80;
}

static bool write_has_time(const struct lsr_member *m)
{
        return m->meta.sec[LSR_MTIME] >= INT32_MIN && m->meta.sec[LSR_MTIME] <= INT32_MAX;
}

/* The central header, as far as it is known now.  Returns its length. */
static size_t write_head(struct write_zip *z, const struct lsr_member *m, bool utf8)
{
        bool dir = S_ISDIR(m->meta.mode);
        const char *name = m->path_len ? m->path : ".";
        size_t name_len = m->path_len ? m->path_len : 1;
        size_t n = LSR_ZIP_CENTRAL_BYTES + name_len + dir + WRITE_EXTRA_UT_BYTES + WRITE_EXTRA_UX_BYTES;
        uint8_t *p, *extra;

        p = lsr_renew(&z->head, n, &z->head_cap);
        memset(p, 0, LSR_ZIP_CENTRAL_BYTES);
        lsr_put_le32(p, LSR_ZIP_CENTRAL);
        lsr_put_le16(p + CENTRAL_MADE_BY, WRITE_UNIX | WRITE_VERSION);
        lsr_put_le16(p + CENTRAL_NEEDS, dir ? NEEDS_DEFLATE : NEEDS_STORE);
        lsr_put_le16(p + CENTRAL_FLAGS, utf8 && !write_is_ascii(name, name_len) ? LSR_ZIP_UTF8 : 0);
        lsr_put_le32(p + CENTRAL_TIME, write_dos_time(m->meta.sec[LSR_MTIME]));
        lsr_put_le16(p + CENTRAL_NAME_LEN, (uint16_t)(name_len + dir));
        lsr_put_le32(p + CENTRAL_ATTRIBUTES, m->meta.mode << 16 | (dir ? WRITE_DIRECTORY : 0));
        memcpy(p + LSR_ZIP_CENTRAL_BYTES, name, name_len);
        extra = p + LSR_ZIP_CENTRAL_BYTES + name_len;
        if (dir)
                *extra++ = '/';
        p = extra;
        if (write_has_time(m))
                p = write_put_time(p, m->meta.sec[LSR_MTIME]);
        p = write_put_owner(p, m->meta.uid, m->meta.gid);
        lsr_put_le16(z->head + CENTRAL_EXTRA_LEN, (uint16_t)(p - extra));
        return (size_t)(p - z->head);
}

static int write_member(struct lsr_writer *w, const struct lsr_member *m, const struct lsr_extent *extents, size_t n)
{
        struct write_zip *z = (struct write_zip *)w;
        bool utf8 = lsr_utf8_valid(m->path, m->path_len);
        bool link = S_ISLNK(m->meta.mode), dir = S_ISDIR(m->meta.mode);
        int losses = lsr_writer_xattr_losses(m), r;
        size_t head_len;

        if (!S_ISREG(m->meta.mode) && !link && !dir)
                return LSR_LOSS_KIND;
        if (m->path_len + dir > UINT16_MAX)
                return LSR_LOSS_KIND | LSR_LOSS_NAME;
        losses |= write_has_time(m) ? 0 : LSR_LOSS_TIME;
        losses |= m->flags & LSR_MEMBER_HARDLINK ? LSR_LOSS_HARDLINK : 0;
        head_len = write_head(z, m, utf8);
        r = lsr_press_begin(z->press, z->head, head_len, link ? m->target_len : dir ? 0 : m->meta.size, !link);
        if (r == 0 && link)
                r = lsr_press_data(z->press, m->target, m->target_len);
        return r < 0 ? r : losses;
}

static int write_data(struct lsr_writer *w, const void *data, size_t n)
{
        return lsr_press_data(((struct write_zip *)w)->press, data, n);
}

/* --- what is written of it ---------------------------------------------------------- */

static int write_out(void *ctx, const void *data, size_t n)
{
        return lsr_output_write(((struct write_zip *)ctx)->w.out, data, n);
}

/* Room for the central header to come, in memory that stays where it is. */
static uint8_t *write_central_room(struct write_zip *z, size_t n)
{
        if (z->chunk_room < n) {
                size_t room = n < WRITE_CHUNK ? WRITE_CHUNK : n;
                struct write_chunk *chunk = lsr_xmalloc(sizeof(*chunk) + room);

                *chunk = (struct write_chunk){};
                *(z->chunk ? &z->chunk->next : &z->chunks) = chunk;
                z->chunk = chunk;
                z->chunk_room = room;
        }
        return z->chunk->data + z->chunk->n;
}

/* The local header, 4.3.7: with what the central one says so far. */
static int write_local(struct write_zip *z)
{
        uint8_t p[LSR_ZIP_LOCAL_BYTES], sizes[WRITE_EXTRA_HEAD + 16] = {};
        const uint8_t *c = z->central;
        size_t varies = (size_t)lsr_le16(c + CENTRAL_NAME_LEN) + lsr_le16(c + CENTRAL_EXTRA_LEN);
        int r;

        lsr_put_le32(p, LSR_ZIP_LOCAL);
        memcpy(p + 4, c + CENTRAL_NEEDS, CENTRAL_EXTRA_LEN + 2 - CENTRAL_NEEDS);
        if (z->large) {
                /* That the field is there says that sizes in the descriptor have eight bytes. */
                memset(p + 4 + CENTRAL_PACKED - CENTRAL_NEEDS, 0xff, 8);
                lsr_put_le16(p + 4 + CENTRAL_EXTRA_LEN - CENTRAL_NEEDS,
                             (uint16_t)(lsr_le16(c + CENTRAL_EXTRA_LEN) + sizeof(sizes)));
                lsr_put_le16(sizes, WRITE_EXTRA_64);
                lsr_put_le16(sizes + 2, sizeof(sizes) - WRITE_EXTRA_HEAD);
        }
        r = lsr_output_write(z->w.out, p, sizeof(p));
        if (r == 0)
                r = lsr_output_write(z->w.out, c + LSR_ZIP_CENTRAL_BYTES, varies);
        if (r == 0 && z->large)
                r = lsr_output_write(z->w.out, sizes, sizeof(sizes));
        return r;
}

/* 4.3.9 */
static int write_descriptor(struct write_zip *z)
{
        uint8_t p[24];

        lsr_put_le32(p, LSR_ZIP_DESCRIPTOR);
        lsr_put_le32(p + 4, z->crc);
        if (z->large) {
                lsr_put_le64(p + 8, z->packed);
                lsr_put_le64(p + 16, z->size);
                return lsr_output_write(z->w.out, p, 24);
        }
        lsr_put_le32(p + 8, (uint32_t)z->packed);
        lsr_put_le32(p + 12, (uint32_t)z->size);
        return lsr_output_write(z->w.out, p, 16);
}

/* What was not known of the central header, but for the zip64 field. */
static void write_fill(struct write_zip *z)
{
        uint8_t *c = z->central;

        lsr_put_le32(c + CENTRAL_CRC, z->crc);
        lsr_put_le32(c + CENTRAL_PACKED, z->large ? UINT32_MAX : (uint32_t)z->packed);
        lsr_put_le32(c + CENTRAL_SIZE, z->large ? UINT32_MAX : (uint32_t)z->size);
        lsr_put_le32(c + CENTRAL_OFFSET, write_cut(z->offset));
}

/* That field has what is all ones elsewhere, in this order (4.5.3), and the header is complete. */
static void write_close(struct write_zip *z)
{
        const struct {
                bool wide;
                uint64_t value;
        } fields[] = {
                { z->large, z->size },
                { z->large, z->packed },
                { z->offset >= UINT32_MAX, z->offset },
        };
        uint8_t *c = z->central;
        size_t extra_len = lsr_le16(c + CENTRAL_EXTRA_LEN);
        uint8_t *field = c + LSR_ZIP_CENTRAL_BYTES + lsr_le16(c + CENTRAL_NAME_LEN) + extra_len;
        size_t n = 0;

        write_fill(z);
        for (unsigned i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
                if (fields[i].wide) {
                        lsr_put_le64(field + WRITE_EXTRA_HEAD + n, fields[i].value);
                        n += 8;
                }
        if (n > 0) {
                lsr_put_le16(field, WRITE_EXTRA_64);
                lsr_put_le16(field + 2, (uint16_t)n);
                n += WRITE_EXTRA_HEAD;
                lsr_put_le16(c + CENTRAL_EXTRA_LEN, (uint16_t)(extra_len + n));
                lsr_put_le16(c + CENTRAL_NEEDS, NEEDS_ZIP64);
        }
        n += (size_t)(field - c);
        z->chunk->n += n;
        z->chunk_room -= n;
        z->entries++;
}

/* A new central header, and how the member is to be written. */
static void write_start(struct write_zip *z, const struct lsr_press_member *m)
{
        uint8_t *c = write_central_room(z, m->head_len + WRITE_EXTRA_64_MAX);

        memcpy(c, m->head, m->head_len);
        z->central = c;
        z->offset = z->w.out->at;
        z->streamed = !m->last;
        z->large = z->streamed && m->size >= WRITE_LARGE;
        z->deflated = z->streamed || lsr_press_smaller(m->pieces, m->n);
        z->size = z->packed = z->crc = 0;
        if (z->deflated) {
                lsr_put_le16(c + CENTRAL_METHOD, LSR_ZIP_DEFLATE);
                lsr_put_le16(c + CENTRAL_NEEDS, z->large ? NEEDS_ZIP64 : NEEDS_DEFLATE);
        }
        if (z->streamed)
                lsr_put_le16(c + CENTRAL_FLAGS, lsr_le16(c + CENTRAL_FLAGS) | LSR_ZIP_STREAMED);
}

static int write_pieces(struct write_zip *z, const struct lsr_press_member *m)
{
        int r = 0;

        for (size_t i = 0; r == 0 && i < m->n; i++) {
                const struct lsr_press_piece *piece = &m->pieces[i];

                if (z->deflated)
                        r = lsr_press_stream(piece, m->last && i == m->n - 1, z, write_out);
                else
                        r = write_out(z, piece->data, piece->n);
        }
        return r;
}

static int write_put(void *ctx, const struct lsr_press_member *m)
{
        struct write_zip *z = ctx;
        int r = 0;

        if (m->first)
                write_start(z, m);
        for (size_t i = 0; i < m->n; i++) {
                const struct lsr_press_piece *piece = &m->pieces[i];

                z->crc = lsr_crc32_join(z->crc, piece->check, piece->n);
                z->size += piece->n;
                z->packed += z->deflated ? lsr_press_stream_size(piece) : piece->n;
        }
        if (m->first && !z->streamed)
                write_fill(z);
        if (m->first)
                r = write_local(z);
        if (r == 0)
                r = write_pieces(z, m);
        if (r == 0 && m->last && z->streamed)
                r = write_descriptor(z);
        if (m->last)
                write_close(z);
        return r;
}

/* --- the end ------------------------------------------------------------------------ */

/* 4.3.14 and 4.3.15 */
static int write_end64(struct write_zip *z, uint64_t directory, uint64_t size)
{
        uint8_t p[56 + 20] = {}, *locator = p + 56;

        lsr_put_le32(p, LSR_ZIP_END64);
        lsr_put_le64(p + 4, 56 - 12); /* what follows */
        lsr_put_le16(p + 12, WRITE_UNIX | NEEDS_ZIP64);
        lsr_put_le16(p + 14, NEEDS_ZIP64);
        lsr_put_le64(p + 24, z->entries);
        lsr_put_le64(p + 32, z->entries);
        lsr_put_le64(p + 40, size);
        lsr_put_le64(p + 48, directory);
        lsr_put_le32(locator, LSR_ZIP_LOCATOR64);
        lsr_put_le64(locator + 8, directory + size);
        lsr_put_le32(locator + 16, 1); /* of one part */
        return lsr_output_write(z->w.out, p, sizeof(p));
}

/* 4.3.16 */
static int write_end(struct write_zip *z, uint64_t directory, uint64_t size)
{
        uint16_t entries = z->entries < UINT16_MAX ? (uint16_t)z->entries : UINT16_MAX;
        uint8_t p[LSR_ZIP_END_BYTES] = {};
        int r = 0;

        if (entries == UINT16_MAX || size >= UINT32_MAX || directory >= UINT32_MAX)
                r = write_end64(z, directory, size);
        if (r < 0)
                return r;
        lsr_put_le32(p, LSR_ZIP_END);
        lsr_put_le16(p + 8, entries);
        lsr_put_le16(p + 10, entries);
        lsr_put_le32(p + 12, write_cut(size));
        lsr_put_le32(p + 16, write_cut(directory));
        return lsr_output_write(z->w.out, p, sizeof(p));
}

static int write_finish(struct lsr_writer *w)
{
        struct write_zip *z = (struct write_zip *)w;
        int r = lsr_press_finish(z->press);
        uint64_t directory = w->out->at;

        for (struct write_chunk *chunk = z->chunks; r == 0 && chunk; chunk = chunk->next)
                r = lsr_output_write(w->out, chunk->data, chunk->n);
        if (r == 0)
                r = write_end(z, directory, w->out->at - directory);
        return r < 0 ? r : lsr_output_flush(w->out);
}

static void write_free(struct lsr_writer *w)
{
        struct write_zip *z = (struct write_zip *)w;

        lsr_press_free(z->press);
        for (struct write_chunk *chunk = z->chunks, *next; chunk; chunk = next) {
                next = chunk->next;
                free(chunk);
        }
        free(z->head);
        free(z);
}

static int write_open(struct lsr_writer **ret_writer, struct lsr_output *out, const struct lsr_writer_options *options)
{
        static const struct lsr_press_user user = { .checksum = lsr_crc32, .put = write_put };
        struct write_zip *z = lsr_xmalloc(sizeof(*z));
        int r;

        *z = (struct write_zip){ .w = { .kind = &lsr_writer_zip, .out = out } };
        r = lsr_press_new(&z->press, &user, z, options->level, options->threads);
        if (r < 0) {
                free(z);
                return r;
        }
        *ret_writer = &z->w;
        return 0;
}

const struct lsr_writer_kind lsr_writer_zip = {
        .name = "zip",
        .suffixes = (const char *const[]){ ".zip", NULL },
        .level_min = LSR_DEFLATE_LEVEL_MIN,
        .level_max = LSR_DEFLATE_LEVEL_MAX,
        .open = write_open,
        .member = write_member,
        .data = write_data,
        .finish = write_finish,
        .free = write_free,
};
