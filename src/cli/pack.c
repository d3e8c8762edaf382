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
#include "base/path.h"
#include "base/thread.h"
#include "cli/cli.h"
#include "cli/message.h"
#include "cli/pack.h"
#include "cli/reading.h"
#include "formats/format.h"
#include "pack/convert.h"
#include "pack/include.h"
#include "pack/target.h"
#include "pack/verify.h"
#include "remote/url.h"
#include "render/zone.h"

#define PACK_EARLY ((uint64_t)8 << 20) /* bytes of a bundle that is read back while more are written */

struct pack_run {
        const struct lsr_settings *s;
        struct lsr_pack_plan plan;
        struct lsr_io *walk_io, *read_io;
        struct lsr_pack_report report;
        struct lsr_pack_stats stats;
        struct lsr_out out;             /* for the names of --dry-run */
        struct lsr_reading reading;     /* of the bundle that is packed again, */
        struct lsr_place place;         /* which is this; place.bundle NULL: none */
        bool said;                      /* why verification failed */
        uint64_t held;                  /* bytes of content that the writer has not worked on yet */
        struct lsr_target *target;      /* that is written to, */
        struct lsr_verify_early *early; /* and what reads it back meanwhile; NULL: nothing does */
};

static struct pack_run pack_run; /* static for the leak check, like lsr_cli_main()'s settings, and for the handler */

static void pack_put_away(void)
{
        lsr_target_abandon();
        lsr_message_clear();
        lsr_pack_upload_abandon();
}

static void pack_trouble(void *ctx, enum lsr_pack_trouble what, const char *path, int error, uint64_t at)
{
        lsr_pack_report_trouble(&((struct pack_run *)ctx)->report, what, path, error, at);
}

static int pack_progress(void *ctx, const struct lsr_pack_stats *stats)
{
        struct pack_run *p = ctx;

        lsr_pack_report_progress(&p->report, "packing", stats, p->held);
        return lsr_pack_upload_failed();
}

/* The writer waits for its threads. */
static void pack_waiting(void *ctx, uint64_t held)
{
        struct pack_run *p = ctx;

        p->held = held;
        lsr_pack_report_progress(&p->report, "packing", &p->stats, held);
}

/* The writer has appended to the file. */
static void pack_grown(void *ctx, uint64_t written)
{
        struct pack_run *p = ctx;

        lsr_target_flow(p->target, written);
        if (p->early && written >= PACK_EARLY)
                lsr_verify_early_grown(p->early, written);
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
        return t->spooled ? t->end : t->fd;
}

static int pack_open(const struct pack_run *p, const struct lsr_pack_job *job, struct lsr_target *ret_target)
{
        lsr_autofree const char **roots = lsr_xmalloc(job->n_roots * sizeof(*roots) + 1);
        int r;

        if (lsr_url_is(job->output)) {
                int fd;

                r = lsr_pack_upload_begin(job->output, p->s->force, &fd);
                if (r)
                        return r;
                r = lsr_target_open_pipe(ret_target, fd, p->plan.kind->needs_file);
                if (r == 0)
                        return 0;
                lsr_pack_upload_cancel(job->output);
                return lsr_pack_report_refused(job->output, "--output=FILE", r);
        }
        for (size_t i = 0; i < job->n_roots; i++)
                roots[i] = job->roots[i].path;
        /* Of a list, what is packed is named; the bundle is none of it unless it is there already. */
        r = lsr_target_open(ret_target, job->output, p->s->force, p->plan.kind->needs_file, roots,
                            p->s->files_from ? 0 : (unsigned)job->n_roots);
        if (r == 0 && isatty(pack_end(ret_target))) {
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

        if (p->place.bundle || (!p->report.terminal && !(plain && pack_may_exceed(job, t->room))))
                return 0;
        if (lsr_pack_measure(&options, NULL, size) < 0 || !plain || size->least <= t->room)
                return 0;
        return lsr_message("%s would need at least %s bytes, and only %s are free: choose another place with "
                           "--output=FILE",
                           lsr_quoted_always(job->output), lsr_grouped(size->least), lsr_grouped(t->room));
}

/* Hand all members to @writer, or name them.  0 or a negative errno, or LSR_CONVERT_AGAIN. */
static int pack_feed(struct pack_run *p, const struct lsr_pack_options *options, struct lsr_writer *writer,
                     void (*name)(void *ctx, const char *path))
{
        struct lsr_convert convert = { .place = &p->place, .options = options, .includes = p->plan.includes };

        if (!p->place.bundle)
                return lsr_pack(options, writer, &p->stats);
        return p->place.catalogue ? lsr_convert(&convert, writer, name, &p->stats)
                                  : lsr_convert_stream(&convert, writer, &p->stats);
}

/* Is @t read back while it is written? */
static bool pack_verifies_early(const struct pack_run *p, const struct lsr_target *t)
{
        return t->is_file && !t->spooled && p->plan.kind->appends && !p->s->pack.no_verify && lsr_thread_worth() > 1;
}

/* Pack into the open target.  0, a negative errno, or LSR_CONVERT_AGAIN. */
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
        out.grown = pack_grown;
        out.ctx = p;
        p->target = t;
        p->early = pack_verifies_early(p, t) ? lsr_verify_early_new(t->fd) : NULL;
        p->held = 0;
        r = p->plan.kind->open(&writer, &out, &p->plan.writer);
        if (r == 0) {
                r = pack_feed(p, &options, writer, NULL);
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
                .early = p->early,
                .ctx = p,
                .progress = pack_verify_progress,
                .trouble = pack_verify_trouble,
        };

        if (!t->is_file || p->s->pack.no_verify)
                return 0;
        p->report.expected = (struct lsr_pack_size){};
        return lsr_verify(&verify, t->fd);
}

