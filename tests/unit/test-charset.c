/* Functions of libc that are lent to libarchive: what they are while it reads, and that they are libc's otherwise. */
#include <criterion/criterion.h>
#include <limits.h>
#include <errno.h>
#include <iconv.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "formats/drivers.h"
#include "formats/libarchive/libarchive.h"

/* An archive that is being read, from here to charset_end(). */
static struct archive_pass pass;
static struct lsr_scan scan;

static void charset_begin(void)
{
        static const struct archive_kind kind = { .format = &lsr_format_cpio,
                                                  .enable = archive_read_support_format_cpio };

        scan = (struct lsr_scan){ .input = lsr_input_memory("070707", 6) };
        pass = (struct archive_pass){ .kind = &kind };
        cr_assert_eq(lsr_archive_begin(&pass, &scan), 0);
        cr_assert(lsr_archive_is_reading());
}

static void charset_end(void)
{
        lsr_archive_end(&pass);
        lsr_input_free(scan.input);
        cr_assert_not(lsr_archive_is_reading());
}

/* Each character there and back. */
Test(charset, each_character)
{
        mbstate_t state = {};

        charset_begin();
        for (uint32_t c = 1; c <= 0x10ffff; c++) {
                char text[MB_LEN_MAX];
                wchar_t back = 0;
                size_t n;

                if (c >= 0xd800 && c <= 0xdfff)
                        continue;
                n = wcrtomb(text, (wchar_t)c, &state);
                cr_assert_eq(n, 1u + (c >= 0x80) + (c >= 0x800) + (c >= 0x10000), "U+%04X: %zu", c, n);
                cr_assert_eq(mbrtowc(&back, text, n, &state), n, "U+%04X", c);
                cr_assert_eq((uint32_t)back, c);
                /* Alone its first byte is only that. */
                if (n > 1)
                        cr_assert_eq(mbrtowc(&back, text, n - 1, &state), 1, "U+%04X", c);
        }
        charset_end();
}

/* Bytes that are no UTF-8 stay what they are. */
Test(charset, each_byte)
{
        mbstate_t state = {};

        charset_begin();
        for (unsigned byte = 0x80; byte < 0x100; byte++) {
                char text[2] = { (char)byte, 0 }, again[MB_LEN_MAX];
                wchar_t wide = 0;

                cr_expect_eq(mbrtowc(&wide, text, 1, &state), 1, "%02x", byte);
                cr_expect_eq((uint32_t)wide, 0xdc00 | byte);
                cr_expect_eq(wcrtomb(again, wide, &state), 1);
                cr_expect_eq((uint8_t)again[0], byte);
        }
        charset_end();
}

Test(charset, ends)
{
        mbstate_t state = {};
        char text[MB_LEN_MAX];
        wchar_t wide = 7;

        charset_begin();
        cr_expect_eq(mbrtowc(&wide, "", 1, &state), 0);
        cr_expect_eq(wide, 0);
        cr_expect_eq(mbrtowc(&wide, "a", 0, &state), (size_t)-2);
        cr_expect_eq(mbrtowc(&wide, NULL, 0, &state), 0);
        cr_expect_eq(mbrtowc(NULL, "\xc3\xbc", 2, &state), 2);
        cr_expect_eq(wcrtomb(NULL, L'a', &state), 1);
        errno = 0;
        cr_expect_eq(wcrtomb(text, 0x110000, &state), (size_t)-1);
        cr_expect_eq(errno, EILSEQ);
        charset_end();
        /* libc's own: of the C locale. */
        cr_expect_eq(mbrtowc(&wide, "a", 1, &state), 1);
        cr_expect_eq(wide, L'a');
        cr_expect_eq(wcrtomb(text, L'b', &state), 1);
        cr_expect_eq(text[0], 'b');
        cr_expect_eq(wcrtomb(text, 0x6f22, &state), (size_t)-1);
}

