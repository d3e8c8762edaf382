/*
 * zip - shared by the files of the zip driver
 *
 * Section numbers are those of PKWARE's APPNOTE.TXT 6.3.10.  A zip is (4.3.6)
 *
 *      [ anything ]                              a self-extractor, say: `base` bytes
 *      { local header, data, [ descriptor ] }    4.3.7, 4.3.9
 *      { central header }                        4.3.12, the directory
 *      [ digital signature ]                     4.3.13
 *      [ zip64 end record, zip64 locator ]       4.3.14, 4.3.15
 *      end record, with a comment                4.3.16
 *
 * and is found from its end: formats/zip/end.c.  zip.c walks the directory and makes a
 * member of each entry with formats/zip/extra.c (extra fields), formats/zip/name.c (character
 * sets) and formats/zip/member.c.  Local headers are looked at to read content and the
 * targets of symbolic links (formats/zip/read.c), and where there is no directory
 * (formats/zip/recover.c).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "catalogue/way.h"
#include "formats/format.h"

#define LSR_ZIP_LOCAL UINT32_C(0x04034b50)
#define LSR_ZIP_CENTRAL UINT32_C(0x02014b50)
#define LSR_ZIP_DESCRIPTOR UINT32_C(0x08074b50) /* at the beginning of a file: it is split, 8.5.3 */
#define LSR_ZIP_ONE_PART UINT32_C(0x30304b50)   /* it was to be split and was not, 8.5.4 */
#define LSR_ZIP_SIGNATURE UINT32_C(0x05054b50)
#define LSR_ZIP_END UINT32_C(0x06054b50)
#define LSR_ZIP_END64 UINT32_C(0x06064b50)
#define LSR_ZIP_LOCATOR64 UINT32_C(0x07064b50)

#define LSR_ZIP_LOCAL_BYTES 30 /* without what varies, and so below */
#define LSR_ZIP_CENTRAL_BYTES 46
#define LSR_ZIP_END_BYTES 22

#define LSR_ZIP_LINK_MAX 4096 /* bytes of a target: PATH_MAX */

#define LSR_ZIP_UNICODE 0x7075 /* extra field, 4.6.9: the name in UTF-8 */

/* General purpose bits, 4.4.4. */
enum {
        LSR_ZIP_ENCRYPTED = 1 << 0,
        LSR_ZIP_LZMA_MARKER = 1 << 1, /* of method 14: its end is marked */
        LSR_ZIP_STREAMED = 1 << 3,    /* sizes and checksum follow the data */
        LSR_ZIP_STRONG = 1 << 6,      /* encrypted in a way of PKWARE's that is not public */
        LSR_ZIP_UTF8 = 1 << 11,
};

/* Methods of compression, 4.4.5. */
enum {
        LSR_ZIP_STORE = 0,
        LSR_ZIP_DEFLATE = 8,
        LSR_ZIP_BZIP2 = 12,
        LSR_ZIP_LZMA = 14,
        LSR_ZIP_OLD_ZSTD = 20,
        LSR_ZIP_ZSTD = 93,
        LSR_ZIP_XZ = 95,
        LSR_ZIP_AES = 99, /* what it really is says an extra field, 7.2 */
};

/* --- formats/zip/end.c --------------------------------------------------------------- */

struct lsr_zip_end {
        uint64_t base;      /* bytes before the zip; offsets in it count from there */
        uint64_t directory; /* where the central directory begins in the file, */
        uint64_t end;       /* and where it ends */
        int64_t shift;      /* bytes too many before the directory, or missing there if negative; then base is 0 */
        uint64_t entries;   /* as recorded: */
        bool wrapped;       /* modulo 65,536 */
        bool odd_disks;     /* it says that there are more parts, and is wrong */
};

/*
 * 0; 1: there is no valid one, not reported yet; a negative errno, reported: the zip is in several parts
 * (-EOPNOTSUPP), its directory is encrypted (-EACCES), reading failed.
 */
int lsr_zip_end_find(struct lsr_scan *scan, struct lsr_zip_end *ret_end);