static void pack_stored(void *ctx, uint64_t bytes)
{
        lsr_pack_report_stored(&((struct pack_run *)ctx)->report, bytes);
}

/*
 * Complete: to the disk, read back, and under its name, or stored as the object of it.  @bytes are all of it.  Returns
 * the exit status.
 */
static int pack_complete(struct pack_run *p, const struct lsr_pack_job *job, struct lsr_target *t, uint64_t bytes)
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
        r = lsr_target_commit(t);
        if (lsr_url_is(job->output) && (r == 0 || r == -EPIPE)) {
                lsr_target_close(t);
                return lsr_pack_upload_end(job->output, bytes, pack_stored, p);
        }
        if (r == LSR_TARGET_EXISTS)
                return lsr_pack_report_refused(job->output, "--output=FILE", r);
        return r < 0 ? lsr_message_errno(-r, "cannot write %s", name) : 0;
}

/* Look for what --include wants.  Returns the exit status. */
static int pack_include(struct pack_run *p, struct lsr_pack_job *job)
{
        const struct lsr_pack_options options = pack_options(p, job);
        uint64_t n = 0;
        int r = 0;

        for (size_t i = 0; i < job->n_roots && r == 0; i++)
                if (job->roots[i].is_dir)
                        r = lsr_pack_include(&options, p->plan.includes, &job->roots[i], &n);
        if (lsr_pack_is_exhausted(r))
                return lsr_message_errno(-r, "cannot write %s", pack_name(job));
        if (r < 0)
                return lsr_engine_fail(p->walk_io, p->s->engine, r);
        return n > 0 ? 0 : lsr_message("nothing to pack: no file matches --include");
}

static void pack_name_item(void *ctx, const char *path)
{
        struct pack_run *p = ctx;

        /* The root of what is packed has no name there. */
        path = *path ? path : ".";
        lsr_out_printf(&p->out, "%s\n", isatty(STDOUT_FILENO) ? lsr_quoted_needed(path) : path);
}

/* Only say what would be done.  Returns the exit status. */
static int pack_dry(struct pack_run *p, const struct lsr_pack_job *job)
{
        const struct lsr_pack_options options = pack_options(p, job);
        struct lsr_pack_size size = {};
        int r, status;

        if (p->place.bundle) {
                r = pack_feed(p, &options, NULL, pack_name_item);
                if (r < 0)
                        return lsr_message("nothing to pack: no file matches --include");
                size = (struct lsr_pack_size){ .members = p->stats.members, .bytes = p->stats.bytes };
        } else {
                r = lsr_pack_measure(&options, pack_name_item, &size);
        }
        if (r < 0)
                return lsr_engine_fail(p->walk_io, p->s->engine, r);
        status = lsr_message_flush(&p->out, 0);
        if (status == 0)
                lsr_message("%s would have %s file%s, %s bytes in",
                            strcmp(job->output, "-") == 0 ? "standard output" : lsr_quoted_needed(job->output),
                            lsr_grouped(size.members), size.members == 1 ? "" : "s", lsr_grouped(size.bytes));
        return status ? status : p->report.status;
}

