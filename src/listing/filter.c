/* filter - hidden names, -I, --hide and -B (which is -I '*~' -I '.*~') */
#include "listing/filter.h"

#include <dirent.h>
#include <fnmatch.h>

#include "base/locale.h"

static bool filter_ascii(const char *s)
{
        for (; *s; s++)
                if ((unsigned char)*s > 0x7f)
                        return false;
        return true;
}

static bool filter_matches(const char *const *patterns, const char *name, int flags)
{
        /* '?' and brackets match characters, which only the locale can tell from bytes. */
        if (*patterns && (!lsr_locale_collates_bytes() || (lsr_locale_multibyte() && !filter_ascii(name))))
                lsr_locale();
        for (; *patterns; patterns++)
                if (fnmatch(*patterns, name, flags) == 0)
                        return true;
        return false;
}

/* What is shown of the others is decided when all is known of them. */
static bool filter_may_show(const struct lsr_list_options *o, const char *name, uint8_t type)
{
        bool perhaps_dir = type == DT_DIR || type == DT_UNKNOWN || type == DT_LNK || o->enter == LSR_ENTER_ALWAYS;

        if (o->kinds == LSR_KINDS_DIRS && !perhaps_dir)
                return false;
        if (o->recursive && perhaps_dir)
                return true;
        if (o->kinds == LSR_KINDS_FILES && type == DT_DIR)
                return false;
        return !o->only || filter_matches(o->only, name, 0);
}

bool lsr_filter_shows(const struct lsr_list_options *o, const struct lsr_entry *e)
{
        bool dir = lsr_entry_is_dir(e);

        if (dir && o->tree)
                return true;
        if (o->kinds != LSR_KINDS_ALL && dir != (o->kinds == LSR_KINDS_DIRS))
                return false;
        return !o->only || filter_matches(o->only, e->name, 0);
}

bool lsr_filter_lets_through(const struct lsr_list_options *o, const char *name, uint8_t type)
{
        if (o->show == LSR_SHOW_VISIBLE && o->hide && filter_matches(o->hide, name, FNM_PERIOD))
                return false;
        return (!o->ignore || !filter_matches(o->ignore, name, FNM_PERIOD)) &&
               (!lsr_filter_is_choosy(o) || filter_may_show(o, name, type));
}
