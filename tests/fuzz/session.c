/*
 * session - a bundle that stays open answers each request as one that was just opened
 *
 *      byte 0     how many requests
 *      each       its kind, and a row that it is about
 *      the rest   the bundle
 *
 * Each request goes to the session, whose state and input are kept as the worker keeps them, and to a new one.  That
 * something is told once for each bundle is meant, so messages are not compared.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "fuzz.h"

#define SESSION_REQUESTS_MAX 8u

struct session {
        const struct lsr_format *format;
        const uint8_t *data;
        size_t n;
        struct lsr_scan scan; /* what of it stays; scan.input NULL: nothing yet */
        unsigned troubles;    /* of the request at hand */
};

struct answer {
        int result;
        uint64_t digest; /* of rows or contents */
        uint64_t bytes;
        unsigned troubles;
};

static void answer_take(struct answer *a, const void *data, size_t n)
{
        const uint8_t *p = data;

        for (size_t i = 0; i < n; i++)
                a->digest = (a->digest ^ p[i]) * UINT64_C(0x100000001b3);
}

static int answer_write(void *ctx, const void *data, size_t n)
{
        struct answer *a = ctx;

        answer_take(a, data, n);
        a->bytes += n;
        return a->bytes > FUZZ_CONTENT_MAX ? -ENOSPC : 0;
}

static int answer_hole(void *ctx, uint64_t n)
{
        struct answer *a = ctx;

        answer_take(a, &n, sizeof(n));
        return 0;
}

static void answer_rows(struct answer *a, const struct lsr_catalogue *c)
{
        char *path = NULL;

        for (uint32_t row = 0; row < lsr_catalogue_rows(c); row++) {
                size_t len = lsr_catalogue_path(c, row, NULL, 0);
                struct lsr_member m;

                path = lsr_xrealloc(path, len + 1);
                lsr_catalogue_path(c, row, path, len + 1);
                lsr_catalogue_get(c, row, &m);
                answer_take(a, path, len + 1);
                answer_take(a, &m.meta.mode, sizeof(m.meta.mode));
                answer_take(a, &m.meta.size, sizeof(m.meta.size));
                answer_take(a, &m.position, sizeof(m.position));
                answer_take(a, &m.flags, sizeof(m.flags));
        }
        free(path);
}

static void session_hear(void *ctx, int error, const char *text)
{
        fuzz_check(error <= 0 && text && *text);
        if (error < 0)
                ((struct session *)ctx)->troubles++;
}

static struct lsr_scan *session_begin(struct session *s)
{
        struct lsr_scan next = { .window_max = FUZZ_WINDOW_MAX,
                                 .ctx = s,
                                 .trouble = session_hear,
                                 .exact_follow = LSR_INPUT_UNKNOWN,
                                 .input = s->scan.input,
                                 .state = s->scan.state };

        s->troubles = 0;
        if (!next.input)
                next.input = lsr_input_memory(s->data, s->n);
        else
                fuzz_check(lsr_input_seek(next.input, 0) == 0);
        s->scan = next;
        return &s->scan;
}

static void session_close(struct session *s)
{
        if (s->scan.input)
                lsr_scan_close(&s->scan, s->format);
        s->scan = (struct lsr_scan){};
}

/* --- requests --------------------------------------------------------------------- */

/* All, or what @wanted takes. */
static struct answer session_list(struct session *s, const struct lsr_wanted *wanted, struct lsr_catalogue **ret_all)
{
        struct answer a = { .result = 1 };
        struct lsr_catalogue *c = NULL;