/* The directory for the bundles of --each, whose name ends in '/'. */
static int pack_make_dir(const struct pack_run *p)
{
        const char *output = p->s->output;

        if (!p->s->pack.each || !output || output[strlen(output) - 1] != '/' || lsr_url_is(output) ||
            mkdir(output, 0777) == 0 || errno == EEXIST)
                return 0;
        return lsr_message_errno(errno, "cannot create directory %s", lsr_quoted_always(output));
}

/* Of an object the store may have said why. */
static int pack_failed(const struct lsr_pack_job *job, struct lsr_target *t, int error)
{
        int status;

        lsr_target_close(t);
        status = lsr_pack_upload_cancel(job->output);
        return status ? status : lsr_message_errno(-error, "cannot write %s", pack_name(job));
}

/* List the bundle that is packed again.  Returns the exit status. */
static int pack_load(struct pack_run *p)
{
        if (lsr_bundle_load(p->place.bundle) < 0) {
                lsr_reading_refuse(&p->reading, p->place.bundle->path, LSR_PLACE_UNREADABLE);
                return p->reading.status;
        }
        p->place.catalogue = p->place.bundle->catalogue;
        return 0;
}

/* Can a bundle that is not listed yet be written while it is, and once more if that does not do? */
static bool pack_may_stream(const struct pack_run *p)
{
        const struct lsr_pack_job *job = &p->plan.jobs[0];

        return !p->s->pack.dry_run && !p->plan.includes && !p->plan.pack.excludes && !p->plan.kind->needs_file &&
               strcmp(job->output, "-") != 0;
}

/* Once more, from the beginning.  0 or a negative errno. */
static int pack_again(struct pack_run *p, const struct lsr_pack_job *job, struct lsr_target *t, uint64_t *ret_bytes)
{
        p->early = lsr_verify_early_free(p->early);
        t->flown = 0;
        if (ftruncate(t->fd, 0) < 0 || lseek(t->fd, 0, SEEK_SET) < 0)
                return -errno;
        lsr_pack_stats_free(&p->stats);
        return pack_write(p, job, t, ret_bytes);
}

/* Returns the exit status. */
static int pack_job(struct pack_run *p, struct lsr_pack_job *job)
{
        struct lsr_target target;
        uint64_t bytes = 0;
        int r, status = 0;

        lsr_pack_report_begin(&p->report);
        if (p->plan.includes && !p->place.bundle)
                status = pack_include(p, job);
        if (status == 0 && p->s->pack.dry_run)
                return pack_dry(p, job);
        if (status == 0)
                status = pack_make_dir(p);
        if (status)
                return status;
        /* Nothing is left behind when the bundle goes to standard output. */
        if (strcmp(job->output, "-") != 0)
                lsr_signals_end(pack_put_away);
        r = pack_open(p, job, &target);
        if (r != 0)
                return r;
        if (p->place.bundle && !p->place.catalogue && !target.is_file)
                status = pack_load(p);
        if (status == 0)
                status = pack_measure(p, job, &target);
        if (status) {
                lsr_target_close(&target);
                lsr_pack_upload_cancel(job->output);
                return status;
        }
        r = pack_write(p, job, &target, &bytes);
        if (r == LSR_CONVERT_AGAIN) {
                status = pack_load(p);
                r = status ? 0 : pack_again(p, job, &target, &bytes);
        }
        if (r < 0 || status)
                p->early = lsr_verify_early_free(p->early);
        if (status)
                p->report.status = status;
        else if (r == -ENODATA && p->place.bundle)
                status = lsr_message("nothing to pack: no file matches --include");
        else if (r == -EKEYREJECTED && p->place.bundle)
                status = 1;
        else if (r == -EBADMSG && p->place.bundle)
                status = lsr_message("%s was not made", pack_name(job));
        else if (r < 0)
                status = pack_failed(job, &target, r);
        else
                status = pack_complete(p, job, &target, bytes);
        if (status == 0) {
                lsr_pack_report_losses(&p->stats, p->plan.kind->suffixes[0]);
                lsr_pack_report_end(&p->report, job->output, &p->stats, bytes);
                status = p->report.status;
        }
        p->early = lsr_verify_early_free(p->early);
        lsr_target_close(&target);
        lsr_pack_upload_cancel(job->output);
        lsr_pack_stats_free(&p->stats);
        return status;
}

