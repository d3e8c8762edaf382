/*
 * starve - allocations that fail, one of each run, linked around lsr
 *
 * LSR_STARVE=N fails the Nth of the process, -N that of the worker that it forks.  If there are fewer, none fails, and
 * the file that LSR_STARVE_FILE names stays empty.  LSR_STARVE_TRACE shows where it was.  Shared libraries keep theirs.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static long starve_at;
static long starve_count;
static pid_t starve_pid;
static int starve_told = -1;
static bool starve_traces;

__attribute__((constructor)) static void starve_begin(void)
{
        const char *at = getenv("LSR_STARVE"), *file = getenv("LSR_STARVE_FILE");

        starve_pid = getpid();
        starve_traces = getenv("LSR_STARVE_TRACE");
        starve_at = at ? atol(at) : 0;
        if (file)
                starve_told = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

void __sanitizer_print_stack_trace(void) __attribute__((weak));

/* Is this one to fail? */
static bool starve(void)
{
        static pid_t pid;
        long at = starve_at;

        if (at == 0)
                return false;
        if (at < 0 && getpid() == starve_pid)
                return false;
        if (at > 0 && getpid() != starve_pid)
                return false;
        if (at < 0 && pid != getpid()) {
                pid = getpid();
                starve_count = 0;
        }
        if (__atomic_add_fetch(&starve_count, 1, __ATOMIC_RELAXED) != labs(at))
                return false;
        if (starve_told >= 0)
                (void)!write(starve_told, "1", 1);
        if (starve_traces && __sanitizer_print_stack_trace)
                __sanitizer_print_stack_trace();
        errno = ENOMEM;
        return true;
}

#define STARVED(type, name, parameters, arguments)                \
        type __real_##name parameters;                            \
        type __wrap_##name parameters;                            \
        type __wrap_##name parameters                             \
        {                                                         \
                return starve() ? NULL : __real_##name arguments; \
        }

STARVED(void *, malloc, (size_t n), (n))
STARVED(void *, calloc, (size_t n, size_t size), (n, size))
STARVED(void *, realloc, (void *p, size_t n), (p, n))
STARVED(void *, reallocarray, (void *p, size_t n, size_t size), (p, n, size))
STARVED(void *, aligned_alloc, (size_t a, size_t n), (a, n))
STARVED(char *, strdup, (const char *s), (s))
STARVED(char *, strndup, (const char *s, size_t n), (s, n))

void *REAL_MMAP(void *at, size_t n, int protection, int flags, int fd, off_t offset);
void *WRAP_MMAP(void *at, size_t n, int protection, int flags, int fd, off_t offset);
void *WRAP_MMAP(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
        return flags & MAP_ANONYMOUS && starve() ? MAP_FAILED : REAL_MMAP(at, n, protection, flags, fd, offset);
}
