/* Streams through the ring: that they go through it, what follows where it is refused, and the sealed one. */
#include "stream-maker.h"

/* ---- the ring ---- */

/* From now on system calls @a and @b fail with EPERM; -1 for none. */
static void stream_forbid(int a, int b)
{
        struct sock_filter code[] = {
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)a, 2, 0),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)b, 1, 0),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        };
        struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

        cr_assert_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
                cr_skip_test("no seccomp here");
}

/* By name: no plain call reads, and more than one read goes with a call. */
Test(stream, uring_reads_through_the_ring)
{
        struct lsr_io *io = engine_open("uring");
        int fd = stream_file(40 * PIECE);
        const struct lsr_io_stats *stats = lsr_io_stats(io);
        uint64_t calls = stats->syscalls;
        struct lsr_stream *s;
        const uint8_t *data;
        uint8_t buf[100];

        stream_forbid(SYS_pread64, -1);
        cr_assert_eq(lsr_io_read_at(io, fd, buf, 100, 5), 100);
        cr_assert_eq(stats->ring_ops, 1);
        cr_assert_eq(stats->ring_enters, 1);
        cr_assert_eq(stats->syscalls - calls, 3 + 1);
        cr_assert_eq(stream_all(io, fd, 0, 100), 100);
        cr_assert_eq(stats->ring_ops, 2);
        cr_assert_eq(stream_all(io, fd, 0, 40 * PIECE), 40 * PIECE);
        cr_assert_eq(stats->ring_ops, 42);
        cr_assert_leq(stats->ring_enters, 2 + 40 * 3 / 4, "no two reads go together");
        cr_assert_eq(lsr_stream_new(&s, io, fd, 0, 40 * PIECE), 0);
        while (lsr_stream_next(s, &data) > 0)
                cr_assert_eq(io_uring_sq_ready(lsr_read_ring_raw(lsr_io_reads(io)->ring)), 0, "kept from the kernel");
        lsr_stream_free(s);
        cr_assert_eq(stats->retried_ops, 0);
        close(fd);
        lsr_io_free(io);
}

Test(stream, auto_takes_the_ring_for_much)
{
        struct lsr_io *io = engine_open("uring");
        int fd = stream_file(32 << 20);
        const struct lsr_io_stats *stats;
        uint8_t buf[100];

        lsr_io_free(io);
        io = engine_open("auto");
        stats = lsr_io_stats(io);
        cr_assert_eq(lsr_io_read_at(io, fd, buf, 100, 5), 100);
        cr_assert_eq(stream_all(io, fd, 0, 100), 100);
        cr_assert_eq(stats->syscalls, 2, "one call each");
        cr_assert_eq(stream_all(io, fd, 1, 32 << 20), (32 << 20) - 1);
        cr_assert_eq(stats->ring_ops, 0);
        cr_assert_eq(stream_all(io, fd, 0, 32 << 20), 32 << 20);
        cr_assert_eq(stats->ring_ops, 128);
        close(fd);
        lsr_io_free(io);
}

Test(stream, the_ring_refused)
{
        struct lsr_io *by_name, *any;
        int fd = stream_file(33 << 20);
        const uint8_t *data;
        struct lsr_stream *s;

        cr_assert_eq(lsr_io_new(&by_name, "uring"), 0);
        cr_assert_eq(lsr_io_new(&any, "auto"), 0);
        stream_forbid(SYS_io_uring_setup, -1);
        cr_assert_eq(lsr_io_read_at(by_name, fd, (char[4]){}, 4, 0), -EPERM);
        cr_assert_eq(lsr_stream_new(&s, by_name, fd, 0, 4), 0);
        cr_assert_eq(lsr_stream_next(s, &data), -EPERM);
        lsr_stream_free(s);
        cr_assert_eq(lsr_io_seal(by_name), -EPERM);
        cr_assert_eq(stream_all(any, fd, 0, 33 << 20), 33 << 20);
        cr_assert_eq(lsr_io_seal(any), 0);
        cr_assert_eq(lsr_io_register(any, fd), 0);
        cr_assert_eq(stream_all(any, fd, 0, 33 << 20), 33 << 20);
        cr_assert_eq(lsr_io_stats(any)->ring_ops, 0);
        lsr_io_unregister(any, fd);
        close(fd);
        lsr_io_free(by_name);
        lsr_io_free(any);
}

