/*
 * A worker that says what it likes: the main process believes nothing, and goes on.
 */
#include "worker-meet.h"

/* --- liars ------------------------------------------------------------------------- */

enum lie {
        LIE_NONE,
        LIE_TYPE,
        LIE_REQUEST_TYPE,
        LIE_NUMBER,
        LIE_DATA,
        LIE_DATA_UNASKED,
        LIE_HOLE_UNASKED,
        LIE_MAP_UNASKED,
        LIE_TEXT,
        LIE_TEXT_SHORT,
        LIE_TEXT_ERROR,
        LIE_MEMBERS_SIZE,
        LIE_MEMBERS_SIZE_BEYOND,
        LIE_MEMBERS,
        LIE_MEMBERS_CUT,
        LIE_MEMBERS_ENDLESS,
        LIE_MEMBERS_AND_DEATH,
        LIE_CATALOGUE_SIZE,
        LIE_CATALOGUE_SIZE_BEYOND,
        LIE_CATALOGUE,
        LIE_CATALOGUE_EMPTY,
        LIE_CATALOGUE_TWICE,
        LIE_CATALOGUE_BEHIND_MEMBERS,
        LIE_SOME_WHOLE,
        LIE_UNREAD_ALL,
        LIE_NUMBER_ALL,
        LIE_SOME,
        LIE_SOME_UNASKED,
        LIE_UNREAD_UNASKED,
        LIE_NUMBER_UNASKED,
        LIE_TROUBLES,
        LIE_RESULT,
        LIE_RESULT_LOW,
        LIE_DONE_SIZE,
        LIE_NAME,
        LIE_EXIT,
        LIE_CUT,
        LIE_DESCRIPTOR,
};

static enum lie lie;

static bool scanning; /* a SCAN is at hand */

/* What a READ is answered with, if n is not 0. */
static struct {
        struct lsr_extent extents[2];
        size_t size; /* bytes of them */
} lie_map;

static void lie_done(struct lsr_wire *wire, uint32_t request, int result)
{
        struct lsr_wire_done done = { .result = result, .format = "tar" };

        /* Of an OPEN it would be another lie. */
        done.some = scanning && lie >= LIE_SOME_WHOLE && lie <= LIE_SOME_UNASKED && lie != LIE_UNREAD_ALL &&
                    lie != LIE_NUMBER_ALL;

        if (lie == LIE_NAME)
                memset(done.filters, 'x', sizeof(done.filters));
        worker_send(wire, request, LSR_WIRE_DONE, sizeof(done), &done, sizeof(done));
}

static void lie_members(struct lsr_records *records, const char *path)
{
        const struct lsr_member m = { .path = path, .path_len = strlen(path) };

        lsr_record_put(records, &m);
}

/* A catalogue that is valid, and has all there is. */
static void lie_whole(struct lsr_wire *wire, uint32_t request)
{
        struct lsr_builder *b = lsr_builder_new();
        const struct lsr_member m = { .path = "name", .path_len = 4 };
        struct lsr_catalogue *c;
        uint8_t *data;
        size_t size;

        if (lsr_builder_add(b, &m) < 0 || lsr_builder_finish(b, &c) < 0 || lsr_catalogue_encode(c, &data, &size) < 0)
                abort();
        worker_send(wire, request, LSR_WIRE_CATALOGUE, size, data, size);
        lie_done(wire, request, 0);
        free(data);
        lsr_catalogue_free(c);
        lsr_builder_free(b);
}

