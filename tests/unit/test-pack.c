/* What writers are given: the order, the content to the byte, and trees that change meanwhile. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/out.h"
#include "engine-open.h"
#include "pack/content.h"
#include "pack/digest.h"
#include "pack/pack.h"
#include "pack/verify.h"

#define PACK_LARGE 600000

/* A writer that holds lsr to its promises and writes down what it gets. */
struct spy {
        struct lsr_writer w;
        struct lsr_writer_kind kind;
        struct lsr_out log;         /* "path size\n" of every member */
        struct lsr_out data;        /* of the last one */
        uint64_t left;              /* that is to come */
        char last[4096];            /* path, with '/' if it is a directory */
        const char *refused;        /* a path that it has no place for, */
        int refused_for;            /* more than LSR_LOSS_KIND */
        const char *hook_path;      /* when this comes ... */
        void (*hook)(const char *); /* ... do something, */
        const char *hook_file;      /* to this */
        struct lsr_out troubles;
        bool stop;
        struct lsr_io_stats walked, read;
};

static char pack_dir[] = "/tmp/lsr-test-pack-XXXXXX";

static void pack_set_up(void)
{
        cr_assert(mkdtemp(pack_dir));
        cr_assert_eq(chdir(pack_dir), 0);
        cr_assert_eq(mkdir("d", 0755), 0);
}

static void pack_tear_down(void)
{
        char command[128];

        sprintf(command, "rm -rf %s", pack_dir);
        cr_assert_eq(system(command), 0);
}

TestSuite(pack, .init = pack_set_up, .fini = pack_tear_down);

static void pack_file(const char *path, size_t n, char c)
{
        FILE *f = fopen(path, "w");

        cr_assert(f);
        for (size_t i = 0; i < n; i++)
                fputc(c, f);
        fclose(f);
}

static int spy_member(struct lsr_writer *w, const struct lsr_member *m, const struct lsr_extent *extents, size_t n)
{
        struct spy *spy = (struct spy *)w;
        char path[4096];

        cr_assert_eq(spy->left, 0, "%s: the one before lacks %lu bytes", m->path, spy->left);
        cr_assert_eq(strlen(m->path), m->path_len);
        snprintf(path, sizeof(path), "%s%s", m->path, S_ISDIR(m->meta.mode) ? "/" : "");
        cr_assert(strcmp(spy->last, path) < 0, "%s comes behind %s", path, spy->last);
        strcpy(spy->last, path);
        if (spy->hook_path && strcmp(spy->hook_path, m->path) == 0)
                spy->hook(spy->hook_file);
        if (spy->refused && strcmp(spy->refused, m->path) == 0)
                return LSR_LOSS_KIND | spy->refused_for;
        lsr_out_printf(&spy->log, "%s %" PRIu64 "%s%s\n", path, m->meta.size,
                       m->flags & LSR_MEMBER_HARDLINK ? " = " : "", m->flags & LSR_MEMBER_HARDLINK ? m->target : "");
        spy->data.len = 0;
        spy->left = extents ? 0 : m->meta.size;
        for (size_t i = 0; i < n; i++)
                spy->left += extents[i].size;
        return 0;
}

static int spy_data(struct lsr_writer *w, const void *data, size_t n)
{
        struct spy *spy = (struct spy *)w;

        cr_assert_leq(n, spy->left, "more than was said");
        spy->left -= n;
        lsr_out_put(&spy->data, data, n);
        return 0;
}

static void spy_trouble(void *ctx, enum lsr_pack_trouble what, const char *path, int error, uint64_t at)
{
        lsr_out_printf(&((struct spy *)ctx)->troubles, "%d %s %d %" PRIu64 "\n", (int)what, path, error, at);
}

static int spy_progress(void *ctx, const struct lsr_pack_stats *stats)
{
        (void)stats;
        return ((struct spy *)ctx)->stop ? -EINTR : 0;
}

