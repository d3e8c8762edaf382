/*
 * restore - with as few calls as each member needs
 *
 * A file that is created with its final mode, belongs to us and has no
 * attributes needs one call, for its time.  Owners are restored by number, as
 * a listing of the bundle shows them.
 */
#include "unpack/restore.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/cleanup.h"
#include "catalogue/acl.h"

#define RESTORE_SPECIAL (S_ISUID | S_ISGID)

void lsr_restore_begin(struct lsr_restore *r)
{
        r->uid = geteuid();
        r->gid = getegid();
        r->root = r->uid == 0;
        r->umask = umask(0);
}

void lsr_restore_end(const struct lsr_restore *r)
{
        umask(r->umask);
}

void lsr_restore_look(struct lsr_restore *r, int fd, const char *name)
{
        char path[64 + NAME_MAX + 1];
        struct stat st;

        if (fstatat(fd, name ? name : "", &st, name ? AT_SYMLINK_NOFOLLOW : AT_EMPTY_PATH) == 0)
                r->inherits |= (st.st_mode & S_ISGID) != 0;
        snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", fd, name ? name : ".");
        r->inherits |= lgetxattr(path, "system.posix_acl_default", NULL, 0) > 0;
}

/* Is the owner in the end the one that is stored? */
static bool restore_owns(const struct lsr_restore *r, const struct lsr_member *m)
{
        const unsigned both = LSR_FIELD_UID | LSR_FIELD_GID;

        return r->root && (m->meta.known & both) == both;
}

static bool restore_chowns(const struct lsr_restore *r, const struct lsr_member *m)
{
        if (!r->root)
                return false;
        return ((m->meta.known & LSR_FIELD_UID) && m->meta.uid != r->uid) ||
               ((m->meta.known & LSR_FIELD_GID) && (m->meta.gid != r->gid || r->inherits));
}

mode_t lsr_restore_mode(const struct lsr_restore *r, const struct lsr_member *m)
{
        mode_t mode = m->meta.mode & 07777;

        if (!(m->meta.known & LSR_FIELD_MODE))
                return (S_ISDIR(m->meta.mode) ? 0777 : 0666) & ~r->umask;
        return restore_owns(r, m) ? mode : mode & ~(mode_t)RESTORE_SPECIAL;
}

mode_t lsr_restore_first_mode(const struct lsr_restore *r, const struct lsr_member *m)
{
        mode_t mode = lsr_restore_mode(r, m) & 0777;

        if (S_ISDIR(m->meta.mode))
                return mode | 0700;
        /* Attributes can only be given to what can be written to; and a new owner's file is nobody else's before. */
        return m->xattrs || restore_chowns(r, m) ? 0600 : mode;
}

bool lsr_restore_needed(const struct lsr_restore *r, const struct lsr_member *m)
{
        return m->xattrs || r->inherits || restore_chowns(r, m) ||
               lsr_restore_mode(r, m) != lsr_restore_first_mode(r, m);
}

/* Set one that is an access control list, or not, as @acls says. */
static int restore_xattr(int (*set)(const void *where, const char *name, const void *value, size_t n),
                         const void *where, bool acls, const char *name, const uint8_t *value, size_t n)
{
        bool is_text;
        const char *acl = lsr_acl_kernel_name(name, &is_text);
        lsr_autofree uint8_t *converted = NULL;
        size_t size;
        int r;

        if (acls != (acl != NULL) || (is_text && n == 0))
                return 0;
        if (!is_text)
                return set(where, name, value, n);
        r = lsr_acl_from_text((const char *)value, n, &converted, &size);
        return r < 0 ? r : set(where, acl, converted, size);
}

/* Set each attribute by @set, whose results are negative errnos. */
static void restore_xattrs(const struct lsr_restore *r, const struct lsr_member *m,
                           int (*set)(const void *where, const char *name, const void *value, size_t n),
                           const void *where, bool acls)
{
        const uint8_t *p = m->xattrs, *end = p + (m->xattrs ? m->xattrs_len : 0);

        while (p < end) {
                const char *name = (const char *)p;
                size_t len = strnlen(name, (size_t)(end - p));
                uint32_t n;
                int error;

                if ((size_t)(end - p) < len + 1 + 4)
                        return;
                p += len + 1;
                n = lsr_le32(p);
                p += 4;
                if (n > (size_t)(end - p))
                        return;
                error = restore_xattr(set, where, acls, name, p, n);
                if (error < 0)
                        r->lost(r->ctx, name, error);
                p += n;
        }
}

static int restore_fset(const void *where, const char *name, const void *value, size_t n)
{
        return fsetxattr(*(const int *)where, name, value, n, 0) < 0 ? -errno : 0;
}

static int restore_lset(const void *where, const char *name, const void *value, size_t n)
{
        return lsetxattr(where, name, value, n, 0) < 0 ? -errno : 0;
}

static bool restore_times(const struct lsr_member *m, struct timespec ret_times[2])
{
        int64_t sec = lsr_member_mtime(m);

        if (!(m->meta.known & LSR_FIELD_MTIME))
                return false;
        ret_times[0] = (struct timespec){ .tv_nsec = UTIME_OMIT };
        ret_times[1] = (struct timespec){ .tv_sec = sec, .tv_nsec = m->meta.nsec[LSR_MTIME] };
        return true;
}

int lsr_restore_time_at(int dir, const char *name, const struct lsr_member *m)
{
        struct timespec times[2];

        return restore_times(m, times) && utimensat(dir, name, times, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
}

static void restore_ids(const struct lsr_member *m, uid_t *ret_uid, gid_t *ret_gid)
{
        *ret_uid = m->meta.known & LSR_FIELD_UID ? m->meta.uid : (uid_t)-1;
        *ret_gid = m->meta.known & LSR_FIELD_GID ? m->meta.gid : (gid_t)-1;
}

int lsr_restore_fd(const struct lsr_restore *r, int fd, const struct lsr_member *m, bool exact)
{
        mode_t mode = lsr_restore_mode(r, m);
        bool chowns = restore_chowns(r, m);
        struct timespec times[2];
        int error = 0;

        if (chowns || (exact && r->root)) {
                uid_t uid;
                gid_t gid;

                restore_ids(m, &uid, &gid);
                if (fchown(fd, uid, gid) < 0) {
                        error = -errno;
                        mode &= ~(mode_t)RESTORE_SPECIAL;
                }
        }
        restore_xattrs(r, m, restore_fset, &fd, false);
        if ((exact || r->inherits || chowns || mode != lsr_restore_first_mode(r, m)) && fchmod(fd, mode) < 0)
                error = error ? error : -errno;
        restore_xattrs(r, m, restore_fset, &fd, true);
        if (restore_times(m, times) && futimens(fd, times) < 0)
                error = error ? error : -errno;
        return error;
}

int lsr_restore_at(const struct lsr_restore *r, int dir, const char *name, const struct lsr_member *m)
{
        char path[64 + NAME_MAX + 1];
        int error = 0, r_time;

        if (restore_chowns(r, m)) {
                uid_t uid;
                gid_t gid;

                restore_ids(m, &uid, &gid);
                if (fchownat(dir, name, uid, gid, AT_SYMLINK_NOFOLLOW) < 0)
                        error = -errno;
        }
        if (m->xattrs) {
                snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", dir, name);
                restore_xattrs(r, m, restore_lset, path, false);
                restore_xattrs(r, m, restore_lset, path, true);
        }
        r_time = lsr_restore_time_at(dir, name, m);
        return error ? error : r_time;
}
