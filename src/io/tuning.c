/* tuning - see the header */
#include "io/tuning.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct lsr_ring_tuning tuning_default = { .depth = 2048, .chain = 128, .many = 500, .very_many = 4000 };

int lsr_ring_tune(struct lsr_ring_tuning *ret_tuning, const char *text)
{
        struct lsr_ring_tuning t = tuning_default;
        bool sleep = false;
        const struct {
                const char *name;
                unsigned *value, min, max;
        } knobs[] = {
                { "depth=", &t.depth, LSR_RING_DEPTH_MIN, LSR_RING_DEPTH_MAX },
                { "chain=", &t.chain, LSR_RING_CHAIN_MIN, 128 },
                { "workers=", &t.workers, 1, 64 },
                { "batch=", &t.batch, LSR_RING_ALWAYS, LSR_RING_NEVER },
                { "sleep=", &t.sleep, LSR_RING_ALWAYS, LSR_RING_NEVER },
        };

        while (*text) {
                unsigned k = 0;
                unsigned long v;
                char *end;

                while (k < sizeof(knobs) / sizeof(*knobs) && strncmp(text, knobs[k].name, strlen(knobs[k].name)) != 0)
                        k++;
                if (k == sizeof(knobs) / sizeof(*knobs))
                        return -EINVAL;
                v = strtoul(text + strlen(knobs[k].name), &end, 10);
                if (v < knobs[k].min || v > knobs[k].max || (*end && *end != ','))
                        return -EINVAL;
                *knobs[k].value = (unsigned)v;
                /* A depth that is asked for is that of the first submission, too: for few calls. */
                t.whole = t.whole || k == 0;
                sleep = sleep || knobs[k].value == &t.sleep;
                text = *end ? end + 1 : end;
        }
        if (t.whole && !sleep)
                t.sleep = LSR_RING_NEVER;
        *ret_tuning = t;
        return 0;
}
