/*
 * acl - a line of text into entries of eight bytes
 *
 *      u32 version 2, then for each entry u16 tag, u16 permissions, u32 id
 *
 * All little-endian, sorted by tag and then id, as the kernel insists.
 *
 * Rejected: acl_from_text() of libacl.  It looks names up with getpwnam(), for
 * which a static binary loads shared libraries of the system that it happens to
 * run on, and it does not know the number that star(1) writes behind a name.
 */
#include "catalogue/acl.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/accounts.h"
#include "base/arena.h"
#include "base/bytes.h"
#include "base/cleanup.h"

#define ACL_VERSION 2
#define ACL_NO_ID UINT32_MAX
#define ACL_ENTRIES_MAX ((size_t)8000) /* 64 KiB, the most that an attribute has */

enum { ACL_USER_OBJ = 1, ACL_USER = 2, ACL_GROUP_OBJ = 4, ACL_GROUP = 8, ACL_MASK = 16, ACL_OTHER = 32 };

struct acl_entry {
        uint16_t tag;
        uint16_t perm;
        uint32_t id;
};

struct acl_word {
        const char *s;
        size_t n;
};

static bool acl_number(struct acl_word w, uint32_t *ret_id)
{
        uint64_t v = 0;

        for (size_t i = 0; i < w.n; i++) {
                if (w.s[i] < '0' || w.s[i] > '9')
                        return false;
                v = v * 10 + (uint64_t)(w.s[i] - '0');
                if (v >= ACL_NO_ID)
                        return false;
        }
        *ret_id = (uint32_t)v;
        return w.n > 0;
}

static int acl_id(bool group, struct acl_word name, struct acl_word number, uint32_t *ret_id)
{
        if (acl_number(name, ret_id) || lsr_account_find(group, name.s, name.n, ret_id) || acl_number(number, ret_id))
                return 0;
        return -ENOENT;
}

/* The next word up to @end or a ':'; *at moves behind that. */
static struct acl_word acl_word(const char **at, const char *end)
{
        struct acl_word w = { .s = *at };

        while (*at < end && **at != ':')
                ++*at;
        w.n = (size_t)(*at - w.s);
        if (*at < end)
                ++*at;
        return w;
}

static bool acl_is(struct acl_word w, const char *word)
{
        return w.n > 0 && w.n <= strlen(word) && memcmp(w.s, word, w.n) == 0;
}

static int acl_permissions(struct acl_word w, uint16_t *ret_perm)
{
        uint16_t perm = 0;

        for (size_t i = 0; i < w.n; i++) {
                switch (w.s[i]) {
                case 'r':
                        perm |= 4;
                        break;
                case 'w':
                        perm |= 2;
                        break;
                case 'x':
                        perm |= 1;
                        break;
                case '-':
                case ' ':
                        break;
                default:
                        return -EINVAL;
                }
        }
        *ret_perm = perm;
        return 0;
}

/* One entry, from @at to @end. */
static int acl_entry(const char *at, const char *end, struct acl_entry *ret_entry)
{
        struct acl_entry e = { .id = ACL_NO_ID };
        struct acl_word kind = acl_word(&at, end), name = acl_word(&at, end), perm = acl_word(&at, end),
                        number = acl_word(&at, end);
        bool group = acl_is(kind, "group");
        int r;

        if (acl_is(kind, "user") || group) {
                e.tag = group ? ACL_GROUP_OBJ : ACL_USER_OBJ;
                if (name.n > 0) {
                        e.tag = group ? ACL_GROUP : ACL_USER;
                        r = acl_id(group, name, number, &e.id);
                        if (r < 0)
                                return r;
                }
        } else if (acl_is(kind, "mask") || acl_is(kind, "other")) {
                e.tag = acl_is(kind, "mask") ? ACL_MASK : ACL_OTHER;
                /* Some leave the empty name out. */
                if (name.n > 0 && perm.n == 0)
                        perm = name;
        } else {
                return -EINVAL;
        }
        r = acl_permissions(perm, &e.perm);
        if (r == 0)
                *ret_entry = e;
        return r;
}

static int acl_compare(const void *a, const void *b)
{
        const struct acl_entry *x = a, *y = b;

        if (x->tag != y->tag)
                return x->tag < y->tag ? -1 : 1;
        return (x->id > y->id) - (x->id < y->id);
}

int lsr_acl_from_text(const char *text, size_t n, uint8_t **ret_value, size_t *ret_size)
{
        const char *at = text, *end = text + n;
        lsr_autofree struct acl_entry *entries = NULL;
        size_t count = 0, cap = 0;
        uint8_t *value;

        while (at < end) {
                const char *stop = at;

                while (stop < end && *stop != ',' && *stop != '\n' && *stop)
                        stop++;
                if (stop > at) {
                        int r;

                        lsr_grow(&entries, count, &cap);
                        r = count < ACL_ENTRIES_MAX ? acl_entry(at, stop, &entries[count++]) : -EINVAL;
                        if (r < 0)
                                return r;
                }
                at = stop < end ? stop + 1 : end;
        }
        if (count == 0)
                return -EINVAL;
        qsort(entries, count, sizeof(*entries), acl_compare);
        value = lsr_xmalloc(4 + 8 * count);
        lsr_put_le32(value, ACL_VERSION);
        for (size_t i = 0; i < count; i++) {
                lsr_put_le16(value + 4 + 8 * i, entries[i].tag);
                lsr_put_le16(value + 4 + 8 * i + 2, entries[i].perm);
                lsr_put_le32(value + 4 + 8 * i + 4, entries[i].id);
        }
        *ret_value = value;
        *ret_size = 4 + 8 * count;
        return 0;
}

const char *lsr_acl_kernel_name(const char *name, bool *ret_text)
{
        static const char *const kernel[] = { "system.posix_acl_access", "system.posix_acl_default" };
        static const char *const text[] = { "SCHILY.acl.access", "SCHILY.acl.default" };

        for (unsigned i = 0; i < 2; i++) {
                *ret_text = strcmp(name, text[i]) == 0;
                if (*ret_text || strcmp(name, kernel[i]) == 0)
                        return kernel[i];
        }
        return NULL;
}
