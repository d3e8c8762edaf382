/*
 * write - headers that every tar reads
 *
 * A header block has room for a time in whole seconds, 100 bytes of name (255
 * where a '/' lies well), 8 GiB and two million users.  Everything else goes
 * into records of a pax header before it, which takes 1,024 bytes.  Most files
 * have times with fractions of seconds, so most members have a pax header.
 * Its own header block is the same for all of them, with the name that Python
 * uses, and times always have nine digits, so that only the time is new to a
 * compressor.
 *
 * Sparse members are those of GNU tar's version 1.0, which bsdtar and Python
 * read too: the map is text before the content, and the header has a name that
 * identifies the file if a tar without support for sparse members extracts it.
 */
#include "formats/tar/write.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/utf8.h"

/* Of an extension header: who was not told otherwise reads no larger one. */
#define WRITE_HEADER_MAX LSR_LIMIT_MIB

#define TAR_OCTAL_MAX(digits) ((UINT64_C(1) << 3 * (digits)) - 1)

/* --- bytes ---------------------------------------------------------------------- */

/* Room for @n more, as part of what is there. */
static uint8_t *bytes_room(struct tar_bytes *to, size_t n)
{
        uint8_t *p;

        if (to->cap - to->n < n) {
                to->cap = (to->n + n) * 2;
                to->data = lsr_xrealloc(to->data, to->cap);
        }
        p = to->data + to->n;
        to->n += n;
        return p;
}

void tar_bytes_add(struct tar_bytes *to, const void *data, size_t n)
{
        uint8_t *p = bytes_room(to, n);

        if (data && n)
                memcpy(p, data, n);
        else if (n)
                memset(p, 0, n);
}

static void bytes_text(struct tar_bytes *to, const char *text)
{
        tar_bytes_add(to, text, strlen(text));
}

/* Zeros up to the end of a block. */
static void bytes_pad(struct tar_bytes *to)
{
        tar_bytes_add(to, NULL, -to->n % TAR_BLOCK);
}

static size_t decimal(char *buf, uint64_t v)
{
        return (size_t)sprintf(buf, "%llu", (unsigned long long)v);
}

/* --- records -------------------------------------------------------------------- */

/* The length of a record counts its own digits. */
static size_t record_length(size_t key_len, size_t n)
{
        size_t rest = key_len + n + 3, len = rest + 1;
        char digits[24];

        while (rest + decimal(digits, len) != len)
                len = rest + decimal(digits, len);
        return len;
}

static void record_begin(struct tar_bytes *to, size_t key_len, size_t n)
{
        char digits[24];

        tar_bytes_add(to, digits, decimal(digits, record_length(key_len, n)));
        tar_bytes_add(to, " ", 1);
}

static void record_end(struct tar_bytes *to, const void *value, size_t n)
{
        tar_bytes_add(to, "=", 1);
        tar_bytes_add(to, value, n);
        tar_bytes_add(to, "\n", 1);
}

static void record_bytes(struct tar_blocks *b, const char *key, const void *value, size_t n)
{
        record_begin(&b->records, strlen(key), n);
        bytes_text(&b->records, key);
        record_end(&b->records, value, n);
}

/* Records are UTF-8 by definition.  Names on Linux are bytes: a record marks those that are not UTF-8. */
static void record_name(struct tar_blocks *b, const char *key, const char *value, size_t n)
{
        if (!b->binary && !lsr_utf8_valid(value, n)) {
                record_bytes(b, "hdrcharset", "BINARY", 6);
                b->binary = true;
        }
        record_bytes(b, key, value, n);
}

static void record_number(struct tar_blocks *b, const char *key, uint64_t v)
{
        char digits[24];

        record_bytes(b, key, digits, decimal(digits, v));
}

/* Before 1970 fractions count backwards: 0.25 behind -2 is -1.75. */
static void record_time(struct tar_blocks *b, int64_t sec, uint32_t nsec)
{
        bool negative = sec < 0;
        uint64_t whole = negative ? -(uint64_t)sec : (uint64_t)sec;
        char text[48];

        if (negative && nsec) {
                whole--;
                nsec = 1000000000 - nsec;
        }
        record_bytes(b, "mtime", text,
                     (size_t)sprintf(text, nsec ? "%s%llu.%09u" : "%s%llu", negative ? "-" : "",
                                     (unsigned long long)whole, nsec));
}

/* --- a header block ------------------------------------------------------------- */

