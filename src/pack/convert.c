/*
 * convert - members are streamed from one format to the other
 *
 *      rows ─► directories, symbolic links and special files
 *           ─► regular files in the order of the bundle: one pass
 *           ─► hard links; where the format has none, their content in another pass
 *
 * The header of a file is written with its first byte, so that a member that cannot be read at all is left out.  A
 * table of contents that the bundle claims is not trusted: then all members come in the order of the bundle, each when
 * its header was compared.
 */
#include "pack/convert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/cleanup.h"
#include "formats/format.h"
#include "pack/content.h"
#include "pack/digest.h"
#include "catalogue/acl.h"

enum {
        CONVERT_WANTED = 1 << 0,
        CONVERT_ALL = 1 << 1,     /* and what is below it */
        CONVERT_OUT = 1 << 2,     /* it is left out with what is below it */
        CONVERT_WRITTEN = 1 << 3, /* it is stored */
        CONVERT_TRUE = 1 << 4,    /* a hard link, whose header says the same as the catalogue */
};

struct convert {
        struct lsr_convert *o;
        const struct lsr_catalogue *c;
        struct lsr_writer *w;
        struct lsr_pack_stats *stats;
        size_t skip;      /* bytes of paths in front of what is stored, */
        size_t below;     /* and then in front of what patterns are compared with */
        uint8_t *state;   /* of each row */
        uint32_t *copied; /* of each row that hard links lead to: under which its content was stored; 0: not yet */
        uint32_t *rows;   /* of the pass */
        size_t n;
        /* The file at hand. */
        struct lsr_member m;
        char *path;
        uint8_t *xattrs;
        struct lsr_digest digest;
        uint64_t left;
        int error; /* that ended the work */
        bool begun;
        bool dropped; /* the writer does not take it */
};

static char *convert_path(const struct convert *v, uint32_t row)
{
        size_t len = lsr_catalogue_path(v->c, row, NULL, 0), skip = v->skip < len ? v->skip : len;
        char *path = lsr_xmalloc(len + 1);

        lsr_catalogue_path(v->c, row, path, len + 1);
        memmove(path, path + skip, len - skip + 1);
        return path;
}

static void convert_trouble(struct convert *v, enum lsr_pack_trouble what, const char *path, int error, uint64_t at)
{
        const struct lsr_pack_options *o = v->o->options;

        o->trouble(o->ctx, what, *path ? path : ".", error, at);
}

/* --- what a member says ---------------------------------------------------------- */

/* Access control lists as the kernel has them; what cannot be understood stays as it is.  Allocated. */
static uint8_t *convert_xattrs(const struct lsr_member *m, size_t *ret_len)
{
        const uint8_t *p = m->xattrs, *end = p + (m->xattrs ? m->xattrs_len : 0);
        uint8_t *all = NULL;
        size_t len = 0;

        while (p < end) {
                const char *name = (const char *)p, *kernel;
                size_t name_len = strnlen(name, (size_t)(end - p)), size;
                lsr_autofree uint8_t *converted = NULL;
                const uint8_t *value;
                uint32_t n;
                bool is_text;

                if ((size_t)(end - p) < name_len + 1 + 4)
                        break;
                n = lsr_le32(p + name_len + 1);
                value = p + name_len + 1 + 4;
                if (n > (size_t)(end - value))
                        break;
                p = value + n;
                kernel = lsr_acl_kernel_name(name, &is_text);
                if (is_text && n > 0 && lsr_acl_from_text((const char *)value, n, &converted, &size) == 0) {
                        name = kernel;
                        value = converted;
                        n = (uint32_t)size;
                } else if (is_text) {
                        continue;
                }
                name_len = strlen(name) + 1;
                all = lsr_xrealloc(all, len + name_len + 4 + n);
                memcpy(all + len, name, name_len);
                lsr_put_le32(all + len + name_len, n);
                memcpy(all + len + name_len + 4, value, n);
                len += name_len + 4 + n;
        }
        *ret_len = len;
        return all;
}

