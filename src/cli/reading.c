/* reading - see the header */
#include "cli/reading.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/compat.h"
#include "cli/message.h"
#include "cli/password.h"
#include "cli/progress.h"

static int engine_refused(const char *name, int error)
{
        return lsr_message_errno(-error, "engine %s cannot run here", lsr_quoted_always(name));
}

int lsr_engine_fail(struct lsr_io *io, const char *name, int error)
{
        int refused = lsr_io_require(io);

        if (refused < 0)
                return engine_refused(name, refused);
        return lsr_message_errno(-error, "engine %s failed", lsr_quoted_always(name));
}

int lsr_engine_new(struct lsr_io **ret_io, const char *name)
{
        int error = lsr_io_new(ret_io, name);

        if (error >= 0)
                return 0;
        if (error != -EINVAL)
                return engine_refused(name, error);
        return lsr_message_usage("unknown engine %s: use auto, uring, threads or sync", lsr_quoted_always(name));
}

int lsr_engine_new_required(struct lsr_io **ret_io, const char *name)
{
        int status = lsr_engine_new(ret_io, name), error = status == 0 ? lsr_io_require(*ret_io) : 0;

        return error < 0 ? engine_refused(name, error) : status;
}

void lsr_reading_fail(struct lsr_reading *r, int status)
{
        if (r->status < status)
                r->status = status;
}

static void reading_trouble(void *ctx, const char *path, int error, const char *text)
{
        struct lsr_reading *r = ctx;
        char said[sizeof(r->said)];

        r->troubled = true;
        if (r->stop && *r->stop)
                return;
        if (error)
                lsr_reading_fail(r, 1);
        snprintf(said, sizeof(said), "%s: %s", path, text ? text : "");
        if (strcmp(said, r->said) == 0)
                return;
        memcpy(r->said, said, sizeof(said));
        lsr_message_bundle(path, error, text);
}

void lsr_reading_refuse(struct lsr_reading *r, const char *path, int found)
{
        if (found == 1 && access(path, F_OK) < 0)
                found = -errno;
        if (found < 0)
                lsr_message_errno(-found, "cannot open %s", lsr_quoted_always(path));
        else if (found != LSR_PLACE_UNREADABLE)
                lsr_message("%s is not a bundle", lsr_quoted_always(path));
        lsr_reading_fail(r, 2);
}

const char *lsr_reading_reason(int error)
{
        switch (error) {
        case -EBADMSG:
                return "its data are damaged";
        case LSR_UNVERIFIED:
                return "it cannot be verified";
        case -EACCES:
                return "it is encrypted";
        case -EKEYREJECTED:
                return "the password is wrong";
        case -EOPNOTSUPP:
                return "its type or compression method is not supported";
        default:
                return strerror(-error);
        }
}

int lsr_reading_open(struct lsr_reading *ret_reading, const struct lsr_settings *settings)
{
        struct lsr_reading *r = ret_reading;
        int status;

        *r = (struct lsr_reading){ .settings = settings };
        status = lsr_password_begin(settings);
        if (status)
                return status;
        lsr_default_blame(settings->engine);
        status = lsr_engine_new_required(&r->io, settings->engine);
        lsr_default_blame(NULL);
        if (status)
                return status;
        r->bundles = lsr_bundles_new(&(struct lsr_bundles_options){
                .io = r->io,
                .engine = settings->engine,
                .cache = !settings->no_cache,
                .download = settings->download,
                .confine_required = settings->confine_required,
                .must_read = true,
                .keep_pipes = true,
                .ctx = r,
                .encoding = settings->encoding,
                .password = lsr_password,
                .trouble = reading_trouble,
                .fetching = lsr_progress_fetching,
        });
        return 0;
}

int lsr_reading_confined(const struct lsr_bundles *bundles, const struct lsr_settings *settings, int status)
{
        int confined = bundles ? lsr_bundles_confined(bundles) : 0;

        if (confined >= 0)
                return status;
        if (settings->confine_required)
                return 2;
        if (isatty(STDERR_FILENO))
                lsr_message("warning: bundles were read by a process that is not confined (%s); "
                            "--confine=required would not read them",
                            strerrordesc_np(-confined));
        return status;
}

int lsr_reading_close(struct lsr_reading *r)
{
        r->status = lsr_reading_confined(r->bundles, r->settings, r->status);
        r->bundles = lsr_bundles_free(r->bundles);
        lsr_io_free(r->io);
        return r->status;
}
