/* Landlock without any rule refuses what it handles: everything that changes a file, and executing one. */
#include "remote/confine.h"

#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* All rights of the first version but reading. */
#define CONFINE_RIGHTS                                                                                 \
        (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |  \
         LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | \
         LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |   \
         LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM)

/* The leak checker looks at its own process from another one. */
#ifdef __SANITIZE_ADDRESS__
#define CONFINE_DUMPABLE 1L
#else
#define CONFINE_DUMPABLE 0L
#endif

void lsr_remote_confine(void)
{
        struct landlock_ruleset_attr rules = { .handled_access_fs = CONFINE_RIGHTS };
        int fd;

        /* No core, and nobody of the same user reads its memory and environment: the process that parses is one. */
        (void)setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
        (void)prctl(PR_SET_DUMPABLE, CONFINE_DUMPABLE, 0L, 0L, 0L);
        (void)prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L);
        fd = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof(rules), 0);
        if (fd < 0)
                return;
        (void)syscall(SYS_landlock_restrict_self, fd, 0);
        close(fd);
}
