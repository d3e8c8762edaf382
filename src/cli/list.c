/*
 * list - the main job: settings to engine, listing and view
 *
 * passwd, group and the time zone are read while the engine fetches metadata,
 * and only if rows are going to show them.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/git.h"
#include "cli/cli.h"
#include "cli/doubt.h"
#include "cli/given.h"
#include "cli/message.h"
#include "cli/password.h"
#include "cli/progress.h"
#include "cli/reading.h"
#include "cli/wildcards.h"

#define LIST_TEXT_FIRST ((size_t)32 << 10) /* fits passwd, group and zone files nearly everywhere */
#define LIST_TEXT_MAX ((size_t)256 << 20)  /* a passwd file that is larger is not used */

enum list_text { LIST_PASSWD, LIST_GROUP, LIST_ZONE, LIST_TEXTS };

struct list {
        struct lsr_settings *s;
        struct lsr_view *view;
        struct lsr_io *io;
        struct lsr_op ops[LIST_TEXTS]; /* to read what rows need besides the entries */
        struct lsr_op_data files[LIST_TEXTS];
        enum list_text texts[LIST_TEXTS]; /* which of them each file is */
        size_t n_files;
        char zone_path[PATH_MAX];
        bool started; /* the files are being read */
        bool loaded;  /* and are in the view */
        int status;
};

/* Buffers for the three files; no page of them is touched before it is used. */
static char list_texts[LIST_TEXTS][LIST_TEXT_FIRST];

static void list_add_file(struct list *l, enum list_text text, const char *path)
{
        l->texts[l->n_files] = text;
        l->files[l->n_files] = (struct lsr_op_data){ .buf = list_texts[text], .cap = LIST_TEXT_FIRST };
        l->ops[l->n_files] = (struct lsr_op){
                .name = path,
                .data = &l->files[l->n_files],
                .dirfd = AT_FDCWD,
                .kind = LSR_OP_READ_FILE,
                .follow = true,
        };
        l->n_files++;
}

/* Start reading the files that rows need. Called when a directory has been read and its metadata has been requested. */
static void list_start_files(void *ctx)
{
        struct list *l = ctx;
        const struct lsr_view_options *o = &l->view->o;
        unsigned needs = l->view->cells.needs;
        const char *zone = NULL;

        if (l->started)
                return;
        l->started = true;
        if (!o->numeric && (needs & LSR_NEED_USERS))
                list_add_file(l, LIST_PASSWD, "/etc/passwd");
        if (!o->numeric && (needs & LSR_NEED_GROUPS))
                list_add_file(l, LIST_GROUP, "/etc/group");
        /* Times that are UTC on disk must be made so in some bundles. */
        if ((needs & LSR_NEED_ZONE) && (!lsr_view_kind(l->view)->utc || l->s->list.enter != LSR_ENTER_NEVER))
                zone = lsr_zone_path(l->zone_path, sizeof(l->zone_path));
        if (zone)
                list_add_file(l, LIST_ZONE, zone);
        /* The end of the process closes the last one, where nothing else is going to be opened. */
        if (l->n_files > 0 && !l->s->list.recursive && l->s->n_operands == 1)
                l->files[l->n_files - 1].leave_open = true;
        lsr_io_add(l->io, l->ops, l->n_files);
}

