/*
 * Many members in one pass: order, results of their own, an end on request, a
 * worker that dies over one of them, and workers that lie.
 */
#include "source/bundle.h"
#include "worker-meet.h"

#define MANY_FILES 300u
#define MANY_LARGE ((size_t)3 << 20)

/* --- a tar of files "f0", "f1", ...: number i has i bytes, the last one 3 MiB --------------- */

static size_t many_size(size_t i)
{
        return i + 1 == MANY_FILES ? MANY_LARGE : i;
}

static void many_tar(const char *path)
{
        static char content[MANY_LARGE];
        FILE *f = fopen(path, "we");

        cr_assert_not_null(f);
        memset(content, 'x', sizeof(content));
        for (size_t i = 0; i < MANY_FILES; i++) {
                char block[512] = {}, padding[512] = {};
                unsigned sum = 0;

                snprintf(block, 100, "f%zu", i);
                memcpy(block + 100, "0000644\0000000000\0000000000", 24);
                snprintf(block + 124, 12, "%011zo", many_size(i));
                memcpy(block + 136, "00000000000\0        0", 21);
                memcpy(block + 257, "ustar\00000", 8);
                for (size_t at = 0; at < sizeof(block); at++)
                        sum += (unsigned char)block[at];
                snprintf(block + 148, 8, "%06o", sum);
                fwrite(block, 1, 512, f);
                fwrite(content, 1, many_size(i), f);
                fwrite(padding, 1, (512 - many_size(i) % 512) % 512, f);
        }
        fclose(f);
}

/* --- a sink that takes notes ---------------------------------------------------------------- */

struct many_notes {
        size_t began, ended;
        size_t sizes[MANY_FILES];
        int errors[MANY_FILES];
        size_t stop; /* refuse in the middle of this one */
        int at_begin;
};

static int many_begin(void *ctx, size_t i)
{
        struct many_notes *n = ctx;

        cr_assert_eq(i, n->began++);
        cr_assert_eq(n->ended, i);
        return i == n->stop ? n->at_begin : 0;
}

static int many_write(void *ctx, const void *data, size_t size)
{
        struct many_notes *n = ctx;

        cr_assert_eq(n->began, n->ended + 1);
        cr_assert_eq(*(const char *)data, 'x');
        n->sizes[n->ended] += size;
        return n->ended == n->stop ? -ENOSPC : 0;
}

static int many_end(void *ctx, size_t i, int error)
{
        struct many_notes *n = ctx;

        cr_assert_eq(i, n->ended++);
        n->errors[i] = error;
        return 0;
}

static struct lsr_many_sink many_sink(struct many_notes *n)
{
        return (struct lsr_many_sink){ n, many_begin, many_write, many_end };
}

/* --- through the bundle ---------------------------------------------------------------------- */

static void many_bundle_trouble(void *ctx, const char *path, int error, const char *text)
{
        (void)path;
        worker_hear(ctx, error, text);
}

struct many_fixture {
        struct lsr_io *io;
        struct lsr_bundles *bundles;
        struct lsr_bundle *bundle;
        uint32_t rows[MANY_FILES];
};

static void many_open(struct many_fixture *f, const char *path)
{
        worker_n_troubles = 0;
        cr_assert_eq(lsr_io_new(&f->io, "sync"), 0);
        f->bundles = lsr_bundles_new(
                &(struct lsr_bundles_options){ .io = f->io, .engine = "sync", .trouble = many_bundle_trouble });
        cr_assert_eq(lsr_bundle_open(f->bundles, path, &f->bundle), 0);
        cr_assert_eq(lsr_bundle_load(f->bundle), 0);
        for (size_t i = 0; i < MANY_FILES; i++) {
                char name[16];

                snprintf(name, sizeof(name), "f%zu", i);
                f->rows[i] = (uint32_t)lsr_catalogue_find(f->bundle->catalogue, 0, name, strlen(name));
        }
}

static void many_close(struct many_fixture *f)
{
        lsr_bundles_free(f->bundles);
        lsr_io_free(f->io);
}

static void many_scratch(char *dir)
{
        cr_assert_not_null(mkdtemp(dir));
        cr_assert_eq(chdir(dir), 0);
        many_tar("b.tar");
        cr_assert_eq(system("gzip -nk b.tar"), 0);
}

static void many_remove(const char *dir)
{
        unlink("b.tar");
        unlink("b.tar.gz");
        rmdir(dir);
}