/* The answer to a SCAN. */
static void lie_now(struct lsr_wire *wire, uint32_t request)
{
        static const char junk[LSR_WIRE_TEXT_MAX + 100] = "junk";
        struct iovec part = { (void *)junk, 4 };
        struct lsr_records records = {};
        static uint8_t ones[3 * LSR_CATALOGUE_DEPTH_MAX];
        int null;

        switch (lie) {
        case LIE_TYPE:
                worker_send(wire, request, 4711, 4, junk, 4);
                break;
        case LIE_REQUEST_TYPE:
                worker_send(wire, request, LSR_WIRE_SCAN, 4, junk, 4);
                break;
        case LIE_NUMBER:
                worker_send(wire, request + 1, LSR_WIRE_MEMBERS, 4, junk, 4);
                break;
        case LIE_DATA:
                worker_send(wire, request, LSR_WIRE_DATA, UINT64_MAX, junk, 4);
                break;
        case LIE_DATA_UNASKED:
                worker_send(wire, request, LSR_WIRE_DATA, 4, junk, 4);
                break;
        case LIE_HOLE_UNASKED:
                worker_send(wire, request, LSR_WIRE_HOLE, 8, junk + 8, 8);
                break;
        case LIE_MAP_UNASKED:
                worker_send(wire, request, LSR_WIRE_MAP, 0, junk, 0);
                break;
        case LIE_TEXT:
                worker_send(wire, request, LSR_WIRE_TROUBLE, sizeof(junk), junk, sizeof(junk));
                break;
        case LIE_TEXT_SHORT:
                worker_send(wire, request, LSR_WIRE_TROUBLE, 3, junk, 3);
                break;
        case LIE_TEXT_ERROR:
                worker_send(wire, request, LSR_WIRE_TROUBLE, 8, junk, 8);
                break;
        case LIE_MEMBERS_SIZE:
                worker_send(wire, request, LSR_WIRE_MEMBERS, LSR_WIRE_MEMBERS_MIN + LSR_WIRE_REQUEST_MAX, junk, 4);
                _exit(3);
        case LIE_MEMBERS_SIZE_BEYOND:
                worker_send(wire, request, LSR_WIRE_MEMBERS, LSR_WIRE_MEMBERS_MIN + LSR_WIRE_REQUEST_MAX + 1, junk, 4);
                break;
        case LIE_MEMBERS:
                worker_send(wire, request, LSR_WIRE_MEMBERS, sizeof(ones), memset(ones, 0xff, sizeof(ones)),
                            sizeof(ones));
                break;
        case LIE_MEMBERS_CUT:
                lie_members(&records, "name");
                worker_send(wire, request, LSR_WIRE_MEMBERS, records.len - 1, records.data, records.len - 1);
                break;
        case LIE_MEMBERS_ENDLESS:
                /* Deeper than any path, so they are too many soon. */
                memset(ones, '/', sizeof(ones));
                for (size_t i = 0; i < sizeof(ones); i += 2)
                        ones[i] = 'a';
                ones[sizeof(ones) - 1] = '\0';
                lie_members(&records, (char *)ones);
                part = (struct iovec){ records.data, records.len };
                while (lsr_wire_send(wire, LSR_WIRE_MEMBERS, request, &part, 1, NULL, 0) == 0)
                        ;
                break;
        case LIE_MEMBERS_AND_DEATH:
                lie_members(&records, "name");
                worker_send(wire, request, LSR_WIRE_MEMBERS, records.len, records.data, records.len);
                _exit(3);
        case LIE_CATALOGUE_SIZE:
                worker_send(wire, request, LSR_WIRE_CATALOGUE, LSR_WIRE_CATALOGUE_MAX, junk, 4);
                _exit(3);
        case LIE_CATALOGUE_SIZE_BEYOND:
                worker_send(wire, request, LSR_WIRE_CATALOGUE, LSR_WIRE_CATALOGUE_MAX + 1, junk, 4);
                break;
        case LIE_CATALOGUE:
                worker_send(wire, request, LSR_WIRE_CATALOGUE, sizeof(junk), junk, sizeof(junk));
                lie_done(wire, request, 0);
                break;
        case LIE_CATALOGUE_EMPTY:
                worker_send(wire, request, LSR_WIRE_CATALOGUE, 0, junk, 0);
                lie_done(wire, request, 0);
                break;
        case LIE_CATALOGUE_TWICE:
                worker_send(wire, request, LSR_WIRE_CATALOGUE, 4, junk, 4);
                worker_send(wire, request, LSR_WIRE_CATALOGUE, 4, junk, 4);
                break;
        case LIE_CATALOGUE_BEHIND_MEMBERS:
                lie_members(&records, "name");
                worker_send(wire, request, LSR_WIRE_MEMBERS, records.len, records.data, records.len);
                worker_send(wire, request, LSR_WIRE_CATALOGUE, 4, junk, 4);
                break;
        case LIE_SOME_WHOLE:
                lie_whole(wire, request);
                break;
        case LIE_SOME:
        case LIE_SOME_UNASKED:
                lie_members(&records, "name");
                worker_send(wire, request, LSR_WIRE_MEMBERS, records.len, records.data, records.len);
                lie_done(wire, request, 0);
                break;
        case LIE_NUMBER_ALL:
        case LIE_NUMBER_UNASKED:
                /* Nor that it has another number than it has. */
                lsr_record_put(&records, &(struct lsr_member){ .path = "name",
                                                               .path_len = 4,
                                                               .meta = { .known = LSR_FIELD_NLINK, .nlink = 7 } });
                worker_send(wire, request, LSR_WIRE_MEMBERS, records.len, records.data, records.len);
                lie_done(wire, request, 0);
                break;
        case LIE_UNREAD_ALL:
        case LIE_UNREAD_UNASKED:
                /* Whoever is told that this is all there is must not believe that some of it was not read. */
                lsr_record_put(&records, &(struct lsr_member){ .path = "name",
                                                               .path_len = 4,
                                                               .meta = { .known = LSR_FIELD_TYPE, .mode = S_IFDIR },
                                                               .flags = LSR_MEMBER_UNREAD });
                worker_send(wire, request, LSR_WIRE_MEMBERS, records.len, records.data, records.len);
                lie_done(wire, request, 0);
                break;
        case LIE_TROUBLES:
                part = (struct iovec){ (char[8]){ "\0\0\0\0more" }, 8 };
                while (lsr_wire_send(wire, LSR_WIRE_TROUBLE, request, &part, 1, NULL, 0) == 0)
                        ;
                break;
        case LIE_RESULT:
                lie_done(wire, request, 1);
                break;
        case LIE_RESULT_LOW:
                lie_done(wire, request, -5000);
                break;
        case LIE_DONE_SIZE:
                worker_send(wire, request, LSR_WIRE_DONE, 8, junk, 8);
                break;
        case LIE_NAME:
                lie_done(wire, request, -EBADMSG);
                break;
        case LIE_EXIT:
                _exit(3);
        case LIE_CUT:
                worker_send(wire, request, LSR_WIRE_DONE, sizeof(struct lsr_wire_done), junk, 8);
                _exit(4);
        case LIE_DESCRIPTOR:
                null = open("/dev/null", O_RDONLY);
                part.iov_base = (char[8]){ "\0\0\0\0here" };
                part.iov_len = 8;
                lsr_wire_send(wire, LSR_WIRE_TROUBLE, request, &part, 1, &null, 1);
                lie_done(wire, request, -EBADMSG);
                break;
        case LIE_NONE:
                break;
        }
        free(records.data);
}

