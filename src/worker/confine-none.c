/* confine-none - for builds with a sanitizer, whose runtime opens, maps and writes as it likes */
#include "worker/confine.h"

#include <errno.h>
#include <unistd.h>

#include "base/compat.h"

uint64_t lsr_confine_seconds(uint64_t size)
{
        (void)size;
        return UINT64_MAX;
}

int lsr_confine_process(pid_t pid, uint64_t size, uint64_t window_max)
{
        (void)pid, (void)size, (void)window_max;
        return 0;
}

void lsr_confine_end(pid_t pid)
{
        (void)pid;
}

void lsr_confine_descriptors(int socket)
{
        close(STDIN_FILENO);
        close(STDOUT_FILENO);
        /* Standard error stays: that is where findings go. */
        for (int fd = STDERR_FILENO + 1; fd < socket; fd++)
                close(fd);
        closefrom(socket + 1);
}

int lsr_confine(int socket)
{
        (void)socket;
        return -EOPNOTSUPP;
}