static void spy_init(struct spy *spy)
{
        *spy = (struct spy){ .kind = { .name = "spy", .hardlinks = true, .member = spy_member, .data = spy_data } };
        spy->w.kind = &spy->kind;
        lsr_out_init(&spy->log, -1);
        lsr_out_init(&spy->data, -1);
        lsr_out_init(&spy->troubles, -1);
}

static int spy_run(struct spy *spy, const char *engine, struct lsr_pack_stats *ret_stats)
{
        const struct lsr_walk_root root = { .path = "d", .prefix = "d", .is_dir = true };
        struct lsr_pack_options o = {
                .roots = &root, .n_roots = 1, .ctx = spy, .trouble = spy_trouble, .progress = spy_progress
        };
        int r;

        cr_assert_eq(lsr_io_new(&o.walk_io, engine), 0);
        cr_assert_eq(lsr_io_new(&o.read_io, engine), 0);
        r = lsr_pack(&o, &spy->w, ret_stats);
        spy->walked = *lsr_io_stats(o.walk_io);
        spy->read = *lsr_io_stats(o.read_io);
        lsr_io_free(o.walk_io);
        lsr_io_free(o.read_io);
        lsr_out_putc(&spy->log, '\0');
        lsr_out_putc(&spy->troubles, '\0');
        return r;
}

static void spy_free(struct spy *spy)
{
        lsr_out_free(&spy->log);
        lsr_out_free(&spy->data);
        lsr_out_free(&spy->troubles);
}

/* Pack "d" and compare what was given, and what was told. */
static void pack_check(struct spy *spy, const char *log, const char *troubles)
{
        struct lsr_pack_stats stats;

        cr_assert_eq(spy_run(spy, "sync", &stats), 0);
        cr_assert_str_eq(spy->log.buf, log);
        cr_assert_str_eq(spy->troubles.buf, troubles);
        cr_assert_eq(spy->left, 0);
        lsr_pack_stats_free(&stats);
}

Test(pack, comes_in_the_order_of_the_bundle)
{
        struct spy spy;

        spy_init(&spy);
        mkdir("d/x", 0755);
        mkdir("d/x!", 0755);
        mkdir("d/x0", 0755);
        mkdir("d/abcdefgh", 0755);
        pack_file("d/abcdefgh.", 1, 'a');
        pack_file("d/abcdefgh0", 2, 'a');
        pack_file("d/abcdefgh/z", 3, 'a');
        pack_file("d/x.", 0, 'a');
        pack_file("d/x/y", 4, 'a');
        pack_check(&spy,
                   "d/ 0\nd/abcdefgh. 1\nd/abcdefgh/ 0\nd/abcdefgh/z 3\nd/abcdefgh0 2\nd/x!/ 0\nd/x. 0\nd/x/ 0\nd/x/y "
                   "4\nd/x0/ 0\n",
                   "");
        spy_free(&spy);
}

static void hook_grow(const char *path)
{
        FILE *f = fopen(path, "a");

        fputs("more", f);
        fclose(f);
}

static void hook_shrink(const char *path)
{
        cr_assert_eq(truncate(path, 300000), 0);
}

static void hook_empty(const char *path)
{
        cr_assert_eq(truncate(path, 0), 0);
}

static void hook_remove(const char *path)
{
        cr_assert_eq(unlink(path), 0);
}

static void hook_fifo(const char *path)
{
        cr_assert_eq(unlink(path), 0);
        cr_assert_eq(mkfifo(path, 0644), 0);
}

static void hook_link(const char *path)
{
        cr_assert_eq(unlink(path), 0);
        cr_assert_eq(symlink("/etc/passwd", path), 0);
}

/* To a file that is smaller than what was there. */
static void hook_link_small(const char *path)
{
        cr_assert_eq(unlink(path), 0);
        cr_assert_eq(symlink("f000", path), 0);
}

Test(pack, file_that_grows)
{
        struct spy spy;

        spy_init(&spy);
        pack_file("d/f", PACK_LARGE, 'x');
        pack_file("d/g", 1, 'x');
        spy.hook_path = "d/f";
        spy.hook_file = "d/f";
        spy.hook = hook_grow;
        pack_check(&spy, "d/ 0\nd/f 600000\nd/g 1\n", "8 d/f 0 600000\n");
        spy_free(&spy);
}

