/* plain - see the header */
#include "formats/sqlite/plain.h"

#include <string.h>

int lsr_sqlite_plain_sync(sqlite3_file *file, int flags)
{
        return SQLITE_OK;
}

int lsr_sqlite_plain_lock(sqlite3_file *file, int level)
{
        return SQLITE_OK;
}

int lsr_sqlite_plain_reserved(sqlite3_file *file, int *ret_yes)
{
        *ret_yes = 0;
        return SQLITE_OK;
}

int lsr_sqlite_plain_control(sqlite3_file *file, int op, void *arg)
{
        return SQLITE_NOTFOUND;
}

int lsr_sqlite_plain_sector(sqlite3_file *file)
{
        return 512;
}

int lsr_sqlite_plain_path(sqlite3_vfs *vfs, const char *name, int size, char *ret_path)
{
        sqlite3_snprintf(size, ret_path, "%s", name);
        return SQLITE_OK;
}

/* What is stored does not depend on chance, and views may not call random(). */
int lsr_sqlite_plain_random(sqlite3_vfs *vfs, int n, char *buf)
{
        memset(buf, 0x5a, (size_t)n);
        return n;
}

int lsr_sqlite_plain_sleep(sqlite3_vfs *vfs, int us)
{
        return us;
}

int lsr_sqlite_plain_error(sqlite3_vfs *vfs, int size, char *buf)
{
        return 0;
}
