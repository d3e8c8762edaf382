/* test-compare - ways agree on what they read, and calls are counted one by one */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compare/bundling.h"
#include "compare/child.h"
#include "compare/trace.h"
#include "compare/way.h"
#include "compare/ways.h"

/* A child executes this very program, before its main() is reached.  musl gives constructors no arguments. */
__attribute__((constructor)) static void route(void)
{
        static char text[16384];
        static char *argv[100];
        int argc = 0, fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
        ssize_t n = read(fd, text, sizeof(text) - 1);

        close(fd);
        for (char *p = text; p < text + n && argc < 99; p += strlen(p) + 1)
                argv[argc++] = p;
        lsr_way_route(argc, argv);
}

/* --- a tree ------------------------------------------------------------------- */

static char tree[] = "/tmp/lsr-compare-XXXXXX";

static void tree_file(const char *name, size_t n)
{
        char path[512];
        FILE *f;

        snprintf(path, sizeof(path), "%s/%s", tree, name);
        f = fopen(path, "we");
        cr_assert(f);
        for (size_t i = 0; i < n; i++)
                putc((int)(i * 31 + n) & 0xff, f);
        fclose(f);
}

static void tree_make(void)
{
        static const char *const dirs[] = { "a", "a/deep", "b" };
        char path[256], other[256];

        cr_assert(mkdtemp(tree));
        for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs); i++) {
                snprintf(path, sizeof(path), "%s/%s", tree, dirs[i]);
                cr_assert(mkdir(path, 0755) == 0);
        }
        /* Around the sizes of buffers: 128 and 256 KiB. */
        tree_file("a/empty", 0);
        tree_file("a/one", 1);
        tree_file("a/deep/131071", 131071);
        tree_file("a/deep/131072", 131072);
        tree_file("b/262144", 262144);
        tree_file("b/262145", 262145);
        tree_file("b/600000", 600000);
        for (unsigned i = 0; i < 200; i++) {
                snprintf(path, sizeof(path), "b/f%u", i);
                tree_file(path, i * 100);
        }
        snprintf(path, sizeof(path), "%s/link", tree);
        cr_assert(symlink("a/one", path) == 0);
        snprintf(path, sizeof(path), "%s/a/one", tree);
        snprintf(other, sizeof(other), "%s/b/zhard", tree);
        cr_assert(link(path, other) == 0);
}

static void tree_remove(void)
{
        char command[64];

        snprintf(command, sizeof(command), "rm -rf %s", tree);
        cr_assert(system(command) == 0);
}

static void not_unreadable(void *ctx, const char *path, int error)
{
        (void)ctx;
        cr_expect(false, "%s: %s", path, strerror(-error));
}

#define TREE_MEMBERS 209
#define TREE_BYTES (1u + 131071 + 131072 + 262144 + 262145 + 600000 + 199 * 100 * 100 + 1)

static void way_check(const struct lsr_way_job *job, const char *name, uint64_t *inout_digest)
{
        struct lsr_way_report report;

        lsr_way_run(job, &report);
        if (job->kind == LSR_WAY_URING && (report.error == -EPERM || report.error == -ENOSYS))
                return;
        cr_expect(report.error == 0, "%s: %s: %s", name, report.what, strerror(-report.error));
        cr_expect(report.members == TREE_MEMBERS, "%s: %lu members", name, (unsigned long)report.members);
        cr_expect(report.bytes == TREE_BYTES, "%s: %lu bytes", name, (unsigned long)report.bytes);
        cr_expect(report.total_ns >= report.io_ns && report.io_ns > 0, "%s", name);
        if (*inout_digest == 0)
                *inout_digest = report.digest;
        cr_expect(report.digest == *inout_digest, "%s", name);
}

