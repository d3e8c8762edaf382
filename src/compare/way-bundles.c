/*
 * way-bundles - members of bundles, through the drivers
 *
 * Bundles are read in one pass where that is possible: a tar of any kind from
 * its beginning to its end, through its filters, as other tars read it.
 * Formats with an index are scanned, and their members are read in the order
 * of the file.
 *
 * Nothing is confined: the bundles were written by this program a moment ago.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "catalogue/catalogue.h"
#include "compare/way-bundles.h"
#include "formats/filter/decode-ahead.h"
#include "formats/drivers.h"
#include "formats/tar/tar.h"
#include "pack/digest.h"

#define BUNDLES_SMALL ((size_t)16 << 10) /* a piece whose digest takes not much longer than looking at the clock */
#define BUNDLES_SMALL_ALL 64u            /* so many of those are timed, and then one of BUNDLES_SMALL_SHARE for all */
#define BUNDLES_SMALL_SHARE 8u

static void bundle_trouble(void *ctx, int error, const char *text)
{
        struct bundle *b = ctx;

        if (error < 0 && !b->what[0])
                snprintf(b->what, sizeof(b->what), "%s", text);
}

int way_bundle_fail(struct bundle *b, int error)
{
        const char *what = b->scan.input ? b->scan.input->what : NULL;

        return way_fail(b->all->w, error, b->what[0] ? b->what : what ? what : "the bundle");
}

int way_bundle_input(struct bundle *b)
{
        struct lsr_input *input;
        struct stat st;
        int r = fstat(b->fd, &st) < 0 ? -errno : 0;

        if (r == 0)
                r = lsr_input_file(&input, b->all->io, b->fd, 0, (uint64_t)st.st_size);
        if (r == 0)
                r = lsr_identify(input, WAY_BUNDLES_WINDOW, &b->id, &b->scan.input);
        return r > 0 ? -EBADMSG : r;
}

int way_bundle_open(struct bundles *all, size_t index, struct bundle *b)
{
        struct way *w = all->w;
        uint64_t began = way_clock();
        char path[64];
        int r;

        *b = (struct bundle){ .all = all };
        b->scan = (struct lsr_scan){ .window_max = WAY_BUNDLES_WINDOW, .ctx = b, .trouble = bundle_trouble };
        snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)w->job->owner, w->job->fds[index]);
        b->fd = open(path, O_RDONLY | O_CLOEXEC);
        w->io_ns += way_clock() - began;
        if (b->fd < 0)
                return way_fail(w, -errno, "the bundle");
        w->report->opened++;
        r = way_bundle_input(b);
        return r < 0 ? way_bundle_fail(b, r) : 0;
}

void way_bundle_close(struct bundle *b)
{
        uint64_t began;

        lsr_scan_close(&b->scan, b->id.format);
        b->catalogue = lsr_catalogue_free(b->catalogue);
        began = way_clock();
        if (b->fd >= 0)
                close(b->fd);
        b->all->w->io_ns += way_clock() - began;
        b->fd = -1;
}

/* For how many pieces the time of the next one stands. */
static unsigned bundle_weight(struct bundles *all, size_t n)
{
        if (all->beside)
                return 0;
        if (n >= BUNDLES_SMALL || ++all->small <= BUNDLES_SMALL_ALL)
                return 1;
        return all->small % BUNDLES_SMALL_SHARE == 0 ? BUNDLES_SMALL_SHARE : 0;
}

int way_bundle_write(void *ctx, const void *data, size_t n)
{
        struct bundles *all = ctx;
        unsigned weight = bundle_weight(all, n);
        uint64_t began = weight > 0 ? way_clock() : 0;

        lsr_digest_add(&all->content, data, n);
        all->bytes += n;
        if (weight > 0)
                all->w->digest_ns += weight * (way_clock() - began);
        return 0;
}

void way_bundle_begin(struct bundles *all)
{
        lsr_digest_begin(&all->content);
        all->bytes = 0;
}

void way_bundle_clean(struct lsr_member *m)
{
        while (m->path_len >= 2 && memcmp(m->path, "./", 2) == 0) {
                m->path += 2;
                m->path_len -= 2;
        }
}

/* --- hard links --------------------------------------------------------------- */

/* What was at @path; NULL: nothing yet. */
static const struct bundles_seen *seen_find(const struct bundles *all, const char *path, size_t len)
{
        uint32_t hash = lsr_hash(0, path, len);

        LSR_HASH_FOREACH(&all->seen_table, hash, number)
        {
                const struct bundles_seen *seen = &all->seen[number - 1];

                if (strncmp(seen->path, path, len) == 0 && !seen->path[len])
                        return seen;
        }
        return NULL;
}

