/* engine - the engine that --io or LSR_IO names, and the messages if it cannot run */
#pragma once

#include "io/io.h"

/* Make it.  0, or the exit status after an error, which was reported. */
int lsr_engine_new(struct lsr_io **ret_io, const char *name);

/* The same, and be sure now that it runs. */
int lsr_engine_new_required(struct lsr_io **ret_io, const char *name);

/* Report that it has failed with @error, or never could run.  Returns the exit status. */
int lsr_engine_fail(struct lsr_io *io, const char *name, int error);
