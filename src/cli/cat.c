/*
 * cat - content of members, and of files, to standard output
 *
 * Operands that follow each other in the order of their bundle are read in one
 * pass, since each pass over a compressed tar decodes everything before them.
 * Small pieces are gathered.  A write that fails ends the command, as there is
 * nowhere else to write.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/out.h"
#include "cli/cli.h"
#include "cli/message.h"
#include "cli/reading.h"
#include "cli/wildcards.h"

#define CAT_READ ((size_t)256 << 10)
#define CAT_HOLE_MIN ((uint64_t)256 << 10) /* zeros that cost more than a few calls */

struct cat {
        struct lsr_reading reading;
        struct lsr_out out;
        /* Members found and not read yet, all of one catalogue. */
        struct lsr_bundle *bundle;
        const struct lsr_catalogue *catalogue;
        uint32_t *rows; /* room for all operands */
        const char **paths;
        size_t n;
        uint64_t position; /* of the last */
};

static int cat_write(void *ctx, const void *data, size_t n)
{
        struct cat *c = ctx;

        lsr_out_put(&c->out, data, n);
        return -c->out.error;
}

/*
 * At the end of a regular file zeros are added by its size.  0: done; 1: they must be written, as elsewhere.
 */
static int cat_extend(int fd, uint64_t n)
{
        int flags = fcntl(fd, F_GETFL);
        struct stat st;
        off_t at;

        if (flags < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
                return 1;
        at = flags & O_APPEND ? st.st_size : lseek(fd, 0, SEEK_CUR);
        if (at < st.st_size || n > (uint64_t)(INT64_MAX - at) || ftruncate(fd, at + (off_t)n) < 0)
                return 1;
        return lseek(fd, at + (off_t)n, SEEK_SET) < 0;
}

static int cat_hole(void *ctx, uint64_t n)
{
        struct cat *c = ctx;

        if (n >= CAT_HOLE_MIN && lsr_out_flush(&c->out) == 0 && cat_extend(c->out.fd, n) == 0)
                return 0;
        return lsr_write_zeros(cat_write, c, n);
}

/* Copy as much of a real file as can be read. 0 or a negative errno. */
static int cat_copy(struct cat *c, int fd)
{
        lsr_autofree char *buf = lsr_xmalloc(CAT_READ);
        int r = 0;

        while (r == 0) {
                ssize_t n = read(fd, buf, CAT_READ);

                if (n == 0)
                        break;
                if (n > 0)
                        r = cat_write(c, buf, (size_t)n);
                else if (errno != EINTR)
                        r = -errno;
                /* Output of slow files, such as terminals, is not held back. */
                if (r == 0 && (size_t)n < CAT_READ)
                        r = lsr_out_flush(&c->out);
        }
        return r;
}

static void cat_file(struct cat *c, const char *path)
{
        bool is_stdin = strcmp(path, "-") == 0;
        int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
        int r = fd < 0 ? -errno : cat_copy(c, fd);

        if (r < 0 && !c->out.error) {
                lsr_message_errno(-r, fd < 0 ? "cannot open %s" : "cannot read %s", lsr_quoted_always(path));
                lsr_reading_fail(&c->reading, fd < 0 || r == -EISDIR ? 2 : 1);
        }
        if (fd >= 0 && !is_stdin)
                close(fd);
}

static int cat_begin(void *ctx, size_t i)
{
        return 0;
}

static int cat_end(void *ctx, size_t i, int error)
{
        struct cat *c = ctx;

        if (error < 0 && !c->out.error) {
                /* A problem that was reported for the bundle is not reported twice. */
                if (!c->reading.troubled)
                        lsr_message("cannot read %s: %s", lsr_quoted_always(c->paths[i]), lsr_reading_reason(error));
                lsr_reading_fail(&c->reading, error == -EISDIR ? 2 : 1);
        }
        /* Trouble with a member may come before its first byte. */
        c->reading.troubled = false;
        return 0;
}

static void cat_run(struct cat *c)
{
        c->reading.troubled = false;
        if (c->n > 0)
                lsr_bundle_read_many(c->bundle, c->catalogue, c->rows, c->n, 0,
                                     &(struct lsr_many_sink){ c, cat_begin, cat_write, cat_end, cat_hole });
        c->n = 0;
}

static void cat_member(struct cat *c, const char *path, const struct lsr_place *place)
{
        struct lsr_member m;

        lsr_catalogue_get(place->catalogue, lsr_catalogue_link(place->catalogue, place->row), &m);
        /* Rows of a database can be read, too. */
        if (S_ISDIR(m.meta.mode) && strcmp(place->bundle->format, "sqlite") != 0) {
                cat_run(c);
                lsr_reading_fail(&c->reading, lsr_message_errno(EISDIR, "cannot read %s", lsr_quoted_always(path)));
                return;
        }
        if (place->catalogue != c->catalogue || m.position <= c->position)
                cat_run(c);
        c->bundle = place->bundle;
        c->catalogue = place->catalogue;
        c->position = m.position;
        c->paths[c->n] = path;
        c->rows[c->n++] = place->row;
}

/* 1: a real file. */
static int cat_find(struct cat *c, const char *path, struct lsr_place *ret_place)
{
        int r;

        if (strcmp(path, "-") == 0)
                return 1;
        r = lsr_place_find(c->reading.bundles, path, LSR_PLACE_FOLLOW | LSR_PLACE_SOME, ret_place);
        /* There is a place without following the last link, and none with it: the link leads out of the bundle. */
        if (r == 1 && lsr_place_find(c->reading.bundles, path, 0, ret_place) == 0)
                return -EXDEV;
        return r;
}

/* A bundle as a file is what nobody wants to see. */
static bool cat_spoils(struct cat *c, const char *path)
{
        struct lsr_bundle *bundle;

        return strcmp(path, "-") != 0 && isatty(STDOUT_FILENO) &&
               lsr_bundle_open(c->reading.bundles, path, &bundle) == 0;
}

static void cat_operand(struct cat *c, const char *path)
{
        struct lsr_place place;
        int r = cat_find(c, path, &place);

        if (r != 0)
                cat_run(c);
        switch (r) {
        case 0:
                cat_member(c, path, &place);
                break;
        case 1:
                if (!cat_spoils(c, path))
                        cat_file(c, path);
                else
                        lsr_reading_fail(&c->reading, lsr_message("%s is a bundle, which is not written to a terminal: "
                                                                  "name what is in it, as BUNDLE/MEMBER",
                                                                  lsr_quoted_always(path)));
                break;
        case -EXDEV:
                lsr_reading_fail(&c->reading,
                                 lsr_message("cannot open %s: it is a symbolic link that leads out of the bundle",
                                             lsr_quoted_always(path)));
                break;
        default:
                lsr_reading_refuse(&c->reading, path, r);
        }
}

int lsr_command_cat(struct lsr_settings *settings)
{
        static struct cat c; /* static for the leak check, as in list.c */
        int status = lsr_reading_open(&c.reading, settings);

        if (status)
                return status;
        lsr_out_init(&c.out, STDOUT_FILENO);
        lsr_wildcards_expand(c.reading.bundles, settings);
        lsr_bundles_expect(
                c.reading.bundles,
                &(struct lsr_wanted){ .paths = settings->operands, .n = settings->n_operands, .content = true });
        c.rows = lsr_xmalloc(settings->n_operands * sizeof(*c.rows));
        c.paths = lsr_xmalloc(settings->n_operands * sizeof(*c.paths));
        for (size_t i = 0; i < settings->n_operands && !c.out.error; i++)
                cat_operand(&c, settings->operands[i]);
        if (!c.out.error)
                cat_run(&c);
        free(c.rows);
        free(c.paths);
        lsr_reading_fail(&c.reading, lsr_message_flush(&c.out, 0));
        /* The worker ends by itself: waiting for it would take as long as reading a small member. */
        return lsr_reading_confined(c.reading.bundles, settings, c.reading.status);
}