/* A file that is too large for its first buffer is read by plain calls into a larger one. */
static void list_read_large(struct list *l, const struct lsr_op *op)
{
        struct lsr_op_data *file = op->data;

        while (file->ret == -EFBIG && file->cap < LIST_TEXT_MAX) {
                char *old = file->cap > LIST_TEXT_FIRST ? file->buf : NULL;

                file->cap *= 8;
                file->buf = lsr_xrealloc(old, file->cap);
                lsr_io_run(l->io, op, 1);
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
        lsr_io_wait(l->io);
        for (size_t i = 0; i < l->n_files; i++) {
                struct lsr_op_data *file = &l->files[i];

                list_read_large(l, &l->ops[i]);
                if (file->ret <= 0)
                        continue;
                /* The last line may lack its newline; there is room, as a full buffer was rejected. */
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
        lsr_view_set(l->view, set);
        return 0;
}

static int list_row(void *ctx, const struct lsr_set *set, size_t i)
{
        lsr_view_row(((struct list *)ctx)->view, set, i);
        return 0;
}

static int list_end(void *ctx)
{
        lsr_view_end(((struct list *)ctx)->view);
        return 0;
}

static void list_stalled(void *ctx)
{
        lsr_out_flush(((struct list *)ctx)->view->out);
}

/* The first operand is not there. */
static void list_suggest(const struct lsr_settings *s)
{
        lsr_autofree char *meant = lsr_given_letters_meant(s->operands, s->n_operands);

        if (meant)
                lsr_message("did you mean '%s'?", meant);
}

static void list_trouble(void *ctx, enum lsr_trouble what, const char *path, int error, bool serious)
{
        static const char *const texts[] = {
                [LSR_TROUBLE_ACCESS] = "cannot access %s",
                [LSR_TROUBLE_OPEN_DIR] = "cannot open directory %s",
                [LSR_TROUBLE_READ_DIR] = "reading directory %s",
                [LSR_TROUBLE_READ_LINK] = "cannot read symbolic link %s",
                [LSR_TROUBLE_XATTR] = "%s",
                [LSR_TROUBLE_STAT_DIR] = "cannot determine device and inode of %s",
                [LSR_TROUBLE_LOOP] = "%s: not listing already-listed directory",
                [LSR_TROUBLE_GIT] = NULL,
                [LSR_TROUBLE_BUNDLE] = NULL,
        };
        bool needed = what == LSR_TROUBLE_XATTR || what == LSR_TROUBLE_LOOP;
        struct list *l = ctx;

        /* GNU ls wants the absolute name first, and only the empty one has none. */
        if (what == LSR_TROUBLE_ACCESS && l->view->o.hyperlink && !*path)
                lsr_message_errno(ENOENT, "error canonicalizing %s", lsr_quoted_always(path));
        if (what == LSR_TROUBLE_GIT && error)
                lsr_message_errno(-error, "cannot run git");
        else if (what == LSR_TROUBLE_GIT)
                lsr_message("git does not report the status of %s: %s", lsr_quoted_always(path), lsr_git_said());
        else if (texts[what])
                lsr_message_errno(-error, texts[what], needed ? lsr_quoted_needed(path) : lsr_quoted_always(path));
        if (what == LSR_TROUBLE_ACCESS && error == -ENOENT && !l->s->gnu && strcmp(path, l->s->operands[0]) == 0)
                list_suggest(l->s);
        /* GNU ls says so and keeps its exit status. */
        if (what == LSR_TROUBLE_XATTR)
                return;
        if (serious)
                l->status = 2;
        else if (l->status == 0)
                l->status = 1;
}

/* Report trouble with a bundle.  Its intact members are listed all the same. */
static void list_bundle_trouble(void *ctx, const char *path, int error, const char *text)
{
        struct list *l = ctx;

        lsr_message_bundle(path, error, text);
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

/* Somebody who looks for an archive, at a terminal, has named one file. */
static void list_doubt(struct lsr_settings *settings)
{
        const struct lsr_list_options *o = &settings->list;
        struct lsr_bundle *bundle;

        if (!o->bundles || o->enter == LSR_ENTER_SLASH || o->dirs_as_files || settings->n_operands != 1 ||
            !lsr_doubt_suits(settings->operands[0]) || !lsr_given_tty(settings))
                return;
        if (lsr_bundle_open(o->bundles, settings->operands[0], &bundle) == 1)
                lsr_doubt(settings->operands[0]);
}

/* Announce which parts of bundles will be read. */
static void list_expect(const struct lsr_settings *settings)
{
        const struct lsr_list_options *o = &settings->list;
        bool below = o->recursive || o->tree;

        /* Bundles that are found on the way, through which operands may lead, can contain anything. */
        if (below && o->enter == LSR_ENTER_ALWAYS)
                return;
        lsr_bundles_expect(o->bundles, &(struct lsr_wanted){
                                               .paths = settings->operands,
                                               .n = settings->n_operands,
                                               .depth = o->total_size || (below && !o->max_depth) ? LSR_DEPTH_ALL
                                                        : below                                   ? o->max_depth
                                                        : o->dirs_as_files                        ? 0
                                                                                                  : 1,
                                               .numbers = o->want.fields & LSR_FIELD_INODE,
                                               .links = o->follow == LSR_FOLLOW_ALWAYS || o->want.link_target_mode,
                                               .described = o->want.fields & (LSR_FIELD_SIZE | LSR_FIELD_BLOCKS),
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
        if (lsr_password_begin(settings) != 0)
                return 2;
        lsr_default_blame(settings->engine);
        if (lsr_engine_new(&l.io, settings->engine) != 0)
                return 2;
        lsr_default_blame(NULL);
        lsr_out_init(&out, STDOUT_FILENO);
        l.view->out = &out;
        lsr_users_init(&l.view->users, "passwd");
        lsr_users_init(&l.view->groups, "group");
        if (settings->list.enter != LSR_ENTER_NEVER)
                settings->list.bundles =
                        lsr_bundles_new(&(struct lsr_bundles_options){ .io = l.io,
                                                                       .engine = settings->engine,
                                                                       .cache = !settings->no_cache,
                                                                       .download = settings->download,
                                                                       .confine_required = settings->confine_required,
                                                                       .ctx = &l,
                                                                       .encoding = settings->encoding,
                                                                       .password = lsr_password,
                                                                       .trouble = list_bundle_trouble,
                                                                       .fetching = lsr_progress_fetching });
        if (settings->list.bundles) {
                if (!settings->gnu)
                        lsr_wildcards_expand(settings->list.bundles, settings);
                list_expect(settings);
        }
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
        /* It ended early, or the engine had nothing to do and could not have done it.  What was shown stays. */
        if (failure < 0)
                l.status = lsr_engine_fail(l.io, settings->engine, failure);
        list_doubt(settings);
        if (settings->stats) {
                struct lsr_io_stats all = *lsr_io_stats(l.io);

                if (settings->list.bundles)
                        lsr_bundles_stats(settings->list.bundles, &all);
                lsr_stats_print(&stats, &all, lsr_io_name(l.io), settings->list.bundles, l.view, settings->given.json);
        }
        l.status = lsr_reading_confined(settings->list.bundles, settings, l.status);
        return error < 0 ? lsr_message_errno(-error, "write error") : l.status;
}
