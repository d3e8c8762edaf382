/*
 * limits - what a command may take of whatever strangers made
 *
 * One table of all budgets: what they are called in C and by --limit, their unit, what they are unless a user says
 * otherwise, the least and the most that he may say, and what they bound.  docs/security.md has the same table, which
 * tests/limits.py compares.  A budget that is exceeded costs a message, which names the option that raises it, and what
 * is intact is shown.
 *
 * Not here: what no user can mean to change, as arrays, a format or a protocol between processes have that size
 * (LSR_WIRE_*, LSR_REMOTE_*, LSR_PROBE_BYTES), and sizes of buffers.
 */
#pragma once

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

/* A limit of the table is exceeded, which was or will be told by its name.  No system call returns this errno. */
#define LSR_LIMIT_EXCEEDED (-EXFULL)

enum lsr_unit { LSR_UNIT_COUNT, LSR_UNIT_BYTES, LSR_UNIT_SECONDS };

#define LSR_LIMIT_KIB UINT64_C(1024)
#define LSR_LIMIT_MIB (UINT64_C(1024) * 1024)
#define LSR_LIMIT_GIB (UINT64_C(1024) * 1024 * 1024)
#define LSR_LIMIT_ANY (UINT64_MAX / 2)

/* clang-format off */
#define LSR_LIMIT_TABLE(X)                                                                                             \
        /* The process that shows: what comes of a bundle. */                                                          \
        X(ROWS, "rows", BYTES, 64 * LSR_LIMIT_MIB, LSR_LIMIT_MIB, LSR_LIMIT_ANY,                                       \
          "memory for the rows and names of a bundle and of those in it, and")                                         \
        X(ROWS_PER_BYTE, "rows-per-byte", COUNT, 128, 0, 1 << 20, "bytes of it for each byte of the file")             \
        X(ROWS_PIPE, "rows-pipe", BYTES, 512 * LSR_LIMIT_MIB, LSR_LIMIT_MIB, LSR_LIMIT_ANY,                            \
          "the same for what comes through a pipe, whose size nobody knows")                                           \
        X(MEMBERS, "members", COUNT, (1 << 28) - 1, 1, (1 << 28) - 1,                                                  \
          "members, with the directories that they imply")                                                             \
        X(NAME, "name", BYTES, LSR_LIMIT_MIB, 1, 3 * LSR_LIMIT_MIB, "the path of a member")                            \
        X(PATH_DEPTH, "path-depth", COUNT, 4096, 1, 4096, "components of a path")                                      \
        X(TROUBLES, "troubles", COUNT, 100, 1, 128, "messages about a bundle, for each request")                       \
        X(DEATHS, "deaths", COUNT, 8, 0, 1 << 20,                                                                      \
          "members that may kill the process that reads before the others are given up")                               \
        /* The process that parses. */                                                                                 \
        X(MEMORY, "memory", BYTES, LSR_LIMIT_GIB, 64 * LSR_LIMIT_MIB, LSR_LIMIT_ANY,                                   \
          "memory of the process that parses, beside a decoder's window, and")                                         \
        X(MEMORY_PER_BYTE, "memory-per-byte", COUNT, 256, 0, 1 << 20, "bytes of it for each byte of the file, up to")  \
        X(MEMORY_MOST, "memory-most", BYTES, 4 * LSR_LIMIT_GIB, 64 * LSR_LIMIT_MIB, LSR_LIMIT_ANY,                     \
          "this: what some ten million members take while they are listed")                                            \
        X(WINDOW, "window", BYTES, LSR_LIMIT_GIB, LSR_LIMIT_MIB, 2 * LSR_LIMIT_GIB,                                         \
          "memory that a decoder may ask for, as zstd --long=30 does")                                                 \
        X(TIME, "time", SECONDS, 60, 1, 1 << 30,                                                                       \
          "processor time of the process that parses, of which each request gets half at least, and")                  \
        X(BYTES_PER_SECOND, "bytes-per-second", BYTES, 256 * LSR_LIMIT_KIB, 1, LSR_LIMIT_ANY,                          \
          "a second more for so much of the file: a tenth of what the slowest decoders do. A pipe has no such limit")  \
        X(DECODED, "decoded", BYTES, 64 * LSR_LIMIT_GIB, 64 * LSR_LIMIT_KIB, LSR_LIMIT_ANY,                                 \
          "what a compressed file is decoded to for a listing, and")                                                   \
        X(DECODED_PER_BYTE, "decoded-per-byte", COUNT, 1032, 0, 1 << 20,                                               \
          "bytes of it for each byte of the file, which is the most that deflate makes of one")                        \
        X(FILTERS, "filters", COUNT, 4, 1, 16, "compressions on top of each other")                                    \
        /* Bundles in bundles. */                                                                                      \
        X(NESTING, "nesting", COUNT, 8, 1, 64, "bundles in each other")                                                \
        X(SPOOL, "spool", BYTES, 64 * LSR_LIMIT_GIB, 64 * LSR_LIMIT_KIB, LSR_LIMIT_ANY,                                     \
          "a copy of what can be read only at random, in memory or below TMPDIR")                                      \
        X(LOOK, "look", BYTES, 64 * LSR_LIMIT_MIB, 64 * LSR_LIMIT_KIB, LSR_LIMIT_ANY,                                  \
          "what is copied of a member to see whether it is a bundle; of a larger one its first 64 KiB decide")         \
        X(LOOKED, "looked", BYTES, LSR_LIMIT_GIB, 64 * LSR_LIMIT_KIB, LSR_LIMIT_ANY,                                    \
          "what is copied so of all members of a file, and")                                                           \
        X(LOOKED_PER_BYTE, "looked-per-byte", COUNT, 16, 0, 1 << 20, "bytes of it for each byte of the file")          \
        /* Formats. */                                                                                                 \
        X(HEADER, "header", BYTES, LSR_LIMIT_MIB, 4 * LSR_LIMIT_KIB, 3 * LSR_LIMIT_MIB,                                \
          "an extension header of a tar: pax records, GNU long names")                                                 \
        X(HEADER_CHAIN, "header-chain", COUNT, 32, 1, 1 << 20, "extension headers in front of one member of a tar")    \
        X(PIECES, "pieces", COUNT, 1 << 20, 1, 1 << 26, "pieces of a sparse member of a tar")                          \
        X(RESYNC, "resync", BYTES, LSR_LIMIT_GIB, LSR_LIMIT_KIB, LSR_LIMIT_ANY,                                        \
          "what is searched of a tar or cpio for the next header behind a damaged one")                                \
        X(ZIP_LINKS, "zip-links", COUNT, 100000, 0, LSR_LIMIT_ANY,                                                     \
          "symbolic links of a zip whose targets are read")                                                            \
        X(SQL_STEPS, "sql-steps", COUNT, 20000000, 1000, LSR_LIMIT_ANY,                                                \
          "steps of SQLite for one listing or one read, and")                                                          \
        X(SQL_STEPS_PER_BYTE, "sql-steps-per-byte", COUNT, 16, 0, 1 << 20, "steps for each byte of the database")      \
        X(SQL_MEMORY, "sql-memory", BYTES, 256 * LSR_LIMIT_MIB, LSR_LIMIT_MIB, LSR_LIMIT_ANY,                          \
          "memory of SQLite, for all of its connections together")                                                     \
        X(SQL_JOURNAL, "sql-journal", BYTES, 256 * LSR_LIMIT_MIB, LSR_LIMIT_KIB, LSR_LIMIT_ANY,                        \
          "pages of a database that its journal may restore")
