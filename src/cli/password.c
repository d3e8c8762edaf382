/*
 * password - see the header
 *
 * It is never an argument, which every process could see, and never leaves this process but by the socket to the
 * worker. At the terminal signals that end or stop a program wait until the echo is put back.
 */
#include "cli/password.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/out.h"
#include "cli/message.h"
#include "worker/worker.h"

static char password_text[LSR_PASSWORD_MAX + 2]; /* and a byte too many, and the NUL */
static bool password_known;

/*
 * One line, without its end.  0 or a negative errno; -E2BIG: it is too long; -EINTR: a signal came while none but those
 * of @mask were held back, if that is there.
 */
static int password_read_line(int fd, const sigset_t *mask)
{
        size_t n = 0;

        while (n <= LSR_PASSWORD_MAX) {
                ssize_t got;

                if (mask && ppoll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, NULL, mask) < 0)
                        return -errno;
                got = read(fd, password_text + n, 1);
                if (got < 0 && errno == EINTR)
                        continue;
                if (got < 0)
                        return -errno;
                if (got == 0 || password_text[n] == '\n')
                        break;
                n++;
        }
        if (n > LSR_PASSWORD_MAX)
                return -E2BIG;
        n -= n > 0 && password_text[n - 1] == '\r';
        password_text[n] = '\0';
        return strlen(password_text) == n ? 0 : -EINVAL;
}

int lsr_password_begin(const struct lsr_settings *settings)
{
        const char *file = settings->password_file, *env = getenv("LSR_PASSWORD");
        lsr_autoclose int fd = -1;
        int r;

        if (file) {
                fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
                r = fd < 0 ? -errno : password_read_line(fd, NULL);
                if (r == -E2BIG || r == -EINVAL)
                        return lsr_message("the first line of %s is not a valid password: it is longer than %u bytes, "
                                           "or has a NUL",
                                           lsr_quoted_always(file), LSR_PASSWORD_MAX);
                if (r < 0)
                        return lsr_message_errno(-r, "cannot read the password from %s", lsr_quoted_always(file));
                password_known = true;
        } else if (env && *env) {
                if (strlen(env) > LSR_PASSWORD_MAX)
                        return lsr_message("LSR_PASSWORD is longer than %u bytes", LSR_PASSWORD_MAX);
                strcpy(password_text, env);
                password_known = true;
        }
        return 0;
}

static volatile sig_atomic_t password_signal;

static void password_on_signal(int number)
{
        password_signal = number;
}

/* As password_read_line(), without echo.  A signal that ends or stops a program takes effect when the echo is back. */
static int password_read_terminal(int fd)
{
        static const int signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP };
        enum { N = sizeof(signals) / sizeof(*signals) };
        const struct sigaction action = { .sa_handler = password_on_signal };
        struct sigaction old[N];
        struct termios was, now;
        sigset_t set, before;
        int r;

        if (tcgetattr(fd, &was) < 0)
                return -errno;
        now = was;
        now.c_lflag &= ~(tcflag_t)ECHO;
        now.c_lflag |= ICANON | ISIG;
        password_signal = 0;
        sigemptyset(&set);
        for (size_t i = 0; i < N; i++)
                sigaddset(&set, signals[i]);
        sigprocmask(SIG_BLOCK, &set, &before);
        for (size_t i = 0; i < N; i++)
                if (sigaction(signals[i], NULL, &old[i]) == 0 && old[i].sa_handler != SIG_IGN)
                        sigaction(signals[i], &action, NULL);
        r = tcsetattr(fd, TCSAFLUSH, &now) < 0 ? -errno : password_read_line(fd, &before);
        tcsetattr(fd, TCSAFLUSH, &was);
        for (size_t i = 0; i < N; i++)
                sigaction(signals[i], &old[i], NULL);
        sigprocmask(SIG_SETMASK, &before, NULL);
        return r;
}

/* As often as it is interrupted by a stop, from which the program goes on. */
static void password_ask(const char *path)
{
        lsr_autoclose int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
        lsr_auto(lsr_out_free) struct lsr_out out = LSR_OUT_FD(fd);
        int r = -EINTR;

        while (fd >= 0 && r == -EINTR) {
                lsr_out_printf(&out, "Password for %s: ", lsr_quoted_always(path));
                lsr_out_flush(&out);
                r = password_read_terminal(fd);
                lsr_out_putc(&out, '\n');
                lsr_out_flush(&out);
                if (r == -EINTR)
                        raise(password_signal);
                if (password_signal != SIGTSTP)
                        break;
        }
        password_known = r == 0 && password_text[0];
}

const char *lsr_password(void *ctx, const char *path, bool may_ask)
{
        static bool asked;

        if (!password_known && may_ask && !asked && isatty(STDERR_FILENO)) {
                asked = true;
                password_ask(path);
        }
        return password_known ? password_text : NULL;
}
