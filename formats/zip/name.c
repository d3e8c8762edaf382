/*
 * name - the character set of names
 *
 * A zip marks a name as UTF-8 (4.4.4, bit 11), or has it a second time in an
 * extra field (4.6.9), or does not declare its character set.  By appendix D
 * this means code page 437, but most writers on Unix store UTF-8 without
 * declaring it, and text in another character set is hardly ever valid UTF-8.
 * So valid UTF-8 is taken as UTF-8, and other names as code page 437.  But
 * where Info-ZIP's fields of Unix give an owner, the writer took the bytes
 * from its file system, and stock tools restore these bytes: such names are
 * not converted.  Whoever says --encoding knows better.
 */
#include "formats/zip/zip.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "formats/encoding.h"
#include "formats/filter/crc.h"

/* Hosts whose paths have backslashes, 4.4.2: FAT, HPFS, NTFS (10, and 11 to Info-ZIP), VFAT. */
static bool name_backslashes(unsigned host)
{
        return host == 0 || host == 6 || host == 10 || host == 11 || host == 14;
}

/* Names that are bytes of a file system. */
static bool name_is_raw(const struct lsr_zip_entry *e)
{
        return e->host == 3 && e->known & LSR_FIELD_UID;
}

/* Whether a name can be used where it is: ASCII, with no byte that would have to be changed. */
static bool name_is_plain(const uint8_t *p, size_t n, bool backslashes)
{
        uint64_t all = 0, word;
        size_t i = 0;

        for (; n - i >= sizeof(word); i += sizeof(word)) {
                memcpy(&word, p + i, sizeof(word));
                all |= word;
        }
        for (; i < n; i++)
                all |= p[i];
        return !(all & UINT64_C(0x8080808080808080)) && !(backslashes && memchr(p, '\\', n));
}

/* The @n bytes at @p in t->text; as the table knows them, or as they are. */
static size_t name_decode(struct lsr_zip_text *t, const struct lsr_encoding *e, const uint8_t *p, size_t n)
{
        size_t len = lsr_encoding_decode(e, (const char *)p, n, lsr_renew(&t->text, 3 * n, &t->cap));

        if (len == SIZE_MAX)
                memcpy(t->text, p, len = n);
        return len;
}

const char *lsr_zip_name(struct lsr_zip_text *t, const struct lsr_zip_entry *e, size_t *ret_len)
{
        bool backslashes = name_backslashes(e->host), declared = e->flags & LSR_ZIP_UTF8;
        const uint8_t *p = e->name;
        size_t n = e->name_len;

        if (!declared && e->unicode && lsr_crc32(0, p, n) == e->unicode_crc &&
            lsr_utf8_valid(e->unicode, e->unicode_len)) {
                p = e->unicode;
                n = e->unicode_len;
                declared = true;
        }
        *ret_len = n;
        if (name_is_plain(p, n, backslashes))
                return (const char *)p;
        if (declared || (name_is_raw(e) && !t->encoding) || lsr_utf8_valid(p, n)) {
                if (!backslashes)
                        return (const char *)p;
                memcpy(lsr_renew(&t->text, n, &t->cap), p, n);
        } else {
                /* The first of them is code page 437. */
                *ret_len = n = name_decode(t, t->encoding ? t->encoding : &lsr_encodings[0], p, n);
        }
        if (backslashes)
                for (size_t i = 0; i < n; i++)
                        if (t->text[i] == '\\')
                                t->text[i] = '/';
        return t->text;
}

bool lsr_zip_name_stands(const uint8_t *p)
{
        size_t name_len = lsr_le16(p + 28), extra_len = lsr_le16(p + 30), at = 0;
        const uint8_t *name = p + LSR_ZIP_CENTRAL_BYTES, *extra = name + name_len;

        if (!name_is_plain(name, name_len, name_backslashes(p[5])))
                return false;
        if (lsr_le16(p + 8) & LSR_ZIP_UTF8)
                return true;
        while (extra_len - at >= 4 && lsr_le16(extra + at) != LSR_ZIP_UNICODE) {
                size_t n = lsr_le16(extra + at + 2);

                if (n > extra_len - at - 4)
                        return true;
                at += 4 + n;
        }
        return extra_len - at < 4;
}
