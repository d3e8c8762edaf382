/* signals - one list for all commands that clean up */
#include "cli/cli.h"

#include <stddef.h>
#include <unistd.h>

#include "base/stdfds.h"

static void (*signals_put_away)(void);

void lsr_signals_set(const struct sigaction *action)
{
        static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU };
        struct sigaction old;

        lsr_fsize_guard();
        for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
                if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
                        sigaction(signals[i], action, NULL);
}

/* It ends by the signal: a shell leaves its loop at an interrupt only if that is what a command has ended by. */
static void signals_end(int number)
{
        sigset_t one;

        signals_put_away();
        signal(number, SIG_DFL);
        sigemptyset(&one);
        sigaddset(&one, number);
        raise(number);
        pthread_sigmask(SIG_UNBLOCK, &one, NULL);
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
