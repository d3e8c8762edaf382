/*
 * git - settings that win over those of any file
 *
 * Most programs have a setting of fixed name, which is overridden.  A filter has a name of its own, so git is asked
 * first which filters its configuration has: reading that runs nothing.
 *
 * --config-env and not -c: it splits at the last '=', and the name of a filter may have one.  It came with git 2.31;
 * an older one refuses it and does not run at all.  What git starts in a submodule does not inherit these settings, so
 * callers must not let git look into submodules.
 */
#include "base/git.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/arena.h"
#include "base/command.h"

#define GIT_EMPTY "LSR_GIT_EMPTY"
#define GIT_FALSE "LSR_GIT_FALSE"
#define GIT_NONE_FOUND 1 /* exit status of git config */

extern char **environ;

static char git_said[LSR_COMMAND_SAID];

const char *lsr_git_said(void)
{
        return git_said;
}

struct git_run {
        struct lsr_arena arena;
        const char **argv;
        size_t n, cap;
        char **env;
};

static void git_arg(struct git_run *run, const char *arg)
{
        if (run->n == run->cap) {
                run->cap = run->cap ? 2 * run->cap : 64;
                run->argv = lsr_xrealloc(run->argv, run->cap * sizeof(*run->argv));
        }
        run->argv[run->n++] = arg;
}

static void git_override(struct git_run *run, const char *section, const char *key, const char *variable)
{
        size_t len = strlen("--config-env=") + strlen(section) + 1 + strlen(key) + 1 + strlen(variable) + 1;
        char *arg = lsr_arena_text(&run->arena, len);

        snprintf(arg, len, "--config-env=%s.%s=%s", section, key, variable);
        git_arg(run, arg);
}

/* git, and the arguments of every call. */
static void git_begin(struct git_run *run, const char *dir)
{
        git_arg(run, "git");
        git_arg(run, "--no-pager");
        git_arg(run, "--no-optional-locks"); /* an index that is not written runs no hook either */
        git_arg(run, "-C");
        git_arg(run, dir);
        git_override(run, "core", "fsmonitor", GIT_FALSE);
        git_arg(run, "-c");
        git_arg(run, "core.hooksPath=/dev/null");
}

/* Override the filters that the settings @names belong to; each name ends in a NUL. */
static void git_override_filters(struct git_run *run, char *names, size_t len)
{
        const char *last = "";

        for (char *p = names, *end; p < names + len; p = end + 1) {
                char *dot = strrchr(p, '.');

                end = p + strlen(p);
                if (!dot || dot == strchr(p, '.'))
                        continue; /* of no filter: it has no name */
                *dot = '\0';
                if (strcmp(p, last) == 0)
                        continue;
                last = p;
                git_override(run, p, "clean", GIT_EMPTY);
                git_override(run, p, "smudge", GIT_EMPTY);
                git_override(run, p, "process", GIT_EMPTY);
                git_override(run, p, "required", GIT_FALSE);
        }
}

/* The environment: the variables that the overrides refer to, and none that lead to another repository. */
static void git_environment(struct git_run *run)
{
        static const char *const more[] = {
                GIT_EMPTY "=",
                GIT_FALSE "=false",
                "GIT_ALLOW_PROTOCOL=none",
                "GIT_NO_LAZY_FETCH=1",
        };
        const size_t n_more = sizeof(more) / sizeof(*more);
        size_t n = 0, kept = 0;

        while (environ[n])
                n++;
        run->env = lsr_arena_new(&run->arena, char *, n + n_more + 1);
        for (size_t i = 0; i < n_more; i++)
                run->env[kept++] = lsr_arena_strndup(&run->arena, more[i], strlen(more[i]));
        for (size_t i = 0; i < n; i++) {
                bool replaced = false;

                for (size_t k = 0; k < n_more && !replaced; k++)
                        replaced = strncmp(environ[i], more[k], strcspn(more[k], "=") + 1) == 0;
                if (!replaced)
                        run->env[kept++] = environ[i];
        }
        run->env[kept] = NULL;
}

int lsr_git_output(const char *dir, const char *const args[], char **ret_text, size_t *ret_len)
{
        static const char *const filters[] = { "config", "--null", "--name-only", "--get-regexp", "^filter\\.", NULL };
        struct git_run run = {};
        char *names = NULL;
        size_t len, fixed;
        int r;

        git_environment(&run);
        git_begin(&run, dir);
        fixed = run.n;
        for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++)
                git_arg(&run, filters[i]);
        r = lsr_command_output(run.argv, run.env, git_said, &names, &len);
        if (r == 0 || (r > 0 && WIFEXITED(r) && WEXITSTATUS(r) == GIT_NONE_FOUND)) {
                run.n = fixed;
                git_override_filters(&run, names, len);
                for (size_t i = 0; args[i]; i++)
                        git_arg(&run, args[i]);
                git_arg(&run, NULL);
                free(names);
                r = lsr_command_output(run.argv, run.env, git_said, ret_text, ret_len);
        } else if (r > 0) {
                *ret_text = names;
                *ret_len = len;
        }
        free(run.argv);
        lsr_arena_free(&run.arena);
        return r;
}
