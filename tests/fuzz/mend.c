/*
 * mend - mutated bundles whose sums and offsets are right, so that parsers are reached behind them
 */
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "formats/lsr1/lsr1.h"
#include "formats/zip/zip.h"
#include "fuzz.h"

#define MEND_ENTRIES_MAX 64u

static void mend_octal(uint8_t *field, unsigned digits, uint64_t value)
{
        while (digits-- > 0) {
                field[digits] = (uint8_t)('0' + value % 8);
                value /= 8;
        }
}

/* Checksums of the blocks where headers are to be expected, and what says how long the content is. */
void fuzz_mend_tar(uint8_t *data, size_t n)
{
        for (size_t at = 0; at + 512 <= n;) {
                uint8_t *block = data + at;
                uint64_t size = 0;
                unsigned sum = 0;

                for (unsigned i = 124; i < 135 && block[i] >= '0' && block[i] <= '7'; i++)
                        size = size * 8 + (uint64_t)(block[i] - '0');
                memset(block + 148, ' ', 8);
                for (unsigned i = 0; i < 512; i++)
                        sum += block[i];
                /* Those of all zeros end the tar. */
                if (sum == 8 * ' ') {
                        memset(block + 148, 0, 8);
                } else {
                        mend_octal(block + 148, 6, sum);
                        block[154] = '\0';
                }
                if (size > n)
                        size = 0;
                at += 512 + ((size_t)size + 511) / 512 * 512;
        }
}

/* --- zip -------------------------------------------------------------------------- */

/* The next signature from @at on; @n: there is none. */
static size_t zip_find(const uint8_t *data, size_t n, size_t at, uint32_t signature)
{
        while (at + 4 <= n && lsr_le32(data + at) != signature)
                at++;
        return at + 4 <= n ? at : n;
}

/* Of stored and of deflated content. */
static void zip_crc(uint8_t *data, size_t n, uint8_t *central, size_t local)
{
        static uint8_t out[1 << 18];
        size_t at = local + LSR_ZIP_LOCAL_BYTES, packed = lsr_le32(central + 20);
        uint32_t crc;

        if (at > n || (at = local + lsr_zip_local_length(data + local)) > n || packed > n - at)
                return;
        if (lsr_le16(central + 10) == LSR_ZIP_STORE) {
                crc = (uint32_t)crc32(0, data + at, (unsigned)packed);
                lsr_put_le32(central + 24, (uint32_t)packed);
        } else {
                z_stream z = { .next_in = data + at, .avail_in = (unsigned)packed };

                z.next_out = out;
                z.avail_out = sizeof(out);
                if (lsr_le16(central + 10) != LSR_ZIP_DEFLATE || inflateInit2(&z, -MAX_WBITS) != Z_OK)
                        return;
                inflate(&z, Z_FINISH);
                inflateEnd(&z);
                crc = (uint32_t)crc32(0, out, (unsigned)z.total_out);
                lsr_put_le32(central + 24, (uint32_t)z.total_out);
        }
        lsr_put_le32(central + 16, crc);
        lsr_put_le32(data + local + 14, crc);
}

/* Offsets of central headers, their number and place in the end record, and checksums of contents. */
void fuzz_mend_zip(uint8_t *data, size_t n)
{
        size_t first = zip_find(data, n, 0, LSR_ZIP_CENTRAL), at = first, local = 0, end = first;
        unsigned entries = 0;

        while (at + LSR_ZIP_CENTRAL_BYTES <= n && lsr_le32(data + at) == LSR_ZIP_CENTRAL &&
               entries < MEND_ENTRIES_MAX) {
                size_t length = lsr_zip_central_length(data + at);

                local = zip_find(data, first, local, LSR_ZIP_LOCAL);
                if (local < first && local + LSR_ZIP_LOCAL_BYTES <= first) {
                        lsr_put_le32(data + at + 42, (uint32_t)local);
                        zip_crc(data, first, data + at, local);
                        local += 4;
                }
                entries++;
                at += length;
                end = at;
        }
        at = zip_find(data, n, end < n ? end : n, LSR_ZIP_END);
        if (at + LSR_ZIP_END_BYTES > n)
                return;
        lsr_put_le16(data + at + 8, (uint16_t)entries);
        lsr_put_le16(data + at + 10, (uint16_t)entries);
        lsr_put_le32(data + at + 12, (uint32_t)(end - first));
        lsr_put_le32(data + at + 16, (uint32_t)first);
        lsr_put_le16(data + at + 20, (uint16_t)(n - at - LSR_ZIP_END_BYTES));
}

