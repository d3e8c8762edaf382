/*
 * lsr - list directories, in few system calls
 *
 * The map of the code.  Each layer is a library and includes only from those below it; tests/layers.py enforces
 * this, and compares this list with the folders:
 *
 *      cli/       the table of options, help, messages; a file for each command
 *      compare/   --compare: ways of reading, each in a process of its own; measurements, report
 *      pack/      --pack: walking trees, reading ahead, an output that appears when it is complete
 *      unpack/    --unpack: members become real files inside one directory
 *      render/    the table of columns, the views; quoting, colours, sizes, times, users
 *      listing/   operands, filters, order, recursion, reading ahead
 *      source/    directories and bundles, opened by path; the index cache
 *      worker/    the confined process that parses, and both ends of its protocol
 *      formats/   drivers that read and write each format (in the root of the repository)
 *      catalogue/ the members of a bundle as columns, and the encoding of these
 *      io/        engines: io_uring, threads, plain calls; fault injection; streams
 *      remote/    lsr-remote, a program of its own: ranges of what lies on a server
 *      base/      arena, output buffer, hash table, thread pool, UTF-8, JSON, locale, users, paths, git
 *
 * How a listing passes through them:
 *
 *      argv ─► cli/settings ─► listing/listing ─► source/dir ─► getdents64
 *                                   │  ▲
 *                                   ▼  │ metadata, in batches
 *                                  io/io ─► io/uring, io/threads, io/sync
 *                                   │
 *              listing/sort ◄───────┘      listing/read-ahead reads trees before their turn
 *                   │
 *                   ▼ a set of struct lsr_entry (entry.h)
 *              render/view ─► render/{long,grid,lines,json,tree} ─► base/out ─► write
 */
#include <unistd.h>

#include "cli/cli.h"
#include "compare/way.h"
#include "worker/start.h"

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
