/* bundle-read - content of members, one or many; a worker that dies over one is not the end of the others */
#include "source/bundle-parts.h"

#include <errno.h>
#include <stdlib.h>

#include "base/arena.h"
#include "worker/wire.h"

#define BUNDLE_DEATHS_MAX 8 /* members that may kill a worker before the others are given up */

char *bundle_whole_member(const struct lsr_catalogue *c, uint32_t row, struct lsr_member *ret_member)
{
        struct lsr_member m;
        size_t len;
        char *path;

        row = lsr_catalogue_link(c, row);
        lsr_catalogue_get(c, row, &m);
        len = lsr_catalogue_path(c, row, NULL, 0);
        path = lsr_xmalloc(len + 1);
        lsr_catalogue_path(c, row, path, len + 1);
        m.path = path;
        m.path_len = len;
        *ret_member = m;
        return path;
}

struct bundle_read {
        const struct lsr_member *m;
        const struct lsr_sink *sink;
};

static int bundle_read_member(struct lsr_bundle *bundle, void *ctx)
{
        const struct bundle_read *r = ctx;

        return lsr_worker_read(bundle_worker(bundle), bundle->id, r->m, r->sink);
}

int lsr_bundle_read(const struct lsr_place *place, const struct lsr_sink *sink)
{
        struct lsr_member m;
        char *path = bundle_whole_member(place->catalogue, place->row, &m);
        int r = bundle_retry(place->bundle, bundle_read_member, &(struct bundle_read){ &m, sink });

        free(path);
        return r;
}

struct bundle_many {
        const struct lsr_many_sink *sink;
        struct lsr_records members;
        size_t first, n, done; /* of the rows: those in members, and how many of these are through */
        unsigned flags;        /* of the request */
        bool wanted;           /* the sink has not had enough */
        bool killed;           /* the last member that ended did so with its worker */
};

static int many_begin(void *ctx, size_t i)
{
        struct bundle_many *many = ctx;
        int r = many->sink->begin(many->sink->ctx, many->first + i);

        many->wanted = r >= 0;
        return r;
}

static int many_write(void *ctx, const void *data, size_t n)
{
        struct bundle_many *many = ctx;
        int r = many->sink->write(many->sink->ctx, data, n);

        many->wanted = r >= 0;
        return r;
}

static int many_hole(void *ctx, uint64_t n)
{
        struct bundle_many *many = ctx;
        const struct lsr_many_sink *sink = many->sink;
        int r = lsr_sink_hole(&(struct lsr_sink){ sink->ctx, sink->write, sink->hole }, n);

        many->wanted = r >= 0;
        return r;
}

static void many_verified(void *ctx)
{
        const struct lsr_many_sink *sink = ((struct bundle_many *)ctx)->sink;

        if (sink->verified)
                sink->verified(sink->ctx);
}

static int many_end(void *ctx, size_t i, int error)
{
        struct bundle_many *many = ctx;
        bool wanted = many->wanted;
        int r = many->sink->end(many->sink->ctx, many->first + i, error);

        many->wanted = wanted && r >= 0;
        many->killed = error == -EPIPE;
        return r;
}

static int bundle_ask_many(struct lsr_bundle *bundle, void *ctx)
{
        struct bundle_many *many = ctx;
        const struct lsr_many_sink sink = { many, many_begin, many_write, many_end, many_hole, many_verified };

        return lsr_worker_read_many(bundle_worker(bundle), bundle->id, &many->members, many->n, many->flags, &sink,
                                    &many->done);
}

