/*
 * diff - what differs between two directories, on disk or in bundles
 *
 * The children of a directory are sorted in both catalogues, so that two directories are merged like lists.  Each field
 * is compared as far as both sides know it, times to the precision that both have.  Contents are compared last, of
 * files of the same size: by digests, since two bundles have them in orders of their own.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "base/out.h"
#include "cli/cli.h"
#include "cli/diff.h"
#include "cli/message.h"
#include "formats/format.h"
#include "render/zone.h"

/* Two rows, of which one may be missing: UINT32_MAX. */
struct diff_pair {
        uint32_t a, b;
};

struct diff {
        struct lsr_reading reading;
        struct lsr_out out;
        struct lsr_diff_side sides[2];
        struct diff_pair *pairs; /* in the order of the output */
        size_t n, cap;
        bool tty;
        bool differ;
};

#define DIFF_NONE UINT32_MAX

/* --- which rows belong together --------------------------------------------------- */

static const char *diff_name(const struct lsr_diff_side *side, uint32_t row)
{
        struct lsr_member m;

        lsr_catalogue_get(side->catalogue, row, &m);
        return m.path;
}

static bool diff_is_dir(const struct lsr_diff_side *side, uint32_t row)
{
        struct lsr_member m;

        lsr_catalogue_get(side->catalogue, row, &m);
        return S_ISDIR(m.meta.mode);
}

/* The one directory that is all there is at the root, if the other side has none of its name there; else the base. */
static uint32_t diff_only_dir(const struct lsr_diff_side *side, const struct lsr_diff_side *other)
{
        struct lsr_slice below = lsr_catalogue_children(side->catalogue, side->base);
        const char *name;

        if (side->base != 0 || side->fd >= 0 || below.n != 1 || !diff_is_dir(side, below.first))
                return side->base;
        name = diff_name(side, below.first);
        return lsr_catalogue_find(other->catalogue, other->base, name, strlen(name)) < 0 ? below.first : side->base;
}

static void diff_add(struct diff *d, uint32_t a, uint32_t b)
{
        lsr_grow(&d->pairs, d->n, &d->cap);
        d->pairs[d->n++] = (struct diff_pair){ a, b };
}

/* All below two directories. */
static void diff_merge(struct diff *d, uint32_t a, uint32_t b)
{
        const struct lsr_diff_side *x = &d->sides[0], *y = &d->sides[1];
        struct lsr_slice p = lsr_catalogue_children(x->catalogue, a), q = lsr_catalogue_children(y->catalogue, b);
        uint32_t i = 0, k = 0;

        while (i < p.n || k < q.n) {
                uint32_t left = i < p.n ? p.first + i : DIFF_NONE, right = k < q.n ? q.first + k : DIFF_NONE;
                int order = left == DIFF_NONE    ? 1
                            : right == DIFF_NONE ? -1
                                                 : strcmp(diff_name(x, left), diff_name(y, right));

                i += order <= 0;
                k += order >= 0;
                diff_add(d, order <= 0 ? left : DIFF_NONE, order >= 0 ? right : DIFF_NONE);
                if (order == 0 && diff_is_dir(x, left) && diff_is_dir(y, right))
                        diff_merge(d, left, right);
        }
}

/* --- what differs ----------------------------------------------------------------- */

enum { DIFF_TYPE, DIFF_SIZE, DIFF_MODE, DIFF_MTIME, DIFF_OWNER, DIFF_TARGET, DIFF_DEVICE, DIFF_CONTENT, DIFF_FIELDS };

static const char *const diff_words[DIFF_FIELDS] = { "type",  "size",   "mode",   "mtime",
                                                     "owner", "target", "device", "content" };

/* Do both know it? */
static bool diff_both(const struct lsr_member *x, const struct lsr_member *y, unsigned field)
{
        return (x->meta.known & y->meta.known & field) == field;
}

