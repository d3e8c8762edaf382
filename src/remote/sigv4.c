/*
 * Own code over nettle, since --aws-sigv4 of libcurl 7.88 signs keys with spaces and plus signs wrongly, does not
 * sort queries, and sends no hash of the payload, which other stores than Amazon's demand.
 */
#include "remote/sigv4.h"

#include <errno.h>
#include <nettle/hmac.h>
#include <nettle/sha2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "remote/url.h"

#define SIGV4_ALGORITHM "AWS4-HMAC-SHA256"
#define SIGV4_HEX (2 * SHA256_DIGEST_SIZE + 1)

static void sigv4_hex(const uint8_t digest[SHA256_DIGEST_SIZE], char ret_hex[SIGV4_HEX])
{
        for (unsigned i = 0; i < SHA256_DIGEST_SIZE; i++)
                sprintf(ret_hex + 2 * i, "%02x", digest[i]);
}

void lsr_sigv4_hash(const void *data, size_t n, char ret_hash[SIGV4_HEX])
{
        uint8_t digest[SHA256_DIGEST_SIZE];
        struct sha256_ctx ctx;

        sha256_init(&ctx);
        sha256_update(&ctx, n, data);
        sha256_digest(&ctx, sizeof(digest), digest);
        sigv4_hex(digest, ret_hash);
}

static void sigv4_hmac(const void *key, size_t n, const char *text, uint8_t ret_digest[SHA256_DIGEST_SIZE])
{
        struct hmac_sha256_ctx ctx;

        hmac_sha256_set_key(&ctx, n, key);
        hmac_sha256_update(&ctx, strlen(text), (const uint8_t *)text);
        hmac_sha256_digest(&ctx, SHA256_DIGEST_SIZE, ret_digest);
        explicit_bzero(&ctx, sizeof(ctx));
}

void lsr_sigv4_date(time_t when, char ret_date[17])
{
        struct tm tm;

        gmtime_r(&when, &tm);
        strftime(ret_date, 17, "%Y%m%dT%H%M%SZ", &tm);
}

/* Each parameter as "name=value\0", escaped anew from whatever escapes it had. */
static char *sigv4_parameter(const char *p, size_t n)
{
        const char *is = memchr(p, '=', n);
        size_t name_n = is ? (size_t)(is - p) : n, value_n = is ? n - name_n - 1 : 0;
        lsr_autofree char *plain = malloc(n + 1);
        char *result = malloc(3 * n + 2), *to = result;

        if (!plain || !result) {
                free(result);
                return NULL;
        }
        to += lsr_url_escape(to, plain, lsr_url_unescape(plain, p, name_n), "");
        *to++ = '=';
        lsr_url_escape(to, plain, is ? lsr_url_unescape(plain, is + 1, value_n) : 0, "");
        return result;
}

/* By name, then by value; '=' must count less than any character of a name. */
static int sigv4_parameters_compare(const void *a, const void *b)
{
        const char *x = *(char *const *)a, *y = *(char *const *)b;

        while (*x && *x == *y) {
                x++;
                y++;
        }
        return (*x == '=' ? 1 : (unsigned char)*x) - (*y == '=' ? 1 : (unsigned char)*y);
}

char *lsr_sigv4_query(const char *query)
{
        size_t n = 0, size = 0;
        char **parts, *result = NULL;
        FILE *f;

        query = query ? query : "";
        for (const char *p = query; *p; p++)
                n += *p == '&';
        parts = calloc(n + 1, sizeof(*parts));
        if (!parts)
                return NULL;
        n = 0;
        for (const char *p = query; *p;) {
                size_t length = strcspn(p, "&");

                if (length) {
                        parts[n] = sigv4_parameter(p, length);
                        n += !!parts[n];
                }
                p += length + (p[length] == '&');
        }
        qsort(parts, n, sizeof(*parts), sigv4_parameters_compare);
        f = open_memstream(&result, &size);
        for (size_t i = 0; i < n; i++) {
                if (f)
                        fprintf(f, "%s%s", i ? "&" : "", parts[i]);
                free(parts[i]);
        }
        free(parts);
        if (f)
                fclose(f);
        return result;
}

static int sigv4_headers_compare(const void *a, const void *b)
{
        return strcmp(((const struct lsr_sigv4_header *)a)->name, ((const struct lsr_sigv4_header *)b)->name);
}