/* Digits up to the NUL at the end of the field; the largest number that fits if it does not. */
static void header_octal(uint8_t *field, size_t n, uint64_t v)
{
        v = v < TAR_OCTAL_MAX(n - 1) ? v : TAR_OCTAL_MAX(n - 1);
        for (size_t i = n - 1; i-- > 0; v >>= 3)
                field[i] = (uint8_t)('0' + (v & 7));
}

/* A text that may fill its field to the last byte, or all of it that has room. */
static void header_text(uint8_t *field, size_t n, const void *text, size_t len)
{
        if (len)
                memcpy(field, text, len < n ? len : n);
}

static void header_seal(uint8_t *block)
{
        unsigned sum = 0;

        memcpy(block + 257, "ustar\00000", 8);
        memset(block + 148, ' ', 8);
        for (size_t i = 0; i < TAR_BLOCK; i++)
                sum += block[i];
        header_octal(block + 148, 7, sum);
}

/* Split at a '/' if that makes it fit. */
static bool header_path(uint8_t *block, const char *path, size_t n)
{
        size_t cut = n > 101 ? n - 101 : 0;

        if (n <= 100) {
                header_text(block, 100, path, n);
                return true;
        }
        while (cut < n - 1 && (cut == 0 || path[cut] != '/'))
                cut++;
        if (cut > 155 || cut >= n - 1) {
                header_text(block, 100, path, n);
                return false;
        }
        header_text(block + 345, 155, path, cut);
        header_text(block, 100, path + cut + 1, n - cut - 1);
        return true;
}

/* What a tar without sparse members would extract: dir/GNUSparseFile.0/name. */
static void header_sparse_path(uint8_t *block, const char *path, size_t n)
{
        const char *slash = memrchr(path, '/', n);
        size_t dir = slash ? (size_t)(slash - path) + 1 : 0;
        struct tar_bytes fake = {};

        tar_bytes_add(&fake, path, dir);
        bytes_text(&fake, "GNUSparseFile.0/");
        tar_bytes_add(&fake, path + dir, n - dir);
        header_path(block, (const char *)fake.data, fake.n);
        free(fake.data);
}

static char header_type(const struct lsr_member *m)
{
        if (m->flags & LSR_MEMBER_HARDLINK)
                return '1';
        switch (m->meta.mode & S_IFMT) {
        case S_IFREG:
                return '0';
        case S_IFLNK:
                return '2';
        case S_IFCHR:
                return '3';
        case S_IFBLK:
                return '4';
        case S_IFDIR:
                return '5';
        case S_IFIFO:
                return '6';
        default:
                return '\0';
        }
}

/* --- parts of a member ---------------------------------------------------------- */

/* Fields of an owner, with records where they have no room. */
static void member_owner(struct tar_blocks *b, uint8_t *block, const struct lsr_member *m)
{
        const char *names[] = { m->user ? m->user : "", m->group ? m->group : "" };
        const uint32_t ids[] = { m->meta.uid, m->meta.gid };

        for (unsigned i = 0; i < 2; i++) {
                size_t n = strlen(names[i]);

                header_octal(block + 108 + 8 * i, 8, ids[i]);
                if (ids[i] > TAR_OCTAL_MAX(7))
                        record_number(b, i ? "gid" : "uid", ids[i]);
                header_text(block + 265 + 32 * i, 31, names[i], n);
                if (n > 31)
                        record_name(b, i ? "gname" : "uname", names[i], n);
        }
}

static void member_time(struct tar_blocks *b, uint8_t *block, const struct lsr_meta *meta)
{
        int64_t sec = meta->sec[LSR_MTIME];

        header_octal(block + 136, 12, sec < 0 ? 0 : (uint64_t)sec);
        /* Times before 1970 are large numbers here. */
        if (meta->nsec[LSR_MTIME] || (uint64_t)sec > TAR_OCTAL_MAX(11))
                record_time(b, sec, meta->nsec[LSR_MTIME]);
}

/* The map goes behind the headers; @to is empty. */
static int member_map(struct tar_bytes *to, const struct lsr_extent *extents, size_t n, uint64_t size,
                      uint64_t *ret_data)
{
        /* A hole at the end is marked by an empty piece after it. */
        bool tail = n == 0;
        char line[64];
        uint64_t data = 0;

        if (n > LSR_EXTENTS_MAX)
                return -E2BIG;
        if (n)
                tail = extents[n - 1].offset + extents[n - 1].size < size;
        tar_bytes_add(to, line, (size_t)sprintf(line, "%zu\n", n + tail));
        for (size_t i = 0; i < n; i++) {
                tar_bytes_add(to, line,
                              (size_t)sprintf(line, "%llu\n%llu\n", (unsigned long long)extents[i].offset,
                                              (unsigned long long)extents[i].size));
                data += extents[i].size;
        }
        if (tail)
                tar_bytes_add(to, line, (size_t)sprintf(line, "%llu\n0\n", (unsigned long long)size));
        bytes_pad(to);
        *ret_data = data;
        return 0;
}