/* --- LSR1 ------------------------------------------------------------------------- */

/* Magic numbers and sums of seek table and locator, of as many entries as fit. */
void fuzz_mend_lsr1(uint8_t *data, size_t n)
{
        uint64_t at = 0, raw = 0;
        uint8_t *table, *locator, *entry;
        uint32_t entries;
        size_t need, each;

        if (n < LSR1_FOOTER + LSR1_SKIPPABLE + LSR1_LOCATOR + 3 * LSR1_SUMMED)
                return;
        each = data[n - LSR1_FOOTER + 4] & LSR1_SUMS ? LSR1_SUMMED : LSR1_ENTRY;
        entries = lsr_le32(data + n - LSR1_FOOTER);
        if (entries < 3 || entries > (n - LSR1_FOOTER - LSR1_SKIPPABLE - LSR1_LOCATOR) / each)
                entries = 4 > (n - LSR1_FOOTER - LSR1_SKIPPABLE - LSR1_LOCATOR) / each ? 3 : 4;
        need = LSR1_SKIPPABLE + (size_t)entries * each + LSR1_FOOTER;
        table = data + n - need;
        lsr_put_le32(data + n - LSR1_FOOTER, entries);
        data[n - LSR1_FOOTER + 4] = each == LSR1_SUMMED ? LSR1_SUMS : 0;
        lsr_put_le32(data + n - 4, LSR1_FOOTER_MAGIC);
        lsr_put_le32(table, LSR1_TABLE_MAGIC);
        lsr_put_le32(table + 4, (uint32_t)(need - LSR1_SKIPPABLE));
        entry = table + LSR1_SKIPPABLE;
        for (uint32_t i = 0; i + 2 < entries; i++, entry += each) {
                at += lsr_le32(entry);
                raw += lsr_le32(entry + 4);
        }
        locator = table - LSR1_LOCATOR;
        lsr_put_le32(entry + 4, 0);
        lsr_put_le32(entry + each, LSR1_LOCATOR);
        lsr_put_le32(entry + each + 4, 0);
        if (each == LSR1_SUMMED) {
                lsr_put_le32(entry + 8, LSR1_NOTHING);
                lsr_put_le32(entry + each + 8, LSR1_NOTHING);
        }
        lsr_put_le32(locator, LSR1_MAGIC);
        lsr_put_le32(locator + 4, LSR1_LOCATOR - LSR1_SKIPPABLE);
        lsr_put_le64(locator + 24, at);
        lsr_put_le64(locator + 48, raw);
        if (at + LSR1_SKIPPABLE < (uint64_t)(locator - data)) {
                uint64_t clen = (uint64_t)(locator - data) - at - LSR1_SKIPPABLE;

                lsr_put_le64(locator + 32, clen);
                lsr_put_le32(entry, (uint32_t)(clen + LSR1_SKIPPABLE));
                lsr_put_le32(data + at, LSR1_MAGIC);
                lsr_put_le32(data + at + 4, (uint32_t)clen);
        }
        lsr_put_le32(locator + 60, (uint32_t)crc32(0, locator, 60));
}

/* --- SQLite ----------------------------------------------------------------------- */

static void put_be32(uint8_t *p, uint32_t v)
{
        for (unsigned i = 0; i < 4; i++)
                p[i] = (uint8_t)(v >> (24 - 8 * i));
}

/* The header of the file, and a kind of page at the beginning of each that is meant to be one of a tree. */
void fuzz_mend_sqlite(uint8_t *data, size_t n)
{
        static const uint8_t kinds[] = { 2, 5, 10, 13 };
        uint32_t page;

        if (n < 512)
                return;
        page = (uint32_t)data[16] << 8 | data[17];
        if (page < 512 || page > 4096 || (page & (page - 1)))
                page = n % 1024 || n < 1024 ? 512 : 1024;
        memcpy(data, "SQLite format 3", 16);
        data[16] = (uint8_t)(page >> 8);
        data[17] = (uint8_t)page;
        data[18] = data[19] = 1;
        memcpy(data + 20, "\0\100\40\40", 4);
        memcpy(data + 92, data + 24, 4);
        put_be32(data + 28, (uint32_t)(n / page));
        put_be32(data + 56, data[59] % 8 ? 1 : 1 + data[59] / 8 % 3);
        for (size_t at = page; at + page <= n; at += page)
                if (data[at] > 0 && data[at] < 16)
                        data[at] = kinds[data[at] / 4];
        data[100] = data[100] == 5 ? 5 : 13;
}
