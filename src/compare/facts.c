/* facts - from /proc and /sys, in the kernel's words */
#include "compare/facts.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/out.h"
#include "base/thread.h"
#include "compare/conclusions.h"
#include "version.h"

#define FACTS_MITIGATIONS "/sys/devices/system/cpu/vulnerabilities"
#define FACTS_NULL_CALLS 20000u
#define FACTS_NULL_ROUNDS 5u

/* @value is taken over; NULL: not known, and left out. */
static void facts_add(struct lsr_experiment *x, const char *name, char *value)
{
        if (!value)
                return;
        x->facts = lsr_xrealloc(x->facts, (x->n_facts + 1) * sizeof(*x->facts));
        x->facts[x->n_facts++] = (struct lsr_fact){ name, value };
}

void lsr_fact_printf(struct lsr_experiment *x, const char *name, const char *format, ...)
{
        va_list args;
        char *value;

        va_start(args, format);
        if (vasprintf(&value, format, args) < 0)
                lsr_exhausted();
        va_end(args);
        facts_add(x, name, value);
}

/* The value of "@key : value" in @file, of its first line with that key; without a key the first line. */
static char *facts_line(const char *file, const char *key)
{
        FILE *f = fopen(file, "re");
        char line[1024], *found = NULL;

        while (f && !found && fgets(line, sizeof(line), f)) {
                char *value = line, *end = line + strlen(line);

                if (key && strncmp(line, key, strlen(key)) != 0)
                        continue;
                if (key) {
                        value = strchr(line, ':');
                        if (!value)
                                continue;
                        value++;
                }
                while (isspace((unsigned char)*value))
                        value++;
                while (end > value && isspace((unsigned char)end[-1]))
                        *--end = '\0';
                found = lsr_xstrdup(value);
        }
        if (f)
                fclose(f);
        return found;
}

static int facts_no_dot(const struct dirent *d)
{
        return d->d_name[0] != '.';
}

/* The kernel's mitigations of processor vulnerabilities; those that do not affect this processor are left out. */
static char *facts_mitigations(void)
{
        struct dirent **names;
        int n = scandir(FACTS_MITIGATIONS, &names, facts_no_dot, alphasort);
        struct lsr_out out = LSR_OUT_MEMORY;

        if (n < 0)
                return NULL;
        for (int i = 0; i < n; i++) {
                char path[512], *text;

                snprintf(path, sizeof(path), FACTS_MITIGATIONS "/%s", names[i]->d_name);
                text = facts_line(path, NULL);
                if (text && strcmp(text, "Not affected") != 0)
                        lsr_out_printf(&out, "%s%s: %s", out.len > 0 ? "; " : "", names[i]->d_name, text);
                free(text);
                free(names[i]);
        }
        free(names);
        if (out.len == 0)
                lsr_out_puts(&out, "none needed");
        lsr_out_putc(&out, '\0');
        return out.buf;
}

/* The time of the cheapest system call: the best of some rounds. */
static double facts_null_call(void)
{
        uint64_t best = UINT64_MAX;

        for (unsigned round = 0; round < FACTS_NULL_ROUNDS; round++) {
                uint64_t began = lsr_clock(), took;

                for (unsigned i = 0; i < FACTS_NULL_CALLS; i++)
                        syscall(SYS_getppid);
                took = lsr_clock() - began;
                best = took < best ? took : best;
        }
        return (double)best / FACTS_NULL_CALLS;
}

/* This process's arguments, quoted as for a shell. */
static char *facts_command(void)
{
        char buf[4096];
        struct lsr_out out = LSR_OUT_MEMORY;
        int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
        ssize_t n = fd >= 0 ? read(fd, buf, sizeof(buf) - 1) : -1;

        if (fd >= 0)
                close(fd);
        if (n <= 0)
                return NULL;
        buf[n] = '\0';
        for (const char *at = buf; at < buf + n; at += strlen(at) + 1) {
                if (out.len > 0)
                        lsr_out_putc(&out, ' ');
                lsr_compare_shown(&out, at, LSR_QUOTE_SHELL_ESCAPE);
        }
        lsr_out_putc(&out, '\0');
        return out.buf;
}

void lsr_facts_machine(struct lsr_experiment *x)
{
        time_t now = time(NULL);
        char date[32];
        struct utsname u;
        struct tm tm;
        char *memory, *model;

        if (gmtime_r(&now, &tm) && strftime(date, sizeof(date), "%Y-%m-%d %H:%M UTC", &tm) > 0)
                lsr_fact_printf(x, "date", "%s", date);
        facts_add(x, "command", facts_command());
        lsr_fact_printf(x, "lsr", "%s", LSR_VERSION);
        if (uname(&u) == 0)
                lsr_fact_printf(x, "kernel", "%s %s %s", u.sysname, u.release, u.machine);
        model = facts_line("/proc/cpuinfo", "model name");
        facts_add(x, "cpu", model ? model : facts_line("/proc/cpuinfo", "CPU implementer"));
        lsr_fact_printf(x, "cpus", "%u", lsr_thread_cpus());
        memory = facts_line("/proc/meminfo", "MemTotal");
        if (memory)
                lsr_fact_printf(x, "memory", "%.1f GiB", strtod(memory, NULL) / (1 << 20));
        free(memory);
        facts_add(x, "mitigations", facts_mitigations());
        lsr_fact_printf(x, "null syscall", "%.0f ns", facts_null_call());
}

/* "36 25 8:1 / /home rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=..." of mount @id, or NULL. */
static char *facts_mount(const char *id)
{
        FILE *f = fopen("/proc/self/mountinfo", "re");
        char *line = NULL, *found = NULL;
        size_t cap = 0;

        while (f && !found && getline(&line, &cap, f) > 0) {
                char options[256], type[64], more[512], *dash;

                if (strncmp(line, id, strlen(id)) != 0 || line[strlen(id)] != ' ' ||
                    sscanf(line, "%*s %*s %*s %*s %*s %255s", options) != 1)
                        continue;
                dash = strstr(line, " - ");
                if (!dash || sscanf(dash, " - %63s %*s %511s", type, more) != 2)
                        continue;
                found = lsr_xprintf("%s (%s; %s)", type, options, more);
        }
        if (f)
                fclose(f);
        free(line);
        return found;
}

void lsr_facts_place(struct lsr_experiment *x, const char *name, const char *path)
{
        int fd = open(path, O_PATH | O_CLOEXEC);
        char file[64], *id;

        /*
         * By its number: a mount has options of its own, and a file system may have more devices than it tells there.
         */
        snprintf(file, sizeof(file), "/proc/self/fdinfo/%d", fd);
        id = facts_line(file, "mnt_id");
        if (id)
                facts_add(x, name, facts_mount(id));
        free(id);
        if (fd >= 0)
                close(fd);
}
