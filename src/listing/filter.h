/* filter - which names of a directory are listed */
#pragma once

#include "listing/listing.h"

/* May an entry of this name and d_type be shown, or gone through?  It is asked for nothing more otherwise. */
bool lsr_filter_keeps(const struct lsr_list_options *o, const char *name, uint8_t type);

/* Is @e, of which all is known, one of --only, --only-dirs, --only-files? */
bool lsr_filter_shows(const struct lsr_list_options *o, const struct lsr_entry *e);

/* Are there any of these options? */
static inline bool lsr_filter_is_choosy(const struct lsr_list_options *o)
{
        return o->only || o->kinds != LSR_KINDS_ALL;
}
