/* signals - one list of them for all that has something to put away */
#include "cli/signals.h"

#include <stddef.h>

void lsr_signals_set(const struct sigaction *action)
{
        static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
        struct sigaction old;

        for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
                if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
                        sigaction(signals[i], action, NULL);
}