/* Honest until it is asked for a catalogue, or for content: that it sends without end, STOP or not. */
static int lie_serve(int fd)
{
        struct lsr_wire *wire;
        struct lsr_wire_head head;

        if (lie == LIE_NONE)
                return lsr_worker_main(fd);
        wire = lsr_wire_new(fd, true);
        while (lsr_wire_head(wire, &head) == 0) {
                uint8_t payload[4096] = {};
                struct iovec part = { payload, sizeof(payload) };

                cr_assert_eq(lsr_wire_take(wire, payload, head.length), 0);
                scanning = head.type == LSR_WIRE_SCAN;
                if (scanning)
                        lie_now(wire, head.request);
                else if (head.type == LSR_WIRE_READ && lie_map.size > 0)
                        worker_send(wire, head.request, LSR_WIRE_MAP, lie_map.size, (const char *)lie_map.extents,
                                    lie_map.size);
                else if (head.type == LSR_WIRE_READ)
                        while (lsr_wire_send(wire, LSR_WIRE_DATA, head.request, &part, 1, NULL, 0) == 0)
                                ;
                else if (head.type != LSR_WIRE_CLOSE)
                        lie_done(wire, head.request, 0);
                while (wire->n_fds > 0)
                        close(wire->fds[--wire->n_fds]);
        }
        return 0;
}

