/*
 * program - where an executable file ends
 *
 * A self-extracting archive is a program with an archive behind it.  How long the program is, its header says: that of
 * a PE by the sections, that of an ELF by the table of sections, which linkers put last.
 */
#include <string.h>

#include "base/bytes.h"
#include "formats/format.h"

#define PROGRAM_PE_HEADER 24u /* signature and COFF header */
#define PROGRAM_PE_SECTION 40u

static uint64_t program_end_pe(const uint8_t *head, size_t n)
{
        uint64_t pe = n >= 0x40 ? lsr_le32(head + 0x3c) : UINT64_MAX, at, end = 0;
        unsigned sections;

        if (pe >= n || n - pe < PROGRAM_PE_HEADER || memcmp(head + pe, "PE\0\0", 4) != 0)
                return 0;
        sections = lsr_le16(head + pe + 6);
        at = pe + PROGRAM_PE_HEADER + lsr_le16(head + pe + 20);
        for (unsigned i = 0; i < sections; i++, at += PROGRAM_PE_SECTION) {
                uint64_t behind;

                if (at > n || n - at < PROGRAM_PE_SECTION)
                        return 0;
                behind = (uint64_t)lsr_le32(head + at + 16) + lsr_le32(head + at + 20);
                end = behind > end ? behind : end;
        }
        return end;
}

/* Little-endian, of 32 or of 64 bits. */
static uint64_t program_end_elf(const uint8_t *head, size_t n)
{
        bool wide = n > 4 && head[4] == 2;
        uint64_t table, bytes;

        if (n < 64 || head[5] != 1)
                return 0;
        table = wide ? lsr_le64(head + 0x28) : lsr_le32(head + 0x20);
        bytes = wide ? (uint64_t)lsr_le16(head + 0x3a) * lsr_le16(head + 0x3c)
                     : (uint64_t)lsr_le16(head + 0x2e) * lsr_le16(head + 0x30);
        return table && table < UINT64_MAX - bytes ? table + bytes : 0;
}

uint64_t lsr_program_end(const uint8_t *head, size_t n)
{
        if (n >= 2 && head[0] == 'M' && head[1] == 'Z')
                return program_end_pe(head, n);
        if (n >= 4 && !memcmp(head,
                              "\x7f"
                              "ELF",
                              4))
                return program_end_elf(head, n);
        return 0;
}
