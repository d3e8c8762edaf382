/*
 * child - execute this binary, and read what its process took
 *
 * Peak memory is VmHWM of the process, read while it waits for leave to end:
 * ru_maxrss would include the process that called execve(2).  Processor time
 * is that of wait4(2), in which the kernel's own threads of a ring are counted
 * too.
 */
#include "compare/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/self.h"
#include "compare/trace.h"

#define CHILD_FDS_FREE 10 /* ours are from here up, so that the child's can be set */

struct child_process {
        pid_t pid;
        int fd;  /* our end of the socket */
        int job; /* the file */
};

/* --- start -------------------------------------------------------------------- */

/* What the new process is to have. */
struct child_set_up {
        int fd;
        int job;
        bool traced;
};

static int child_prepare(void *ctx)
{
        const struct child_set_up *c = ctx;
        int r = c->traced ? lsr_trace_me() : 0;

        if (r == 0 &&
            (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || dup2(c->fd, LSR_WAY_FD) < 0 || dup2(c->job, LSR_WAY_JOB_FD) < 0))
                r = -errno;
        return r;
}

static int child_high(int fd)
{
        int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, CHILD_FDS_FREE), error = errno;

        if (fd >= 0)
                close(fd);
        errno = error;
        return high < 0 ? -errno : high;
}

/* The job as a file.  A descriptor, or a negative errno. */
static int child_job(const struct lsr_way_job *job, size_t *ret_size)
{
        size_t size, done = 0;
        lsr_autofree char *data = lsr_way_encode(job, &size);
        lsr_autoclose int fd = child_high(memfd_create("lsr-way", MFD_CLOEXEC));

        while (fd >= 0 && done < size) {
                ssize_t n = write(fd, data + done, size - done);

                if (n < 0 && errno != EINTR)
                        return -errno;
                done += n > 0 ? (size_t)n : 0;
        }
        *ret_size = size;
        return lsr_take(&fd, -1);
}

static int child_start(const struct lsr_child *child, bool traced, struct child_process *ret_process)
{
        static char arg0[] = LSR_WAY_NAME;
        size_t size = 0;
        lsr_autoclose int job = child_job(child->job, &size), ours = -1, other = -1;
        lsr_autofree char *name = lsr_xstrdup(child->name);
        char size_text[32];
        char *argv[] = { arg0, name, size_text, NULL };
        struct child_set_up set_up;
        int fds[2], r;

        if (job < 0)
                return job;
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
                return -errno;
        ours = child_high(fds[0]);
        other = child_high(fds[1]);
        snprintf(size_text, sizeof(size_text), "%zu", size);
        *ret_process = (struct child_process){ .fd = ours, .job = job };
        set_up = (struct child_set_up){ other, job, traced };
        r = ours < 0 ? ours : other < 0 ? other : lsr_self_start(argv, child_prepare, &set_up, &ret_process->pid);
        if (r == 0)
                ours = job = -1;
        return r;
}

/* --- the accounts --------------------------------------------------------------- */

/* A number of a file below /proc: behind @key at the beginning of a line; 0: not known. */
static uint64_t child_account(pid_t pid, const char *file, const char *key)
{
        char path[64], line[256];
        uint64_t v = 0;
        FILE *f;

        snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
        f = fopen(path, "re");
        while (f && fgets(line, sizeof(line), f))
                if (strncmp(line, key, strlen(key)) == 0)
                        v = strtoull(line + strlen(key), NULL, 10);
        if (f)
                fclose(f);
        return v;
}

static uint64_t child_ns(const struct timeval *tv)
{
        return (uint64_t)tv->tv_sec * 1000000000u + (uint64_t)tv->tv_usec * 1000u;
}

/* All of the report.  False: the process ended before. */
static bool child_report(int fd, struct lsr_way_report *ret_report)
{
        size_t done = 0;

        while (done < sizeof(*ret_report)) {
                ssize_t n = read(fd, (char *)ret_report + done, sizeof(*ret_report) - done);

                if (n == 0 || (n < 0 && errno != EINTR))
                        return false;
                done += n > 0 ? (size_t)n : 0;
        }
        return true;
}

/* How it ended.  0 or -ECHILD. */
static int child_judge(bool got, int status, const struct lsr_way_report *report, char **ret_text)
{
        if (got && report->error == 0)
                return 0;
        if (got && report->what[0])
                /* A path must not look like a formula in a spreadsheet. */
                *ret_text = lsr_xprintf("%s%s: %s", strchr("=+-@", report->what[0]) ? "./" : "", report->what,
                                        strerror(-report->error));
        else if (got)
                *ret_text = lsr_xstrdup(strerror(-report->error));
        else if (WIFSIGNALED(status))
                *ret_text = lsr_xprintf("it was ended by signal %d, %s", WTERMSIG(status), strsignal(WTERMSIG(status)));
        else
                *ret_text = lsr_xstrdup("it ended without a report");
        return -ECHILD;
}

static void child_end(struct child_process *p)
{
        close(p->fd);
        close(p->job);
}

int lsr_child_run(const struct lsr_child *child, struct lsr_child_result *ret_result, char **ret_text)
{
        struct lsr_child_result *result = ret_result;
        struct lsr_cost *cost = &result->cost;
        struct child_process p;
        struct rusage usage;
        int r, status = 0;
        bool got;

        *result = (struct lsr_child_result){};
        r = child_start(child, false, &p);
        if (r < 0)
                return r;
        got = child_report(p.fd, &result->report);
        if (got) {
                cost->peak_bytes = child_account(p.pid, "status", "VmHWM:") * 1024;
                cost->device_bytes = child_account(p.pid, "io", "read_bytes:");
        }
        child_end(&p);
        while (wait4(p.pid, &status, 0, &usage) < 0)
                if (errno != EINTR)
                        return -errno;
        cost->user_ns = child_ns(&usage.ru_utime);
        cost->system_ns = child_ns(&usage.ru_stime);
        cost->io_ns = result->report.io_ns;
        cost->decode_ns = result->report.decode_ns;
        cost->total_ns = result->report.total_ns;
        cost->ring_ops = result->report.ring_ops;
        cost->ring_enters = result->report.ring_enters;
        return child_judge(got, status, &result->report, ret_text);
}

int lsr_child_trace(const struct lsr_child *child, struct lsr_child_result *ret_result, char **ret_text)
{
        struct lsr_child_result *result = ret_result;
        struct child_process p;
        int r, status = 0;
        bool got;

        *result = (struct lsr_child_result){};
        r = child_start(child, true, &p);
        if (r == -EPERM || r == -EACCES || r == -ENOSYS) {
                result->refused = true;
                return 0;
        }
        if (r < 0)
                return r;
        /* It need not wait for us. */
        shutdown(p.fd, SHUT_WR);
        r = lsr_trace_run(p.pid, &status, &result->calls, &result->n_calls);
        if (r == -EIO || r == -EINVAL) {
                /* The kernel is too old to tell the calls. */
                result->refused = true;
                r = 0;
        }
        got = child_report(p.fd, &result->report);
        child_end(&p);
        if (r < 0 || result->refused)
                return r;
        return child_judge(got, status, &result->report, ret_text);
}