Test(many, all_in_order)
{
        char dir[] = "/tmp/test-many-XXXXXX";

        many_scratch(dir);
        for (int packed = 0; packed < 2; packed++) {
                struct many_notes n = { .stop = MANY_FILES };
                const struct lsr_many_sink sink = many_sink(&n);
                struct many_fixture f;

                many_open(&f, packed ? "b.tar.gz" : "b.tar");
                cr_assert_eq(lsr_bundle_read_many(f.bundle, f.bundle->catalogue, f.rows, MANY_FILES, true, &sink), 0);
                cr_assert_eq(n.ended, MANY_FILES);
                for (size_t i = 0; i < MANY_FILES; i++) {
                        cr_assert_eq(n.errors[i], 0);
                        cr_assert_eq(n.sizes[i], many_size(i), "%zu: %zu", i, n.sizes[i]);
                }
                many_close(&f);
        }
        many_remove(dir);
}

static size_t many_refused; /* the first realloc() of that many bytes at least has no memory; 0: none */

void *__real_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n)
{
        if (many_refused == 0 || n < many_refused)
                return __real_realloc(p, n);
        many_refused = 0;
        errno = ENOMEM;
        return NULL;
}

static void many_count(void *ctx)
{
        ++*(size_t *)ctx;
}

static int many_pass_begin(void *ctx, size_t i)
{
        return 0;
}

static int many_pass_write(void *ctx, const void *data, size_t n)
{
        return 0;
}

static int many_pass_end(void *ctx, size_t i, int error)
{
        return error;
}

/* With more members than one request has room for, all are said to be verified, as with one. */
Test(many, verified_in_several_requests)
{
        char dir[] = "/tmp/lsr-many-XXXXXX";
        struct many_fixture f;
        size_t verified = 0;
        const struct lsr_many_sink sink = {
                &verified, many_pass_begin, many_pass_write, many_pass_end, NULL, many_count
        };

        many_scratch(dir);
        many_open(&f, "b.tar.gz");
        many_refused = 8192;
        cr_assert_eq(lsr_bundle_read_many(f.bundle, f.bundle->catalogue, f.rows, MANY_FILES, LSR_MANY_TO_END, &sink),
                     0);
        cr_assert_eq(many_refused, 0);
        cr_expect_eq(verified, MANY_FILES, "%zu", verified);
        many_close(&f);
        many_remove(dir);
}

Test(many, ends_when_the_sink_wants_no_more)
{
        char dir[] = "/tmp/test-many-XXXXXX";
        struct many_fixture f;

        many_scratch(dir);
        many_open(&f, "b.tar.gz");
        for (size_t stop = 0; stop < 3; stop++) {
                struct many_notes n = { .stop = stop == 2 ? MANY_FILES - 1 : 100 + stop,
                                        .at_begin = stop == 0 ? -EINTR : 0 };
                const struct lsr_many_sink sink = many_sink(&n);

                cr_assert_eq(lsr_bundle_read_many(f.bundle, f.bundle->catalogue, f.rows, MANY_FILES, false, &sink),
                             stop == 0 ? -EINTR : -ENOSPC);
                cr_assert_eq(n.began, n.stop + 1);
                cr_assert_eq(n.ended, n.stop + 1);
                cr_assert_eq(n.errors[n.stop], stop == 0 ? -EINTR : -ENOSPC);
        }
        many_close(&f);
        many_remove(dir);
}

Test(many, one_that_is_not_there_costs_only_itself)
{
        char dir[] = "/tmp/test-many-XXXXXX";
        struct many_notes n = { .stop = MANY_FILES };
        const struct lsr_many_sink sink = many_sink(&n);
        struct many_fixture f;
        int fd;

        many_scratch(dir);
        many_open(&f, "b.tar");
        /* The name in the second header, f1, becomes g1 after the listing, its checksum with it. */
        fd = open("b.tar", O_WRONLY | O_CLOEXEC);
        cr_assert_eq(pwrite(fd, "g", 1, 512), 1);
        close(fd);
        cr_assert_eq(lsr_bundle_read_many(f.bundle, f.bundle->catalogue, f.rows, MANY_FILES, false, &sink), 0);
        cr_assert_eq(n.ended, MANY_FILES);
        for (size_t i = 0; i < MANY_FILES; i++)
                cr_assert_eq(n.errors[i], i == 1 ? -EBADMSG : 0, "%zu: %d", i, n.errors[i]);
        cr_assert_gt(worker_n_troubles, 0);
        many_close(&f);
        many_remove(dir);
}

/* --- workers that die, and that lie ----------------------------------------------------------- */

enum lie {
        LIE_NONE,
        LIE_END_MISSING,
        LIE_END_TOO_MANY,
        LIE_END_SHORT,
        LIE_END_POSITIVE,
        LIE_END_LOW,
        LIE_DATA_AFTER,
        LIE_DATA_LARGE,
        LIE_HOLE_AFTER,
        LIE_HOLE_SHORT,
        LIE_HOLE_LARGE,
        LIE_TROUBLES,
        LIE_DIE,
        LIE_DIE_WITHIN,
        LIES,
};