static int content_write(void *ctx, const void *data, size_t n)
{
        lsr_out_put(ctx, data, n);
        return 0;
}

/* As in /proc, and with file systems in user space. */
Test(pack, content_longer_than_its_size)
{
        struct lsr_content c = { .write = content_write };
        struct lsr_out copied;
        uint8_t *data;
        size_t n;

        pack_file("d/f", PACK_LARGE, 'x');
        lsr_out_init(&copied, -1);
        c.ctx = &copied;
        cr_assert_eq(lsr_io_new(&c.io, "sync"), 0);
        cr_assert_eq(lsr_content_open(&c, AT_FDCWD, "d/f", false), 0);
        for (size_t max = PACK_LARGE - 1; max <= PACK_LARGE + 1; max++) {
                c.size = 0;
                cr_assert_eq(lsr_content_whole(&c, max, &data, &n), 0);
                cr_assert_eq(n, max < PACK_LARGE ? max : PACK_LARGE);
                cr_assert_eq(c.longer, max < PACK_LARGE);
                free(data);
        }
        for (c.size = PACK_LARGE - 1; c.size <= PACK_LARGE; c.size++) {
                copied.len = 0;
                cr_assert_eq(lsr_content_copy(&c), 0);
                cr_assert_eq(copied.len, c.size);
                cr_assert_eq(c.longer, c.size < PACK_LARGE);
        }
        lsr_content_close(&c);
        lsr_io_free(c.io);
        lsr_out_free(&copied);
}

Test(pack, file_that_shrinks_ends_in_zeros)
{
        struct spy spy;

        spy_init(&spy);
        pack_file("d/f", PACK_LARGE, 'x');
        spy.hook_path = "d/f";
        spy.hook_file = "d/f";
        spy.hook = hook_shrink;
        pack_check(&spy, "d/ 0\nd/f 600000\n", "7 d/f 0 300000\n");
        cr_assert_eq(spy.data.len, PACK_LARGE);
        for (size_t i = 0; i < PACK_LARGE; i++)
                cr_assert_eq(spy.data.buf[i], i < 300000 ? 'x' : '\0', "byte %zu", i);
        spy_free(&spy);
}

Test(pack, file_that_is_gone_or_no_file_any_more)
{
        static const struct {
                void (*hook)(const char *);
                const char *troubles;
        } cases[] = { { hook_remove, "3 d/f -2 0\n" }, { hook_fifo, "10 d/f 0 0\n" }, { hook_link, "3 d/f -40 0\n" } };

        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                struct spy spy;

                spy_init(&spy);
                unlink("d/f");
                pack_file("d/f", PACK_LARGE, 'x');
                pack_file("d/e", 1, 'x');
                spy.hook_path = "d/e";
                spy.hook_file = "d/f";
                spy.hook = cases[i].hook;
                pack_check(&spy, "d/ 0\nd/e 1\n", cases[i].troubles);
                spy_free(&spy);
        }
}

/*
 * All are looked at together, and read in batches: what happens when the first is stored comes before the last are
 * read.
 */
Test(pack, small_file_that_changes_before_it_is_read)
{
        static const struct {
                void (*hook)(const char *);
                const char *line, *troubles;
        } cases[] = {
                { hook_grow, "d/y 9\n", "10 d/y 0 0\n" }, { hook_empty, "d/y 0\n", "7 d/y 0 0\n" },
                { hook_remove, "", "3 d/y -2 0\n" },      { hook_link, "", "3 d/y -40 0\n" },
                { hook_link_small, "", "3 d/y -40 0\n" },
        };

        for (size_t i = 0; i < 400; i++) {
                char path[32];

                sprintf(path, "d/f%03zu", i);
                pack_file(path, 1, 'x');
        }
        for (size_t i = 0; i < 3 * sizeof(cases) / sizeof(*cases); i++) {
                static const char *const engines[] = { "sync", "threads", "auto" };
                struct lsr_pack_stats stats;
                struct spy spy;

                spy_init(&spy);
                unlink("d/y");
                pack_file("d/y", 5, 'x');
                spy.hook_path = "d";
                spy.hook_file = "d/y";
                spy.hook = cases[i / 3].hook;
                cr_assert_eq(spy_run(&spy, engines[i % 3], &stats), 0);
                cr_assert_str_eq(spy.troubles.buf, cases[i / 3].troubles);
                cr_assert_not_null(strstr(spy.log.buf, cases[i / 3].line));
                cr_assert_eq(spy.left, 0);
                lsr_pack_stats_free(&stats);
                spy_free(&spy);
        }
}