static void worker_lied_to(enum lie which, int expected, unsigned troubles)
{
        struct lsr_worker *w;
        struct lsr_worker_bundle b;
        struct lsr_worker_answer answer;
        unsigned fds = worker_count_fds("/proc/self/fd");
        const struct lsr_wanted wanted = { .paths = (const char *const[]){ "name" }, .n = 1, .depth = 1 };
        int fd = tar_file(), r;
        bool some;

        lie = which;
        w = worker_make(lie_serve);
        r = worker_open_fd(w, fd, false, &b);
        if (which == LIE_NAME) {
                cr_assert_eq(r, -EPROTO);
        } else {
                cr_assert_eq(r, 0, "lie %d: open %d", which, r);
                some = which >= LIE_SOME_WHOLE && which <= LIE_SOME;
                r = lsr_worker_scan(w, b.id, some ? &wanted : NULL, &(uint64_t){ UINT64_MAX }, &answer);
                if (r == 0) {
                        cr_assert_eq(answer.some, which == LIE_SOME);
                        cr_assert_eq(lsr_catalogue_find(answer.catalogue, 0, "name", 4), 1);
                        lsr_catalogue_free(answer.catalogue);
                }
        }
        cr_assert_eq(r, expected, "lie %d: %d, not %d", which, r, expected);
        cr_assert_eq(worker_n_troubles, troubles, "lie %d: %u troubles", which, worker_n_troubles);
        if (which != LIE_DESCRIPTOR && which != LIE_SOME)
                cr_assert_eq(worker_child(), 0, "lie %d: it lives", which);
        /* The next one is honest. */
        lie = LIE_NONE;
        if (which != LIE_DESCRIPTOR && which != LIE_SOME) {
                cr_assert_eq(worker_open_fd(w, fd, false, &b), 0);
                worker_check_tar(w, b.id);
        }
        lsr_worker_free(w);
        close(fd);
        cr_assert_eq(worker_count_fds("/proc/self/fd"), fds, "lie %d", which);
}

Test(worker, believes_no_lies)
{
        static const struct {
                enum lie lie;
                int expected;
                unsigned troubles;
        } lies[] = {
                { LIE_TYPE, -EPROTO, 1 },
                { LIE_REQUEST_TYPE, -EPROTO, 1 },
                { LIE_NUMBER, -EPROTO, 1 },
                { LIE_DATA, -EPROTO, 1 },
                { LIE_DATA_UNASKED, -EPROTO, 1 },
                { LIE_HOLE_UNASKED, -EPROTO, 1 },
                { LIE_MAP_UNASKED, -EPROTO, 1 },
                { LIE_TEXT, -EPROTO, 1 },
                { LIE_TEXT_SHORT, -EPROTO, 1 },
                { LIE_TEXT_ERROR, -EPROTO, 1 },
                { LIE_MEMBERS_SIZE, -EPIPE, 1 },
                { LIE_MEMBERS_SIZE_BEYOND, -EPROTO, 1 },
                { LIE_MEMBERS, -EBADMSG, 1 },
                { LIE_MEMBERS_CUT, -EBADMSG, 1 },
                { LIE_MEMBERS_ENDLESS, -EPROTO, 3 },
                { LIE_MEMBERS_AND_DEATH, 0, 1 },
                { LIE_CATALOGUE_SIZE, -EPIPE, 1 },
                { LIE_CATALOGUE_SIZE_BEYOND, -EPROTO, 1 },
                { LIE_CATALOGUE, -EBADMSG, 1 },
                { LIE_CATALOGUE_EMPTY, -EBADMSG, 1 },
                { LIE_CATALOGUE_TWICE, -EPROTO, 1 },
                { LIE_CATALOGUE_BEHIND_MEMBERS, -EPROTO, 1 },
                { LIE_SOME_WHOLE, -EPROTO, 1 },
                { LIE_UNREAD_ALL, -EPROTO, 1 },
                { LIE_NUMBER_ALL, -EPROTO, 1 },
                { LIE_SOME, 0, 0 },
                { LIE_SOME_UNASKED, -EPROTO, 1 },
                { LIE_UNREAD_UNASKED, -EPROTO, 1 },
                { LIE_NUMBER_UNASKED, -EPROTO, 1 },
                { LIE_RESULT, -EPROTO, 1 },
                { LIE_RESULT_LOW, -EPROTO, 1 },
                { LIE_DONE_SIZE, -EPROTO, 1 },
                { LIE_NAME, -EPROTO, 1 },
                { LIE_EXIT, -EPIPE, 1 },
                { LIE_CUT, -EPIPE, 1 },
                { LIE_DESCRIPTOR, -EBADMSG, 1 },
        };

        for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++)
                worker_lied_to(lies[i].lie, lies[i].expected, lies[i].troubles);
}

