/*
 * pack - the command: a bundle for each job of the plan
 *
 * Errors that can be found beforehand are reported before the first file is
 * opened.  A signal ends the process at once: a single step can take minutes,
 * and only a name has to be removed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "cli/cli.h"
#include "cli/message.h"
#include "cli/pack.h"
#include "cli/reading.h"
#include "formats/format.h"
#include "pack/target.h"
#include "pack/verify.h"
#include "remote/url.h"

struct pack_run {
        const struct lsr_settings *s;
        struct lsr_pack_plan plan;
        struct lsr_io *walk_io, *read_io;
        struct lsr_pack_report report;
        struct lsr_pack_stats stats;
        bool said;     /* why verification failed */
        uint64_t held; /* bytes of content that the writer has not worked on yet */
};

static struct pack_run pack_run; /* static for the leak check, like lsr_cli_main()'s settings, and for the handler */

static void pack_put_away(void)
{
        lsr_target_abandon();
        lsr_message_clear();
}

static void pack_trouble(void *ctx, enum lsr_pack_trouble what, const char *path, int error, uint64_t at)
{
        lsr_pack_report_trouble(&((struct pack_run *)ctx)->report, what, path, error, at);
}

static int pack_progress(void *ctx, const struct lsr_pack_stats *stats)
{
        struct pack_run *p = ctx;

        lsr_pack_report_progress(&p->report, "packing", stats, p->held);
        return 0;
}

/* The writer waits for its threads. */
static void pack_waiting(void *ctx, uint64_t held)
{
        struct pack_run *p = ctx;

        p->held = held;
        lsr_pack_report_progress(&p->report, "packing", &p->stats, held);
}

static int pack_verify_progress(void *ctx)
{
        struct pack_run *p = ctx;

        lsr_pack_report_progress(&p->report, "verifying", &p->stats, 0);
        return 0;
}

static void pack_verify_trouble(void *ctx, const char *text)
{
        struct pack_run *p = ctx;

        p->said = true;
        lsr_message("verifying: %s", lsr_printable(text));
}

static const char *pack_name(const struct lsr_pack_job *job)
{
        return strcmp(job->output, "-") == 0 ? "to standard output" : lsr_quoted_always(job->output);
}

/* The final place of the bundle. */
static int pack_end(const struct lsr_target *t)
{
        return t->spooled ? STDOUT_FILENO : t->fd;
}

static int pack_open(const struct pack_run *p, const struct lsr_pack_job *job, struct lsr_target *ret_target)
{
        lsr_autofree const char **roots = lsr_xmalloc(job->n_roots * sizeof(*roots) + 1);
        int r = lsr_url_is(job->output) ? lsr_pack_upload_begin(job->output, p->s->force) : 0;

        if (r != 0)
                return r;
        for (size_t i = 0; i < job->n_roots; i++)
                roots[i] = job->roots[i].path;
        /* What is uploaded is a file without a name before. */
        r = lsr_url_is(job->output) ? lsr_target_open(ret_target, "-", false, true, roots, (unsigned)job->n_roots)
                                    : lsr_target_open(ret_target, job->output, p->s->force, p->plan.kind->needs_file,
                                                      roots, (unsigned)job->n_roots);
        if (r == 0 && !lsr_url_is(job->output) && isatty(pack_end(ret_target))) {
                lsr_target_close(ret_target);
                return lsr_message("refusing to write an archive to a terminal: name a file with --output=FILE");
        }
        return r == 0 ? 0 : lsr_pack_report_refused(job->output, "--output=FILE", r);
}

static struct lsr_pack_options pack_options(struct pack_run *p, const struct lsr_pack_job *job)
{
        struct lsr_pack_options options = p->plan.pack;

        options.walk_io = p->walk_io;
        options.read_io = p->read_io;
        options.roots = job->roots;
        options.n_roots = job->n_roots;
        options.ctx = p;
        options.trouble = pack_trouble;
        options.progress = pack_progress;
        return options;
}

/* Do the file systems of the roots use more bytes than @room?  */
static bool pack_may_exceed(const struct lsr_pack_job *job, uint64_t room)
{
        uint64_t used = 0;

        for (size_t i = 0; i < job->n_roots; i++) {
                struct statvfs fs;
                uint64_t bytes;

                if (statvfs(job->roots[i].path, &fs) < 0 ||
                    __builtin_mul_overflow(fs.f_blocks - fs.f_bfree, fs.f_frsize, &bytes) ||
                    __builtin_add_overflow(used, bytes, &used))
                        return true;
        }
        return used > room;
}

/*
 * Measure the amount to pack, for the progress line.  Without compression the bundle will not be smaller, so that
 * a lack of room is known beforehand.  Returns the exit status.
 */
static int pack_measure(struct pack_run *p, const struct lsr_pack_job *job, const struct lsr_target *t)
{
        const struct lsr_writer_kind *kind = p->plan.kind;
        bool plain = kind->level_min == 0 && kind->level_max == 0 && t->room != LSR_TARGET_UNBOUNDED;
        const struct lsr_pack_options options = pack_options(p, job);
        struct lsr_pack_size *size = &p->report.expected;

        if (!p->report.terminal && !(plain && pack_may_exceed(job, t->room)))
                return 0;
        if (lsr_pack_measure(&options, size) < 0 || !plain || size->least <= t->room)
                return 0;
        return lsr_message("%s would need at least %s bytes, and only %s are free: choose another place with "
                           "--output=FILE",
                           lsr_quoted_always(job->output), lsr_grouped(size->least), lsr_grouped(t->room));
}

