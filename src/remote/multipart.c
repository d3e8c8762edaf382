/* No XML library: of what a store answers, one element is looked for, and what it says goes back to the same store. */
#include "remote/multipart.h"

#include <nettle/md5.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define MULTIPART_NS "http://s3.amazonaws.com/doc/2006-03-01/"

uint64_t lsr_multipart_size(uint32_t number)
{
        return LSR_MULTIPART_LEAST << (number <= 2000 ? 0 : number <= 3000 ? 1 : number <= 4000 ? 2 : 3);
}

/* Resolve the entities of @text in place. */
static void multipart_resolve(char *text)
{
        static const struct {
                const char *name;
                char c;
        } entities[] = { { "&quot;", '"' }, { "&#34;", '"' }, { "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' } };
        char *to = text;

        while (*text) {
                size_t i = 0, n = sizeof(entities) / sizeof(*entities);

                while (i < n && strncmp(text, entities[i].name, strlen(entities[i].name)) != 0)
                        i++;
                *to++ = i < n ? entities[i].c : *text;
                text += i < n ? strlen(entities[i].name) : 1;
        }
        *to = '\0';
}

char *lsr_multipart_text(const char *xml, const char *name)
{
        size_t n = strlen(name);

        for (const char *p = strchr(xml, '<'); p; p = strchr(p + 1, '<')) {
                const char *end;
                char *text;

                if (strncmp(p + 1, name, n) != 0 || p[1 + n] != '>')
                        continue;
                p += n + 2;
                end = strchr(p, '<');
                text = end ? strndup(p, (size_t)(end - p)) : NULL;
                if (text)
                        multipart_resolve(text);
                return text;
        }
        return NULL;
}

/* A tag goes into XML and came in a header: it has no character that means something there. */
static bool multipart_tag_valid(const char *tag)
{
        for (const char *p = tag; *p; p++)
                if (*p < ' ' || *p > '~' || strchr("<>&", *p))
                        return false;
        return *tag;
}

char *lsr_multipart_body(const struct lsr_multipart_tag *tags, uint32_t n)
{
        char *text = NULL;
        size_t size = 0;
        bool valid = true;
        FILE *f = open_memstream(&text, &size);

        if (!f)
                return NULL;
        fputs("<CompleteMultipartUpload xmlns=\"" MULTIPART_NS "\">", f);
        for (uint32_t i = 0; i < n; i++) {
                fprintf(f, "<Part><PartNumber>%u</PartNumber><ETag>%s</ETag></Part>", i + 1, tags[i].text);
                valid = valid && multipart_tag_valid(tags[i].text);
        }
        fputs("</CompleteMultipartUpload>", f);
        if (fclose(f) == 0 && valid)
                return text;
        free(text);
        return NULL;
}

/* The MD5 that @tag is, "\"0123...\"". */
static bool multipart_unhex(const char *tag, uint8_t ret_digest[MD5_DIGEST_SIZE])
{
        static const char hex[] = "0123456789abcdef";

        if (strlen(tag) != 2 + 2 * MD5_DIGEST_SIZE || tag[0] != '"')
                return false;
        for (unsigned i = 0; i < MD5_DIGEST_SIZE; i++) {
                const char *high = strchr(hex, tag[1 + 2 * i]), *low = strchr(hex, tag[2 + 2 * i]);

                if (!high || !low)
                        return false;
                ret_digest[i] = (uint8_t)((high - hex) << 4 | (low - hex));
        }
        return true;
}

static char *multipart_hex(struct md5_ctx *ctx, char *to)
{
        uint8_t digest[MD5_DIGEST_SIZE];

        md5_digest(ctx, sizeof(digest), digest);
        *to++ = '"';
        for (unsigned i = 0; i < sizeof(digest); i++)
                to += sprintf(to, "%02x", digest[i]);
        return to;
}

void lsr_multipart_whole_tag(const struct lsr_multipart_tag *tags, uint32_t n, char ret_tag[LSR_MULTIPART_TAG])
{
        struct md5_ctx ctx;

        *ret_tag = '\0';
        md5_init(&ctx);
        for (uint32_t i = 0; i < n; i++) {
                uint8_t digest[MD5_DIGEST_SIZE];

                if (!multipart_unhex(tags[i].text, digest))
                        return;
                md5_update(&ctx, sizeof(digest), digest);
        }
        sprintf(multipart_hex(&ctx, ret_tag), "-%u\"", n);
}

void lsr_multipart_plain_tag(const void *data, size_t n, char ret_tag[LSR_MULTIPART_TAG])
{
        struct md5_ctx ctx;

        md5_init(&ctx);
        md5_update(&ctx, n, data);
        strcpy(multipart_hex(&ctx, ret_tag), "\"");
}
