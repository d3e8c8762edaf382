/* compat-closefrom - what is open cannot be left open: without close_range() of Linux 5.9 and without /proc it ends */
#include "base/compat.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

void closefrom(int first)
{
        struct dirent *d;
        DIR *dir;

        if (syscall(SYS_close_range, first, ~0u, 0) == 0)
                return;
        dir = opendir("/proc/self/fd");
        if (!dir)
                abort();
        while ((d = readdir(dir)))
                if (atoi(d->d_name) >= first && atoi(d->d_name) != dirfd(dir))
                        close(atoi(d->d_name));
        closedir(dir);
}
