/*
 * xattrs - listed by one call, for most files have none
 *
 * listxattrat(2), of Linux 6.13, takes a directory's descriptor.  Before it there
 * is no way to name a file below one but through /proc.
 */
#include "pack/xattrs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"

#ifndef SYS_getxattrat
#define SYS_getxattrat 464
#define SYS_listxattrat 465
#endif

#define XATTRS_MAX ((size_t)64 << 10) /* of a list, and of a value: XATTR_LIST_MAX, XATTR_SIZE_MAX of the kernel */
#define XATTRS_FIRST 1024

/* The argument of getxattrat(2). */
struct xattrs_args {
        uint64_t value;
        uint32_t size;
        uint32_t flags;
};

/* The path of a file below a descriptor.  False: it is too long. */
static bool xattrs_path(char path[static PATH_MAX], int dirfd, const char *name)
{
        int n = dirfd == AT_FDCWD ? snprintf(path, PATH_MAX, "%s", name)
                                  : snprintf(path, PATH_MAX, "/proc/self/fd/%d/%s", dirfd, name);

        return n < PATH_MAX;
}

/* The list, or with @attribute its value. */
static ssize_t xattrs_call(struct lsr_xattrs *x, int dirfd, const char *name, const char *attribute, void *buf,
                           size_t size)
{
        struct xattrs_args args = { (uintptr_t)buf, (uint32_t)size, 0 };
        char path[PATH_MAX];
        ssize_t n;

        if (!atomic_load_explicit(&x->no_at, memory_order_relaxed)) {
                if (attribute)
                        n = syscall(SYS_getxattrat, dirfd, name, AT_SYMLINK_NOFOLLOW, attribute, &args, sizeof(args));
                else
                        n = syscall(SYS_listxattrat, dirfd, name, AT_SYMLINK_NOFOLLOW, buf, size);
                if (n >= 0 || (errno != ENOSYS && errno != EPERM))
                        return n < 0 ? -errno : n;
                if (errno == ENOSYS)
                        atomic_store_explicit(&x->no_at, true, memory_order_relaxed);
        }
        if (!xattrs_path(path, dirfd, name))
                return -ENAMETOOLONG;
        n = attribute ? lgetxattr(path, attribute, buf, size) : llistxattr(path, buf, size);
        return n < 0 ? -errno : n;
}

static int xattrs_compare(const void *a, const void *b)
{
        return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The values of all @names.  An attribute that is gone meanwhile is passed over. */
static int xattrs_values(struct lsr_xattrs *x, int dirfd, const char *name, const char *names, size_t len,
                         uint8_t **ret_xattrs, size_t *ret_len)
{
        const char **sorted = lsr_xmalloc(len * sizeof(*sorted));
        uint8_t *value = lsr_xmalloc(XATTRS_MAX), *all = NULL;
        size_t n = 0, at = 0;
        int error = 0;

        for (const char *p = names; p < names + len; p += strlen(p) + 1)
                sorted[n++] = p;
        qsort(sorted, n, sizeof(*sorted), xattrs_compare);
        for (size_t i = 0; i < n; i++) {
                size_t name_len = strlen(sorted[i]) + 1;
                ssize_t size = xattrs_call(x, dirfd, name, sorted[i], value, XATTRS_MAX);

                if (size < 0) {
                        error = size == -ENODATA ? error : (int)size;
                        continue;
                }
                all = lsr_xrealloc(all, at + name_len + 4 + (size_t)size);
                memcpy(all + at, sorted[i], name_len);
                lsr_put_le32(all + at + name_len, (uint32_t)size);
                memcpy(all + at + name_len + 4, value, (size_t)size);
                at += name_len + 4 + (size_t)size;
        }
        free(value);
        free(sorted);
        *ret_xattrs = all;
        *ret_len = at;
        return error;
}

int lsr_xattrs_read(struct lsr_xattrs *x, int dirfd, const char *name, uint32_t dev, uint8_t **ret_xattrs,
                    size_t *ret_len)
{
        char first[XATTRS_FIRST], *list = first;
        ssize_t len;
        int r = 0;

        if (atomic_load_explicit(&x->none, memory_order_relaxed) == ((uint64_t)1 << 32 | dev))
                return 0;
        len = xattrs_call(x, dirfd, name, NULL, list, sizeof(first));
        if (len == -ERANGE) {
                list = lsr_xmalloc(XATTRS_MAX);
                len = xattrs_call(x, dirfd, name, NULL, list, XATTRS_MAX);
        }
        if (len == -EOPNOTSUPP)
                atomic_store_explicit(&x->none, (uint64_t)1 << 32 | dev, memory_order_relaxed);
        else if (len < 0 && len != -ENODATA)
                r = (int)len;
        else if (len > 0)
                r = xattrs_values(x, dirfd, name, list, (size_t)len, ret_xattrs, ret_len);
        if (list != first)
                free(list);
        return r;
}