/* Pack into the open target.  0 or a negative errno. */
static int pack_write(struct pack_run *p, const struct lsr_pack_job *job, struct lsr_target *t, uint64_t *ret_bytes)
{
        struct lsr_pack_options options = pack_options(p, job);
        struct lsr_writer *writer;
        struct lsr_output out;
        struct stat st;
        int r;

        if (fstat(pack_end(t), &st) == 0 && S_ISREG(st.st_mode)) {
                options.out_dev = (uint32_t)major(st.st_dev) << 20 | (uint32_t)minor(st.st_dev);
                options.out_inode = st.st_ino;
        }
        lsr_output_init(&out, t->fd);
        out.waiting = pack_waiting;
        out.ctx = p;
        p->held = 0;
        r = p->plan.kind->open(&writer, &out, &p->plan.writer);
        if (r == 0) {
                r = lsr_pack(&options, writer, &p->stats);
                if (r == 0)
                        r = writer->kind->finish(writer);
                if (r == LSR_FINISH_NO_INDEX) {
                        lsr_message("%s has no table of contents, which would be too large for any reader: a listing "
                                    "reads all of it",
                                    pack_name(job));
                        r = 0;
                }
                writer->kind->free(writer);
        }
        *ret_bytes = out.at;
        if (r == 0 && t->is_file && fstat(t->fd, &st) == 0)
                *ret_bytes = (uint64_t)st.st_size;
        lsr_output_free(&out);
        return r;
}

static int pack_verify(struct pack_run *p, struct lsr_target *t)
{
        const struct lsr_verify verify = {
                .io = p->read_io,
                .threads = p->plan.writer.threads,
                .members = p->stats.members,
                .digest = p->stats.digest,
                .ctx = p,
                .progress = pack_verify_progress,
                .trouble = pack_verify_trouble,
        };

        if (!t->is_file || p->s->pack.no_verify)
                return 0;
        p->report.expected = (struct lsr_pack_size){};
        return lsr_verify(&verify, t->fd);
}

/* Complete: to the disk, read back, and under its name.  Returns the exit status. */
static int pack_complete(struct pack_run *p, const struct lsr_pack_job *job, struct lsr_target *t)
{
        const char *name = pack_name(job);
        int r = lsr_target_sync(t);

        if (r < 0)
                return lsr_message_errno(-r, "cannot write %s", name);
        r = pack_verify(p, t);
        if (r == -EBADMSG && !p->said)
                return lsr_message("%s does not match what was packed, so it was not kept", name);
        if (r < 0)
                return lsr_message_errno(-r, "cannot read %s back, so it was not kept", name);
        if (lsr_url_is(job->output))
                return lsr_pack_upload(job->output, t->fd, p->s->force);
        r = lsr_target_commit(t);
        if (r == LSR_TARGET_EXISTS)
                return lsr_pack_report_refused(job->output, "--output=FILE", r);
        return r < 0 ? lsr_message_errno(-r, "cannot write %s", name) : 0;
}

/* Returns the exit status. */
static int pack_job(struct pack_run *p, const struct lsr_pack_job *job)
{
        struct lsr_target target;
        uint64_t bytes = 0;
        int r, status;

        /* Nothing is left behind when the bundle goes to standard output. */
        if (strcmp(job->output, "-") != 0)
                lsr_signals_end(pack_put_away);
        r = pack_open(p, job, &target);
        if (r != 0)
                return r;
        lsr_pack_report_begin(&p->report);
        status = pack_measure(p, job, &target);
        if (status) {
                lsr_target_close(&target);
                return status;
        }
        r = pack_write(p, job, &target, &bytes);
        status = r == 0 ? pack_complete(p, job, &target) : lsr_message_errno(-r, "cannot write %s", pack_name(job));
        if (status == 0) {
                lsr_pack_report_losses(&p->stats, p->plan.kind->suffixes[0]);
                lsr_pack_report_end(&p->report, job->output, &p->stats, bytes);
                status = p->report.status;
        }
        lsr_target_close(&target);
        lsr_pack_stats_free(&p->stats);
        return status;
}

/* Report patterns that match nothing: a misspelt one leaves nothing out. */
static void pack_tell_unused(const struct lsr_excludes *excludes)
{
        const char *pattern;
        size_t at = 0;

        while ((pattern = lsr_excludes_unused(excludes, &at)))
                lsr_message("'--exclude=%s' matched nothing", lsr_printable(pattern));
}

int lsr_command_pack(struct lsr_settings *settings)
{
        struct pack_run *p = &pack_run;
        int status;

        *p = (struct pack_run){ .s = settings };
        status = lsr_pack_plan_make(&p->plan, settings);
        if (status == 0)
                status = lsr_engine_new_required(&p->walk_io, settings->engine);
        if (status == 0)
                status = lsr_engine_new_required(&p->read_io, settings->engine);
        if (status)
                return status;
        for (size_t i = 0; i < p->plan.n_jobs; i++) {
                int r = pack_job(p, &p->plan.jobs[i]);

                status = r > status ? r : status;
        }
        /* After an incomplete walk it is unknown what the patterns would have matched. */
        if (status <= 1)
                pack_tell_unused(p->plan.pack.excludes);
        lsr_io_free(p->read_io);
        lsr_io_free(p->walk_io);
        lsr_pack_plan_free(&p->plan);
        return status;
}
