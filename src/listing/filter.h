/* filter - which names of a directory are listed */
#pragma once

#include "listing/listing.h"

bool lsr_filter_keeps(const struct lsr_list_options *o, const char *name);
