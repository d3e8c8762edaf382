/*
 * sigv4 - signatures as AWS publishes them
 *
 * The keys, requests and signatures are those of the examples in "Authenticating Requests: Using the Authorization
 * Header" of the S3 documentation, and of the signing test suite for the service "service".
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "remote/sigv4.h"
#include "remote/url.h"

#define TIME_SUITE 1440938160 /* 2015-08-30 12:36:00 UTC */
#define TIME_S3 1369353600    /* 2013-05-24 00:00:00 UTC */

static void sigv4_signature_check(const struct lsr_sigv4 *s, const char *signature)
{
        lsr_autofree char *value = lsr_sigv4_authorization(s);
        const char *found;

        cr_assert(value);
        found = strstr(value, ",Signature=");
        cr_assert(found);
        cr_expect_str_eq(found + strlen(",Signature="), signature);
}

/* A case of the test suite: only "host" and "x-amz-date" are signed. */
static struct lsr_sigv4 sigv4_suite(const char *path, const char *query)
{
        static const struct lsr_sigv4_header headers[] = {
                { "x-amz-date", "20150830T123600Z" },
                { "host", "example.amazonaws.com" },
        };

        return (struct lsr_sigv4){ .method = "GET",
                                   .path = path,
                                   .query = query,
                                   .headers = headers,
                                   .n_headers = 2,
                                   .payload = LSR_SIGV4_EMPTY,
                                   .region = "us-east-1",
                                   .service = "service",
                                   .key_id = "AKIDEXAMPLE",
                                   .secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                                   .when = TIME_SUITE };
}

