/* compat-sigabbrev_np - names of signals without SIG */
#include "base/compat.h"

#include <signal.h>
#include <stddef.h>

const char *sigabbrev_np(int signal)
{
        static const char *const names[] = {
                [SIGHUP] = "HUP",   [SIGINT] = "INT",   [SIGQUIT] = "QUIT", [SIGILL] = "ILL",       [SIGTRAP] = "TRAP",
                [SIGABRT] = "ABRT", [SIGBUS] = "BUS",   [SIGFPE] = "FPE",   [SIGKILL] = "KILL",     [SIGUSR1] = "USR1",
                [SIGSEGV] = "SEGV", [SIGUSR2] = "USR2", [SIGPIPE] = "PIPE", [SIGALRM] = "ALRM",     [SIGTERM] = "TERM",
                [SIGXCPU] = "XCPU", [SIGXFSZ] = "XFSZ", [SIGPROF] = "PROF", [SIGVTALRM] = "VTALRM", [SIGSYS] = "SYS",
        };

        return (size_t)signal < sizeof(names) / sizeof(*names) ? names[signal] : NULL;
}
