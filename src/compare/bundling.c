/*
 * bundling - O_TMPFILE and the writers
 *
 * Where a file system has no files without names, one is made and unlinked
 * before anything is written to it.
 */
#include "compare/bundling.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/path.h"
#include "formats/filter/deflate.h"
#include "pack/pack.h"

#define BUNDLING_TRIES_MAX 100u

/* --- formats ------------------------------------------------------------------ */

bool lsr_bundling_format(const char *word, struct lsr_bundling_format *ret_format)
{
        struct lsr_bundling_format f = { .level = LSR_LEVEL_DEFAULT };
        char suffix[32];

        if (strcmp(word, "zip-store") == 0) {
                f.word = "zip-store";
                f.name = "zip, stored";
                f.kind = lsr_writer_kind_of("x.zip");
                f.level = LSR_DEFLATE_LEVEL_MIN;
        } else if (strlen(word) < sizeof(suffix) - 2 && !strchr(word, '/')) {
                snprintf(suffix, sizeof(suffix), "x.%s", word);
                f.kind = lsr_writer_kind_of(suffix);
                f.word = f.name = f.kind ? f.kind->suffixes[0] + 1 : NULL;
                if (f.kind && strcmp(f.word, "zip") == 0)
                        f.name = "zip, deflate";
        }
        *ret_format = f;
        return f.kind;
}

/* --- scratch ------------------------------------------------------------------ */

/* A file without a name in directory @fd, or a negative errno. */
static int scratch_file(int fd)
{
        int file = openat(fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

        /* Errors of file systems and kernels without such files. */
        if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT && errno != EINVAL))
                return file < 0 ? -errno : file;
        for (unsigned tries = 0; tries < BUNDLING_TRIES_MAX; tries++) {
                uint64_t random = 0;
                char name[40];

                if (getrandom(&random, sizeof(random), 0) != sizeof(random))
                        return -errno;
                snprintf(name, sizeof(name), ".lsr-compare.%016llx", (unsigned long long)random);
                file = openat(fd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
                if (file >= 0) {
                        unlinkat(fd, name, 0);
                        return file;
                }
                if (errno != EEXIST)
                        break;
        }
        return -errno;
}

/* Can files be made there, and how many bytes?  0 or a negative errno. */
static int scratch_try(const char *path, struct lsr_scratch *ret_scratch)
{
        lsr_autoclose int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        lsr_autoclose int file = fd < 0 ? -errno : scratch_file(fd);
        struct statvfs fs;

        if (file < 0)
                return file;
        if (fstatvfs(fd, &fs) < 0)
                return -errno;
        *ret_scratch = (struct lsr_scratch){ lsr_take(&fd, -1), NULL, (uint64_t)fs.f_bavail * fs.f_frsize };
        return 0;
}

int lsr_scratch_open(struct lsr_scratch *ret_scratch, const char *dir, uint64_t need)
{
        const char *tmpdir = getenv("TMPDIR");
        struct lsr_scratch best = { .fd = -1 }, one = best;
        lsr_autofree char *beside = lsr_path_new(dir, "..");
        const char *places[] = { beside, "/var/tmp", "/tmp", NULL }, *place = beside;
        int r, error = 0;

        /* A place that the user named is used. */
        if (tmpdir && *tmpdir) {
                places[0] = place = tmpdir;
                places[1] = NULL;
        }
        for (unsigned i = 0; places[i] && (best.fd < 0 || best.free_bytes < need); i++) {
                r = scratch_try(places[i], &one);
                error = i == 0 ? r : error;
                if (r < 0)
                        continue;
                if (best.fd < 0 || one.free_bytes > best.free_bytes) {
                        if (best.fd >= 0)
                                close(best.fd);
                        best = one;
                        place = places[i];
                } else {
                        close(one.fd);
                }
        }
        best.where = best.fd >= 0 ? realpath(place, NULL) : lsr_xstrdup(place);
        *ret_scratch = best;
        return best.fd < 0 ? error : best.free_bytes < need;
}

void lsr_scratch_close(struct lsr_scratch *s)
{
        if (s->fd >= 0)
                close(s->fd);
        free(s->where);
        *s = (struct lsr_scratch){ .fd = -1 };
}

/* --- bundles ------------------------------------------------------------------ */

