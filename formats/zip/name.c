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
 * not converted.
 */
#include "formats/zip/zip.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "formats/filter/crc.h"

/* Code page 437 from 0x80 up, as Unicode: unicode.org/Public/MAPPINGS/VENDORS/MICSFT/PC/CP437.TXT. */
static const uint16_t name_cp437[128] = {
        // clang-format off
        0x00c7, 0x00fc, 0x00e9, 0x00e2, 0x00e4, 0x00e0, 0x00e5, 0x00e7,
        0x00ea, 0x00eb, 0x00e8, 0x00ef, 0x00ee, 0x00ec, 0x00c4, 0x00c5,
        0x00c9, 0x00e6, 0x00c6, 0x00f4, 0x00f6, 0x00f2, 0x00fb, 0x00f9,
        0x00ff, 0x00d6, 0x00dc, 0x00a2, 0x00a3, 0x00a5, 0x20a7, 0x0192,
        0x00e1, 0x00ed, 0x00f3, 0x00fa, 0x00f1, 0x00d1, 0x00aa, 0x00ba,
        0x00bf, 0x2310, 0x00ac, 0x00bd, 0x00bc, 0x00a1, 0x00ab, 0x00bb,
        0x2591, 0x2592, 0x2593, 0x2502, 0x2524, 0x2561, 0x2562, 0x2556,
        0x2555, 0x2563, 0x2551, 0x2557, 0x255d, 0x255c, 0x255b, 0x2510,
        0x2514, 0x2534, 0x252c, 0x251c, 0x2500, 0x253c, 0x255e, 0x255f,
        0x255a, 0x2554, 0x2569, 0x2566, 0x2560, 0x2550, 0x256c, 0x2567,
        0x2568, 0x2564, 0x2565, 0x2559, 0x2558, 0x2552, 0x2553, 0x256b,
        0x256a, 0x2518, 0x250c, 0x2588, 0x2584, 0x258c, 0x2590, 0x2580,
        0x03b1, 0x00df, 0x0393, 0x03c0, 0x03a3, 0x03c3, 0x00b5, 0x03c4,
        0x03a6, 0x0398, 0x03a9, 0x03b4, 0x221e, 0x03c6, 0x03b5, 0x2229,
        0x2261, 0x00b1, 0x2265, 0x2264, 0x2320, 0x2321, 0x00f7, 0x2248,
        0x00b0, 0x2219, 0x00b7, 0x221a, 0x207f, 0x00b2, 0x25a0, 0x00a0,
        // clang-format on
};

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

/* All of the table is below U+10000 and above U+007F: two or three bytes. */
static size_t name_from_cp437(struct lsr_zip_text *t, const uint8_t *p, size_t n)
{
        char *to = lsr_renew(&t->text, 3 * n, &t->cap), *start = to;

        for (size_t i = 0; i < n; i++) {
                unsigned c = p[i] < 0x80 ? p[i] : name_cp437[p[i] - 0x80];

                if (c < 0x80) {
                        *to++ = (char)c;
                } else if (c < 0x800) {
                        *to++ = (char)(0xc0 | c >> 6);
                        *to++ = (char)(0x80 | (c & 0x3f));
                } else {
                        *to++ = (char)(0xe0 | c >> 12);
                        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
                        *to++ = (char)(0x80 | (c & 0x3f));
                }
        }
        return (size_t)(to - start);
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
        if (declared || name_is_raw(e) || lsr_utf8_valid(p, n)) {
                if (!backslashes)
                        return (const char *)p;
                memcpy(lsr_renew(&t->text, n, &t->cap), p, n);
        } else {
                *ret_len = n = name_from_cp437(t, p, n);
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
