/*
 * replay - the targets without an engine
 *
 *      replay [--rounds N] CORPUS [TARGET]
 *      replay --one TARGET FILE
 *
 * CORPUS/TARGET/ has the inputs of a target, as seeds.py makes them.  Each is run as it is, and N times mutated (20),
 * the same way each time.  A target has a process of its own; what killed it is written to CORPUS/failed-TARGET.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "fuzz.h"

#define REPLAY_SECONDS_MAX 120u /* for one target */

/* The input at hand, where the parent finds it. */
struct replay {
        size_t inputs;
        size_t n;
        uint8_t data[FUZZ_SIZE_MAX];
};

static uint64_t replay_state;

static uint32_t replay_below(size_t n)
{
        replay_state = replay_state * 6364136223846793005u + 1442695040888963407u;
        return (uint32_t)((replay_state >> 33) % n);
}

/* Some bytes changed, moved, taken away or put in. */
static size_t replay_mutate(uint8_t *data, size_t n)
{
        for (unsigned i = 1 + replay_below(6); i > 0 && n > 0; i--) {
                size_t at = replay_below(n), to = replay_below(n), len = 1 + replay_below(n < 64 ? n : 64);

                if (len > n - (at > to ? at : to))
                        len = n - (at > to ? at : to);
                switch (replay_below(6)) {
                case 0:
                        data[at] ^= (uint8_t)(1u << replay_below(8));
                        break;
                case 1:
                        data[at] = (uint8_t)replay_below(256);
                        break;
                case 2:
                        memset(data + at, replay_below(2) ? 0xff : 0, len > 8 ? 8 : len);
                        break;
                case 3:
                        memmove(data + to, data + at, len);
                        break;
                case 4:
                        memmove(data + at, data + at + len, n - at - len);
                        n -= len;
                        break;
                default:
                        if (n + len > FUZZ_SIZE_MAX)
                                break;
                        memmove(data + at + len, data + at, n - at);
                        n += len;
                }
        }
        return n;
}

/* In memory that ends where the input does, so that a sanitizer sees what is read behind it. */
static void replay_run(const struct fuzz_target *t, struct replay *r)
{
        uint8_t *exact = lsr_xmalloc(r->n ? r->n : 1);

        memcpy(exact, r->data, r->n);
        t->run(exact + (r->n ? 0 : 1), r->n);
        free(exact);
}

static void replay_file(const struct fuzz_target *t, const char *path, unsigned rounds, struct replay *r)
{
        static uint8_t seed[FUZZ_SIZE_MAX];
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t n = fd < 0 ? -1 : read(fd, seed, sizeof(seed));

        if (n < 0) {
                perror(path);
                _exit(2);
        }
        close(fd);
        r->inputs++;
        for (unsigned i = 0; i <= rounds; i++) {
                memcpy(r->data, seed, (size_t)n);
                r->n = i ? replay_mutate(r->data, (size_t)n) : (size_t)n;
                if (i && t->mend && i % 4)
                        t->mend(r->data, r->n);
                replay_run(t, r);
        }
}

static int replay_dir(const struct fuzz_target *t, const char *dir, unsigned rounds, struct replay *r)
{
        struct dirent **names;
        int n = scandir(dir, &names, NULL, alphasort);

        for (int i = 0; i < n; i++) {
                char *path = lsr_xprintf("%s/%s", dir, names[i]->d_name);

                if (names[i]->d_name[0] != '.')
                        replay_file(t, path, rounds, r);
                free(path);
                free(names[i]);
        }
        if (n >= 0)
                free(names);
        return n < 0 ? 2 : 0;
}

static bool replay_target(const struct fuzz_target *t, const char *corpus, unsigned rounds, struct replay *r)
{
        char *dir = lsr_xprintf("%s/%s", corpus, t->name), *failed = lsr_xprintf("%s/failed-%s", corpus, t->name);
        int status = 0, fd;
        pid_t pid;

        *r = (struct replay){};
        fflush(NULL);
        pid = fork();
        if (pid == 0) {
                replay_state = 1;
                alarm(REPLAY_SECONDS_MAX);
                status = replay_dir(t, dir, rounds, r);
                free(dir);
                free(failed);
                exit(status); /* with the leak check */
        }
        while (waitpid(pid, &status, 0) < 0)
                ;
        if (status != 0 || r->inputs == 0) {
                printf("%s: %s %d; its last input is %s\n", t->name, WIFSIGNALED(status) ? "signal" : "exit status",
                       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), failed);
                fd = open(failed, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
                if (fd < 0 || write(fd, r->data, r->n) < 0)
                        perror(failed);
                close(fd);
        }
        free(dir);
        free(failed);
        return status == 0 && r->inputs > 0;
}

int main(int argc, char **argv)
{
        struct replay *r = mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        unsigned rounds = 20, passed = 0, failed = 0;
        const struct fuzz_target *t;

        signal(SIGPIPE, SIG_IGN);
        if (argc == 4 && strcmp(argv[1], "--one") == 0) {
                t = fuzz_find(argv[2]);
                if (!t)
                        return 2;
                replay_file(t, argv[3], 0, r);
                return 0;
        }
        if (argc > 3 && strcmp(argv[1], "--rounds") == 0) {
                rounds = (unsigned)atoi(argv[2]);
                argc -= 2;
                argv += 2;
        }
        if (argc < 2 || argc > 3) {
                fprintf(stderr, "usage: replay [--rounds N] CORPUS [TARGET], replay --one TARGET FILE\n");
                return 2;
        }
        for (t = fuzz_targets; t->name; t++) {
                if (argc == 3 && strcmp(argv[2], t->name) != 0)
                        continue;
                if (replay_target(t, argv[1], rounds, r))
                        passed++;
                else
                        failed++;
        }
        printf("%u passed, %u failed\n", passed, failed);
        return failed > 0;
}
