/*
 * Own code and not that of libcurl, since lsr, which does not link to it, splits names too, and because a key of S3
 * must reach the store byte for byte.
 */
#include "remote/url.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"

static const char url_schemes[][9] = {
        [LSR_URL_HTTP] = "http://",
        [LSR_URL_HTTPS] = "https://",
        [LSR_URL_S3] = "s3://",
};

static int url_scheme(const char *text, enum lsr_url_scheme *ret_scheme)
{
        for (unsigned i = 0; i < sizeof(url_schemes) / sizeof(*url_schemes); i++)
                if (strncasecmp(text, url_schemes[i], strlen(url_schemes[i])) == 0) {
                        *ret_scheme = (enum lsr_url_scheme)i;
                        return 0;
                }
        return -EINVAL;
}

bool lsr_url_is(const char *text)
{
        enum lsr_url_scheme scheme;

        return url_scheme(text, &scheme) == 0;
}

/* A host may have a port and brackets; a name in UTF-8 is for the library to encode. */
static bool url_host_valid(struct lsr_url_part host, enum lsr_url_scheme scheme)
{
        const char *more = scheme == LSR_URL_S3 ? "-._" : "-._:[]";

        for (size_t i = 0; i < host.n; i++) {
                unsigned char c = (unsigned char)host.p[i];

                if (!isalnum(c) && !strchr(more, c) && (scheme == LSR_URL_S3 || c < 0x80))
                        return false;
        }
        return host.n > 0;
}

/* Where the part ends that is sent: at '#' of http, at "#/" of s3. */
static const char *url_sent_end(const char *p, enum lsr_url_scheme scheme)
{
        const char *end = scheme == LSR_URL_S3 ? strstr(p, "#/") : strchr(p, '#');

        return end ? end : p + strlen(p);
}

int lsr_url_parse(const char *text, struct lsr_url *ret_url)
{
        struct lsr_url url = { 0 };
        const char *p, *end, *at;
        int r = url_scheme(text, &url.scheme);

        if (r < 0)
                return r;
        if (strlen(text) > LSR_URL_MAX)
                return -ENAMETOOLONG;
        p = text + strlen(url_schemes[url.scheme]);
        end = url_sent_end(p, url.scheme);
        url.inner = end[0] == '#' && end[1] == '/' ? end + 2 : NULL;
        url.host = (struct lsr_url_part){ p, strcspn(p, url.scheme == LSR_URL_S3 ? "/" : "/?#") };
        if (p + url.host.n > end)
                url.host.n = (size_t)(end - p);
        p += url.host.n;
        at = url.scheme == LSR_URL_S3 ? NULL : memrchr(url.host.p, '@', url.host.n);
        if (at) {
                url.user = (struct lsr_url_part){ url.host.p, (size_t)(at - url.host.p) };
                url.host = (struct lsr_url_part){ at + 1, (size_t)(p - at - 1) };
        }
        if (!url_host_valid(url.host, url.scheme))
                return -EINVAL;
        url.path = (struct lsr_url_part){ p, (size_t)(end - p) };
        if (url.scheme != LSR_URL_S3) {
                const char *query = memchr(p, '?', url.path.n);

                for (const char *c = url.user.n ? url.user.p : p; c < end; c++)
                        if ((unsigned char)*c < ' ' || *c == 0x7f)
                                return -EINVAL;
                if (query) {
                        url.path.n = (size_t)(query - p);
                        url.query = (struct lsr_url_part){ query + 1, (size_t)(end - query - 1) };
                }
        }
        *ret_url = url;
        return 0;
}

size_t lsr_url_escape(char *to, const char *from, size_t n, const char *keep)
{
        static const char digits[] = "0123456789ABCDEF";
        char *start = to;

        for (size_t i = 0; i < n; i++) {
                unsigned char c = (unsigned char)from[i];

                if (c < 0x80 && c && (isalnum(c) || strchr("-._~", c) || strchr(keep, c))) {
                        *to++ = (char)c;
                } else {
                        *to++ = '%';
                        *to++ = digits[c >> 4];
                        *to++ = digits[c & 15];
                }
        }
        *to = '\0';
        return (size_t)(to - start);
}