/* One attribute as record, and as the reader will have it. */
static int member_xattr(struct tar_blocks *b, const char *prefix, const char *name, const void *value, size_t n)
{
        struct tar_bytes *to = &b->records;
        size_t name_len = strlen(name), key_len = strlen(prefix) + name_len;
        uint8_t len[4];

        for (const char *s = name; *s; s++)
                key_len += *s == '%' || *s == '=' ? 2 : 0;
        if (to->n + record_length(key_len, n) > WRITE_HEADER_MAX)
                return LSR_LOSS_XATTRS;
        record_begin(to, key_len, n);
        bytes_text(to, prefix);
        for (const char *s = name; *s; s++) {
                if (*s == '%' || *s == '=')
                        bytes_text(to, *s == '%' ? "%25" : "%3D");
                else
                        tar_bytes_add(to, s, 1);
        }
        record_end(to, value, n);

        lsr_put_le32(len, (uint32_t)n);
        tar_bytes_add(&b->xattrs, name, name_len + 1);
        tar_bytes_add(&b->xattrs, len, sizeof(len));
        tar_bytes_add(&b->xattrs, value, n);
        return 0;
}

static int member_acl(struct tar_blocks *b, const char *name, const uint8_t *value, size_t n)
{
        struct tar_bytes text = {};
        int r = tar_acl_text(&text, value, n);

        if (r < 0)
                r = LSR_LOSS_ACL;
        else if (text.n)
                r = member_xattr(b, "", name, text.data, text.n) ? LSR_LOSS_ACL : 0;
        if (r == 0 && text.n)
                b->member.flags |= LSR_MEMBER_ACL;
        free(text.data);
        return r;
}

static int member_xattrs(struct tar_blocks *b, const struct lsr_member *m)
{
        const uint8_t *at = m->xattrs, *end = m->xattrs_len ? at + m->xattrs_len : at;
        int losses = 0;

        while (at < end) {
                const char *name = (const char *)at;
                const uint8_t *value = at + strlen(name) + 5;
                size_t n = lsr_le32(value - 4);

                assert(n <= (size_t)(end - value));
                if (strcmp(name, "system.posix_acl_access") == 0)
                        losses |= member_acl(b, "SCHILY.acl.access", value, n);
                else if (strcmp(name, "system.posix_acl_default") == 0)
                        losses |= member_acl(b, "SCHILY.acl.default", value, n);
                else
                        losses |= member_xattr(b, "SCHILY.xattr.", name, value, n);
                at = value + n;
        }
        b->member.xattrs = b->xattrs.n ? b->xattrs.data : NULL;
        b->member.xattrs_len = b->xattrs.n;
        return losses;
}

/* --- a member ------------------------------------------------------------------- */

/* The header as readers interpret it. */
static void member_settle(struct tar_blocks *b, const struct lsr_member *m, bool sparse)
{
        uint32_t type = m->flags & LSR_MEMBER_HARDLINK ? S_IFREG : m->meta.mode & S_IFMT;
        struct lsr_member *to = &b->member;

        to->path = (const char *)b->path.data;
        to->path_len = b->path.n;
        to->meta = m->meta;
        to->meta.known = LSR_FIELD_TYPE | LSR_FIELD_MODE | LSR_FIELD_UID | LSR_FIELD_GID | LSR_FIELD_SIZE |
                         LSR_FIELD_MTIME;
        to->meta.mode = type | (m->meta.mode & 07777);
        to->user = m->user && *m->user ? m->user : NULL;
        to->group = m->group && *m->group ? m->group : NULL;
        to->flags |= m->flags & LSR_MEMBER_HARDLINK;
        if (sparse)
                to->flags |= LSR_MEMBER_SPARSE;
        if (m->flags & LSR_MEMBER_HARDLINK || type == S_IFLNK) {
                to->target = m->target_len ? m->target : NULL;
                to->target_len = m->target_len;
        }
        if (type == S_IFCHR || type == S_IFBLK)
                to->meta.known |= LSR_FIELD_DEV;
        else
                to->meta.rdev = 0;
        if (m->flags & LSR_MEMBER_HARDLINK || type != S_IFREG)
                to->meta.size = type == S_IFLNK ? m->target_len : 0;
        to->packed = b->stored;
}