/* What the bundle does not say is as unpacking would make it. */
static void convert_complete(struct convert *v, uint32_t row, struct lsr_member *m)
{
        const struct lsr_pack_options *o = v->o->options;
        struct lsr_meta *meta = &m->meta;
        bool is_dir = S_ISDIR(meta->mode);

        if (!(meta->known & LSR_FIELD_TYPE))
                meta->mode = S_IFREG | (meta->mode & 07777);
        if (!(meta->known & LSR_FIELD_MODE))
                meta->mode = (uint16_t)((meta->mode & S_IFMT) | (is_dir ? 0755 : 0644));
        if (!(meta->known & LSR_FIELD_UID))
                meta->uid = geteuid();
        if (!(meta->known & LSR_FIELD_GID))
                meta->gid = getegid();
        if (meta->known & LSR_FIELD_MTIME) {
                meta->sec[LSR_MTIME] = lsr_member_mtime(m);
        } else if (is_dir) {
                struct lsr_member newest;

                lsr_catalogue_get(v->c, lsr_catalogue_newest((struct lsr_catalogue *)(uintptr_t)v->c, row), &newest);
                meta->sec[LSR_MTIME] = newest.meta.known & LSR_FIELD_MTIME ? lsr_member_mtime(&newest) : 0;
        }
        meta->known |= LSR_FIELD_TYPE | LSR_FIELD_MODE | LSR_FIELD_UID | LSR_FIELD_GID | LSR_FIELD_MTIME;
        lsr_pack_override(o, m);
        if (!S_ISREG(meta->mode))
                meta->size = 0;
        m->flags &= LSR_MEMBER_HARDLINK;
        if (o->no_xattrs)
                m->xattrs = NULL, m->xattrs_len = 0;
}

/* @row under its own name, with what a hard link leads to; text lives in v->path and v->xattrs. */
static void convert_get(struct convert *v, uint32_t row)
{
        struct lsr_member *m = &v->m;

        lsr_catalogue_get(v->c, lsr_catalogue_link(v->c, row), m);
        m->flags &= ~(unsigned)LSR_MEMBER_HARDLINK;
        free(v->path);
        free(v->xattrs);
        v->path = convert_path(v, row);
        v->xattrs = convert_xattrs(m, &m->xattrs_len);
        m->path = v->path;
        m->path_len = strlen(v->path);
        m->xattrs = v->xattrs;
        m->packed = UINT64_MAX;
        convert_complete(v, row, m);
}

/* The header of v->m.  0; 1: it is left out; a negative errno. */
static int convert_header(struct convert *v)
{
        struct lsr_member *m = &v->m;
        int r = v->w->kind->member(v->w, m, NULL, 0);

        if (r < 0)
                return r;
        if (r & (LSR_LOSS_SIZE | LSR_LOSS_NAME))
                convert_trouble(v, r & LSR_LOSS_SIZE ? LSR_PACK_SIZE : LSR_PACK_NAME, m->path, 0, 0);
        else
                lsr_pack_lost(v->stats, (unsigned)r, m->path);
        if (r & LSR_LOSS_KIND)
                return 1;
        v->stats->members++;
        return 0;
}

/* Anything but the content of a file. */
static int convert_plain(struct convert *v, uint32_t row)
{
        int r;

        convert_get(v, row);
        if (S_ISSOCK(v->m.meta.mode)) {
                convert_trouble(v, LSR_PACK_SOCKET, v->m.path, 0, 0);
                return 0;
        }
        r = convert_header(v);
        if (r == 0) {
                v->stats->digest += lsr_digest_member(&v->m, 0);
                v->state[row] |= CONVERT_WRITTEN;
        }
        return r < 0 ? r : 0;
}

/* --- which ------------------------------------------------------------------------ */

/* Is it left out, or taken by itself?  Parents come before their children. */
static void convert_match(struct convert *v, uint32_t row, uint32_t top)
{
        uint32_t parent = lsr_catalogue_parent(v->c, row);
        uint8_t above = row == top ? 0 : v->state[parent];
        lsr_autofree char *path = convert_path(v, row);
        char *matched = strlen(path) > v->below ? path + v->below : path;
        struct lsr_member m;
        bool is_dir;

        lsr_catalogue_get(v->c, row, &m);
        is_dir = S_ISDIR(m.meta.mode);
        v->state[row] = above & (CONVERT_ALL | CONVERT_OUT);
        if (row != top && v->o->options->excludes && lsr_excludes_has(v->o->options->excludes, matched, m.path, is_dir))
                v->state[row] |= CONVERT_OUT;
        if (v->o->includes && row != top && lsr_excludes_has(v->o->includes, matched, m.path, is_dir)) {
                v->state[row] |= CONVERT_ALL;
                v->o->matched++;
        }
        if (v->state[row] & CONVERT_OUT || !(v->state[row] & CONVERT_ALL || !v->o->includes))
                return;
        v->state[row] |= CONVERT_WANTED;
        /* With the directories that it is in. */
        for (; row != top && !(v->state[parent] & CONVERT_WANTED);
             row = parent, parent = lsr_catalogue_parent(v->c, row))
                v->state[parent] |= CONVERT_WANTED;
}

