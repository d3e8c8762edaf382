/*
 * check - every member of a bundle is read, and every checksum compared
 *
 * Many formats have no checksums of contents, and then reading a member proves
 * only that it is there: members that were verified and members that were only
 * read are counted separately.  A format with more to check than contents has
 * a check() of its own.  The index cache is not used, since the bundle may
 * have changed since.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/out.h"
#include "cli/cli.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/reading.h"

struct check_file {
        uint64_t position;
        uint32_t row;
};

struct check {
        struct lsr_reading reading;
        struct lsr_out out;
        const struct lsr_bundle *bundle;
        uint32_t *rows;
        size_t n;
        uint64_t got;  /* bytes of the member at hand */
        bool verified; /* they were compared with a checksum */
        struct lsr_checked sum;
        bool bad;
        struct lsr_progress progress;
        uint64_t bytes; /* of bundles before */
};

static int check_begin(void *ctx, size_t i)
{
        struct check *c = ctx;

        c->got = 0;
        c->verified = false;
        return 0;
}

static void check_verified(void *ctx)
{
        ((struct check *)ctx)->verified = true;
}

static int check_write(void *ctx, const void *data, size_t n)
{
        struct check *c = ctx;

        c->got += n;
        lsr_progress_tell(&c->progress, "checking", c->sum.verified + c->sum.read, c->bytes + c->sum.bytes + c->got);
        return 0;
}

static int check_hole(void *ctx, uint64_t n)
{
        struct check *c = ctx;

        c->got += n;
        return 0;
}

static void check_tell(struct check *c, uint32_t row, int error)
{
        size_t n = lsr_catalogue_path(c->bundle->catalogue, row, NULL, 0);
        lsr_autofree char *path = lsr_xmalloc(n + 1);

        lsr_catalogue_path(c->bundle->catalogue, row, path, n + 1);
        lsr_message("%s: %s cannot be verified: %s", lsr_quoted_always(c->bundle->path), lsr_quoted_always(path),
                    lsr_reading_reason(error));
}

static int check_end(void *ctx, size_t i, int error)
{
        struct check *c = ctx;
        struct lsr_member m;

        lsr_catalogue_get(c->bundle->catalogue, c->rows[i], &m);
        if (error == 0 && (m.meta.known & LSR_FIELD_SIZE) && c->got != m.meta.size)
                error = -EBADMSG;
        c->sum.bytes += c->got;
        *(c->verified ? &c->sum.verified : &c->sum.read) += c->got > 0;
        if (error < 0) {
                c->bad = true;
                if (!c->reading.troubled)
                        check_tell(c, c->rows[i], error);
        }
        c->reading.troubled = false;
        return 0;
}

static int check_compare(const void *a, const void *b)
{
        const struct check_file *x = a, *y = b;

        if (x->position != y->position)
                return x->position < y->position ? -1 : 1;
        return (x->row > y->row) - (x->row < y->row);
}

/* Every member that has content of its own, in the order of the bundle. */
static void check_members(struct check *c, struct lsr_bundle *bundle)
{
        const struct lsr_catalogue *catalogue = bundle->catalogue;
        uint32_t rows = lsr_catalogue_rows(catalogue);
        struct check_file *files = lsr_xmalloc((size_t)rows * sizeof(*files));
        int r;

        c->n = 0;
        c->sum.members = rows - 1;
        for (uint32_t row = 1; row < rows; row++) {
                struct lsr_member m;

                lsr_catalogue_get(catalogue, row, &m);
                if (!(m.meta.known & LSR_FIELD_TYPE) || S_ISREG(m.meta.mode))
                        if (lsr_catalogue_link(catalogue, row) == row && !(m.flags & LSR_MEMBER_DANGLING))
                                files[c->n++] = (struct check_file){ m.position, row };
        }
        qsort(files, c->n, sizeof(*files), check_compare);
        c->rows = lsr_xmalloc((c->n + 1) * sizeof(*c->rows));
        for (size_t i = 0; i < c->n; i++)
                c->rows[i] = files[i].row;
        free(files);
        c->reading.troubled = false;
        r = lsr_bundle_read_many(
                bundle, catalogue, c->rows, c->n, LSR_MANY_TO_END,
                &(struct lsr_many_sink){ c, check_begin, check_write, check_end, check_hole, check_verified });
        if (r < 0) {
                c->bad = true;
                if (!bundle->troubled)
                        lsr_message_errno(-r, "cannot read %s", lsr_quoted_always(bundle->path));
        }
        free(c->rows);
}

static void check_print(struct check *c, const char *path, const struct lsr_checked *sum)
{
        lsr_out_puts(&c->out, lsr_quoted_needed(path));
        lsr_out_printf(&c->out, ": %s member%s, ", lsr_grouped(sum->members), sum->members == 1 ? "" : "s");
        lsr_out_printf(&c->out, "%s byte%s, ", lsr_grouped(sum->bytes), sum->bytes == 1 ? "" : "s");
        if (sum->read == 0)
                lsr_out_puts(&c->out, "all verified\n");
        else if (sum->verified == 0)
                lsr_out_puts(&c->out, "read; this format has no checksums of contents\n");
        else
                lsr_out_printf(&c->out, "%s verified and %s read, which have no checksums\n",
                               lsr_grouped(sum->verified), lsr_grouped(sum->read));
}

