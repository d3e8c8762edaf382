/*
 * convert - members are streamed from one format to the other
 *
 *      members in the order of the bundle: one pass
 *           ─► directories that the bundle does not store
 *           ─► hard links; where the format has none, their content in another pass (convert-links.c)
 *
 * The header of a file is written with its first byte, so that a member that cannot be read at all is left out.  Of a
 * table of contents that the bundle claims nothing is trusted: each member comes when its header was compared.
 *
 * A bundle that has to be decoded to be listed is written while it is listed.  Only at its end it is known that members
 * hide each other or lie elsewhere than they say, and then all of it is done again from the catalogue, as is a bundle
 * with which anything is wrong.
 */
#include "pack/converting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "catalogue/build.h"
#include "formats/format.h"
#include "pack/content.h"

/* --- content ---------------------------------------------------------------------- */

/* From here on v->error says why it ended, unless a stream just has to be done again. */
static int convert_failed(struct convert *v, int r)
{
        if (r < 0)
                v->error = r;
        return r;
}

static uint64_t convert_size(const struct convert *v, uint32_t row)
{
        struct lsr_member m;

        lsr_catalogue_get(v->c, lsr_catalogue_link(v->c, row), &m);
        return m.meta.size;
}

/* The first of its content, or where that is, or the end of it has come. */
static int convert_start(struct convert *v, const struct lsr_extent *extents, size_t n)
{
        int r;

        if (v->begun)
                return 0;
        v->begun = true;
        if (!v->streams)
                convert_get(v, v->steps[v->at].row);
        v->left = v->m.meta.size;
        v->stored = extents ? 0 : v->left;
        for (size_t i = 0; i < n; i++)
                v->stored += extents[i].size;
        r = convert_header(v, extents, n);
        v->dropped = r > 0;
        lsr_content_digest(&v->digest, v->left, extents, n);
        return r < 0 ? r : 0;
}

/* Is @r, of convert_start(), or how that went before, no reason to go on? */
static bool convert_is_over(const struct convert *v, int r)
{
        return r < 0 || v->dropped;
}

int convert_write(void *ctx, const void *data, size_t n)
{
        struct convert *v = ctx;
        const struct lsr_pack_options *o = v->o->options;
        int r;

        if (v->streams && !v->open)
                return -ECANCELED;
        r = convert_start(v, NULL, 0);
        convert_keep(v, data, n);
        if (convert_is_over(v, r))
                return convert_failed(v, r);
        if (n > v->stored)
                n = (size_t)v->stored; /* the end will tell */
        v->left -= n;
        v->stored -= n;
        lsr_digest_add(&v->digest, data, n);
        v->stats->bytes += n;
        r = n > 0 ? v->w->kind->data(v->w, data, n) : 0;
        return convert_failed(v, r < 0 || !o->progress ? r : o->progress(o->ctx, v->stats));
}

static int convert_hole(void *ctx, uint64_t n)
{
        struct convert *v = ctx;

        /* Without a map, as zeros. */
        if (!v->begun || v->stored == v->left)
                return convert_zeros(v, n);
        v->left -= n < v->left - v->stored ? n : v->left - v->stored;
        return 0;
}

static int convert_map(void *ctx, const struct lsr_extent *extents, size_t n)
{
        struct convert *v = ctx;
        uint64_t end = n > 0 ? extents[n - 1].offset + extents[n - 1].size : 0, size;

        if (!v->w->kind->sparse || (v->streams && !v->open))
                return 0;
        size = v->streams ? v->m.meta.size : convert_size(v, v->steps[v->at].row);
        if (end > size)
                return 0; /* the end will tell */
        return convert_failed(v, convert_start(v, extents, n));
}

/* The content of the file at hand has come.  0; 1: it was left out; a negative errno. */
static int convert_finish(struct convert *v)
{
        int r = convert_start(v, NULL, 0);

        if (convert_is_over(v, r))
                return r < 0 ? r : 1;
        if (v->left > 0)
                return -EBADMSG;
        v->stats->digest += lsr_digest_member(&v->m, lsr_digest_end(&v->digest));
        return 0;
}

/* Those without content that are in front of @position. */
static int convert_until(struct convert *v, uint64_t position)
{
        int r = 0;

        for (; v->plain_at < v->n_plain && v->plain[v->plain_at].position < position && r == 0; v->plain_at++)
                if (!(v->state[v->plain[v->plain_at].row] & CONVERT_DONE))
                        r = convert_plain(v, v->plain[v->plain_at].row);
        return r;
}