struct bundling {
        const struct lsr_bundling *b;
        struct lsr_bundled made;
        char *unfit; /* what the format cannot hold, or NULL; owned */
};

/* The inventory has reported files that cannot be read; digests will show files that change meanwhile. */
static void bundling_trouble(void *ctx, enum lsr_pack_trouble what, const char *path, int error, uint64_t at)
{
        struct bundling *k = ctx;

        if ((what == LSR_PACK_SIZE || what == LSR_PACK_NAME) && !k->unfit)
                k->unfit = what == LSR_PACK_SIZE ? lsr_xprintf("%.4095s is too large", path)
                                                 : lsr_xprintf("%.200s... is too long a path", path);
}

static int bundling_progress(void *ctx, const struct lsr_pack_stats *stats)
{
        return ((const struct bundling *)ctx)->unfit ? -EFBIG : 0;
}

static int bundling_write(struct bundling *k, const struct lsr_walk_root *root, int fd)
{
        const struct lsr_bundling *b = k->b;
        const struct lsr_writer_options writer_options = { .level = b->format->level, .threads = b->threads };
        struct lsr_pack_options options = {
                .roots = root,
                .n_roots = 1,
                .ctx = k,
                .trouble = bundling_trouble,
                .progress = bundling_progress,
        };
        struct lsr_pack_stats stats;
        struct lsr_writer *writer;
        struct lsr_output out;
        int r;

        r = lsr_io_new(&options.walk_io, "auto");
        if (r == 0)
                r = lsr_io_new(&options.read_io, "auto");
        lsr_output_init(&out, fd);
        if (r == 0)
                r = b->format->kind->open(&writer, &out, &writer_options);
        if (r == 0) {
                r = lsr_pack(&options, writer, &stats);
                if (r == 0)
                        r = writer->kind->finish(writer);
                r = r == LSR_FINISH_NO_INDEX ? 0 : r;
                writer->kind->free(writer);
                lsr_pack_stats_free(&stats);
        }
        lsr_output_free(&out);
        lsr_io_free(options.read_io);
        lsr_io_free(options.walk_io);
        return r == 0 && k->unfit ? -EFBIG : r;
}

/* One more bundle, of the tree or of @package. */
static int bundling_one(struct bundling *k, const char *package)
{
        const struct lsr_bundling *b = k->b;
        struct lsr_bundled *bundled = &k->made;
        struct lsr_walk_root root = { .path = b->dir, .prefix = "", .is_dir = true };
        uint64_t began = lsr_clock();
        int fd = scratch_file(b->scratch->fd), r;
        lsr_autofree char *path = package ? lsr_path_new(b->dir, package) : NULL;
        struct stat st;

        if (fd < 0)
                return fd;
        bundled->fds[bundled->n++] = fd;
        if (package) {
                root.path = path;
                root.prefix = package;
        }
        r = bundling_write(k, &root, fd);
        bundled->pack_ns += lsr_clock() - began;
        /* Write it to the disk now, and not while something is measured. */
        if (r == 0 && (fdatasync(fd) < 0 || fstat(fd, &st) < 0))
                r = -errno;
        if (r < 0)
                return r;
        bundled->apparent += (uint64_t)st.st_size;
        bundled->allocated += (uint64_t)st.st_blocks * 512;
        return 0;
}

int lsr_bundling_make(struct lsr_bundled *ret_bundled, const struct lsr_bundling *b, char **ret_text)
{
        size_t n = b->each ? b->inventory->n_packages : 1;
        struct bundling k = { .b = b, .made.fds = lsr_xmalloc(n * sizeof(int) + 1) };
        int r = 0;

        for (size_t i = 0; i < n && r >= 0; i++)
                r = bundling_one(&k, b->each ? b->inventory->packages[i] : NULL);
        if (r < 0) {
                lsr_bundled_free(&k.made);
                *ret_text = k.unfit ? k.unfit : lsr_xstrdup(strerror(-r));
        } else {
                *ret_bundled = k.made;
        }
        return r;
}

void lsr_bundled_free(struct lsr_bundled *bundled)
{
        for (size_t i = 0; i < bundled->n; i++)
                close(bundled->fds[i]);
        free(bundled->fds);
        *bundled = (struct lsr_bundled){};
}
