/*
 * verify - decode everything once more
 *
 * A tar of any kind is read from its beginning to its end, past the filters, as
 * any tar would read it: what its headers say and what follows them is summed up
 * as it was when it was packed.  Formats with an index are asked for each member.
 *
 * Nothing is confined here: what is read is what was written a moment ago.
 */
#include "pack/verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "catalogue/catalogue.h"
#include "formats/drivers.h"
#include "formats/tar.h"
#include "pack/content.h"
#include "pack/digest.h"

#define VERIFY_WINDOW ((uint64_t)1 << 31) /* bytes of decoder memory: what lsr wrote it can read */

struct verify {
        const struct lsr_verify *v;
        struct lsr_scan scan;
        uint64_t members;
        uint64_t digest;
        struct lsr_digest content;
};

static void verify_trouble(void *ctx, int error, const char *text)
{
        const struct verify *v = ctx;

        (void)error;
        v->v->trouble(v->v->ctx, text);
}

static int verify_progress(const struct verify *v)
{
        return v->v->progress ? v->v->progress(v->v->ctx) : 0;
}

static void verify_count(struct verify *v, const struct lsr_member *m, uint64_t content)
{
        struct lsr_member cleaned = *m;

        while (cleaned.path_len >= 2 && memcmp(cleaned.path, "./", 2) == 0) {
                cleaned.path += 2;
                cleaned.path_len -= 2;
        }
        v->members++;
        v->digest += lsr_digest_member(&cleaned, content);
}

/* @left bytes of the member at hand. */
static int verify_tar_content(struct verify *v, struct tar_walk *w, uint64_t left)
{
        while (left > 0) {
                const uint8_t *data;
                ssize_t n = lsr_input_peek(w->in, 1, &data);
                int r;

                if (n <= 0)
                        return n < 0 ? (int)n : -ENODATA;
                if ((uint64_t)n > left)
                        n = (ssize_t)left;
                lsr_digest_add(&v->content, data, (size_t)n);
                lsr_input_take(w->in, (size_t)n);
                left -= (uint64_t)n;
                r = verify_progress(v);
                if (r < 0)
                        return r;
        }
        return lsr_input_skip(w->in, (TAR_BLOCK - w->stored % TAR_BLOCK) % TAR_BLOCK);
}

/* Begin the digest of a sparse member. */
static int verify_tar_sparse(struct verify *v, struct tar_walk *w, uint64_t *ret_stored)
{
        const struct tar_map *map;
        struct lsr_extent *extents;
        int r = tar_member_map(w, &map, ret_stored);

        if (r < 0)
                return r;
        extents = lsr_xmalloc(map->n * sizeof(*extents) + 1);
        for (size_t i = 0; i < map->n; i++)
                extents[i] = (struct lsr_extent){ map->pieces[i].offset, map->pieces[i].size };
        lsr_content_digest(&v->content, w->header.meta.size, extents, map->n);
        free(extents);
        return 0;
}

static int verify_tar_member(struct verify *v, struct tar_walk *w)
{
        struct lsr_member m;
        uint64_t stored = w->stored;
        int r = 0;

        tar_walk_member(w, &m);
        if (m.flags & LSR_MEMBER_SPARSE)
                r = verify_tar_sparse(v, w, &stored);
        else
                lsr_content_digest(&v->content, m.meta.size, NULL, 0);
        if (r == 0)
                r = verify_tar_content(v, w, stored);
        if (r < 0)
                return r;
        verify_count(v, &m, S_ISREG(m.meta.mode) && !(m.flags & LSR_MEMBER_HARDLINK) ? lsr_digest_end(&v->content) : 0);
        return 0;
}

static int verify_tar(struct verify *v)
{
        struct tar_walk w = { .scan = &v->scan, .in = v->scan.input, .want_map = true };
        int r;

        while ((r = tar_walk_next(&w)) > 0) {
                r = verify_tar_member(v, &w);
                if (r < 0)
                        break;
        }
        tar_walk_close(&w);
        return r;
}

static int verify_write(void *ctx, const void *data, size_t n)
{
        struct verify *v = ctx;

        lsr_digest_add(&v->content, data, n);
        return verify_progress(v);
}