static bool diff_mtime(const struct lsr_member *x, const struct lsr_member *y)
{
        int64_t a = lsr_member_mtime(x), b = lsr_member_mtime(y);
        uint32_t m = x->meta.nsec[LSR_MTIME], n = y->meta.nsec[LSR_MTIME];

        /* MS-DOS counts in steps of two seconds. */
        if ((x->flags | y->flags) & LSR_MEMBER_LOCALTIME)
                return a - b > 1 || b - a > 1;
        if (a != b || m == 0 || n == 0)
                return a != b;
        return m % 100 == 0 || n % 100 == 0 ? m / 100 != n / 100 : m != n;
}

static bool diff_content(const struct diff *d, const struct diff_pair *p)
{
        const struct lsr_diff_side *x = &d->sides[0], *y = &d->sides[1];
        uint32_t a = lsr_catalogue_link(x->catalogue, p->a), b = lsr_catalogue_link(y->catalogue, p->b);

        return x->state[a] & y->state[b] & LSR_DIFF_ASKED && !((x->state[a] | y->state[b]) & LSR_DIFF_FAILED) &&
               x->digests[a] != y->digests[b];
}

/* A bit for each field. */
static unsigned diff_fields(const struct diff *d, const struct diff_pair *p, const struct lsr_member *x,
                            const struct lsr_member *y)
{
        bool said = !((x->flags | y->flags) & LSR_MEMBER_IMPLIED), same, link = S_ISLNK(x->meta.mode);
        bool file = S_ISREG(x->meta.mode) || !(x->meta.known & LSR_FIELD_TYPE);

        same = !diff_both(x, y, LSR_FIELD_TYPE) || !((x->meta.mode ^ y->meta.mode) & S_IFMT);
        if (!same || !said)
                return !same << DIFF_TYPE;
        return (unsigned)(file && diff_both(x, y, LSR_FIELD_SIZE) && x->meta.size != y->meta.size) << DIFF_SIZE |
               (unsigned)(!link && diff_both(x, y, LSR_FIELD_MODE) && ((x->meta.mode ^ y->meta.mode) & 07777))
                       << DIFF_MODE |
               (unsigned)(diff_both(x, y, LSR_FIELD_MTIME) && diff_mtime(x, y)) << DIFF_MTIME |
               (unsigned)((diff_both(x, y, LSR_FIELD_UID) && x->meta.uid != y->meta.uid) ||
                          (diff_both(x, y, LSR_FIELD_GID) && x->meta.gid != y->meta.gid))
                       << DIFF_OWNER |
               (unsigned)(link && x->target && y->target &&
                          (x->target_len != y->target_len || memcmp(x->target, y->target, x->target_len) != 0))
                       << DIFF_TARGET |
               (unsigned)((S_ISCHR(x->meta.mode) || S_ISBLK(x->meta.mode)) && diff_both(x, y, LSR_FIELD_DEV) &&
                          x->meta.rdev != y->meta.rdev)
                       << DIFF_DEVICE |
               (unsigned)diff_content(d, p) << DIFF_CONTENT;
}

/* --- output ----------------------------------------------------------------------- */

static void diff_put_value(struct lsr_out *out, const struct lsr_member *m, unsigned field)
{
        static const char *const types[] = { [S_IFREG >> 12] = "file",    [S_IFDIR >> 12] = "directory",
                                             [S_IFLNK >> 12] = "link",    [S_IFIFO >> 12] = "fifo",
                                             [S_IFCHR >> 12] = "char",    [S_IFBLK >> 12] = "block",
                                             [S_IFSOCK >> 12] = "socket", [15] = NULL };
        const char *type = types[(m->meta.mode & S_IFMT) >> 12];
        time_t sec = lsr_member_mtime(m);
        lsr_autofree char *target = NULL;
        char text[64] = "";
        struct tm tm;

        switch (field) {
        case DIFF_TYPE:
                lsr_out_puts(out, type ? type : "?");
                break;
        case DIFF_SIZE:
                lsr_out_printf(out, "%llu", (unsigned long long)m->meta.size);
                break;
        case DIFF_MODE:
                lsr_out_printf(out, "%04o", m->meta.mode & 07777u);
                break;
        case DIFF_MTIME:
                if (gmtime_r(&sec, &tm))
                        strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
                lsr_out_printf(out, "%s.%09uZ", text, m->meta.nsec[LSR_MTIME]);
                break;
        case DIFF_OWNER:
                lsr_out_printf(out, "%u:%u", m->meta.uid, m->meta.gid);
                break;
        case DIFF_TARGET:
                target = lsr_xstrndup(m->target, m->target_len);
                lsr_out_puts(out, target);
                break;
        case DIFF_DEVICE:
                lsr_out_printf(out, "%u,%u", lsr_dev_major(m->meta.rdev), lsr_dev_minor(m->meta.rdev));
                break;
        default:
                break;
        }
}

