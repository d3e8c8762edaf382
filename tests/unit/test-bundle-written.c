/* Databases that other programs write to while they are read: never what is of two times, nor called damaged for it. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "source/bundle.h"
#include "worker-meet.h"

/* Shared with the worker, a process of its own, which can write to nothing else. */
static struct {
        unsigned times; /* requests while which the database is written to, before those while which nobody does */
        unsigned scans;
        atomic_uint asked;   /* how often it is to be written to, */
        atomic_uint written; /* and was */
        atomic_bool over;
} * shared;

static int database;

static void write_database(time_t when)
{
        futimens(database, (struct timespec[]){ { .tv_sec = when }, { .tv_sec = when } });
}

/* The other program. */
static void *writer(void *ctx)
{
        while (!shared->over) {
                if (shared->written < shared->asked) {
                        write_database((time_t)shared->asked);
                        shared->written++;
                }
                sched_yield();
        }
        return ctx;
}

static struct {
        unsigned n;
        int error;
        char text[256];
} said;

static void said_trouble(void *ctx, const char *path, int error, const char *text)
{
        said.n++;
        said.error = error;
        snprintf(said.text, sizeof(said.text), "%s", text ? text : "");
}

static void serve_done(struct lsr_wire *wire, uint32_t request, int result)
{
        const struct lsr_wire_done done = { .result = result, .format = "sqlite" };

        worker_send(wire, request, LSR_WIRE_DONE, sizeof(done), &done, sizeof(done));
}

/* A member, and if the database is written to meanwhile, trouble before it. */
static void serve_scan(struct lsr_wire *wire, uint32_t request)
{
        static const char trouble[] = "\377\377\377\377malformed";
        struct lsr_records records = {};
        bool written = shared->scans++ < shared->times;

        if (written) {
                shared->asked++;
                while (shared->written < shared->asked)
                        continue;
                worker_send(wire, request, LSR_WIRE_TROUBLE, sizeof(trouble) - 1, trouble, sizeof(trouble) - 1);
        }
        lsr_record_put(&records, &(struct lsr_member){ .path = written ? "torn" : "good", .path_len = 4 });
        worker_send(wire, request, LSR_WIRE_MEMBERS, records.len, records.data, records.len);
        serve_done(wire, request, 0);
        free(records.data);
}

static int serve(int fd)
{
        struct lsr_wire *wire = lsr_wire_new(fd, true);
        struct lsr_wire_head head;

        while (lsr_wire_head(wire, &head) == 0) {
                uint8_t payload[4096] = {};

                if (lsr_wire_take(wire, payload, head.length) < 0)
                        break;
                if (head.type == LSR_WIRE_SCAN)
                        serve_scan(wire, head.request);
                else if (head.type != LSR_WIRE_CLOSE)
                        serve_done(wire, head.request, 0);
                while (wire->n_fds > 0)
                        close(wire->fds[--wire->n_fds]);
        }
        lsr_wire_free(wire);
        return 0;
}

/* The name of the one member of a database that is written to during @times requests. */
static char *listed(unsigned times, bool read)
{
        char magic[512] = "SQLite format 3", path[64], *name;
        struct lsr_bundle *bundle;
        struct lsr_bundles *b;
        struct lsr_member m;
        struct lsr_io *io;
        pthread_t thread;

        shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        shared->times = times;
        cr_assert_eq(pthread_create(&thread, NULL, writer, NULL), 0);
        database = memfd_create("db", 0);
        cr_assert_eq(write(database, magic, sizeof(magic)), sizeof(magic));
        snprintf(path, sizeof(path), "/proc/self/fd/%d", database);
        cr_assert_eq(lsr_io_new(&io, "sync"), 0);
        b = lsr_bundles_new(
                &(struct lsr_bundles_options){ .io = io, .engine = "sync", .serve = serve, .trouble = said_trouble });
        cr_assert_eq(lsr_bundle_open(b, path, &bundle), 0);
        cr_assert_eq(lsr_bundle_load(bundle), 0);
        cr_assert_eq(lsr_catalogue_rows(bundle->catalogue), 2);
        lsr_catalogue_get(bundle->catalogue, 1, &m);
        name = strndup(m.path, m.path_len);
        if (read)
                write_database(1000);
        for (unsigned i = 0; read && i < 2; i++)
                lsr_bundle_read(&(struct lsr_place){ bundle, bundle->catalogue, 1 }, &(struct lsr_sink){});
        lsr_bundles_free(b);
        lsr_io_free(io);
        shared->over = true;
        pthread_join(thread, NULL);
        close(database);
        return name;
}

Test(bundle_written, is_listed_once_if_nobody_writes)
{
        char *name = listed(0, false);

        cr_expect_str_eq(name, "good");
        cr_expect_eq(shared->scans, 1u);
        cr_expect_eq(said.n, 0u, "%s", said.text);
        free(name);
}

Test(bundle_written, is_listed_anew)
{
        char *name = listed(3, false);

        cr_expect_str_eq(name, "good");
        cr_expect_eq(shared->scans, 4u);
        cr_expect_eq(said.n, 0u, "%s", said.text);
        free(name);
}

Test(bundle_written, without_end_is_told)
{
        char *name = listed(1000, false);

        cr_expect_str_eq(name, "torn");
        cr_expect_lt(shared->scans, 20u);
        cr_expect_eq(said.n, 1u);
        cr_expect_eq(said.error, -ESTALE);
        cr_expect_str_eq(said.text, "it was changed while it was read; run lsr again");
        free(name);
}

/* What was read cannot be taken back. */
Test(bundle_written, while_members_are_read_is_told_once)
{
        char *name = listed(0, true);

        cr_expect_eq(said.n, 1u);
        cr_expect_str_eq(said.text, "it was changed while it was read; run lsr again");
        free(name);
}
