/*
 * corpus-read - read a tree of files, in ways that lsr --compare does not have
 *
 *      corpus-read close|open|keep|wrapper|lz4 DIR
 *
 *      close    open, read, close, into one buffer: what others are compared with
 *      open     without close: descriptors are left to the end of the process.  Where it may not have as many,
 *               one close_range() now and then takes all that there are
 *      keep     closed, but every content stays in memory of its own, as compilers keep their sources
 *      wrapper  open and keep, in a child; this process ends when the child has read everything, and
 *               the kernel closes the descriptors and takes the memory back behind it
 *      lz4      the bundles DIR/NAME.tar.lz4, each read in one go, decoded, its members taken from the tar
 *
 * Prints files, bytes and a sum over all contents, which does not depend on the order; so all ways can be
 * seen to have read the same.  A single thread, plain calls, directories by readdir().
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <lz4frame.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

struct found {
        uint64_t files, bytes, sum;
};

static struct found main_found;
static bool main_close = true, main_keep;
static int main_dirs[16]; /* descriptors of the directories that are being read, from the root on */
static unsigned main_n_dirs;
static int main_pipe = -1;  /* to the wrapper */
static LZ4F_dctx *main_lz4; /* if bundles are read */
static char *main_buffer, *main_tar;
static char *volatile main_kept; /* the last content that is; volatile, or compilers leave the copy out */
static size_t main_buffer_size, main_tar_size;

_Noreturn static void main_fail(const char *what)
{
        fprintf(stderr, "corpus-read: %s: %s\n", what, strerror(errno));
        exit(1);
}

static char *main_grow(char **buffer, size_t *size, size_t want)
{
        if (want > *size) {
                *size = want + want / 2;
                *buffer = realloc(*buffer, *size);
                if (!*buffer)
                        main_fail("memory");
        }
        return *buffer;
}

/* Every byte is looked at, as whoever reads it would. */
static void main_count(const char *data, size_t size)
{
        uint64_t hash = 0xcbf29ce484222325u ^ size, word;
        size_t i = 0;

        for (; i + 8 <= size; i += 8) {
                memcpy(&word, data + i, 8);
                hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
                hash ^= hash >> 29;
        }
        for (; i < size; i++)
                hash = (hash ^ (unsigned char)data[i]) * 0x100000001b3u;
        main_found.files++;
        main_found.bytes += size;
        main_found.sum += hash;
}

/* Members of ustar; lsr writes no other headers for names as short as these, and skips what is no file. */
static void main_members(const char *tar, size_t size)
{
        for (size_t at = 0; at + 512 <= size && tar[at];) {
                uint64_t length = strtoull(tar + at + 124, NULL, 8);
                char type = tar[at + 156];

                if (length > size - at - 512) {
                        errno = EBADMSG;
                        main_fail("tar");
                }
                if (type == '0' || type == '\0')
                        main_count(tar + at + 512, length);
                at += 512 + (length + 511) / 512 * 512;
        }
}

static void main_bundle(const char *data, size_t size, const char *name)
{
        size_t in = 0, out = 0, hint = 1;

        while (in < size && hint != 0) {
                size_t n_in = size - in, n_out;

                main_grow(&main_tar, &main_tar_size, out + (1 << 20));
                n_out = main_tar_size - out;
                hint = LZ4F_decompress(main_lz4, main_tar + out, &n_out, data + in, &n_in, NULL);
                if (LZ4F_isError(hint)) {
                        errno = EBADMSG;
                        main_fail(name);
                }
                in += n_in;
                out += n_out;
                if (hint == 0 && in < size)
                        hint = 1; /* another frame follows */
        }
        main_members(main_tar, out);
}

/* Every descriptor above standard error and beside those of directories. */
static void main_close_all(void)
{
        unsigned from = 3;

        for (;;) {
                unsigned to = ~0u;

                for (unsigned i = 0; i < main_n_dirs; i++)
                        if ((unsigned)main_dirs[i] >= from && (unsigned)main_dirs[i] < to)
                                to = (unsigned)main_dirs[i];
                if (main_pipe >= 0 && (unsigned)main_pipe >= from && (unsigned)main_pipe < to)
                        to = (unsigned)main_pipe;
                if (to > from && close_range(from, to - 1, 0) < 0)
                        main_fail("close_range");
                if (to == ~0u)
                        return;
                from = to + 1;
        }
}

