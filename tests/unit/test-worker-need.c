/*
 * A file of which only some blocks are there: what the worker asks for before it reads, and what it may ask for.
 */
#include "remote/protocol.h"
#include "worker-meet.h"

static struct {
        int whole, data, bitmap; /* the tar, what is there of it, and which blocks that is */
        uint64_t size;
        int result;        /* of each NEED from @fails on */
        unsigned n, fails; /* NEEDs that needed something */
        struct lsr_input_range last;
        unsigned wanted;
} far;

static uint64_t far_blocks(void)
{
        return (far.size + LSR_REMOTE_BLOCK - 1) / LSR_REMOTE_BLOCK;
}

static void far_have(uint64_t block, bool there)
{
        static uint8_t bytes[LSR_REMOTE_BLOCK];
        ssize_t n = pread(far.whole, bytes, sizeof(bytes), (off_t)(block * LSR_REMOTE_BLOCK));
        uint8_t bits;

        if (!there)
                memset(bytes, 0xaa, sizeof(bytes));
        cr_assert_eq(pwrite(far.data, bytes, (size_t)n, (off_t)(block * LSR_REMOTE_BLOCK)), n);
        cr_assert_eq(pread(far.bitmap, &bits, 1, (off_t)(block / 8)), 1);
        bits = (uint8_t)(there ? bits | 1u << block % 8 : bits & ~(1u << block % 8));
        cr_assert_eq(pwrite(far.bitmap, &bits, 1, (off_t)(block / 8)), 1);
}

/* Only what it needs is there afterwards: whatever it does not ask for again is garbage. */
static int far_need(void *ctx, const struct lsr_input_range *ranges, unsigned n_needed, unsigned n_wanted)
{
        far.wanted += n_wanted;
        if (!n_needed)
                return 0;
        far.last = ranges[0];
        if (++far.n >= far.fails)
                return far.result;
        for (uint64_t b = 0; b < far_blocks(); b++)
                far_have(b, b >= ranges[0].offset / LSR_REMOTE_BLOCK &&
                                    b * LSR_REMOTE_BLOCK < ranges[0].offset + ranges[0].length);
        return 0;
}

static struct lsr_worker *far_worker(int (*serve)(int fd))
{
        const struct lsr_worker_options options = {
                .engine = "auto",
                .window_max = (uint64_t)64 << 20,
                .size = far.size,
                .trouble = worker_hear,
                .need = far_need,
                .serve = serve,
        };

        worker_n_troubles = 0;
        return lsr_worker_new(&options);
}

static void far_begin(unsigned fails)
{
        far.whole = tar_file();
        far.size = (uint64_t)lseek(far.whole, 0, SEEK_END);
        far.data = memfd_create("far", MFD_CLOEXEC);
        far.bitmap = memfd_create("bitmap", MFD_CLOEXEC);
        far.n = far.wanted = 0;
        far.fails = fails;
        far.result = -EIO;
        cr_assert_eq(ftruncate(far.data, (off_t)far.size), 0);
        cr_assert_eq(ftruncate(far.bitmap, (off_t)(far_blocks() / 8 + 1)), 0);
}

static void far_end(void)
{
        close(far.whole);
        close(far.data);
        close(far.bitmap);
}

static int far_open(struct lsr_worker *w, struct lsr_worker_bundle *b)
{
        struct lsr_worker_file file = {
                .fd = far.data, .companions = { -1, -1 }, .size = far.size, .far = true, .bitmap = far.bitmap
        };
        uint8_t *head = NULL;
        size_t head_len = 0;

        return lsr_worker_open(w, &file, b, &head, &head_len);
}

Test(need, what_is_missing_is_asked_for)
{
        struct worker_sink got = { malloc(WORKER_LARGE), 0, WORKER_LARGE };
        char *large = tar_large();
        struct lsr_worker_bundle b;
        struct lsr_worker *w;
        struct lsr_member m;

        far_begin(UINT32_MAX);
        w = far_worker(NULL);
        cr_assert_eq(far_open(w, &b), 0);
        worker_check_tar(w, b.id);
        m = worker_member(w, b.id, "large");
        cr_assert_eq(lsr_worker_read(w, b.id, &m, &(struct lsr_sink){ &got, worker_sink_write }), 0);
        cr_assert_eq(got.size, WORKER_LARGE);
        cr_assert_eq(memcmp(got.data, large, WORKER_LARGE), 0);
        cr_assert_gt(far.n, 10);
        cr_assert_gt(far.wanted, 0, "the member was not announced");
        cr_assert_eq(worker_n_troubles, 0);
        free(got.data);
        free(large);
        lsr_worker_free(w);
        far_end();
}

