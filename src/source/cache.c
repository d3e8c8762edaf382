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
#include <sha2.h> /* libmd's, as in formats/lsr1/check.c */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/stdfds.h"
#include "formats/filter/crc.h"

#define CACHE_VERSION 1u
#define CACHE_HEADER 144u
#define CACHE_KEY_AT 16u
#define CACHE_KEY_BYTES 48u
#define CACHE_FORMAT_AT 64u
#define CACHE_FILTERS_AT 80u
#define CACHE_URL_SIZE 32u /* in the key of a URL */
#define CACHE_URL_FLAGS 40u
#define CACHE_URL_CLAIMED UINT64_C(1)
#define CACHE_URL_FILTERED UINT64_C(2)

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

/* Under what a catalogue is kept. */
struct cache_place {
        char name[64]; /* of the file */
        uint8_t key[CACHE_KEY_BYTES];
        size_t compared; /* bytes of the key by which it is found; the others, and the tag, are what was found out */
        uint8_t tag[LSR_CACHE_TAG_MAX];
        size_t tag_bytes; /* 0: it has none */
};

static void cache_place_file(struct cache_place *p, const struct lsr_meta *m)
{
        *p = (struct cache_place){ .compared = CACHE_KEY_BYTES };
        snprintf(p->name, sizeof(p->name), "%x-%llx", m->dev, (unsigned long long)m->inode);
        lsr_put_le64(p->key, m->dev);
        lsr_put_le64(p->key + 8, m->inode);
        lsr_put_le64(p->key + 16, m->size);
        lsr_put_le64(p->key + 24, (uint64_t)m->sec[LSR_MTIME]);
        lsr_put_le32(p->key + 32, m->nsec[LSR_MTIME]);
        lsr_put_le64(p->key + 36, (uint64_t)m->sec[LSR_CTIME]);
        lsr_put_le32(p->key + 44, m->nsec[LSR_CTIME]);
}

static void cache_place_url(struct cache_place *p, const char *url)
{
        SHA2_CTX sha;

        *p = (struct cache_place){ .compared = SHA256_DIGEST_LENGTH, .tag_bytes = LSR_CACHE_TAG_MAX };
        SHA256Init(&sha);
        SHA256Update(&sha, (const uint8_t *)url, strlen(url));
        SHA256Final(p->key, &sha);
        strcpy(p->name, "url-");
        for (unsigned i = 0; i < 16; i++)
                snprintf(p->name + 4 + 2 * (size_t)i, 3, "%02x", p->key[i]);
}

static bool cache_wants(const struct lsr_meta *m)
{
        const unsigned fields = LSR_FIELD_DEV | LSR_FIELD_INODE | LSR_FIELD_SIZE | LSR_FIELD_MTIME | LSR_FIELD_CTIME;

        return (m->known & fields) == fields && m->size >= LSR_CACHE_MIN_BYTES;
}

/* Does the file hold what its name and key promise? */
static bool cache_parse(const uint8_t *data, size_t size, struct cache_place *p, struct lsr_cache_entry *ret_entry)
{
        struct lsr_cache_entry entry = {};
        size_t header = CACHE_HEADER + p->tag_bytes;

        if (size < header || memcmp(data, cache_magic, sizeof(cache_magic)) != 0 ||
            lsr_le32(data + 8) != CACHE_VERSION || memcmp(data + CACHE_KEY_AT, p->key, p->compared) != 0 ||
            lsr_le32(data + 12) != lsr_crc32(0, data + CACHE_KEY_AT, size - CACHE_KEY_AT))
                return false;
        memcpy(entry.format, data + CACHE_FORMAT_AT, sizeof(entry.format));
        memcpy(entry.filters, data + CACHE_FILTERS_AT, sizeof(entry.filters));
        entry.format[sizeof(entry.format) - 1] = '\0';
        entry.filters[sizeof(entry.filters) - 1] = '\0';
        memcpy(p->key, data + CACHE_KEY_AT, sizeof(p->key));
        memcpy(p->tag, data + CACHE_HEADER, p->tag_bytes);
        if (lsr_catalogue_decode(&entry.catalogue, data + header, size - header) < 0)
                return false;
        *ret_entry = entry;
        return true;
}

static bool cache_get(struct cache_place *p, struct lsr_cache_entry *ret_entry)
{
        struct stat st;
        uint8_t *data = NULL;
        bool found = false;
        int dir, fd;

        dir = cache_open_dir(false);
        if (dir < 0)
                return false;
        fd = openat(dir, p->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
        if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
            (uint64_t)st.st_size <= LSR_CACHE_MAX_BYTES) {
                if (lsr_try_resize(&data, (size_t)st.st_size) == 0 && read(fd, data, (size_t)st.st_size) == st.st_size)
                        found = cache_parse(data, (size_t)st.st_size, p, ret_entry);
                free(data);
        }
        if (fd >= 0)
                close(fd);
        close(dir);
        return found;
}

