/* remote/client - answers of a helper that does what it should not */
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "remote/client.h"

/* How many descriptors are open. */
static unsigned open_files(void)
{
        DIR *dir = opendir("/proc/self/fd");
        unsigned n = 0;

        cr_assert(dir);
        while (readdir(dir))
                n++;
        closedir(dir);
        return n;
}

/* What is to be received, with two descriptors. */
static void send_answer(int fd, uint32_t type, int32_t result)
{
        union {
                char bytes[CMSG_SPACE(2 * sizeof(int))];
                struct cmsghdr head;
        } control = {
                .head = { .cmsg_len = CMSG_LEN(2 * sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS }
        };
        struct lsr_remote_answer answer = { .type = type, .id = 7, .result = result, .text = "no" };
        struct iovec part = { &answer, sizeof(answer) };
        struct msghdr message = {
                .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof(control)
        };

        memcpy(CMSG_DATA(&control.head), (int[]){ 0, 1 }, 2 * sizeof(int));
        cr_assert_eq(sendmsg(fd, &message, 0), (ssize_t)sizeof(answer));
}

static struct lsr_remote_client client;
static int helper;

static void client_init(void)
{
        int fds[2];

        cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
        client = (struct lsr_remote_client){ .fd = fds[0], .last_id = 7 };
        helper = fds[1];
}

static void client_fini(void)
{
        close(client.fd);
        close(helper);
}

TestSuite(client, .init = client_init, .fini = client_fini);

/* Descriptors that nobody asked for are closed. */
Test(client, descriptors_with_got)
{
        struct lsr_remote_file file = { .id = 7 };
        char text[LSR_REMOTE_TEXT_MAX];
        unsigned before = open_files();

        send_answer(helper, LSR_REMOTE_GOT, 0);
        cr_expect_eq(lsr_remote_need(&client, &file, NULL, 0, 0, text), 0);
        send_answer(helper, LSR_REMOTE_GOT, -EIO);
        cr_expect_eq(lsr_remote_need(&client, &file, NULL, 0, 0, text), -EIO);
        send_answer(helper, LSR_REMOTE_STORED, 0);
        cr_expect_eq(lsr_remote_need(&client, &file, NULL, 0, 0, text), -EBADMSG);
        cr_expect_eq(open_files(), before);
}

Test(client, descriptors_with_stored)
{
        struct lsr_remote_stats stats;
        char text[LSR_REMOTE_TEXT_MAX];
        unsigned before = open_files();

        send_answer(helper, LSR_REMOTE_STORING, 0);
        send_answer(helper, LSR_REMOTE_STORING, 0);
        send_answer(helper, LSR_REMOTE_STORED, 0);
        cr_expect_eq(lsr_remote_put_end(&client, true, 0, NULL, NULL, &stats, text), 0);
        cr_expect_eq(open_files(), before);
}
