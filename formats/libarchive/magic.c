/*
 * magic - the formats of libarchive, by their first bytes
 *
 * These are not libarchive's bids, which need an archive opened with all
 * parsers enabled, and some of which guess.
 */
#include "formats/libarchive/magic.h"

#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"

/* Are the bytes at @at those of @magic?  */
static bool magic_at(const struct lsr_probe *p, size_t at, const char *magic, size_t n)
{
        return p->head_len >= at + n && !memcmp(p->head + at, magic, n);
}

bool lsr_magic_7z(const struct lsr_probe *p)
{
        return magic_at(p, 0, "7z\xbc\xaf\x27\x1c", 6);
}

bool lsr_magic_rar(const struct lsr_probe *p)
{
        return magic_at(p, 0, "Rar!\x1a\x07\x00", 7);
}

bool lsr_magic_rar5(const struct lsr_probe *p)
{
        return magic_at(p, 0, "Rar!\x1a\x07\x01\x00", 8);
}

/* The identifier of the first volume descriptor, behind 16 sectors that belong to the system. */
bool lsr_magic_iso9660(const struct lsr_probe *p)
{
        return magic_at(p, 32769, "CD001", 5);
}

/* Is the text at @at @n digits of that base? */
static bool magic_digits(const struct lsr_probe *p, size_t at, size_t n, const char *digits)
{
        if (p->head_len < at + n)
                return false;
        for (size_t i = 0; i < n; i++)
                if (!p->head[at + i] || !strchr(digits, p->head[at + i]))
                        return false;
        return true;
}

/* Two bytes are no magic number: mode and name must make sense too. */
static bool magic_cpio_binary(const struct lsr_probe *p, uint16_t (*get)(const void *p))
{
        unsigned type, name;

        if (p->head_len < 26 || get(p->head) != 070707)
                return false;
        type = get(p->head + 6) & S_IFMT;
        name = get(p->head + 20);
        if (type != S_IFREG && type != S_IFDIR && type != S_IFLNK && type != S_IFCHR && type != S_IFBLK &&
            type != S_IFIFO && type != S_IFSOCK && type != 0)
                return false;
        return name >= 2 && name <= 4096 && p->head_len >= 26 + name &&
               memchr(p->head + 26, 0, name) == p->head + 25 + name;
}

bool lsr_magic_cpio(const struct lsr_probe *p)
{
        if (magic_at(p, 0, "070707", 6) || magic_at(p, 0, "070727", 6))
                return magic_digits(p, 6, 12, "01234567");
        if (magic_at(p, 0, "070701", 6) || magic_at(p, 0, "070702", 6))
                return magic_digits(p, 6, 104, "0123456789abcdefABCDEF");
        return magic_cpio_binary(p, lsr_le16) || magic_cpio_binary(p, lsr_be16);
}

bool lsr_magic_rpm(const struct lsr_probe *p)
{
        return magic_at(p, 0, "\xed\xab\xee\xdb", 4);
}

bool lsr_magic_cab(const struct lsr_probe *p)
{
        return magic_at(p, 0, "MSCF\0\0\0\0", 8);
}

/* The method, "-lh5-", and the level of the header. */
bool lsr_magic_lha(const struct lsr_probe *p)
{
        return p->head_len > 20 && magic_at(p, 2, "-l", 2) && (p->head[4] == 'h' || p->head[4] == 'z') &&
               p->head[6] == '-' && p->head[20] <= 3;
}

bool lsr_magic_ar(const struct lsr_probe *p)
{
        return magic_at(p, 0, "!<arch>\n", 8);
}

bool lsr_magic_warc(const struct lsr_probe *p)
{
        return magic_at(p, 0, "WARC/", 5) && magic_digits(p, 5, 1, "0123456789");
}
