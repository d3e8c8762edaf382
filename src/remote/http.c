/*
 * The interface of several transfers, on one thread: requests are in flight together and no lock is needed.
 * Messages are our own words, as those of libcurl may quote a URL; only about certificates it knows more than we do.
 */
#include "remote/http.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "version.h"

#define HTTP_SLOW_BYTES 1000L /* a second */
#define HTTP_METADATA_MS 1000L
#define HTTP_METADATA_MAX ((size_t)64 << 10)

struct lsr_http {
        CURLM *multi;
};

struct lsr_http *lsr_http_new(void)
{
        struct lsr_http *http = calloc(1, sizeof(*http));

        if (!http || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
                return free(http), NULL;
        http->multi = curl_multi_init();
        if (!http->multi)
                return lsr_http_free(http);
        curl_multi_setopt(http->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)LSR_REMOTE_FLIGHT_MAX);
        curl_multi_setopt(http->multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
        return http;
}

struct lsr_http *lsr_http_free(struct lsr_http *http)
{
        if (!http)
                return NULL;
        if (http->multi)
                curl_multi_cleanup(http->multi);
        curl_global_cleanup();
        free(http);
        return NULL;
}

/* "bytes 0-9/100", "bytes 0-9/(unknown)" with a star, or for 416 a star before the slash. */
static void http_content_range(struct lsr_http_answer *a, const char *value)
{
        unsigned long long first, last, total;
        int end = 0;

        if (strncasecmp(value, "bytes", 5) != 0)
                return;
        value += 5 + strspn(value + 5, " =");
        if (sscanf(value, "%llu-%llu/%n", &first, &last, &end) == 2 && end && first <= last) {
                a->ranged = true;
                a->first = first;
                a->last = last;
                value += end;
        } else if (strncmp(value, "*/", 2) == 0) {
                value += 2;
        } else {
                return;
        }
        a->total_known = *value != '-' && sscanf(value, "%llu", &total) == 1;
        if (a->total_known)
                a->total = total;
        if (a->ranged && a->total_known && a->last >= a->total)
                a->ranged = false;
}

static void http_copy(char *to, size_t size, const char *value)
{
        if (strlen(value) < size)
                strcpy(to, value);
}

static void http_header(struct lsr_http_answer *a, const char *name, const char *value)
{
        if (strcasecmp(name, "content-range") == 0)
                http_content_range(a, value);
        else if (strcasecmp(name, "content-length") == 0)
                a->length_known = sscanf(value, "%lu", &a->length) == 1 && *value != '-';
        else if (strcasecmp(name, "etag") == 0 && *value == '"') /* a weak one begins with W/ */
                http_copy(a->tag, sizeof(a->tag), value);
        else if (strcasecmp(name, "last-modified") == 0)
                http_copy(a->modified, sizeof(a->modified), value);
        else if (strcasecmp(name, "x-amz-bucket-region") == 0)
                http_copy(a->region, sizeof(a->region), value);
        else if (strcasecmp(name, "content-type") == 0)
                snprintf(a->type, sizeof(a->type), "%s", value);
}

/* A line of the head; the empty one ends it, and 1xx is a head of its own. */
static size_t http_on_header(char *data, size_t size, size_t n, void *ctx)
{
        struct lsr_http_call *call = ctx;
        char line[1024], *value;
        size_t length = n < sizeof(line) - 1 ? n : sizeof(line) - 1;

        *(char *)mempcpy(line, data, length) = '\0';
        line[strcspn(line, "\r\n")] = '\0';
        if (strncmp(line, "HTTP/", 5) == 0) {
                call->answer = (struct lsr_http_answer){ 0 };
                return n;
        }
        if (!*line) {
                curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &call->answer.status);
                if ((call->answer.status == 200 || call->answer.status == 206) && call->head(call) != 0) {
                        call->dropped = true;
                        return 0;
                }
                return n;
        }
        value = strchr(line, ':');
        if (value) {
                *value++ = '\0';
                value += strspn(value, " \t");
                http_header(&call->answer, line, value);
        }
        return n;
}