static void seen_add(struct bundles *all, const struct lsr_member *m, uint64_t content)
{
        struct bundles_seen *seen;

        if (seen_find(all, m->path, m->path_len))
                return;
        lsr_grow(&all->seen, all->n_seen, &all->cap_seen);
        seen = &all->seen[all->n_seen++];
        *seen = (struct bundles_seen){ lsr_xstrndup(m->path, m->path_len), content, all->bytes };
        if (S_ISLNK(m->meta.mode))
                seen->target = lsr_xstrndup(m->target, m->target_len);
        lsr_hash_add(&all->seen_table, lsr_hash(0, m->path, m->path_len), (uint32_t)all->n_seen);
}

static void seen_forget(struct bundles *all)
{
        for (size_t i = 0; i < all->n_seen; i++) {
                free(all->seen[i].target);
                free(all->seen[i].path);
        }
        free(all->seen);
        lsr_hash_free(&all->seen_table);
        all->seen = NULL;
        all->n_seen = all->cap_seen = 0;
}

/* --- in one pass -------------------------------------------------------------- */

static int tar_member(struct bundle *b, struct tar_walk *w)
{
        const struct lsr_sink sink = { b->all, way_bundle_write };
        struct lsr_way_report *report = b->all->w->report;
        struct lsr_member m;
        uint64_t content;
        int r = 0;

        tar_walk_member(w, &m);
        way_bundle_clean(&m);
        if (m.flags & LSR_MEMBER_HARDLINK && S_ISREG(m.meta.mode)) {
                struct lsr_member target = { .path = m.target, .path_len = m.target_len };
                const struct bundles_seen *seen;

                way_bundle_clean(&target);
                seen = seen_find(b->all, target.path, target.path_len);
                /* A target that was not seen is a special file; otherwise the digest will differ. */
                if (!seen)
                        return tar_walk_pass(w);
                if (seen->target)
                        way_link(report, m.path, m.path_len, seen->target, strlen(seen->target));
                else
                        way_file(report, m.path, m.path_len, seen->content, seen->bytes);
        } else if (S_ISLNK(m.meta.mode)) {
                way_link(report, m.path, m.path_len, m.target, m.target_len);
                if (b->all->w->job->links)
                        seen_add(b->all, &m, 0);
        } else if (S_ISREG(m.meta.mode)) {
                way_bundle_begin(b->all);
                r = tar_content(w, &sink);
                content = lsr_digest_end(&b->all->content);
                way_file(report, m.path, m.path_len, content, b->all->bytes);
                if (b->all->w->job->links)
                        seen_add(b->all, &m, content);
        } else {
                return tar_walk_pass(w);
        }
        if (r == 0)
                r = lsr_input_skip(w->in, (TAR_BLOCK - w->stored % TAR_BLOCK) % TAR_BLOCK);
        return r;
}

/* The data after the last member, where a checksum may be. */
static int tar_rest(struct lsr_input *in)
{
        const uint8_t *data;
        ssize_t got;

        while ((got = lsr_input_peek(in, 1, &data)) > 0)
                lsr_input_take(in, (size_t)got);
        return (int)got;
}

static int bundle_tar(struct bundle *b)
{
        struct tar_walk w = { .scan = &b->scan, .want_map = true };
        struct lsr_input *tar;
        int r = 0;

        if (b->id.format == &lsr_format_lsr1) {
                r = lsr_input_seek(b->scan.input, 0);
                if (r == 0)
                        r = lsr_filter_zstd.open(&tar, b->scan.input, WAY_BUNDLES_WINDOW);
                if (r < 0)
                        return r;
                b->scan.input = tar;
        }
        b->all->beside = (b->id.n_filters > 0 || b->id.format == &lsr_format_lsr1) && lsr_ahead_cpus() > 1;
        w.in = b->scan.input;
        while ((r = tar_walk_next(&w)) > 0) {
                r = tar_member(b, &w);
                if (r < 0)
                        break;
        }
        if (r == 0)
                r = tar_rest(w.in);
        tar_walk_close(&w);
        return r;
}

/* --- by the index ------------------------------------------------------------- */

int way_bundle_scan(struct bundle *b)
{
        int r;

        b->scan.builder = lsr_builder_new();
        r = b->id.format->scan(&b->scan);
        if (r >= 0 && b->scan.catalogue)
                r = lsr_catalogue_decode(&b->catalogue, b->scan.catalogue, b->scan.catalogue_size);
        else if (r >= 0)
                r = lsr_builder_finish(b->scan.builder, &b->catalogue);
        free(b->scan.catalogue);
        b->scan.catalogue = NULL;
        b->scan.builder = lsr_builder_free(b->scan.builder);
        return r;
}

struct index_row {
        uint64_t position;
        uint32_t row;
};

