/* unpack - files of bundles as real files; unpack-what.c finds them */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/out.h"
#include "cli/cli.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/unpack.h"
#include "remote/url.h"
#include "render/zone.h"

#define UNPACK_EXISTING_TOLD 10u /* files of an operand that exist, each with a line of its own */

struct unpack_run {
        struct lsr_reading reading;
        struct lsr_out out;           /* for the names of --verbose */
        volatile sig_atomic_t signal; /* that came; 0: none */
        struct lsr_progress progress;
        uint64_t files, bytes;     /* of bundles before */
        bool tty;                  /* they are read by a person */
        uint64_t existing;         /* files of the operand at hand that exist */
        struct lsr_bundle *bundle; /* of that operand */
        uint64_t cut;              /* members of it that suffer since it cannot be read further */
};

static struct unpack_run unpack_run; /* static for the leak check, as in list.c, and for the handler */

static void unpack_on_signal(int number)
{
        unpack_run.signal = number;
        lsr_message_clear();
        /* The signal takes effect when this function returns. */
        if (lsr_unpack_abandon())
                raise(number);
}

/* Is it for the server that a member suffers?  A line has said that already. */
static bool unpack_is_cut(const struct unpack_run *u, enum lsr_unpack_trouble what, int error)
{
        return lsr_bundle_is_cut(u->bundle) && (what == LSR_UNPACK_CONTENT || what == LSR_UNPACK_LINK ||
                                                (what == LSR_UNPACK_METADATA && error == -EIO));
}

static void unpack_trouble(void *ctx, enum lsr_unpack_trouble what, const char *path, int error)
{
        static const char *const texts[] = {
                [LSR_UNPACK_DIR] = "cannot create directory %s",
                [LSR_UNPACK_CREATE] = "cannot create %s",
                [LSR_UNPACK_WRITE] = "cannot write %s",
        };
        struct unpack_run *u = ctx;
        struct lsr_reading *r = &u->reading;
        const char *name = lsr_quoted_always(path);

        lsr_reading_fail(r, 1);
        if (unpack_is_cut(u, what, error)) {
                u->cut++;
                return;
        }
        switch (what) {
        case LSR_UNPACK_EXISTS:
                /* Unpacking a tree a second time prints one message and not one per file. */
                if (u->existing++ < UNPACK_EXISTING_TOLD)
                        lsr_message("%s already exists and was not replaced; use --force to replace it", name);
                break;
        case LSR_UNPACK_CONTENT:
                if (error == LSR_UNVERIFIED)
                        lsr_message("%s was not replaced: its content in the bundle cannot be verified", name);
                else if (!r->troubled)
                        lsr_message("cannot unpack %s: %s", name, lsr_reading_reason(error));
                else
                        lsr_message("%s was not unpacked", name);
                r->troubled = false;
                break;
        case LSR_UNPACK_DOUBT:
                lsr_message("%s was unpacked, but it cannot be verified", name);
                r->troubled = false;
                break;
        case LSR_UNPACK_LINK:
                if (error == -ENOENT)
                        lsr_message("cannot create the hard link %s: its target was not unpacked", name);
                else if (error == LSR_UNVERIFIED)
                        lsr_message("%s was not replaced: its content in the bundle cannot be verified", name);
                else if (error == -EBADMSG)
                        lsr_message("cannot create %s: its target in the table of contents is not the one in the tar",
                                    name);
                else
                        lsr_message_errno(-error, "cannot create the hard link %s", name);
                break;
        case LSR_UNPACK_METADATA:
                lsr_message("cannot restore owner, mode or time of %s: %s", name, lsr_reading_reason(error));
                break;
        default:
                lsr_message_errno(-error, texts[what], name);
        }
}

static void unpack_lost(struct lsr_reading *r, const struct lsr_unpack_result *result)
{
        if (result->n_lost == 0)
                return;
        lsr_message_errno(-result->lost_error, "%llu extended attribute%s cannot be restored: %s of %s%s",
                          (unsigned long long)result->n_lost, result->n_lost > 1 ? "s" : "",
                          lsr_printable(result->lost_name), lsr_quoted_always(result->lost_path),
                          result->n_lost > 1 ? ", the first" : "");
        lsr_reading_fail(r, 1);
}

static void unpack_made(void *ctx, const char *path)
{
        struct unpack_run *u = ctx;

        lsr_out_printf(&u->out, "%s\n", u->tty ? lsr_quoted_needed(path) : path);
}

