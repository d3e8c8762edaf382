/*
 * race - time several commands against each other
 *
 *      race --plan=FILE --out=FILE --rounds=N [--warmup=N] [--seed=N]
 *           [--cpus=LIST] [--cwd=DIR] [--timeout=SECONDS]
 *
 * The plan has one command per line, fields parted by tabs:
 *
 *      label  [NAME=VALUE ...]  --  program  [argument ...]
 *
 * The assignments are the whole environment of the command: nothing is inherited,
 * so a run does not depend on who starts it.  Every round runs every command once,
 * in an order shuffled afresh from the seed: what drifts (heat, neighbours, caches)
 * hits all commands alike, and no command always runs behind the same other one.
 *
 * The clock runs from just before vfork to the reaping.  Standard output is a pipe
 * that this process drains, the same for all; input and error are /dev/null.
 * --cpus confines the commands only; this process keeps its own mask.
 *
 * Rejected: posix_spawn (cannot set the mask), a shell between (costs more than a
 * listing of ten files), output to /dev/null (programs may notice, and the cost of
 * many small writes would vanish), timing with perf (seldom allowed in guests).
 *
 * Known limit: the kernel carries the peak of the memory before exec over into
 * ru_maxrss, so our own size is its floor.  Hence the static link in lib.py.
 *
 * Output: one line per measured run, see the header line.  Exit status 1, with
 * words, as soon as one command fails; then what was written is not a result.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
        RACE_COMMANDS_MAX = 64,
        RACE_FIELDS_MAX = 64,
        RACE_ROUNDS_MAX = 1000000,
        RACE_SINK_BYTES = 256 * 1024,
};

struct race_command {
        const char *label;
        char *env[RACE_FIELDS_MAX + 1];
        char *argv[RACE_FIELDS_MAX + 1];
};

struct race_run {
        uint64_t wall_ns;
        uint64_t bytes_out;
        struct rusage usage;
};

static struct race_command race_commands[RACE_COMMANDS_MAX];
static size_t race_n_commands;
static cpu_set_t race_cpus;
static bool race_confined;
static unsigned race_timeout_s = 120;
static int race_null_fd = -1;
static char race_sink[RACE_SINK_BYTES];

static volatile sig_atomic_t race_child;

_Noreturn __attribute__((format(printf, 1, 2))) static void race_fail(const char *format, ...)
{
        va_list args;

        fputs("race: ", stderr);
        va_start(args, format);
        vfprintf(stderr, format, args);
        va_end(args);
        fputc('\n', stderr);
        exit(1);
}

static uint64_t race_now_ns(void)
{
        struct timespec t;

        clock_gettime(CLOCK_MONOTONIC, &t);
        return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A command that hangs is killed; its status then fails the race. */
static void race_on_alarm(int sig)
{
        (void)sig;
        if (race_child > 0)
                kill(race_child, SIGKILL);
}

/* splitmix64: small, seeded, good enough to shuffle a handful of commands */
static uint64_t race_random(uint64_t *state)
{
        uint64_t z = (*state += 0x9e3779b97f4a7c15u);

        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
}

static void race_shuffle(size_t *order, size_t n, uint64_t *state)
{
        for (size_t i = n; i > 1; i--) {
                size_t j = race_random(state) % i, swap = order[i - 1];

                order[i - 1] = order[j];
                order[j] = swap;
        }
}

static unsigned long race_number(const char *option, const char *text, unsigned long max)
{
        char *end;
        unsigned long value;

        errno = 0;
        value = strtoul(text, &end, 10);
        if (errno != 0 || end == text || *end != '\0' || *text == '-' || value > max)
                race_fail("--%s: not a number from 0 to %lu: %s", option, max, text);
        return value;
}

/* "0", "0,2", "0-3,8" */
static void race_parse_cpus(const char *list)
{
        const char *p = list;

        CPU_ZERO(&race_cpus);
        while (*p != '\0') {
                char *end;
                unsigned long first = strtoul(p, &end, 10), last = first;

                if (end == p)
                        race_fail("--cpus: bad list: %s", list);
                if (*end == '-') {
                        p = end + 1;
                        last = strtoul(p, &end, 10);
                        if (end == p)
                                race_fail("--cpus: bad list: %s", list);
                }
                if (last < first || last >= CPU_SETSIZE || (*end != '\0' && *end != ','))
                        race_fail("--cpus: bad list: %s", list);
                for (unsigned long cpu = first; cpu <= last; cpu++)
                        CPU_SET(cpu, &race_cpus);
                p = *end == ',' ? end + 1 : end;
        }
        if (CPU_COUNT(&race_cpus) == 0)
                race_fail("--cpus: empty list");
        race_confined = true;
}

