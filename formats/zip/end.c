/*
 * end - finding the directory, APPNOTE 4.3.14 to 4.3.16
 *
 * The end record is found by its signature alone, somewhere in the last 64
 * KiB, and both the comment behind it and the members before it may hold bytes
 * that look like one.  So a first pass takes only records whose comment ends
 * where the file ends, and of several the one that needs no shift of offsets,
 * then the first: the data after it is its comment.  Only if there is none,
 * the last record that leads to a directory counts, as when something was
 * appended.
 *
 * Offsets count from where the zip begins, which is behind the program in a
 * self-extractor.  As the directory ends where the end records begin, its
 * recorded size says where it is, and its recorded offset then how much to add.
 * Some writers put things in between, or have corrected the offsets: a directory
 * at the very place recorded is the second guess.  The third is that bytes were added
 * or lost among the members: the first of them is where it says, and later ones are not.
 *
 * A zip that is cut short right behind a stored zip ends as the inner one
 * does.  Its first bytes distinguish it from a file with a zip appended: they
 * are a local header, and the inner zip does not follow the end of another
 * one.
 */
#include "formats/zip/zip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#define END64_BYTES 56
#define END_LOCATOR_BYTES 20
#define END_COMMENT_MAX 65535
#define END_TAIL_BYTES ((size_t)END64_BYTES + END_LOCATOR_BYTES + LSR_ZIP_END_BYTES + END_COMMENT_MAX)

/* The number of records that are examined: each may cost a few reads. */
#define END_TRIES_MAX 64

#define END_NAME_COMPARED 128u

struct end_tail {
        struct lsr_input *in;
        uint64_t size; /* of the file */
        const uint8_t *data;
        size_t len;
        uint64_t at; /* of data in the file */
};

/* An end record of either kind, 4.3.14 and 4.3.16. */
struct end_record {
        uint64_t at;     /* where the first of the end records is: the directory ends there */
        uint64_t size;   /* of the directory */
        uint64_t offset; /* of it, as recorded */
        uint64_t entries;
        uint32_t disk;
        uint32_t directory_disk;
        uint32_t disks; /* in all, 1 if not said */
        bool wrapped;
        bool encrypted;
};

/* Bytes @offset to @offset + @n.  0; 1: the file does not have them; a negative errno. */
static int end_bytes(const struct end_tail *t, uint64_t offset, uint8_t *buf, size_t n)
{
        ssize_t got;

        if (offset > t->size || t->size - offset < n)
                return 1;
        if (offset >= t->at && offset - t->at <= t->len && t->len - (offset - t->at) >= n) {
                memcpy(buf, t->data + (offset - t->at), n);
                return 0;
        }
        if (!t->in)
                return 1;
        got = lsr_input_read_at(t->in, buf, n, offset);
        if (got < 0)
                return (int)got;
        return (size_t)got < n;
}

static int end_signature(const struct end_tail *t, uint64_t offset, uint32_t signature)
{
        uint8_t buf[4];
        int r = end_bytes(t, offset, buf, sizeof(buf));

        return r ? r : lsr_le32(buf) != signature;
}

/*
 * The zip64 end record, 4.3.14, whose locator, 4.3.15, is before the end record at @pos: right before the locator,
 * or where that says.  0, 1: there is none, or a negative errno.
 */
static int end_find64(const struct end_tail *t, uint64_t pos, uint8_t buf[static END64_BYTES], uint32_t *ret_disks,
                      uint64_t *ret_at)
{
        uint8_t locator[END_LOCATOR_BYTES];
        uint64_t at;
        int r;

        if (pos < END_LOCATOR_BYTES + END64_BYTES)
                return 1;
        r = end_bytes(t, pos - END_LOCATOR_BYTES, locator, sizeof(locator));
        if (r)
                return r;
        if (lsr_le32(locator) != LSR_ZIP_LOCATOR64)
                return 1;
        at = pos - END_LOCATOR_BYTES - END64_BYTES;
        r = end_bytes(t, at, buf, END64_BYTES);
        if (r)
                return r;
        if (lsr_le32(buf) != LSR_ZIP_END64 || lsr_le64(buf + 4) != END64_BYTES - 12) {
                at = lsr_le64(locator + 8);
                if (at > pos - END_LOCATOR_BYTES)
                        return 1;
                r = end_bytes(t, at, buf, END64_BYTES);
                if (r)
                        return r;
                if (lsr_le32(buf) != LSR_ZIP_END64)
                        return 1;
        }
        *ret_disks = lsr_le32(locator + 16);
        *ret_at = at;
        return 0;
}

