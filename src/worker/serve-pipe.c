/* serve-pipe - a pipe, whose first bytes may have to be given back */
#include "worker/serve.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/stream.h"

struct serve_pipe {
        struct lsr_input in;
        struct lsr_input *rest; /* behind the head */
        bool given;
        size_t head_len;
        uint8_t head[LSR_WIRE_HEAD_MAX];
};

static ssize_t pipe_next(struct lsr_input *in, const uint8_t **ret_data)
{
        struct serve_pipe *p = (struct serve_pipe *)in;
        ssize_t got;

        if (!p->given) {
                p->given = true;
                in->source_at = p->head_len;
                *ret_data = p->head;
                if (p->head_len > 0)
                        return (ssize_t)p->head_len;
        }
        got = lsr_input_peek(p->rest, 1, ret_data);
        if (got > 0)
                lsr_input_take(p->rest, (size_t)got);
        in->source_at = p->head_len + p->rest->at;
        return got;
}

static void pipe_free(struct lsr_input *in)
{
        lsr_input_free(((struct serve_pipe *)in)->rest);
        free(in);
}

static const struct lsr_input_ops pipe_ops = {
        .next = pipe_next,
        .free = pipe_free,
};

int serve_pipe_input(struct lsr_io *io, int fd, struct lsr_input **ret_input)
{
        struct serve_pipe *p = lsr_input_alloc(sizeof(*p), &pipe_ops);
        int r;

        while (p->head_len < sizeof(p->head)) {
                ssize_t n = read(fd, p->head + p->head_len, sizeof(p->head) - p->head_len);

                lsr_io_count(io, 1);
                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0) {
                        r = -errno;
                        free(p);
                        return r;
                }
                if (n == 0)
                        break;
                p->head_len += (size_t)n;
        }
        r = lsr_input_file(&p->rest, io, fd, 0, LSR_INPUT_UNKNOWN);
        if (r < 0) {
                free(p);
                return r;
        }
        *ret_input = &p->in;
        return 0;
}

const uint8_t *serve_pipe_head(const struct lsr_input *in, size_t *ret_len)
{
        const struct serve_pipe *p = (const struct serve_pipe *)in;

        *ret_len = p->head_len;
        return p->head;
}