/* The fields point into line, which must live as long as the command. */
static void race_parse_command(char *line, size_t number)
{
        struct race_command *command;
        size_t n_env = 0, n_argv = 0, n_fields = 0;
        bool behind_dashes = false;
        char *field;

        if (race_n_commands == RACE_COMMANDS_MAX)
                race_fail("plan: more than %d commands", RACE_COMMANDS_MAX);
        command = &race_commands[race_n_commands];
        while ((field = strsep(&line, "\t")) != NULL) {
                if (++n_fields > RACE_FIELDS_MAX)
                        race_fail("plan, line %zu: more than %d fields", number, RACE_FIELDS_MAX);
                if (command->label == NULL)
                        command->label = field;
                else if (behind_dashes)
                        command->argv[n_argv++] = field;
                else if (strcmp(field, "--") == 0)
                        behind_dashes = true;
                else if (strchr(field, '=') != NULL)
                        command->env[n_env++] = field;
                else
                        race_fail("plan, line %zu: neither NAME=VALUE nor --: %s", number, field);
        }
        if (n_argv == 0 || command->argv[0][0] != '/')
                race_fail("plan, line %zu: no program with an absolute path", number);
        race_n_commands++;
}

static void race_read_plan(const char *path)
{
        FILE *plan = fopen(path, "re");
        size_t number = 0;

        if (plan == NULL)
                race_fail("%s: %s", path, strerror(errno));
        for (;;) {
                char *line = NULL;
                size_t size = 0;
                ssize_t length = getline(&line, &size, plan);

                if (length < 0) {
                        free(line);
                        break;
                }
                number++;
                if (length > 0 && line[length - 1] == '\n')
                        line[length - 1] = '\0';
                race_parse_command(line, number);
        }
        if (ferror(plan))
                race_fail("%s: cannot be read", path);
        fclose(plan);
        if (race_n_commands == 0)
                race_fail("%s: no commands", path);
}

static uint64_t race_drain(int fd)
{
        uint64_t total = 0;

        for (;;) {
                ssize_t got = read(fd, race_sink, sizeof race_sink);

                if (got > 0)
                        total += (uint64_t)got;
                else if (got == 0)
                        return total;
                else if (errno != EINTR)
                        race_fail("reading a command's output: %s", strerror(errno));
        }
}

static void race_run_one(const struct race_command *command, unsigned long round, struct race_run *ret_run)
{
        struct race_run run = { 0 };
        volatile int child_errno = 0;
        uint64_t start_ns;
        int pipe_fds[2], status;
        pid_t pid;

        if (pipe2(pipe_fds, O_CLOEXEC) < 0)
                race_fail("pipe: %s", strerror(errno));
        alarm(race_timeout_s);

        start_ns = race_now_ns();
        pid = vfork();
        if (pid == 0) {
                /* Our memory is the parent's here: system calls only. */
                if (race_confined && sched_setaffinity(0, sizeof race_cpus, &race_cpus) < 0)
                        child_errno = errno;
                else if (dup2(race_null_fd, 0) < 0 || dup2(pipe_fds[1], 1) < 0 || dup2(race_null_fd, 2) < 0)
                        child_errno = errno;
                else {
                        execve(command->argv[0], command->argv, command->env);
                        child_errno = errno;
                }
                _exit(127);
        }
        if (pid < 0)
                race_fail("vfork: %s", strerror(errno));
        race_child = pid;
        close(pipe_fds[1]);
        run.bytes_out = race_drain(pipe_fds[0]);
        while (wait4(pid, &status, 0, &run.usage) < 0)
                if (errno != EINTR)
                        race_fail("wait4: %s", strerror(errno));
        run.wall_ns = race_now_ns() - start_ns;

        race_child = 0;
        alarm(0);
        close(pipe_fds[0]);
        if (child_errno != 0)
                race_fail("%s: cannot start %s: %s", command->label, command->argv[0], strerror(child_errno));
        if (WIFSIGNALED(status))
                race_fail("%s: killed by signal %d (%s) in round %lu (limit %u s)", command->label, WTERMSIG(status),
                          strsignal(WTERMSIG(status)), round, race_timeout_s);
        if (WEXITSTATUS(status) != 0)
                race_fail("%s: exit status %d in round %lu", command->label, WEXITSTATUS(status), round);
        *ret_run = run;
}

