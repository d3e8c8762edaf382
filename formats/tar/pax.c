/*
 * pax - records of the extended headers of POSIX.1-2001
 *
 *      "30 mtime=1700000000.123456789\n"      the length counts the whole record
 *
 * The length rules: values may hold newlines and NUL bytes.  Unknown keys are
 * skipped, and so are invalid values, which is said, since the header that
 * follows has a fallback for each; an invalid length ends the body.
 *
 * Values are used where they lie.  The newline after a value becomes a NUL,
 * which makes users and groups strings.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/merge.h"
#include "formats/format.h"
#include "formats/tar/tar.h"

#define PAX_XATTR_MIN ((size_t)6) /* bytes of an attribute: a name of one, its NUL, the length */
/* All members that follow inherit them, and may each take no more than a block of the tar. */
#define PAX_GLOBAL_XATTRS_MAX ((size_t)4 << 10)

/* --- values ------------------------------------------------------------------- */

static bool pax_signed(const char **at, const char *end, int64_t *ret_number, bool *ret_negative)
{
        static const char least[] = "-9223372036854775808";
        const size_t least_len = sizeof(least) - 1;
        bool negative = *at < end && **at == '-';
        uint64_t v;

        *ret_negative = negative;
        /* It is the one without a positive counterpart, and a time that file systems can have. */
        if ((size_t)(end - *at) == least_len && memcmp(*at, least, least_len) == 0) {
                *at = end;
                *ret_number = INT64_MIN;
                return true;
        }
        *at += negative;
        if (tar_decimal(at, end, &v) < 0)
                return false;
        *ret_number = negative ? -(int64_t)v : (int64_t)v;
        return true;
}

static void pax_value(struct tar_pax *p, enum tar_value which, const char *s, size_t n)
{
        const char *end = s + n;
        bool negative;
        int64_t v;

        if (n == 0) {
                p->values_set &= ~(1u << which);
        } else if (pax_signed(&s, end, &v, &negative) && s == end && !(negative && which == TAR_SIZE)) {
                p->values[which] = v;
                p->values_set |= 1u << which;
        } else {
                p->invalid = true;
        }
}

/* Seconds with a fraction, rounded towards the past. */
static void pax_time(struct tar_pax *p, enum lsr_time which, const char *s, size_t n)
{
        const char *end = s + n;
        uint32_t nsec = 0, digit = 100000000;
        bool negative, more = false;
        int64_t sec;

        if (n == 0) {
                p->times_set &= ~(1u << which);
                return;
        }
        if (!pax_signed(&s, end, &sec, &negative)) {
                p->invalid = true;
                return;
        }
        if (s < end && *s == '.') {
                for (s++; s < end && *s >= '0' && *s <= '9'; s++) {
                        nsec += (uint32_t)(*s - '0') * digit;
                        more |= digit == 0 && *s != '0';
                        digit /= 10;
                }
        }
        if (s != end) {
                p->invalid = true;
                return;
        }
        if (negative && (nsec || more)) {
                /* -1.25 is 0.75 behind -2. */
                nsec += more;
                sec--;
                nsec = 1000000000 - nsec;
        }
        p->sec[which] = sec;
        p->nsec[which] = nsec;
        p->times_set |= 1u << which;
}

/* --- attributes --------------------------------------------------------------- */

/* In tar_pax.xattrs; the name is followed by the length and the value. */
struct pax_xattr {
        uint32_t at;
        uint32_t size;
};

/* Equal names are adjacent, in the order in which they came. */
static int pax_compare_xattrs(const void *a, const void *b, void *ctx)
{
        const struct pax_xattr *x = a, *y = b;
        const char *base = ctx;
        int r = strcmp(base + x->at, base + y->at);

        return r ? r : (x->at > y->at) - (x->at < y->at);
}

static int pax_compare_places(const void *a, const void *b, void *ctx)
{
        const struct pax_xattr *x = a, *y = b;

        return (x->at > y->at) - (x->at < y->at);
}

