/*
 * runner - tests of one program, each in a process of its own
 *
 *      test-NAME [--jobs N] [--timeout S] [--slow N] [--list] [SUITE/NAME...]
 *
 * A test is a fork of this process, which has no threads and nothing open, as
 * leader of a process group that is killed when it has ended.  What it prints is
 * kept in a file without a name, and shown if it fails.  How a test ends says
 * all there is to know, so nothing has to be sent: status 0 is passed, after
 * exit(3), so that sanitizers have had their say.
 *
 * Names may be patterns as of glob(7).  With --slow each test has N times its time,
 * as it needs on an emulated machine.  The last line has the sum; the exit status is
 * 1 if a test failed or there was none.
 *
 * Rejected: Criterion's own runner.  Its tests are executed anew, stopped and
 * continued by signals and report by messages, which goes wrong now and then on
 * a busy machine; and how the process of a test ends is not looked at.
 */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "criterion/criterion.h"

#define RUNNER_JOBS_MAX 64
#define RUNNER_TIMEOUT_S 300.0
#define RUNNER_SHOWN_MAX 20000 /* bytes of what a test printed */

enum { RUNNER_FAILED = 1, RUNNER_SKIPPED = 77 };

struct runner_job {
        const struct unit_test *test; /* NULL: none runs here */
        pid_t pid;
        int output;
        double until;
};

static struct unit_test *runner_tests, **runner_last = &runner_tests;

/* Of the process of a test. */
static pid_t runner_self;
static jmp_buf runner_end;
static bool runner_bad;

void unit_add(struct unit_test *test)
{
        *runner_last = test;
        runner_last = &test->next;
}

/* --- in the process of a test ---------------------------------------------------- */

/* Leave the test; in a thread or a process of its own, that. */
static _Noreturn void runner_leave(int status)
{
        if (getpid() != runner_self || gettid() != runner_self)
                _exit(status);
        longjmp(runner_end, status);
}

void unit_failed(const char *file, int line, const char *what, const char *format, ...)
{
        va_list args;

        va_start(args, format);
        fprintf(stderr, "%s:%d: %s:", file, line, what);
        vfprintf(stderr, format, args);
        fputc('\n', stderr);
        va_end(args);
        runner_bad = true;
}

void unit_texts(const char *a, const char *b)
{
        fprintf(stderr, "    \"%s\"\n    \"%s\"\n", a, b);
}

void unit_end(void)
{
        runner_leave(RUNNER_FAILED);
}

void unit_skip(const char *format, ...)
{
        va_list args;

        va_start(args, format);
        vfprintf(stderr, format, args);
        va_end(args);
        runner_leave(RUNNER_SKIPPED);
}

