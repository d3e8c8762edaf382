/*
 * settings-pack - the options of packing, as they come
 *
 * What they mean together with the operands is found out in pack-plan.c.
 */
#include <stdlib.h>

#include "base/arena.h"
#include "cli/message.h"
#include "cli/raw.h"

#define PACK_THREADS_MAX 1024
#define PACK_LEVEL_MAX 1000 /* of any format */

/* A whole number, perhaps a negative one.  Returns the exit status after an error, or UNSET. */
static int pack_number(const struct lsr_option *option, const char *value, long min, long max, long *ret_number)
{
        char *end;
        long v = strtol(value, &end, 10);

        if (end == value || *end || v < min || v > max) {
                lsr_message("invalid argument %s for '--%s'", lsr_quoted_locale(value), option->name);
                lsr_message_try_help();
                return 2;
        }
        *ret_number = v;
        return UNSET;
}

static int pack_level(struct lsr_pack_settings *p, const struct lsr_option *option, const char *value)
{
        long v = 0;
        int status = pack_number(option, value, -PACK_LEVEL_MAX, PACK_LEVEL_MAX, &v);

        p->level = (int)v;
        p->level_given = true;
        return status;
}

static int pack_threads(struct lsr_pack_settings *p, const struct lsr_option *option, const char *value)
{
        long v = 0;
        int status = pack_number(option, value, 1, PACK_THREADS_MAX, &v);

        p->threads = (unsigned)v;
        return status;
}

int lsr_raw_pack(struct raw *r, const struct lsr_option *option, const char *value)
{
        struct lsr_pack_settings *p = &r->s->pack;

        switch (option->id) {
        case LSR_OPT_BUNDLE_FORMAT:
                p->format = value;
                break;
        case LSR_OPT_COMPRESSION_LEVEL:
                return pack_level(p, option, value);
        case LSR_OPT_THREADS:
                return pack_threads(p, option, value);
        case LSR_OPT_EXCLUDE:
                lsr_raw_add_pattern(&p->excludes, value);
                break;
        case LSR_OPT_GITIGNORE:
                p->gitignore = true;
                break;
        case LSR_OPT_EACH:
                p->each = true;
                break;
        case LSR_OPT_OWNER:
                p->owner = value;
                break;
        case LSR_OPT_MTIME:
                p->mtime = value;
                break;
        case LSR_OPT_NO_XATTRS:
                p->no_xattrs = true;
                break;
        case LSR_OPT_NO_VERIFY:
                p->no_verify = true;
                break;
        }
        return UNSET;
}