/* Whether the file ends as a zip would, judged by what a probe sees. */
bool lsr_zip_end_probe(const struct lsr_probe *p);

/* --- formats/zip/extra.c, formats/zip/name.c, formats/zip/member.c ------------------------------------- */

/* A central or local header with its extra fields.  Pointers lead into the bytes it was read from. */
struct lsr_zip_entry {
        uint64_t size; /* these as the zip64 field has them where it counts */
        uint64_t packed;
        uint64_t offset; /* of the local header, without base */
        uint32_t disk;
        uint32_t crc;
        uint32_t attributes; /* external, 4.4.15; of a local header 0 */
        uint32_t dos_time;   /* date and time, 4.4.6 */
        uint16_t flags;
        uint16_t method; /* behind AES the one within */
        uint8_t host;    /* 4.4.2 */
        bool local;
        bool aes;
        uint8_t strength; /* of AES, 7.2: 1 to 3; these two are of the last extra field that says so */
        bool no_crc;      /* AE-2: the checksum is not one */
        bool incomplete;  /* the zip64 field lacks something */
        const uint8_t *name;
        size_t name_len;
        const uint8_t *extra;
        size_t extra_len;
        /* From extra fields: */
        uint32_t known; /* LSR_FIELD_* of these */
        uint32_t uid;
        uint32_t gid;
        int64_t sec[LSR_TIMES];
        uint32_t nsec[LSR_TIMES];
        const uint8_t *unicode; /* the name in UTF-8, 4.6.9; NULL: there is none */
        size_t unicode_len;
        uint32_t unicode_crc; /* of the name that it stands for */
};

/* The bytes are there: LSR_ZIP_CENTRAL_BYTES or LSR_ZIP_LOCAL_BYTES, and what lsr_zip_*_length() says. */
static inline size_t lsr_zip_central_length(const uint8_t *p)
{
        return LSR_ZIP_CENTRAL_BYTES + (size_t)lsr_le16(p + 28) + lsr_le16(p + 30) + lsr_le16(p + 32);
}
static inline size_t lsr_zip_local_length(const uint8_t *p)
{
        return LSR_ZIP_LOCAL_BYTES + (size_t)lsr_le16(p + 26) + lsr_le16(p + 28);
}

/* Of a central header: is it one of a directory, whatever its name says?  A few are not. */
static inline bool lsr_zip_may_be_dir(const uint8_t *p)
{
        return lsr_le32(p + 38) & (UINT32_C(0040000) << 16 | 0x10);
}

void lsr_zip_central(const uint8_t *p, struct lsr_zip_entry *ret_entry);
void lsr_zip_local(const uint8_t *p, struct lsr_zip_entry *ret_entry);

/* Room for a name that is not used as it is stored, grown as needed; zeroed to begin with, free(text) at the end. */
struct lsr_zip_text {
        char *text;
        size_t cap;
        const struct lsr_encoding *encoding; /* of names that are not UTF-8; NULL: code page 437 */
};

/* The name as a path in UTF-8 (if it can be told), with '/' between components; in the entry's bytes or in @t. */
const char *lsr_zip_name(struct lsr_zip_text *t, const struct lsr_zip_entry *e, size_t *ret_len);

/* Of a central header: is that its name as it is stored? */
bool lsr_zip_name_stands(const uint8_t *p);

/* "deflate"; numbers without a name are written to @buf. */
const char *lsr_zip_method(unsigned method, char buf[static 16]);

/*
 * Everything about the member but the target of a link; @base is added to the offset.  Overwrites all fields but
 * those that no zip has, which the caller zeroed.  @method is room for a name; text stays valid with it, @t and
 * the entry.
 */
void lsr_zip_member(struct lsr_zip_text *t, char method[static 16], const struct lsr_zip_entry *e, uint64_t base,
                    struct lsr_member *m);

/* What lsr_member.data holds, all that reading needs and the local header may not have. */
static inline uint64_t lsr_zip_data(const struct lsr_zip_entry *e)
{
        return (uint64_t)e->flags << 48 | (uint64_t)e->method << 32 | e->crc;
}