/* Where each of @p begins; to be freed. */
static struct pax_xattr *pax_list_xattrs(const struct tar_pax *p, size_t *ret_n)
{
        struct pax_xattr *list = lsr_xmalloc((p->xattrs_len / PAX_XATTR_MIN + 1) * sizeof(*list));
        size_t n = 0;

        for (size_t at = 0; at < p->xattrs_len; at += list[n++].size) {
                size_t name = strlen((const char *)p->xattrs + at) + 1;

                list[n] = (struct pax_xattr){ (uint32_t)at, (uint32_t)(name + 4 + lsr_le32(p->xattrs + at + name)) };
        }
        *ret_n = n;
        return list;
}

/*
 * bsdtar writes each attribute twice: the first counts.  Attributes beyond @max bytes are left out.  Sorted, since
 * a header has room for fifty thousand of them, and a search for each would take as many steps as their square.
 */
static void pax_settle_xattrs(struct tar_pax *p, size_t max)
{
        struct pax_xattr *list;
        size_t n, kept = 0, len = 0;

        if (!p->unsettled)
                return;
        p->unsettled = false;
        list = pax_list_xattrs(p, &n);
        lsr_merge_sort(list, n, sizeof(*list), pax_compare_xattrs, p->xattrs);
        for (size_t i = 0; i < n; i++)
                if (i == 0 || strcmp((char *)p->xattrs + list[i].at, (char *)p->xattrs + list[kept - 1].at) != 0)
                        list[kept++] = list[i];
        lsr_merge_sort(list, kept, sizeof(*list), pax_compare_places, NULL);
        for (size_t i = 0; i < kept; i++) {
                if (list[i].size > max - len) {
                        p->left_out = true;
                        continue;
                }
                memmove(p->xattrs + len, p->xattrs + list[i].at, list[i].size);
                len += list[i].size;
        }
        p->xattrs_len = len;
        free(list);
}

/* pax_settle_xattrs() decides in the end. */
static void pax_xattr(struct tar_pax *p, const char *name, size_t name_len, const char *value, size_t n)
{
        size_t need = name_len + 1 + 4 + n;
        uint8_t *to;

        if (name_len == 0 || memchr(name, '\0', name_len))
                return;
        if (p->xattrs_cap - p->xattrs_len < need) {
                p->xattrs_cap = (p->xattrs_len + need) * 2;
                p->xattrs = lsr_xrealloc(p->xattrs, p->xattrs_cap);
        }
        to = p->xattrs + p->xattrs_len;
        memcpy(to, name, name_len);
        to[name_len] = '\0';
        lsr_put_le32(to + name_len + 1, (uint32_t)n);
        memcpy(to + name_len + 5, value, n);
        p->unsettled |= p->xattrs_len > 0 || need > PAX_GLOBAL_XATTRS_MAX;
        p->xattrs_len += need;
}