/* Nothing arrives after a stream was freed or has sought. */
Test(stream, dropped_reads_are_waited_for)
{
        struct lsr_io *io = engine_open("uring");
        int fd = stream_file(100 * PIECE);
        struct lsr_stream *s;

        cr_assert_eq(fdatasync(fd), 0);
        for (unsigned i = 0; i < 20; i++) {
                struct io_uring *ring;

                posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
                cr_assert_eq(lsr_stream_new(&s, io, fd, 0, 100 * PIECE), 0);
                stream_run(s, 0, (3 + i % 5) * PIECE, NULL);
                if (i % 2)
                        cr_assert_eq(lsr_stream_seek(s, 50 * PIECE), 0);
                else
                        s = lsr_stream_free(s);
                ring = lsr_read_ring_raw(lsr_io_reads(io)->ring);
                for (unsigned t = 0; t < 10; t++) {
                        cr_assert_eq(io_uring_sq_ready(ring), 0, "one was left in the queue");
                        cr_assert_eq(io_uring_cq_ready(ring), 0, "one came late");
                        usleep(500);
                }
                lsr_stream_free(s);
        }
        close(fd);
        lsr_io_free(io);
}

/* ---- sealed ---- */

/* All that reads is forbidden but the ring, and so is to make another one. */
static void stream_sealed(const char *engine, bool ring)
{
        struct lsr_io *io = engine_open(engine);
        int fd = stream_file(33 << 20), other = stream_file(100);
        uint8_t buf[100];

        cr_assert_eq(lsr_io_seal(io), 0);
        cr_assert_eq(lsr_io_register(io, fd), 0);
        cr_assert_eq(lsr_io_register(io, fd), 0);
        stream_forbid(SYS_io_uring_setup, ring ? SYS_pread64 : -1);
        cr_assert_eq(stream_all(io, fd, 0, 33 << 20), 33 << 20);
        cr_assert_eq(lsr_io_stats(io)->ring_ops > 0, strcmp(engine, "sync") != 0);
        cr_assert_eq(lsr_io_read_at(io, other, buf, 100, 0), ring ? -EBADF : 100);
        cr_assert_eq(lsr_io_register(io, other), 0);
        cr_assert_eq(lsr_io_read_at(io, other, buf, 100, 0), 100);
        stream_check(buf, 100, 0);
        lsr_io_unregister(io, other);
        cr_assert_eq(lsr_io_read_at(io, other, buf, 100, 0), ring ? -EBADF : 100);
        lsr_io_unregister(io, other);
        cr_assert_eq(lsr_io_read_at(io, fd, buf, 100, 7), 100);
        stream_check(buf, 100, 7);
        close(fd);
        close(other);
        lsr_io_free(io);
}

Test(stream, sealed_uring)
{
        stream_sealed("uring", true);
}

Test(stream, sealed_auto)
{
        /* Skips where there is no ring. */
        lsr_io_free(engine_open("uring"));
        stream_sealed("auto", false);
}

Test(stream, sealed_sync)
{
        stream_sealed("sync", false);
}

Test(stream, sealed_pipe)
{
        struct lsr_io *io = engine_open("uring");
        int fds[2];

        cr_assert_eq(pipe2(fds, O_CLOEXEC), 0);
        cr_assert_eq(lsr_io_seal(io), 0);
        cr_assert_eq(lsr_io_register(io, fds[0]), 0);
        stream_through(io, fds, 1000000);
        lsr_io_unregister(io, fds[0]);
        lsr_io_free(io);
}

/* 64 places; the 65th file waits until one is free. */
/* A file that the kernel did not take out of the table is not read under the number of another one. */
Test(stream, sealed_forgets)
{
        struct lsr_io *io = engine_open("uring");
        int fd = stream_file(1 << 20), other = stream_file(100);
        uint8_t buf[100] = { 7 };

        cr_assert_eq(lsr_io_seal(io), 0);
        cr_assert_eq(lsr_io_register(io, fd), 0);
        cr_assert_eq(lsr_io_read_at(io, fd, buf, 100, 1), 100);
        stream_forbid(SYS_io_uring_register, -1);
        lsr_io_unregister(io, fd);
        cr_assert_eq(dup2(other, fd), fd);
        cr_expect_lt(lsr_io_register(io, fd), 0);
        cr_expect_eq(lsr_io_read_at(io, fd, buf, 100, 0), -EBADF);
        close(fd);
        close(other);
        lsr_io_free(io);
}

Test(stream, sealed_table_is_bounded)
{
        struct lsr_io *io = engine_open("uring"), *any = engine_open("auto");
        int fd = stream_file(100), fds[65];
        uint8_t buf[100];

        cr_assert_eq(lsr_io_seal(io), 0);
        cr_assert_eq(lsr_io_seal(any), 0);
        cr_assert_eq(lsr_io_register(io, -1), -EBADF);
        for (unsigned i = 0; i < 65; i++) {
                fds[i] = dup(fd);
                cr_assert_eq(lsr_io_register(io, fds[i]), i < 64 ? 0 : -EMFILE);
                cr_assert_eq(lsr_io_register(any, fds[i]), 0);
        }
        cr_assert_eq(lsr_io_read_at(io, fds[64], buf, 100, 0), -EBADF);
        cr_assert_eq(lsr_io_read_at(any, fds[64], buf, 100, 0), 100);
        lsr_io_unregister(io, fds[5]);
        cr_assert_eq(lsr_io_register(io, fds[64]), 0);
        for (unsigned i = 0; i < 65; i++) {
                cr_assert_eq(lsr_io_read_at(io, fds[i], buf, 100, 0), i == 5 ? -EBADF : 100);
                close(fds[i]);
        }
        close(fd);
        lsr_io_free(io);
        lsr_io_free(any);
}

