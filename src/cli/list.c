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
#include "cli/engine.h"
#include "cli/message.h"
#include "cli/reading.h"
#include "cli/stats.h"
#include "source/bundle.h"

#define LIST_TEXT_FIRST ((size_t)32 << 10) /* fits passwd, group and zone files nearly everywhere */
#define LIST_TEXT_MAX ((size_t)256 << 20)  /* a passwd file that is larger is not used */

enum list_text { LIST_PASSWD, LIST_GROUP, LIST_ZONE, LIST_TEXTS };

struct list {
        struct lsr_settings *s;
        struct lsr_view *view;
        struct lsr_io *io;
        struct lsr_file_read files[LIST_TEXTS]; /* what rows need besides the entries */
        enum list_text texts[LIST_TEXTS];       /* which of them each file is */
        size_t n_files;
        char zone_path[PATH_MAX];
        bool started; /* the files are being read */
        bool loaded;  /* and are in the view */
        int status;
};

/* Room for the three files; no page of it is touched before it is read into. */
static char list_texts[LIST_TEXTS][LIST_TEXT_FIRST];

static void list_add_file(struct list *l, enum list_text text, const char *path)
{
        l->texts[l->n_files] = text;
        l->files[l->n_files++] = (struct lsr_file_read){ path, list_texts[text], LIST_TEXT_FIRST, 0 };
}

/* Start to read what rows need.  Called when a directory has been read and its metadata is about to come. */
static void list_start_files(void *ctx)
{
        struct list *l = ctx;
        const struct lsr_view_options *o = &l->view->o;
        bool json = o->format == LSR_FORMAT_JSON;
        unsigned needs = lsr_cells_needs(&l->view->cells);
        const char *zone = NULL;

        if (l->started)
                return;
        l->started = true;
        if (!o->numeric && (needs & LSR_NEED_USERS))
                list_add_file(l, LIST_PASSWD, "/etc/passwd");
        if (!o->numeric && (needs & LSR_NEED_GROUPS))
                list_add_file(l, LIST_GROUP, "/etc/group");
        /* Times in JSON are UTC, but those of some bundles must be made so. */
        if ((needs & LSR_NEED_ZONE) && (!json || l->s->list.enter != LSR_ENTER_NEVER))
                zone = lsr_zone_path(l->zone_path, sizeof(l->zone_path));
        if (zone)
                list_add_file(l, LIST_ZONE, zone);
        if (l->n_files > 0)
                lsr_io_files_start(l->io, l->files, l->n_files);
}

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

/* Before the first row. */
static void list_load_files(struct list *l)
{
        struct lsr_view *v = l->view;

        if (l->loaded)
                return;
        l->loaded = true;
        list_start_files(l);
        if (l->n_files > 0)
                lsr_io_files_wait(l->io);
        for (size_t i = 0; i < l->n_files; i++) {
                struct lsr_file_read *file = &l->files[i];

                list_read_large(l, file);
                if (file->ret <= 0)
                        continue;
                /* A last line without its end; there is room, as a full buffer is no result. */
                if (file->buf[file->ret - 1] != '\n')
                        file->buf[file->ret++] = '\n';
                if (l->texts[i] == LIST_PASSWD)
                        lsr_users_load(&v->users, file->buf, (size_t)file->ret);
                else if (l->texts[i] == LIST_GROUP)
                        lsr_users_load(&v->groups, file->buf, (size_t)file->ret);
                else
                        lsr_zone_load(&v->when.zone, file->buf, (size_t)file->ret);
        }
}

static int list_set(void *ctx, const struct lsr_set *set)
{
        struct list *l = ctx;

        list_load_files(l);
        return lsr_view_set(l->view, set);
}

static int list_row(void *ctx, const struct lsr_set *set, size_t i)
{
        return lsr_view_row(((struct list *)ctx)->view, set, i);
}

static int list_end(void *ctx)
{
        return lsr_view_end(((struct list *)ctx)->view);
}

static void list_stalled(void *ctx)
{
        lsr_out_flush(((struct list *)ctx)->view->out);
}

static void list_trouble(void *ctx, enum lsr_trouble what, const char *path, int error, bool serious)
{
        struct list *l = ctx;

        switch (what) {
        case LSR_TROUBLE_ACCESS:
                /* GNU ls wants the absolute name first, and only the empty one has none. */
                if (l->view->o.hyperlink && !*path)
                        lsr_message_errno(ENOENT, "error canonicalizing %s", lsr_quoted_always(path));
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
        case LSR_TROUBLE_GIT:
                if (error)
                        lsr_message_errno(-error, "cannot run git");
                else
                        lsr_message("git does not report the status of %s", lsr_quoted_always(path));
                break;
        case LSR_TROUBLE_BUNDLE:
                break;
        }
        if (serious)
                l->status = 2;
        else if (l->status == 0)
                l->status = 1;
}

