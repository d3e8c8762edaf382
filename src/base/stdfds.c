/* stdfds - one poll() tells which are closed: it says POLLNVAL of them */
#include "base/stdfds.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

void lsr_stdfds_guard(void)
{
        struct pollfd fds[] = { { .fd = STDIN_FILENO }, { .fd = STDOUT_FILENO }, { .fd = STDERR_FILENO } };

        if (poll(fds, 3, 0) <= 0)
                return;
        /* The lowest number that is free is given away first. */
        for (int i = 0; i < 3; i++)
                if (fds[i].revents & POLLNVAL)
                        open("/dev/null", (i == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_NOCTTY);
}