/* The rows below @top and itself: in breadth-first order, as slices. */
static void convert_select(struct convert *v, uint32_t top)
{
        uint32_t rows = lsr_catalogue_rows(v->c);
        uint32_t *all = lsr_xmalloc(((size_t)rows + 1) * sizeof(*all));
        size_t n = 0;
        struct lsr_member root;

        lsr_catalogue_get(v->c, top, &root);
        v->below = top ? root.path_len + 1 : 0;
        if (v->o->options->excludes)
                lsr_excludes_root(v->o->options->excludes, NULL, top ? root.path : "", NULL);
        if (v->o->includes)
                lsr_excludes_root(v->o->includes, NULL, top ? root.path : "", NULL);
        all[n++] = top;
        for (size_t i = 0; i < n; i++) {
                struct lsr_slice below = lsr_catalogue_children(v->c, all[i]);

                convert_match(v, all[i], top);
                for (uint32_t k = 0; k < below.n; k++)
                        all[n++] = below.first + k;
        }
        free(all);
        if (top == 0 && root.flags & LSR_MEMBER_IMPLIED)
                v->state[0] &= (uint8_t)~CONVERT_WANTED;
}

/* --- content ---------------------------------------------------------------------- */

static int convert_begin(void *ctx, size_t i)
{
        struct convert *v = ctx;

        v->begun = v->dropped = false;
        return 0;
}

/* The first of its content, or the end of it has come. */
static int convert_start(struct convert *v, size_t i)
{
        int r;

        if (v->begun)
                return 0;
        v->begun = true;
        convert_get(v, v->rows[i]);
        v->left = v->m.meta.size;
        r = convert_header(v);
        v->dropped = r > 0;
        lsr_content_digest(&v->digest, v->left, NULL, 0);
        return r < 0 ? r : 0;
}

struct convert_pass {
        struct convert *v;
        bool by_itself; /* hard links are read for their headers */
        size_t at;
};

static int convert_data(void *ctx, const void *data, size_t n)
{
        struct convert_pass *pass = ctx;
        struct convert *v = pass->v;
        const struct lsr_pack_options *o = v->o->options;
        int r = convert_start(v, pass->at);

        if (r < 0 || v->dropped)
                return r;
        if (n > v->left)
                n = (size_t)v->left; /* the end will tell */
        v->left -= n;
        lsr_digest_add(&v->digest, data, n);
        v->stats->bytes += n;
        r = n > 0 ? v->w->kind->data(v->w, data, n) : 0;
        return r < 0 || !o->progress ? r : o->progress(o->ctx, v->stats);
}

static int convert_failed(struct convert *v, int r)
{
        if (r < 0)
                v->error = r;
        return r;
}

static int convert_write(void *ctx, const void *data, size_t n)
{
        return convert_failed(((struct convert_pass *)ctx)->v, convert_data(ctx, data, n));
}

static int convert_hole(void *ctx, uint64_t n)
{
        return lsr_write_zeros(convert_write, ctx, n);
}

static int convert_pass_begin(void *ctx, size_t i)
{
        struct convert_pass *pass = ctx;

        pass->at = i;
        return convert_begin(pass->v, i);
}

/* Is the row a file whose content is stored with it? */
static bool convert_has_content(const struct convert *v, uint32_t row)
{
        struct lsr_member m;

        lsr_catalogue_get(v->c, row, &m);
        return (!(m.meta.known & LSR_FIELD_TYPE) || S_ISREG(m.meta.mode)) && lsr_catalogue_link(v->c, row) == row &&
               !(m.flags & LSR_MEMBER_DANGLING);
}