/* A bundle has trouble.  What it holds is listed all the same, as far as it is intact. */
static void list_bundle_trouble(void *ctx, const char *path, int error, const char *text)
{
        struct list *l = ctx;

        if (text)
                lsr_message("%s: %s", lsr_quoted_always(path), lsr_printable(text));
        else
                lsr_message_errno(-error, "cannot open %s", lsr_quoted_always(path));
        if (error && l->status == 0)
                l->status = 1;
}

static int64_t list_civil(void *ctx, int64_t sec)
{
        struct list *l = ctx;

        list_load_files(l);
        return lsr_zone_from_civil(&l->view->when.zone, sec);
}

static size_t list_width(void *ctx, const struct lsr_entry *e)
{
        return lsr_name_width(ctx, e);
}

static void list_width_set(void *ctx, struct lsr_entry *const *entries, size_t n)
{
        lsr_name_scan_quoting(ctx, entries, n);
}

/* The listing ended early, or the engine had nothing to do and could not have done it.  What was shown stays. */
static void list_fail(struct list *l, int error)
{
        int refused = lsr_io_require(l->io);

        if (refused < 0)
                lsr_engine_fail(l->s->engine, refused);
        else
                lsr_message_errno(-error, "engine %s failed", lsr_quoted_always(l->s->engine));
        l->status = 2;
}

/* How much of bundles will be looked at. */
static void list_expect(const struct lsr_settings *settings)
{
        const struct lsr_list_options *o = &settings->list;
        bool below = o->recursive || o->tree;

        /* In bundles that are found on the way, which the operands may lead through, anything may be. */
        if (below && o->enter == LSR_ENTER_ALWAYS)
                return;
        lsr_bundles_expect(o->bundles, &(struct lsr_wanted){
                                               .paths = settings->operands,
                                               .n = settings->n_operands,
                                               .depth = o->total_size || (below && !o->max_depth) ? LSR_DEPTH_ALL
                                                        : below                                   ? o->max_depth
                                                        : o->dirs_as_files                        ? 0
                                                                                                  : 1,
                                               .partial = !(o->want.fields & LSR_FIELD_INODE),
                                               .links = o->follow == LSR_FOLLOW_ALWAYS || o->want.link_target_mode,
                                       });
}

int lsr_command_list(struct lsr_settings *settings)
{
        static struct list l; /* static for the leak check, like lsr_cli_main()'s settings */
        struct lsr_listing_sink sink = {
                .ctx = &l,
                .set = list_set,
                .row = list_row,
                .end = list_end,
                .trouble = list_trouble,
                .before_wait = list_start_files,
                .stalled = list_stalled,
        };
        struct lsr_listing_stats stats;
        static struct lsr_out out;
        int error, failure;

        l = (struct list){ .s = settings, .view = &settings->view };
        if (lsr_engine_new(&l.io, settings->engine) != 0)
                return 2;
        lsr_out_init(&out, STDOUT_FILENO);
        l.view->out = &out;
        lsr_users_init(&l.view->users, "passwd");
        lsr_users_init(&l.view->groups, "group");
        if (settings->list.enter != LSR_ENTER_NEVER)
                settings->list.bundles =
                        lsr_bundles_new(&(struct lsr_bundles_options){ .io = l.io,
                                                                       .engine = settings->engine,
                                                                       .cache = !settings->no_cache,
                                                                       .confine_required = settings->confine_required,
                                                                       .ctx = &l,
                                                                       .trouble = list_bundle_trouble });
        if (settings->list.bundles)
                list_expect(settings);
        settings->list.civil = list_civil;
        settings->list.civil_ctx = &l;
        settings->list.width = list_width;
        settings->list.width_set = list_width_set;
        settings->list.width_ctx = l.view;
        failure = lsr_list(l.io, &settings->list, settings->operands, settings->n_operands, &sink, &stats);
        if (failure >= 0)
                failure = lsr_io_require(l.io);
        lsr_view_finish(l.view);
        error = lsr_out_flush(&out);
        if (failure < 0)
                list_fail(&l, failure);
        if (settings->stats) {
                struct lsr_io_stats all = *lsr_io_stats(l.io);

                if (settings->list.bundles)
                        lsr_bundles_stats(settings->list.bundles, &all);
                lsr_stats_print(&stats, &all, lsr_io_name(l.io), settings->list.bundles, l.view);
        }
        l.status = lsr_reading_confined(settings->list.bundles, settings, l.status);
        if (error < 0) {
                lsr_message_errno(-error, "write error");
                l.status = 2;
        }
        return l.status;
}
