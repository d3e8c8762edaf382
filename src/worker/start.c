/*
 * start - fork while there is nothing to lose, else execute ourselves
 *
 * The first bundle is mostly the first thing that is listed.  A fork then copies
 * a process that has looked at its operands, and is ready at once: to execute
 * takes 0.3 ms more, above all for the start of the C library, which asks the
 * processor for its caches, and a hypervisor answers.
 *
 * What a fork must not take along: the environment, handlers of signals, the
 * locale; and memory that is shared, as a ring's is, through which the parent
 * could be made to act.  So whoever has a ring or threads executes, and has an
 * address space in which nothing can be found.  Fork alone serves where /proc is
 * not mounted, and programs whose main() does not call lsr_worker_route(): tests.
 */
#include "worker/start.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/self.h"
#include "worker/worker.h"

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

/* What stays open beside it the worker closes itself. */
static int start_descriptor(void *ctx)
{
        int fd = *(const int *)ctx;

        return (fd == LSR_START_FD ? fcntl(fd, F_SETFD, 0) : dup2(fd, LSR_START_FD)) < 0 ? -errno : 0;
}

/* What a process that was executed would not have either. */
static void start_forget(void)
{
        static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };

        for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
                struct sigaction action;

                if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
                        signal(signals[i], SIG_DFL);
        }
        for (char **e = environ; e && *e; e++)
                explicit_bzero(*e, strlen(*e));
        clearenv();
        uselocale(LC_GLOBAL_LOCALE);
        lsr_last_resort = (struct lsr_last_resort){};
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
                start_forget();
                _exit(serve(LSR_START_FD));
        }
        *ret_pid = pid;
        return 0;
}

int lsr_start(int (*serve)(int fd), bool alone, struct lsr_process *ret_process)
{
        static char name[] = START_NAME;
        static char *const argv[] = { name, NULL };
        struct lsr_process p;
        int fds[2], r = -ENOEXEC;

        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
                return -errno;
        if (!serve && !alone && start_routed)
                r = lsr_self_start(argv, start_descriptor, &fds[1], &p.pid);
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