Test(worker, hears_troubles_up_to_a_limit)
{
        struct lsr_worker *w;
        struct lsr_worker_bundle b;
        struct lsr_catalogue *c;
        int fd = tar_file();

        lie = LIE_TROUBLES;
        w = worker_make(lie_serve);
        cr_assert_eq(worker_open_fd(w, fd, false, &b), 0);
        cr_assert_eq(worker_scan_all(w, b.id, &c), -EPROTO);
        cr_assert_eq(worker_n_troubles, LSR_WIRE_TROUBLES_MAX + 1);
        lsr_worker_free(w);
        close(fd);
}

Test(worker, does_not_drain_for_ever)
{
        struct worker_sink got = { malloc(WORKER_LARGE), 0, 100000 };
        struct lsr_worker *w;
        struct lsr_worker_bundle b;
        const struct lsr_member m = { .path = "x", .path_len = 1 };
        int fd = tar_file();

        lie = LIE_TYPE;
        w = worker_make(lie_serve);
        cr_assert_eq(worker_open_fd(w, fd, false, &b), 0);
        cr_assert_eq(lsr_worker_read(w, b.id, &m, &(struct lsr_sink){ &got, worker_sink_write }), -ENOSPC);
        cr_assert_eq(worker_child(), 0);
        free(got.data);
        lsr_worker_free(w);
        close(fd);
}

static int lie_take_map(void *ctx, const struct lsr_extent *extents, size_t n)
{
        (void)ctx, (void)extents, (void)n;
        cr_assert_fail("it was believed");
        return 0;
}

Test(worker, believes_no_map_that_is_none)
{
        static const struct {
                struct lsr_extent extents[2];
                size_t size;
        } maps[] = {
                { { { 0, 0 } }, 16 },
                { { { 10, 5 }, { 15, 5 } }, 32 },
                { { { 10, 5 }, { 12, 5 } }, 32 },
                { { { 10, 5 }, { 3, 2 } }, 32 },
                { { { UINT64_MAX - 1, 5 } }, 16 },
                { { { 1, 5 } }, 8 },
        };
        const struct lsr_member m = { .path = "x", .path_len = 1 };
        struct worker_sink got = { malloc(WORKER_LARGE), 0, WORKER_LARGE };
        int fd = tar_file();

        for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++) {
                struct lsr_worker *w;
                struct lsr_worker_bundle b;

                lie = LIE_TYPE;
                memcpy(&lie_map, &maps[i], sizeof(lie_map));
                w = worker_make(lie_serve);
                cr_assert_eq(worker_open_fd(w, fd, false, &b), 0);
                cr_assert_eq(
                        lsr_worker_read(w, b.id, &m, &(struct lsr_sink){ &got, worker_sink_write, NULL, lie_take_map }),
                        -EPROTO, "map %zu", i);
                lsr_worker_free(w);
        }
        lie_map.size = 0;
        free(got.data);
        close(fd);
}
