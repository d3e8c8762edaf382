/* differ - one list of the fields that count, for --check and for --unpack */
#include "catalogue/differ.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define DIFFER_FIELDS                                                                                         \
        (LSR_FIELD_TYPE | LSR_FIELD_MODE | LSR_FIELD_UID | LSR_FIELD_GID | LSR_FIELD_SIZE | LSR_FIELD_MTIME | \
         LSR_FIELD_DEV)

static bool differ_text(const char *a, const char *b)
{
        return strncmp(a ? a : "", b ? b : "", LSR_MEMBER_WORD_MAX) != 0;
}

static bool differ_bytes(const void *a, size_t a_len, const void *b, size_t b_len)
{
        return a_len != b_len || (a_len && memcmp(a, b, a_len) != 0);
}

void lsr_member_differ(const struct lsr_member *a, const struct lsr_member *b, char *words, size_t size)
{
        const struct lsr_meta *x = &a->meta, *y = &b->meta;
        uint32_t known = (x->known ^ y->known) & DIFFER_FIELDS;
        const struct {
                const char *word;
                bool differs;
        } fields[] = {
                { "type", known & LSR_FIELD_TYPE || (x->mode ^ y->mode) & S_IFMT },
                { "mode", known & LSR_FIELD_MODE || (x->mode ^ y->mode) & 07777 },
                { "owner", known & (LSR_FIELD_UID | LSR_FIELD_GID) || x->uid != y->uid || x->gid != y->gid ||
                                   differ_text(a->user, b->user) || differ_text(a->group, b->group) },
                { "size", known & LSR_FIELD_SIZE || x->size != y->size },
                { "mtime", known & LSR_FIELD_MTIME || x->sec[LSR_MTIME] != y->sec[LSR_MTIME] ||
                                   x->nsec[LSR_MTIME] != y->nsec[LSR_MTIME] },
                { "device", known & LSR_FIELD_DEV || x->rdev != y->rdev },
                { "link", (a->flags ^ b->flags) & (LSR_MEMBER_HARDLINK | LSR_MEMBER_DANGLING) ||
                                  differ_bytes(a->target, a->target_len, b->target, b->target_len) },
                { "place", a->position != b->position || (S_ISREG(x->mode) && a->data != b->data) },
                { "holes", (a->flags ^ b->flags) & LSR_MEMBER_SPARSE },
                { "attributes", differ_bytes(a->xattrs, a->xattrs_len, b->xattrs, b->xattrs_len) },
        };
        size_t len = 0;

        words[0] = '\0';
        for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]) && len < size; i++)
                if (fields[i].differs)
                        len += (size_t)snprintf(words + len, size - len, "%s%s", len ? ", " : "", fields[i].word);
}