/* All members, one after the other; members that are not files are handled on the way. */
struct index_many {
        struct bundle *b;
        const struct index_row *rows;
        uint32_t n;
        uint32_t next;
        char *path; /* of the one at hand */
        size_t path_cap;
        size_t path_len;
};

static void index_get(struct index_many *m, uint32_t row, struct lsr_member *ret_member)
{
        const struct lsr_catalogue *c = m->b->catalogue;

        m->path_len = lsr_catalogue_path(c, row, m->path, m->path_cap);
        if (m->path_len >= m->path_cap) {
                m->path_cap = 2 * m->path_len + 256;
                m->path = lsr_xrealloc(m->path, m->path_cap);
                lsr_catalogue_path(c, row, m->path, m->path_cap);
        }
        lsr_catalogue_get(c, row, ret_member);
        ret_member->path = m->path;
        ret_member->path_len = m->path_len;
}

static bool index_next(void *ctx, struct lsr_member *ret_member)
{
        struct index_many *m = ctx;

        while (m->next < m->n) {
                index_get(m, m->rows[m->next++].row, ret_member);
                if (S_ISLNK(ret_member->meta.mode))
                        way_link(m->b->all->w->report, m->path, m->path_len, ret_member->target,
                                 ret_member->target_len);
                if (!S_ISREG(ret_member->meta.mode))
                        continue;
                way_bundle_begin(m->b->all);
                return true;
        }
        return false;
}

static int index_write(void *ctx, const void *data, size_t n)
{
        return way_bundle_write(((struct index_many *)ctx)->b->all, data, n);
}

static int index_end(void *ctx, int result)
{
        struct index_many *m = ctx;
        struct bundles *all = m->b->all;

        way_file(all->w->report, m->path, m->path_len, lsr_digest_end(&all->content), all->bytes);
        return result;
}

static int index_compare(const void *a, const void *b)
{
        const struct index_row *x = a, *y = b;

        return (x->position > y->position) - (x->position < y->position);
}

/* For formats that have no better way. */
static int index_one_by_one(struct bundle *b, const struct lsr_many *many)
{
        const struct lsr_sink sink = { many->ctx, many->write };
        struct lsr_member m;
        int r = 0;

        while (r >= 0 && many->next(many->ctx, &m)) {
                r = lsr_input_seek(b->scan.input, 0);
                if (r == 0)
                        r = b->id.format->read(&b->scan, &m, &sink);
                r = many->end(many->ctx, r);
        }
        return r;
}

static int bundle_index(struct bundle *b)
{
        struct index_many m = { .b = b };
        const struct lsr_many many = { &m, index_next, index_write, index_end };
        uint32_t rows;
        struct index_row *order;
        int r = way_bundle_scan(b);

        if (r < 0)
                return r;
        rows = lsr_catalogue_rows(b->catalogue);
        order = lsr_xmalloc(rows * sizeof(*order));
        for (uint32_t row = 0; row < rows; row++) {
                struct lsr_member member;

                lsr_catalogue_get(b->catalogue, row, &member);
                if (!(member.flags & LSR_MEMBER_IMPLIED) && !S_ISDIR(member.meta.mode))
                        order[m.n++] = (struct index_row){ member.position, row };
        }
        qsort(order, m.n, sizeof(*order), index_compare);
        m.rows = order;
        r = lsr_input_seek(b->scan.input, 0);
        if (r == 0)
                r = b->id.format->read_many ? b->id.format->read_many(&b->scan, &many) : index_one_by_one(b, &many);
        free(order);
        free(m.path);
        return r;
}

bool way_bundle_is_tar(const struct bundle *b)
{
        return b->id.format == &lsr_format_tar || b->id.format == &lsr_format_lsr1;
}

static int bundles_all(struct bundles *all)
{
        const struct lsr_way_job *job = all->w->job;
        int r = 0;

        for (size_t i = 0; i < job->n_fds && r >= 0; i++) {
                struct bundle b;

                r = way_bundle_open(all, i, &b);
                if (r == 0)
                        r = way_bundle_is_tar(&b) ? bundle_tar(&b) : bundle_index(&b);
                if (r < 0)
                        way_bundle_fail(&b, r);
                way_bundle_close(&b);
                seen_forget(all);
        }
        return r;
}

/* A plain reader: no ring, and no map, whose page faults could not be told from decoding. */
int way_bundles(struct way *w)
{
        struct bundles all = { .w = w };
        int r = lsr_io_new(&all.io, "sync");

        if (r < 0)
                return way_fail(w, r, "sync");
        if (!way_unmeasured)
                lsr_io_time(all.io);
        r = w->job->picks ? way_bundles_picks(&all) : bundles_all(&all);
        w->io_ns += lsr_io_stats(all.io)->read_ns;
        lsr_io_free(all.io);
        return r;
}