/* What was said of a fetch that failed is all there is to say. */
Test(need, a_fetch_that_fails_fails_the_request_alone)
{
        struct worker_sink got = { malloc(WORKER_LARGE), 0, WORKER_LARGE };
        struct lsr_worker_bundle b;
        struct lsr_worker *w;
        struct lsr_member m;
        int r;

        far_begin(UINT32_MAX);
        w = far_worker(NULL);
        cr_assert_eq(far_open(w, &b), 0);
        m = worker_member(w, b.id, "large");
        far.fails = far.n + 3;
        r = lsr_worker_read(w, b.id, &m, &(struct lsr_sink){ &got, worker_sink_write });
        cr_assert_lt(r, 0);
        cr_assert_eq(worker_n_troubles, 0, "%s", worker_last_text);
        far.fails = UINT32_MAX;
        worker_check_tar(w, b.id);
        free(got.data);
        lsr_worker_free(w);
        far_end();
}

/* --- liars ------------------------------------------------------------------------- */

static struct {
        struct lsr_wire_need need;
        struct lsr_input_range ranges[3];
        uint64_t length; /* of the frame */
} lie;

/* Whatever it is asked, it needs something. */
static int lie_serve(int fd)
{
        struct lsr_wire *wire = lsr_wire_new(fd, true);
        struct lsr_wire_head head;

        while (lsr_wire_head(wire, &head) == 0) {
                const struct lsr_wire_done done = { .format = "tar" };
                uint8_t payload[4096];

                cr_assert_eq(lsr_wire_take(wire, payload, head.length), 0);
                if (head.type == LSR_WIRE_OPEN)
                        worker_send(wire, head.request, LSR_WIRE_NEED, lie.length, &lie, lie.length);
                worker_send(wire, head.request, LSR_WIRE_DONE, sizeof(done), &done, sizeof(done));
        }
        return 0;
}

static int far_lied_to(unsigned n_needed, unsigned n_wanted, uint64_t offset, uint64_t length, int64_t longer)
{
        struct lsr_worker_bundle b;
        struct lsr_worker *w = far_worker(lie_serve);
        int r;

        lie.need = (struct lsr_wire_need){ n_needed, n_wanted };
        for (unsigned i = 0; i < 3; i++)
                lie.ranges[i] = (struct lsr_input_range){ offset, length };
        lie.length = sizeof(lie.need) + (n_needed + n_wanted) % 4 * sizeof(*lie.ranges) + (uint64_t)longer;
        r = far_open(w, &b);
        lsr_worker_free(w);
        return r;
}

Test(need, nothing_but_ranges_of_the_file)
{
        far_begin(UINT32_MAX);
        cr_assert_eq(far_lied_to(1, 0, 0, 1, 0), 0);
        cr_assert_eq(far.n, 1);
        cr_assert_eq(far_lied_to(1, 2, far.size - 1, 1, 0), 0);
        cr_assert_eq(far.n, 2);
        cr_assert_eq(far_lied_to(1, 0, far.size, 1, 0), -EPROTO);
        cr_assert_eq(far_lied_to(1, 0, far.size - 1, 2, 0), -EPROTO);
        cr_assert_eq(far_lied_to(0, 1, far.size - 1, 2, 0), -EPROTO);
        cr_assert_eq(far_lied_to(1, 0, UINT64_MAX, 2, 0), -EPROTO);
        cr_assert_eq(far_lied_to(1, 0, 1, UINT64_MAX, 0), -EPROTO);
        cr_assert_eq(far_lied_to(LSR_WIRE_RANGES_MAX + 1, 0, 0, 1, 0), -EPROTO);
        cr_assert_eq(far_lied_to(UINT32_MAX, 2, 0, 1, 0), -EPROTO);
        cr_assert_eq(far_lied_to(1, 0, 0, 1, 1), -EPROTO);
        cr_assert_eq(far_lied_to(1, 0, 0, 1, -17), -EPROTO);
        cr_assert_eq(far.n, 2);
        far_end();
}

/* Of a file that is all there nothing is needed. */
Test(need, not_of_files_at_hand)
{
        struct lsr_worker_bundle b;
        struct lsr_worker *w;

        far_begin(UINT32_MAX);
        w = far_worker(lie_serve);
        lie.need = (struct lsr_wire_need){ 1, 0 };
        lie.ranges[0] = (struct lsr_input_range){ 0, 1 };
        lie.length = sizeof(lie.need) + sizeof(*lie.ranges);
        cr_assert_eq(worker_open_fd(w, far.whole, false, &b), -EPROTO);
        cr_assert_eq(far.n, 0);
        lsr_worker_free(w);
        far_end();
}