static void unpack_progress(void *ctx, const struct lsr_unpack_result *result, uint64_t bytes)
{
        struct unpack_run *u = ctx;

        lsr_progress_tell(&u->progress, "unpacking", u->files + result->files, u->bytes + result->bytes + bytes);
}

static void unpack_one(struct unpack_run *u, const struct lsr_unpack_what *what)
{
        struct lsr_reading *r = &u->reading;
        const char *output = r->settings->output ? r->settings->output : ".";
        const struct lsr_unpack_options options = {
                .output = output,
                .force = r->settings->force,
                .strip = r->settings->strip,
                .ctx = u,
                .trouble = unpack_trouble,
                .made = r->settings->verbose ? unpack_made : NULL,
                .progress = u->progress.terminal && !r->settings->verbose ? unpack_progress : NULL,
                .stop = &u->signal,
        };
        struct lsr_unpack_result result;
        bool began;
        int error;

        r->troubled = false;
        u->existing = u->cut = 0;
        u->bundle = what->bundle;
        error = lsr_unpack(what, &options, &began, &result);
        /* That was told, and nothing was made. */
        if (error == -EKEYREJECTED) {
                lsr_reading_fail(r, 1);
                return;
        }
        if (error < 0 && !began)
                lsr_message_errno(-error, "cannot unpack to %s", lsr_quoted_always(output));
        if (error < 0)
                lsr_reading_fail(r, 2);
        if (u->existing > UNPACK_EXISTING_TOLD)
                lsr_message("%s more already exist and were not replaced; use --force to replace them",
                            lsr_grouped(u->existing - UNPACK_EXISTING_TOLD));
        if (u->cut)
                lsr_message("%s member%s of %s could not be unpacked as a whole", lsr_grouped(u->cut),
                            u->cut == 1 ? "" : "s", lsr_quoted_always(lsr_bundle_shown(what->bundle)));
        unpack_lost(r, &result);
        u->files += result.files;
        u->bytes += result.bytes;
        if (error == 0 && options.strip > 0 && result.wanted == 0) {
                lsr_message("nothing in %s has a path of more than %u component%s",
                            lsr_quoted_always(what->bundle->path), options.strip, options.strip == 1 ? "" : "s");
                lsr_reading_fail(r, 1);
        }
}

/* All or none: if one operand is mistyped, nothing is unpacked. */
static void unpack_operands(struct unpack_run *u)
{
        struct lsr_unpack_operands operands;
        struct lsr_unpack_what what;
        size_t at = 0;

        if (lsr_unpack_find(&u->reading, &operands)) {
                lsr_unpack_announce(&operands);
                while (!u->signal && lsr_unpack_next(&operands, &at, &what))
                        unpack_one(u, &what);
        }
        lsr_unpack_operands_free(&operands);
}

/* The last line, for who looks on. */
static void unpack_end(struct unpack_run *u)
{
        double took = lsr_progress_end(&u->progress);

        if (u->progress.terminal && u->files > 0 && !u->signal)
                lsr_message("%s: %s file%s, %s bytes, %.2f s",
                            lsr_quoted_needed(u->reading.settings->output ? u->reading.settings->output : "."),
                            lsr_grouped(u->files), u->files == 1 ? "" : "s", lsr_grouped(u->bytes), took);
}

int lsr_command_unpack(struct lsr_settings *settings)
{
        struct unpack_run *u = &unpack_run;
        const struct sigaction action = { .sa_handler = unpack_on_signal, .sa_flags = SA_RESETHAND };
        int status;

        if (settings->output && lsr_url_is(settings->output) && access(settings->output, F_OK) < 0)
                return lsr_message("cannot unpack to %s: only --pack writes to servers",
                                   lsr_quoted_always(settings->output));
        if (settings->output && strcmp(settings->output, "-") == 0)
                return lsr_message("--unpack cannot write to standard output: name a directory with "
                                   "--output=DIR, or use --cat");
        status = lsr_reading_open(&u->reading, settings);
        if (status)
                return status;
        lsr_out_init(&u->out, STDOUT_FILENO);
        u->tty = settings->verbose && isatty(STDOUT_FILENO);
        u->reading.stop = &u->signal;
        lsr_signals_set(&action);
        lsr_zone_guard_libc();
        lsr_progress_begin(&u->progress);
        unpack_operands(u);
        lsr_reading_fail(&u->reading, lsr_message_flush(&u->out, 0));
        unpack_end(u);
        status = lsr_reading_close(&u->reading);
        /* The incomplete file is gone: now the signal takes effect. */
        if (u->signal)
                raise(u->signal);
        return status;
}
