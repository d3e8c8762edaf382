/*
 * start - executed once, then forked by a process that knows nothing
 *
 * Whoever parses a bundle may be taken over by it.  So its memory must hold
 * nothing of the environment, of the operands, and of other bundles: a fork of
 * the main process would.  To execute the binary once more takes 0.3 ms longer
 * than a fork, above all for the start of the C library, which asks the processor
 * for its caches, and a hypervisor answers.
 *
 *      main process ──exec──► worker of the first bundle (forked, if it is forked early)
 *            │
 *            └─────exec──► nursery ──fork──► worker of the second bundle
 *                                  ──fork──► worker of the third, ahead of its time
 *
 * A fork of the nursery shares nothing with those before it, and is one while the
 * bundle before is parsed.  Its parent is the main process (CLONE_PARENT), which
 * waits for it and may kill it; its number comes from the nursery, since a worker
 * is not asked whom to kill.
 *
 * A fork of the main process serves where /proc is not mounted, and programs whose
 * main() does not call lsr_worker_route(): tests.  And where the first bundle is known
 * as soon as the options are: then there is nothing in its memory yet but the strings
 * of the environment and of the options, which are wiped.
 */
#include "worker/start.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/compat.h"
#include "base/self.h"
#include "formats/filter/crc.h"
#include "worker/confine.h"
#include "worker/wire.h"
#include "worker/worker.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define START_WORKER "lsr-worker"
#define START_NURSERY "lsr-nursery"
#define START_WARM (1 << 20) /* bytes */

struct lsr_nursery {
        pid_t pid;             /* its own; 0: it does not run */
        struct lsr_wire *wire; /* to it */
        int next;              /* our end of the socket of a process that it forks ahead; -1: of none */
        void *hello;           /* what all processes are sent first; NULL until one was started */
        size_t hello_size;
        pid_t ending; /* see lsr_start_end(); 0: none */
};

static bool start_routed;
static char **start_argv;              /* NULL-terminated, of main() */
static struct lsr_process start_early; /* lsr_start_early()'s, until it is needed */

static bool start_is_socket(int fd)
{
        int domain;
        socklen_t len = sizeof(domain);

        return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) == 0 && domain == AF_UNIX;
}

/* The memory that a small bundle takes, before there is one; to take it page by page would be half of its time. */
static void start_warm(void)
{
        char *p;

        if (!mallopt(M_MMAP_THRESHOLD, 4 * START_WARM) || !mallopt(M_TRIM_THRESHOLD, 8 * START_WARM))
                return;
        p = malloc(START_WARM);
        if (p)
                madvise((void *)(((uintptr_t)p | 4095) + 1), START_WARM - 4096, MADV_POPULATE_WRITE);
        free(p);
}

/* Forks for each socket that comes, until no more do. */
static int start_nurse(void)
{
        struct lsr_wire *wire;
        struct lsr_wire_head head;
        int32_t pid = 1;

        lsr_confine_descriptors(LSR_START_FD);
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        wire = lsr_wire_new(LSR_START_FD, true);
        /* A library asks the processor what it can do, and a hypervisor answers: once for all that are forked. */
        lsr_crc32(0, "", 1);
        while (lsr_wire_head(wire, &head) == 0 && wire->n_fds == 1) {
                struct iovec part = { &pid, sizeof(pid) };

                pid = (int32_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL);
                if (pid == 0)
                        break;
                close(wire->fds[--wire->n_fds]);
                lsr_wire_send(wire, LSR_WIRE_FORK, 0, &part, 1, NULL, 0);
        }
        /* What it has there now is the nursery's own. */
        if (pid == 0 && dup2(wire->fds[0], LSR_START_FD) < 0)
                return 1;
        /* Other descriptors go with the process, or when it becomes a worker. */
        free(wire);
        if (pid != 0)
                return 0;
        start_warm();
        return lsr_worker_main(LSR_START_FD);
}

int lsr_worker_route(int argc, char **argv)
{
        start_routed = true;
        start_argv = argv;
        /* Whoever gives these names to a link has an environment, or no such socket. */
        if (argc != 1 || environ[0] || strncmp(argv[0], "lsr-", 4) != 0 || !start_is_socket(LSR_START_FD))
                return -1;
        if (strcmp(argv[0], START_WORKER) == 0)
                return lsr_worker_main(LSR_START_FD);
        return strcmp(argv[0], START_NURSERY) == 0 ? start_nurse() : -1;
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
        static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGPIPE };

        for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
                struct sigaction action;

                if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
                        signal(signals[i], SIG_DFL);
        }
        for (char **e = environ; e && *e; e++)
                explicit_bzero(*e, strlen(*e));
        clearenv();
        for (char **a = start_argv; a && *a && *++a;)
                explicit_bzero(*a, strlen(*a));
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
                if (fd != LSR_START_FD && dup2(fd, LSR_START_FD) < 0)
                        _exit(1);
                start_forget();
                _exit(serve(LSR_START_FD));
        }
        *ret_pid = pid;
        return 0;
}