static int convert_pass_begin(void *ctx, size_t i)
{
        struct convert *v = ctx;

        v->at = i;
        v->begun = v->dropped = false;
        convert_keep_begin(v, v->steps[i].row);
        return convert_failed(v, convert_until(v, v->steps[i].position));
}

bool convert_has_content(const struct convert *v, uint32_t row)
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

int convert_end(struct convert *v, uint32_t row, int error)
{
        uint32_t link = lsr_catalogue_link(v->c, row);
        int r;

        if (error == 0 && v->by_itself && link != row) {
                v->state[row] |= convert_link_is_true(v, row) ? CONVERT_TRUE : 0;
                return 0;
        }
        v->state[row] |= CONVERT_DONE;
        if (error == 0 && !convert_has_content(v, link))
                return v->state[row] & CONVERT_WANTED ? convert_plain(v, row) : 0;
        if (error < 0 && !v->begun) {
                lsr_autofree char *path = convert_path(v, row);

                convert_trouble(v, LSR_PACK_MEMBER, path, error, 0);
                return 0;
        }
        r = error < 0 ? error : convert_finish(v);
        if (r < 0 && r != -EBADMSG && error == 0)
                return r;
        if (r < 0 && !v->dropped) {
                convert_trouble(v, LSR_PACK_DAMAGED, v->m.path, r, v->m.meta.size - v->left);
                return -EBADMSG;
        }
        if (r == 0) {
                v->state[row] |= CONVERT_WRITTEN;
                v->copied[link] = row;
        }
        return 0;
}

static int convert_pass_end(void *ctx, size_t i, int error)
{
        struct convert *v = ctx;
        uint32_t row = v->steps[i].row;

        if (!v->error)
                convert_failed(v, convert_end(v, row, error));
        if (!v->error)
                convert_failed(v, convert_keep_end(v, row, error));
        return v->error;
}

static int convert_compare(const void *a, const void *b)
{
        const struct convert_step *x = a, *y = b;

        if (x->position != y->position)
                return x->position < y->position ? -1 : 1;
        return (x->row > y->row) - (x->row < y->row);
}

/* Which member of the bundle a step reads. */
static uint32_t convert_read_row(const struct convert *v, uint32_t row)
{
        return v->by_itself ? row : lsr_catalogue_link(v->c, row);
}

void convert_add(struct convert *v, struct convert_step *steps, size_t *n, uint32_t row)
{
        struct lsr_member m;

        lsr_catalogue_get(v->c, convert_read_row(v, row), &m);
        steps[(*n)++] = (struct convert_step){ .position = m.position, .row = row };
}

/* Symbolic links of which the catalogue does not tell where they lead; in the middle of a pass nothing can be asked. */
static int convert_targets(struct convert *v)
{
        for (size_t i = v->plain_at; i < v->n_plain; i++) {
                uint32_t row = v->plain[i].row;
                struct lsr_member m;
                int r;

                lsr_catalogue_get(v->c, row, &m);
                if (!S_ISLNK(m.meta.mode) || m.target)
                        continue;
                if (!v->targets && !(v->targets = calloc(lsr_catalogue_rows(v->c), sizeof(*v->targets))))
                        return -ENOMEM;
                r = lsr_bundle_target(v->o->place->bundle, v->c, row, &v->targets[row]);
                if (r < 0 && r == v->o->place->bundle->unlock_error)
                        return r; /* which the bundle told */
                if (r < 0) {
                        lsr_autofree char *path = convert_path(v, row);

                        convert_trouble(v, LSR_PACK_MEMBER, path, r, 0);
                        v->state[row] |= CONVERT_DONE;
                }
        }
        return 0;
}

int convert_read(struct convert *v)
{
        const unsigned flags = v->o->place->bundle->claimed ? LSR_MANY_EXACT | LSR_MANY_GAPS : 0;
        uint32_t *members = lsr_xmalloc((v->n + 1) * sizeof(*members));

        qsort(v->steps, v->n, sizeof(*v->steps), convert_compare);
        for (size_t i = 0; i < v->n; i++)
                members[i] = convert_read_row(v, v->steps[i].row);
        /* Of half of it nobody would know what is missing. */
        convert_failed(v, lsr_bundle_unlock(v->o->place->bundle, v->c, members, v->n));
        if (!v->error)
                convert_failed(v, convert_targets(v));
        if (v->n > 0 && !v->error)
                lsr_bundle_read_many(v->o->place->bundle, v->c, members, v->n, flags,
                                     &(struct lsr_many_sink){ .ctx = v,
                                                              .begin = convert_pass_begin,
                                                              .write = convert_write,
                                                              .end = convert_pass_end,
                                                              .hole = convert_hole,
                                                              .map = convert_map });
        free(members);
        v->n = 0;
        /* What is wrong with members was told one by one, and the rest by the bundle. */
        return v->error;
}

