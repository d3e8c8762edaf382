/* signals - one list for all commands that clean up */
#include "cli/cli.h"

#include <stddef.h>
#include <unistd.h>

static void (*signals_put_away)(void);

void lsr_signals_set(const struct sigaction *action)
{
        static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
        struct sigaction old;

        /* What a limit of the size of files refuses is an error like others: what is half made is put away. */
        signal(SIGXFSZ, SIG_IGN);
        for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
                if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
                        sigaction(signals[i], action, NULL);
}

static void signals_end(int number)
{
        signals_put_away();
        _exit(128 + number);
}

void lsr_signals_end(void (*put_away)(void))
{
        struct sigaction action = { .sa_handler = signals_end };

        /* One after the other. */
        sigfillset(&action.sa_mask);
        signals_put_away = put_away;
        lsr_signals_set(&action);
}
