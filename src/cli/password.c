/*
 * password - see the header
 *
 * It is never an argument, which every process could see, and never leaves this process but by the socket to the
 * worker. At the terminal the keys that end or stop a program end the line, so that the echo is put back before they
 * take effect.
 */
#include "cli/password.h"

#include <errno.h>
#include <fcntl.h>
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

/* One line, without its end.  0 or a negative errno; -E2BIG: it is too long; -ECANCELED: @stop was in it, or @quit. */
static int password_read_line(int fd, int stop, int quit)
{
        size_t n = 0;

        while (n <= LSR_PASSWORD_MAX) {
                ssize_t got = read(fd, password_text + n, 1);

                if (got < 0 && errno == EINTR)
                        continue;
                if (got < 0)
                        return -errno;
                if (got == 0 || password_text[n] == '\n')
                        break;
                if (password_text[n] == stop || password_text[n] == quit)
                        return -ECANCELED;
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
                r = fd < 0 ? -errno : password_read_line(fd, -1, -1);
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

/* As password_read_line(), without echo. */
static int password_read_terminal(int fd)
{
        struct termios was, now;
        int r;

        if (tcgetattr(fd, &was) < 0)
                return -errno;
        now = was;
        now.c_lflag &= ~(tcflag_t)(ECHO | ISIG);
        now.c_lflag |= ICANON;
        now.c_cc[VEOL] = was.c_cc[VINTR];
        now.c_cc[VEOL2] = was.c_cc[VQUIT];
        if (tcsetattr(fd, TCSAFLUSH, &now) < 0)
                return -errno;
        r = password_read_line(fd, (char)was.c_cc[VINTR], (char)was.c_cc[VQUIT]);
        tcsetattr(fd, TCSAFLUSH, &was);
        return r;
}

static void password_ask(const char *path)
{
        lsr_autoclose int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
        lsr_auto(lsr_out_free) struct lsr_out out = LSR_OUT_FD(fd);
        int r;

        if (fd < 0)
                return;
        lsr_out_printf(&out, "Password for %s: ", lsr_quoted_always(path));
        lsr_out_flush(&out);
        r = password_read_terminal(fd);
        lsr_out_putc(&out, '\n');
        lsr_out_flush(&out);
        if (r == -ECANCELED)
                raise(SIGINT);
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
