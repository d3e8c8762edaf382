/*
 * unpack - files of bundles as real files
 *
 * An operand that is a bundle is unpacked as its members; an operand inside a
 * bundle as that file or directory under its own name, as cp -R would do.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "cli/cli.h"
#include "cli/message.h"
#include "cli/reading.h"
#include "cli/wildcards.h"
#include "render/zone.h"
#include "unpack/unpack.h"

#define UNPACK_EXISTING_TOLD 10u /* files of an operand that exist, each with a line of its own */

struct unpack_run {
        struct lsr_reading reading;
        volatile sig_atomic_t signal; /* that came; 0: none */
        uint64_t existing;            /* files of the operand at hand that exist */
};

static struct unpack_run unpack_run; /* static for the leak check, as in list.c, and for the handler */

static void unpack_on_signal(int number)
{
        unpack_run.signal = number;
        /* The signal takes effect when this function returns. */
        if (lsr_unpack_abandon())
                raise(number);
}

static void unpack_trouble(void *ctx, enum lsr_unpack_trouble what, const char *path, int error)
{
        static const char *const texts[] = {
                [LSR_UNPACK_DIR] = "cannot create directory %s",
                [LSR_UNPACK_CREATE] = "cannot create %s",
                [LSR_UNPACK_WRITE] = "cannot write %s",
                [LSR_UNPACK_METADATA] = "cannot restore owner, mode or time of %s",
        };
        struct unpack_run *u = ctx;
        struct lsr_reading *r = &u->reading;
        const char *name = lsr_quoted_always(path);

        switch (what) {
        case LSR_UNPACK_EXISTS:
                /* Unpacking a tree a second time prints one message and not one per file. */
                if (u->existing++ < UNPACK_EXISTING_TOLD)
                        lsr_message("%s already exists and was not replaced; use --force to replace it", name);
                break;
        case LSR_UNPACK_CONTENT:
                if (!r->troubled)
                        lsr_message("cannot unpack %s: %s", name, lsr_reading_reason(error));
                else
                        lsr_message("%s was not unpacked", name);
                r->troubled = false;
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
        default:
                lsr_message_errno(-error, texts[what], name);
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

static void unpack_place(struct unpack_run *u, const struct lsr_place *place)
{
        struct lsr_reading *r = &u->reading;
        const char *output = r->settings->output ? r->settings->output : ".";
        const struct lsr_unpack_options options = {
                .output = output,
                .force = r->settings->force,
                .ctx = u,
                .trouble = unpack_trouble,
                .stop = &u->signal,
        };
        struct lsr_unpack_result result;
        bool began;
        int error;

        r->troubled = false;
        u->existing = 0;
        error = lsr_unpack(place, &options, &began, &result);
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
        unpack_lost(r, &result);
}

/* Returns true if @path was found, at @ret_place; otherwise the reason was reported. */
static bool unpack_find(struct lsr_reading *r, const char *path, struct lsr_place *ret_place)
{
        int error = lsr_place_find(r->bundles, path, LSR_PLACE_FOLLOW | LSR_PLACE_PART, ret_place);

        /* A bundle by itself is entered; one inside another is a file of that. */
        if (error == 1)
                error = lsr_place_find(r->bundles, path, LSR_PLACE_FOLLOW | LSR_PLACE_ENTER | LSR_PLACE_PART,
                                       ret_place);
        if (error != 0)
                lsr_reading_refuse(r, path, error);
        return error == 0;
}

static int unpack_compare_positions(const void *a, const void *b)
{
        struct lsr_member x, y;
        const struct lsr_place *p = a, *q = b;

        lsr_catalogue_get(p->bundle->catalogue, p->row, &x);
        lsr_catalogue_get(q->bundle->catalogue, q->row, &y);
        return (x.position > y.position) - (x.position < y.position);
}

/* Each operand is unpacked by itself; what lies on a server is asked for at once. */
static void unpack_announce(const struct lsr_place *places, size_t n)
{
        struct lsr_bundle *bundle = places[0].bundle;
        lsr_autofree struct lsr_place *sorted = lsr_xmalloc(n * sizeof(*sorted));
        lsr_autofree uint32_t *rows = lsr_xmalloc(n * sizeof(*rows));
        size_t found = 0;

        for (size_t i = 0; i < n; i++)
                if (places[i].bundle == bundle && !lsr_place_is_dir(&places[i]))
                        sorted[found++] = places[i];
        if (found < 2 || !lsr_bundle_is_remote(bundle))
                return;
        qsort(sorted, found, sizeof(*sorted), unpack_compare_positions);
        for (size_t i = 0; i < found; i++)
                rows[i] = lsr_catalogue_link(bundle->catalogue, sorted[i].row);
        lsr_bundle_want(bundle, rows, found);
}

/* All or none: if one operand is mistyped, nothing is unpacked. */
static void unpack_operands(struct unpack_run *u)
{
        const struct lsr_settings *s = u->reading.settings;
        size_t n = s->n_operands, found = 0;
        lsr_autofree struct lsr_place *places = lsr_xmalloc(n * sizeof(*places));

        for (size_t i = 0; i < n && !u->signal; i++)
                found += unpack_find(&u->reading, s->operands[i], &places[i]);
        if (found < n && n > 1 && !u->signal)
                lsr_message("nothing was unpacked: only %s of %s operands can be unpacked", lsr_grouped(found),
                            lsr_grouped(n));
        if (n > 1 && found == n)
                unpack_announce(places, n);
        for (size_t i = 0; i < n && found == n && !u->signal; i++)
                unpack_place(u, &places[i]);
}

int lsr_command_unpack(struct lsr_settings *settings)
{
        struct unpack_run *u = &unpack_run;
        const struct sigaction action = { .sa_handler = unpack_on_signal, .sa_flags = SA_RESETHAND };
        int status;

        if (settings->output && strcmp(settings->output, "-") == 0)
                return lsr_message("--unpack cannot write to standard output: name a directory with "
                                   "--output=DIR, or use --cat");
        status = lsr_reading_open(&u->reading, settings);
        if (status)
                return status;
        lsr_wildcards_expand(u->reading.bundles, settings);
        lsr_bundles_expect(
                u->reading.bundles,
                &(struct lsr_wanted){ .paths = settings->operands, .n = settings->n_operands, .depth = LSR_DEPTH_ALL });
        u->reading.stop = &u->signal;
        lsr_signals_set(&action);
        lsr_zone_guard_libc();
        unpack_operands(u);
        status = lsr_reading_close(&u->reading);
        /* The incomplete file is gone: now the signal takes effect. */
        if (u->signal)
                raise(u->signal);
        return status;
}