/* Where characters are UTF-8 libc's own knows them, and the beginning of one from what is none. */
Test(charset, of_libc)
{
        static const struct {
                const char *text;
                size_t n, want;
        } cases[] = {
                { "a", 1, 1 },
                { "\xc3\xbc", 2, 2 },
                { "\xe6\xbc\xa2", 3, 3 },
                { "\xf0\x9f\x98\x80", 4, 4 },
                { "\xc3", 1, (size_t)-2 },
                { "\xe0\xa0", 2, (size_t)-2 },
                { "\xed\x9f", 2, (size_t)-2 },
                { "\xf0\x9f\x98", 3, (size_t)-2 },
                { "\xf4\x8f\xbf", 3, (size_t)-2 },
                { "\xff", 1, (size_t)-1 },
                { "\x80", 1, (size_t)-1 },
                { "\xc3z", 2, (size_t)-1 },
        };
        locale_t utf8 = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);

        if (!utf8)
                cr_skip_test("there is no C.UTF-8");
        uselocale(utf8);
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                mbstate_t state = {};
                wchar_t wide;

                cr_expect_eq(mbrtowc(&wide, cases[i].text, cases[i].n, &state), cases[i].want, "%zu", i);
        }
}

/* @in from the code page @from; NULL: there is an error, @error. */
static void converts(const char *from, const char *in, size_t n, size_t room, const char *want, int error)
{
        iconv_t cd = iconv_open("UTF-8", from);
        char text[64] = "", *out = text, *at = (char *)(uintptr_t)in;
        size_t left = n, out_left = room, r;

        cr_assert_neq(cd, (iconv_t)-1, "%s", from);
        errno = 0;
        r = iconv(cd, &at, &left, &out, &out_left);
        if (want) {
                cr_expect_eq(r, 0, "%s: %d", from, errno);
                cr_expect_str_eq(text, want);
                cr_expect_eq(left, 0);
                cr_expect_eq(out_left, room - strlen(want));
        } else {
                cr_expect_eq(r, (size_t)-1);
                cr_expect_eq(errno, error);
                cr_expect_eq(left, n - (size_t)(at - in));
                cr_expect_gt(left, 0);
        }
        cr_expect_eq(iconv_close(cd), 0);
}

Test(charset, code_pages)
{
        converts("CP932", "a\x8a\xbf\x8e\x9a", 5, 60, "a\xe6\xbc\xa2\xe5\xad\x97", 0);
        converts("CP866", "\xe4", 1, 60, "\xd1\x84", 0);
        converts("CP1252", "Zo\xeb", 3, 60, "Zo\xc3\xab", 0);
        /* One that nobody knows: bytes are what they are. */
        converts("CP12345", "\x8a\xbf", 2, 60, "\x8a\xbf", 0);
        converts("CP932", "", 0, 60, "", 0);
        /* The first half of a character; and no room. */
        converts("CP932", "a\x8a", 2, 60, NULL, EILSEQ);
        converts("CP932", "a\x8a\xbf", 3, 3, NULL, E2BIG);
        converts("CP932", "a\x8a\xbf", 3, 0, NULL, E2BIG);
        converts("CP1252", "\x81", 1, 60, NULL, EILSEQ);
        converts("CP1252", "a\x81z", 3, 60, NULL, EILSEQ);
}

Test(charset, nothing_else)
{
        static const char *const pairs[][2] = {
                { "UTF-16", "CP932" }, { "CP932", "UTF-8" }, { "UTF-8", "no such" }, { "", "" }
        };
        iconv_t cd;

        for (size_t i = 0; i < 4; i++) {
                errno = 0;
                cr_expect_eq(iconv_open(pairs[i][0], pairs[i][1]), (iconv_t)-1, "%s", pairs[i][1]);
                cr_expect_eq(errno, EINVAL);
        }
        cd = iconv_open("UTF-8", "CP437");
        cr_expect_eq(iconv(cd, NULL, NULL, NULL, NULL), 0);
        iconv_close(cd);
}
