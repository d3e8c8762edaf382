/*
 * cache - written under a temporary name, renamed into place
 *
 * So readers see a whole file or none, and of two writers the later wins; both
 * wrote the same.  The checksum is for disks and crashes, not for enemies: who
 * can write here can do more than change a listing, and the decoder trusts
 * nothing anyway.
 */
#include "source/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "formats/filter/crc.h"

#define CACHE_VERSION 1u
#define CACHE_HEADER 144u
#define CACHE_KEY_AT 16u
#define CACHE_KEY_BYTES 48u
#define CACHE_FORMAT_AT 64u
#define CACHE_FILTERS_AT 80u

static const char cache_magic[8] = { 'L', 'S', 'R', 'C', 'A', 'C', 'H', 'E' };

/* The directory, made if it is not there and @make.  -1: there is none. */
static int cache_open_dir(bool make)
{
        const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
        char path[PATH_MAX];
        struct stat st;
        int n, fd;

        /* XDG Base Directory Specification: a relative path is to be ignored. */
        if (base && base[0] == '/')
                n = snprintf(path, sizeof(path), "%s", base);
        else if (home && home[0] == '/')
                n = snprintf(path, sizeof(path), "%s/.cache", home);
        else
                return -1;
        if (n < 0 || (size_t)n + sizeof("/lsr") > sizeof(path))
                return -1;
        if (make)
                mkdir(path, 0700);
        strcpy(path + n, "/lsr");
        if (make)
                mkdir(path, 0700);
        fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        /* Somebody else's cache is no place to learn from, nor one that others can write to. */
        if (fd >= 0 && (fstat(fd, &st) < 0 || st.st_uid != geteuid() || st.st_mode & (S_IWGRP | S_IWOTH))) {
                close(fd);
                return -1;
        }
        return fd;
}

static void cache_key(uint8_t key[CACHE_KEY_BYTES], const struct lsr_meta *m)
{
        lsr_put_le64(key, m->dev);
        lsr_put_le64(key + 8, m->inode);
        lsr_put_le64(key + 16, m->size);
        lsr_put_le64(key + 24, (uint64_t)m->sec[LSR_MTIME]);
        lsr_put_le32(key + 32, m->nsec[LSR_MTIME]);
        lsr_put_le64(key + 36, (uint64_t)m->sec[LSR_CTIME]);
        lsr_put_le32(key + 44, m->nsec[LSR_CTIME]);
}

static void cache_name(char name[64], const struct lsr_meta *m)
{
        snprintf(name, 64, "%x-%llx", m->dev, (unsigned long long)m->inode);
}

static bool cache_wants(const struct lsr_meta *m)
{
        const unsigned fields = LSR_FIELD_DEV | LSR_FIELD_INODE | LSR_FIELD_SIZE | LSR_FIELD_MTIME | LSR_FIELD_CTIME;

        return (m->known & fields) == fields && m->size >= LSR_CACHE_MIN_BYTES;
}

/* Does the file hold what its name and key promise? */
static bool cache_parse(const uint8_t *data, size_t size, const struct lsr_meta *meta,
                        struct lsr_cache_entry *ret_entry)
{
        struct lsr_cache_entry entry = {};
        uint8_t key[CACHE_KEY_BYTES];

        cache_key(key, meta);
        if (size < CACHE_HEADER || memcmp(data, cache_magic, sizeof(cache_magic)) != 0 ||
            lsr_le32(data + 8) != CACHE_VERSION || memcmp(data + CACHE_KEY_AT, key, sizeof(key)) != 0 ||
            lsr_le32(data + 12) != lsr_crc32(0, data + CACHE_KEY_AT, size - CACHE_KEY_AT))
                return false;
        memcpy(entry.format, data + CACHE_FORMAT_AT, sizeof(entry.format));
        memcpy(entry.filters, data + CACHE_FILTERS_AT, sizeof(entry.filters));
        entry.format[sizeof(entry.format) - 1] = '\0';
        entry.filters[sizeof(entry.filters) - 1] = '\0';
        if (lsr_catalogue_decode(&entry.catalogue, data + CACHE_HEADER, size - CACHE_HEADER) < 0)
                return false;
        *ret_entry = entry;
        return true;
}

