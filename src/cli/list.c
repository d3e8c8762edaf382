/*
 * list - the main job: settings to engine, listing and view
 *
 * passwd, group and the time zone are read while the engine fetches metadata,
 * and only if rows are going to show them.
 */
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "base/arena.h"
#include "cli/cli.h"
#include "cli/message.h"
#include "cli/stats.h"

#define LIST_TEXT_FIRST ((size_t)32 << 10) /* fits passwd, group and zone files nearly everywhere */
#define LIST_TEXT_MAX ((size_t)256 << 20)  /* a passwd file that is larger is not used */

struct list {
        struct lsr_settings *s;
        struct lsr_view *view;
        struct lsr_io *io;
        bool prepared;
        int status;
};

enum { LIST_PASSWD, LIST_GROUP, LIST_ZONE, LIST_TEXTS };

/* Room for the three files; no page of it is touched before it is read into. */
static char list_texts[LIST_TEXTS][LIST_TEXT_FIRST];

/* A file too large for its first buffer: with a larger one, plainly. */
static void list_read_large(struct list *l, struct lsr_file_read *file)
{
        while (file->ret == -EFBIG && file->cap < LIST_TEXT_MAX) {
                char *old = file->cap > LIST_TEXT_FIRST ? file->buf : NULL;

                file->cap *= 8;
                file->buf = lsr_xrealloc(old, file->cap);
                lsr_io_read_files(l->io, file, 1);
        }
}

/* What rows need besides the entries.  Called when metadata is under way, or before the first row. */
static void list_prepare(void *ctx)
{
        struct list *l = ctx;
        struct lsr_view *v = l->view;
        bool json = v->o.format == LSR_FORMAT_JSON;
        struct lsr_file_read files[LIST_TEXTS];
        struct lsr_file_read *passwd = NULL, *group = NULL, *zone = NULL;
        char zone_path[PATH_MAX];
        const char *path;
        size_t n = 0;

        if (l->prepared)
                return;
        l->prepared = true;
        if (!json && v->o.format != LSR_FORMAT_LONG)
                return;
        if (!v->o.numeric && (v->o.owner || v->o.author || json)) {
                passwd = &files[n];
                files[n++] = (struct lsr_file_read){ "/etc/passwd", list_texts[LIST_PASSWD], LIST_TEXT_FIRST, 0 };
        }
        if (!v->o.numeric && (v->o.group || json)) {
                group = &files[n];
                files[n++] = (struct lsr_file_read){ "/etc/group", list_texts[LIST_GROUP], LIST_TEXT_FIRST, 0 };
        }
        path = json ? NULL : lsr_zone_path(zone_path, sizeof(zone_path));
        if (path) {
                zone = &files[n];
                files[n++] = (struct lsr_file_read){ path, list_texts[LIST_ZONE], LIST_TEXT_FIRST, 0 };
        }
        if (n > 0)
                lsr_io_read_files(l->io, files, n);
        for (size_t i = 0; i < n; i++)
                list_read_large(l, &files[i]);
        if (passwd && passwd->ret > 0)
                lsr_users_load(&v->users, passwd->buf, (size_t)passwd->ret);
        if (group && group->ret > 0)
                lsr_users_load(&v->groups, group->buf, (size_t)group->ret);
        if (zone && zone->ret > 0)
                lsr_zone_load(&v->when.zone, zone->buf, (size_t)zone->ret);
}

static int list_set(void *ctx, const struct lsr_set *set)
{
        struct list *l = ctx;

        list_prepare(l);
        return lsr_view_set(l->view, set);
}

static int list_row(void *ctx, const struct lsr_set *set, size_t i)
{
        return lsr_view_row(((struct list *)ctx)->view, set, i);
}

static void list_trouble(void *ctx, enum lsr_trouble what, const char *path, int error, bool serious)
{
        struct list *l = ctx;

        switch (what) {
        case LSR_TROUBLE_ACCESS:
                lsr_message_errno(-error, "cannot access %s", lsr_quoted_always(path));
                break;
        case LSR_TROUBLE_OPEN_DIR:
                lsr_message_errno(-error, "cannot open directory %s", lsr_quoted_always(path));
                break;
        case LSR_TROUBLE_READ_DIR:
                lsr_message_errno(-error, "reading directory %s", lsr_quoted_always(path));
                break;
        case LSR_TROUBLE_READ_LINK:
                lsr_message_errno(-error, "cannot read symbolic link %s", lsr_quoted_always(path));
                break;
        case LSR_TROUBLE_XATTR:
                /* GNU ls says so and keeps its exit status. */
                lsr_message_errno(-error, "%s", lsr_quoted_needed(path));
                return;
        case LSR_TROUBLE_STAT_DIR:
                lsr_message_errno(-error, "cannot determine device and inode of %s", lsr_quoted_always(path));
                break;
        case LSR_TROUBLE_LOOP:
                lsr_message("%s: not listing already-listed directory", lsr_quoted_needed(path));
                break;
        }
        if (serious)
                l->status = 2;
        else if (l->status == 0)
                l->status = 1;
}

static size_t list_width(void *ctx, const struct lsr_entry *e)
{
        return lsr_name_width(ctx, e);
}

static int list_engine(struct list *l)
{
        const char *name = l->s->engine;
        int error = lsr_io_new(&l->io, name);

        if (error == -EINVAL) {
                lsr_message("unknown engine %s: use auto, uring, threads or sync", lsr_quoted_always(name));
                lsr_message_try_help();
        } else if (error < 0) {
                lsr_message_errno(-error, "engine %s cannot run here", lsr_quoted_always(name));
        }
        return error;
}

static int list_fail(struct list *l, int error)
{
        lsr_message_errno(-error, "engine %s cannot run here", lsr_quoted_always(l->s->engine));
        return 2;
}

int lsr_command_list(struct lsr_settings *settings)
{
        /* Static as the settings are. */
        static struct list l;
        static struct lsr_out out;
        struct lsr_listing_sink sink = {
                .ctx = &l,
                .set = list_set,
                .row = list_row,
                .trouble = list_trouble,
                .before_wait = list_prepare,
        };
        struct lsr_listing_stats stats;
        int error;

        l = (struct list){ .s = settings, .view = &settings->view };
        if (list_engine(&l) < 0)
                return 2;
        lsr_out_init(&out, STDOUT_FILENO);
        l.view->out = &out;
        lsr_users_init(&l.view->users, "passwd");
        lsr_users_init(&l.view->groups, "group");
        settings->list.width = list_width;
        settings->list.width_ctx = l.view;
        error = lsr_list(l.io, &settings->list, settings->operands, settings->n_operands, &sink, &stats);
        if (error >= 0)
                error = lsr_io_require(l.io);
        if (error < 0)
                return list_fail(&l, error);
        lsr_view_finish(l.view);
        error = lsr_out_flush(&out);
        if (settings->stats)
                lsr_stats_print(&stats, lsr_io_stats(l.io), lsr_io_name(l.io), l.view);
        if (error < 0) {
                lsr_message_errno(-error, "write error");
                l.status = 2;
        }
        return l.status;
}
