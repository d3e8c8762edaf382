/* servers - targets of names on servers, and of what an object store answers */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "fuzz.h"
#include "remote/multipart.h"
#include "remote/url.h"

static bool servers_known(const char *name, void *ctx)
{
        (void)ctx;
        return strstr(name, ".zip");
}

/* What is sent in a request's head ends no line of it, and what a message shows is no secret. */
static void servers_parts(const char *text, const struct lsr_url *url, const char *shown)
{
        const struct lsr_url_part sent[] = { url->host, url->path, url->query };

        fuzz_check(url->host.n > 0);
        for (unsigned i = 0; i < 3; i++) {
                fuzz_check(sent[i].n == 0 || (sent[i].p >= text && sent[i].p + sent[i].n <= text + strlen(text)));
                /* A key of s3 has any byte, and is escaped. */
                for (size_t k = 0; k < sent[i].n && url->scheme != LSR_URL_S3; k++)
                        fuzz_check((unsigned char)sent[i].p[k] >= ' ' && sent[i].p[k] != 0x7f);
        }
        fuzz_check(!url->inner || (url->inner > text && url->inner <= text + strlen(text)));
        if (url->scheme == LSR_URL_S3)
                return;
        fuzz_check(!memchr(shown, '?', strlen(shown)));
        fuzz_check(strlen(shown) <= strlen(text) && (url->user.n == 0 || strlen(shown) < strlen(text) - url->user.n));
}

static void servers_escape(const char *text, const char *keep)
{
        size_t n = strlen(text);
        char *escaped = lsr_xmalloc(3 * n + 1), *back = lsr_xmalloc(3 * n + 1);
        size_t len = lsr_url_escape(escaped, text, n, keep);

        fuzz_check(len == strlen(escaped) && len <= 3 * n);
        fuzz_check(lsr_url_unescape(back, escaped, len) == n && memcmp(back, text, n + 1) == 0);
        fuzz_check(lsr_url_unescape(back, text, n) <= n);
        free(escaped);
        free(back);
}

/* A URL, and one to which a server redirects it. */
int fuzz_url(const uint8_t *data, size_t n)
{
        struct fuzz_bytes in = { data, n };
        char *text = fuzz_text(&in), *to = fuzz_text(&in);
        uint32_t ends[LSR_URL_CANDIDATES];
        size_t len = strlen(text);
        struct lsr_url url, other;
        unsigned found;
        int r = lsr_url_parse(text, &url), way = lsr_url_redirect(text, to);

        fuzz_check(r <= 0 && way <= 1);
        if (len <= LSR_URL_MAX) {
                char *shown = lsr_url_show(text, (uint32_t)len), *all = lsr_url_show_all(text);

                fuzz_check(shown && all);
                if (r == 0)
                        servers_parts(text, &url, shown);
                free(shown);
                free(all);
        }
        found = lsr_url_candidates(text, servers_known, NULL, ends);
        fuzz_check(found <= LSR_URL_CANDIDATES && (found == 0 || r == 0));
        for (unsigned i = 0; i < found; i++) {
                char *inner = lsr_url_inner(text, ends[i]);

                fuzz_check(ends[i] <= len && (i == 0 || ends[i - 1] < ends[i]));
                fuzz_check(inner && strlen(inner) <= len);
                free(inner);
        }
        if (way >= 0) {
                fuzz_check(r == 0 && lsr_url_parse(to, &other) == 0 && other.scheme != LSR_URL_S3);
                fuzz_check(url.scheme != LSR_URL_HTTPS || other.scheme == LSR_URL_HTTPS);
        }
        if (way == 0) {
                char *with = lsr_url_with_user(text, to);

                fuzz_check(with && strlen(with) <= strlen(to) + url.user.n + 1);
                free(with);
        }
        servers_escape(text, "/");
        free(text);
        free(to);
        return 0;
}

/* The XML that a store answers with, and the ETags of parts. */
int fuzz_store(const uint8_t *data, size_t n)
{
        static const char *const names[] = { "UploadId", "ETag", "Code" };
        struct fuzz_bytes in = { data, n };
        char *xml = fuzz_text(&in), whole[LSR_MULTIPART_TAG], plain[LSR_MULTIPART_TAG];
        struct lsr_multipart_tag tags[4] = {};
        uint32_t parts = 0;

        for (unsigned i = 0; i < 3; i++) {
                char *text = lsr_multipart_text(xml, names[i]);

                fuzz_check(!text || strlen(text) < strlen(xml));
                free(text);
        }
        while (in.left > 0 && parts < 4) {
                char *tag = fuzz_text(&in);

                strncpy(tags[parts++].text, tag, sizeof(tags->text) - 1);
                free(tag);
        }
        char *body = lsr_multipart_body(tags, parts);

        for (uint32_t i = 0; body && i < parts; i++)
                fuzz_check(*tags[i].text && !strpbrk(tags[i].text, "<>&\r\n"));
        lsr_multipart_whole_tag(tags, parts, whole);
        lsr_multipart_plain_tag(data, n, plain);
        fuzz_check(strlen(plain) == 34);
        free(body);
        free(xml);
        return 0;
}