static int url_digit(char c)
{
        if (c >= '0' && c <= '9')
                return c - '0';
        c |= 0x20;
        return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

size_t lsr_url_unescape(char *to, const char *from, size_t n)
{
        char *start = to;

        for (size_t i = 0; i < n; i++) {
                int high = i + 2 < n && from[i] == '%' ? url_digit(from[i + 1]) : -1;
                int low = high < 0 ? -1 : url_digit(from[i + 2]);

                if (low >= 0) {
                        *to++ = (char)(high << 4 | low);
                        i += 2;
                } else {
                        *to++ = from[i];
                }
        }
        *to = '\0';
        return (size_t)(to - start);
}

static bool url_names_bundle(struct lsr_url_part name, enum lsr_url_scheme scheme,
                             bool (*known)(const char *name, void *ctx), void *ctx)
{
        lsr_autofree char *text = malloc(name.n + 1);
        size_t n = name.n;

        if (!text || !name.n)
                return false;
        if (scheme == LSR_URL_S3)
                *(char *)mempcpy(text, name.p, n) = '\0';
        else
                n = lsr_url_unescape(text, name.p, n);
        return !memchr(text, '\0', n) && known(text, ctx);
}

unsigned lsr_url_candidates(const char *text, bool (*known)(const char *name, void *ctx), void *ctx,
                            uint32_t ret_ends[LSR_URL_CANDIDATES])
{
        struct lsr_url url;
        const char *p, *end;
        unsigned n = 0;
        bool certain;

        if (lsr_url_parse(text, &url) < 0)
                return 0;
        certain = url.inner || url.query.p;
        p = url.path.p;
        end = p + url.path.n;
        while (!certain && p < end && n < LSR_URL_CANDIDATES - 1) {
                struct lsr_url_part name = { p + 1, 0 };

                while (name.p + name.n < end && name.p[name.n] != '/')
                        name.n++;
                p = name.p + name.n;
                if (url_names_bundle(name, url.scheme, known, ctx))
                        ret_ends[n++] = (uint32_t)(p - text);
        }
        if (url.query.p)
                end = url.query.p + url.query.n;
        else if (n && ret_ends[n - 1] == (uint32_t)(end - text))
                return n;
        else if (n && end[-1] == '/' && ret_ends[n - 1] == (uint32_t)(end - 1 - text))
                return n; /* a slash behind a bundle asks for the directory that it is */
        ret_ends[n++] = (uint32_t)(end - text);
        return n;
}

char *lsr_url_inner(const char *text, uint32_t end)
{
        struct lsr_url url;
        struct lsr_url_part inner = { text + end, strlen(text + end) };
        bool escaped;
        char *result;

        if (lsr_url_parse(text, &url) == 0 && url.inner)
                inner = (struct lsr_url_part){ url.inner, strlen(url.inner) };
        else if (url.path.p && inner.p <= url.path.p + url.path.n)
                inner.n = (size_t)(url.path.p + url.path.n - inner.p);
        else
                inner.n = 0; /* behind a query only "#/" leads on */
        escaped = url.scheme != LSR_URL_S3 && !url.inner;
        while (inner.n && *inner.p == '/') {
                inner.p++;
                inner.n--;
        }
        while (inner.n && inner.p[inner.n - 1] == '/')
                inner.n--;
        result = malloc(inner.n + 1);
        if (!result)
                return NULL;
        if (escaped)
                lsr_url_unescape(result, inner.p, inner.n);
        else
                *(char *)mempcpy(result, inner.p, inner.n) = '\0';
        return result;
}

char *lsr_url_show(const char *text, uint32_t end)
{
        struct lsr_url url;
        char *result, *to;
        size_t n;

        if (lsr_url_parse(text, &url) < 0)
                /* Of an unknown shape: where its secrets are is not known either. */
                return strdup(strpbrk(text, "@?") ? "URL" : text);
        n = strlen(url_schemes[url.scheme]);
        result = malloc(n + url.host.n + url.path.n + 1);
        if (!result)
                return NULL;
        if (text + end < url.path.p + url.path.n)
                url.path.n = text + end > url.path.p ? (size_t)(text + end - url.path.p) : 0;
        to = mempcpy(result, url_schemes[url.scheme], n);
        to = mempcpy(to, url.host.p, url.host.n);
        to = mempcpy(to, url.path.p, url.path.n);
        *to = '\0';
        return result;
}

char *lsr_url_show_all(const char *text)
{
        char *shown = lsr_url_show(text, (uint32_t)strlen(text)), *whole;
        struct lsr_url url;

        if (!shown || lsr_url_parse(text, &url) < 0 || !url.inner)
                return shown;
        whole = realloc(shown, strlen(shown) + strlen(url.inner) + 3);
        if (!whole)
                return free(shown), NULL;
        strcpy(stpcpy(whole + strlen(whole), "#/"), url.inner);
        return whole;
}

/* Without the port that its scheme has anyway. */
static struct lsr_url_part url_origin(const struct lsr_url *url)
{
        const char *port = url->scheme == LSR_URL_HTTPS ? ":443" : ":80";
        struct lsr_url_part host = url->host;
        size_t n = strlen(port);

        if (host.n > n && memcmp(host.p + host.n - n, port, n) == 0)
                host.n -= n;
        return host;
}

int lsr_url_redirect(const char *from, const char *to)
{
        struct lsr_url a, b;
        struct lsr_url_part x, y;

        if (lsr_url_parse(from, &a) < 0 || lsr_url_parse(to, &b) < 0 || a.scheme == LSR_URL_S3 ||
            b.scheme == LSR_URL_S3)
                return -EINVAL;
        if (a.scheme == LSR_URL_HTTPS && b.scheme == LSR_URL_HTTP)
                return -EPERM;
        x = url_origin(&a);
        y = url_origin(&b);
        return a.scheme != b.scheme || x.n != y.n || strncasecmp(x.p, y.p, x.n) != 0;
}

char *lsr_url_with_user(const char *from, const char *to)
{
        struct lsr_url a, b;
        char *url;

        if (lsr_url_parse(from, &a) < 0 || lsr_url_parse(to, &b) < 0 || !a.user.n || b.user.n)
                return strdup(to);
        if (asprintf(&url, "%.*s%.*s@%s", (int)(b.host.p - to), to, (int)a.user.n, a.user.p, b.host.p) < 0)
                return NULL;
        return url;
}
