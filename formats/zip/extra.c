/*
 * extra - headers and their extra fields, APPNOTE 4.5 and 4.6
 *
 * An extra field that runs over the end of the rest, and one too short for
 * what it should hold, is passed over: what zips there are has no other rule.
 * Only the zip64 field matters so much that its lack is noted.
 *
 * Times come in four forms of different worth.  Extended timestamps are in UTC
 * and what Unix tools write; those of NTFS are finer but only Windows tools write
 * them; the older Unix fields and the DOS time, local and even, are what is left.
 * Of a time that 32 bits wrap in 2038 the DOS time tells the century.
 */
#include "formats/zip/zip.h"

#include <string.h>

/* Ids: 4.5.2, 4.6.1, and Info-ZIP's extrafld.txt. */
enum {
        EXTRA_ZIP64 = 0x0001,
        EXTRA_NTFS = 0x000a,
        EXTRA_UNIX = 0x000d,
        EXTRA_TIMESTAMP = 0x5455, /* UT */
        EXTRA_UNIX1 = 0x5855,     /* UX */
        EXTRA_UNICODE = LSR_ZIP_UNICODE,
        EXTRA_UNIX2 = 0x7855, /* Ux */
        EXTRA_UNIX3 = 0x7875, /* ux */
        EXTRA_AES = 0x9901,
};

/* Seconds from 1601, where NTFS begins to count, to 1970. */
#define EXTRA_NTFS_EPOCH INT64_C(11644473600)

enum { EXTRA_TIME_NONE, EXTRA_TIME_UNIX, EXTRA_TIME_NTFS, EXTRA_TIME_STAMP };
enum { EXTRA_OWNER_NONE, EXTRA_OWNER_16, EXTRA_OWNER_ANY };

struct extra_seen {
        unsigned time;  /* the best so far */
        unsigned owner; /* likewise */
        bool zip64;
};

/* What both kinds of headers have, from the flags on, and @name behind the header. */
static void extra_header(struct lsr_zip_entry *e, const uint8_t *p, const uint8_t *name)
{
        e->flags = lsr_le16(p);
        e->method = lsr_le16(p + 2);
        e->dos_time = lsr_le32(p + 4);
        e->crc = lsr_le32(p + 8);
        e->packed = lsr_le32(p + 12);
        e->size = lsr_le32(p + 16);
        e->name = name;
        e->name_len = lsr_le16(p + 20);
        e->extra = name + e->name_len;
        e->extra_len = lsr_le16(p + 22);
}

static bool extra_take64(uint64_t *field, const uint8_t **p, size_t *n)
{
        if (*n < 8)
                return false;
        *field = lsr_le64(*p);
        *p += 8;
        *n -= 8;
        return true;
}

/* 4.5.3: of size, packed size, offset and disk, in this order, those whose field in the header is all ones. */
static void extra_zip64(struct lsr_zip_entry *e, const uint8_t *p, size_t n)
{
        if (e->size == UINT32_MAX && !extra_take64(&e->size, &p, &n))
                e->incomplete = true;
        if (e->packed == UINT32_MAX && !extra_take64(&e->packed, &p, &n))
                e->incomplete = true;
        if (e->offset == UINT32_MAX && !extra_take64(&e->offset, &p, &n))
                e->incomplete = true;
        if (e->disk == UINT16_MAX && n >= 4)
                e->disk = lsr_le32(p);
}

static void extra_set_time(struct lsr_zip_entry *e, enum lsr_time which, int64_t sec, uint32_t nsec)
{
        static const uint32_t fields[] = { LSR_FIELD_MTIME, LSR_FIELD_ATIME, LSR_FIELD_CTIME, LSR_FIELD_BTIME };

        e->sec[which] = sec;
        e->nsec[which] = nsec;
        e->known |= fields[which];
}

/*
 * Seconds in 32 bits: signed, as extrafld.txt has it, so that of 1969 is below 0.  So is one of 2038 and later, but
 * then the DOS time, which ends in 2107 and has nothing before 1980, is of that year, too.
 */
