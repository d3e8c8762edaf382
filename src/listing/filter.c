/* filter - hidden names, -I, --hide and -B (which is -I '*~' -I '.*~') */
#include "listing/filter.h"

#include <fnmatch.h>

#include "base/locale.h"

static bool filter_ascii(const char *s)
{
        for (; *s; s++)
                if ((unsigned char)*s > 0x7f)
                        return false;
        return true;
}

static bool filter_matches(const char *const *patterns, const char *name)
{
        /* '?' and brackets match characters, which only the locale can tell from bytes. */
        if (patterns && *patterns && (!lsr_locale_collates_bytes() || (lsr_locale_multibyte() && !filter_ascii(name))))
                lsr_locale();
        for (; patterns && *patterns; patterns++)
                if (fnmatch(*patterns, name, FNM_PERIOD) == 0)
                        return true;
        return false;
}

bool lsr_filter_keeps(const struct lsr_list_options *o, const char *name)
{
        if (o->show != LSR_SHOW_ALL && name[0] == '.' && (o->show == LSR_SHOW_VISIBLE || lsr_entry_is_dots(name)))
                return false;
        if (o->show == LSR_SHOW_VISIBLE && filter_matches(o->hide, name))
                return false;
        return !filter_matches(o->ignore, name);
}
