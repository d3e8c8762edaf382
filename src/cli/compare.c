/*
 * compare - the command: an experiment, and its report
 *
 * The file of --html is opened before the experiment, so that an error is
 * reported before minutes have passed; it gets its name when it is complete.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/out.h"
#include "cli/cli.h"
#include "cli/message.h"
#include "cli/pack.h"
#include "compare/bundling.h"
#include "compare/experiment.h"
#include "compare/report.h"
#include "formats/format.h"
#include "pack/target.h"
#include "remote/url.h"

struct compare {
        const struct lsr_settings *s;
        char *dir;
        const char **formats; /* each once */
        size_t n_formats;
        bool terminal;
        int status;
        struct lsr_experiment x;
};

static struct compare compare; /* static for the leak check, like lsr_cli_main()'s settings, and for the handler */

/* There is nothing to clean up: bundles have no names, and ways end with this process. */
static void compare_put_away(void)
{
        lsr_target_abandon();
        lsr_message_clear();
}

/* --- meanwhile ---------------------------------------------------------------- */

static void compare_progress(void *ctx, const char *what, const char *name, unsigned done, unsigned total)
{
        struct compare *c = ctx;
        lsr_autofree char *line = NULL;

        if (!c->terminal)
                return;
        line = lsr_xprintf("%3u %%  %s: %s", total ? 100 * done / total : 0, what, name);
        lsr_message_progress(line);
}

/* @n things of a kind. */
static const char *compare_plural(uint64_t n)
{
        return n == 1 ? "" : "s";
}

static void compare_trouble(void *ctx, enum lsr_compare_trouble what, const char *name, int error, uint64_t a,
                            uint64_t b)
{
        struct compare *c = ctx;
        const char *quoted = lsr_quoted_always(name), *operand = lsr_quoted_always(c->s->operands[0]);

        switch (what) {
        case LSR_COMPARE_UNREADABLE:
                lsr_message_errno(-error, "cannot read %s; it is left out of the comparison", quoted);
                c->status = 1;
                break;
        case LSR_COMPARE_SPECIAL:
                lsr_message("%s special file%s left out, as they have no content", lsr_grouped(a), compare_plural(a));
                break;
        case LSR_COMPARE_LOOSE:
                lsr_message("%s file%s left out: with --each, only subdirectories become bundles", lsr_grouped(a),
                            compare_plural(a));
                break;
        case LSR_COMPARE_WARM:
                lsr_message("%s is on a file system in memory, which --cold cannot drop: all runs are warm", operand);
                break;
        case LSR_COMPARE_WARM_BUNDLES:
                lsr_message("the bundles are in %s, which is in memory and never cold; set TMPDIR to a directory on a "
                            "disk",
                            quoted);
                break;
        case LSR_COMPARE_LIMIT:
                lsr_message("%s: only %s of %s members were read in ten seconds, and only they are compared", name,
                            lsr_grouped(a), lsr_grouped(b));
                break;
        case LSR_COMPARE_FAILED:
                /* The report says why. */
        case LSR_COMPARE_DIFFERS:
                c->status = 1;
                break;
        case LSR_COMPARE_EMPTY:
                lsr_message("cannot compare %s: there are no files in it to read", operand);
                break;
        case LSR_COMPARE_NO_PACKAGES:
                lsr_message("cannot compare %s: it has no subdirectories for --each to make bundles of", operand);
                break;
        case LSR_COMPARE_NO_PROC:
                lsr_message_errno(-error, "cannot start measuring: %s", quoted);
                break;
        case LSR_COMPARE_NO_SCRATCH:
                lsr_message_errno(-error, "cannot create files for the bundles in %s; set TMPDIR", quoted);
                break;
        case LSR_COMPARE_NO_SPACE:
                lsr_message(
                        "not enough space for the bundles: they may need %s bytes, and %s has %s free; set TMPDIR or "
                        "use fewer --formats",
                        lsr_grouped(a), quoted, lsr_grouped(b));
                break;
        case LSR_COMPARE_FULL:
                lsr_message("not enough space for the bundles: %s is full; set TMPDIR or use fewer --formats", quoted);
                break;
        case LSR_COMPARE_NO_FILES:
                lsr_message("too many bundles: %s files would be open, but the limit is %s; use fewer "
                            "--formats",
                            lsr_grouped(a), lsr_grouped(b));
                break;
        }
}

/* --- settings ----------------------------------------------------------------- */

static bool compare_has(const struct compare *c, const char *format)
{
        for (size_t i = 0; i < c->n_formats; i++)
                if (strcmp(c->formats[i], format) == 0)
                        return true;
        return false;
}

/* Returns 0 or an exit status. */
static int compare_formats(struct compare *c)
{
        const char *list = c->s->compare.formats ? c->s->compare.formats : LSR_COMPARE_FORMATS;
        struct lsr_bundling_format format;
        lsr_autofree char *copy = lsr_xstrdup(list);
        char *at = copy, *word;

        c->formats = lsr_xmalloc((strlen(list) + 1) * sizeof(*c->formats));
        while ((word = strsep(&at, ","))) {
                if (!*word)
                        continue;
                if (!lsr_bundling_format(word, &format)) {
                        lsr_autofree char *suffixes = lsr_pack_suffixes();

                        lsr_message("invalid argument %s for '--formats'", lsr_quoted_locale(word));
                        return lsr_message("use some of %s zip-store", suffixes);
                }
                if (!compare_has(c, format.word))
                        c->formats[c->n_formats++] = format.word;
        }
        return 0;
}