static int64_t extra_seconds(const struct lsr_zip_entry *e, const uint8_t *p)
{
        int64_t sec = (int32_t)lsr_le32(p);

        return sec < 0 && e->dos_time >> 25 >= 2038 - 1980 ? sec + (INT64_C(1) << 32) : sec;
}

/*
 * extrafld.txt: flags, then signed seconds for each flag that is set; but the central copy has the flags of the
 * local one and the modification time alone.
 */
static void extra_timestamp(struct lsr_zip_entry *e, const uint8_t *p, size_t n, struct extra_seen *seen)
{
        unsigned flags;

        if (n < 1)
                return;
        flags = *p++;
        n--;
        if ((flags & 1) && n >= 4) {
                extra_set_time(e, LSR_MTIME, extra_seconds(e, p), 0);
                seen->time = EXTRA_TIME_STAMP;
                p += 4;
                n -= 4;
        }
        if (e->local && (flags & 2) && n >= 4)
                extra_set_time(e, LSR_ATIME, extra_seconds(e, p), 0);
}

static void extra_set_ntfs(struct lsr_zip_entry *e, enum lsr_time which, const uint8_t *p)
{
        uint64_t ticks = lsr_le64(p); /* of 100 ns */

        if (ticks)
                extra_set_time(e, which, (int64_t)(ticks / 10000000) - EXTRA_NTFS_EPOCH,
                               (uint32_t)(ticks % 10000000) * 100);
}

/* 4.5.5: four bytes, then attributes, of which number 1 has modification, access and creation. */
static void extra_ntfs(struct lsr_zip_entry *e, const uint8_t *p, size_t n, struct extra_seen *seen)
{
        size_t at = 4;

        while (n >= 4 && n - at >= 4) {
                size_t size = lsr_le16(p + at + 2);

                if (size > n - at - 4)
                        return;
                if (lsr_le16(p + at) == 1 && size >= 24) {
                        if (seen->time < EXTRA_TIME_NTFS && lsr_le64(p + at + 4)) {
                                extra_set_ntfs(e, LSR_MTIME, p + at + 4);
                                seen->time = EXTRA_TIME_NTFS;
                        }
                        extra_set_ntfs(e, LSR_ATIME, p + at + 12);
                        extra_set_ntfs(e, LSR_BTIME, p + at + 20);
                        return;
                }
                at += 4 + size;
        }
}

static void extra_set_owner(struct lsr_zip_entry *e, uint32_t uid, uint32_t gid)
{
        e->uid = uid;
        e->gid = gid;
        e->known |= LSR_FIELD_UID | LSR_FIELD_GID;
}

static void extra_owner16(struct lsr_zip_entry *e, const uint8_t *p, size_t n, struct extra_seen *seen)
{
        if (n < 4 || seen->owner > EXTRA_OWNER_16)
                return;
        extra_set_owner(e, lsr_le16(p), lsr_le16(p + 2));
        seen->owner = EXTRA_OWNER_16;
}

/* 4.5.7 and extrafld.txt: access, modification, and perhaps owner and group of 16 bits. */
static void extra_unix(struct lsr_zip_entry *e, const uint8_t *p, size_t n, struct extra_seen *seen)
{
        if (n < 8)
                return;
        if (seen->time < EXTRA_TIME_UNIX) {
                extra_set_time(e, LSR_MTIME, extra_seconds(e, p + 4), 0);
                seen->time = EXTRA_TIME_UNIX;
        }
        if (!(e->known & LSR_FIELD_ATIME))
                extra_set_time(e, LSR_ATIME, extra_seconds(e, p), 0);
        extra_owner16(e, p + 8, n - 8, seen);
}

/* A number of any size that fits in 32 bits. */
static bool extra_number(const uint8_t *p, size_t n, uint32_t *ret_number)
{
        uint32_t v = 0;

        for (size_t i = n; i-- > 0;) {
                if (i >= 4 && p[i])
                        return false;
                if (i < 4)
                        v = v << 8 | p[i];
        }
        *ret_number = v;
        return true;
}