static _Noreturn void runner_child(const struct unit_test *test, const struct unit_options *o, int output,
                                   const sigset_t *mask)
{
        int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
        volatile int status;

        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (dup2(null, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0)
                _exit(RUNNER_FAILED);
        close(null);
        close(output);
        setvbuf(stdout, NULL, _IOLBF, 0);
        sigprocmask(SIG_SETMASK, mask, NULL);
        runner_self = getpid();
        status = setjmp(runner_end);
        if (status == 0) {
                if (o->init)
                        o->init();
                test->run();
        }
        if (o->fini && !setjmp(runner_end))
                o->fini();
        exit(status ? status : runner_bad ? RUNNER_FAILED : 0);
}

/* --- in the process that runs them ------------------------------------------------- */

static double runner_now(void)
{
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The options of @test, and where it has none those of its suite. */
static struct unit_options runner_options(const struct unit_test *test, double timeout)
{
        struct unit_options o = test->options;

        for (const struct unit_test *suite = runner_tests; suite; suite = suite->next) {
                if (suite->name || strcmp(suite->suite, test->suite) != 0)
                        continue;
                o.init = o.init ? o.init : suite->options.init;
                o.fini = o.fini ? o.fini : suite->options.fini;
                o.timeout = o.timeout > 0 ? o.timeout : suite->options.timeout;
        }
        o.timeout = o.timeout > 0 ? o.timeout : timeout;
        return o;
}

static void runner_start(struct runner_job *job, const struct unit_test *test, double timeout, double slow,
                         const sigset_t *mask)
{
        struct unit_options o = runner_options(test, timeout);

        *job = (struct runner_job){ test, .output = memfd_create("output", MFD_CLOEXEC),
                                    .until = runner_now() + o.timeout * slow };
        fflush(stdout);
        job->pid = fork();
        if (job->pid == 0)
                runner_child(test, &o, job->output, mask);
        if (job->output < 0 || job->pid < 0) {
                perror("cannot run a test");
                exit(2);
        }
}

static void runner_show(int fd)
{
        char text[4096];
        off_t at = lseek(fd, 0, SEEK_END);
        ssize_t n;

        at = at > RUNNER_SHOWN_MAX ? at - RUNNER_SHOWN_MAX : 0;
        fflush(stdout);
        while ((n = pread(fd, text, sizeof(text), at)) > 0) {
                fwrite(text, 1, (size_t)n, stdout);
                at += n;
        }
}

/* How a test ended.  The index of a sum: passed, failed, skipped. */
static int runner_judge(const struct runner_job *job, int status, bool late)
{
        const struct unit_test *test = job->test;
        int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        bool skipped = code == RUNNER_SKIPPED;

        if (!late && code == test->options.exit_code)
                return 0;
        printf("%s %s/%s", skipped ? "skip" : "FAIL", test->suite, test->name);
        if (late)
                printf(": did not end in time");
        else if (WIFSIGNALED(status))
                printf(": signal %d, %s", WTERMSIG(status), strsignal(WTERMSIG(status)));
        else if (!skipped && code != RUNNER_FAILED)
                printf(": exit status %d", code);
        printf(skipped ? ":" : "\n");
        runner_show(job->output);
        if (skipped)
                putchar('\n');
        return skipped ? 2 : 1;
}

/* Wait until a signal comes or the first of them is late, and count those that have ended. */
static unsigned runner_wait(struct runner_job *jobs, unsigned n, unsigned sums[3], const sigset_t *child)
{
        double now = runner_now(), until = now + 3600;
        struct timespec wait;
        unsigned ended = 0;

        for (unsigned i = 0; i < n; i++)
                if (jobs[i].test && jobs[i].until < until)
                        until = jobs[i].until;
        until = until > now ? until - now : 0;
        wait = (struct timespec){ (time_t)until, (long)((until - (double)(time_t)until) * 1e9) };
        sigtimedwait(child, NULL, &wait);
        now = runner_now();
        for (unsigned i = 0; i < n; i++) {
                struct runner_job *job = &jobs[i];
                int status = 0;
                pid_t got = job->test ? waitpid(job->pid, &status, WNOHANG) : 0;
                bool late = job->test && got == 0 && now >= job->until;

                if (late) {
                        kill(-job->pid, SIGKILL);
                        kill(job->pid, SIGKILL);
                        got = waitpid(job->pid, &status, 0);
                }
                if (got <= 0)
                        continue;
                kill(-job->pid, SIGKILL);
                sums[runner_judge(job, status, late)]++;
                close(job->output);
                job->test = NULL;
                ended++;
        }
        return ended;
}

static bool runner_wants(const struct unit_test *test, char *const *patterns)
{
        char name[512];

        if (!test->name)
                return false;
        snprintf(name, sizeof(name), "%s/%s", test->suite, test->name);
        for (char *const *p = patterns; *p; p++)
                if (fnmatch(*p, name, 0) == 0 || strcmp(*p, test->name) == 0)
                        return true;
        return !*patterns;
}

static void runner_all(char *const *patterns, unsigned jobs_max, double timeout, double slow, unsigned sums[3])
{
        struct runner_job jobs[RUNNER_JOBS_MAX] = {};
        const struct unit_test *test = runner_tests;
        unsigned running = 0;
        sigset_t child, mask;

        sigemptyset(&child);
        sigaddset(&child, SIGCHLD);
        sigprocmask(SIG_BLOCK, &child, &mask);
        while (test || running > 0) {
                for (; test && running < jobs_max; test = test->next) {
                        unsigned i = 0;

                        if (!runner_wants(test, patterns))
                                continue;
                        while (jobs[i].test)
                                i++;
                        runner_start(&jobs[i], test, timeout, slow, &mask);
                        running++;
                }
                if (running > 0)
                        running -= runner_wait(jobs, jobs_max, sums, &child);
        }
}

static unsigned runner_cpus(void)
{
        cpu_set_t set;

        return sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

int main(int argc, char **argv)
{
        unsigned sums[3] = {}, jobs = runner_cpus();
        double timeout = RUNNER_TIMEOUT_S, slow = 1;
        bool list = false;

        for (; argc > 1 && argv[1][0] == '-'; argc--, argv++) {
                if (strcmp(argv[1], "--list") == 0) {
                        list = true;
                } else if (argc > 2 && strcmp(argv[1], "--jobs") == 0) {
                        jobs = (unsigned)atoi(argv[2]);
                        argc--, argv++;
                } else if (argc > 2 && strcmp(argv[1], "--timeout") == 0) {
                        timeout = atof(argv[2]);
                        argc--, argv++;
                } else if (argc > 2 && strcmp(argv[1], "--slow") == 0) {
                        slow = atof(argv[2]);
                        argc--, argv++;
                } else {
                        fprintf(stderr,
                                "usage: test-NAME [--jobs N] [--timeout S] [--slow N] [--list] [SUITE/NAME...]\n");
                        return 2;
                }
        }
        if (list) {
                for (const struct unit_test *test = runner_tests; test; test = test->next)
                        if (runner_wants(test, argv + 1))
                                printf("%s/%s\n", test->suite, test->name);
                return 0;
        }
        jobs = jobs < 1 ? 1 : jobs > RUNNER_JOBS_MAX ? RUNNER_JOBS_MAX : jobs;
        runner_all(argv + 1, jobs, timeout, slow, sums);
        if (sums[2] > 0)
                printf("%u passed, %u failed, %u skipped\n", sums[0], sums[1], sums[2]);
        else
                printf("%u passed, %u failed\n", sums[0], sums[1]);
        return sums[1] > 0 || sums[0] + sums[2] == 0;
}