static size_t http_on_body(char *data, size_t size, size_t n, void *ctx)
{
        struct lsr_http_call *call = ctx;
        size_t room = sizeof(call->start) - 1 - call->start_n;

        if (call->answer.status == 200 || call->answer.status == 206) {
                if (call->body(call, data, n) == 0)
                        return n;
                call->dropped = true;
                return 0;
        }
        memcpy(call->start + call->start_n, data, n < room ? n : room);
        call->start_n += n < room ? n : room;
        return n < room ? n : 0; /* more of it tells nothing */
}

/* The Code of an error of S3, which is the one word that tells its cause. */
static void http_error_code(struct lsr_http_call *call)
{
        const char *p, *end;

        call->start[call->start_n] = '\0';
        p = strstr(call->start, "<Code>");
        end = p ? strchr(p + 6, '<') : NULL;
        if (!end || (size_t)(end - p - 6) >= sizeof(call->answer.code))
                return;
        p += 6;
        for (size_t i = 0; p + i < end; i++)
                if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.", p[i]))
                        return;
        *(char *)mempcpy(call->answer.code, p, (size_t)(end - p)) = '\0';
}

static const struct http_error {
        CURLcode code;
        int error;
        bool transient;
        const char *text;
} http_errors[] = {
        { CURLE_COULDNT_RESOLVE_HOST, -ENOENT, false, "there is no such host" },
        { CURLE_COULDNT_RESOLVE_PROXY, -ENOENT, false, "there is no such host as the proxy" },
        { CURLE_COULDNT_CONNECT, -ECONNREFUSED, true, "cannot connect to the server" },
        { CURLE_OPERATION_TIMEDOUT, -ETIMEDOUT, true, "the server is silent or too slow" },
        { CURLE_SEND_ERROR, -ECONNRESET, true, "the connection was cut" },
        { CURLE_RECV_ERROR, -ECONNRESET, true, "the connection was cut" },
        { CURLE_GOT_NOTHING, -ECONNRESET, true, "the server closed the connection without an answer" },
        { CURLE_PARTIAL_FILE, -ECONNRESET, true, "the connection was cut" },
        { CURLE_HTTP2, -EPROTO, true, "HTTP/2 failed" },
        { CURLE_HTTP2_STREAM, -EPROTO, true, "the connection was cut" },
        { CURLE_SSL_CONNECT_ERROR, -EPROTO, true, "TLS failed" },
        { CURLE_OUT_OF_MEMORY, -ENOMEM, false, "no memory" },
        { CURLE_URL_MALFORMAT, -EINVAL, false, "the URL is not valid" },
        { CURLE_UNSUPPORTED_PROTOCOL, -EINVAL, false, "libcurl cannot do this protocol" },
};

static int http_result(struct lsr_http_call *call, CURLcode code)
{
        if (code == CURLE_OK || (call->answer.status >= 300 && code == CURLE_WRITE_ERROR))
                return 0;
        if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE) {
                snprintf(call->text, sizeof(call->text), "%s", *call->error ? call->error : curl_easy_strerror(code));
                return -EKEYREJECTED;
        }
        for (size_t i = 0; i < sizeof(http_errors) / sizeof(*http_errors); i++)
                if (http_errors[i].code == code) {
                        call->transient = http_errors[i].transient;
                        snprintf(call->text, sizeof(call->text), "%s", http_errors[i].text);
                        return http_errors[i].error;
                }
        snprintf(call->text, sizeof(call->text), "%s", curl_easy_strerror(code));
        return call->dropped ? -ECANCELED : -EIO;
}

/* Give back what a transfer has, but not its results. */
static void http_release(struct lsr_http *http, struct lsr_http_call *call)
{
        curl_multi_remove_handle(http->multi, call->easy);
        curl_easy_cleanup(call->easy);
        curl_slist_free_all(call->list);
        call->easy = call->list = NULL;
}

