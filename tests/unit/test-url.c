/* url - how names of bundles on servers are split, shown, escaped, and followed */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "remote/url.h"

static bool url_known(const char *name, void *ctx)
{
        size_t n = strlen(name);

        return n > 4 && (strcmp(name + n - 4, ".zip") == 0 || strcmp(name + n - 4, ".tar") == 0);
}

/* The candidates as one text, each behind its end a '|'. */
static void url_candidates_check(const char *text, const char *expected)
{
        uint32_t ends[LSR_URL_CANDIDATES];
        unsigned n = lsr_url_candidates(text, url_known, NULL, ends);
        char found[1024] = "", *to = found;

        for (unsigned i = 0; i < n; i++)
                to += sprintf(to, "%.*s|", (int)ends[i], text);
        cr_expect_str_eq(found, expected);
}

Test(url, candidates)
{
        url_candidates_check("https://h/x.zip", "https://h/x.zip|");
        url_candidates_check("https://h/x.zip/", "https://h/x.zip|");
        url_candidates_check("https://h/x.zip/a/b", "https://h/x.zip|https://h/x.zip/a/b|");
        url_candidates_check("https://h/a.zip/b.tar/c",
                             "https://h/a.zip|https://h/a.zip/b.tar|https://h/a.zip/b.tar/c|");
        url_candidates_check("https://h/1.zip/2.zip/3.zip/4.zip/5.zip",
                             "https://h/1.zip|https://h/1.zip/2.zip|https://h/1.zip/2.zip/3.zip|"
                             "https://h/1.zip/2.zip/3.zip/4.zip/5.zip|");
        url_candidates_check("https://h/plain", "https://h/plain|");
        url_candidates_check("https://h.zip", "https://h.zip|");
        url_candidates_check("https://h/x%2ezip/in", "https://h/x%2ezip|https://h/x%2ezip/in|");
        url_candidates_check("s3://b/x%2ezip/in", "s3://b/x%2ezip/in|");
        url_candidates_check("file://h/x.zip", "");
}

Test(url, candidates_where_nothing_is_in_doubt)
{
        url_candidates_check("https://h/x.zip/y.zip#/inner", "https://h/x.zip/y.zip|");
        url_candidates_check("https://h/x.zip/y.zip?X-Amz-Signature=s", "https://h/x.zip/y.zip?X-Amz-Signature=s|");
        url_candidates_check("https://h/x.zip?s=1#/in", "https://h/x.zip?s=1|");
        url_candidates_check("s3://b/k.zip/y?z#/in", "s3://b/k.zip/y?z|");
        url_candidates_check("s3://b/k.zip/a#b", "s3://b/k.zip|s3://b/k.zip/a#b|");
}

static void url_inner_check(const char *text, const char *bundle, const char *expected)
{
        lsr_autofree char *inner = lsr_url_inner(text, (uint32_t)strlen(bundle));

        cr_expect_str_eq(inner, expected);
}

Test(url, inner)
{
        url_inner_check("https://h/x.zip", "https://h/x.zip", "");
        url_inner_check("https://h/x.zip?q", "https://h/x.zip?q", "");
        url_inner_check("https://h/x.zip//a%20b/c+d/", "https://h/x.zip", "a b/c+d");
        url_inner_check("https://h/x?q#/a%20b", "https://h/x?q", "a%20b");
        url_inner_check("s3://b/x.zip/a%20b?c", "s3://b/x.zip", "a%20b?c");
}

static void url_show_check(const char *text, const char *expected)
{
        lsr_autofree char *shown = lsr_url_show(text, (uint32_t)strlen(text));

        cr_expect_str_eq(shown, expected);
}

static void url_show_all_check(const char *text, const char *expected)
{
        lsr_autofree char *shown = lsr_url_show_all(text);

        cr_expect_str_eq(shown, expected);
}

