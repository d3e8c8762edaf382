/* filter - which names of a directory are listed */
#pragma once

#include "listing/listing.h"

/* Are there any of these options? */
static inline bool lsr_filter_is_choosy(const struct lsr_list_options *o)
{
        return o->only || o->kinds != LSR_KINDS_ALL;
}

/* Do -I, --hide and the like let it through? */
bool lsr_filter_lets_through(const struct lsr_list_options *o, const char *name, uint8_t type);

/*
 * May an entry of this name and d_type be shown, or gone through?  It is asked for nothing more otherwise.  Inline, as
 * few listings have patterns.
 */
static inline bool lsr_filter_keeps(const struct lsr_list_options *o, const char *name, uint8_t type)
{
        if (name[0] == '.' && o->show != LSR_SHOW_ALL && (o->show == LSR_SHOW_VISIBLE || lsr_entry_is_dots(name)))
                return false;
        return (!o->hide && !o->ignore && !lsr_filter_is_choosy(o)) || lsr_filter_lets_through(o, name, type);
}

/* Is @e, of which all is known, one of --only, --only-dirs, --only-files? */
bool lsr_filter_shows(const struct lsr_list_options *o, const struct lsr_entry *e);