static void http_finish(struct lsr_http *http, struct lsr_http_call *call, CURLcode code)
{
        curl_off_t first = 0, total = 0;
        char *redirect = NULL;
        long connects = 0;
        int r;

        curl_easy_getinfo(call->easy, CURLINFO_REDIRECT_URL, &redirect);
        curl_easy_getinfo(call->easy, CURLINFO_STARTTRANSFER_TIME_T, &first);
        curl_easy_getinfo(call->easy, CURLINFO_TOTAL_TIME_T, &total);
        curl_easy_getinfo(call->easy, CURLINFO_NUM_CONNECTS, &connects);
        call->first_byte_ns = connects ? 0 : (uint64_t)first * 1000;
        call->total_ns = (uint64_t)total * 1000;
        call->reached = call->answer.status != 0;
        if (call->answer.status == 429 || call->answer.status >= 500) {
                curl_off_t after = 0;

                curl_easy_getinfo(call->easy, CURLINFO_RETRY_AFTER, &after);
                call->answer.retry_after_s = (uint64_t)after;
        }
        call->redirect = redirect ? strdup(redirect) : NULL;
        http_error_code(call);
        r = http_result(call, code);
        http_release(http, call);
        call->done(call, r);
}

static struct curl_slist *http_header_list(const char *lines)
{
        struct curl_slist *list = NULL;

        while (*lines) {
                size_t n = strcspn(lines, "\n");
                lsr_autofree char *line = strndup(lines, n);
                struct curl_slist *more = line ? curl_slist_append(list, line) : NULL;

                if (!more)
                        return curl_slist_free_all(list), NULL;
                list = more;
                lines += n + (lines[n] == '\n');
        }
        return list;
}

/* A bundle of certificates that the user names, as AWS's tools and curl are told of it. */
static void http_authorities(CURL *easy)
{
        static const char *const names[] = { "AWS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE" };

        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
                const char *path = getenv(names[i]);

                if (path && *path) {
                        curl_easy_setopt(easy, CURLOPT_CAINFO, path);
                        return;
                }
        }
}

static size_t http_on_upload(char *to, size_t size, size_t n, void *ctx)
{
        struct lsr_http_call *call = ctx;

        if (n > call->sent_n - call->sent_at)
                n = call->sent_n - call->sent_at;
        if (n)
                memcpy(to, (const char *)call->sent + call->sent_at, n);
        call->sent_at += n;
        return n;
}

static int http_on_rewind(void *ctx, curl_off_t offset, int origin)
{
        struct lsr_http_call *call = ctx;

        if (origin != SEEK_SET || offset < 0 || (size_t)offset > call->sent_n)
                return CURL_SEEKFUNC_FAIL;
        call->sent_at = (size_t)offset;
        return CURL_SEEKFUNC_OK;
}

static void http_method(CURL *easy, struct lsr_http_call *call)
{
        if (strcmp(call->method, "HEAD") == 0) {
                curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
                return;
        }
        curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, call->method);
        if (strcmp(call->method, "DELETE") == 0)
                return;
        call->sent_at = 0;
        curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)call->sent_n);
        curl_easy_setopt(easy, CURLOPT_READFUNCTION, http_on_upload);
        curl_easy_setopt(easy, CURLOPT_READDATA, call);
        curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, http_on_rewind);
        curl_easy_setopt(easy, CURLOPT_SEEKDATA, call);
        curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, 1L << 20);
}

