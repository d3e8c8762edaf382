/*
 * check - compare the table of contents with the tar
 *
 * The listing of the tar driver is a catalogue too, made by the same rules for
 * duplicates, hard links and parents.  So the two are compared row by row and
 * name by name, without a second interpretation of headers.  On the way every
 * frame is decoded, which verifies its checksum; damage ends the comparison,
 * but not the decoding.  Where the table has digests, and all of this is right,
 * contents are read once more and compared with these.
 */
#include <errno.h>
#include <sha2.h> /* libmd: nettle asks the processor what it can do, at the start of every lsr */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "catalogue/differ.h"
#include "formats/drivers.h"
#include "formats/lsr1/lsr1.h"

#define CHECK_NONE UINT32_MAX
#define CHECK_NAME_SHOWN 200
struct check {
        struct lsr_scan *scan;
        unsigned findings;
        struct lsr_catalogue *toc, *tar;
        bool cut;        /* the walk through the tar ended early, */
        uint64_t cut_at; /* here */
};

static void check_trouble(void *ctx, int error, const char *text)
{
        struct check *c = ctx;

        c->findings += error < 0;
        lsr_scan_trouble(c->scan, error, "%s", text);
}

/* --- the tar --------------------------------------------------------------------- */

/* The data after the last member: zeros, @n of them if that is known. */
static void check_end(struct lsr_scan *walk, uint64_t n)
{
        struct lsr_input *in = walk->input;
        uint64_t from = in->at;
        const uint8_t *data;
        ssize_t got;

        while ((got = lsr_input_peek(in, 1, &data)) > 0) {
                if (data[0] != 0 || memcmp(data, data + 1, (size_t)got - 1) != 0) {
                        lsr_scan_trouble(walk, -EBADMSG, "there is data after the end of the tar, at byte %s",
                                         lsr_grouped(from));
                        return;
                }
                lsr_input_take(in, (size_t)got);
        }
        if (got < 0)
                lsr_scan_trouble(walk, (int)got, "%s", in->what ? in->what : "the end of the tar cannot be read");
        else if (n != LSR_INPUT_UNKNOWN && in->at - from != n)
                lsr_scan_trouble(walk, -EBADMSG, "%s bytes of zeros end the tar instead of %s",
                                 lsr_grouped(in->at - from), lsr_grouped(n));
}

/* List the tar that @in gives.  0 or a negative errno. */
static int check_walk(struct check *c, struct lsr_input *in, uint64_t end)
{
        struct lsr_scan walk = {
                .input = in,
                .builder = lsr_builder_new(),
                .window_max = c->scan->window_max,
                .ctx = c,
                .trouble = check_trouble,
        };
        unsigned before = c->findings;
        int r = lsr_format_tar.scan(&walk);

        c->cut = c->findings > before || r < 0;
        c->cut_at = in->at;
        if (c->findings == before && r < 0)
                lsr_scan_trouble(&walk, r, "%s", in->what ? in->what : "the tar cannot be read");
        if (!c->cut)
                check_end(&walk, end);
        r = lsr_builder_finish(walk.builder, &c->tar);
        lsr_builder_free(walk.builder);
        return r;
}

/* --- rows ------------------------------------------------------------------------- */

static void check_say(struct check *c, const struct lsr_catalogue *of, uint32_t row, const char *what)
{
        size_t len = lsr_catalogue_path(of, row, NULL, 0);
        char *path = lsr_xmalloc(len + 1);

        lsr_catalogue_path(of, row, path, len + 1);
        c->findings++;
        lsr_scan_trouble(c->scan, -EBADMSG, "'%.*s'%s %s", CHECK_NAME_SHOWN, path, len > CHECK_NAME_SHOWN ? "…" : "",
                         what);
        free(path);
}

static void check_row(struct check *c, uint32_t toc_row, uint32_t tar_row)
{
        char words[128], text[256];
        struct lsr_member a, b;

        lsr_catalogue_get(c->toc, toc_row, &a);
        lsr_catalogue_get(c->tar, tar_row, &b);
        /* Its target may be behind where the walk ended. */
        if (c->cut && b.flags & LSR_MEMBER_HARDLINK)
                return;
        lsr_member_differ(&a, &b, words, sizeof(words));
        if (!words[0])
                return;
        snprintf(text, sizeof(text), "differs between the table of contents and the header at byte %s: %s",
                 lsr_grouped(b.position), words);
        check_say(c, c->toc, toc_row, text);
}

