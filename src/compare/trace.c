/*
 * trace - ptrace(2) with two stops for each call
 *
 * A call is counted when it returns: calls that end the process, and calls
 * that a thread is in when it ends, do not.  The kernel tells the number of a
 * call at its entry (PTRACE_GET_SYSCALL_INFO), so that this code needs no
 * registers.
 */
#include "compare/trace.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "base/arena.h"
#include "calls.h"

#define TRACE_NAMES (sizeof(call_names) / sizeof(*call_names))
#define TRACE_SYSCALL_STOP (SIGTRAP | 0x80)

struct trace_thread {
        pid_t tid;
        uint64_t call; /* it is in; TRACE_NAMES: one without a name */
};

struct trace {
        pid_t pid;
        struct trace_thread *threads;
        size_t n;
        size_t cap;
        uint64_t counts[TRACE_NAMES + 1];
};

int lsr_trace_me(void)
{
        return ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0 ? -errno : 0;
}

/* NULL: it is a new one. */
static struct trace_thread *trace_find(const struct trace *t, pid_t tid)
{
        for (size_t i = 0; i < t->n; i++)
                if (t->threads[i].tid == tid)
                        return &t->threads[i];
        return NULL;
}

static struct trace_thread *trace_add(struct trace *t, pid_t tid)
{
        lsr_grow(&t->threads, t->n, &t->cap);
        t->threads[t->n] = (struct trace_thread){ tid, TRACE_NAMES };
        return &t->threads[t->n++];
}

static void trace_forget(struct trace *t, pid_t tid)
{
        struct trace_thread *thread = trace_find(t, tid);

        if (thread)
                *thread = t->threads[--t->n];
}

static int trace_call(struct trace *t, struct trace_thread *thread)
{
        struct __ptrace_syscall_info info;

        if (ptrace(PTRACE_GET_SYSCALL_INFO, thread->tid, sizeof(info), &info) < 0)
                return errno == ESRCH ? 0 : -errno;
        if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
                thread->call = info.entry.nr < TRACE_NAMES && call_names[info.entry.nr] ? info.entry.nr : TRACE_NAMES;
        else if (info.op == PTRACE_SYSCALL_INFO_EXIT)
                t->counts[thread->call]++;
        return 0;
}

/* @tid has stopped.  0 or a negative errno. */
static int trace_stopped(struct trace *t, pid_t tid, int status)
{
        struct trace_thread *thread = trace_find(t, tid);
        int number = WSTOPSIG(status), r = 0;

        /* A thread begins with a stop of its own, and clone(2) is reported in another one. */
        if (!thread) {
                thread = trace_add(t, tid);
                number = number == SIGSTOP ? 0 : number;
        }
        if (number == TRACE_SYSCALL_STOP)
                r = trace_call(t, thread);
        if (number == TRACE_SYSCALL_STOP || status >> 16)
                number = 0;
        /* It was killed meanwhile; the next wait finds it. */
        if (r == 0 && ptrace(PTRACE_SYSCALL, tid, NULL, (void *)(intptr_t)number) < 0 && errno != ESRCH)
                r = -errno;
        return r;
}

/* The stop behind execve(2), of which the kernel tells no more. */
static int trace_begin(struct trace *t, int *ret_status)
{
        long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                       PTRACE_O_EXITKILL;
        int status;

        while (waitpid(t->pid, &status, __WALL) < 0)
                if (errno != EINTR)
                        return -errno;
        if (!WIFSTOPPED(status)) {
                *ret_status = status;
                return 1;
        }
        trace_add(t, t->pid);
        t->counts[__NR_execve]++;
        if (ptrace(PTRACE_SETOPTIONS, t->pid, NULL, (void *)(intptr_t)options) < 0 ||
            ptrace(PTRACE_SYSCALL, t->pid, NULL, NULL) < 0)
                return -errno;
        return 0;
}

static int trace_compare(const void *a, const void *b)
{
        const struct lsr_call_count *x = a, *y = b;

        return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : strcmp(x->name, y->name);
}

static void trace_result(const struct trace *t, struct lsr_call_count **ret_calls, size_t *ret_n)
{
        struct lsr_call_count *calls = lsr_xmalloc((TRACE_NAMES + 1) * sizeof(*calls));
        size_t n = 0;

        for (size_t i = 0; i <= TRACE_NAMES; i++)
                if (t->counts[i] > 0)
                        calls[n++] = (struct lsr_call_count){ i < TRACE_NAMES ? call_names[i] : "other", t->counts[i] };
        qsort(calls, n, sizeof(*calls), trace_compare);
        *ret_calls = calls;
        *ret_n = n;
}

int lsr_trace_run(pid_t pid, int *ret_status, struct lsr_call_count **ret_calls, size_t *ret_n)
{
        struct trace *t = lsr_xmalloc(sizeof(*t));
        int r;

        memset(t, 0, sizeof(*t));
        t->pid = pid;
        r = trace_begin(t, ret_status);
        if (r < 0)
                kill(pid, SIGKILL);
        while (r <= 0) {
                int status;
                pid_t tid = waitpid(-1, &status, __WALL);

                if (tid < 0 && errno != EINTR)
                        break;
                if (tid < 0)
                        continue;
                if (WIFSTOPPED(status)) {
                        int error = trace_stopped(t, tid, status);

                        if (error < 0 && r == 0) {
                                r = error;
                                kill(pid, SIGKILL);
                        }
                } else {
                        trace_forget(t, tid);
                        if (tid == pid)
                                *ret_status = status;
                }
        }
        if (r >= 0)
                trace_result(t, ret_calls, ret_n);
        free(t->threads);
        free(t);
        return r < 0 ? r : 0;
}