int lsr_http_start(struct lsr_http *http, struct lsr_http_call *call)
{
        CURL *easy = curl_easy_init();

        if (!easy)
                return -ENOMEM;
        free(call->redirect);
        call->redirect = NULL;
        call->answer = (struct lsr_http_answer){ 0 };
        call->dropped = call->transient = call->reached = false;
        call->start_n = 0;
        call->text[0] = call->error[0] = '\0';
        call->easy = easy;
        call->list = http_header_list(call->headers);
        curl_easy_setopt(easy, CURLOPT_URL, call->url);
        curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
        curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
        curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
        curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
        curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
        curl_easy_setopt(easy, CURLOPT_HTTP_CONTENT_DECODING, 0L);
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, call->list);
        curl_easy_setopt(easy, CURLOPT_USERAGENT, "lsr/" LSR_VERSION);
        curl_easy_setopt(easy, CURLOPT_NETRC, (long)(call->netrc ? CURL_NETRC_OPTIONAL : CURL_NETRC_IGNORED));
        curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, (long)call->patience_s);
        curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, HTTP_SLOW_BYTES);
        curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, (long)call->patience_s);
        curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 256L << 10);
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, call->error);
        curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, http_on_header);
        curl_easy_setopt(easy, CURLOPT_HEADERDATA, call);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, http_on_body);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, call);
        curl_easy_setopt(easy, CURLOPT_PRIVATE, call);
        http_authorities(easy);
        if (call->method)
                http_method(easy, call);
        if (curl_multi_add_handle(http->multi, easy) == CURLM_OK)
                return 0;
        http_release(http, call);
        return -ENOMEM;
}

void lsr_http_drop(struct lsr_http *http, struct lsr_http_call *call)
{
        if (call->easy)
                http_release(http, call);
        free(call->redirect);
        call->redirect = NULL;
}

int lsr_http_wait(struct lsr_http *http, const int *fds, unsigned n, int timeout_ms, bool *ret_readable)
{
        struct curl_waitfd extra[LSR_HTTP_FDS] = { 0 };
        CURLMsg *message;
        int running, left;

        for (unsigned i = 0; i < n; i++)
                extra[i] = (struct curl_waitfd){ .fd = fds[i], .events = CURL_WAIT_POLLIN };
        if (curl_multi_perform(http->multi, &running) != CURLM_OK)
                return -EIO;
        /* Whoever is done is told first: there may be something to start. */
        message = curl_multi_info_read(http->multi, &left);
        if (!message && curl_multi_poll(http->multi, extra, n, timeout_ms, NULL) != CURLM_OK)
                return -EIO;
        for (; message; message = curl_multi_info_read(http->multi, &left))
                if (message->msg == CURLMSG_DONE) {
                        CURLcode code = message->data.result;
                        void *call;

                        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &call);
                        http_finish(http, call, code);
                }
        for (unsigned i = 0; i < n; i++)
                ret_readable[i] = extra[i].revents != 0;
        return 0;
}

struct http_text {
        char *p;
        size_t n;
};

static size_t http_on_text(char *data, size_t size, size_t n, void *ctx)
{
        struct http_text *text = ctx;
        char *more = text->n + n < HTTP_METADATA_MAX ? realloc(text->p, text->n + n + 1) : NULL;

        if (!more)
                return 0;
        text->p = more;
        memcpy(text->p + text->n, data, n);
        text->n += n;
        text->p[text->n] = '\0';
        return n;
}

int lsr_http_metadata(void *ctx, const char *method, const char *url, const char *headers, char **ret_body)
{
        struct curl_slist *list = http_header_list(headers);
        struct http_text text = { NULL, 0 };
        CURL *easy = curl_easy_init();
        long status = 0;
        CURLcode code;

        if (!easy)
                return curl_slist_free_all(list), -ENOMEM;
        curl_easy_setopt(easy, CURLOPT_URL, url);
        curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
        curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, list);
        curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, HTTP_METADATA_MS);
        curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, 2 * HTTP_METADATA_MS);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, http_on_text);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, &text);
        http_authorities(easy);
        code = curl_easy_perform(easy);
        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
        curl_easy_cleanup(easy);
        curl_slist_free_all(list);
        if (code == CURLE_OK && status == 200 && text.p) {
                *ret_body = text.p;
                return 0;
        }
        free(text.p);
        return code == CURLE_OK ? -EACCES : code == CURLE_OPERATION_TIMEDOUT ? -ETIMEDOUT : -ECONNREFUSED;
}