Test(sigv4, texts_on_the_way)
{
        struct lsr_sigv4 s = sigv4_suite("/", "");
        lsr_autofree char *canonical = lsr_sigv4_canonical(&s), *to_sign = lsr_sigv4_to_sign(&s);
        lsr_autofree char *value = lsr_sigv4_authorization(&s);

        cr_assert_str_eq(canonical, "GET\n/\n\nhost:example.amazonaws.com\nx-amz-date:20150830T123600Z\n\n"
                                    "host;x-amz-date\n" LSR_SIGV4_EMPTY);
        cr_assert_str_eq(to_sign, "AWS4-HMAC-SHA256\n20150830T123600Z\n20150830/us-east-1/service/aws4_request\n"
                                  "bb579772317eb040ac9ed261061d46c1f17a8133879d6129b6e1c25292927e63");
        cr_assert_str_eq(value, "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request,"
                                "SignedHeaders=host;x-amz-date,"
                                "Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
}

Test(sigv4, paths)
{
        /* Plain paths, which are escaped as a key is. */
        static const struct {
                const char *path, *signature;
        } cases[] = {
                { "/", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31" },
                { "/ሴ", "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85" },
                { "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
                  "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f" },
                { "/example space/", "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741" },
                { "//example//", "87cca117541a147f6df867677d98a7d80dff226d2bfca9e4ffa899665623c7e5" },
                { "/example1/example2/../..", "dc33e0856fd4baca4d7aa2146c38958283844764f38c74252a333df5e613003b" },
                { "/./example", "beb03f223f7deae4146464f06e29eebbee9c8afbe15c290cf07aa8b119e14cff" },
        };

        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                char path[512];
                struct lsr_sigv4 s = sigv4_suite(path, NULL);

                lsr_url_escape(path, cases[i].path, strlen(cases[i].path), "/");
                sigv4_signature_check(&s, cases[i].signature);
        }
}

Test(sigv4, queries)
{
        static const struct {
                const char *query, *signature;
        } cases[] = {
                { "Param2=value2&Param1=value1", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500" },
                { "Param1=value1", "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb" },
                { "ሴ=bar", "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04" },
                { "Param-3=Value3&Param=Value2&%E1%88%B4=Value1",
                  "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac" },
        };

        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                struct lsr_sigv4 s = sigv4_suite("/", cases[i].query);

                sigv4_signature_check(&s, cases[i].signature);
        }
}

Test(sigv4, session_token)
{
        static const struct lsr_sigv4_header headers[] = {
                { "host", "example.amazonaws.com" },
                { "x-amz-date", "20150830T123600Z" },
                { "x-amz-security-token", "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267" },
        };
        struct lsr_sigv4 s = sigv4_suite("/", "");

        s.headers = headers;
        s.n_headers = 3;
        sigv4_signature_check(&s, "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8");
}

static void sigv4_query_check(const char *query, const char *expected)
{
        lsr_autofree char *found = lsr_sigv4_query(query);

        cr_assert(found);
        cr_expect_str_eq(found, expected);
}

Test(sigv4, query_is_sorted_and_escaped)
{
        sigv4_query_check(NULL, "");
        sigv4_query_check("uploads", "uploads=");
        sigv4_query_check("b=2&a=1&&a=0", "a=0&a=1&b=2");
        sigv4_query_check("a-b=1&a=2", "a=2&a-b=1");
        sigv4_query_check("a=2&a-b=1", "a=2&a-b=1");
        sigv4_query_check("k=a%2fb+c%20d%", "k=a%2Fb%2Bc%20d%25");
        sigv4_query_check("k=v=w", "k=v%3Dw");
}

static struct lsr_sigv4 sigv4_s3(const struct lsr_sigv4_header *headers, unsigned n, const char *path,
                                 const char *query)
{
        return (struct lsr_sigv4){ .method = "GET",
                                   .path = path,
                                   .query = query,
                                   .headers = headers,
                                   .n_headers = n,
                                   .payload = LSR_SIGV4_EMPTY,
                                   .region = "us-east-1",
                                   .service = "s3",
                                   .key_id = "AKIAIOSFODNN7EXAMPLE",
                                   .secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                                   .when = TIME_S3 };
}

Test(sigv4, s3_get_with_range)
{
        static const struct lsr_sigv4_header headers[] = {
                { "host", "examplebucket.s3.amazonaws.com" },
                { "range", "bytes=0-9" },
                { "x-amz-content-sha256", LSR_SIGV4_EMPTY },
                { "x-amz-date", "20130524T000000Z" },
        };
        struct lsr_sigv4 s = sigv4_s3(headers, 4, "/test.txt", "");

        sigv4_signature_check(&s, "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

Test(sigv4, s3_queries)
{
        static const struct lsr_sigv4_header headers[] = {
                { "x-amz-date", " 20130524T000000Z " },
                { "x-amz-content-sha256", LSR_SIGV4_EMPTY },
                { "host", "examplebucket.s3.amazonaws.com" },
        };
        struct lsr_sigv4 s = sigv4_s3(headers, 3, "/", "lifecycle");

        sigv4_signature_check(&s, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
        s.query = "prefix=J&max-keys=2";
        sigv4_signature_check(&s, "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

Test(sigv4, s3_put_of_a_key_to_escape)
{
        static const struct lsr_sigv4_header headers[] = {
                { "date", "Fri, 24 May 2013 00:00:00 GMT" },
                { "host", "examplebucket.s3.amazonaws.com" },
                { "x-amz-content-sha256", "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072" },
                { "x-amz-date", "20130524T000000Z" },
                { "x-amz-storage-class", "REDUCED_REDUNDANCY" },
        };
        struct lsr_sigv4 s = sigv4_s3(headers, 5, "/test%24file.text", "");

        s.method = "PUT";
        s.payload = headers[2].value;
        sigv4_signature_check(&s, "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
}

Test(sigv4, too_many_headers)
{
        struct lsr_sigv4_header headers[LSR_SIGV4_HEADERS_MAX + 1];
        struct lsr_sigv4 s = sigv4_suite("/", "");

        for (unsigned i = 0; i <= LSR_SIGV4_HEADERS_MAX; i++)
                headers[i] = (struct lsr_sigv4_header){ "x-amz-date", "" };
        s.headers = headers;
        s.n_headers = LSR_SIGV4_HEADERS_MAX + 1;
        cr_assert_null(lsr_sigv4_authorization(&s));
}