/* A row whose path is known. */
static int verify_row(struct verify *v, const struct lsr_format *format, struct lsr_member *m)
{
        const struct lsr_sink sink = { v, verify_write };
        uint64_t content = 0;
        int r;

        if (m->flags & LSR_MEMBER_IMPLIED)
                return 0;
        if (S_ISREG(m->meta.mode) && !(m->flags & LSR_MEMBER_HARDLINK)) {
                lsr_content_digest(&v->content, m->meta.size, NULL, 0);
                r = lsr_input_seek(v->scan.input, 0);
                if (r == 0)
                        r = format->read(&v->scan, m, &sink);
                if (r < 0)
                        return r;
                content = lsr_digest_end(&v->content);
        }
        verify_count(v, m, content);
        return 0;
}

static int verify_rows(struct verify *v, const struct lsr_format *format, const struct lsr_catalogue *c)
{
        char *path = NULL;
        size_t cap = 0;
        int r = 0;

        for (uint32_t row = 0; row < lsr_catalogue_rows(c) && r >= 0; row++) {
                struct lsr_member m;
                size_t len = lsr_catalogue_path(c, row, path, cap);

                if (len >= cap) {
                        cap = 2 * len + 1;
                        path = lsr_xrealloc(path, cap);
                        lsr_catalogue_path(c, row, path, cap);
                }
                lsr_catalogue_get(c, row, &m);
                m.path = path;
                m.path_len = len;
                r = verify_row(v, format, &m);
        }
        free(path);
        return r;
}

/* Any other format. */
static int verify_index(struct verify *v, const struct lsr_format *format)
{
        struct lsr_catalogue *catalogue = NULL;
        int r;

        v->scan.builder = lsr_builder_new();
        r = format->scan(&v->scan);
        if (r == 0)
                r = lsr_builder_finish(v->scan.builder, &catalogue);
        lsr_builder_free(v->scan.builder);
        v->scan.builder = NULL;
        if (r == 0)
                r = verify_rows(v, format, catalogue);
        lsr_catalogue_free(catalogue);
        return r;
}

/* The table of contents is there, valid, and as long as it should be; then the tar in front of it can be read. */
static int verify_toc(struct verify *v)
{
        struct lsr_catalogue *c = NULL;
        struct lsr_input *tar;
        int r;

        v->scan.builder = lsr_builder_new();
        r = lsr_format_lsr1.scan(&v->scan);
        v->scan.builder = lsr_builder_free(v->scan.builder);
        if (r >= 0)
                r = v->scan.catalogue ? lsr_catalogue_decode(&c, v->scan.catalogue, v->scan.catalogue_size) : -EBADMSG;
        free(v->scan.catalogue);
        v->scan.catalogue = NULL;
        if (r < 0)
                return r;
        /* The root has a row, be it a member or not. */
        r = lsr_catalogue_rows(c) - v->v->members <= 1 ? 0 : -EBADMSG;
        lsr_catalogue_free(c);
        if (r == 0)
                r = lsr_input_seek(v->scan.input, 0);
        if (r == 0)
                r = lsr_filter_zstd.open(&tar, v->scan.input, VERIFY_WINDOW);
        if (r < 0)
                return r;
        v->scan.input = tar;
        return verify_tar(v);
}

int lsr_verify(const struct lsr_verify *options, int fd)
{
        struct verify v = { .v = options,
                            .scan = { .window_max = VERIFY_WINDOW, .prefix = "", .trouble = verify_trouble } };
        struct lsr_identity id;
        struct lsr_input *input;
        struct stat st;
        int r = fstat(fd, &st) < 0 ? -errno : lsr_input_file(&input, options->io, fd, 0, (uint64_t)st.st_size);

        v.scan.ctx = &v;
        if (r == 0)
                r = lsr_identify(input, VERIFY_WINDOW, &id, &v.scan.input);
        if (r != 0)
                return r < 0 ? r : -EBADMSG;
        if (id.format == &lsr_format_lsr1)
                r = verify_toc(&v);
        else
                r = strcmp(id.format->name, "tar") == 0 ? verify_tar(&v) : verify_index(&v, id.format);
        lsr_input_free(v.scan.input);
        if (r < 0)
                return r;
        return v.members == options->members && v.digest == options->digest ? 0 : -EBADMSG;
}