/* Standard output takes one of them. */
static bool compare_page_is_report(const struct lsr_settings *s)
{
        return s->compare.html && strcmp(s->compare.html, "-") == 0;
}

static int compare_operand(struct compare *c)
{
        const char *operand = c->s->operands[0];
        struct stat st;

        if (c->s->n_operands > 1)
                return lsr_message("--compare takes only one directory");
        if (c->s->compare.csv + (c->s->view.o.format == LSR_FORMAT_JSON) + compare_page_is_report(c->s) > 1)
                return lsr_message("only one output form can be given: --csv, --json or --html=-");
        c->dir = realpath(operand, NULL);
        if (!c->dir && lsr_url_is(operand))
                return lsr_message("cannot compare %s: --compare measures a directory on a disk",
                                   lsr_quoted_always(operand));
        if (!c->dir || stat(c->dir, &st) < 0)
                return lsr_message_errno(errno, "cannot access %s", lsr_quoted_always(operand));
        if (!S_ISDIR(st.st_mode))
                return lsr_message("cannot compare %s: it is not a directory", lsr_quoted_always(operand));
        return 0;
}

/* --- the report ------------------------------------------------------------------ */

static int compare_report(struct compare *c)
{
        const struct lsr_view_options *o = &c->s->view.o;
        enum lsr_report_form form = c->s->compare.csv              ? LSR_REPORT_CSV
                                    : o->format == LSR_FORMAT_JSON ? LSR_REPORT_JSON
                                                                   : LSR_REPORT_TABLE;
        struct lsr_out out;

        lsr_out_init(&out, STDOUT_FILENO);
        lsr_report(&out, &c->x, form, isatty(STDOUT_FILENO) ? o->width : 0);
        return lsr_message_flush(&out, 0);
}

static int compare_open_page(struct compare *c, struct lsr_target *ret_target)
{
        int r = lsr_target_open(ret_target, c->s->compare.html, c->s->force, false, NULL, 0);

        return r == 0 ? 0 : lsr_pack_report_refused(c->s->compare.html, "--html=FILE", r);
}

static int compare_page(struct compare *c, struct lsr_target *t)
{
        lsr_auto(lsr_out_free) struct lsr_out out;
        int r;

        lsr_out_init(&out, t->fd);
        lsr_report_html(&out, &c->x);
        r = lsr_out_flush(&out);
        if (r == 0)
                r = lsr_target_sync(t);
        if (r == 0)
                r = lsr_target_commit(t);
        if (r == 0)
                return 0;
        return lsr_message_errno(r == LSR_TARGET_EXISTS ? EEXIST : -r, "cannot write %s",
                                 lsr_quoted_always(c->s->compare.html));
}

/* Returns the exit status. */
static int compare_experiment(struct compare *c)
{
        const struct lsr_compare_settings *s = &c->s->compare;
        int r = lsr_compare(
                &(struct lsr_compare_options){
                        .dir = c->dir,
                        .formats = c->formats,
                        .n_formats = c->n_formats,
                        .runs = s->runs,
                        .cold = s->cold,
                        .each = c->s->pack.each,
                        .random = s->random,
                        .ctx = c,
                        .trouble = compare_trouble,
                        .progress = compare_progress,
                },
                &c->x);

        lsr_message_clear();
        c->x.dir = c->s->operands[0]; /* as it was given */
        if (r < 0)
                return lsr_message_errno(-r, "cannot compare %s", lsr_quoted_always(c->s->operands[0]));
        return r ? 2 : 0;
}

int lsr_command_compare(struct lsr_settings *settings)
{
        struct compare *c = &compare;
        struct lsr_target page = { .fd = -1, .dirfd = -1 };
        int status;

        *c = (struct compare){ .s = settings, .terminal = isatty(STDERR_FILENO) };
        lsr_signals_end(compare_put_away);
        status = compare_operand(c);
        if (status == 0)
                status = compare_formats(c);
        if (status == 0 && settings->compare.html)
                status = compare_open_page(c, &page);
        if (status == 0) {
                status = compare_experiment(c);
                if (status == 0 && page.is_file)
                        status = compare_page(c, &page);
                /* A pipe may stay full for ever, and there is nothing left to clean up. */
                lsr_signals_set(&(struct sigaction){ .sa_handler = SIG_DFL });
                if (status == 0 && settings->compare.html && !page.is_file)
                        status = compare_page(c, &page);
                if (status == 0 && !compare_page_is_report(settings))
                        status = compare_report(c);
                if (status == 0)
                        status = c->status;
        }
        lsr_target_close(&page);
        lsr_experiment_free(&c->x);
        free(c->formats);
        free(c->dir);
        return status;
}