/* What a hard link names must be what the table of contents lets it lead to. */
static bool convert_link_is_true(const struct convert *v, uint32_t row)
{
        size_t len;
        const char *target = lsr_catalogue_target(v->c, row, &len);
        int64_t found = target ? lsr_catalogue_find(v->c, 0, target, len) : -ENOENT;

        return found >= 0 && lsr_catalogue_link(v->c, (uint32_t)found) == lsr_catalogue_link(v->c, row);
}

static int convert_end(struct convert_pass *pass, size_t i, int error)
{
        struct convert *v = pass->v;
        uint32_t row = v->rows[i];
        int r;

        if (error == 0 && pass->by_itself && lsr_catalogue_link(v->c, row) != row) {
                v->state[row] |= convert_link_is_true(v, row) ? CONVERT_TRUE : 0;
                return 0;
        }
        if (error == 0 && !convert_has_content(v, lsr_catalogue_link(v->c, row)))
                return v->state[row] & CONVERT_WANTED ? convert_plain(v, row) : 0;
        if (error < 0 && !v->begun) {
                lsr_autofree char *path = convert_path(v, row);

                convert_trouble(v, LSR_PACK_MEMBER, path, error, 0);
                return 0;
        }
        r = error < 0 ? 0 : convert_start(v, i);
        if (r < 0 || v->dropped)
                return r;
        if (error < 0 || v->left > 0) {
                convert_trouble(v, LSR_PACK_DAMAGED, v->m.path, error < 0 ? error : -EBADMSG, v->m.meta.size - v->left);
                return -EBADMSG;
        }
        v->stats->digest += lsr_digest_member(&v->m, lsr_digest_end(&v->digest));
        v->state[row] |= CONVERT_WRITTEN;
        v->copied[lsr_catalogue_link(v->c, row)] = row;
        return 0;
}

static int convert_pass_end(void *ctx, size_t i, int error)
{
        struct convert_pass *pass = ctx;

        return pass->v->error ? pass->v->error : convert_failed(pass->v, convert_end(pass, i, error));
}

struct convert_step {
        uint64_t position;
        uint32_t row;
};

static int convert_compare(const void *a, const void *b)
{
        const struct convert_step *x = a, *y = b;

        if (x->position != y->position)
                return x->position < y->position ? -1 : 1;
        return (x->row > y->row) - (x->row < y->row);
}

/* One pass for v->rows: @by_itself, of hard links not what they lead to. */
static int convert_read(struct convert *v, bool by_itself)
{
        const unsigned flags = v->o->place->bundle->claimed ? LSR_MANY_EXACT | LSR_MANY_GAPS : 0;
        struct convert_step *steps = lsr_xmalloc((v->n + 1) * sizeof(*steps));
        uint32_t *members = lsr_xmalloc((v->n + 1) * sizeof(*members));
        struct convert_pass pass = { .v = v, .by_itself = by_itself };
        struct lsr_member m;

        for (size_t i = 0; i < v->n; i++) {
                lsr_catalogue_get(v->c, by_itself ? v->rows[i] : lsr_catalogue_link(v->c, v->rows[i]), &m);
                steps[i] = (struct convert_step){ m.position, v->rows[i] };
        }
        qsort(steps, v->n, sizeof(*steps), convert_compare);
        for (size_t i = 0; i < v->n; i++) {
                v->rows[i] = steps[i].row;
                members[i] = by_itself ? steps[i].row : lsr_catalogue_link(v->c, steps[i].row);
        }
        if (v->n > 0)
                lsr_bundle_read_many(v->o->place->bundle, v->c, members, v->n, flags,
                                     &(struct lsr_many_sink){ .ctx = &pass,
                                                              .begin = convert_pass_begin,
                                                              .write = convert_write,
                                                              .end = convert_pass_end,
                                                              .hole = convert_hole });
        free(steps);
        free(members);
        v->n = 0;
        /* What is wrong with members was told one by one, and the rest by the bundle. */
        return v->error;
}

