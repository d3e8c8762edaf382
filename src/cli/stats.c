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

#include "base/cleanup.h"
#include "base/command.h"
#include "cli/message.h"
#include "remote/protocol.h"

static void stats_count(struct lsr_out *out, const char *name, uint64_t value)
{
        lsr_out_printf(out, "%-16s %llu\n", name, (unsigned long long)value);
}

static void stats_time(struct lsr_out *out, const char *name, uint64_t ns)
{
        lsr_out_printf(out, "%-16s %.3f ms\n", name, (double)ns / 1e6);
}

/* The process that parses bundles. */
static void stats_confined(struct lsr_out *out, int confined)
{
        lsr_out_printf(out, "%-16s %s%s%s\n", "parser",
                       confined > 0    ? "not started"
                       : confined == 0 ? "confined"
                                       : "not confined (",
                       confined < 0 ? strerrordesc_np(-confined) : "", confined < 0 ? ")" : "");
}

/* What was asked of servers; the system calls of lsr-remote are not counted. */
static void stats_remote(struct lsr_out *out, const struct lsr_bundles *bundles)
{
        struct lsr_remote_stats remote;

        lsr_bundles_remote_stats(bundles, &remote);
        if (!remote.requests)
                return;
        stats_count(out, "fetches", remote.requests);
        stats_count(out, "fetches repeated", remote.retries);
        stats_count(out, "bytes fetched", remote.bytes);
        stats_time(out, "fetching", remote.waited_ns);
}

void lsr_stats_print(const struct lsr_listing_stats *listing, const struct lsr_io_stats *io, const char *engine,
                     const struct lsr_bundles *bundles, const struct lsr_view *view)
{
        const struct lsr_command_stats *commands = lsr_command_stats();
        lsr_auto(lsr_out_free) struct lsr_out out = LSR_OUT_FD(STDERR_FILENO);

        lsr_out_printf(&out, "%-16s %s\n", "engine", engine);
        stats_confined(&out, bundles ? lsr_bundles_confined(bundles) : 1);
        stats_count(&out, "entries", listing->entries);
        stats_count(&out, "directories", listing->directories);
        stats_count(&out, "system calls",
                    io->syscalls + view->out->writes + view->syscalls + view->links.syscalls + commands->syscalls +
                            lsr_message_writes());
        stats_count(&out, "ring requests", io->ring_ops);
        stats_count(&out, "ring enters", io->ring_enters);
        stats_count(&out, "ring repeated", io->retried_ops);
        stats_count(&out, "thread requests", io->thread_ops);
        stats_count(&out, "sync requests", io->sync_ops);
        if (io->faults)
                stats_count(&out, "faults injected", io->faults);
        if (commands->runs)
                lsr_out_printf(&out, "%-16s %u (their system calls are not counted)\n", "programs run", commands->runs);
        if (bundles)
                stats_remote(&out, bundles);
        stats_count(&out, "bytes read", io->bytes_read);
        stats_count(&out, "bytes written", lsr_out_pos(view->out));
        stats_time(&out, "reading", listing->read_ns);
        stats_time(&out, "waiting", listing->wait_ns);
        stats_time(&out, "sorting", listing->sort_ns);
        stats_time(&out, "showing", listing->show_ns);
        lsr_out_flush(&out);
}
