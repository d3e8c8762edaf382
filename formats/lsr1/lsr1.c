/*
 * lsr1 - the driver: list from the table of contents, read from the frames
 *
 * The table of contents is the catalogue as the parent wants it, so it is handed
 * on as it is: no member goes through the builder.  Nor is it decoded here to see
 * whether it is valid, for the parent does just that, and asks again if it is not.
 *
 * Whatever is wrong with it, what remains is a .tar.zst, and is read as one:
 * positions in the catalogue mean the same either way.  Content is the tar
 * driver's affair always; it reads the member's header and refuses if that is
 * not the member that was listed.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/arena.h"
#include "formats/drivers.h"
#include "formats/lsr1/lsr1.h"

static const char *const lsr1_suffixes[] = { ".tar.zst", NULL };

const char *lsr1_begin(struct lsr_scan *scan, const struct lsr1 **ret_l)
{
        struct lsr1 *l = scan->state;
        const char *why = NULL;

        if (!l) {
                l = lsr_xmalloc(sizeof(*l));
                why = lsr1_open(l, scan->input);
                l->told = UINT32_MAX;
        }
        if (why)
                free(l);
        else
                *ret_l = scan->state = l;
        return why;
}

static void lsr1_end(struct lsr_scan *scan)
{
        lsr1_close(scan->state);
        free(scan->state);
}

/* --- as any other .tar.zst --------------------------------------------------------- */

struct lsr1_view {
        struct lsr_input in;
        struct lsr_input *inner;
};

static ssize_t lsr1_view_next(struct lsr_input *in, const uint8_t **ret_data)
{
        struct lsr_input *inner = ((struct lsr1_view *)in)->inner;
        ssize_t got = lsr_input_peek(inner, 1, ret_data);

        if (got > 0)
                lsr_input_take(inner, (size_t)got);
        in->what = inner->what;
        in->source_at = inner->source_at;
        return got;
}

static void lsr1_view_free(struct lsr_input *in)
{
        free(in);
}

static const struct lsr_input_ops lsr1_view_ops = { .next = lsr1_view_next, .free = lsr1_view_free };

int lsr1_stream(struct lsr_scan *scan, struct lsr_input **ret_input)
{
        struct lsr1_view *view;
        int r = lsr_input_seek(scan->input, 0);

        lsr_input_drop_end(scan->input);
        if (r < 0)
                return r;
        view = lsr_input_alloc(sizeof(*view), &lsr1_view_ops);
        view->in.size = scan->input->size;
        view->inner = scan->input;
        r = lsr_filter_zstd.open(ret_input, &view->in, scan->window_max);
        if (r < 0)
                lsr_input_free(&view->in);
        return r;
}

/* What is wanted of the tar driver: a listing, or */
struct lsr1_task {
        const struct lsr_member *m; /* the content of one member */
        const struct lsr_sink *sink;
        const struct lsr_many *many; /* or that of many */
};

/* What the driver of the tar is to know in place of this one. */
struct lsr1_own {
        struct lsr_input *input;
        void *state;
};

static struct lsr1_own lsr1_lend(struct lsr_scan *scan, struct lsr_input *tar)
{
        const struct lsr1_own own = { scan->input, scan->state };

        scan->input = tar;
        scan->state = NULL;
        return own;
}

static void lsr1_take_back(struct lsr_scan *scan, const struct lsr1_own *own)
{
        assert(!scan->state);
        scan->input = own->input;
        scan->state = own->state;
}

/* The member at @position was read: 0, or LSR_UNVERIFIED.  It is said once of a frame, as @l knows. */
static int lsr1_verified(struct lsr_scan *scan, struct lsr1 *l, struct lsr_input *frames, uint64_t position)
{
        uint32_t frame = lsr1_frames_doubtful(frames, position);

        if (frame == UINT32_MAX)
                return 0;
        if (frame != l->told)
                lsr_scan_trouble(scan, -EBADMSG, "%s; what comes before the damage is not verified", frames->what);
        l->told = frame;
        return LSR_UNVERIFIED;
}