static uint64_t race_us(struct timeval t)
{
        return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_usec;
}

static void race_print(FILE *out, unsigned long round, const char *label, const struct race_run *run)
{
        fprintf(out, "%lu\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%ld\t%ld\t%ld\t%ld\t%" PRIu64 "\n", round, label,
                run->wall_ns, race_us(run->usage.ru_utime), race_us(run->usage.ru_stime), run->usage.ru_maxrss,
                run->usage.ru_minflt, run->usage.ru_nvcsw, run->usage.ru_nivcsw, run->bytes_out);
}

int main(int argc, char **argv)
{
        static const struct option options[] = {
                { "plan", required_argument, NULL, 'p' },
                { "out", required_argument, NULL, 'o' },
                { "rounds", required_argument, NULL, 'r' },
                { "warmup", required_argument, NULL, 'w' },
                { "seed", required_argument, NULL, 's' },
                { "cpus", required_argument, NULL, 'c' },
                { "cwd", required_argument, NULL, 'd' },
                { "timeout", required_argument, NULL, 't' },
                { NULL, 0, NULL, 0 },
        };
        const char *plan = NULL, *out_path = NULL, *cwd = NULL;
        unsigned long rounds = 0, warmup = 0;
        uint64_t random_state = 1;
        size_t order[RACE_COMMANDS_MAX];
        FILE *out;
        int c;

        while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
                switch (c) {
                case 'p':
                        plan = optarg;
                        break;
                case 'o':
                        out_path = optarg;
                        break;
                case 'd':
                        cwd = optarg;
                        break;
                case 'c':
                        race_parse_cpus(optarg);
                        break;
                case 'r':
                        rounds = race_number("rounds", optarg, RACE_ROUNDS_MAX);
                        break;
                case 'w':
                        warmup = race_number("warmup", optarg, RACE_ROUNDS_MAX);
                        break;
                case 's':
                        random_state = race_number("seed", optarg, UINT32_MAX);
                        break;
                case 't':
                        race_timeout_s = (unsigned)race_number("timeout", optarg, 86400);
                        break;
                default:
                        return 2;
                }
        }
        if (plan == NULL || out_path == NULL || rounds == 0 || optind != argc) {
                fputs("usage: race --plan=FILE --out=FILE --rounds=N [--warmup=N] [--seed=N] "
                      "[--cpus=LIST] [--cwd=DIR] [--timeout=SECONDS]\n",
                      stderr);
                return 2;
        }
        race_read_plan(plan);
        out = fopen(out_path, "we");
        if (out == NULL)
                race_fail("%s: %s", out_path, strerror(errno));
        if (cwd != NULL && chdir(cwd) < 0)
                race_fail("%s: %s", cwd, strerror(errno));
        race_null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
        if (race_null_fd < 0)
                race_fail("/dev/null: %s", strerror(errno));
        if (sigaction(SIGALRM, &(struct sigaction){ .sa_handler = race_on_alarm }, NULL) < 0)
                race_fail("sigaction: %s", strerror(errno));

        for (size_t i = 0; i < race_n_commands; i++)
                order[i] = i;
        fputs("round\tlabel\twall_ns\tuser_us\tsys_us\tmaxrss_kib\tminflt\tnvcsw\tnivcsw\tbytes_out\n", out);
        for (unsigned long round = 0; round < warmup + rounds; round++) {
                race_shuffle(order, race_n_commands, &random_state);
                for (size_t i = 0; i < race_n_commands; i++) {
                        const struct race_command *command = &race_commands[order[i]];
                        struct race_run run;

                        race_run_one(command, round, &run);
                        if (round >= warmup)
                                race_print(out, round - warmup, command->label, &run);
                }
        }
        if (fclose(out) != 0)
                race_fail("%s: cannot be written", out_path);
        return 0;
}
