/*
 * cat - content of members, and of files, to standard output
 *
 * Operands that follow each other in the order of their bundle are read in one
 * pass: of a compressed tar each pass decodes all that lies before.  Small pieces
 * are gathered; a write that fails ends the command, since nothing more can be
 * put anywhere.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/out.h"
#include "cli/cli.h"
#include "cli/message.h"
#include "cli/reading.h"

#define CAT_READ ((size_t)256 << 10)

struct cat {
        struct lsr_reading reading;
        struct lsr_out out;
        /* Members found and not read yet, all of one bundle. */
        struct lsr_bundle *bundle;
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

/* What can be had of a real file.  0 or a negative errno. */
static int cat_copy(struct cat *c, int fd)
{
        char *buf = lsr_xmalloc(CAT_READ);
        int r = 0;

        while (r == 0) {
                ssize_t n = read(fd, buf, CAT_READ);

                if (n == 0)
                        break;
                if (n > 0)
                        r = cat_write(c, buf, (size_t)n);
                else if (errno != EINTR)
                        r = -errno;
                /* Of what is slow, as a terminal, nothing is held back. */
                if (r == 0 && (size_t)n < CAT_READ)
                        r = lsr_out_flush(&c->out);
        }
        free(buf);
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
        (void)ctx;
        (void)i;
        return 0;
}

static int cat_end(void *ctx, size_t i, int error)
{
        struct cat *c = ctx;

        if (error < 0 && !c->out.error) {
                /* What the bundle was complained about for need not be said twice. */
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
                lsr_bundle_read_many(c->bundle, c->rows, c->n, false,
                                     &(struct lsr_many_sink){ c, cat_begin, cat_write, cat_end });
        c->n = 0;
}

static void cat_member(struct cat *c, const char *path, const struct lsr_place *place)
{
        const struct lsr_catalogue *catalogue = place->bundle->catalogue;
        struct lsr_member m;

        lsr_catalogue_get(catalogue, lsr_catalogue_link(catalogue, place->row), &m);
        /* Of a database the rows can be read, too. */
        if (S_ISDIR(m.meta.mode) && strcmp(place->bundle->format, "sqlite") != 0) {
                cat_run(c);
                lsr_message_errno(EISDIR, "cannot read %s", lsr_quoted_always(path));
                lsr_reading_fail(&c->reading, 2);
                return;
        }
        if (place->bundle != c->bundle || m.position <= c->position)
                cat_run(c);
        c->bundle = place->bundle;
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
        r = lsr_place_find(c->reading.bundles, path,
                           LSR_PLACE_FOLLOW | LSR_PLACE_PART |
                                   (c->reading.settings->n_operands == 1 ? LSR_PLACE_ONLY : 0),
                           ret_place);
        /* A place without the link that ends it, and none with it: where it leads is no longer the bundle. */
        if (r == 1 && lsr_place_find(c->reading.bundles, path, 0, ret_place) == 0)
                return -EXDEV;
        return r;
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
                cat_file(c, path);
                break;
        case LSR_PLACE_UNREADABLE:
                lsr_reading_fail(&c->reading, 2);
                break;
        case -EXDEV:
                lsr_message("cannot open %s: it is a symbolic link that leads out of the bundle",
                            lsr_quoted_always(path));
                lsr_reading_fail(&c->reading, 2);
                break;
        default:
                lsr_message_errno(-r, "cannot open %s", lsr_quoted_always(path));
                lsr_reading_fail(&c->reading, 2);
        }
}

int lsr_command_cat(const struct lsr_settings *settings)
{
        static struct cat c; /* static for the leak check, as in list.c */
        int status = lsr_reading_open(&c.reading, settings);

        if (status)
                return status;
        lsr_out_init(&c.out, STDOUT_FILENO);
        c.rows = lsr_xmalloc(settings->n_operands * sizeof(*c.rows));
        c.paths = lsr_xmalloc(settings->n_operands * sizeof(*c.paths));
        for (size_t i = 0; i < settings->n_operands && !c.out.error; i++)
                cat_operand(&c, settings->operands[i]);
        if (!c.out.error)
                cat_run(&c);
        free(c.rows);
        free(c.paths);
        if (lsr_out_flush(&c.out) < 0) {
                if (c.out.error != EPIPE)
                        lsr_message_errno(c.out.error, "write error");
                lsr_reading_fail(&c.reading, 2);
        }
        /* The worker ends by itself: to wait for that is as long as to read a small member. */
        return c.reading.status;
}
