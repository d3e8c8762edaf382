/*
 * start - spawn ourselves, or fork where that cannot be
 *
 * An executed process has an address space of its own, in which neither the
 * environment nor what was read so far can be found; it costs 0.4 ms more than
 * a fork.  Fork alone serves where /proc is not mounted, and programs whose main() does not
 * call lsr_worker_route(): tests.
 */
#include "source/start.h"

#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "source/worker.h"

#define START_NAME "lsr-worker"

static bool start_routed;

static bool start_is_socket(int fd)
{
        int domain;
        socklen_t len = sizeof(domain);

        return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) == 0 && domain == AF_UNIX;
}

int lsr_worker_route(int argc, char **argv)
{
        start_routed = true;
        /* Whoever gives this name to a link has an environment, or no such socket. */
        if (argc != 1 || strcmp(argv[0], START_NAME) != 0 || environ[0] || !start_is_socket(LSR_START_FD))
                return -1;
        return lsr_worker_main(LSR_START_FD);
}

static int start_spawn(int fd, pid_t *ret_pid)
{
        char *argv[] = { (char[]){ START_NAME }, NULL };
        char *env[] = { NULL };
        posix_spawn_file_actions_t actions;
        int r;

        posix_spawn_file_actions_init(&actions);
        /* What stays open beside it the worker closes itself. */
        r = posix_spawn_file_actions_adddup2(&actions, fd, LSR_START_FD);
        if (r == 0)
                r = posix_spawn(ret_pid, "/proc/self/exe", &actions, NULL, argv, env);
        posix_spawn_file_actions_destroy(&actions);
        return -r;
}

static int start_fork(int fd, int other, int (*serve)(int fd), pid_t *ret_pid)
{
        pid_t pid = fork();

        if (pid < 0)
                return -errno;
        if (pid == 0) {
                close(other);
                if (fd != LSR_START_FD)
                        dup2(fd, LSR_START_FD);
                _exit(serve(LSR_START_FD));
        }
        *ret_pid = pid;
        return 0;
}

int lsr_start(int (*serve)(int fd), struct lsr_process *ret_process)
{
        struct lsr_process p;
        int fds[2], r = -ENOEXEC;

        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
                return -errno;
        if (!serve && start_routed)
                r = start_spawn(fds[1], &p.pid);
        if (r < 0)
                r = start_fork(fds[1], fds[0], serve ? serve : lsr_worker_main, &p.pid);
        close(fds[1]);
        if (r < 0) {
                close(fds[0]);
                return r;
        }
        p.fd = fds[0];
        *ret_process = p;
        return 0;
}