/* A hard link that a table of contents claims, and its header does not say. */
static bool convert_is_false(const struct convert *v, uint32_t row)
{
        return v->o->place->bundle->claimed && lsr_catalogue_link(v->c, row) != row && !(v->state[row] & CONVERT_TRUE);
}

/* Directories that the bundle does not store, and hard links to what has no content. */
static int convert_rest(struct convert *v)
{
        int r = 0;

        for (uint32_t row = 0; row < lsr_catalogue_rows(v->c) && r == 0; row++) {
                struct lsr_member m;

                if (!(v->state[row] & CONVERT_WANTED) || v->state[row] & CONVERT_DONE)
                        continue;
                lsr_catalogue_get(v->c, row, &m);
                if (m.flags & LSR_MEMBER_DANGLING || convert_is_false(v, row)) {
                        lsr_autofree char *path = convert_path(v, row);

                        convert_trouble(v, LSR_PACK_MEMBER, path, m.flags & LSR_MEMBER_DANGLING ? -ENOENT : -EBADMSG,
                                        0);
                        v->state[row] |= CONVERT_DONE;
                } else if (!convert_has_content(v, lsr_catalogue_link(v->c, row))) {
                        r = convert_plain(v, row);
                }
        }
        return r;
}

/* --- all of it -------------------------------------------------------------------- */

/* By the catalogue. */
static int convert_all(struct convert *v)
{
        const bool claimed = v->o->place->bundle->claimed;
        uint32_t rows = lsr_catalogue_rows(v->c);
        int r;

        v->by_itself = claimed;
        v->plain = lsr_xmalloc(((size_t)rows + 1) * sizeof(*v->plain));
        for (uint32_t row = 0; row < rows; row++) {
                struct lsr_member m;
                bool itself = lsr_catalogue_link(v->c, row) == row;

                lsr_catalogue_get(v->c, row, &m);
                if (!(v->state[row] & CONVERT_WANTED) || m.flags & (LSR_MEMBER_DANGLING | LSR_MEMBER_IMPLIED))
                        continue;
                if (claimed || (itself && convert_has_content(v, row)))
                        convert_add(v, v->steps, &v->n, row);
                else if (itself)
                        convert_add(v, v->plain, &v->n_plain, row);
        }
        qsort(v->plain, v->n_plain, sizeof(*v->plain), convert_compare);
        r = convert_read(v);
        return r < 0 ? r : convert_until(v, UINT64_MAX);
}

/* --- in one pass ------------------------------------------------------------------- */

/* The member before is over. */
static int stream_end(struct convert *v)
{
        int r;

        if (!v->open)
                return 0;
        r = convert_finish(v);
        v->open = false;
        v->steps[v->n - 1].written = r == 0;
        if (r == -EBADMSG)
                return -ECANCELED; /* what is damaged is told in the other way */
        return r < 0 ? convert_failed(v, r) : 0;
}

static int stream_member(void *ctx, const struct lsr_member *m)
{
        const unsigned needed = LSR_FIELD_TYPE | LSR_FIELD_MTIME, doubtful = LSR_MEMBER_SUSPECT | LSR_MEMBER_ENCRYPTED;
        struct convert *v = ctx;
        size_t len, depth;
        char *path;
        int r = stream_end(v);

        if (r < 0 || m->flags & LSR_MEMBER_HARDLINK)
                return r;
        /* A catalogue would help. */
        if ((m->meta.known & needed) != needed || m->flags & doubtful || (S_ISLNK(m->meta.mode) && m->target_len == 0))
                return -ECANCELED;
        path = lsr_xmalloc(m->path_len + 1);
        len = build_clean(path, m->path, strnlen(m->path, m->path_len), &depth);
        path[len] = '\0';
        if (v->n == v->cap) {
                v->cap = v->cap ? 2 * v->cap : 1024;
                v->steps = lsr_xrealloc(v->steps, v->cap * sizeof(*v->steps));
        }
        v->steps[v->n++] = (struct convert_step){ .position = m->position, .row = lsr_hash(0, path, len) };
        convert_set(v, 0, m, path);
        v->begun = v->dropped = false;
        v->open = S_ISREG(m->meta.mode);
        r = v->open ? 0 : convert_failed(v, convert_put(v));
        v->steps[v->n - 1].written = r == 0;
        return r < 0 ? r : 0;
}

