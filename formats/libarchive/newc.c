/*
 * newc - what is damaged in a cpio is left out of what libarchive sees
 *
 *      0 magic "070701"; then numbers of 8 hexadecimal digits
 *      14 mode  54 size of content  94 size of name, with its NUL  110 name
 *
 * Name and content end at multiples of four, counted from the header.
 *
 * libarchive searches for the header behind a damaged one in steps of which
 * two thirds miss it, and then member after member is lost.  So the headers of
 * newc (and crc, which has other magic) are followed here: pieces of the input
 * end where a header is that is none, and the next begins with the one behind.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/libarchive/libarchive.h"

#define NEWC_HEADER ((size_t)110)
#define NEWC_LAST "TRAILER!!!"
#define NEWC_TEXT_MAX ((uint32_t)1 << 20) /* of a name, and of where a symbolic link leads: libarchive gives up there */

static uint32_t newc_number(const uint8_t *field)
{
        uint32_t v = 0;

        for (size_t i = 0; i < 8; i++)
                v = v << 4 | (field[i] <= '9' ? field[i] - (uint32_t)'0' : (field[i] & 0xfu) + 9);
        return v;
}

static bool newc_is_digit(uint8_t c)
{
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool lsr_archive_is_newc(const uint8_t *header)
{
        if (memcmp(header, "07070", 5) != 0 || (header[5] != '1' && header[5] != '2'))
                return false;
        for (size_t i = 6; i < NEWC_HEADER; i++)
                if (!newc_is_digit(header[i]))
                        return false;
        if (S_ISLNK(newc_number(header + 14)) && newc_number(header + 54) > NEWC_TEXT_MAX)
                return false;
        return newc_number(header + 94) <= NEWC_TEXT_MAX;
}

/* Bytes from a header to the one behind it. */
static uint64_t newc_size(const uint8_t *header)
{
        uint64_t name = NEWC_HEADER + newc_number(header + 94);

        return (name + 3) / 4 * 4 + ((uint64_t)newc_number(header + 54) + 3) / 4 * 4;
}

static bool newc_is_last(const uint8_t *header)
{
        return newc_number(header + 94) == sizeof(NEWC_LAST) &&
               memcmp(header + NEWC_HEADER, NEWC_LAST, sizeof(NEWC_LAST)) == 0;
}

/* The header at hand is damaged: go to the next one.  1; 0: there is none, or a negative errno. */
static int newc_search(struct archive_pass *pass)
{
        struct lsr_input *in = pass->scan->input;
        uint64_t from = in->at;
        const uint8_t *data;
        size_t at = 1;

        for (;; at = 0) {
                ssize_t got = lsr_input_peek(in, NEWC_HEADER, &data);
                bool far = in->at - from > lsr_limit(LSR_LIMIT_RESYNC);

                if (got < 0)
                        return (int)got;
                if ((size_t)got < NEWC_HEADER || far) {
                        lsr_scan_trouble(pass->scan, -EBADMSG,
                                         "header at byte %s is damaged, and no other one was found after it%s",
                                         lsr_grouped(from), far ? lsr_limit_raised(LSR_LIMIT_RESYNC) : "");
                        pass->lost = true;
                        return 0;
                }
                while (at + NEWC_HEADER <= (size_t)got && !lsr_archive_is_newc(data + at))
                        at++;
                lsr_input_take(in, at);
                if (at + NEWC_HEADER <= (size_t)got)
                        break;
        }
        lsr_scan_trouble(pass->scan, -EBADMSG, "header at byte %s is damaged; the next one found is at byte %s",
                         lsr_grouped(from), lsr_grouped(in->at));
        pass->header = in->at;
        return 1;
}

ssize_t lsr_archive_newc_piece(struct archive_pass *pass, const uint8_t **ret_data)
{
        struct lsr_input *in = pass->scan->input;
        bool at_header = in->at == pass->header;
        size_t whole = NEWC_HEADER + sizeof(NEWC_LAST);
        ssize_t got = lsr_input_peek(in, at_header ? whole : 1, ret_data);

        if (at_header && got >= (ssize_t)NEWC_HEADER && !lsr_archive_is_newc(*ret_data)) {
                int r = newc_search(pass);

                if (r <= 0)
                        return r;
                got = lsr_input_peek(in, whole, ret_data);
        }
        if (got < (ssize_t)NEWC_HEADER && at_header)
                pass->header = UINT64_MAX;
        while (got >= (ssize_t)NEWC_HEADER && pass->header - in->at <= (size_t)got - NEWC_HEADER) {
                const uint8_t *header = *ret_data + (pass->header - in->at);
                size_t left = (size_t)got - (size_t)(pass->header - in->at);

                /* One that is not here whole is at the beginning of the next piece. */
                if ((left < whole && header != *ret_data) || !lsr_archive_is_newc(header))
                        break;
                pass->header = left >= whole && newc_is_last(header) ? UINT64_MAX : pass->header + newc_size(header);
        }
        return got < 0 || (uint64_t)got < pass->header - in->at ? got : (ssize_t)(pass->header - in->at);
}