Test(pack, hard_links)
{
        struct lsr_pack_stats stats;
        struct spy spy;

        spy_init(&spy);
        pack_file("d/a", 3, 'x');
        cr_assert_eq(link("d/a", "d/b"), 0);
        cr_assert_eq(link("d/a", "d/c"), 0);
        pack_check(&spy, "d/ 0\nd/a 3\nd/b 0 = d/a\nd/c 0 = d/a\n", "");
        spy_free(&spy);
        /* The first name is not stored: the second is the file. */
        spy_init(&spy);
        spy.refused = "d/a";
        pack_check(&spy, "d/ 0\nd/b 3\nd/c 0 = d/b\n", "");
        spy_free(&spy);
        /* The format has none. */
        spy_init(&spy);
        spy.kind.hardlinks = false;
        cr_assert_eq(spy_run(&spy, "sync", &stats), 0);
        cr_assert_str_eq(spy.log.buf, "d/ 0\nd/a 3\nd/b 3\nd/c 3\n");
        cr_assert_eq(stats.losses[3].n, 2);
        cr_assert_str_eq(stats.losses[3].first, "d/b");
        cr_assert_eq(stats.bytes, 9);
        lsr_pack_stats_free(&stats);
        spy_free(&spy);
}

Test(pack, holes)
{
        struct spy spy;

        pack_file("d/s", 5, 'x');
        cr_assert_eq(truncate("d/s", 1 << 20), 0);
        spy_init(&spy);
        pack_check(&spy, "d/ 0\nd/s 1048576\n", "");
        cr_assert_eq(spy.data.len, 1 << 20);
        spy_free(&spy);
        spy_init(&spy);
        spy.kind.sparse = true;
        pack_check(&spy, "d/ 0\nd/s 1048576\n", "");
        cr_assert_lt(spy.data.len, 1 << 20, "holes are not given");
        cr_assert(memcmp(spy.data.buf, "xxxxx\0", 6) == 0);
        spy_free(&spy);
}

Test(pack, nothing_below_a_directory_that_is_not_stored)
{
        struct spy spy;

        spy_init(&spy);
        mkdir("d/x", 0755);
        mkdir("d/x/y", 0755);
        pack_file("d/x/f", 1, 'x');
        pack_file("d/x/y/f", 1, 'x');
        pack_file("d/z", 1, 'x');
        spy.refused = "d/x";
        pack_check(&spy, "d/ 0\nd/z 1\n", "");
        spy_free(&spy);
}

Test(pack, what_is_too_large_or_has_too_long_a_name_is_told)
{
        struct spy spy;

        pack_file("d/f", 3, 'x');
        pack_file("d/large", PACK_LARGE, 'x');
        spy_init(&spy);
        spy.refused = "d/large";
        spy.refused_for = LSR_LOSS_SIZE;
        pack_check(&spy, "d/ 0\nd/f 3\n", "11 d/large 0 0\n");
        spy_free(&spy);
        spy_init(&spy);
        spy.refused = "d/f";
        spy.refused_for = LSR_LOSS_NAME;
        pack_check(&spy, "d/ 0\nd/large 600000\n", "12 d/f 0 0\n");
        spy_free(&spy);
}

