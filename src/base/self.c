/*
 * self - vfork() and not posix_spawn(), which asks for and sets each of 64 signals first
 *
 * The child runs on our stack until it executes, so what it could not do it leaves in a variable here.
 */
#include "base/self.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

int lsr_self_start(char *const argv[], int (*prepare)(void *ctx), void *ctx, pid_t *ret_pid)
{
        static char *const env[] = { NULL };
        volatile int error = 0;
        pid_t pid = vfork();

        if (pid == 0) {
                error = prepare(ctx);
                if (error == 0) {
                        execve(LSR_SELF, argv, env);
                        error = -errno;
                }
                _exit(127);
        }
        if (pid < 0)
                return -errno;
        if (error < 0) {
                waitpid(pid, NULL, 0);
                return error;
        }
        *ret_pid = pid;
        return 0;
}
