/* engine - see the header */
#include "cli/engine.h"

#include <errno.h>

#include "cli/message.h"

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
