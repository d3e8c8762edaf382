/*
 * header - the block of 512 bytes that describes a member
 *
 *      0 name  100 mode  108 uid  116 gid  124 size  136 mtime  148 checksum  156 type  157 link
 *      257 magic  265 user  297 group  329 major  337 minor                    all but v7
 *      345 prefix                                                             ustar
 *      345 atime  357 ctime  386 four sparse pieces  482 more?  483 real size GNU
 *
 * Writers agree on little: numbers are padded with blanks or NUL on either
 * side or are binary, checksums were once summed up as signed chars, and GNU
 * tar took the space of the prefix for other things before it was standardised.
 * The magic number tells which of them it was.
 *
 * Every header is summed up, so the sum takes eight bytes at a time: lanes of
 * 16 bits hold 64 pairs of bytes without overflow.
 */
#include <errno.h>
#include <string.h>

#include "formats/tar/tar.h"

int tar_number(const uint8_t *field, size_t n, int64_t *ret_number)
{
        int64_t v = 0;
        size_t i = 0;

        if (field[0] & 0x80) {
                /* Bit 6 is the sign. */
                v = field[0] & 0x40 ? (int64_t)(field[0] & 0x7f) - 0x80 : field[0] & 0x7f;
                for (i = 1; i < n; i++)
                        if (__builtin_mul_overflow(v, 256, &v) || __builtin_add_overflow(v, field[i], &v))
                                return -EBADMSG;
                *ret_number = v;
                return 0;
        }
        while (i < n && field[i] == ' ')
                i++;
        if (i == n || field[i] == '\0')
                return 1;
        if (field[i] < '0' || field[i] > '7')
                return -EBADMSG;
        for (; i < n && field[i] >= '0' && field[i] <= '7'; i++)
                v = v * 8 + (field[i] - '0');
        if (i < n && field[i] != ' ' && field[i] != '\0')
                return -EBADMSG;
        *ret_number = v;
        return 0;
}

static unsigned header_sum(const uint8_t *block)
{
        const uint64_t mask = UINT64_C(0x00ff00ff00ff00ff);
        uint64_t lanes = 0;

        for (size_t i = 0; i < TAR_BLOCK; i += 8) {
                uint64_t v;

                memcpy(&v, block + i, 8);
                lanes += (v & mask) + (v >> 8 & mask);
        }
        return (unsigned)((lanes & 0xffff) + (lanes >> 16 & 0xffff) + (lanes >> 32 & 0xffff) + (lanes >> 48));
}

/* The checksum's own field counts as blanks. */
static bool header_sum_is(const uint8_t *block, unsigned sum)
{
        int64_t want;
        int own = 0, high = 0;

        if (tar_number(block + 148, 8, &want) != 0)
                return false;
        for (size_t i = 148; i < 156; i++)
                own += block[i];
        if (want == (int64_t)sum - own + 8 * ' ')
                return true;
        for (size_t i = 0; i < TAR_BLOCK; i++)
                high += (i < 148 || i >= 156) && block[i] & 0x80;
        return high && want == (int64_t)sum - own + 8 * ' ' - 256 * (int64_t)high;
}

static struct tar_text header_text(const uint8_t *field, size_t n)
{
        return (struct tar_text){ (const char *)field, strnlen((const char *)field, n) };
}

static void header_id(struct lsr_meta *m, unsigned bit, const uint8_t *field, uint32_t *ret_id)
{
        int64_t v;

        if (tar_number(field, 8, &v) == 0 && v >= 0 && v <= UINT32_MAX) {
                *ret_id = (uint32_t)v;
                m->known |= bit;
        }
}

static void header_device(struct lsr_meta *m, const uint8_t *block)
{
        int64_t major, minor;

        if (tar_number(block + 329, 8, &major) == 0 && tar_number(block + 337, 8, &minor) == 0 && major >= 0 &&
            major < 4096 && minor >= 0 && minor < 1 << 20) {
                m->rdev = (uint32_t)major << 20 | (uint32_t)minor;
                m->known |= LSR_FIELD_DEV;
        }
}

/* GNU tar fills these in only for incremental backups, and with zero or nothing otherwise. */
static void header_gnu_time(struct lsr_meta *m, enum lsr_time which, unsigned bit, const uint8_t *field)
{
        int64_t v;

        if (tar_number(field, 12, &v) == 0 && v != 0) {
                m->sec[which] = v;
                m->known |= bit;
        }
}

static enum tar_dialect header_dialect(const uint8_t *block)
{
        if (memcmp(block + 257, "ustar", 5) != 0)
                return TAR_V7;
        return block[262] == ' ' ? TAR_GNU : TAR_USTAR;
}