Test(pack, is_measured)
{
        const struct lsr_walk_root root = { .path = "d", .prefix = "d", .is_dir = true };
        struct lsr_excludes *excludes = lsr_excludes_new((const char *const[]){ "out", NULL });
        struct lsr_pack_options o = { .roots = &root, .n_roots = 1, .excludes = excludes };
        struct lsr_pack_size size;

        cr_assert_eq(lsr_io_new(&o.walk_io, "sync"), 0);
        pack_file("d/f", 9000, 'x');
        pack_file("d/out", 9000, 'x');
        cr_assert_eq(link("d/f", "d/g"), 0);
        cr_assert_eq(symlink("target", "d/l"), 0);
        pack_file("d/hole", 0, 'x');
        cr_assert_eq(truncate("d/hole", 1000000), 0);
        cr_assert_eq(lsr_pack_measure(&o, NULL, &size), 0);
        cr_assert_eq(size.members, 5);
        cr_assert_eq(size.bytes, 1009000);
        cr_assert_eq(size.least, 5 * 512 + 9000);
        lsr_excludes_free(excludes);
        lsr_io_free(o.walk_io);
}

Test(pack, stops_when_told)
{
        struct lsr_pack_stats stats;
        struct spy spy;

        spy_init(&spy);
        pack_file("d/f", PACK_LARGE, 'x');
        spy.stop = true;
        cr_assert_eq(spy_run(&spy, "sync", &stats), -EINTR);
        lsr_pack_stats_free(&stats);
        spy_free(&spy);
}

Test(pack, engines_give_the_same)
{
        static const char *const engines[] = { "sync", "threads", "uring", "auto" };
        uint64_t digest = 0;

        for (unsigned i = 0; i < 700; i++) {
                char path[64];

                sprintf(path, "d/s%u", i % 7);
                mkdir(path, 0755);
                sprintf(path, "d/s%u/f%u", i % 7, i);
                pack_file(path, i * 13 % 5000, (char)('a' + i % 26));
        }
        for (size_t e = 0; e < sizeof(engines) / sizeof(*engines); e++) {
                struct lsr_pack_stats stats;
                struct spy spy;

                if (e >= 2)
                        lsr_io_free(engine_open("uring"));
                spy_init(&spy);
                cr_assert_eq(spy_run(&spy, engines[e], &stats), 0, "%s", engines[e]);
                cr_assert_eq(stats.members, 708);
                cr_assert_str_eq(spy.troubles.buf, "");
                cr_assert(e == 0 || stats.digest == digest, "%s", engines[e]);
                digest = stats.digest;
                /* Through the ring, and right at once. */
                if (e >= 2) {
                        cr_assert_geq(spy.walked.ring_ops, 708, "%s", engines[e]);
                        cr_assert_geq(spy.read.ring_ops, 3 * 690, "%s", engines[e]);
                        cr_assert_eq(spy.walked.retried_ops + spy.read.retried_ops, 0, "%s", engines[e]);
                        cr_assert_lt(spy.read.syscalls, 60, "%s", engines[e]);
                }
                lsr_pack_stats_free(&stats);
                spy_free(&spy);
        }
}

static uint64_t digest_of(const char *data, size_t n, size_t piece)
{
        struct lsr_digest d;

        lsr_digest_begin(&d);
        for (size_t at = 0; at < n; at += piece)
                lsr_digest_add(&d, data + at, n - at < piece ? n - at : piece);
        return lsr_digest_end(&d);
}

Test(digest, does_not_know_pieces_but_every_bit)
{
        char data[200];

        for (size_t i = 0; i < sizeof(data); i++)
                data[i] = (char)(i * 37);
        for (size_t n = 0; n <= sizeof(data); n++) {
                uint64_t whole = digest_of(data, n, sizeof(data));

                for (size_t piece = 1; piece < 70; piece++)
                        cr_assert_eq(digest_of(data, n, piece), whole, "%zu bytes by %zu", n, piece);
                for (size_t bit = 0; bit < 8 * n; bit++) {
                        data[bit / 8] ^= (char)(1 << bit % 8);
                        cr_assert_neq(digest_of(data, n, sizeof(data)), whole, "bit %zu of %zu bytes", bit, n);
                        data[bit / 8] ^= (char)(1 << bit % 8);
                }
                if (n > 0)
                        cr_assert_neq(digest_of(data, n - 1, sizeof(data)), whole);
        }
}