/* @tar is freed. */
static int lsr1_tar(struct lsr_scan *scan, struct lsr_input *tar, const struct lsr1_task *task)
{
        const struct lsr1_own own = lsr1_lend(scan, tar);
        int r;

        if (task->many)
                r = lsr_format_tar.read_many(scan, task->many);
        else if (task->m)
                r = lsr_format_tar.read(scan, task->m, task->sink);
        else
                r = lsr_format_tar.scan(scan);
        lsr1_take_back(scan, &own);
        if (r < 0 && scan->troubles == 0 && tar->what)
                lsr_scan_trouble(scan, r, "%s", tar->what);
        lsr_input_free(tar);
        return r;
}

static int lsr1_streamed(struct lsr_scan *scan, const struct lsr1_task *task)
{
        struct lsr_input *tar;
        int r = lsr1_stream(scan, &tar);

        return r < 0 ? r : lsr1_tar(scan, tar, task);
}

/* --- by the table of contents ------------------------------------------------------- */

/*
 * What is not wanted of the table of contents need not be decoded, nor go to the parent.  @wanted NULL: all is.  With
 * *ret_error negative there is no answer.
 */
static const char *lsr1_catalogue(struct lsr_scan *scan, const struct lsr1 *l, const struct lsr_wanted *wanted,
                                  int *ret_error)
{
        struct lsr_catalogue_source source = { .need = lsr1_toc_need };
        struct lsr1_toc toc;
        const char *why;
        int r = 1;

        if (l->toc_rlen >= LSR1_TOC_LARGE)
                lsr_heap_large();
        why = lsr1_toc_open(&toc, l, scan->input);
        if (why)
                return why;
        source.data = toc.data;
        source.size = toc.size;
        source.ctx = &toc;
        if (wanted && wanted->depth <= 1)
                r = lsr_catalogue_subtree(&source, wanted->paths, wanted->n, wanted->links, scan->builder,
                                          &scan->members);
        scan->some = r == 0;
        *ret_error = r < 0 ? r : 0;
        if (r == 1 && !lsr1_toc_need(&toc, 0, toc.size)) {
                why = "it is damaged";
        } else if (r == 1) {
                scan->catalogue = toc.data;
                scan->catalogue_size = toc.size;
                toc.data = NULL;
        }
        lsr1_toc_close(&toc);
        return why;
}

static int lsr1_list(struct lsr_scan *scan, const struct lsr_wanted *wanted)
{
        const struct lsr1 *l;
        const char *why = scan->distrusted ? "it is not valid" : lsr1_begin(scan, &l);
        int r = 0;

        if (!why)
                why = lsr1_catalogue(scan, l, wanted, &r);
        if (!why)
                return r;
        lsr_scan_trouble(scan, 0, "the table of contents is ignored and the whole tar is read: %s", why);
        return lsr1_streamed(scan, &(struct lsr1_task){});
}

static int lsr1_scan(struct lsr_scan *scan)
{
        return lsr1_list(scan, NULL);
}

static int lsr1_read(struct lsr_scan *scan, const struct lsr_member *m, const struct lsr_sink *sink)
{
        const struct lsr1_task task = { .m = m, .sink = sink };
        struct lsr_input *frames = NULL;
        const struct lsr1 *l;
        uint64_t end;
        int r;

        /* Where its content ends is worth knowing, not believing. */
        if (m->packed == UINT64_MAX || __builtin_add_overflow(m->data, m->packed, &end))
                end = 0;
        if (!lsr1_begin(scan, &l))
                frames = lsr1_frames_new(scan->input, l, LSR1_FRAMES_SKIP, end);
        if (frames) {
                /*
                 * However near it is, from there and not on the way through others; that it is too far is found next.
                 */
                lsr_input_seek(frames, m->position);
                r = lsr1_tar(scan, frames, &task);
        } else {
                r = lsr1_streamed(scan, &task);
        }
        return r;
}

/* --- many members: a damaged frame ends those that it holds behind the damage, and no others --- */

struct lsr1_many {
        const struct lsr_many *many;
        struct lsr_scan *scan;
        struct lsr1 *l;
        struct lsr_input *frames;
        bool open;         /* one was taken and is not at its end */
        bool failed;       /* the frames did, at the one before */
        uint64_t position; /* of it */
        int stopped;       /* what the taker of content said, if that is negative */
};

static int lsr1_many_end(void *ctx, int result)
{
        struct lsr1_many *s = ctx;
        int r = result < 0 ? result : lsr1_verified(s->scan, s->l, s->frames, s->position);

        r = s->many->end(s->many->ctx, r);
        s->open = false;
        s->stopped = r < 0 ? r : 0;
        return r;
}

