/*
 * Each bundle has a worker of its own: one that was taken over answers for its own bundle, and for no other.
 */
#include "base/compat.h"
#include "source/bundle.h"
#include "worker-meet.h"

#define TAKEN_SIZE 10240u /* bytes of the bundle that takes its worker over */

static bool taken;

static void serve_done(struct lsr_wire *wire, uint32_t request)
{
        const struct lsr_wire_done done = { .format = "tar" };

        worker_send(wire, request, LSR_WIRE_DONE, sizeof(done), &done, sizeof(done));
}

static void serve_member(struct lsr_wire *wire, uint32_t request, const char *path)
{
        struct lsr_records records = {};

        lsr_record_put(&records, &(struct lsr_member){ .path = path, .path_len = strlen(path) });
        worker_send(wire, request, LSR_WIRE_MEMBERS, records.len, records.data, records.len);
        serve_done(wire, request);
        free(records.data);
}

/* Lists one member, "good"; or "forged", from the bundle on that has TAKEN_SIZE, and answers ahead, too. */
static int serve_taken(int fd)
{
        struct lsr_wire *wire = lsr_wire_new(fd, true);
        struct lsr_wire_head head;

        /* As a fork it has its parent's ends of other sockets. */
        closefrom(fd + 1);
        while (lsr_wire_head(wire, &head) == 0) {
                struct lsr_wire_open open = {};
                uint8_t payload[4096] = {};

                if (lsr_wire_take(wire, payload, head.length) < 0)
                        break;
                memcpy(&open, payload, sizeof(open));
                taken |= head.type == LSR_WIRE_OPEN && open.size == TAKEN_SIZE;
                if (head.type == LSR_WIRE_SCAN)
                        serve_member(wire, head.request, taken ? "forged" : "good");
                else if (head.type != LSR_WIRE_CLOSE)
                        serve_done(wire, head.request);
                for (uint32_t i = 1; taken && head.type == LSR_WIRE_SCAN && i < 8; i++)
                        serve_member(wire, head.request + i, "forged");
                while (wire->n_fds > 0)
                        close(wire->fds[--wire->n_fds]);
        }
        lsr_wire_free(wire);
        return 0;
}

static void trouble(void *ctx, const char *path, int error, const char *text)
{
        (void)ctx, (void)path, (void)error, (void)text;
}

/* Has the bundle at @path the one member @name? */
static void check_member(struct lsr_bundles *b, const char *path, const char *name)
{
        struct lsr_bundle *bundle;

        cr_assert_eq(lsr_bundle_open(b, path, &bundle), 0);
        cr_assert_eq(lsr_bundle_load(bundle), 0);
        cr_expect_eq(lsr_catalogue_rows(bundle->catalogue), 2);
        cr_expect_eq(lsr_catalogue_find(bundle->catalogue, 0, name, strlen(name)), 1, "%s: not %s", path, name);
}

Test(bundle, is_answered_for_by_its_own_worker)
{
        struct lsr_io *io;
        struct lsr_bundles *b;
        char paths[LSR_BUNDLES_WORKERS_MAX + 2][64];
        int fds[LSR_BUNDLES_WORKERS_MAX + 2];

        cr_assert_eq(lsr_io_new(&io, "sync"), 0);
        b = lsr_bundles_new(
                &(struct lsr_bundles_options){ .io = io, .engine = "sync", .serve = serve_taken, .trouble = trouble });
        for (unsigned i = 0; i < LSR_BUNDLES_WORKERS_MAX + 2; i++) {
                fds[i] = tar_file();
                cr_assert_eq(ftruncate(fds[i], i == 1 ? TAKEN_SIZE : 20480), 0);
                snprintf(paths[i], sizeof(paths[i]), "/proc/self/fd/%d", fds[i]);
        }
        for (unsigned i = 0; i < LSR_BUNDLES_WORKERS_MAX + 2; i++)
                check_member(b, paths[i], i == 1 ? "forged" : "good");
        lsr_bundles_free(b);
        lsr_io_free(io);
        for (unsigned i = 0; i < LSR_BUNDLES_WORKERS_MAX + 2; i++)
                close(fds[i]);
}

static unsigned count_children(void)
{
        char path[64];
        unsigned n = 0;
        FILE *f;
        int pid;

        snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)gettid());
        f = fopen(path, "re");
        if (!f)
                cr_skip_test("/proc does not tell children");
        while (fscanf(f, "%d", &pid) == 1)
                n++;
        fclose(f);
        return n;
}

/* Few of them live at a time, and who is asked about again gets another one. */
Test(bundle, has_a_worker_for_a_while)
{
        struct lsr_io *io;
        struct lsr_bundles *b;
        struct lsr_bundle *bundles[20];
        struct lsr_io_stats stats = {};
        char path[64];
        int fds[20];

        cr_assert_eq(lsr_io_new(&io, "sync"), 0);
        b = lsr_bundles_new(&(struct lsr_bundles_options){ .io = io, .engine = "sync", .trouble = trouble });
        cr_assert_eq(lsr_bundles_confined(b), 1);
        for (unsigned i = 0; i < 20; i++) {
                fds[i] = tar_file();
                snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[i]);
                cr_assert_eq(lsr_bundle_open(b, path, &bundles[i]), 0);
                cr_assert_eq(lsr_bundle_load(bundles[i]), 0);
                /* And one that ends. */
                cr_assert_leq(count_children(), LSR_BUNDLES_WORKERS_MAX + 1);
        }
        for (unsigned i = 0; i < 20; i += 7) {
                struct worker_sink got = { malloc(16), 0, 16 };
                int64_t row = lsr_catalogue_find(bundles[i]->catalogue, 0, "dir/small", 9);

                cr_assert_eq(lsr_bundle_read(&(struct lsr_place){ bundles[i], bundles[i]->catalogue, (uint32_t)row },
                                             &(struct lsr_sink){ &got, worker_sink_write }),
                             0);
                cr_assert_eq(got.size, 6);
                free(got.data);
        }
        lsr_bundles_stats(b, &stats);
        cr_assert_geq(stats.bytes_read, 20 * 512, "what workers did that have ended counts");
        cr_assert_leq(lsr_bundles_confined(b), 0);
        lsr_bundles_free(b);
        cr_assert_eq(count_children(), 0);
        lsr_io_free(io);
        for (unsigned i = 0; i < 20; i++)
                close(fds[i]);
}