/* Fields that are all ones are in the zip64 record, if there is one.  0 or a negative errno. */
static int end_parse(const struct end_tail *t, uint64_t pos, const uint8_t *p, struct end_record *e)
{
        uint8_t p64[END64_BYTES];
        uint64_t at64 = 0;
        uint32_t disks = 0;
        int r = end_find64(t, pos, p64, &disks, &at64);

        *e = (struct end_record){
                .at = pos,
                .disk = lsr_le16(p + 4),
                .directory_disk = lsr_le16(p + 6),
                .entries = lsr_le16(p + 10),
                .size = lsr_le32(p + 12),
                .offset = lsr_le32(p + 16),
                .disks = 1,
                .wrapped = true,
        };
        if (r)
                return r < 0 ? r : 0;
        e->at = at64;
        /* 7.3.4: version 2 of the record goes on with how the directory is compressed and encrypted. */
        e->encrypted = lsr_le16(p64 + 14) >= 62 && lsr_le64(p64 + 4) >= END64_BYTES - 12 + 28;
        e->disks = disks ? disks : 1;
        if (e->disk == UINT16_MAX)
                e->disk = lsr_le32(p64 + 16);
        if (e->directory_disk == UINT16_MAX)
                e->directory_disk = lsr_le32(p64 + 20);
        if (e->entries == UINT16_MAX) {
                e->entries = lsr_le64(p64 + 32);
                e->wrapped = false;
        }
        if (e->size == UINT32_MAX)
                e->size = lsr_le64(p64 + 40);
        if (e->offset == UINT32_MAX)
                e->offset = lsr_le64(p64 + 48);
        return 0;
}

/* Whether the first entry of a directory at @directory has its local header where it says, @base added. */
static int end_first_local(const struct end_tail *t, uint64_t directory, uint64_t base)
{
        uint8_t p[LSR_ZIP_CENTRAL_BYTES];
        uint64_t offset;
        int r = end_bytes(t, directory, p, sizeof(p));

        if (r)
                return r;
        offset = lsr_le32(p + 42);
        if (offset == UINT32_MAX)
                return 0; /* zip64: not worth the trouble */
        return __builtin_add_overflow(offset, base, &offset) ? 1 : end_signature(t, offset, LSR_ZIP_LOCAL);
}

/* Where the directory of @e is, and what to add to offsets.  0, 1: nowhere, or a negative errno. */
static int end_place(const struct end_tail *t, const struct end_record *e, struct lsr_zip_end *end)
{
        uint64_t directory = e->size <= e->at ? e->at - e->size : 0;
        bool fits = e->size <= e->at && directory >= e->offset;
        int r;

        *end = (struct lsr_zip_end){
                .base = fits ? directory - e->offset : 0,
                .directory = directory,
                .end = e->at,
                .entries = e->entries,
                .wrapped = e->wrapped,
        };
        if (e->size == 0)
                return !fits || e->entries != 0;
        if (e->size < LSR_ZIP_CENTRAL_BYTES)
                return 1;
        if (fits) {
                /* It is read next. */
                if (t->in)
                        lsr_input_want(t->in, &(struct lsr_input_range){ directory, e->size }, 1);
                r = end_signature(t, directory, LSR_ZIP_CENTRAL);
                if (r < 0)
                        return r;
                fits = r == 0;
        }
        if (fits) {
                r = end->base ? end_first_local(t, directory, end->base) : 0;
                if (r <= 0)
                        return r;
        }
        r = e->offset < e->at ? end_signature(t, e->offset, LSR_ZIP_CENTRAL) : 1;
        if (r == 0) {
                end->base = 0;
                end->directory = e->offset;
        }
        if (r > 0 && e->size <= e->at) {
                r = end_signature(t, directory, LSR_ZIP_CENTRAL);
                r = r ? r : end_first_local(t, directory, 0);
                if (r == 0) {
                        end->base = 0;
                        end->shift = (int64_t)(directory - e->offset);
                }
        }
        return r > 0 && fits ? 0 : r;
}