/* The path below the base; "." is the base. */
static char *diff_path(const struct lsr_diff_side *side, uint32_t row)
{
        size_t len = lsr_catalogue_path(side->catalogue, row, NULL, 0);
        size_t skip = lsr_catalogue_path(side->catalogue, side->base, NULL, 0);
        char *path = lsr_xmalloc(len + 2);

        if (row == side->base)
                return strcpy(path, ".");
        lsr_catalogue_path(side->catalogue, row, path, len + 1);
        skip += skip > 0;
        memmove(path, path + skip, len - skip + 1);
        return path;
}

static void diff_put_json(struct diff *d, char mark, const char *path, unsigned fields, const struct lsr_member *x,
                          const struct lsr_member *y)
{
        struct lsr_out *out = &d->out;
        const char *comma = "";

        lsr_out_puts(out, "{\"path\":\"");
        lsr_json_text(out, path, strlen(path));
        lsr_out_printf(out, "\",\"change\":\"%s\"", mark == '+' ? "added" : mark == '-' ? "removed" : "changed");
        if (mark == '~')
                lsr_out_puts(out, ",\"differs\":{");
        for (unsigned i = 0; i < DIFF_FIELDS && mark == '~'; i++) {
                if (!(fields >> i & 1))
                        continue;
                lsr_out_printf(out, "%s\"%s\":[", comma, diff_words[i]);
                comma = ",";
                for (unsigned side = 0; side < 2 && i != DIFF_CONTENT; side++) {
                        lsr_auto(lsr_out_free) struct lsr_out text = LSR_OUT_MEMORY;

                        diff_put_value(&text, side ? y : x, i);
                        lsr_out_printf(out, "%s%s", side ? "," : "", i == DIFF_SIZE ? "" : "\"");
                        lsr_json_text(out, text.buf, text.len);
                        lsr_out_puts(out, i == DIFF_SIZE ? "" : "\"");
                }
                lsr_out_putc(out, ']');
        }
        lsr_out_puts(out, mark == '~' ? "}}\n" : "}\n");
}

static void diff_put_text(struct diff *d, char mark, const char *path, bool is_dir, unsigned fields,
                          const struct lsr_member *x, const struct lsr_member *y)
{
        struct lsr_out *out = &d->out;
        const char *before = ": ";

        lsr_out_printf(out, "%c %s%s", mark, d->tty ? lsr_quoted_needed(path) : path, is_dir ? "/" : "");
        for (unsigned i = 0; i < DIFF_FIELDS && mark == '~'; i++) {
                if (!(fields >> i & 1))
                        continue;
                lsr_out_printf(out, "%s%s", before, diff_words[i]);
                before = ", ";
                for (unsigned side = 0; side < 2 && i != DIFF_CONTENT; side++) {
                        lsr_auto(lsr_out_free) struct lsr_out text = LSR_OUT_MEMORY;

                        diff_put_value(&text, side ? y : x, i);
                        lsr_out_putc(&text, '\0');
                        lsr_out_printf(out, "%s%s", side ? " -> " : " ",
                                       d->tty ? lsr_quoted_needed(text.buf) : text.buf);
                }
        }
        lsr_out_putc(out, '\n');
}