/* One member with marks; encrypted ones have been refused. */
static void check_name(struct check *c, const char *path, const struct lsr_member *m, unsigned marks)
{
        const char *bundle = lsr_quoted_needed(c->bundle->path), *member = lsr_quoted_always(path);

        if (marks & LSR_MARK_MOVED) {
                lsr_autofree char *raw = lsr_xstrndup(m->raw, m->raw_len);

                lsr_out_printf(&c->out, "%s: %s is stored as %s\n", bundle, member, lsr_quoted_always(raw));
        }
        if (marks & LSR_MARK_SHADOWS)
                lsr_out_printf(&c->out, "%s: %s hides earlier members of its name\n", bundle, member);
        if (marks & LSR_MARK_SETID)
                lsr_out_printf(&c->out, "%s: %s is set-user-ID or set-group-ID\n", bundle, member);
}

/* What is intact and still not what it seems.  Of a database that would be all its rows. */
static void check_marks(struct check *c, struct lsr_bundle *bundle)
{
        unsigned told = 0;

        if (strcmp(bundle->format, "sqlite") == 0 || lsr_bundle_load(bundle) < 0)
                return;
        for (uint32_t row = 1; row < lsr_catalogue_rows(bundle->catalogue); row++) {
                lsr_autofree char *path = NULL;
                struct lsr_member m;
                unsigned marks;
                size_t n;

                lsr_catalogue_get(bundle->catalogue, row, &m);
                marks = lsr_member_marks(&m) & ~(unsigned)LSR_MARK_ENCRYPTED;
                if (!marks)
                        continue;
                if (told++ == lsr_limit(LSR_LIMIT_TROUBLES)) {
                        lsr_out_printf(&c->out, "%s: further members of this kind are not named\n",
                                       lsr_quoted_needed(bundle->path));
                        return;
                }
                n = lsr_catalogue_path(bundle->catalogue, row, NULL, 0);
                path = lsr_xmalloc(n + 1);
                lsr_catalogue_path(bundle->catalogue, row, path, n + 1);
                check_name(c, path, &m, marks);
        }
}

static void check_bundle(struct check *c, struct lsr_bundle *bundle)
{
        int r;

        c->bundle = bundle;
        c->sum = (struct lsr_checked){};
        c->bad = false;
        c->reading.troubled = false;
        r = lsr_bundle_check(bundle, &c->sum);
        if (r == 1) {
                r = lsr_bundle_load(bundle);
                if (r == 0)
                        check_members(c, bundle);
                c->bad |= r < 0;
        } else if (r < 0) {
                c->bad = true;
                if (!c->reading.troubled)
                        lsr_message("cannot verify %s: %s", lsr_quoted_always(bundle->path), lsr_reading_reason(r));
        }
        lsr_message_clear();
        c->bytes += c->sum.bytes;
        if (c->bad || bundle->troubled)
                lsr_reading_fail(&c->reading, 1);
        else
                check_print(c, bundle->path, &c->sum);
        if (!c->bad)
                check_marks(c, bundle);
}

static void check_operand(struct check *c, const char *path)
{
        struct lsr_place place;
        int r = lsr_place_find(c->reading.bundles, path, LSR_PLACE_FOLLOW | LSR_PLACE_ENTER | LSR_PLACE_SOME, &place);

        if (r == 0 && place.row == 0)
                check_bundle(c, place.bundle);
        else
                lsr_reading_refuse(&c->reading, path, r);
}

/* The last line, for who looks on, of what has taken its time. */
static void check_end_all(struct check *c)
{
        double took = lsr_progress_end(&c->progress);

        if (took >= 1)
                lsr_message("%s bytes checked, %.2f s", lsr_grouped(c->bytes), took);
}

int lsr_command_check(struct lsr_settings *settings)
{
        static struct check c; /* static for the leak check, as in list.c */
        int status;

        settings->no_cache = true;
        status = lsr_reading_open(&c.reading, settings);
        if (status)
                return status;
        lsr_out_init(&c.out, STDOUT_FILENO);
        /* That there is a root is all that is asked first: a format may check itself without a list of its members. */
        if (settings->n_operands > 0)
                lsr_bundles_expect(c.reading.bundles, &(struct lsr_wanted){ .paths = settings->operands,
                                                                            .n = settings->n_operands,
                                                                            .numbers = true });
        lsr_progress_begin(&c.progress);
        for (size_t i = 0; i < settings->n_operands; i++) {
                check_operand(&c, settings->operands[i]);
                /* Results are shown before the next bundles are read. */
                if (lsr_out_flush(&c.out) < 0)
                        break;
        }
        lsr_reading_fail(&c.reading, lsr_message_flush(&c.out, 0));
        check_end_all(&c);
        return lsr_reading_close(&c.reading);
}