Test(url, messages_have_no_secrets)
{
        url_show_check("https://h:1/x.zip?X-Amz-Signature=secret#/in", "https://h:1/x.zip");
        url_show_check("https://name:secret@h/x.zip", "https://h/x.zip");
        url_show_check("https://name:sec@ret@h/x.zip", "https://h/x.zip");
        url_show_check("https://h?secret", "https://h");
        url_show_check("s3://b/k?v", "s3://b/k?v");
        url_show_check("https://ho st/?secret", "URL");
        url_show_check("https://name:secret@", "URL");
        url_show_check("https:///x.zip", "https:///x.zip");
        url_show_all_check("https://n:secret@h/x?secret#/a/b", "https://h/x#/a/b");
        url_show_all_check("s3://b/k", "s3://b/k");
}

Test(url, bad)
{
        static const char *const bad[] = { "",
                                           "h/x",
                                           "ftp://h/x",
                                           "https://",
                                           "https:///x",
                                           "https://h\r\nX: y/",
                                           "https://h/\r\nX: y",
                                           "https://user@/x",
                                           "https://a b/x",
                                           "s3://",
                                           "s3:///k",
                                           "s3://u:p@b/k" };
        char name[LSR_URL_MAX + 16] = "https://h/";
        struct lsr_url url;

        for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
                cr_expect_eq(lsr_url_parse(bad[i], &url), -EINVAL, "%s", bad[i]);
        memset(name + 10, 'x', LSR_URL_MAX);
        cr_expect_eq(lsr_url_parse(name, &url), -ENAMETOOLONG);
        name[LSR_URL_MAX] = '\0';
        cr_expect_eq(lsr_url_parse(name, &url), 0);
}

Test(url, redirects)
{
        cr_expect_eq(lsr_url_redirect("https://h/a", "https://H:443/b"), 0);
        cr_expect_eq(lsr_url_redirect("http://h:80/a", "http://h/b"), 0);
        cr_expect_eq(lsr_url_redirect("https://h/a", "https://h:444/a"), 1);
        cr_expect_eq(lsr_url_redirect("https://h/a", "https://h.evil/a"), 1);
        cr_expect_eq(lsr_url_redirect("https://h/a", "https://h@evil/a"), 1);
        cr_expect_eq(lsr_url_redirect("http://h/a", "https://h/a"), 1);
        cr_expect_eq(lsr_url_redirect("https://h/a", "http://h/a"), -EPERM);
        cr_expect_eq(lsr_url_redirect("https://h/a", "file:///etc/passwd"), -EINVAL);
        cr_expect_eq(lsr_url_redirect("https://h/a", "s3://b/k"), -EINVAL);
}

static void url_user_check(const char *from, const char *to, const char *expected)
{
        char *found = lsr_url_with_user(from, to);

        cr_expect_str_eq(found, expected);
        free(found);
}

Test(url, user_of_a_redirect)
{
        url_user_check("https://u:p@h/a", "https://h/b?c@d", "https://u:p@h/b?c@d");
        url_user_check("https://u:p@h/a", "https://v@h/b", "https://v@h/b");
        url_user_check("https://h/u@b", "https://h/b", "https://h/b");
        url_user_check("https://u:p@h/a", "file:///b", "file:///b");
}

static void url_escape_check(const char *plain, const char *keep, const char *expected)
{
        char found[256], again[256];

        cr_expect_eq(lsr_url_escape(found, plain, strlen(plain), keep), strlen(expected));
        cr_expect_str_eq(found, expected);
        lsr_url_unescape(again, found, strlen(found));
        cr_expect_str_eq(again, plain);
}

Test(url, escapes)
{
        url_escape_check("a b+c%d/../é", "/", "a%20b%2Bc%25d/../%C3%A9");
        url_escape_check("a/b", "", "a%2Fb");
        url_escape_check("\x7f\n\"", "", "%7F%0A%22");
}

Test(url, unescape_what_is_no_escape)
{
        char found[64];

        lsr_url_unescape(found, "%", 1);
        cr_expect_str_eq(found, "%");
        lsr_url_unescape(found, "%4", 2);
        cr_expect_str_eq(found, "%4");
        lsr_url_unescape(found, "%zz%41", 6);
        cr_expect_str_eq(found, "%zzA");
}
