/*
 * out - one growing buffer, few writes
 *
 * stdio would serve, but costs an fstat and a buffer of one page or pipe size;
 * a row of a listing wants a place to write digits into, not a call per field.
 */
#include "base/out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"

#define OUT_PIPE_BYTES (1 << 20) /* that everybody may have: pipe-max-size */

/*
 * For standard output, which every run writes to: room that costs neither a
 * call nor a page before it is used.
 */
static char out_stdout[LSR_OUT_FLUSH];

static void out_save(void *out)
{
        lsr_out_flush(out);
}

void lsr_out_init(struct lsr_out *out, int fd)
{
        *out = (struct lsr_out){ .fd = fd };
        if (fd == STDOUT_FILENO) {
                out->buf = out_stdout;
                out->cap = sizeof(out_stdout);
                lsr_last_resort = (struct lsr_last_resort){ out_save, out };
        }
}

void lsr_out_free(struct lsr_out *out)
{
        if (!out)
                return;
        if (out->buf != out_stdout)
                free(out->buf);
        if (lsr_last_resort.ctx == out)
                lsr_last_resort = (struct lsr_last_resort){};
        *out = (struct lsr_out){ .fd = -1 };
}

int lsr_out_flush(struct lsr_out *out)
{
        size_t done = 0;

        if (out->fd < 0)
                return 0;
        assert(out->len <= out->cap);
        while (done < out->len && !out->error) {
                ssize_t n = write(out->fd, out->buf + done, out->len - done);

                out->writes++;
                if (n >= 0)
                        done += (size_t)n;
                else if (errno != EINTR)
                        out->error = errno;
        }
        out->written += out->len;
        out->len = 0;
        return -out->error;
}

char *lsr_out_grow(struct lsr_out *out, size_t n)
{
        if (out->fd >= 0 && out->len + n > LSR_OUT_FLUSH) {
                /* A reader and we wait for each other less often in a larger pipe; what is none refuses. */
                if (out->written == 0)
                        fcntl(out->fd, F_SETPIPE_SZ, OUT_PIPE_BYTES);
                lsr_out_flush(out);
        }
        if (out->cap - out->len < n) {
                size_t cap = out->cap ? out->cap : 16 << 10;

                while (cap - out->len < n)
                        cap *= 2;
                if (out->buf == out_stdout) {
                        out->buf = lsr_xmalloc(cap);
                        memcpy(out->buf, out_stdout, out->len);
                } else {
                        out->buf = lsr_xrealloc(out->buf, cap);
                }
                out->cap = cap;
        }
        assert(out->cap - out->len >= n);
        return out->buf + out->len;
}

void lsr_out_fill(struct lsr_out *out, char c, size_t n)
{
        memset(lsr_out_reserve(out, n), c, n);
        out->len += n;
}

void lsr_out_printf(struct lsr_out *out, const char *format, ...)
{
        va_list args;
        int n;

        va_start(args, format);
        n = vsnprintf(NULL, 0, format, args);
        va_end(args);
        if (n < 0)
                return;
        va_start(args, format);
        vsnprintf(lsr_out_reserve(out, (size_t)n + 1), (size_t)n + 1, format, args);
        va_end(args);
        out->len += (size_t)n;
}