bool lsr_cache_get(const struct lsr_meta *meta, struct lsr_cache_entry *ret_entry)
{
        char name[64];
        struct stat st;
        uint8_t *data = NULL;
        bool found = false;
        int dir, fd;

        if (!cache_wants(meta))
                return false;
        dir = cache_open_dir(false);
        if (dir < 0)
                return false;
        cache_name(name, meta);
        fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
        if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
            (uint64_t)st.st_size <= LSR_CACHE_MAX_BYTES) {
                if (lsr_try_resize(&data, (size_t)st.st_size) == 0 && read(fd, data, (size_t)st.st_size) == st.st_size)
                        found = cache_parse(data, (size_t)st.st_size, meta, ret_entry);
                free(data);
        }
        if (fd >= 0)
                close(fd);
        close(dir);
        return found;
}

struct cache_file {
        char name[64];
        struct timespec mtime;
        uint64_t size;
};

static int cache_by_age(const void *a, const void *b)
{
        const struct timespec *x = &((const struct cache_file *)a)->mtime, *y = &((const struct cache_file *)b)->mtime;

        return x->tv_sec != y->tv_sec ? (x->tv_sec < y->tv_sec ? -1 : 1)
                                      : (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* Keep the directory below its limit: the oldest go first. */
static void cache_prune(int dirfd)
{
        DIR *d = fdopendir(dup(dirfd));
        struct cache_file *files = NULL;
        size_t n = 0, cap = 0;
        uint64_t sum = 0;
        struct dirent *e;

        if (!d)
                return;
        while ((e = readdir(d))) {
                struct stat st;

                if (strlen(e->d_name) >= sizeof(files->name) ||
                    fstatat(dirfd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
                        continue;
                if (n == cap) {
                        cap = cap ? 2 * cap : 64;
                        files = lsr_xrealloc(files, cap * sizeof(*files));
                }
                strcpy(files[n].name, e->d_name);
                files[n].mtime = st.st_mtim;
                files[n].size = (uint64_t)st.st_size;
                sum += files[n++].size;
        }
        closedir(d);
        if (n)
                qsort(files, n, sizeof(*files), cache_by_age);
        for (size_t i = 0; i < n && sum > LSR_CACHE_MAX_BYTES; i++) {
                unlinkat(dirfd, files[i].name, 0);
                sum -= files[i].size;
        }
        free(files);
}

static bool cache_write(int dir, const struct lsr_meta *meta, const struct lsr_cache_entry *entry,
                        const uint8_t *encoded, size_t size)
{
        uint8_t header[CACHE_HEADER] = {};
        char name[64], temporary[80];
        bool written;
        int fd;

        memcpy(header, cache_magic, sizeof(cache_magic));
        lsr_put_le32(header + 8, CACHE_VERSION);
        cache_key(header + CACHE_KEY_AT, meta);
        memcpy(header + CACHE_FORMAT_AT, entry->format, sizeof(entry->format));
        memcpy(header + CACHE_FILTERS_AT, entry->filters, sizeof(entry->filters));
        lsr_put_le32(header + 12,
                     lsr_crc32(lsr_crc32(0, header + CACHE_KEY_AT, CACHE_HEADER - CACHE_KEY_AT), encoded, size));
        cache_name(name, meta);
        snprintf(temporary, sizeof(temporary), "%s.%ld", name, (long)getpid());
        fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0)
                return false;
        written = write(fd, header, CACHE_HEADER) == CACHE_HEADER && write(fd, encoded, size) == (ssize_t)size;
        written = close(fd) == 0 && written && renameat(dir, temporary, dir, name) == 0;
        if (!written)
                unlinkat(dir, temporary, 0);
        return written;
}

void lsr_cache_put(const struct lsr_meta *meta, const struct lsr_cache_entry *entry)
{
        struct timespec now = lsr_clock_now();
        uint8_t *encoded;
        size_t size;
        int dir;

        if (!cache_wants(meta) || meta->sec[LSR_MTIME] > now.tv_sec - LSR_CACHE_QUIET_S ||
            meta->sec[LSR_CTIME] > now.tv_sec - LSR_CACHE_QUIET_S)
                return;
        if (lsr_catalogue_encode(entry->catalogue, &encoded, &size) < 0)
                return;
        if (size <= LSR_CACHE_MAX_BYTES / 2) {
                dir = cache_open_dir(true);
                if (dir >= 0) {
                        if (cache_write(dir, meta, entry, encoded, size))
                                cache_prune(dir);
                        close(dir);
                }
        }
        free(encoded);
}
