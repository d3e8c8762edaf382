/*
 * warc - records that libarchive passes over
 *
 * It lists records of the types resource and response whose addresses lead to
 * files, and passes over all others.  Of those that have another type, or an
 * address like dns:host, this is right; where the line with either is damaged
 * a member is lost.
 */
#include <errno.h>
#include <string.h>

#include "formats/libarchive/libarchive.h"

#define WARC_SHOWN ((size_t)40) /* bytes of a type */

struct warc_text {
        const char *s;
        size_t n;
};

/* The value behind @key, "\r\nName:", as libarchive finds it, in a header that ends with an empty line; s NULL: none. */
static struct warc_text warc_field(struct warc_text header, const char *key)
{
        const char *end = header.s + header.n, *s = memmem(header.s, header.n, key, strlen(key)), *eol;

        if (!s)
                return (struct warc_text){};
        s += strlen(key);
        eol = memmem(s, (size_t)(end - s), "\r\n", 2);
        if (!eol)
                return (struct warc_text){};
        while (s < eol && (*s == ' ' || *s == '\t'))
                s++;
        return (struct warc_text){ s, (size_t)(eol - s) };
}

static bool warc_length(struct warc_text header, uint64_t *ret_length)
{
        struct warc_text t = warc_field(header, "\r\nContent-Length:");
        uint64_t v = 0;

        for (size_t i = 0; i < t.n; i++)
                if (t.s[i] < '0' || t.s[i] > '9' || __builtin_mul_overflow(v, 10, &v) ||
                    __builtin_add_overflow(v, t.s[i] - '0', &v))
                        return false;
        *ret_length = v;
        return t.n > 0;
}

static bool warc_is(struct warc_text t, const char *const *words)
{
        while (*words && (t.n != strlen(*words) || memcmp(t.s, *words, t.n) != 0))
                words++;
        return *words;
}

static void warc_record(struct archive_pass *pass, struct warc_text header)
{
        static const char *const members[] = { "resource", "response", NULL };
        static const char *const others[] = { "warcinfo",   "request",      "metadata", "revisit",
                                              "conversion", "continuation", NULL };
        const struct warc_text type = warc_field(header, "\r\nWARC-Type:");
        const struct warc_text address = warc_field(header, "\r\nWARC-Target-URI:");
        const char *place = lsr_grouped(pass->header);

        if (!type.s)
                lsr_scan_trouble(pass->scan, -EBADMSG, "record at byte %s has no type, and is passed over", place);
        else if (warc_is(type, members) && !(address.s && memchr(address.s, ':', address.n)))
                lsr_scan_trouble(pass->scan, -EBADMSG, "record at byte %s has no address, and is passed over", place);
        else if (!warc_is(type, members) && !warc_is(type, others))
                lsr_scan_trouble(pass->scan, -EOPNOTSUPP,
                                 "record at byte %s is of a type that is not known, '%.*s', and is passed over", place,
                                 (int)(type.n < WARC_SHOWN ? type.n : WARC_SHOWN), type.s);
}

void lsr_archive_warc_look(struct archive_pass *pass, const uint8_t *data, size_t n)
{
        uint64_t at = pass->scan->input->at, length;

        while (pass->header - at < n) {
                struct warc_text header = { (const char *)data + (pass->header - at), n - (size_t)(pass->header - at) };
                const char *end = memmem(header.s, header.n, "\r\n\r\n", 4);

                /* libarchive says what is wrong with it. */
                if (!end || memcmp(header.s, "WARC/", 5) != 0) {
                        pass->header = UINT64_MAX;
                        break;
                }
                header.n = (size_t)(end - header.s) + 4;
                if (!warc_length(header, &length)) {
                        pass->header = UINT64_MAX;
                        break;
                }
                warc_record(pass, header);
                if (__builtin_add_overflow(pass->header, header.n + 4, &pass->header) ||
                    __builtin_add_overflow(pass->header, length, &pass->header))
                        pass->header = UINT64_MAX;
        }
}
