/*
 * bundle-file - the file that a bundle is
 *
 * Whether it can be a bundle at all is asked here, by comparing 64 KiB with
 * magic numbers, so that listing an ordinary file starts no process.
 */
#include "source/bundle-parts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/compat.h"
#include "source/remote.h"
#include "source/spool.h"

#define BUNDLE_TAIL ((size_t)66000) /* as much of the end as formats/registry.c looks at */

void bundle_close(struct lsr_bundle *bundle)
{
        bundle_remote_close(bundle);
        if (bundle->fd_owned && bundle->fd >= 0) {
                close(bundle->fd);
                lsr_io_count(bundle->all->o.io, 1);
        }
        bundle->fd = -1;
        bundle->fd_owned = false;
        for (size_t i = 0; i < LSR_COMPANIONS; i++) {
                if (bundle->companions[i] >= 0)
                        close(bundle->companions[i]);
                bundle->companions[i] = -1;
        }
}

bool bundle_plausible(struct lsr_bundle *bundle, bool *ret_database)
{
        static const char sqlite_magic[16] = "SQLite format 3";
        uint8_t *buf = lsr_xmalloc(LSR_PROBE_BYTES + BUNDLE_TAIL), behind[LSR_PROBE_BEHIND];
        struct lsr_probe p = { .head = buf, .size = bundle->size };
        size_t head = bundle->size < LSR_PROBE_BYTES ? (size_t)bundle->size : LSR_PROBE_BYTES;
        size_t tail = bundle->size < BUNDLE_TAIL ? (size_t)bundle->size : BUNDLE_TAIL;
        ssize_t got = bundle_read_at(bundle, buf, head, bundle->offset);
        uint64_t program;
        bool plausible;

        bundle->look_error = got < 0 ? (int)got : 0;
        p.head_len = got > 0 ? (size_t)got : 0;
        program = lsr_program_end(p.head, p.head_len);
        if (program && program < bundle->size) {
                uint64_t left = bundle->size - program;

                p.behind = behind;
                got = bundle_read_at(bundle, behind, left < LSR_PROBE_BEHIND ? left : LSR_PROBE_BEHIND,
                                     bundle->offset + program);
                p.behind_len = got > 0 ? (size_t)got : 0;
        }
        plausible = lsr_plausible(&p);
        if (!plausible && p.head_len == bundle->size) {
                p.tail = buf;
                p.tail_len = p.head_len;
                plausible = lsr_plausible(&p);
        } else if (!plausible) {
                got = bundle_read_at(bundle, buf + LSR_PROBE_BYTES, tail, bundle->offset + bundle->size - tail);
                bundle->look_error = got < 0 ? (int)got : bundle->look_error;
                p.tail = buf + LSR_PROBE_BYTES;
                p.tail_len = got > 0 ? (size_t)got : 0;
                plausible = lsr_plausible(&p);
        }
        *ret_database = p.head_len >= sizeof(sqlite_magic) && memcmp(buf, sqlite_magic, sizeof(sqlite_magic)) == 0;
        free(buf);
        return plausible;
}

int bundle_open_companions(struct lsr_bundle *bundle)
{
        static const char *const suffixes[LSR_COMPANIONS] = {
                [LSR_COMPANION_WAL] = "-wal",
                [LSR_COMPANION_JOURNAL] = "-journal",
        };
        char *real = realpath(bundle->path, NULL);
        const char *base = real ? real : bundle->path;
        char path[PATH_MAX + 16], text[64];
        int r = 0;

        for (size_t i = 0; i < LSR_COMPANIONS && r == 0; i++) {
                snprintf(path, sizeof(path), "%s%s", base, suffixes[i]);
                bundle->companions[i] = lsr_io_open_file(bundle->all->o.io, AT_FDCWD, path, true);
                if (bundle->companions[i] >= 0 || bundle->companions[i] == -ENOENT)
                        continue;
                r = bundle->companions[i];
                snprintf(text, sizeof(text), "its %s cannot be opened: %s", suffixes[i] + 1, strerrordesc_np(-r));
                bundle->troubled = true;
                bundle->all->o.trouble(bundle->all->o.ctx, bundle->path, r, text);
        }
        free(real);
        return r;
}

/*
 * Standard input may have been opened for writing too (<>), and the worker is given what is for reading alone.  Where
 * that cannot be had, without /proc for instance, its filter of system calls is all that keeps it from writing.
 */
static void bundle_only_read(struct lsr_bundle *bundle)
{
        int flags = fcntl(bundle->fd, F_GETFL), fd;

        lsr_io_count(bundle->all->o.io, 1);
        if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
                return;
        fd = lsr_spool_reopen(bundle->fd);
        lsr_io_count(bundle->all->o.io, 1);
        if (fd < 0)
                return;
        bundle->fd = fd;
        bundle->fd_owned = true;
}

int bundle_open_file(struct lsr_bundle *bundle)
{
        struct lsr_io *io = bundle->all->o.io;
        struct statx stx;

        if (bundle->remote)
                return bundle_remote_reopen(bundle);
        if (strcmp(bundle->path, "-") == 0) {
                bundle->fd = STDIN_FILENO;
        } else {
                bundle->fd = lsr_io_open_file(io, AT_FDCWD, bundle->path, true);
                if (bundle->fd < 0)
                        return bundle->fd;
                bundle->fd_owned = true;
        }
        lsr_io_count(io, 1);
        if (statx(bundle->fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &stx) < 0)
                return -errno;
        lsr_meta_from_statx(&bundle->meta, &stx);
        if (S_ISREG(stx.stx_mode))
                bundle->size = stx.stx_size;
        else if (bundle->fd_owned)
                return 1;
        if (S_ISREG(stx.stx_mode) && !bundle->fd_owned)
                bundle_only_read(bundle);
        return S_ISDIR(stx.stx_mode) ? -EISDIR : 0;
}