static int stream_raw(struct io_uring *ring)
{
        struct io_uring_cqe *cqe;
        int r;

        cr_assert_eq(io_uring_submit(ring), 1);
        cr_assert_eq(io_uring_wait_cqe(ring, &cqe), 0);
        r = cqe->res;
        io_uring_cqe_seen(ring, cqe);
        return r;
}

/* Whoever has taken over the process finds a ring that reads what it may read anyway. */
Test(stream, sealed_ring_refuses_all_else)
{
        struct lsr_io *io = engine_open("uring");
        int fd = stream_file(100);
        struct io_uring *ring;
        struct io_uring_restriction all = { .opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = IORING_OP_OPENAT };
        char buf[100];

        cr_assert_eq(lsr_io_seal(io), 0);
        cr_assert_eq(lsr_io_register(io, fd), 0);
        ring = lsr_read_ring_raw(lsr_io_reads(io)->ring);

        io_uring_prep_read(io_uring_get_sqe(ring), 0, buf, 100, 0);
        ring->sq.sqes[0].flags = IOSQE_FIXED_FILE;
        cr_assert_eq(stream_raw(ring), 100, "what may be done is done");
        for (unsigned op = 0; op < 64; op++) {
                struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

                if (op == IORING_OP_READ)
                        op++;
                memset(sqe, 0, sizeof(*sqe));
                sqe->opcode = (uint8_t)op;
                sqe->flags = IOSQE_FIXED_FILE;
                cr_expect_lt(stream_raw(ring), 0, "opcode %u", op);
        }
        io_uring_prep_openat(io_uring_get_sqe(ring), AT_FDCWD, "/etc/passwd", O_RDONLY, 0);
        cr_assert_eq(stream_raw(ring), -EACCES);
        io_uring_prep_write(io_uring_get_sqe(ring), 0, buf, 100, 0);
        cr_assert_eq(stream_raw(ring), -EACCES);
        io_uring_prep_nop(io_uring_get_sqe(ring));
        cr_assert_eq(stream_raw(ring), -EACCES);
        /* By descriptor and not by place. */
        io_uring_prep_read(io_uring_get_sqe(ring), fd, buf, 100, 0);
        cr_assert_eq(stream_raw(ring), -EACCES);

        cr_assert_eq(io_uring_register_buffers(ring, &(struct iovec){ buf, 100 }, 1), -EACCES);
        cr_assert_eq(io_uring_unregister_files(ring), -EACCES);
        cr_assert_eq(io_uring_register_iowq_max_workers(ring, (unsigned[2]){ 1, 1 }), -EACCES);
        cr_assert_lt(syscall(SYS_io_uring_register, ring->ring_fd, IORING_REGISTER_RESTRICTIONS, &all, 1), 0);
        io_uring_prep_openat(io_uring_get_sqe(ring), AT_FDCWD, "/etc/passwd", O_RDONLY, 0);
        cr_assert_eq(stream_raw(ring), -EACCES);
        close(fd);
        lsr_io_free(io);
}

struct stream_baton {
        struct lsr_stream *s;
        uint64_t at;
};

static void *stream_take_turn(void *arg)
{
        struct stream_baton *b = arg;

        b->at += stream_run(b->s, b->at, 5 * PIECE, NULL);
        return NULL;
}

/* Threads take turns and end with reads in flight. */
static void stream_relay(bool sealed)
{
        struct lsr_io *io = engine_open("uring");
        int fd = stream_file(100 * PIECE);
        struct stream_baton b = { NULL, 0 };
        pthread_t thread;

        if (sealed) {
                cr_assert_eq(lsr_io_seal(io), 0);
                cr_assert_eq(lsr_io_register(io, fd), 0);
        }
        cr_assert_eq(fdatasync(fd), 0);
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        cr_assert_eq(lsr_stream_new(&b.s, io, fd, 0, 100 * PIECE), 0);
        while (b.at < 100 * PIECE) {
                cr_assert_eq(pthread_create(&thread, NULL, stream_take_turn, &b), 0);
                pthread_join(thread, NULL);
                stream_take_turn(&b);
        }
        lsr_stream_free(b.s);
        close(fd);
        lsr_io_free(io);
}

Test(stream, threads_take_turns)
{
        stream_relay(false);
}

Test(stream, threads_take_turns_sealed)
{
        stream_relay(true);
}