/* Are the members that came those of the catalogue, which would have made the same of them?  Then they are done. */
static bool stream_agrees(struct convert *v, const struct convert_step *came, size_t n)
{
        uint32_t rows = lsr_catalogue_rows(v->c);

        for (uint32_t row = 0; row < rows; row++) {
                struct lsr_member m;

                lsr_catalogue_get(v->c, row, &m);
                if (m.flags & LSR_MEMBER_SHADOWS)
                        return false;
                if (!(m.flags & (LSR_MEMBER_IMPLIED | LSR_MEMBER_HARDLINK)))
                        v->steps[v->n++] = (struct convert_step){ .position = m.position, .row = row };
        }
        if (v->n != n)
                return false;
        qsort(v->steps, n, sizeof(*v->steps), convert_compare);
        for (size_t i = 0; i < n; i++) {
                uint32_t row = v->steps[i].row;
                lsr_autofree char *path = convert_path(v, row);

                if (v->steps[i].position != came[i].position || lsr_hash(0, path, strlen(path)) != came[i].row)
                        return false;
                v->state[row] |= came[i].written ? CONVERT_WRITTEN | CONVERT_DONE : CONVERT_DONE;
                if (came[i].written && convert_has_content(v, row))
                        v->copied[row] = row;
        }
        v->n = 0;
        return true;
}

/* 0, LSR_CONVERT_AGAIN or a negative errno. */
static int convert_stream(struct convert *v)
{
        const struct lsr_sink content = { v, convert_write, convert_hole, convert_map };
        int r;

        v->streams = true;
        /* To compress takes longer than to decode. */
        r = lsr_bundle_stream(v->o->place->bundle, v->w->kind->level_max > 0, stream_member, &content);
        if (r == 0)
                r = stream_end(v);
        v->streams = false;
        return v->error ? v->error : r != 0 ? LSR_CONVERT_AGAIN : 0;
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

/* What is kept of each row. */
static int convert_prepare(struct convert *v)
{
        const struct lsr_place *place = v->o->place;
        uint32_t rows = lsr_catalogue_rows(v->c);

        v->skip = lsr_catalogue_path(v->c, lsr_catalogue_parent(v->c, place->row), NULL, 0);
        v->skip += v->skip > 0;
        v->state = calloc(rows, sizeof(*v->state));
        v->copied = calloc(rows, sizeof(*v->copied));
        v->steps = calloc((size_t)rows + 1, sizeof(*v->steps));
        v->n = 0;
        return v->state && v->copied && v->steps ? 0 : -ENOMEM;
}

static void convert_free(struct convert *v)
{
        for (uint32_t row = 0; v->targets && row < lsr_catalogue_rows(v->c); row++)
                free(v->targets[row]);
        free(v->targets);
        free(v->state);
        free(v->copied);
        free(v->steps);
        free(v->next);
        lsr_spool_drop(&v->spool);
        free(v->plain);
        free(v->path);
        free(v->xattrs);
}

int lsr_convert(struct lsr_convert *c, struct lsr_writer *writer, void (*name)(void *ctx, const char *path),
                struct lsr_pack_stats *ret_stats)
{
        struct convert v = { .o = c, .c = c->place->catalogue, .w = writer, .stats = ret_stats };
        int r;

        *ret_stats = (struct lsr_pack_stats){};
        r = convert_prepare(&v);
        if (r == 0)
                convert_select(&v, c->place->row);
        if (r == 0 && c->includes && c->matched == 0)
                r = -ENODATA;
        if (r == 0 && writer) {
                r = convert_all(&v);
                if (r == 0)
                        r = convert_rest(&v);
                if (r == 0)
                        r = convert_links(&v);
        } else if (r == 0) {
                convert_name_all(&v, name);
        }
        convert_free(&v);
        return r;
}

int lsr_convert_stream(struct lsr_convert *c, struct lsr_writer *writer, struct lsr_pack_stats *ret_stats)
{
        struct convert v = { .o = c, .w = writer, .stats = ret_stats };
        struct convert_step *came;
        size_t n;
        int r;

        *ret_stats = (struct lsr_pack_stats){};
        r = convert_stream(&v);
        came = v.steps;
        n = v.n;
        v.steps = NULL;
        v.c = c->place->bundle->catalogue;
        if (r == 0)
                r = convert_prepare(&v);
        if (r == 0) {
                convert_select(&v, 0);
                r = stream_agrees(&v, came, n) ? 0 : LSR_CONVERT_AGAIN;
        }
        free(came);
        if (r == 0)
                r = convert_rest(&v);
        if (r == 0)
                r = convert_links(&v);
        convert_free(&v);
        return r;
}