static bool lsr1_many_next(void *ctx, struct lsr_member *ret_member)
{
        struct lsr1_many *s = ctx;

        while ((s->open = s->many->next(s->many->ctx, ret_member)) && lsr1_frames_lost(s->frames, ret_member->position))
                if (lsr1_many_end(s, -EBADMSG) < 0)
                        return false;
        if (s->open)
                s->position = ret_member->position;
        if (s->open && s->failed)
                lsr_input_seek(s->frames, s->position);
        s->failed = false;
        return s->open;
}

static int lsr1_many_write(void *ctx, const void *data, size_t n)
{
        struct lsr1_many *s = ctx;
        int r = s->many->write(s->many->ctx, data, n);

        s->stopped = r < 0 ? r : 0;
        return r;
}

static int lsr1_many_hole(void *ctx, uint64_t n)
{
        struct lsr1_many *s = ctx;
        int r = lsr_sink_hole(&(struct lsr_sink){ s->many->ctx, s->many->write, s->many->hole }, n);

        s->stopped = r < 0 ? r : 0;
        return r;
}

static int lsr1_many_map(void *ctx, const struct lsr_extent *extents, size_t n)
{
        struct lsr1_many *s = ctx;
        int r = s->many->map(s->many->ctx, extents, n);

        s->stopped = r < 0 ? r : 0;
        return r;
}

static int lsr1_many_framed(struct lsr_scan *scan, struct lsr_input *frames, const struct lsr_many *many)
{
        struct lsr1_many s = { .many = many, .scan = scan, .frames = frames, .l = scan->state };
        const struct lsr_many inner = {
                &s, lsr1_many_next, lsr1_many_write, lsr1_many_end, lsr1_many_hole, many->map ? lsr1_many_map : NULL
        };
        const struct lsr1_own own = lsr1_lend(scan, frames);
        const uint64_t end = s.l->tar_length - 1;
        int r;

        for (;;) {
                r = lsr_format_tar.read_many(scan, &inner);
                if (r >= 0 || s.stopped || !s.open)
                        break;
                r = lsr1_many_end(&s, r);
                if (r < 0)
                        break;
                s.failed = true;
        }
        lsr1_take_back(scan, &own);
        /* The zeros behind the last came, but not verified. */
        if (scan->exact_end && !lsr1_frames_lost(frames, end))
                lsr1_verified(scan, s.l, frames, end);
        return r < 0 || !s.stopped ? r : s.stopped;
}

int lsr1_read_many(struct lsr_scan *scan, const struct lsr_many *many)
{
        struct lsr_input *frames = NULL;
        const struct lsr1 *l;
        int r;

        /* Who only reads takes nothing that is not verified; who compares members keeps what there is, and tells so. */
        if (!lsr1_begin(scan, &l))
                frames = lsr1_frames_new(scan->input, l, scan->exact ? LSR1_FRAMES_SALVAGE : LSR1_FRAMES_SKIP, 0);
        if (frames)
                r = lsr1_many_framed(scan, frames, many);
        else
                r = lsr1_streamed(scan, &(struct lsr1_task){ .many = many });
        lsr_input_free(frames);
        return r;
}

/* The frames that have it. */
static bool lsr1_range(struct lsr_scan *scan, const struct lsr_member *m, struct lsr_input_range *ret_range)
{
        const struct lsr1 *l;
        uint32_t first, last;
        uint64_t end;

        if (m->packed == UINT64_MAX || __builtin_add_overflow(m->data, m->packed, &end) || end <= m->position ||
            lsr1_begin(scan, &l) || end > l->tar_length)
                return false;
        first = lsr1_frame_at(l, m->position);
        last = lsr1_frame_at(l, end - 1);
        *ret_range = (struct lsr_input_range){ l->frames[first].at, l->frames[last + 1].at - l->frames[first].at };
        return true;
}

const struct lsr_format lsr_format_lsr1 = {
        .name = "lsr1",
        .suffixes = lsr1_suffixes,
        .offsets = true,
        .from_end = true,
        .probe = lsr1_probe,
        .probe_damaged = lsr1_probe_damaged,
        .scan = lsr1_scan,
        .list = lsr1_list,
        .read = lsr1_read,
        .read_many = lsr1_read_many,
        .check = lsr1_check,
        .range = lsr1_range,
        .close = lsr1_end,
};
