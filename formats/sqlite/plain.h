/*
 * plain - the methods that a file system of SQLite must have, and ours have no use for
 *
 * Nobody else has our files, so locks are always had; they go nowhere, so nothing is synced; paths are names.
 */
#pragma once

#include "formats/sqlite/sqlite.h"

int lsr_sqlite_plain_sync(sqlite3_file *file, int flags);
int lsr_sqlite_plain_lock(sqlite3_file *file, int level);
int lsr_sqlite_plain_reserved(sqlite3_file *file, int *ret_yes);
int lsr_sqlite_plain_control(sqlite3_file *file, int op, void *arg);
int lsr_sqlite_plain_sector(sqlite3_file *file);
int lsr_sqlite_plain_path(sqlite3_vfs *vfs, const char *name, int size, char *ret_path);
int lsr_sqlite_plain_random(sqlite3_vfs *vfs, int n, char *buf);
int lsr_sqlite_plain_sleep(sqlite3_vfs *vfs, int us);
int lsr_sqlite_plain_error(sqlite3_vfs *vfs, int size, char *buf);

/* Of struct sqlite3_io_methods. */
#define LSR_SQLITE_PLAIN_FILE                                                                             \
        .xSync = lsr_sqlite_plain_sync, .xLock = lsr_sqlite_plain_lock, .xUnlock = lsr_sqlite_plain_lock, \
        .xCheckReservedLock = lsr_sqlite_plain_reserved, .xFileControl = lsr_sqlite_plain_control,        \
        .xSectorSize = lsr_sqlite_plain_sector

/* Of struct sqlite3_vfs. */
#define LSR_SQLITE_PLAIN_VFS                                                            \
        .xFullPathname = lsr_sqlite_plain_path, .xRandomness = lsr_sqlite_plain_random, \
        .xSleep = lsr_sqlite_plain_sleep, .xGetLastError = lsr_sqlite_plain_error
