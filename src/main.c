/*
 * lsr - list directories, in few system calls
 *
 * The map.  Each layer is one library and includes only from those below it:
 *
 *      cli/       options and their table, help, messages, one command a file
 *      compare/   what reading costs: ways, each in a process of its own; accounts, report
 *      pack/      trees to bundles: walk, read ahead, writer; an output that is whole or not there
 *      unpack/    members to real files, inside one directory
 *      render/    the table of columns, the views; quoting, colour, sizes, times, users
 *      listing/   operands, filters, order, recursion; what must be asked of files
 *      source/    a directory, or a bundle, as a source of entries; the confined worker that parses
 *      formats/   drivers: bytes in, members out; writers
 *      catalogue/ the members of a bundle as columns, and their encoding
 *      io/        engines: io_uring, threads, plain calls; fault injection; streams
 *      base/      arena, output buffer, hash table, thread pool, UTF-8, JSON, locale, users, paths, git: one of each
 *
 * The way of a listing, and where to look for it:
 *
 *      argv ─► cli/settings ─► listing/listing ─► source/dir ─► getdents64
 *                                   │  ▲
 *                                   ▼  │ metadata, in batches
 *                                  io/io ─► io/uring, io/threads, io/sync
 *                                   │
 *              listing/sort ◄───────┘      of trees: listing/ahead, before their turn
 *                   │
 *                   ▼ a set of struct lsr_entry (entry.h)
 *              render/view ─► long, grid, lines, json, tree ─► base/out ─► write
 */
#include <unistd.h>

#include "cli/cli.h"
#include "compare/way.h"
#include "source/start.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#define main_check_leaks() __lsan_do_leak_check()
#else
#define main_check_leaks() ((void)0)
#endif

int main(int argc, char **argv)
{
        int status;

        lsr_way_route(argc, argv);
        status = lsr_worker_route(argc, argv);
        if (status < 0)
                status = lsr_cli_main(argc, argv);
        /* Memory goes back to the kernel with the process; _exit() would skip the leak check. */
        main_check_leaks();
        _exit(status);
}
