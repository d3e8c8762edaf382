/*
 * member - from a header to a member
 *
 * What a zip does not say is filled in as unpacking would: permissions 0644 and
 * 0755, and a time that is local to whoever unpacks, which is passed on as such.
 */
#include "formats/zip/zip.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"

/* Low byte of the external attributes, 4.4.15. */
enum { MEMBER_DOS_READ_ONLY = 0x01, MEMBER_DOS_DIRECTORY = 0x10 };

const char *lsr_zip_method(unsigned method, char buf[static 16])
{
        /* 4.4.5 */
        static const char *const names[100] = {
                [LSR_ZIP_STORE] = "store",
                [1] = "shrink",
                [2] = "reduce",
                [3] = "reduce",
                [4] = "reduce",
                [5] = "reduce",
                [6] = "implode",
                [LSR_ZIP_DEFLATE] = "deflate",
                [9] = "deflate64",
                [10] = "dcl-implode",
                [LSR_ZIP_BZIP2] = "bzip2",
                [LSR_ZIP_LZMA] = "lzma",
                [LSR_ZIP_OLD_ZSTD] = "zstd",
                [LSR_ZIP_ZSTD] = "zstd",
                [94] = "mp3",
                [LSR_ZIP_XZ] = "xz",
                [96] = "jpeg",
                [97] = "wavpack",
                [98] = "ppmd",
                [LSR_ZIP_AES] = "aes",
        };

        if (method < sizeof(names) / sizeof(*names) && names[method])
                return names[method];
        snprintf(buf, 16, "method %u", method & 0xffff);
        return buf;
}

/* Days from 1970 of a day in the Gregorian calendar; month 0 and day 0 are those before month and day 1. */
static int64_t member_days(int year, int month, int day)
{
        static const int16_t before[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334 };
        int leaps;

        if (month < 1) {
                month += 12;
                year--;
        } else if (month > 12) {
                month -= 12;
                year++;
        }
        /* Leap days passed: that of this year from March on.  2100 has none. */
        leaps = (year - (month > 2 ? 1968 : 1969)) / 4;
        if (year > 2100 || (year == 2100 && month > 2))
                leaps--;
        return (int64_t)(year - 1970) * 365 + leaps + before[month - 1] + day - 1;
}

/* 4.4.6.  Years are 1980 to 2107. */
static int64_t member_dos_time(uint32_t t)
{
        int64_t days = member_days((int)(t >> 25) + 1980, (int)(t >> 21 & 15), (int)(t >> 16 & 31));

        return days * 86400 + (t >> 11 & 31) * 3600 + (t >> 5 & 63) * 60 + (t & 31) * 2;
}

/* Hosts that store modes: Unix, BeOS (16 to Info-ZIP), Darwin. */
static bool member_unix(unsigned host)
{
        return host == 3 || host == 16 || host == 19;
}

/*
 * The upper half of the external attributes is a mode where the host is a Unix.  PKZIP for Unix and some 7-Zip say
 * FAT and store one all the same, with its type, which then agrees with the attribute of directories below it.
 */
static uint32_t member_stored_mode(const struct lsr_zip_entry *e)
{
        uint32_t mode = e->attributes >> 16, type = mode & S_IFMT;
        bool dir = e->attributes & MEMBER_DOS_DIRECTORY;

        if (member_unix(e->host))
                return mode;
        if (e->host == 0 && (S_ISLNK(mode) || (type == S_IFREG && !dir) || (type == S_IFDIR && dir)))
                return mode;
        return 0;
}

static uint32_t member_mode(const struct lsr_zip_entry *e, bool slash)
{
        uint32_t mode = member_stored_mode(e), type = mode & S_IFMT, permissions = mode & 07777;

        /* 4.4.17: a name that ends in '/' is a directory, whatever else is said. */
        if (slash)
                type = S_IFDIR;
        switch (type) {
        case S_IFDIR:
                type = slash || !e->size ? S_IFDIR : S_IFREG;
                break;
        case S_IFREG:
        case S_IFLNK:
                break;
        case S_IFIFO:
        case S_IFCHR:
        case S_IFBLK:
        case S_IFSOCK:
                /* Info-ZIP says where the content came from: 'zip x.zip -' stores what a pipe had as a FIFO. */
                type = e->size ? S_IFREG : type;
                break;
        default:
                type = e->attributes & MEMBER_DOS_DIRECTORY && !e->size ? S_IFDIR : S_IFREG;
        }
        if (mode == 0) {
                permissions = type == S_IFDIR ? 0755 : 0644;
                if (type == S_IFREG && e->attributes & MEMBER_DOS_READ_ONLY)
                        permissions = 0444;
        }
        return type | permissions;
}

static unsigned member_flags(const struct lsr_zip_entry *e)
{
        unsigned flags = 0;

        if (e->aes || e->method == LSR_ZIP_AES || e->flags & LSR_ZIP_ENCRYPTED)
                flags |= LSR_MEMBER_ENCRYPTED;
        if (e->incomplete || e->disk != 0)
                flags |= LSR_MEMBER_SUSPECT;
        if (!(e->known & LSR_FIELD_MTIME))
                flags |= LSR_MEMBER_LOCALTIME;
        return flags;
}

void lsr_zip_member(struct lsr_zip_text *t, char method[static 16], const struct lsr_zip_entry *e, uint64_t base,
                    struct lsr_member *m)
{
        struct lsr_meta *meta = &m->meta;

        m->path = lsr_zip_name(t, e, &m->path_len);
        m->raw = m->path_len == e->name_len && memcmp(m->path, e->name, e->name_len) == 0 ? NULL
                                                                                          : (const char *)e->name;
        m->raw_len = m->raw ? e->name_len : 0;
        /* What would be the root, and have content, is a file that has lost its name. */
        meta->mode = member_mode(e, m->path_len && m->path[m->path_len - 1] == '/' &&
                                            !(e->size && lsr_path_is_dots(m->path, m->path_len)));
        meta->known = LSR_FIELD_TYPE | LSR_FIELD_MODE | LSR_FIELD_SIZE | LSR_FIELD_MTIME | e->known;
        meta->size = e->size;
        meta->uid = e->uid;
        meta->gid = e->gid;
        for (unsigned i = 0; i < LSR_TIMES; i++) {
                meta->sec[i] = e->sec[i];
                meta->nsec[i] = e->nsec[i];
        }
        m->flags = member_flags(e);
        if (m->flags & LSR_MEMBER_LOCALTIME) {
                meta->sec[LSR_MTIME] = member_dos_time(e->dos_time);
                meta->nsec[LSR_MTIME] = 0;
        }
        m->packed = e->packed;
        m->method = S_ISDIR(meta->mode) ? NULL : lsr_zip_method(e->method, method);
        if (e->incomplete) {
                /* What is still all ones may be anything. */
                if (e->size == UINT32_MAX)
                        meta->known &= ~(uint32_t)LSR_FIELD_SIZE;
                if (e->packed == UINT32_MAX)
                        m->packed = UINT64_MAX;
        }
        if (__builtin_add_overflow(base, e->offset, &m->position)) {
                m->position = UINT64_MAX;
                m->flags |= LSR_MEMBER_SUSPECT;
        }
        m->data = lsr_zip_data(e);
        m->target = NULL;
        m->target_len = 0;
}