/* One read more than the size needs would tell that it did not grow; nobody here asks. */
static void main_file(int dirfd, const char *name)
{
        int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        size_t size = 0;
        ssize_t n;

        if (fd < 0 && errno == EMFILE && !main_close) {
                main_close_all();
                fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        }
        if (fd < 0)
                main_fail(name);
        for (;;) {
                main_grow(&main_buffer, &main_buffer_size, size + (64 << 10));
                n = read(fd, main_buffer + size, main_buffer_size - size);
                if (n < 0)
                        main_fail(name);
                size += (size_t)n;
                if (size < main_buffer_size)
                        break; /* a short read of a plain file is its end */
        }
        if (main_close)
                close(fd);
        if (main_lz4) {
                main_bundle(main_buffer, size, name);
                return;
        }
        main_count(main_buffer, size);
        if (main_keep) {
                char *own = malloc(size + 1);

                if (!own)
                        main_fail("memory");
                memcpy(own, main_buffer, size);
                main_kept = own;
        }
}

static void main_directory(int parent, const char *name)
{
        int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        DIR *dir;
        struct dirent *entry;

        if (fd < 0 && errno == EMFILE && !main_close) {
                main_close_all();
                fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        }
        if (fd < 0)
                main_fail(name);
        if (main_n_dirs == sizeof main_dirs / sizeof *main_dirs) {
                errno = ELOOP;
                main_fail(name);
        }
        dir = fdopendir(fd);
        if (!dir)
                main_fail(name);
        main_dirs[main_n_dirs++] = fd;
        while ((entry = readdir(dir)) != NULL) {
                if (entry->d_type == DT_REG)
                        main_file(fd, entry->d_name);
                else if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
                        main_directory(fd, entry->d_name);
        }
        main_n_dirs--;
        closedir(dir);
}

/* In the child: everything, then word to the parent.  In the parent: wait for the word, and go on. */
static void main_wrap(const char *name)
{
        int fds[2];
        pid_t pid;

        if (pipe2(fds, O_CLOEXEC) < 0)
                main_fail("pipe");
        pid = fork();
        if (pid < 0)
                main_fail("fork");
        if (pid == 0) {
                close(STDOUT_FILENO); /* whoever waits for its end is not to wait for us */
                main_pipe = fds[1];
                main_directory(AT_FDCWD, name);
                if (write(fds[1], &main_found, sizeof main_found) != (ssize_t)sizeof main_found)
                        main_fail("pipe");
                _exit(0);
        }
        close(fds[1]);
        if (read(fds[0], &main_found, sizeof main_found) != (ssize_t)sizeof main_found) {
                errno = ECHILD;
                main_fail("the child");
        }
}

int main(int argc, char **argv)
{
        const char *way = argc == 3 ? argv[1] : "";
        struct rlimit limit;

        if (strcmp(way, "open") == 0 || strcmp(way, "wrapper") == 0) {
                /* As many as the kernel lets us; root may go beyond the hard limit. */
                if (setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 1 << 20, 1 << 20 }) < 0 &&
                    getrlimit(RLIMIT_NOFILE, &limit) == 0) {
                        limit.rlim_cur = limit.rlim_max;
                        setrlimit(RLIMIT_NOFILE, &limit);
                }
                main_close = false;
        }
        main_keep = strcmp(way, "keep") == 0 || strcmp(way, "wrapper") == 0;
        if (strcmp(way, "lz4") == 0 && LZ4F_isError(LZ4F_createDecompressionContext(&main_lz4, LZ4F_VERSION)))
                main_fail("lz4");
        if (main_close && !main_keep && !main_lz4 && strcmp(way, "close") != 0) {
                fputs("usage: corpus-read close|open|keep|wrapper|lz4 DIR\n", stderr);
                return 2;
        }
        if (strcmp(way, "wrapper") == 0)
                main_wrap(argv[2]);
        else
                main_directory(AT_FDCWD, argv[2]);
        printf("%" PRIu64 " files, %" PRIu64 " bytes, sum %016" PRIx64 "\n", main_found.files, main_found.bytes,
               main_found.sum);
        return 0;
}