/* Several parts, 8.5: the directory may begin on another one, and members lie on others anyway. */
static bool end_is_split(const struct end_record *e)
{
        return e->disk != 0 || e->directory_disk != 0 || e->disks > 1;
}

/*
 * Is the first entry of the directory @end in this very file, by its name?  Then the numbers of parts are damaged: the
 * last part of several does not have it.  As end_first_local().
 */
static int end_has_first(const struct end_tail *t, const struct lsr_zip_end *end)
{
        uint8_t p[LSR_ZIP_CENTRAL_BYTES + END_NAME_COMPARED], local[LSR_ZIP_LOCAL_BYTES + END_NAME_COMPARED];
        size_t n;
        int r = end->base ? 1 : end_bytes(t, end->directory, p, LSR_ZIP_CENTRAL_BYTES);

        if (r)
                return r;
        n = lsr_le16(p + 28) < END_NAME_COMPARED ? lsr_le16(p + 28) : END_NAME_COMPARED;
        r = end_bytes(t, end->directory, p, LSR_ZIP_CENTRAL_BYTES + n);
        if (r == 0)
                r = end_bytes(t, lsr_le32(p + 42), local, LSR_ZIP_LOCAL_BYTES + n);
        if (r)
                return r;
        return lsr_le32(local) != LSR_ZIP_LOCAL ||
               memcmp(p + LSR_ZIP_CENTRAL_BYTES, local + LSR_ZIP_LOCAL_BYTES, n) != 0;
}

/* Whether a zip that begins at @base > 0 may be all of the file, see above.  0: it may; 1; or a negative errno. */
static int end_is_inner(const struct end_tail *t, uint64_t base)
{
        int r = end_signature(t, 0, LSR_ZIP_LOCAL);

        if (r)
                return r < 0 ? r : 0;
        return base < LSR_ZIP_END_BYTES ? 1 : end_signature(t, base - LSR_ZIP_END_BYTES, LSR_ZIP_END);
}

/* 0, 1: the record at @pos leads nowhere, or a negative errno, -EOPNOTSUPP and -EACCES as in zip.h. */
static int end_try(const struct end_tail *t, uint64_t pos, const uint8_t *p, struct lsr_zip_end *end)
{
        struct end_record e;
        int r = end_parse(t, pos, p, &e);

        if (r < 0)
                return r;
        if (end_is_split(&e)) {
                r = end_place(t, &e, end);
                r = r ? r : end_has_first(t, end);
                end->odd_disks = r == 0;
                if (r < 0)
                        return r;
                /* All ones stand for what the zip64 record says, which was not found: they are no number of a part. */
                if (r > 0)
                        return e.directory_disk <= e.disk && e.disk != UINT16_MAX ? -EOPNOTSUPP : 1;
        }
        if (e.encrypted)
                return -EACCES;
        if (!end_is_split(&e))
                r = end_place(t, &e, end);
        return r || end->base == 0 ? r : end_is_inner(t, end->base);
}

/* The last signature before @before in the tail, or NULL. */
static const uint8_t *end_previous(const struct end_tail *t, const uint8_t *before)
{
        const uint8_t *p = before;

        while (p > t->data) {
                p = memrchr(t->data, 'P', (size_t)(p - t->data));
                if (!p)
                        return NULL;
                if ((size_t)(t->data + t->len - p) >= LSR_ZIP_END_BYTES && lsr_le32(p) == LSR_ZIP_END)
                        return p;
        }
        return NULL;
}

/* Zeros pad to the size of a block. */
static bool end_is_padded(const struct end_tail *t, uint64_t surplus)
{
        const uint8_t *end = t->data + t->len;

        for (const uint8_t *p = end - surplus; p < end; p++)
                if (*p)
                        return false;
        return true;
}

/* How many bytes there are behind the record and its comment; negative: how many of the comment are missing. */
static int64_t end_surplus(const struct end_tail *t, const uint8_t *p)
{
        return (int64_t)(t->data + t->len - p) - LSR_ZIP_END_BYTES - lsr_le16(p + 20);
}

struct end_search {
        const struct end_tail *t;
        unsigned tries;
        unsigned found;
        int refused; /* a split or an encrypted zip */
        int64_t surplus;
        struct lsr_zip_end best;
};