static int pax_hex(char c)
{
        if (c >= '0' && c <= '9')
                return c - '0';
        c |= 0x20;
        return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Undo %XX in place.  GNU tar writes '=' and '%' of attributes' names so, libarchive all that is not plain. */
static size_t pax_unquote(char *s, size_t n)
{
        size_t to = 0;

        for (size_t i = 0; i < n; i++, to++) {
                int high = n - i > 2 && s[i] == '%' ? pax_hex(s[i + 1]) : -1;
                int low = high >= 0 ? pax_hex(s[i + 2]) : -1;

                s[to] = low >= 0 ? (char)(high << 4 | low) : s[i];
                i += low >= 0 ? 2 : 0;
        }
        return to;
}

static int pax_base64_digit(char c)
{
        if (c >= 'A' && c <= 'Z')
                return c - 'A';
        if (c >= 'a' && c <= 'z')
                return c - 'a' + 26;
        if (c >= '0' && c <= '9')
                return c - '0' + 52;
        return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

/* In place; libarchive leaves the padding out. */
static size_t pax_unbase64(char *s, size_t n)
{
        uint32_t bits = 0;
        unsigned have = 0;
        size_t to = 0;

        for (size_t i = 0; i < n; i++) {
                int digit = pax_base64_digit(s[i]);

                if (digit < 0)
                        break;
                bits = bits << 6 | (uint32_t)digit;
                have += 6;
                if (have >= 8) {
                        have -= 8;
                        s[to++] = (char)(bits >> have);
                }
        }
        return to;
}

/* --- records ------------------------------------------------------------------ */

enum pax_kind { PAX_TEXT, PAX_VALUE, PAX_TIME, PAX_OFFSET, PAX_NUMBYTES };

static const struct pax_word {
        const char *key;
        enum pax_kind kind;
        int which;
} pax_words[] = {
        { "path", PAX_TEXT, TAR_PATH },
        { "linkpath", PAX_TEXT, TAR_LINK },
        { "uname", PAX_TEXT, TAR_USER },
        { "gname", PAX_TEXT, TAR_GROUP },
        { "GNU.sparse.name", PAX_TEXT, TAR_SPARSE_NAME },
        { "GNU.sparse.map", PAX_TEXT, TAR_SPARSE_MAP },
        { "size", PAX_VALUE, TAR_SIZE },
        { "uid", PAX_VALUE, TAR_UID },
        { "gid", PAX_VALUE, TAR_GID },
        { "SCHILY.devmajor", PAX_VALUE, TAR_DEVMAJOR },
        { "SCHILY.devminor", PAX_VALUE, TAR_DEVMINOR },
        { "GNU.sparse.major", PAX_VALUE, TAR_SPARSE_MAJOR },
        { "GNU.sparse.minor", PAX_VALUE, TAR_SPARSE_MINOR },
        { "GNU.sparse.realsize", PAX_VALUE, TAR_REAL_SIZE },
        { "GNU.sparse.size", PAX_VALUE, TAR_REAL_SIZE },
        { "GNU.sparse.numblocks", PAX_VALUE, TAR_SPARSE_COUNT },
        { "GNU.sparse.offset", PAX_OFFSET, 0 },
        { "GNU.sparse.numbytes", PAX_NUMBYTES, 0 },
        { "mtime", PAX_TIME, LSR_MTIME },
        { "atime", PAX_TIME, LSR_ATIME },
        { "ctime", PAX_TIME, LSR_CTIME },
        { "LIBARCHIVE.creationtime", PAX_TIME, LSR_BTIME },
};

/* Version 0.0 of sparse members: an offset, then the bytes there, again and again. */
static int pax_piece(struct tar_pax *p, enum pax_kind kind, const char *s, size_t n)
{
        const char *end = s + n;
        uint64_t v;

        if (tar_decimal(&s, end, &v) < 0 || s != end || p->half != (kind == PAX_NUMBYTES))
                return -EBADMSG;
        p->half = !p->half;
        if (kind == PAX_OFFSET)
                return tar_map_add(&p->map, v, 0);
        p->map.pieces[p->map.n - 1].size = v;
        return 0;
}

static bool pax_begins(const char *key, size_t key_len, const char *with)
{
        size_t n = strlen(with);

        return key_len > n && memcmp(key, with, n) == 0;
}

static void pax_attribute(struct tar_pax *p, char *key, size_t key_len, char *value, size_t n)
{
        static const char schily[] = "SCHILY.xattr.", libarchive[] = "LIBARCHIVE.xattr.", redhat[] = "RHT.";

        if (pax_begins(key, key_len, schily)) {
                key += strlen(schily);
                pax_xattr(p, key, pax_unquote(key, key_len - strlen(schily)), value, n);
        } else if (pax_begins(key, key_len, libarchive)) {
                key += strlen(libarchive);
                key_len = pax_unquote(key, key_len - strlen(libarchive));
                pax_xattr(p, key, key_len, value, pax_unbase64(value, n));
        } else if (pax_begins(key, key_len, "SCHILY.acl.")) {
                p->acl |= n > 0;
                pax_xattr(p, key, key_len, value, n);
        } else if (pax_begins(key, key_len, "RHT.security.")) {
                pax_xattr(p, key + strlen(redhat), key_len - strlen(redhat), value, n);
        }
}

static int pax_record(struct tar_pax *p, char *key, size_t key_len, char *value, size_t n)
{
        const struct pax_word *w = NULL;

        for (size_t i = 0; i < sizeof(pax_words) / sizeof(pax_words[0]) && !w; i++)
                if (strlen(pax_words[i].key) == key_len && memcmp(pax_words[i].key, key, key_len) == 0)
                        w = &pax_words[i];
        if (!w) {
                pax_attribute(p, key, key_len, value, n);
                return 0;
        }
        switch (w->kind) {
        case PAX_TEXT:
                p->texts[w->which] = n ? (struct tar_text){ value, n } : (struct tar_text){};
                return 0;
        case PAX_VALUE:
                pax_value(p, (enum tar_value)w->which, value, n);
                return 0;
        case PAX_TIME:
                pax_time(p, (enum lsr_time)w->which, value, n);
                return 0;
        case PAX_OFFSET:
        case PAX_NUMBYTES:
                break;
        }
        return pax_piece(p, w->kind, value, n);
}

static int pax_parse(struct tar_pax *p, char *body, size_t n, size_t *ret_bad)
{
        size_t at = 0;

        while (at < n) {
                const char *digits = body + at;
                char *key, *equals, *end;
                uint64_t len;

                *ret_bad = at;
                if (tar_decimal(&digits, body + n, &len) < 0 || len > n - at)
                        return -EBADMSG;
                end = body + at + len;
                key = body + (digits - body) + 1;
                if (key >= end || key[-1] != ' ' || end[-1] != '\n')
                        return -EBADMSG;
                equals = memchr(key, '=', (size_t)(end - key));
                if (!equals)
                        return -EBADMSG;
                end[-1] = '\0';
                if (pax_record(p, key, (size_t)(equals - key), equals + 1, (size_t)(end - 1 - (equals + 1))) < 0)
                        return -EBADMSG;
                at += len;
        }
        return 0;
}

int tar_pax_parse(struct tar_pax *p, char *body, size_t n, size_t *ret_bad)
{
        int r = pax_parse(p, body, n, ret_bad);

        pax_settle_xattrs(p, lsr_limit(LSR_LIMIT_HEADER));
        return r;
}

/* --- what outlives a member --------------------------------------------------- */

void tar_pax_begin(struct tar_pax *p, const struct tar_pax *global)
{
        struct tar_pax old = *p;

        *p = *global;
        p->xattrs = old.xattrs;
        p->xattrs_cap = old.xattrs_cap;
        p->map = old.map;
        p->map.n = 0;
        p->half = p->left_out = p->unsettled = p->invalid = false;
        if (global->xattrs_len > p->xattrs_cap) {
                p->xattrs_cap = global->xattrs_len;
                p->xattrs = lsr_xrealloc(p->xattrs, p->xattrs_cap);
        }
        if (global->xattrs_len)
                memcpy(p->xattrs, global->xattrs, global->xattrs_len);
}

/* The body of a header is freed; copy what a global record sets. */
int tar_pax_parse_global(struct tar_pax *global, struct tar_pax *user, char *body, size_t n, size_t *ret_bad)
{
        struct tar_pax p = *global;
        int r = pax_parse(&p, body, n, ret_bad);

        pax_settle_xattrs(&p, PAX_GLOBAL_XATTRS_MAX);
        for (size_t i = 0; i < TAR_KEYS; i++) {
                struct tar_text *text = &p.texts[i];
                char *old = global->owned[i];

                if (text->s == old)
                        continue;
                p.owned[i] = text->s ? memcpy(lsr_xmalloc(text->len + 1), text->s, text->len + 1) : NULL;
                text->s = p.owned[i];
                if (old && user->texts[i].s == old)
                        user->texts[i] = *text;
                free(old);
        }
        *global = p;
        return r;
}

void tar_pax_free(struct tar_pax *p)
{
        free(p->xattrs);
        free(p->map.pieces);
}

void tar_pax_free_global(struct tar_pax *global)
{
        for (size_t i = 0; i < TAR_KEYS; i++)
                free(global->owned[i]);
        tar_pax_free(global);
}
