/* This binary once more: what it is given, and what becomes of a failure before it is executed. */
#include <criterion/criterion.h>
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/self.h"

static char name[] = "again", list[] = "--list";
static char *const argv[] = { name, list, NULL };

static int to_pipe(void *ctx)
{
        const int *fds = ctx;

        return dup2(fds[1], STDOUT_FILENO) < 0 || dup2(fds[1], STDERR_FILENO) < 0 ? -errno : 0;
}

static int refuse(void *ctx)
{
        (void)ctx;
        return -EBADF;
}

/* These tests, which tell their names. */
Test(self, is_executed)
{
        char text[256];
        int fds[2], status;
        pid_t pid = -1;

        cr_assert_eq(pipe(fds), 0);
        cr_assert_eq(lsr_self_start(argv, to_pipe, fds, &pid), 0);
        close(fds[1]);
        cr_expect_gt(read(fds[0], text, sizeof(text)), 0);
        cr_assert_eq(waitpid(pid, &status, 0), pid);
        cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%d", status);
}

Test(self, is_not_executed)
{
        pid_t pid = -1;

        cr_expect_eq(lsr_self_start(argv, refuse, NULL, &pid), -EBADF);
        cr_expect_eq(pid, -1);
        cr_expect(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "a process is left");
}
