/* settings-compare - the options of comparing, as they come */
#include <errno.h>
#include <stdlib.h>

#include "cli/message.h"
#include "cli/raw.h"

#define COMPARE_RUNS_MAX 1000
#define COMPARE_RANDOM_MAX 10000000

/* A whole number from 1 to @max.  Returns the exit status after an error, or UNSET. */
static int compare_number(const struct lsr_option *option, const char *value, unsigned long max,
                          unsigned long *ret_number)
{
        char *end;
        unsigned long v = strtoul(value, &end, 10);

        if (value[0] < '0' || value[0] > '9' || *end || v < 1 || v > max) {
                lsr_message("invalid argument %s for '--%s'", lsr_quoted_locale(value), option->name);
                lsr_message_try_help();
                return 2;
        }
        *ret_number = v;
        return UNSET;
}

int lsr_raw_compare(struct raw *r, const struct lsr_option *option, const char *value)
{
        struct lsr_compare_settings *c = &r->s->compare;
        unsigned long v = 0;
        int status = UNSET;

        switch (option->id) {
        case LSR_OPT_FORMATS:
                c->formats = value;
                break;
        case LSR_OPT_RUNS:
                status = compare_number(option, value, COMPARE_RUNS_MAX, &v);
                c->runs = (unsigned)v;
                break;
        case LSR_OPT_COLD:
                c->cold = true;
                break;
        case LSR_OPT_RANDOM:
                status = compare_number(option, value, COMPARE_RANDOM_MAX, &v);
                c->random = v;
                break;
        case LSR_OPT_CSV:
                c->csv = true;
                break;
        case LSR_OPT_HTML:
                c->html = value;
                break;
        }
        return status;
}
