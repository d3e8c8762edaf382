/*
 * output - append to a file or a pipe, in large writes
 */
#include "formats/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

void lsr_output_init(struct lsr_output *out, int fd)
{
        struct stat st;

        *out = (struct lsr_output){ .fd = fd };
        out->pipe = fstat(fd, &st) < 0 || !S_ISREG(st.st_mode);
}

void lsr_output_free(struct lsr_output *out)
{
        free(out->buf);
        out->buf = NULL;
        out->held = 0;
}

static int output_put(struct lsr_output *out, const uint8_t *data, size_t n)
{
        while (n > 0 && out->error == 0) {
                ssize_t r = write(out->fd, data, n);

                if (r > 0) {
                        data += r;
                        n -= (size_t)r;
                        out->written += (size_t)r;
                } else if (r == 0 || errno != EINTR) {
                        out->error = r == 0 ? -EIO : -errno;
                }
        }
        if (out->grown && out->error == 0)
                out->grown(out->ctx, out->written);
        return out->error;
}

int lsr_output_flush(struct lsr_output *out)
{
        size_t n = out->held;

        out->held = 0;
        return output_put(out, out->buf, n);
}

int lsr_output_write(struct lsr_output *out, const void *data, size_t n)
{
        if (out->error < 0)
                return out->error;
        out->at += n;
        if (n >= LSR_OUTPUT_BUFFER / 4 || out->held + n > LSR_OUTPUT_BUFFER)
                lsr_output_flush(out);
        if (n >= LSR_OUTPUT_BUFFER / 4)
                return output_put(out, data, n);
        if (n == 0)
                return out->error;
        if (!out->buf)
                out->buf = lsr_xmalloc(LSR_OUTPUT_BUFFER);
        memcpy(out->buf + out->held, data, n);
        out->held += n;
        return out->error;
}
