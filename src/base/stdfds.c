/* stdfds - one poll() finds the closed ones: it reports POLLNVAL for them */
#include "base/stdfds.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

void lsr_stdfds_guard(void)
{
        static bool done;
        struct pollfd fds[] = { { .fd = STDIN_FILENO }, { .fd = STDOUT_FILENO }, { .fd = STDERR_FILENO } };

        if (done)
                return;
        done = true;
        if (poll(fds, 3, 0) <= 0)
                return;
        /* The kernel gives away the lowest free number first. */
        for (int i = 0; i < 3; i++)
                if (fds[i].revents & POLLNVAL)
                        open("/dev/null", (i == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_NOCTTY);
}

void lsr_fsize_guard(void)
{
        static bool done;

        if (!done)
                signal(SIGXFSZ, SIG_IGN);
        done = true;
}