/* clang-format on */

enum lsr_limit {
#define LSR_LIMIT_ENUM(id, name, unit, value, least, most, what) LSR_LIMIT_##id,
        LSR_LIMIT_TABLE(LSR_LIMIT_ENUM)
#undef LSR_LIMIT_ENUM
                LSR_LIMITS,
};

struct lsr_limit_kind {
        const char *name;
        enum lsr_unit unit;
        uint64_t value; /* unless a user says otherwise */
        uint64_t least;
        uint64_t most;
        const char *what;
        const char *raised; /* by which option, for the end of a message, with a blank before it */
};

extern const struct lsr_limit_kind lsr_limit_kinds[LSR_LIMITS];

/*
 * Those of this process: set before anything of a bundle is looked at, and not changed after that.  Whoever starts a
 * process that parses sends them along.
 */
extern uint64_t lsr_limits[LSR_LIMITS];

static inline uint64_t lsr_limit(enum lsr_limit limit)
{
        return lsr_limits[limit];
}

/* @limit, and @per_byte for each of @size bytes. */
uint64_t lsr_limit_in_proportion(enum lsr_limit limit, enum lsr_limit per_byte, uint64_t size);

/* " (--limit=NAME=... raises it)", for the end of a message; "" where nothing can. */
const char *lsr_limit_raised(enum lsr_limit limit);

/* "64 MiB", "60 s" or "4,096": what @limit is now.  @text has the room, and is returned. */
const char *lsr_limit_text(enum lsr_limit limit, char text[static 32]);

/* Set the one that "NAME=VALUE" names. 0; -ENOENT: there is none of this name; -EINVAL, -ERANGE: the value. */
int lsr_limit_set(const char *text, enum lsr_limit *ret_limit);