/* --- zip.c, formats/zip/recover.c, formats/zip/read.c ------------------------------------------- */

/* The bytes of the file that an entry claims. */
struct lsr_zip_span {
        uint64_t begin;
        uint64_t end;
        uint64_t entry; /* its number */
        bool named;     /* its local header has its name */
};

/* Bytes of the file read last: links lie near each other, header and target do always. */
struct lsr_zip_window {
        uint64_t offset;
        size_t len;
        uint8_t data[1 << 10]; /* copied from the page cache each time, so not much more than a link takes */
};

/* A walk through central headers. */
struct lsr_zip_walk {
        struct lsr_scan *scan;
        struct lsr_ways *ways; /* whose members alone are listed; NULL: all */
        bool has_links;        /* some of them are symbolic links */
        uint64_t base;
        int64_t shift;             /* of members whose local header is not where it should be */
        uint64_t begin;            /* in the file */
        uint64_t end;              /* at most to here */
        uint64_t at;               /* the header being looked at */
        uint64_t seen;             /* where the last entry that was visited begins */
        uint64_t broken;           /* where the first damage is, if there is any */
        uint64_t entries;          /* seen */
        uint64_t covered;          /* where the furthest member so far ends */
        bool disorder;             /* members are not one behind the other */
        bool recovering;           /* members were listed before: entries without a local header do not replace them, */
        uint64_t lost;             /* so many, */
        const uint64_t *positions; /* and these have one */
        size_t n_positions;
        size_t next_position; /* of the entry to come, if they are in one order */
        uint64_t unsettled;   /* entries that have none of them */
        uint8_t *suspects;    /* a bit for each entry, or NULL */
        uint64_t settled;     /* entries whose sizes are those of their local headers */
        uint64_t links;       /* symbolic links seen */
        int (*visit)(struct lsr_zip_walk *w, const uint8_t *p, size_t n);
        struct lsr_zip_span *spans;
        size_t spans_n;
        size_t spans_cap;
        struct lsr_zip_entry entry; /* here, since zeroing these takes as long as parsing */
        struct lsr_member member;
        struct lsr_zip_text name;
        struct lsr_zip_window window;
        char method[16];
};

/* List the directory from w->begin to w->end.  0; 1: broken at w->broken; a negative errno. */
int lsr_zip_walk_list(struct lsr_zip_walk *w);

/* The same of one that is damaged: which entries overlap is found first.  w->suspects is not kept. */
int lsr_zip_walk_list_sound(struct lsr_zip_walk *w);

/*
 * List the members that can be found by their local headers, and what is left of the directory.  @end: of one that is
 * damaged at @broken; NULL: it was not found.  0, trouble reported; or a negative errno.
 */
int lsr_zip_recover(struct lsr_scan *scan, const struct lsr_zip_end *end, uint64_t broken);

/* Of an entry with this position: has the local header its name, and sizes?  Then these. */
bool lsr_zip_local_sizes(struct lsr_input *in, struct lsr_zip_window *window, const struct lsr_zip_entry *e,
                         uint64_t at, uint64_t *ret_packed, uint64_t *ret_size);

/* Whether a local header with the name of @e is at @at; @e NULL: with any. */
bool lsr_zip_is_local(struct lsr_input *in, struct lsr_zip_window *window, const struct lsr_zip_entry *e, uint64_t at);

/* lsr_format.read and .extent */
int lsr_zip_read(struct lsr_scan *scan, const struct lsr_member *m, const struct lsr_sink *sink);
int lsr_zip_extent(struct lsr_scan *scan, const struct lsr_member *m, uint64_t *ret_offset, uint64_t *ret_size);

/*
 * The target of a symbolic link, at most LSR_ZIP_LINK_MAX bytes, into @buf.
 * Returns its length, or a negative errno; reports nothing.
 */
ssize_t lsr_zip_target(struct lsr_input *in, const struct lsr_member *m, struct lsr_zip_window *window,
                       char buf[static LSR_ZIP_LINK_MAX]);