        for (bool distrusted = false;; distrusted = true) {
                struct lsr_scan *scan = session_begin(s);

                scan->builder = lsr_builder_new();
                scan->distrusted = distrusted;
                lsr_builder_limit(scan->builder, FUZZ_BUILDER_MAX);
                if (wanted && s->format->list)
                        a.result = s->format->list(scan, wanted);
                else if (!wanted)
                        a.result = s->format->scan(scan);
                if (a.result == 0 && scan->catalogue)
                        a.result = lsr_catalogue_decode(&c, scan->catalogue, scan->catalogue_size);
                else if (a.result == 0)
                        fuzz_check(lsr_builder_finish(scan->builder, &c) == 0);
                free(scan->catalogue);
                scan->catalogue = NULL;
                scan->builder = lsr_builder_free(scan->builder);
                if (a.result >= 0 || distrusted)
                        break;
        }
        if (c)
                answer_rows(&a, c);
        if (ret_all)
                *ret_all = c;
        else
                lsr_catalogue_free(c);
        return a;
}

static struct answer session_check(struct session *s)
{
        struct lsr_checked checked = {};
        struct answer a = { .result = 1 };

        if (!s->format->check)
                return a;
        a.result = s->format->check(session_begin(s), &checked);
        if (a.result == 0)
                answer_take(&a, &checked, sizeof(checked));
        return a;
}

static struct answer session_read(struct session *s, const struct lsr_member *m)
{
        struct answer a = {};
        const struct lsr_sink sink = { &a, answer_write, answer_hole };
        struct lsr_scan *scan = session_begin(s);

        a.result = s->format->read ? s->format->read(scan, m, &sink) : -EOPNOTSUPP;
        return a;
}

/* One and the next one. */
struct pair {
        struct answer answer;
        const struct lsr_member *members;
        unsigned n, at;
};

static bool pair_next(void *ctx, struct lsr_member *ret_member)
{
        struct pair *p = ctx;

        if (p->at == p->n)
                return false;
        *ret_member = p->members[p->at++];
        return true;
}

static int pair_write(void *ctx, const void *data, size_t n)
{
        return answer_write(&((struct pair *)ctx)->answer, data, n);
}

static int pair_hole(void *ctx, uint64_t n)
{
        return answer_hole(&((struct pair *)ctx)->answer, n);
}

static int pair_end(void *ctx, int result)
{
        answer_take(&((struct pair *)ctx)->answer, &result, sizeof(result));
        return 0;
}

static struct answer session_read_many(struct session *s, const struct lsr_member *members, unsigned n)
{
        struct pair p = { .members = members, .n = n };
        const struct lsr_many many = { &p, pair_next, pair_write, pair_end, pair_hole, NULL };

        p.answer.result = s->format->read_many ? s->format->read_many(session_begin(s), &many) : -EOPNOTSUPP;
        return p.answer;
}

static struct answer session_extent(struct session *s, const struct lsr_member *m)
{
        struct answer a = { .result = 1 };
        uint64_t where[2] = {};

        if (!s->format->extent)
                return a;
        a.result = s->format->extent(session_begin(s), m, &where[0], &where[1]);
        if (a.result == 0)
                answer_take(&a, where, sizeof(where));
        return a;
}

static struct answer session_ask(struct session *s, uint8_t kind, const struct lsr_member *members, unsigned n)
{
        const struct lsr_wanted wanted = { .paths = &members[0].path,
                                           .n = 1,
                                           .content = kind & 0x10,
                                           .depth = kind & 0x20 ? LSR_DEPTH_ALL : 0,
                                           .links = kind & 0x40,
                                           .described = kind & 0x80 };
        struct answer a;

        switch (kind % 8) {
        case 0:
                a = session_list(s, NULL, NULL);
                break;
        case 1:
        case 2:
                a = session_list(s, &wanted, NULL);
                break;
        case 3:
                a = session_check(s);
                break;
        case 4:
                a = session_extent(s, &members[0]);
                break;
        case 5:
                a = session_read_many(s, members, n);
                break;
        default:
                a = session_read(s, &members[0]);
                break;
        }
        /* What the worker does between two of them; a driver may not have such a request. */
        if (s->scan.input)
                lsr_input_drop_end(s->scan.input);
        a.troubles = s->troubles + (a.result < 0);
        return a;
}