/* The name as it is stored: directories end in '/'. */
static void member_path(struct tar_blocks *b, const struct lsr_member *m)
{
        if (m->path_len == 0)
                bytes_text(&b->path, ".");
        tar_bytes_add(&b->path, m->path, m->path_len);
        if (S_ISDIR(m->meta.mode))
                bytes_text(&b->path, "/");
}

/* The header of the member itself, with what it has no room for as records.  A set of losses or -ENAMETOOLONG. */
static int member_header(struct tar_blocks *b, uint8_t *block, const struct lsr_member *m, bool sparse)
{
        const char *path = (const char *)b->path.data;

        header_octal(block + 100, 8, m->meta.mode & 07777);
        header_octal(block + 124, 12, b->stored);
        block[156] = (uint8_t)header_type(m);
        member_time(b, block, &m->meta);
        member_owner(b, block, m);
        if (S_ISCHR(m->meta.mode) || S_ISBLK(m->meta.mode)) {
                header_octal(block + 329, 8, lsr_dev_major(m->meta.rdev));
                header_octal(block + 337, 8, lsr_dev_minor(m->meta.rdev));
        }
        if (sparse) {
                header_sparse_path(block, path, b->path.n);
                record_number(b, "GNU.sparse.major", 1);
                record_number(b, "GNU.sparse.minor", 0);
                record_name(b, "GNU.sparse.name", path, b->path.n);
                record_number(b, "GNU.sparse.realsize", m->meta.size);
        } else if (!header_path(block, path, b->path.n)) {
                record_name(b, "path", path, b->path.n);
        }
        if (b->stored > TAR_OCTAL_MAX(11))
                record_number(b, "size", b->stored);
        if (m->flags & LSR_MEMBER_HARDLINK || S_ISLNK(m->meta.mode)) {
                header_text(block + 157, 100, m->target, m->target_len);
                if (m->target_len > 100)
                        record_name(b, "linkpath", m->target, m->target_len);
        }
        header_seal(block);
        if (b->records.n > WRITE_HEADER_MAX)
                return -ENAMETOOLONG;
        return member_xattrs(b, m);
}

/* The records, before the header. */
static void member_pax(struct tar_blocks *b)
{
        uint8_t block[TAR_BLOCK] = {};

        header_text(block, 100, "././@PaxHeader", 14);
        header_octal(block + 100, 8, 0);
        header_octal(block + 108, 8, 0);
        header_octal(block + 116, 8, 0);
        header_octal(block + 124, 12, b->records.n);
        header_octal(block + 136, 12, 0);
        block[156] = 'x';
        header_seal(block);
        tar_bytes_add(&b->bytes, block, sizeof(block));
        tar_bytes_add(&b->bytes, b->records.data, b->records.n);
        bytes_pad(&b->bytes);
}

int tar_blocks_make(struct tar_blocks *b, const struct lsr_member *m, const struct lsr_extent *extents, size_t n)
{
        bool content = S_ISREG(m->meta.mode) && !(m->flags & LSR_MEMBER_HARDLINK), sparse = content && extents;
        uint8_t block[TAR_BLOCK] = {};
        struct tar_bytes map = {};
        int r = 0;

        b->bytes.n = b->path.n = b->records.n = b->xattrs.n = 0;
        b->member = (struct lsr_member){};
        b->binary = false;
        if (header_type(m) == '\0')
                return LSR_LOSS_KIND;
        b->data = content ? m->meta.size : 0;
        if (sparse)
                r = member_map(&map, extents, n, m->meta.size, &b->data);
        if (r == 0) {
                b->stored = map.n + b->data;
                member_path(b, m);
                r = member_header(b, block, m, sparse);
        }
        if (r >= 0) {
                if (b->records.n)
                        member_pax(b);
                tar_bytes_add(&b->bytes, block, sizeof(block));
                b->headers = b->bytes.n;
                tar_bytes_add(&b->bytes, map.data, map.n);
                b->padding = -b->stored % TAR_BLOCK;
                member_settle(b, m, sparse);
        }
        free(map.data);
        return r;
}

void tar_blocks_free(struct tar_blocks *b)
{
        free(b->bytes.data);
        free(b->path.data);
        free(b->records.data);
        free(b->xattrs.data);
}
