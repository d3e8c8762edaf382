/*
 * peak - the resident memory of a command and of all processes it starts
 *
 *      peak program [argument ...]
 *
 * Runs the command, its standard output to /dev/null, and prints the sum of the
 * peaks of its processes in KiB, then each of them, on one line:
 *
 *      21476 = 16048 + 5428
 *
 * The peaks need not be at the same moment, and pages that two processes share
 * count twice, so the sum is an upper bound.
 *
 * Each process is stopped by ptrace when it is about to exit, also by a signal,
 * and VmHWM is read then.  Rejected: ru_maxrss of wait4(), which is the largest
 * of the processes and not their sum, and begins with that of who called
 * execve(); memory.peak of a cgroup, which has the page cache in it; sampling,
 * which misses what lives for milliseconds.  Being traced costs time, so nothing
 * is timed here.  Exit status 1, with words, if the command fails.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PEAK_PROCESSES_MAX = 1024 };

static long peak_kib[PEAK_PROCESSES_MAX];
static size_t peak_n;

static _Noreturn void peak_fail(const char *what)
{
        fprintf(stderr, "peak: %s: %s\n", what, strerror(errno));
        exit(1);
}

/* VmHWM of a process, 0 for a thread beside the first: its memory is the process's. */
static long peak_of(pid_t pid)
{
        char path[64], line[256];
        long kib = 0, group = 0;
        FILE *file;

        snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
        file = fopen(path, "re");
        if (!file)
                return 0;
        while (fgets(line, sizeof(line), file)) {
                sscanf(line, "Tgid: %ld", &group);
                sscanf(line, "VmHWM: %ld", &kib);
        }
        fclose(file);
        return group == pid ? kib : 0;
}

static void peak_add(pid_t pid)
{
        long kib = peak_of(pid);

        if (kib == 0)
                return;
        if (peak_n == PEAK_PROCESSES_MAX) {
                fprintf(stderr, "peak: more than %d processes\n", PEAK_PROCESSES_MAX);
                exit(1);
        }
        peak_kib[peak_n++] = kib;
}

static pid_t peak_start(char **argv)
{
        pid_t pid = fork();
        int null;

        if (pid < 0)
                peak_fail("fork");
        if (pid > 0)
                return pid;
        null = open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
                peak_fail("/dev/null");
        /* Until the tracer has set its options. */
        if (ptrace(PTRACE_TRACEME, 0, 0, 0) < 0 || raise(SIGSTOP) != 0)
                peak_fail("ptrace");
        execvp(argv[0], argv);
        peak_fail(argv[0]);
}

/* Let all of them run to their ends.  Returns the status of @first. */
static int peak_follow(pid_t first)
{
        int status, last = 0;
        pid_t pid;

        while ((pid = waitpid(-1, &status, __WALL)) > 0) {
                int signal = 0;

                if (!WIFSTOPPED(status)) {
                        if (pid == first)
                                last = status;
                        continue;
                }
                if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8))
                        peak_add(pid);
                else if (status >> 16 == 0 && WSTOPSIG(status) != SIGTRAP && WSTOPSIG(status) != SIGSTOP)
                        signal = WSTOPSIG(status);
                ptrace(PTRACE_CONT, pid, 0, signal);
        }
        return last;
}

int main(int argc, char **argv)
{
        const long options = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXIT |
                             PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
        long sum = 0;
        int status;
        pid_t pid;

        if (argc < 2) {
                fputs("usage: peak program [argument ...]\n", stderr);
                return 1;
        }
        pid = peak_start(argv + 1);
        if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) || ptrace(PTRACE_SETOPTIONS, pid, 0, options) < 0 ||
            ptrace(PTRACE_CONT, pid, 0, 0) < 0)
                peak_fail("ptrace");
        status = peak_follow(pid);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
                fprintf(stderr, "peak: %s: %s %d\n", argv[1], WIFEXITED(status) ? "exit status" : "signal",
                        WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
                return 1;
        }
        for (size_t i = 0; i < peak_n; i++)
                sum += peak_kib[i];
        printf("%ld =", sum);
        for (size_t i = 0; i < peak_n; i++)
                printf("%s %ld", i ? " +" : "", peak_kib[i]);
        putchar('\n');
        return 0;
}