Test(compare, ways_agree)
{
        static const char *const words[] = { "tar", "tar.gz", "tar.zst", "tar.lz4", "zip-store", "zip", "sqlar" };
        struct lsr_way_job job = { .dir = tree, .owner = getpid(), .links = true };
        struct lsr_bundling bundling = { .dir = tree, .threads = 2 };
        struct lsr_inventory inventory;
        struct lsr_bundling_format format;
        struct lsr_scratch scratch;
        struct lsr_bundled bundled;
        char *text;
        uint64_t digest = 0;

        tree_make();
        for (job.kind = LSR_WAY_SYNC; job.kind < LSR_WAY_BUNDLES; job.kind++)
                way_check(&job, "files", &digest);
        cr_assert(lsr_inventory_take(&inventory, &(struct lsr_inventory_options){ .dir = tree,
                                                                                  .unreadable = not_unreadable }) == 0);
        cr_expect(inventory.files == TREE_MEMBERS - 1 && inventory.links == 1 && inventory.members == TREE_MEMBERS + 3);
        cr_expect(inventory.bytes == TREE_BYTES && inventory.hard_links && inventory.n_packages == 2);
        cr_assert(lsr_scratch_open(&scratch, tree, 1) == 0);
        bundling.scratch = &scratch;
        bundling.inventory = &inventory;
        bundling.format = &format;
        for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
                cr_assert(lsr_bundling_format(words[i], &format));
                cr_assert(lsr_bundling_make(&bundled, &bundling, &text) == 0);
                job.fds = bundled.fds;
                job.n_fds = bundled.n;
                way_check(&job, words[i], &digest);
                lsr_bundled_free(&bundled);
        }
        lsr_scratch_close(&scratch);
        lsr_inventory_free(&inventory);
        tree_remove();
}

/* What a reader does not see it must not count as read: another name, another byte. */
Test(compare, digest_tells)
{
        struct lsr_way_job job = { .kind = LSR_WAY_SYNC, .dir = tree };
        struct lsr_way_report before, after;
        char path[256], other[256];
        int fd;

        tree_make();
        lsr_way_run(&job, &before);
        snprintf(path, sizeof(path), "%s/b/600000", tree);
        fd = open(path, O_WRONLY | O_CLOEXEC);
        cr_assert(pwrite(fd, "?", 1, 599999) == 1);
        close(fd);
        lsr_way_run(&job, &after);
        cr_expect(after.digest != before.digest && after.bytes == before.bytes);
        before = after;
        snprintf(other, sizeof(other), "%s/b/600001", tree);
        cr_assert(rename(path, other) == 0);
        lsr_way_run(&job, &after);
        cr_expect(after.digest != before.digest && after.members == before.members);
        tree_remove();
}

Test(compare, missing_tree)
{
        const struct lsr_way_job job = { .kind = LSR_WAY_MMAP, .dir = "/nonexistent/tree" };
        struct lsr_way_report report;

        lsr_way_run(&job, &report);
        cr_expect(report.error == -ENOENT && strcmp(report.what, job.dir) == 0);
}

/* Without a clock it reads the same. */
Test(compare, unmeasured)
{
        const struct lsr_way_job job = { .kind = LSR_WAY_THREADS, .dir = tree };
        struct lsr_way_report measured, unmeasured;

        tree_make();
        lsr_way_run(&job, &measured);
        way_unmeasured = true;
        lsr_way_run(&job, &unmeasured);
        way_unmeasured = false;
        cr_expect(measured.total_ns > 0 && unmeasured.total_ns == 0 && unmeasured.io_ns == 0);
        cr_expect(unmeasured.digest == measured.digest && unmeasured.members == TREE_MEMBERS);
        tree_remove();
}

/* --- children ----------------------------------------------------------------- */