static enum lie lie;

static void lie_end(struct lsr_wire *wire, uint32_t request, int32_t result)
{
        worker_send(wire, request, LSR_WIRE_END, sizeof(result), &result, sizeof(result));
}

static void lie_many(struct lsr_wire *wire, uint32_t request)
{
        static const char zero[8];

        lie_end(wire, request, 0);
        switch (lie) {
        case LIE_END_TOO_MANY:
                lie_end(wire, request, 0);
                lie_end(wire, request, 0);
                break;
        case LIE_END_SHORT:
                worker_send(wire, request, LSR_WIRE_END, 3, zero, 3);
                break;
        case LIE_END_POSITIVE:
                lie_end(wire, request, 1);
                break;
        case LIE_END_LOW:
                lie_end(wire, request, -5000);
                break;
        case LIE_DATA_AFTER:
                lie_end(wire, request, 0);
                worker_send(wire, request, LSR_WIRE_DATA, 4, "xxxx", 4);
                break;
        case LIE_DATA_LARGE:
                worker_send(wire, request, LSR_WIRE_DATA, LSR_WIRE_DATA_MAX + 1, "xxxx", 4);
                break;
        case LIE_HOLE_AFTER:
                lie_end(wire, request, 0);
                worker_send(wire, request, LSR_WIRE_HOLE, 8, zero, 8);
                break;
        case LIE_HOLE_SHORT:
                worker_send(wire, request, LSR_WIRE_HOLE, 4, zero, 4);
                break;
        case LIE_HOLE_LARGE:
                worker_send(wire, request, LSR_WIRE_HOLE, 8, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
                break;
        case LIE_TROUBLES:
                for (unsigned i = 0; i < 2 * LSR_WIRE_TROUBLES_MAX; i++)
                        worker_send(wire, request, LSR_WIRE_TROUBLE, 8, zero, 8);
                break;
        case LIE_DIE:
                _exit(1);
        case LIE_DIE_WITHIN:
                worker_send(wire, request, LSR_WIRE_DATA, 4, "xxxx", 4);
                _exit(1);
        default:
                break;
        }
}

static int lie_serve(int fd)
{
        struct lsr_wire *wire = lsr_wire_new(fd, true);
        struct lsr_wire_head head;

        while (lsr_wire_head(wire, &head) == 0) {
                const struct lsr_wire_done done = { .format = "tar" };
                uint8_t payload[4096];

                cr_assert_eq(lsr_wire_take(wire, payload, head.length), 0);
                if (head.type == LSR_WIRE_MANY)
                        lie_many(wire, head.request);
                worker_send(wire, head.request, LSR_WIRE_DONE, sizeof(done), &done, sizeof(done));
                while (wire->n_fds > 0)
                        close(wire->fds[--wire->n_fds]);
        }
        lsr_wire_free(wire);
        return 0;
}

Test(many, believes_no_lies)
{
        for (lie = LIE_END_MISSING; lie < LIES; lie++) {
                const struct lsr_worker_options options = {
                        .engine = "sync", .window_max = 1 << 20, .trouble = worker_hear, .serve = lie_serve
                };
                const struct lsr_member m = { .path = "f", .path_len = 1 };
                struct many_notes n = { .stop = MANY_FILES };
                const struct lsr_many_sink sink = many_sink(&n);
                struct lsr_worker *w = lsr_worker_new(&options);
                int fd = memfd_create("empty", MFD_CLOEXEC);
                const struct lsr_worker_file file = { .fd = fd, .companions = { -1, -1 } };
                bool dies = lie == LIE_DIE || lie == LIE_DIE_WITHIN;
                struct lsr_worker_bundle b;
                struct lsr_records members = {};
                uint8_t *head = NULL;
                size_t head_len, ended = 0;

                lsr_record_put(&members, &m);
                lsr_record_put(&members, &m);
                cr_assert_eq(lsr_worker_open(w, &file, &b, &head, &head_len), 0);
                cr_assert_eq(lsr_worker_read_many(w, b.id, &members, 2, false, &sink, &ended), dies ? -EPIPE : -EPROTO,
                             "lie %d", lie);
                cr_assert_eq(n.began, n.ended, "lie %d", lie);
                cr_assert_eq(n.ended, ended, "lie %d", lie);
                cr_assert_eq(ended,
                             lie == LIE_END_TOO_MANY || lie == LIE_DATA_AFTER || lie == LIE_HOLE_AFTER ||
                                             lie == LIE_DIE_WITHIN
                                     ? 2
                                     : 1,
                             "lie %d: %zu", lie, ended);
                if (lie == LIE_DIE_WITHIN)
                        cr_assert_eq(n.errors[1], -EPIPE);
                free(members.data);
                lsr_worker_free(w);
                close(fd);
        }
}