static void diff_put(struct diff *d, const struct diff_pair *p)
{
        const struct lsr_diff_side *side = &d->sides[p->a == DIFF_NONE];
        uint32_t row = p->a == DIFF_NONE ? p->b : p->a;
        char mark = p->a == DIFF_NONE ? '+' : p->b == DIFF_NONE ? '-' : '~';
        lsr_autofree char *path = NULL;
        struct lsr_member x = {}, y = {};
        unsigned fields = 0;

        if (mark == '~') {
                lsr_catalogue_get(d->sides[0].catalogue, p->a, &x);
                lsr_catalogue_get(d->sides[1].catalogue, p->b, &y);
                fields = diff_fields(d, p, &x, &y);
                if (!fields)
                        return;
        }
        d->differ = true;
        path = diff_path(side, row);
        if (d->reading.settings->given.json)
                diff_put_json(d, mark, path, fields, &x, &y);
        else
                diff_put_text(d, mark, path, mark != '~' && diff_is_dir(side, row), fields, &x, &y);
}

/* --- all of it -------------------------------------------------------------------- */

/* Files of the same size may have other contents. */
static void diff_contents(struct diff *d)
{
        struct lsr_diff_side *x = &d->sides[0], *y = &d->sides[1];
        uint64_t seed[LSR_DIGEST_STRIPE / sizeof(uint64_t)] = {};

        if (getrandom(seed, sizeof(seed), GRND_NONBLOCK) < 0)
                seed[0] = (uint64_t)getpid();
        lsr_digest_begin(&x->begin);
        lsr_digest_add(&x->begin, seed, sizeof(seed));
        y->begin = x->begin;
        for (size_t i = 0; i < d->n; i++) {
                const struct diff_pair *p = &d->pairs[i];
                struct lsr_member m, n;

                if (p->a == DIFF_NONE || p->b == DIFF_NONE)
                        continue;
                lsr_catalogue_get(x->catalogue, p->a, &m);
                lsr_catalogue_get(y->catalogue, p->b, &n);
                if ((m.meta.known & LSR_FIELD_TYPE && !S_ISREG(m.meta.mode)) ||
                    (n.meta.known & LSR_FIELD_TYPE && !S_ISREG(n.meta.mode)) ||
                    (m.flags | n.flags) & LSR_MEMBER_DANGLING ||
                    (diff_both(&m, &n, LSR_FIELD_SIZE) && m.meta.size != n.meta.size))
                        continue;
                x->state[lsr_catalogue_link(x->catalogue, p->a)] |= LSR_DIFF_ASKED;
                y->state[lsr_catalogue_link(y->catalogue, p->b)] |= LSR_DIFF_ASKED;
        }
        lsr_diff_read(&d->reading, x);
        lsr_diff_read(&d->reading, y);
}

int lsr_command_diff(struct lsr_settings *settings)
{
        static struct diff d; /* static for the leak check, as in list.c */
        uint32_t bases[2];
        int status;

        if (settings->n_operands != 2)
                return lsr_message_usage("--diff compares two directories or bundles: name two");
        status = lsr_reading_open(&d.reading, settings);
        if (status)
                return status;
        lsr_zone_guard_libc();
        lsr_out_init(&d.out, STDOUT_FILENO);
        d.tty = isatty(STDOUT_FILENO);
        d.sides[0].fd = d.sides[1].fd = -1;
        for (unsigned i = 0; i < 2 && status == 0; i++)
                status = lsr_diff_open(&d.reading, settings->operands[i], &d.sides[i]);
        if (status == 0) {
                for (unsigned i = 0; i < 2; i++)
                        bases[i] = diff_only_dir(&d.sides[i], &d.sides[!i]);
                for (unsigned i = 0; i < 2; i++)
                        d.sides[i].base = bases[i];
                diff_add(&d, bases[0], bases[1]);
                diff_merge(&d, bases[0], bases[1]);
                if (settings->diff_content)
                        diff_contents(&d);
                for (size_t i = 0; i < d.n && !d.out.error; i++)
                        diff_put(&d, &d.pairs[i]);
                /* Trouble with a bundle, too, means that not all was compared. */
                status = lsr_message_flush(&d.out, d.differ);
        }
        for (unsigned i = 0; i < 2; i++)
                lsr_diff_close(&d.sides[i]);
        free(d.pairs);
        lsr_reading_fail(&d.reading, status);
        if (d.reading.status == 1 && !d.differ)
                lsr_reading_fail(&d.reading, 2);
        return lsr_reading_close(&d.reading);
}
