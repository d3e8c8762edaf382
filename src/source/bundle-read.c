/* bundle-read - content of members, one or many; a worker that dies over one is not the end of the others */
#include "source/bundle-parts.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/limits.h"
#include "source/remote.h"
#include "worker/wire.h"

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

#define BUNDLE_TRIED_MAX 4u                    /* members that a password is tried on */
#define BUNDLE_TRIED_BYTES ((uint64_t)1 << 20) /* bytes of each */

struct bundle_read {
        const struct lsr_member *m;
        const struct lsr_sink *sink;
};

static int bundle_read_member(struct lsr_bundle *bundle, void *ctx)
{
        const struct bundle_read *r = ctx;

        return lsr_worker_read(bundle_worker(bundle), bundle->id, r->m, r->sink);
}

static int bundle_read_one(struct lsr_bundle *bundle, const struct lsr_catalogue *c, uint32_t row,
                           const struct lsr_sink *sink)
{
        struct lsr_member m;
        char *path = bundle_whole_member(c, row, &m);
        int r = bundle_retry(bundle, bundle_read_member, &(struct bundle_read){ &m, sink });

        free(path);
        return r;
}

int lsr_bundle_read(const struct lsr_place *place, const struct lsr_sink *sink)
{
        int r = lsr_bundle_unlock(place->bundle, place->catalogue, &place->row, 1);

        return r < 0 ? r : bundle_read_one(place->bundle, place->catalogue, place->row, sink);
}

static int bundle_target_write(void *ctx, const void *data, size_t n)
{
        char *target = ctx;
        size_t len = strlen(target);

        if (memchr(data, '\0', n))
                return -EBADMSG;
        if (n >= PATH_MAX - len)
                return -ENAMETOOLONG;
        memcpy(target + len, data, n);
        target[len + n] = '\0';
        return 0;
}

int lsr_bundle_target(struct lsr_bundle *bundle, const struct lsr_catalogue *c, uint32_t row, char **ret_target)
{
        char target[PATH_MAX] = "";
        int r = 0;

        /* In other formats it is no content, and to read one member may take decoding all. */
        if (strcmp(bundle->format, "zip") == 0) {
                r = lsr_bundle_unlock(bundle, c, &row, 1);
                if (r == 0)
                        r = bundle_read_one(bundle, c, row, &(struct lsr_sink){ target, bundle_target_write, NULL });
        }
        if (r == 0)
                *ret_target = *target ? lsr_xstrdup(target) : NULL;
        return r;
}

/* --- passwords ---------------------------------------------------------------------- */

static int bundle_try_write(void *ctx, const void *data, size_t n)
{
        uint64_t *left = ctx;

        if (n > *left)
                return -ECANCELED;
        *left -= n;
        return 0;
}

/* The smallest encrypted ones among @rows, as ranks by size: how many. */
static unsigned bundle_pick_encrypted(const struct lsr_catalogue *c, const uint32_t *rows, size_t n,
                                      uint32_t ret_rows[static BUNDLE_TRIED_MAX])
{
        uint64_t sizes[BUNDLE_TRIED_MAX];
        unsigned picked = 0, at;

        for (size_t i = 0; i < n; i++) {
                uint32_t row = lsr_catalogue_link(c, rows[i]);
                struct lsr_member m;

                lsr_catalogue_get(c, row, &m);
                if (!(m.flags & LSR_MEMBER_ENCRYPTED) || S_ISDIR(m.meta.mode))
                        continue;
                for (at = picked; at > 0 && sizes[at - 1] > m.meta.size; at--)
                        if (at < BUNDLE_TRIED_MAX) {
                                sizes[at] = sizes[at - 1];
                                ret_rows[at] = ret_rows[at - 1];
                        }
                if (at == BUNDLE_TRIED_MAX)
                        continue;
                sizes[at] = m.meta.size;
                ret_rows[at] = row;
                picked += picked < BUNDLE_TRIED_MAX;
        }
        return picked;
}

/*
 * One byte of PKWARE's cipher tells a wrong password, so one of 256 passes; then the checksum is wrong.  Some may be
 * damaged, or have a password of their own, so the first that can be read is enough.
 */
