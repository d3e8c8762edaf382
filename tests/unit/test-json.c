/* JSON strings: escapes, UTF-8 as RFC 3629 has it, base64 as RFC 4648 has it. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "render/view.h"

/* The object of one entry that has a name and nothing else. */
static char *json_of(const char *name, size_t len)
{
        static char text[4096];
        struct lsr_view v = { .o = { .format = LSR_FORMAT_JSON, .numeric = true } };
        struct lsr_entry e = { .name = name, .name_len = (uint32_t)len };
        struct lsr_entry *rows[1] = { &e };
        struct lsr_set set = { .dir = "", .rows = rows, .n = 1 };
        struct lsr_out out;

        lsr_out_init(&out, -1);
        v.out = &out;
        lsr_json_set(&v, &set);
        cr_assert_lt(out.len, sizeof(text));
        if (out.len)
                memcpy(text, out.buf, out.len);
        text[out.len] = '\0';
        lsr_out_free(&out);
        return text;
}

static void json_check(const char *name, const char *want, const char *base64)
{
        char object[512];

        snprintf(object, sizeof(object), "{\"path\":\"%s\",\"name\":\"%s\"%s%s%s}\n", want, want,
                 base64 ? ",\"name_b64\":\"" : "", base64 ? base64 : "", base64 ? "\"" : "");
        cr_assert_str_eq(json_of(name, strlen(name)), object);
}

#define BAD "\xef\xbf\xbd"

Test(json, escapes)
{
        json_check("plain", "plain", NULL);
        json_check("a\"b\\c", "a\\\"b\\\\c", NULL);
        json_check("tab\tnew\nesc\033", "tab\\u0009new\\u000aesc\\u001b", NULL);
        json_check("\001\037 \177", "\\u0001\\u001f \\u007f", NULL);
        /* Terminals obey U+009B as they do ESC [. */
        json_check("\xc2\x80\xc2\x9b"
                   "31m\xc2\x9f\xc2\xa0",
                   "\\u0080\\u009b31m\\u009f\xc2\xa0", NULL);
        /* Bidirectional controls. */
        json_check("a\u061c\u200e\u200f\u202a\u202e\u2066\u2069", "a\\u061c\\u200e\\u200f\\u202a\\u202e\\u2066\\u2069",
                   NULL);
        json_check("\u061b\u200d\u2010\u2029\u202f\u2065\u206a", "\u061b\u200d\u2010\u2029\u202f\u2065\u206a", NULL);
}

Test(json, valid_utf8)
{
        json_check("\xc3\xa4", "\xc3\xa4", NULL);
        json_check("\xc2\xa0\xdf\xbf", "\xc2\xa0\xdf\xbf", NULL);
        json_check("\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf",
                   "\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf", NULL);
        json_check("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", NULL);
}

Test(json, invalid_utf8)
{
        json_check("\xff", BAD, "/w==");
        json_check("a\x80", "a" BAD, "YYA=");
        json_check("\xc0\x80", BAD BAD, "wIA="); /* overlong */
        json_check("\xc1\xbf", BAD BAD, "wb8=");
        json_check("\xe0\x9f\xbf", BAD BAD BAD, "4J+/");
        json_check("\xf0\x8f\xbf\xbf", BAD BAD BAD BAD, "8I+/vw==");
        json_check("\xed\xa0\x80", BAD BAD BAD, "7aCA"); /* a surrogate */
        json_check("\xf4\x90\x80\x80", BAD BAD BAD BAD, "9JCAgA==");
        json_check("\xf5\x80", BAD BAD, "9YA=");
        json_check("\xc3", BAD, "ww=="); /* cut short */
        json_check("\xe2\x82", BAD BAD, "4oI=");
        json_check("\xf0\x9f\x98z", BAD BAD BAD "z", "8J+Yeg==");
        json_check("\xc3(", BAD "(", "wyg=");
}

/* Bytes are looked at eight at a time: each one, at each place of texts of up to 26. */
Test(json, plain_at_every_place)
{
        char text[26];

        memset(text, '~', sizeof(text));
        for (size_t len = 0; len <= sizeof(text); len++) {
                cr_assert_eq(lsr_json_plain(text, len), len);
                for (size_t i = 0; i < len; i++) {
                        for (unsigned c = 0; c < 256; c++) {
                                bool plain = c >= 0x20 && c < 0x7f && c != '"' && c != '\\';

                                text[i] = (char)c;
                                cr_assert_eq(lsr_json_plain(text, len), plain ? len : i, "%02x at %zu of %zu", c, i,
                                             len);
                        }
                        text[i] = '~';
                }
        }
}

/* The length counts, not what lies behind it. */
Test(json, cut_by_length)
{
        cr_assert_not_null(strstr(json_of("\xc3\xa4", 1), "\"name\":\"" BAD "\",\"name_b64\":\"ww==\""));
}

/* Every byte alone, and every pair: a parser can take what comes out. */
Test(json, every_pair)
{
        for (unsigned a = 1; a < 256; a++) {
                for (unsigned b = 0; b < 256; b++) {
                        char name[3] = { (char)a, (char)b, '\0' };
                        const unsigned char *p = (unsigned char *)json_of(name, b ? 2 : 1);

                        if (a == '/' || b == '/')
                                continue;
                        for (; *p; p++)
                                cr_assert(*p >= 0x20 || *p == '\n', "%02x %02x", a, b);
                }
        }
}