/* extrafld.txt: version 1, size and bytes of the owner, size and bytes of the group. */
static void extra_unix3(struct lsr_zip_entry *e, const uint8_t *p, size_t n, struct extra_seen *seen)
{
        uint32_t uid, gid;
        size_t a, b;

        if (n < 3 || p[0] != 1)
                return;
        a = p[1];
        if (n - 2 < a + 1)
                return;
        b = p[2 + a];
        if (n - 3 - a < b || !a || !b)
                return;
        if (extra_number(p + 2, a, &uid) && extra_number(p + 3 + a, b, &gid)) {
                extra_set_owner(e, uid, gid);
                seen->owner = EXTRA_OWNER_ANY;
        }
}

static void extra_one(struct lsr_zip_entry *e, unsigned id, const uint8_t *p, size_t n, struct extra_seen *seen)
{
        switch (id) {
        case EXTRA_ZIP64:
                if (!seen->zip64)
                        extra_zip64(e, p, n);
                seen->zip64 = true;
                break;
        case EXTRA_TIMESTAMP:
                extra_timestamp(e, p, n, seen);
                break;
        case EXTRA_NTFS:
                extra_ntfs(e, p, n, seen);
                break;
        case EXTRA_UNIX:
        case EXTRA_UNIX1:
                extra_unix(e, p, n, seen);
                break;
        case EXTRA_UNIX2:
                extra_owner16(e, p, n, seen);
                break;
        case EXTRA_UNIX3:
                extra_unix3(e, p, n, seen);
                break;
        case EXTRA_UNICODE: /* 4.6.9: version 1, checksum of the name as stored, name */
                if (n >= 5 && p[0] == 1) {
                        e->unicode_crc = lsr_le32(p + 1);
                        e->unicode = p + 5;
                        e->unicode_len = n - 5;
                }
                break;
        case EXTRA_AES: /* version, "AE", strength, method */
                if (n >= 7 && e->method == LSR_ZIP_AES) {
                        e->method = lsr_le16(p + 5);
                        e->aes = true;
                        e->strength = p[4];
                        e->no_crc = lsr_le16(p) == 2;
                }
                break;
        default:
                break;
        }
}

/* Take over what the extra fields say. */
static void extra_fields(struct lsr_zip_entry *e)
{
        struct extra_seen seen = {};
        const uint8_t *p = e->extra;
        size_t n = e->extra_len;

        e->known = 0;
        e->unicode = NULL;
        e->aes = false;
        e->incomplete = false;
        while (n >= 4) {
                size_t size = lsr_le16(p + 2);

                if (size > n - 4)
                        break;
                extra_one(e, lsr_le16(p), p + 4, size, &seen);
                p += 4 + size;
                n -= 4 + size;
        }
        /* A size of so much is possible; that it is packed, or lies, just at the limit is not believed. */
        if (!seen.zip64 && (e->packed == UINT32_MAX || e->offset == UINT32_MAX))
                e->incomplete = true;
}

void lsr_zip_central(const uint8_t *p, struct lsr_zip_entry *ret_entry)
{
        struct lsr_zip_entry *e = ret_entry;

        extra_header(e, p + 8, p + LSR_ZIP_CENTRAL_BYTES);
        e->host = p[5];
        e->disk = lsr_le16(p + 34);
        e->attributes = lsr_le32(p + 38);
        e->offset = lsr_le32(p + 42);
        e->local = false;
        extra_fields(e);
}

void lsr_zip_local(const uint8_t *p, struct lsr_zip_entry *ret_entry)
{
        struct lsr_zip_entry *e = ret_entry;

        extra_header(e, p + 6, p + LSR_ZIP_LOCAL_BYTES);
        e->host = 3; /* it is not said; names then stay as they are */
        e->disk = 0;
        e->attributes = 0;
        e->offset = 0;
        e->local = true;
        extra_fields(e);
}