/* One pass over all records: 0, or a negative errno. */
static int end_pass(struct end_search *s, bool strict)
{
        const struct end_tail *t = s->t;

        for (const uint8_t *p = end_previous(t, t->data + t->len); p; p = end_previous(t, p)) {
                int64_t surplus = end_surplus(t, p);
                struct lsr_zip_end end;
                int r;

                if (strict != (surplus == 0))
                        continue;
                if (++s->tries > END_TRIES_MAX)
                        return 0;
                r = end_try(t, t->at + (uint64_t)(p - t->data), p, &end);
                if (r == -EOPNOTSUPP || r == -EACCES) {
                        if (strict)
                                s->refused = r;
                        continue;
                }
                if (r < 0)
                        return r;
                if (r > 0)
                        continue;
                if (s->found++ == 0 || end.base == 0 || s->best.base != 0) {
                        s->best = end;
                        s->surplus = surplus;
                }
                if (!strict)
                        return 0;
        }
        return 0;
}

static int end_search(struct end_search *s, struct lsr_scan *scan)
{
        int r = end_pass(s, true);

        if (r == 0 && !s->found && !s->refused)
                r = end_pass(s, false);
        if (r < 0)
                return r;
        if (!s->found && s->refused) {
                if (s->refused == -EACCES)
                        lsr_scan_trouble(scan, s->refused, "the central directory is encrypted");
                else
                        lsr_scan_trouble(scan, s->refused, "this is one part of a split zip; 'zip -s 0' joins them");
                return s->refused;
        }
        if (!s->found)
                return 1;
        if (s->best.odd_disks)
                lsr_scan_trouble(scan, -EBADMSG,
                                 "the end record says that this is a part of a split zip, and all is here");
        if (s->found > 1)
                lsr_scan_trouble(scan, 0, "there are %u end records, one within the comment of the other", s->found);
        if (s->surplus > 0 && !end_is_padded(s->t, (uint64_t)s->surplus))
                lsr_scan_trouble(scan, 0, "the last %s bytes do not belong to the zip",
                                 lsr_grouped((uint64_t)s->surplus));
        if (s->surplus < 0)
                lsr_scan_trouble(scan, -EBADMSG, "the comment is cut short at byte %s", lsr_grouped(s->t->size));
        return 0;
}

int lsr_zip_end_find(struct lsr_scan *scan, struct lsr_zip_end *ret_end)
{
        struct end_tail t = { .in = scan->input, .size = scan->input->size };
        struct end_search s = { .t = &t };
        uint8_t *buf;
        ssize_t got;
        int r;

        t.at = t.size > END_TAIL_BYTES ? t.size - END_TAIL_BYTES : 0;
        buf = lsr_xmalloc(END_TAIL_BYTES);
        got = lsr_input_read_at(scan->input, buf, (size_t)(t.size - t.at), t.at);
        r = got < 0 ? (int)got : 0;
        if (r == 0) {
                t.data = buf;
                t.len = (size_t)got;
                r = end_search(&s, scan);
        }
        free(buf);
        if (r == 0)
                *ret_end = s.best;
        return r;
}

bool lsr_zip_end_probe(const struct lsr_probe *p)
{
        struct end_tail t = { .size = p->size, .data = p->tail, .len = p->tail_len };

        if (p->size == LSR_INPUT_UNKNOWN || p->tail_len > p->size)
                return false;
        t.at = p->size - p->tail_len;
        for (const uint8_t *e = end_previous(&t, t.data + t.len); e; e = end_previous(&t, e)) {
                uint64_t pos = t.at + (uint64_t)(e - t.data);
                int64_t surplus = end_surplus(&t, e);
                struct end_record record;

                /*
                 * The directory may not be in sight, unless something is behind the zip; an empty one could be
                 * anything.
                 */
                if (surplus < 0 || end_parse(&t, pos, e, &record) < 0)
                        continue;
                /* The last part of several has the middle of a member where others begin. */
                if (end_is_split(&record) && (surplus > 0 || record.directory_disk != record.disk ||
                                              record.size > record.at || record.at - record.size < t.at))
                        continue;
                if (record.entries && record.size / LSR_ZIP_CENTRAL_BYTES && record.size <= record.at &&
                    record.offset <= record.at - record.size &&
                    ((surplus == 0 && record.at - record.size < t.at) ||
                     end_signature(&t, record.at - record.size, LSR_ZIP_CENTRAL) == 0))
                        return true;
        }
        return false;
}