static void check_only_toc(struct check *c, uint32_t row)
{
        struct lsr_member m;

        lsr_catalogue_get(c->toc, row, &m);
        if (!c->cut || m.position < c->cut_at)
                check_say(c, c->toc, row, "is in the table of contents, but not in the tar");
}

/* Children of two directories that are one; what is in both is put into @tar_rows. */
static void check_children(struct check *c, uint32_t toc_row, uint32_t tar_row, uint32_t *tar_rows)
{
        struct lsr_slice toc = lsr_catalogue_children(c->toc, toc_row);
        struct lsr_slice tar = lsr_catalogue_children(c->tar, tar_row);
        uint32_t i = 0, j = 0;

        while (i < toc.n || j < tar.n) {
                int order = i == toc.n ? 1 : j == tar.n ? -1 : 0;
                struct lsr_member a, b;

                if (order == 0) {
                        lsr_catalogue_get(c->toc, toc.first + i, &a);
                        lsr_catalogue_get(c->tar, tar.first + j, &b);
                        order = strcmp(a.path, b.path);
                }
                if (order < 0) {
                        check_only_toc(c, toc.first + i++);
                } else if (order > 0) {
                        check_say(c, c->tar, tar.first + j++, "is in the tar, but not in the table of contents");
                } else {
                        check_row(c, toc.first + i, tar.first + j);
                        tar_rows[toc.first + i++] = tar.first + j++;
                }
        }
}

/* Each row comes before its children. */
static void check_compare(struct check *c)
{
        uint32_t rows = lsr_catalogue_rows(c->toc);
        uint32_t *tar_rows = lsr_xmalloc((size_t)rows * sizeof(*tar_rows));

        memset(tar_rows, 0xff, (size_t)rows * sizeof(*tar_rows));
        tar_rows[0] = 0;
        check_row(c, 0, 0);
        for (uint32_t row = 0; row < rows; row++)
                if (tar_rows[row] != CHECK_NONE)
                        check_children(c, row, tar_rows[row], tar_rows);
        if (c->cut)
                lsr_scan_trouble(c->scan, -EBADMSG, "the table of contents is compared up to byte %s of the tar",
                                 lsr_grouped(c->cut_at));
        free(tar_rows);
}

/* --- digests ------------------------------------------------------------------------ */

struct check_digests {
        struct check *c;
        const uint8_t *digests;
        uint32_t *rows; /* files that have one, by position */
        uint32_t n, at;
        char *path;
        SHA2_CTX sha;
};

static bool check_digest_next(void *ctx, struct lsr_member *ret_member)
{
        struct check_digests *d = ctx;
        const struct lsr_catalogue *toc = d->c->toc;
        size_t len;

        if (d->at == d->n)
                return false;
        lsr_catalogue_get(toc, d->rows[d->at], ret_member);
        len = lsr_catalogue_path(toc, d->rows[d->at++], NULL, 0);
        d->path = lsr_xrealloc(d->path, len + 1);
        ret_member->path_len = lsr_catalogue_path(toc, d->rows[d->at - 1], d->path, len + 1);
        ret_member->path = d->path;
        SHA256Init(&d->sha);
        return true;
}

static int check_digest_write(void *ctx, const void *data, size_t n)
{
        struct check_digests *d = ctx;

        SHA256Update(&d->sha, data, n);
        return 0;
}

static int check_digest_end(void *ctx, int result)
{
        struct check_digests *d = ctx;
        uint32_t row = d->rows[d->at - 1];
        uint8_t digest[LSR1_SHA256];

        SHA256Final(digest, &d->sha);
        if (result < 0 || memcmp(digest, d->digests + row * LSR1_SHA256, sizeof(digest)) != 0)
                check_say(d->c, d->c->toc, row, "has other content than its digest tells");
        return 0;
}

static int check_by_position(const void *a, const void *b, void *ctx)
{
        struct lsr_member x, y;

        lsr_catalogue_get(ctx, *(const uint32_t *)a, &x);
        lsr_catalogue_get(ctx, *(const uint32_t *)b, &y);
        return (x.position > y.position) - (x.position < y.position);
}