/* A run that is traced and one that is not report the same, but for times and how often a ring was entered. */
static void child_check(const struct lsr_way_job *job, const char *name)
{
        const struct lsr_child child = { .name = name, .job = job };
        struct lsr_child_result plain, traced;
        struct lsr_way_report *reports[] = { &plain.report, &traced.report };
        char *text = NULL;
        int r = lsr_child_run(&child, &plain, &text);

        if (job->kind == LSR_WAY_URING && (plain.report.error == -EPERM || plain.report.error == -ENOSYS)) {
                free(text);
                return;
        }
        cr_assert(r == 0, "%s: %s", name, text ? text : strerror(-r));
        cr_expect(plain.report.members == TREE_MEMBERS && plain.report.bytes == TREE_BYTES, "%s", name);
        cr_expect(plain.cost.total_ns == plain.report.total_ns && plain.cost.total_ns > 0, "%s", name);
        cr_expect(plain.cost.peak_bytes > 0 && !plain.calls, "%s", name);
        r = lsr_child_trace(&child, &traced, &text);
        cr_assert(r == 0, "%s: %s", name, text ? text : strerror(-r));
        if (traced.refused)
                return;
        cr_expect(traced.n_calls > 0, "%s", name);
        for (unsigned i = 0; i < 2; i++) {
                struct lsr_way_report *report = reports[i];

                report->io_ns = report->decode_ns = report->total_ns = report->ring_enters = 0;
        }
        cr_expect(memcmp(&plain.report, &traced.report, sizeof(plain.report)) == 0, "%s", name);
        free(traced.calls);
}

Test(compare, traced_differs_in_time_only)
{
        static const char *const words[] = { "tar.gz", "tar.zst", "zip", "sqlar" };
        struct lsr_way_job job = { .dir = tree, .owner = getpid(), .links = true };
        struct lsr_bundling_format format;
        struct lsr_scratch scratch;
        struct lsr_bundling bundling = { .dir = tree, .threads = 2, .scratch = &scratch, .format = &format };
        struct lsr_bundled bundled;
        char *text;

        tree_make();
        for (job.kind = LSR_WAY_SYNC; job.kind < LSR_WAY_BUNDLES; job.kind++)
                child_check(&job, "files");
        cr_assert(lsr_scratch_open(&scratch, tree, 1) == 0);
        for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
                cr_assert(lsr_bundling_format(words[i], &format));
                cr_assert(lsr_bundling_make(&bundled, &bundling, &text) == 0);
                job.fds = bundled.fds;
                job.n_fds = bundled.n;
                child_check(&job, words[i]);
                lsr_bundled_free(&bundled);
        }
        lsr_scratch_close(&scratch);
        tree_remove();
}

/* --- trace -------------------------------------------------------------------- */

static void *trace_thread(void *arg)
{
        (void)arg;
        for (unsigned i = 0; i < 30; i++)
                syscall(SYS_getppid);
        return NULL;
}

/* Three threads and a process, whose calls are known. */
static void trace_child(void)
{
        pthread_t threads[3];
        pid_t pid;

        if (lsr_trace_me() < 0)
                _exit(77);
        /* Instead of executing something. */
        raise(SIGTRAP);
        for (unsigned i = 0; i < 100; i++)
                syscall(SYS_getppid);
        syscall(100000);
        for (unsigned i = 0; i < 3; i++)
                pthread_create(&threads[i], NULL, trace_thread, NULL);
        for (unsigned i = 0; i < 3; i++)
                pthread_join(threads[i], NULL);
        pid = fork();
        if (pid == 0) {
                syscall(SYS_getppid);
                _exit(0);
        }
        waitpid(pid, NULL, 0);
        raise(SIGUSR1);
        _exit(5);
}

static uint64_t trace_count(const struct lsr_call_count *calls, size_t n, const char *name)
{
        for (size_t i = 0; i < n; i++)
                if (strcmp(calls[i].name, name) == 0)
                        return calls[i].n;
        return 0;
}

Test(compare, counts_calls)
{
        struct lsr_call_count *calls = NULL;
        size_t n = 0;
        int status = 0, r;
        pid_t pid;

        signal(SIGUSR1, SIG_IGN);
        pid = fork();
        if (pid == 0)
                trace_child();
        r = lsr_trace_run(pid, &status, &calls, &n);
        cr_assert(r == 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
                cr_skip_test("ptrace is refused");
        cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 5);
        cr_expect(trace_count(calls, n, "getppid") == 100 + 3 * 30 + 1);
        cr_expect(trace_count(calls, n, "execve") == 1);
        cr_expect(trace_count(calls, n, "other") == 1);
        cr_expect(trace_count(calls, n, "exit_group") == 0);
        for (size_t i = 1; i < n; i++)
                cr_expect(calls[i - 1].n >= calls[i].n);
        free(calls);
}