/* Report patterns that match nothing: a misspelt one leaves nothing out. */
static void pack_tell_unused(const struct lsr_excludes *excludes, const char *option)
{
        const char *pattern;
        size_t at = 0;

        while ((pattern = lsr_excludes_unused(excludes, &at)))
                lsr_message("'--%s=%s' matched nothing", option, lsr_printable(pattern));
}

/*
 * Is the one operand a bundle, or in one?  Among several operands a bundle is a file like others, and so is a database
 * unless a '/' is behind it or it lies on a server.  Returns the exit status.
 */
static int pack_find_bundle(struct pack_run *p)
{
        const struct lsr_settings *s = p->s;
        const char *operand = s->n_operands == 1 ? s->operands[0] : "";
        bool url = lsr_url_is(operand);
        bool below = s->pack.directory && operand[0] != '/' && strcmp(operand, "-") != 0 && !url;
        lsr_autofree char *path = below ? lsr_path_new(s->pack.directory, operand) : lsr_xstrdup(operand);
        size_t len = strlen(path);
        struct stat st;
        bool file;
        int r;

        if (!len || s->pack.each || s->files_from || s->pack.gitignore)
                return 0;
        file = strcmp(path, "-") != 0 && stat(path, &st) == 0;
        if (!file && strcmp(path, "-") != 0 && (errno == EIO || errno == ENOMEM || errno == ESTALE))
                return lsr_message_errno(errno, "cannot read %s", lsr_quoted_always(operand));
        if (file ? !S_ISREG(st.st_mode) : strcmp(path, "-") != 0 && errno != ENOTDIR && !url)
                return 0;
        r = lsr_reading_open(&p->reading, s);
        if (r)
                return r;
        if (file && lsr_bundle_open(p->reading.bundles, path, &p->place.bundle) == 0 &&
            lsr_bundle_streams(p->place.bundle))
                return 0;
        r = lsr_place_find(p->reading.bundles, path, LSR_PLACE_FOLLOW | LSR_PLACE_ENTER, &p->place);
        if (r == 0 && strcmp(p->place.bundle->format, "sqlite") == 0 && path[len - 1] != '/' && !url)
                r = 1;
        /* What must not be opened is told like any file. */
        if (r == -EACCES && file)
                r = 1;
        if (r == 0)
                return 0;
        p->place = (struct lsr_place){};
        if (r != 1)
                lsr_reading_refuse(&p->reading, path, r);
        return r == 1 ? 0 : p->reading.status;
}

int lsr_command_pack(struct lsr_settings *settings)
{
        struct pack_run *p = &pack_run;
        int status;

        *p = (struct pack_run){ .s = settings, .out = LSR_OUT_FD(STDOUT_FILENO) };
        status = pack_find_bundle(p);
        if (p->place.bundle)
                lsr_zone_guard_libc();
        if (status == 0)
                status = lsr_pack_plan_make(&p->plan, settings, p->place.bundle);
        if (status == 0 && p->place.bundle && !p->place.catalogue && !pack_may_stream(p))
                status = pack_load(p);
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
        if (status <= 1) {
                pack_tell_unused(p->plan.pack.excludes, "exclude");
                pack_tell_unused(p->plan.includes, "include");
        }
        if (p->reading.bundles) {
                int r = lsr_reading_close(&p->reading);

                status = r > status && p->place.bundle ? r : status;
        }
        lsr_pack_upload_stop();
        lsr_io_free(p->read_io);
        lsr_io_free(p->walk_io);
        lsr_pack_plan_free(&p->plan);
        return status;
}
