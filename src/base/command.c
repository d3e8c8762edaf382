/*
 * command - posix_spawn and a pipe
 *
 * posix_spawn() and not fork(): the address space may hold a million entries.
 */
#include "base/command.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"

#define COMMAND_READ ((size_t)16 << 10)

static struct lsr_command_stats command_stats;

const struct lsr_command_stats *lsr_command_stats(void)
{
        return &command_stats;
}

/* Read @fd to its end. */
static int command_read(int fd, char **ret_text, size_t *ret_len)
{
        size_t len = 0, cap = COMMAND_READ;
        char *text = lsr_xmalloc(cap);
        ssize_t n;

        for (;;) {
                n = read(fd, text + len, cap - 2 - len);
                command_stats.syscalls++;
                if (n == 0)
                        break;
                if (n < 0 && errno != EINTR) {
                        int error = -errno;

                        free(text);
                        return error;
                }
                len += n > 0 ? (size_t)n : 0;
                if (len == cap - 2) {
                        cap *= 2;
                        text = lsr_xrealloc(text, cap);
                }
        }
        text[len] = text[len + 1] = '\0';
        *ret_text = text;
        *ret_len = len;
        return 0;
}

/* The first line of what @fd holds, a file in memory; < 0: there is none. */
static void command_said(int fd, char said[static LSR_COMMAND_SAID])
{
        ssize_t n = pread(fd, said, LSR_COMMAND_SAID - 1, 0);

        said[n > 0 ? n : 0] = '\0';
        said[strcspn(said, "\n")] = '\0';
}

int lsr_command_output(const char *const argv[], char *const env[], char *said, char **ret_text, size_t *ret_len)
{
        /* Not a pipe: two would have to be read at once. */
        lsr_autoclose int heard = said ? memfd_create("said", MFD_CLOEXEC) : -1;
        posix_spawn_file_actions_t actions;
        int fds[2], status = 0, r;
        pid_t pid;

        if (pipe2(fds, O_CLOEXEC) < 0)
                return -errno;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        if (heard >= 0)
                posix_spawn_file_actions_adddup2(&actions, heard, STDERR_FILENO);
        else
                posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        command_stats.runs++;
        command_stats.syscalls += 4; /* the pipe, its two ends, the process */
        /* It changes none of the words, though its prototype says that it may. */
        r = -posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, env);
        posix_spawn_file_actions_destroy(&actions);
        close(fds[1]);
        if (r == 0) {
                r = command_read(fds[0], ret_text, ret_len);
                do
                        command_stats.syscalls++;
                while (waitpid(pid, &status, 0) < 0 && errno == EINTR);
                r = r < 0 ? r : status;
        }
        if (said)
                command_said(heard, said);
        close(fds[0]);
        return r;
}
