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

#define MAGIC_DAMAGED 24 /* digits of a header of cpio, of 70 or 104: of a text most are none */
#define MAGIC_HEX "0123456789abcdefABCDEF"
#define MAGIC_7Z "7z\xbc\xaf\x27\x1c"

/* Are the bytes at @at those of @magic?  */
static bool magic_at(const struct lsr_probe *p, size_t at, const char *magic, size_t n)
{
        return p->head_len >= at + n && !memcmp(p->head + at, magic, n);
}

/* An installer's settings, which lie between the program and a 7z. */
static const char magic_settings[] = ";!@Install@!";

size_t lsr_magic_behind(const struct lsr_probe *p)
{
        const uint8_t *archive = NULL;

        if (p->behind_len > strlen(magic_settings) && !memcmp(p->behind, magic_settings, strlen(magic_settings)))
                archive = memmem(p->behind, p->behind_len, MAGIC_7Z, 6);
        return archive ? (size_t)(archive - p->behind) : 0;
}

/* At the beginning, or where a self-extracting archive has it. */
static bool magic_or_behind(const struct lsr_probe *p, const char *magic, size_t n)
{
        size_t at = lsr_magic_behind(p);

        return magic_at(p, 0, magic, n) || (p->behind_len >= at + n && !memcmp(p->behind + at, magic, n));
}

bool lsr_magic_7z(const struct lsr_probe *p)
{
        return magic_or_behind(p, MAGIC_7Z, 6);
}

bool lsr_magic_rar(const struct lsr_probe *p)
{
        return magic_or_behind(p, "Rar!\x1a\x07\x00", 7);
}

bool lsr_magic_rar5(const struct lsr_probe *p)
{
        return magic_or_behind(p, "Rar!\x1a\x07\x01\x00", 8);
}

/* The identifier of the first volume descriptor, behind 16 sectors that belong to the system. */
bool lsr_magic_iso9660(const struct lsr_probe *p)
{
        return magic_at(p, 32769, "CD001", 5);
}

/* Is the text at @at @n digits of that base, but for at most @damaged? */
static bool magic_digits(const struct lsr_probe *p, size_t at, size_t n, const char *digits, size_t damaged)
{
        size_t others = 0;

        if (p->head_len < at + n)
                return false;
        for (size_t i = 0; i < n; i++)
                others += !p->head[at + i] || !strchr(digits, p->head[at + i]);
        return others <= damaged;
}

/* The header of a cpio in digits, behind six that are magic.  If many of them are damaged another one must follow. */
static bool magic_cpio_digits(const struct lsr_probe *p, size_t n, const char *digits)
{
        const uint8_t *at = p->head, *end = p->head + p->head_len;

        if (magic_digits(p, 6, n, digits, MAGIC_DAMAGED))
                return true;
        while ((at = memmem(at + 1, (size_t)(end - at) - 1, p->head, 6)))
                if (magic_digits(p, (size_t)(at - p->head) + 6, n, digits, 0))
                        return true;
        return false;
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
                return magic_cpio_digits(p, 70, "01234567");
        if (magic_at(p, 0, "070701", 6) || magic_at(p, 0, "070702", 6))
                return magic_cpio_digits(p, 104, MAGIC_HEX);
        return magic_cpio_binary(p, lsr_le16) || magic_cpio_binary(p, lsr_be16);
}

/* The name ends where its length says: a number that is damaged is no magic number. */
static bool magic_newc_name(const struct lsr_probe *p)
{
        size_t n = 0;

        if (!magic_digits(p, 6, 104, MAGIC_HEX, 0))
                return false;
        for (size_t i = 94; i < 102; i++)
                n = n << 4 | (size_t)(p->head[i] <= '9' ? p->head[i] - '0' : (p->head[i] & 0xf) + 9);
        return n >= 2 && n <= 4096 && p->head_len >= 110 + n && memchr(p->head + 110, 0, n) == p->head + 109 + n;
}

bool lsr_magic_newc(const struct lsr_probe *p)
{
        static const uint8_t magic[] = "07070";
        size_t same = 0;

        if (p->head_len < 6 || p->head[5] == '7')
                return false;
        for (size_t i = 0; i < 5; i++)
                same += p->head[i] == magic[i];
        same += p->head[5] == '1' || p->head[5] == '2';
        return same == 6 || (same == 5 && magic_newc_name(p));
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
        return magic_at(p, 0, "WARC/", 5) && magic_digits(p, 5, 1, "0123456789", 0);
}

/* The first line is a comment, with a version perhaps. */
bool lsr_magic_mtree(const struct lsr_probe *p)
{
        return magic_at(p, 0, "#mtree", 6) && (p->head_len == 6 || strchr("\n\r\t ", p->head[6]));
}
