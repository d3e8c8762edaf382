/*
 * unpack - files of bundles as real files
 *
 * An operand that is a bundle is unpacked as its members; an operand inside a
 * bundle as that file or directory under its own name, as cp -R would do.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "cli/cli.h"
#include "cli/message.h"
#include "cli/reading.h"
#include "cli/signals.h"
#include "render/zone.h"
#include "unpack/unpack.h"

#define UNPACK_EXISTING_TOLD 10u /* files of an operand that exist, each with a line of its own */

static volatile sig_atomic_t unpack_signal;
static uint64_t unpack_existing; /* of the operand at hand */

static void unpack_on_signal(int number)
{
        unpack_signal = number;
        /* It has its way when this function returns. */
        if (lsr_unpack_abandon())
                raise(number);
}

static void unpack_trouble(void *ctx, enum lsr_unpack_trouble what, const char *path, int error)
{
        struct lsr_reading *r = ctx;
        const char *name = lsr_quoted_always(path);

        switch (what) {
        case LSR_UNPACK_EXISTS:
                /* A tree that is unpacked a second time is one message and not one a file. */
                if (unpack_existing++ < UNPACK_EXISTING_TOLD)
                        lsr_message("%s already exists and was not replaced; use --force to replace it", name);
                break;
        case LSR_UNPACK_DIR:
                lsr_message_errno(-error, "cannot create directory %s", name);
                break;
        case LSR_UNPACK_CREATE:
                lsr_message_errno(-error, "cannot create %s", name);
                break;
        case LSR_UNPACK_CONTENT:
                if (!r->troubled)
                        lsr_message("cannot unpack %s: %s", name, lsr_reading_reason(error));
                else
                        lsr_message("%s was not unpacked", name);
                r->troubled = false;
                break;
        case LSR_UNPACK_WRITE:
                lsr_message_errno(-error, "cannot write %s", name);
                break;
        case LSR_UNPACK_LINK:
                if (error == -ENOENT)
                        lsr_message("cannot create the hard link %s: its target was not unpacked", name);
                else if (error == -EBADMSG)
                        lsr_message("cannot create %s: its target in the table of contents is not the one in the tar",
                                    name);
                else
                        lsr_message_errno(-error, "cannot create the hard link %s", name);
                break;
        case LSR_UNPACK_METADATA:
                lsr_message_errno(-error, "cannot restore owner, mode or time of %s", name);
                break;
        }
        lsr_reading_fail(r, 1);
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

static void unpack_place(struct lsr_reading *r, const struct lsr_place *place)
{
        const char *output = r->settings->output ? r->settings->output : ".";
        const struct lsr_unpack_options options = {
                .output = output,
                .force = r->settings->force,
                .ctx = r,
                .trouble = unpack_trouble,
                .stop = &unpack_signal,
        };
        struct lsr_unpack_result result;
        bool began;
        int error;

        r->troubled = false;
        unpack_existing = 0;
        error = lsr_unpack(place, &options, &began, &result);
        if (error < 0 && !began)
                lsr_message_errno(-error, "cannot unpack to %s", lsr_quoted_always(output));
        if (error < 0)
                lsr_reading_fail(r, 2);
        if (unpack_existing > UNPACK_EXISTING_TOLD)
                lsr_message("%s more already exist and were not replaced; use --force to replace them",
                            lsr_grouped(unpack_existing - UNPACK_EXISTING_TOLD));
        unpack_lost(r, &result);
}

/* Returns true if @path was found, at @ret_place; otherwise the reason was reported.  */
static bool unpack_find(struct lsr_reading *r, const char *path, struct lsr_place *ret_place)
{
        int error = lsr_place_find(r->bundles, path, LSR_PLACE_FOLLOW | LSR_PLACE_PART, ret_place);

        /* A bundle by itself is entered; one inside another is a file of that. */
        if (error == 1)
                error = lsr_place_find(r->bundles, path, LSR_PLACE_FOLLOW | LSR_PLACE_ENTER | LSR_PLACE_PART,
                                       ret_place);
        if (error == 0)
                return true;
        if (error == 1 && access(path, F_OK) < 0)
                error = -errno;
        if (error == 1)
                lsr_message("%s is not a bundle", lsr_quoted_always(path));
        else if (error < 0)
                lsr_message_errno(-error, "cannot open %s", lsr_quoted_always(path));
        lsr_reading_fail(r, 2);
        return false;
}

/* All or none: what is half there is no help to whoever has mistyped the other half. */
static void unpack_operands(struct lsr_reading *r)
{
        size_t n = r->settings->n_operands, found = 0;
        struct lsr_place *places = lsr_xmalloc(n * sizeof(*places));

        for (size_t i = 0; i < n && !unpack_signal; i++)
                found += unpack_find(r, r->settings->operands[i], &places[i]);
        if (found < n && n > 1 && !unpack_signal)
                lsr_message("nothing was unpacked: only %s of %s operands can be", lsr_grouped(found), lsr_grouped(n));
        for (size_t i = 0; i < n && found == n && !unpack_signal; i++)
                unpack_place(r, &places[i]);
        free(places);
}

int lsr_command_unpack(const struct lsr_settings *settings)
{
        static struct lsr_reading r; /* static for the leak check, as in list.c */
        const struct sigaction action = { .sa_handler = unpack_on_signal, .sa_flags = SA_RESETHAND };
        int status;

        if (settings->output && strcmp(settings->output, "-") == 0) {
                lsr_message("--unpack cannot write to standard output: name a directory with "
                            "--output=DIR, or use --cat");
                return 2;
        }
        status = lsr_reading_open(&r, settings);
        if (status)
                return status;
        lsr_bundles_expect(
                r.bundles,
                &(struct lsr_wanted){ .paths = settings->operands, .n = settings->n_operands, .depth = LSR_DEPTH_ALL });
        r.stop = &unpack_signal;
        lsr_signals_set(&action);
        lsr_zone_guard_libc();
        unpack_operands(&r);
        status = lsr_reading_close(&r);
        /* What was half done is gone: now the signal has its way. */
        if (unpack_signal)
                raise(unpack_signal);
        return status;
}