bool lsr_cache_get(const struct lsr_meta *meta, struct lsr_cache_entry *ret_entry)
{
        struct cache_place p;

        if (!cache_wants(meta))
                return false;
        cache_place_file(&p, meta);
        return cache_get(&p, ret_entry);
}

bool lsr_cache_get_url(const char *url, struct lsr_cache_url *ret_what, struct lsr_cache_entry *ret_entry)
{
        struct cache_place p;
        uint64_t flags;

        cache_place_url(&p, url);
        if (!cache_get(&p, ret_entry))
                return false;
        flags = lsr_le64(p.key + CACHE_URL_FLAGS);
        *ret_what = (struct lsr_cache_url){ .size = lsr_le64(p.key + CACHE_URL_SIZE),
                                            .claimed = flags & CACHE_URL_CLAIMED,
                                            .filtered = flags & CACHE_URL_FILTERED };
        memcpy(ret_what->tag, p.tag, sizeof(ret_what->tag));
        ret_what->tag[sizeof(ret_what->tag) - 1] = '\0';
        return true;
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

static bool cache_write(int dir, const struct cache_place *p, const struct lsr_cache_entry *entry,
                        const uint8_t *encoded, size_t size)
{
        const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
        uint8_t header[CACHE_HEADER + LSR_CACHE_TAG_MAX] = {};
        size_t header_size = CACHE_HEADER + p->tag_bytes;
        char temporary[80];
        sigset_t all, before;
        bool written = false;
        int fd;

        memcpy(header, cache_magic, sizeof(cache_magic));
        lsr_put_le32(header + 8, CACHE_VERSION);
        memcpy(header + CACHE_KEY_AT, p->key, sizeof(p->key));
        memcpy(header + CACHE_HEADER, p->tag, p->tag_bytes);
        memcpy(header + CACHE_FORMAT_AT, entry->format, sizeof(entry->format));
        memcpy(header + CACHE_FILTERS_AT, entry->filters, sizeof(entry->filters));
        lsr_put_le32(header + 12,
                     lsr_crc32(lsr_crc32(0, header + CACHE_KEY_AT, header_size - CACHE_KEY_AT), encoded, size));
        snprintf(temporary, sizeof(temporary), "%s.%ld", p->name, (long)getpid());
        lsr_fsize_guard();
        /* What ends a listing, which has no handler, must not leave that name behind. */
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        fd = openat(dir, temporary, flags, 0600);
        /* Left by a process of this number that was killed; or it is that of one in another namespace, which fails. */
        if (fd < 0 && errno == EEXIST && unlinkat(dir, temporary, 0) == 0)
                fd = openat(dir, temporary, flags, 0600);
        if (fd >= 0) {
                written = write(fd, header, header_size) == (ssize_t)header_size &&
                          write(fd, encoded, size) == (ssize_t)size;
                written = close(fd) == 0 && written && renameat(dir, temporary, dir, p->name) == 0;
                if (!written)
                        unlinkat(dir, temporary, 0);
        }
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        return written;
}

static void cache_put(const struct cache_place *p, const struct lsr_cache_entry *entry)
{
        uint8_t *encoded;
        size_t size;
        int dir;

        if (lsr_catalogue_encode(entry->catalogue, &encoded, &size) < 0)
                return;
        if (size <= LSR_CACHE_MAX_BYTES / 2) {
                dir = cache_open_dir(true);
                if (dir >= 0) {
                        if (cache_write(dir, p, entry, encoded, size))
                                cache_prune(dir);
                        close(dir);
                }
        }
        free(encoded);
}

void lsr_cache_put(const struct lsr_meta *meta, const struct lsr_cache_entry *entry)
{
        struct timespec now = lsr_clock_now();
        struct cache_place p;

        if (!cache_wants(meta) || meta->sec[LSR_MTIME] > now.tv_sec - LSR_CACHE_QUIET_S ||
            meta->sec[LSR_CTIME] > now.tv_sec - LSR_CACHE_QUIET_S)
                return;
        cache_place_file(&p, meta);
        cache_put(&p, entry);
}

void lsr_cache_put_url(const char *url, const struct lsr_cache_url *what, const struct lsr_cache_entry *entry)
{
        struct cache_place p;

        cache_place_url(&p, url);
        lsr_put_le64(p.key + CACHE_URL_SIZE, what->size);
        lsr_put_le64(p.key + CACHE_URL_FLAGS,
                     (what->claimed ? CACHE_URL_CLAIMED : 0) | (what->filtered ? CACHE_URL_FILTERED : 0));
        memcpy(p.tag, what->tag, sizeof(p.tag));
        cache_put(&p, entry);
}