/* A hard link whose content is stored under another name, or else the next that gets it. */
static int convert_links(struct convert *v)
{
        const bool links = v->w->kind->hardlinks;
        int r = 0;

        for (uint32_t row = 1; row < lsr_catalogue_rows(v->c) && r >= 0; row++) {
                uint32_t link = lsr_catalogue_link(v->c, row);
                lsr_autofree char *target = NULL;

                if (!(v->state[row] & CONVERT_WANTED) || v->state[row] & CONVERT_WRITTEN || link == row ||
                    !convert_has_content(v, link))
                        continue;
                if (v->o->place->bundle->claimed && !(v->state[row] & CONVERT_TRUE)) {
                        target = convert_path(v, row);
                        convert_trouble(v, LSR_PACK_MEMBER, target, -EBADMSG, 0);
                        continue;
                }
                if (!v->copied[link] || !links) {
                        if (v->copied[link])
                                lsr_pack_lost(v->stats, LSR_LOSS_HARDLINK, (target = convert_path(v, row)));
                        v->copied[link] = row;
                        v->rows[0] = row;
                        v->n = 1;
                        r = convert_read(v, false);
                        continue;
                }
                convert_get(v, row);
                target = convert_path(v, v->copied[link]);
                v->m.flags |= LSR_MEMBER_HARDLINK;
                v->m.target = target;
                v->m.target_len = strlen(target);
                v->m.meta.size = 0;
                r = convert_header(v);
                if (r == 0)
                        v->stats->digest += lsr_digest_member(&v->m, 0);
        }
        return r < 0 ? r : 0;
}

/* --- all of it -------------------------------------------------------------------- */

static int convert_all(struct convert *v)
{
        const bool claimed = v->o->place->bundle->claimed;
        uint32_t rows = lsr_catalogue_rows(v->c);
        int r = 0;

        v->rows = lsr_xmalloc(((size_t)rows + 1) * sizeof(*v->rows));
        for (uint32_t row = 0; row < rows && r == 0; row++) {
                struct lsr_member m;

                lsr_catalogue_get(v->c, row, &m);
                if (!(v->state[row] & CONVERT_WANTED))
                        continue;
                if (m.flags & LSR_MEMBER_DANGLING) {
                        lsr_autofree char *path = convert_path(v, row);

                        convert_trouble(v, LSR_PACK_MEMBER, path, -ENOENT, 0);
                } else if (claimed ? !(m.flags & LSR_MEMBER_IMPLIED)
                                   : lsr_catalogue_link(v->c, row) == row && convert_has_content(v, row)) {
                        v->rows[v->n++] = row;
                } else if (!convert_has_content(v, lsr_catalogue_link(v->c, row))) {
                        r = convert_plain(v, row); /* links to content come at the end */
                }
        }
        if (r == 0)
                r = convert_read(v, claimed);
        return r < 0 ? r : convert_links(v);
}

static void convert_name_all(struct convert *v, void (*name)(void *ctx, const char *path))
{
        for (uint32_t row = 0; row < lsr_catalogue_rows(v->c); row++) {
                lsr_autofree char *path = NULL;
                struct lsr_member m;

                if (!(v->state[row] & CONVERT_WANTED))
                        continue;
                path = convert_path(v, row);
                name(v->o->options->ctx, path);
                lsr_catalogue_get(v->c, row, &m);
                v->stats->members++;
                if (convert_has_content(v, row))
                        v->stats->bytes += m.meta.size;
        }
}

int lsr_convert(struct lsr_convert *c, struct lsr_writer *writer, void (*name)(void *ctx, const char *path),
                struct lsr_pack_stats *ret_stats)
{
        const struct lsr_catalogue *catalogue = c->place->catalogue;
        struct convert v = { .o = c, .c = catalogue, .w = writer, .stats = ret_stats };
        uint32_t rows = lsr_catalogue_rows(catalogue);
        int r = 0;

        *ret_stats = (struct lsr_pack_stats){};
        v.skip = lsr_catalogue_path(catalogue, lsr_catalogue_parent(catalogue, c->place->row), NULL, 0);
        v.skip += v.skip > 0;
        v.state = calloc(rows, sizeof(*v.state));
        v.copied = calloc(rows, sizeof(*v.copied));
        if (!v.state || !v.copied)
                r = -ENOMEM;
        if (r == 0)
                convert_select(&v, c->place->row);
        if (r == 0 && c->includes && c->matched == 0)
                r = -ENODATA;
        if (r == 0 && writer)
                r = convert_all(&v);
        else if (r == 0)
                convert_name_all(&v, name);
        free(v.state);
        free(v.copied);
        free(v.rows);
        free(v.path);
        free(v.xattrs);
        return r;
}