/* Everything about @row itself; of a hard link, what it names. */
static int bundle_pack_exact(const struct lsr_catalogue *c, struct bundle_many *many, uint32_t row)
{
        struct lsr_member m;
        char *path;
        int r;

        lsr_catalogue_get(c, row, &m);
        m.path_len = lsr_catalogue_path(c, row, NULL, 0);
        if (!(path = malloc(m.path_len + 1)))
                return -ENOMEM;
        m.path = path;
        lsr_catalogue_path(c, row, path, m.path_len + 1);
        /* These it has here alone. */
        m.meta.known &= (uint16_t) ~(LSR_FIELD_INODE | LSR_FIELD_NLINK);
        if (m.flags & LSR_MEMBER_HARDLINK) {
                struct lsr_member link = { .path = path,
                                           .path_len = m.path_len,
                                           .packed = m.packed,
                                           .position = m.position,
                                           .data = m.data,
                                           .flags = LSR_MEMBER_HARDLINK };

                link.target = lsr_catalogue_target(c, row, &link.target_len);
                m = link;
        }
        m.raw = NULL;
        m.raw_len = 0;
        r = lsr_record_put(&many->members, &m);
        free(path);
        return r;
}

/* As many of the @n rows as go into one request, and as there is memory for.  0; -ENOMEM: not even for the first. */
static int bundle_pack_many(const struct lsr_catalogue *c, struct bundle_many *many, const uint32_t *rows, size_t n)
{
        int r = 0;

        lsr_records_clear(&many->members);
        many->n = 0;
        /* Another one is no longer than its texts may be. */
        while (many->n < n && r == 0 && many->members.len < LSR_WIRE_MANY_MAX - LSR_WIRE_REQUEST_MAX) {
                struct lsr_member m;
                char *path;

                if (many->flags & LSR_MANY_EXACT) {
                        r = bundle_pack_exact(c, many, rows[many->n]);
                        many->n += r == 0;
                        continue;
                }
                path = bundle_whole_member(c, rows[many->n], &m);
                r = lsr_record_put(
                        &many->members,
                        &(struct lsr_member){
                                .path = m.path,
                                .path_len = m.path_len,
                                .meta = { .known = m.meta.known & (LSR_FIELD_TYPE | LSR_FIELD_MODE | LSR_FIELD_SIZE),
                                          .mode = m.meta.mode,
                                          .size = m.meta.size },
                                .packed = m.packed,
                                .position = m.position,
                                .data = m.data,
                                .method = m.method,
                                .raw = m.raw,
                                .raw_len = m.raw_len,
                                .flags = m.flags,
                        });
                free(path);
                many->n += r == 0;
        }
        return many->n > 0 ? 0 : r;
}

int lsr_bundle_read_many(struct lsr_bundle *bundle, const struct lsr_catalogue *c, const uint32_t *rows, size_t n,
                         unsigned flags, const struct lsr_many_sink *sink)
{
        const unsigned at_end = LSR_MANY_TO_END | LSR_MANY_ALL;
        struct bundle_many many = { .sink = sink, .wanted = true, .flags = flags };
        unsigned deaths = 0;
        bool died;
        int r = 0;

        do {
                many.done = 0;
                many.killed = false;
                r = bundle_pack_many(c, &many, rows + many.first, n - many.first);
                many.flags = many.first + many.n == n ? flags : flags & ~at_end;
                many.flags |= flags & LSR_MANY_TO_END ? LSR_MANY_TELL : 0;
                if (flags & LSR_MANY_ALL && many.first == 0)
                        many.flags |= LSR_MANY_FROM_START;
                if (r == 0)
                        r = bundle_retry(bundle, bundle_ask_many, &many);
                else
                        many.n = 1;
                if (!many.wanted)
                        break;
                /* A member of which nothing has come: its own, or that of the process which died over it. */
                died = r == -EPIPE && deaths++ < BUNDLE_DEATHS_MAX;
                while (r < 0 && many.done < many.n && !(died && many.killed)) {
                        int ended = many_begin(&many, many.done);

                        if (ended >= 0)
                                ended = many_end(&many, many.done++, r);
                        if (!many.wanted) {
                                r = ended;
                                break;
                        }
                }
                many.first += many.done;
        } while (many.wanted && many.first < n);
        free(many.members.data);
        return r;
}

static int bundle_do_check(struct lsr_bundle *bundle, void *ctx)
{
        return lsr_worker_check(bundle_worker(bundle), bundle->id, ctx);
}

int lsr_bundle_check(struct lsr_bundle *bundle, struct lsr_checked *ret_checked)
{
        return bundle_retry(bundle, bundle_do_check, ret_checked);
}