Test(digest, of_a_member)
{
        struct lsr_member m = { .path = "a/b", .path_len = 3, .meta.mode = S_IFREG | 0644 }, n = m;
        uint64_t digest = lsr_digest_member(&m, 7);

        cr_assert_neq(lsr_digest_member(&m, 8), digest);
        n.path = "a/c";
        cr_assert_neq(lsr_digest_member(&n, 7), digest);
        n = m;
        n.meta.mode = S_IFLNK | 0644;
        cr_assert_neq(lsr_digest_member(&n, 7), digest);
        n = m;
        n.path = "a/b/";
        n.path_len = 4;
        cr_assert_eq(lsr_digest_member(&n, 7), digest);
        n = m;
        n.target = "t";
        n.target_len = 1;
        cr_assert_neq(lsr_digest_member(&n, 7), digest);
}

/* --- reading back --------------------------------------------------------------- */

static void verify_trouble(void *ctx, const char *text)
{
        (void)ctx;
        (void)text;
}

static int verify_run(int fd, const struct lsr_pack_stats *stats, unsigned threads)
{
        struct lsr_verify v = {
                .threads = threads, .members = stats->members, .digest = stats->digest, .trouble = verify_trouble
        };
        int r;

        cr_assert_eq(lsr_io_new(&v.io, "sync"), 0);
        r = lsr_verify(&v, fd);
        lsr_io_free(v.io);
        return r;
}

/* The same, where the reading began while there were only some bytes. */
static int verify_early(int fd, const struct lsr_pack_stats *stats)
{
        struct lsr_verify v = {
                .threads = 1, .members = stats->members, .digest = stats->digest, .trouble = verify_trouble
        };
        off_t size = lseek(fd, 0, SEEK_END);
        int r;

        v.early = lsr_verify_early_new(fd);
        for (off_t at = 0; at < size; at += size / 7 + 1)
                lsr_verify_early_grown(v.early, (uint64_t)at);
        cr_assert_eq(lsr_io_new(&v.io, "sync"), 0);
        r = lsr_verify(&v, fd);
        lsr_io_free(v.io);
        lsr_verify_early_free(v.early);
        return r;
}

/* Pack "d" as @kind into a new file. */
static int verify_pack(const struct lsr_writer_kind *kind, struct lsr_pack_stats *ret_stats)
{
        const struct lsr_walk_root root = { .path = "d", .prefix = "d", .is_dir = true };
        struct spy spy;
        struct lsr_pack_options o = { .roots = &root, .n_roots = 1, .ctx = &spy, .trouble = spy_trouble };
        int fd = open("bundle", O_RDWR | O_CREAT | O_TRUNC, 0644);
        struct lsr_writer *writer;
        struct lsr_output out;

        spy_init(&spy);
        lsr_output_init(&out, fd);
        cr_assert_eq(lsr_io_new(&o.walk_io, "sync"), 0);
        cr_assert_eq(lsr_io_new(&o.read_io, "sync"), 0);
        cr_assert_eq(kind->open(&writer, &out, &(struct lsr_writer_options){ LSR_LEVEL_DEFAULT, 1 }), 0);
        cr_assert_eq(lsr_pack(&o, writer, ret_stats), 0, "%s", kind->name);
        cr_assert_eq(kind->finish(writer), 0, "%s", kind->name);
        kind->free(writer);
        lsr_io_free(o.walk_io);
        lsr_io_free(o.read_io);
        lsr_output_free(&out);
        spy_free(&spy);
        return fd;
}

