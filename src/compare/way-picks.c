/*
 * way-picks - members in random order
 *
 * They are looked up in the index, which for a plain tar is made by hopping
 * from header to header; in a compressed tar without an index everything
 * before the member is decoded, each time again.  Formats with independent
 * members read consecutive picks of one bundle without opening it again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "compare/way-bundles.h"
#include "formats/tar/tar.h"

struct picks {
        struct bundles *all;
        struct bundle *bundles; /* of the job */
        struct bundle *b;       /* at hand */
        size_t next;
        const char *path; /* of the one being read */
        uint64_t began;
        int error; /* of looking up */
};

/* Is there another pick, and time for it?  */
static bool picks_go_on(const struct picks *p)
{
        const struct lsr_way_job *job = p->all->w->job;

        return p->next < job->n_picks && !(job->limit_ns && way_clock() - p->began > job->limit_ns);
}

static void picks_done(struct picks *p)
{
        struct bundles *all = p->all;

        way_file(all->w->report, p->path, strlen(p->path), lsr_digest_end(&all->content), all->bytes);
        all->w->report->picks++;
}

/* Read it by decoding everything before it. */
static int picks_pass(struct bundle *b, const char *path)
{
        const struct lsr_sink sink = { b->all, way_bundle_write };
        struct tar_walk w = { .scan = &b->scan, .in = b->scan.input, .want_map = true };
        size_t len = strlen(path);
        bool found = false;
        int r;

        while ((r = tar_walk_next(&w)) > 0) {
                struct lsr_member m;

                tar_walk_member(&w, &m);
                way_bundle_clean(&m);
                if (m.path_len == len && memcmp(m.path, path, len) == 0) {
                        found = true;
                        r = tar_content(&w, &sink);
                        break;
                }
                r = tar_walk_pass(&w);
                if (r < 0)
                        break;
        }
        tar_walk_close(&w);
        return r < 0 || found ? r : -ENOENT;
}

static int picks_find(struct picks *p, struct lsr_member *ret_member)
{
        int64_t row = lsr_catalogue_find(p->b->catalogue, 0, p->path, strlen(p->path));

        if (row < 0)
                return (int)row;
        lsr_catalogue_get(p->b->catalogue, (uint32_t)row, ret_member);
        ret_member->path = p->path;
        ret_member->path_len = strlen(p->path);
        return 0;
}

static bool picks_next(void *ctx, struct lsr_member *ret_member)
{
        struct picks *p = ctx;
        const struct lsr_way_pick *pick = &p->all->w->job->picks[p->next];

        if (!picks_go_on(p) || &p->bundles[pick->bundle] != p->b)
                return false;
        p->path = pick->path;
        p->error = picks_find(p, ret_member);
        p->next += p->error == 0;
        way_bundle_begin(p->all);
        return p->error == 0;
}

static int picks_write(void *ctx, const void *data, size_t n)
{
        return way_bundle_write(((struct picks *)ctx)->all, data, n);
}

static int picks_end(void *ctx, int result)
{
        if (result == 0)
                picks_done(ctx);
        return result;
}

static int picks_one(struct picks *p)
{
        const struct lsr_sink sink = { p->all, way_bundle_write };
        struct bundle *b = p->b;
        struct lsr_member m;
        int r;

        p->path = p->all->w->job->picks[p->next++].path;
        way_bundle_begin(p->all);
        if (b->id.n_filters == 0) {
                r = picks_find(p, &m);
                if (r == 0)
                        r = lsr_input_seek(b->scan.input, 0);
                if (r == 0)
                        r = b->id.format->read(&b->scan, &m, &sink);
        } else {
                r = b->scan.input ? 0 : way_bundle_input(b);
                if (r == 0)
                        r = picks_pass(b, p->path);
                b->scan.input = lsr_input_free(b->scan.input);
        }
        return picks_end(p, r);
}

/* Read one, or all consecutive ones of the same bundle. */
static int picks_some(struct picks *p)
{
        const struct lsr_many many = { p, picks_next, picks_write, picks_end };
        size_t index = p->all->w->job->picks[p->next].bundle;
        struct bundle *b = p->b = &p->bundles[index];
        int r = 0;

        if (b->fd < 0)
                r = way_bundle_open(p->all, index, b);
        if (r == 0 && b->id.n_filters == 0 && !b->catalogue)
                r = way_bundle_scan(b);
        if (r == 0 && b->id.format->read_many && !way_bundle_is_tar(b)) {
                r = b->id.format->read_many(&b->scan, &many);
                r = r < 0 ? r : p->error;
        } else if (r == 0) {
                r = picks_one(p);
        }
        return r < 0 ? way_bundle_fail(b, r) : 0;
}

int way_bundles_picks(struct bundles *all)
{
        size_t n = all->w->job->n_fds;
        struct picks p = { .all = all, .began = way_clock() };
        int r = 0;

        p.bundles = lsr_xmalloc(n * sizeof(*p.bundles) + 1);
        for (size_t i = 0; i < n; i++)
                p.bundles[i].fd = -1;
        while (r >= 0 && picks_go_on(&p))
                r = picks_some(&p);
        for (size_t i = 0; i < n; i++)
                if (p.bundles[i].fd >= 0)
                        way_bundle_close(&p.bundles[i]);
        free(p.bundles);
        return r;
}