/* @digests are those that the table of contents has, @size bytes in all. */
static int check_digests(struct check *c, const uint8_t *digests, uint64_t size)
{
        static const uint8_t none[LSR1_SHA256];
        uint32_t rows = lsr_catalogue_rows(c->toc);
        struct check_digests d = { .c = c, .digests = digests };
        const struct lsr_many many = { &d, check_digest_next, check_digest_write, check_digest_end };
        int r;

        if (size != rows * LSR1_SHA256) {
                check_say(c, c->toc, 0, "has not one digest for each row");
                return 0;
        }
        d.rows = lsr_xmalloc((size_t)rows * sizeof(*d.rows));
        for (uint32_t row = 1; row < rows; row++) {
                struct lsr_member m;

                lsr_catalogue_get(c->toc, row, &m);
                if (memcmp(digests + row * LSR1_SHA256, none, sizeof(none)) == 0)
                        continue;
                if (S_ISREG(m.meta.mode) && lsr_catalogue_link(c->toc, row) == row)
                        d.rows[d.n++] = row;
                else
                        check_say(c, c->toc, row, "has a digest and no content");
        }
        qsort_r(d.rows, d.n, sizeof(*d.rows), check_by_position, c->toc);
        r = lsr1_read_many(c->scan, &many);
        free(d.rows);
        free(d.path);
        return r < 0 ? r : 0;
}

/* --- the check --------------------------------------------------------------------- */

/* The checks that need no table of contents. */
static int check_streamed(struct check *c)
{
        struct lsr_input *in;
        int r = lsr1_stream(c->scan, &in);

        if (r < 0)
                return r;
        r = check_walk(c, in, LSR_INPUT_UNKNOWN);
        lsr_input_free(in);
        return r;
}

static int check_framed(struct check *c, struct lsr_input *in)
{
        int r = check_walk(c, in, LSR1_END);

        if (r < 0)
                return r;
        check_compare(c);
        if (c->cut) {
                struct lsr_scan rest = { .ctx = c, .trouble = check_trouble };

                lsr1_frames_verify(in, &rest);
        }
        return 0;
}

/* What is right is as the table of contents says. */
static struct lsr_checked check_sum(const struct lsr_catalogue *toc)
{
        uint32_t rows = lsr_catalogue_rows(toc);
        struct lsr_checked sum = { .members = rows - 1 };

        for (uint32_t row = 1; row < rows; row++) {
                struct lsr_member m;

                lsr_catalogue_get(toc, row, &m);
                if (!S_ISREG(m.meta.mode) || lsr_catalogue_link(toc, row) != row)
                        continue;
                sum.bytes += m.meta.size;
                sum.verified += m.meta.size > 0;
        }
        return sum;
}

int lsr1_check(struct lsr_scan *scan, struct lsr_checked *ret_checked)
{
        struct check c = { .scan = scan };
        struct lsr_input *frames = NULL;
        const uint8_t *digests;
        uint64_t n_digests;
        uint8_t *data = NULL;
        size_t size;
        const struct lsr1 *l;
        const char *why = lsr1_begin(scan, &l);
        int r;

        if (!why)
                why = lsr1_toc(l, scan->input, &data, &size);
        if (!why && lsr_catalogue_decode(&c.toc, data, size) < 0)
                why = "it is not valid";
        if (!why) {
                frames = lsr1_frames_new(scan->input, l, LSR1_FRAMES_READ, UINT64_MAX);
                why = frames ? NULL : "a frame is too large";
        }
        if (why) {
                c.findings++;
                lsr_scan_trouble(scan, -EBADMSG, "the table of contents is unusable: %s", why);
                r = check_streamed(&c);
        } else {
                r = check_framed(&c, frames);
                if (r == 0 && !c.findings &&
                    lsr_catalogue_extra(&(struct lsr_catalogue_source){ data, size }, LSR1_COLUMN_SHA256, &digests,
                                        &n_digests) == 0)
                        r = check_digests(&c, digests, n_digests);
                if (r == 0 && !c.findings)
                        *ret_checked = check_sum(c.toc);
        }
        free(data);
        lsr_input_free(frames);
        lsr_catalogue_free(c.toc);
        lsr_catalogue_free(c.tar);
        return r < 0 ? r : c.findings ? -EBADMSG : 0;
}