/* --- the target --------------------------------------------------------------------- */

static const struct lsr_format *session_format(const uint8_t *data, size_t n)
{
        for (const struct lsr_format *const *f = lsr_formats; *f; f++)
                if (fuzz_probe(*f, data, n))
                        return *f;
        return NULL;
}

/* The @at'th row and the next one behind it that have content, by position; returns how many there are. */
static unsigned session_members(const struct lsr_catalogue *c, uint8_t at, struct lsr_member members[2])
{
        uint32_t rows = lsr_catalogue_rows(c);
        unsigned n = 0;

        for (uint32_t i = 0; i < rows && n < 2; i++) {
                uint32_t row = (uint32_t)(((uint64_t)at + i) % rows);
                size_t len = lsr_catalogue_path(c, row, NULL, 0);
                char *path;

                lsr_catalogue_get(c, row, &members[n]);
                if (n == 1 && (!S_ISREG(members[n].meta.mode) || lsr_catalogue_link(c, row) != row ||
                               members[1].position <= members[0].position))
                        continue;
                path = lsr_xmalloc(len + 1);
                lsr_catalogue_path(c, row, path, len + 1);
                members[n].path = path;
                members[n++].path_len = len;
                /* A directory is listed, and nothing reads one. */
                if (!S_ISREG(members[0].meta.mode) || lsr_catalogue_link(c, row) != row)
                        break;
        }
        return n;
}

/* Two bytes a request. */
static const uint8_t *session_script(struct fuzz_bytes *in, size_t *ret_n)
{
        size_t requests = fuzz_byte(in) % (SESSION_REQUESTS_MAX + 1);

        return fuzz_take(in, 2 * requests, ret_n);
}

void fuzz_mend_session(uint8_t *data, size_t n)
{
        struct fuzz_bytes in = { data, n };
        const struct lsr_format *format;
        const struct fuzz_target *t;
        size_t n_script;

        session_script(&in, &n_script);
        format = in.left > 0 ? session_format(in.at, in.left) : NULL;
        t = format ? fuzz_find(format->name) : NULL;
        if (t && t->mend)
                t->mend(data + (n - in.left), in.left);
}

int fuzz_session(const uint8_t *data, size_t n)
{
        struct fuzz_bytes in = { data, n };
        size_t n_script;
        const uint8_t *script = session_script(&in, &n_script);
        struct session kept = { .data = in.at, .n = in.left }, fresh;
        struct lsr_catalogue *c;

        if (in.left == 0)
                return 0;
        kept.format = session_format(kept.data, kept.n);
        if (!kept.format)
                return 0;
        fresh = kept;
        session_list(&fresh, NULL, &c);
        session_close(&fresh);
        for (size_t i = 0; c && i + 1 < n_script; i += 2) {
                struct lsr_member members[2] = {};
                unsigned n_members = session_members(c, script[i + 1], members);
                bool is_file = S_ISREG(members[0].meta.mode);
                uint8_t kind = is_file || script[i] % 8 < 4 ? script[i] : (uint8_t)(script[i] & 0xf0);
                struct answer a = session_ask(&kept, kind, members, n_members), b;

                b = session_ask(&fresh, kind, members, n_members);
                session_close(&fresh);
                bool same = a.result == b.result && a.digest == b.digest;

                /* Of an archive damage is told once, and what is around it is read in spite of it. */
                if (!same && strcmp(kept.format->name, "sqlite") == 0)
                        same = a.troubles > 0 || b.troubles > 0;
                if (!same)
                        fprintf(stderr, "%s, request %zu (%x of '%s'): %d when open, %d when just opened\n",
                                kept.format->name, i / 2, kind, members[0].path, a.result, b.result);
                fuzz_check(same);
                for (unsigned k = 0; k < n_members; k++)
                        free((char *)(uintptr_t)members[k].path);
        }
        session_close(&kept);
        lsr_catalogue_free(c);
        return 0;
}