/* Sorted; the number, or 0 for too many. */
static unsigned sigv4_headers(const struct lsr_sigv4 *s, struct lsr_sigv4_header ret_headers[LSR_SIGV4_HEADERS_MAX])
{
        if (s->n_headers > LSR_SIGV4_HEADERS_MAX)
                return 0;
        memcpy(ret_headers, s->headers, s->n_headers * sizeof(*ret_headers));
        qsort(ret_headers, s->n_headers, sizeof(*ret_headers), sigv4_headers_compare);
        return s->n_headers;
}

/* Without blanks around it, runs of them as one. */
static void sigv4_value_put(FILE *f, const char *value)
{
        bool blank = false, any = false;

        for (; *value; value++) {
                if (*value == ' ' || *value == '\t') {
                        blank = any;
                        continue;
                }
                if (blank)
                        putc(' ', f);
                putc(*value, f);
                blank = false;
                any = true;
        }
}

static void sigv4_names_put(FILE *f, const struct lsr_sigv4_header *headers, unsigned n)
{
        for (unsigned i = 0; i < n; i++)
                fprintf(f, "%s%s", i ? ";" : "", headers[i].name);
}

char *lsr_sigv4_canonical(const struct lsr_sigv4 *s)
{
        struct lsr_sigv4_header headers[LSR_SIGV4_HEADERS_MAX];
        unsigned n = sigv4_headers(s, headers);
        lsr_autofree char *query = lsr_sigv4_query(s->query);
        char *result = NULL;
        size_t size = 0;
        FILE *f = n && query ? open_memstream(&result, &size) : NULL;

        if (!f)
                return NULL;
        fprintf(f, "%s\n%s\n%s\n", s->method, *s->path ? s->path : "/", query);
        for (unsigned i = 0; i < n; i++) {
                fprintf(f, "%s:", headers[i].name);
                sigv4_value_put(f, headers[i].value);
                putc('\n', f);
        }
        putc('\n', f);
        sigv4_names_put(f, headers, n);
        fprintf(f, "\n%s", s->payload);
        fclose(f);
        return result;
}

/* Day, region and service: for what a signature is good. */
static int sigv4_scope(const struct lsr_sigv4 *s, char **ret_scope)
{
        char date[17];

        lsr_sigv4_date(s->when, date);
        return asprintf(ret_scope, "%.8s/%s/%s/aws4_request", date, s->region, s->service);
}

char *lsr_sigv4_to_sign(const struct lsr_sigv4 *s)
{
        lsr_autofree char *canonical = lsr_sigv4_canonical(s), *scope = NULL;
        char date[17], hex[SIGV4_HEX], *result;

        if (!canonical || sigv4_scope(s, &scope) < 0)
                return scope = NULL;
        lsr_sigv4_date(s->when, date);
        lsr_sigv4_hash(canonical, strlen(canonical), hex);
        return asprintf(&result, SIGV4_ALGORITHM "\n%s\n%s\n%s", date, scope, hex) < 0 ? NULL : result;
}

static int sigv4_signature(const struct lsr_sigv4 *s, const char *to_sign, char ret_hex[SIGV4_HEX])
{
        uint8_t key[SHA256_DIGEST_SIZE];
        char date[17], *first;

        if (asprintf(&first, "AWS4%s", s->secret) < 0)
                return -1;
        lsr_sigv4_date(s->when, date);
        date[8] = '\0';
        sigv4_hmac(first, strlen(first), date, key);
        sigv4_hmac(key, sizeof(key), s->region, key);
        sigv4_hmac(key, sizeof(key), s->service, key);
        sigv4_hmac(key, sizeof(key), "aws4_request", key);
        sigv4_hmac(key, sizeof(key), to_sign, key);
        sigv4_hex(key, ret_hex);
        explicit_bzero(first, strlen(first));
        free(first);
        return 0;
}

char *lsr_sigv4_authorization(const struct lsr_sigv4 *s)
{
        struct lsr_sigv4_header headers[LSR_SIGV4_HEADERS_MAX];
        unsigned n = sigv4_headers(s, headers);
        lsr_autofree char *to_sign = lsr_sigv4_to_sign(s), *scope = NULL;
        char hex[SIGV4_HEX], *result = NULL;
        size_t size = 0;
        FILE *f;

        if (!to_sign || sigv4_signature(s, to_sign, hex) < 0 || sigv4_scope(s, &scope) < 0)
                return scope = NULL;
        f = open_memstream(&result, &size);
        if (!f)
                return NULL;
        fprintf(f, SIGV4_ALGORITHM " Credential=%s/%s,SignedHeaders=", s->key_id, scope);
        sigv4_names_put(f, headers, n);
        fprintf(f, ",Signature=%s", hex);
        fclose(f);
        return result;
}