static int bundle_try(struct lsr_bundle *bundle, const struct lsr_catalogue *c, const uint32_t *rows, unsigned n)
{
        bool rejected = false;

        for (unsigned i = 0; i < n; i++) {
                uint64_t left = BUNDLE_TRIED_BYTES;
                int r = bundle_read_one(bundle, c, rows[i], &(struct lsr_sink){ &left, bundle_try_write, NULL });

                if (r != -EBADMSG && r != -EKEYREJECTED)
                        return 0;
                rejected |= r == -EKEYREJECTED;
        }
        return rejected ? -EKEYREJECTED : 0;
}

int lsr_bundle_unlock(struct lsr_bundle *bundle, const struct lsr_catalogue *c, const uint32_t *rows, size_t n)
{
        struct lsr_bundles *b = bundle->all;
        uint32_t picked[BUNDLE_TRIED_MAX];
        unsigned n_picked;
        const char *password;

        if (bundle->unlocked || !b->o.password || strcmp(bundle->format, "zip") != 0)
                return bundle->unlock_error;
        n_picked = bundle_pick_encrypted(c, rows, n, picked);
        password = n_picked > 0 ? b->o.password(b->o.ctx, bundle->path, !b->looking) : NULL;
        if (!password)
                return 0;
        lsr_worker_password(bundle_need_worker(bundle), password);
        b->trying = true;
        bundle->unlock_error = bundle_try(bundle, c, picked, n_picked);
        b->trying = false;
        bundle->unlocked = true;
        if (bundle->unlock_error < 0) {
                bundle->troubled = true;
                b->o.trouble(b->o.ctx, bundle->path, bundle->unlock_error, "the password is wrong");
        }
        return bundle->unlock_error;
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

static int many_map(void *ctx, const struct lsr_extent *extents, size_t n)
{
        struct bundle_many *many = ctx;
        int r = many->sink->map(many->sink->ctx, extents, n);

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
        const struct lsr_many_sink sink = {
                many, many_begin, many_write, many_end, many_hole, many_verified, many_map
        };

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
        int r = lsr_bundle_unlock(bundle, c, rows, n);

        if (r < 0)
                return r;
        do {
                many.done = 0;
                many.killed = false;
                r = bundle_pack_many(c, &many, rows + many.first, n - many.first);
                many.flags = many.first + many.n == n ? flags : flags & ~at_end;
                many.flags |= flags & LSR_MANY_TO_END ? LSR_MANY_TELL : 0;
                many.flags |= sink->map ? LSR_MANY_MAPS : 0;
                if (flags & LSR_MANY_ALL && many.first == 0)
                        many.flags |= LSR_MANY_FROM_START;
                if (r == 0)
                        r = bundle_retry(bundle, bundle_ask_many, &many);
                else
                        many.n = 1;
                if (!many.wanted)
                        break;
                /* A member of which nothing has come: its own, or that of the process which died over it. */
                died = r == -EPIPE && deaths++ < lsr_limit(LSR_LIMIT_DEATHS);
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

static int bundle_ask_want(struct lsr_bundle *bundle, void *ctx)
{
        const struct bundle_many *many = ctx;

        return lsr_worker_want(bundle_worker(bundle), bundle->id, &many->members, many->n);
}

void lsr_bundle_want(struct lsr_bundle *bundle, const struct lsr_catalogue *c, const uint32_t *rows, size_t n)
{
        struct bundle_many many = {};

        /* Whatever is wrong will be found by reading. */
        if (bundle_is_far(bundle) && !bundle->filtered && bundle_pack_many(c, &many, rows, n) == 0)
                (void)bundle_retry(bundle, bundle_ask_want, &many);
        free(many.members.data);
}

static int bundle_do_check(struct lsr_bundle *bundle, void *ctx)
{
        return lsr_worker_check(bundle_worker(bundle), bundle->id, ctx);
}

int lsr_bundle_check(struct lsr_bundle *bundle, struct lsr_checked *ret_checked)
{
        return bundle_retry(bundle, bundle_do_check, ret_checked);
}
