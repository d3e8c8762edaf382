/* stats - the lines of --stats */
#pragma once

#include "io/io.h"
#include "listing/listing.h"
#include "render/view.h"
#include "source/bundle.h"

/* Lines of "name  value" on standard error.  @bundles: NULL if none could be entered. */
void lsr_stats_print(const struct lsr_listing_stats *listing, const struct lsr_io_stats *io, const char *engine,
                     const struct lsr_bundles *bundles, const struct lsr_view *view);