Test(pack, what_is_read_back_is_compared)
{
        mkdir("d/s", 0755);
        pack_file("d/s/large", 300000, 'x');
        pack_file("d/a", 3, 'a');
        cr_assert_eq(link("d/a", "d/b"), 0);
        cr_assert_eq(symlink("target", "d/link"), 0);
        pack_file("d/hole", 4, 'h');
        cr_assert_eq(truncate("d/hole", 1 << 20), 0);
        for (size_t k = 0; lsr_writers[k]; k++) {
                const char *name = lsr_writers[k]->name;
                struct lsr_pack_stats stats;
                int fd = verify_pack(lsr_writers[k], &stats);

                cr_assert_eq(verify_run(fd, &stats, 1), 0, "%s", name);
                cr_assert_eq(verify_run(fd, &stats, 3), 0, "%s", name);
                stats.digest++;
                cr_assert_eq(verify_run(fd, &stats, 1), -EBADMSG, "%s", name);
                cr_assert(!lsr_writers[k]->appends || verify_early(fd, &stats) == -EBADMSG, "%s", name);
                stats.digest--;
                cr_assert(!lsr_writers[k]->appends || verify_early(fd, &stats) == 0, "%s", name);
                stats.members++;
                cr_assert_eq(verify_run(fd, &stats, 1), -EBADMSG, "%s", name);
                cr_assert(!lsr_writers[k]->appends || verify_early(fd, &stats) == -EBADMSG, "%s", name);
                stats.members--;
                /* In the contents: half of a bundle as small as this may be its index. */
                cr_assert_eq(ftruncate(fd, lseek(fd, 0, SEEK_END) / 4), 0);
                cr_assert_lt(verify_run(fd, &stats, 1), 0, "%s", name);
                cr_assert(!lsr_writers[k]->appends || verify_early(fd, &stats) < 0, "%s", name);
                lsr_pack_stats_free(&stats);
                close(fd);
        }
}

/* A table of contents is read when all is there, though the tar was before. */
Test(pack, table_of_contents_after_reading_early)
{
        struct lsr_pack_stats stats;
        char c;
        int fd;

        pack_file("d/a", 300, 'a');
        fd = verify_pack(lsr_writer_kind_of("x.tar.zst"), &stats);
        cr_assert_eq(verify_early(fd, &stats), 0);
        /* In the frame of the table, in front of 64 bytes and the seek table: E, T and L are 3 entries at least. */
        cr_assert_eq(pread(fd, &c, 1, lseek(fd, 0, SEEK_END) - 8 - 12 * 4 - 9 - 64 - 10), 1);
        c ^= 1;
        cr_assert_eq(pwrite(fd, &c, 1, lseek(fd, 0, SEEK_END) - 8 - 12 * 4 - 9 - 64 - 10), 1);
        cr_assert_lt(verify_early(fd, &stats), 0);
        lsr_pack_stats_free(&stats);
        close(fd);
}

/* What is given up is not waited for. */
Test(pack, reading_early_is_given_up)
{
        struct lsr_pack_stats stats;
        struct lsr_verify_early *e;
        int fd;

        pack_file("d/a", 300, 'a');
        fd = verify_pack(lsr_writer_kind_of("x.tar"), &stats);
        e = lsr_verify_early_new(fd);
        lsr_verify_early_grown(e, 600);
        lsr_verify_early_free(e);
        lsr_verify_early_free(lsr_verify_early_new(fd));
        lsr_pack_stats_free(&stats);
        close(fd);
}

/* A tar has no checksum of content: the digest alone finds this. */
Test(pack, one_bit_of_content)
{
        const struct lsr_writer_kind *kind = lsr_writer_kind_of("x.tar");
        struct lsr_pack_stats stats;
        int fd;

        pack_file("d/a", 300, 'a');
        fd = verify_pack(kind, &stats);
        cr_assert_eq(verify_run(fd, &stats, 1), 0);
        for (off_t at = 0; at < lseek(fd, 0, SEEK_END); at++) {
                char c;

                cr_assert_eq(pread(fd, &c, 1, at), 1);
                if (c != 'a')
                        continue;
                cr_assert_eq(pwrite(fd, &(char){ 'b' }, 1, at), 1);
                cr_assert_lt(verify_run(fd, &stats, 1), 0, "byte %ld", (long)at);
                cr_assert_eq(verify_early(fd, &stats), -EBADMSG, "byte %ld", (long)at);
                cr_assert_eq(pwrite(fd, &c, 1, at), 1);
        }
        lsr_pack_stats_free(&stats);
        close(fd);
}