static int start_greet(int fd, const void *hello, size_t size)
{
        /* If it is gone, the first request finds that out. */
        return send(fd, hello, size, MSG_NOSIGNAL) == (ssize_t)size || errno == EPIPE ? 0 : -errno;
}

/* A process by itself: one that is executed, with @name, unless there is @serve to be run. */
static int start_alone(const char *name, int (*serve)(int fd), struct lsr_process *ret_process)
{
        char *const argv[] = { (char *)name, NULL };
        struct lsr_process p = {};
        int fds[2], r;

        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
                return -errno;
        p.fd = fds[0];
        r = serve ? start_fork(fds[1], fds[0], serve, &p.pid) : lsr_self_start(argv, start_descriptor, &fds[1], &p.pid);
        close(fds[1]);
        if (r < 0)
                close(fds[0]);
        else
                *ret_process = p;
        return r;
}

void lsr_start_early(void)
{
        if (start_routed && start_alone(NULL, lsr_worker_main, &start_early) < 0)
                start_early = (struct lsr_process){};
}

/* --- the nursery ------------------------------------------------------------------- */

struct lsr_nursery *lsr_nursery_new(void)
{
        struct lsr_nursery *n = lsr_xmalloc(sizeof(*n));

        *n = (struct lsr_nursery){ .next = -1 };
        return n;
}

static void start_wait(pid_t pid)
{
        while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
                ;
}

void lsr_start_end(struct lsr_nursery *n, pid_t pid)
{
        lsr_confine_end(pid);
        start_wait(n ? n->ending : pid);
        if (n)
                n->ending = pid;
}

/* Have another process forked, whose number is not known yet. */
static int nursery_order(struct lsr_nursery *n)
{
        int fds[2], r;

        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
                return -errno;
        r = start_greet(fds[0], n->hello, n->hello_size);
        if (r >= 0)
                r = lsr_wire_send(n->wire, LSR_WIRE_FORK, 0, NULL, 0, &fds[1], 1);
        close(fds[1]);
        if (r < 0)
                close(fds[0]);
        else
                n->next = fds[0];
        return r;
}

/* The one that was ordered. */
static int nursery_take(struct lsr_nursery *n, struct lsr_process *ret_process)
{
        struct lsr_process p = { .fd = n->next };
        struct lsr_wire_head head;
        int32_t pid = 0;
        int r = lsr_wire_head(n->wire, &head);

        if (r >= 0)
                r = lsr_wire_take(n->wire, &pid, sizeof(pid));
        n->next = -1;
        p.pid = pid;
        if (r < 0 || pid <= 0) {
                close(p.fd);
                return r < 0 ? r : -EAGAIN;
        }
        *ret_process = p;
        return 0;
}

static void nursery_close(struct lsr_nursery *n)
{
        struct lsr_process p;

        if (n->next >= 0 && nursery_take(n, &p) == 0) {
                close(p.fd);
                start_wait(p.pid);
        }
        n->wire = lsr_wire_free(n->wire);
        start_wait(n->pid);
        n->pid = 0;
}

struct lsr_nursery *lsr_nursery_free(struct lsr_nursery *n)
{
        if (!n)
                return NULL;
        start_wait(n->ending);
        nursery_close(n);
        free(n->hello);
        free(n);
        return NULL;
}

static int nursery_start(struct lsr_nursery *n, struct lsr_process *ret_process)
{
        struct lsr_process self = {};
        int r = 0;

        if (!n->pid) {
                r = start_alone(START_NURSERY, NULL, &self);
                if (r < 0)
                        return r;
                n->pid = self.pid;
                n->wire = lsr_wire_new(self.fd, false);
        }
        if (n->next < 0)
                r = nursery_order(n);
        if (r >= 0)
                r = nursery_take(n, ret_process);
        if (r < 0)
                nursery_close(n);
        else
                nursery_order(n); /* what it is not ready for now it is asked for again */
        return r;
}

int lsr_start(struct lsr_nursery *n, int (*serve)(int fd), const void *hello, size_t size,
              struct lsr_process *ret_process)
{
        struct lsr_process p = {};
        int r = -ENOEXEC;

        if (n && n->hello && !serve && start_routed) {
                assert(size == n->hello_size && memcmp(hello, n->hello, size) == 0);
                r = nursery_start(n, ret_process);
        }
        if (r >= 0)
                return r;
        if (n && !n->hello) {
                n->hello = memcpy(lsr_xmalloc(size), hello, size);
                n->hello_size = size;
        }
        if (!serve && start_early.pid) {
                p = start_early;
                start_early = (struct lsr_process){};
                r = 0;
        } else if (!serve && start_routed) {
                r = start_alone(START_WORKER, NULL, &p);
        }
        if (r < 0)
                r = start_alone(NULL, serve ? serve : lsr_worker_main, &p);
        if (r >= 0)
                r = start_greet(p.fd, hello, size);
        if (r >= 0) {
                *ret_process = p;
        } else if (p.pid) {
                close(p.fd);
                lsr_start_end(NULL, p.pid);
        }
        return r;
}
