/*
 * stats - system calls are counted by lsr itself
 *
 * System calls that libc makes to start a program (about 14 in the static
 * binary), for memory and for threads are not among them; `strace -c` shows all.
 * Nor are those of programs that lsr runs, git and getent: these are counted
 * themselves.
 */
#include "cli/cli.h"

#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/compat.h"
#include "base/cleanup.h"
#include "base/command.h"
#include "cli/message.h"
#include "remote/protocol.h"

struct stats {
        struct lsr_out out;
        bool json;
};

/* What is in front of a value. */
static void stats_name(struct stats *s, const char *name, const char *behind)
{
        if (!s->json) {
                lsr_out_printf(&s->out, "%-16s ", name);
                return;
        }
        lsr_out_puts(&s->out, s->out.len ? ",\"" : "{\"");
        for (const char *p = name; *p; p++)
                lsr_out_putc(&s->out, *p == ' ' ? '_' : *p);
        lsr_out_printf(&s->out, "%s\":", behind);
}

static void stats_end(struct stats *s)
{
        if (!s->json)
                lsr_out_putc(&s->out, '\n');
}

static void stats_count(struct stats *s, const char *name, uint64_t value)
{
        stats_name(s, name, "");
        lsr_out_printf(&s->out, "%llu", (unsigned long long)value);
        stats_end(s);
}

static void stats_time(struct stats *s, const char *name, uint64_t ns)
{
        stats_name(s, name, "_ns");
        if (s->json)
                lsr_out_printf(&s->out, "%llu", (unsigned long long)ns);
        else
                lsr_out_printf(&s->out, "%.3f ms", (double)ns / 1e6);
        stats_end(s);
}

static void stats_text(struct stats *s, const char *name, const char *text)
{
        stats_name(s, name, "");
        lsr_out_printf(&s->out, s->json ? "\"%s\"" : "%s", text);
        stats_end(s);
}

/* The process that parses bundles. */
static void stats_confined(struct stats *s, int confined)
{
        lsr_autofree char *why = confined < 0 ? lsr_xprintf("not confined (%s)", strerrordesc_np(-confined)) : NULL;

        stats_text(s, "parser", confined > 0 ? "not started" : confined == 0 ? "confined" : why);
}

/* What was asked of servers; the system calls of lsr-remote are not counted. */
static void stats_remote(struct stats *s, const struct lsr_bundles *bundles)
{
        struct lsr_remote_stats remote;

        lsr_bundles_remote_stats(bundles, &remote);
        if (!remote.requests)
                return;
        stats_count(s, "fetches", remote.requests);
        stats_count(s, "fetches repeated", remote.retries);
        stats_count(s, "bytes fetched", remote.bytes);
        stats_time(s, "fetching", remote.waited_ns);
}

/* Programs that lsr runs: their system calls are not counted. */
static void stats_programs(struct stats *s, unsigned runs)
{
        lsr_autofree char *text = lsr_xprintf("%u (their system calls are not counted)", runs);

        if (s->json)
                stats_count(s, "programs run", runs);
        else if (runs)
                stats_text(s, "programs run", text);
}

void lsr_stats_print(const struct lsr_listing_stats *listing, const struct lsr_io_stats *io, const char *engine,
                     const struct lsr_bundles *bundles, const struct lsr_view *view, bool json)
{
        const struct lsr_command_stats *commands = lsr_command_stats();
        struct stats s = { .out = LSR_OUT_MEMORY, .json = json };

        stats_text(&s, "engine", engine);
        stats_confined(&s, bundles ? lsr_bundles_confined(bundles) : 1);
        stats_count(&s, "entries", listing->entries);
        stats_count(&s, "directories", listing->directories);
        stats_count(&s, "system calls",
                    io->syscalls + view->out->writes + view->syscalls + view->links.syscalls + commands->syscalls +
                            lsr_message_writes());
        stats_count(&s, "ring requests", io->ring_ops);
        stats_count(&s, "ring enters", io->ring_enters);
        stats_count(&s, "ring repeated", io->retried_ops);
        stats_count(&s, "thread requests", io->thread_ops);
        stats_count(&s, "sync requests", io->sync_ops);
        if (io->faults)
                stats_count(&s, "faults injected", io->faults);
        stats_programs(&s, commands->runs);
        if (bundles)
                stats_remote(&s, bundles);
        stats_count(&s, "bytes read", io->bytes_read);
        stats_count(&s, "bytes written", lsr_out_pos(view->out));
        stats_time(&s, "reading", listing->read_ns);
        stats_time(&s, "waiting", listing->wait_ns);
        stats_time(&s, "sorting", listing->sort_ns);
        stats_time(&s, "showing", listing->show_ns);
        lsr_out_puts(&s.out, json ? "}\n" : "");
        (void)!write(STDERR_FILENO, s.out.buf, s.out.len);
        lsr_out_free(&s.out);
}