static void header_name(struct tar_header *h, const uint8_t *block)
{
        h->name = header_text(block, 100);
        if (h->dialect == TAR_USTAR && block[345] != '\0') {
                size_t prefix = strnlen((const char *)block + 345, 155);

                memcpy(h->joined, block + 345, prefix);
                h->joined[prefix] = '/';
                memcpy(h->joined + prefix + 1, block, h->name.len);
                h->name = (struct tar_text){ h->joined, prefix + 1 + h->name.len };
        }
}

int tar_header_parse(const uint8_t *block, struct tar_header *ret_header)
{
        struct tar_header *h = ret_header;
        unsigned sum = header_sum(block);
        int64_t v;
        int r;

        if (sum == 0)
                return 1;
        if (!header_sum_is(block, sum))
                return -EBADMSG;
        r = tar_number(block + 124, 12, &v);
        if (r < 0 || (r == 0 && v < 0))
                return -EBADMSG;
        h->dialect = header_dialect(block);
        h->type = (char)block[156];
        h->meta = (struct lsr_meta){ .known = LSR_FIELD_SIZE, .size = r == 0 ? (uint64_t)v : 0 };
        if (tar_number(block + 100, 8, &v) == 0) {
                h->meta.mode = (uint32_t)v & 07777;
                h->meta.known |= LSR_FIELD_MODE;
        }
        header_id(&h->meta, LSR_FIELD_UID, block + 108, &h->meta.uid);
        header_id(&h->meta, LSR_FIELD_GID, block + 116, &h->meta.gid);
        if (tar_number(block + 136, 12, &v) == 0) {
                h->meta.sec[LSR_MTIME] = v;
                h->meta.known |= LSR_FIELD_MTIME;
        }
        h->extended = false;
        h->real_size = 0;
        h->user[0] = h->group[0] = '\0';
        if (h->dialect != TAR_V7) {
                memcpy(h->user, block + 265, 32);
                memcpy(h->group, block + 297, 32);
                h->user[32] = h->group[32] = '\0';
                if (h->type == '3' || h->type == '4')
                        header_device(&h->meta, block);
        }
        if (h->dialect == TAR_GNU) {
                header_gnu_time(&h->meta, LSR_ATIME, LSR_FIELD_ATIME, block + 345);
                header_gnu_time(&h->meta, LSR_CTIME, LSR_FIELD_CTIME, block + 357);
                if (h->type == 'S') {
                        if (tar_number(block + 483, 12, &v) != 0 || v < 0)
                                return -EBADMSG;
                        h->real_size = (uint64_t)v;
                        h->extended = block[482] != 0;
                }
        }
        header_name(h, block);
        h->link = header_text(block + 157, 100);
        return 0;
}

#define HEADER_NUMBERS (sizeof(header_numbers) / sizeof(header_numbers[0]))

/* What every header but that of a volume has. */
static const struct {
        uint16_t at, n;
} header_numbers[] = { { 100, 8 }, { 108, 8 }, { 116, 8 }, { 124, 12 }, { 136, 12 } };

/* GNU tar leaves nearly all fields of a volume label blank, its magic number, too. */
bool tar_header_plausible(const uint8_t *block)
{
        struct tar_header h;

        if (tar_header_parse(block, &h) != 0)
                return false;
        if (h.dialect != TAR_V7)
                return true;
        if (h.name.len == 0 || !strchr("0123456V", h.type)) /* '\0', too */
                return false;
        for (size_t i = 0; i < h.name.len; i++)
                if ((uint8_t)h.name.s[i] < ' ' || h.name.s[i] == 0x7f)
                        return false;
        for (size_t i = 0; i < HEADER_NUMBERS; i++) {
                int64_t v;
                int r = tar_number(block + header_numbers[i].at, header_numbers[i].n, &v);

                if (block[header_numbers[i].at] & 0x80 || r < 0 || (r > 0 && h.type != 'V'))
                        return false;
        }
        return true;
}

/*
 * One byte that is damaged changes the magic number, or a field that is to be a number, or the checksum by less than
 * 256: a block in which all else is right can be nothing but a header.  What has the magic number alone is one if
 * another follows; so is a v7 that has none.
 */
bool tar_header_damaged(const uint8_t *block, bool follows)
{
        bool magic = header_dialect(block) != TAR_V7;
        unsigned wrong = !magic;
        int64_t v, sum = header_sum(block) + 8 * ' ';

        for (size_t i = 148; i < 156; i++)
                sum -= block[i];
        wrong += tar_number(block + 148, 8, &v) != 0 || v < sum - 255 || v > sum + 255;
        for (size_t i = 0; i < HEADER_NUMBERS; i++)
                wrong += tar_number(block + header_numbers[i].at, header_numbers[i].n, &v) != 0;
        return follows ? magic || wrong <= 2 : magic && wrong <= 1;
}
