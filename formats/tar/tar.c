/*
 * tar - the driver: what is a tar, what is in it, and what is in a member
 *
 * A walk for the listing and one for the content of a member differ only in
 * what they do at a member; formats/tar/walk.c tells how it goes.
 *
 * An empty tar is nothing but zero bytes.  Only what writers make of it is
 * taken for one: two blocks, or a record of twenty.  Any other file of zero
 * bytes is just that, although tar(1) would list it as empty, too.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "catalogue/build.h"
#include "catalogue/differ.h"
#include "formats/drivers.h"
#include "formats/tar/tar.h"

#define TAR_RECORD (20 * TAR_BLOCK)
#define TAR_ASKED_MAX ((size_t)64)        /* paths: each is compared with every member */
#define TAR_LOOK_ON ((uint64_t)256 << 10) /* bytes behind what was read of a stream */

static const char *const tar_suffixes[] = { ".tar", NULL };

/* --- probe -------------------------------------------------------------------- */

static bool tar_is_empty(const struct lsr_probe *p)
{
        uint64_t size = p->size;

        /* Behind a filter: is that all there is? */
        if (size == LSR_INPUT_UNKNOWN && p->head_len < LSR_PROBE_BYTES)
                size = p->head_len;
        if ((size != 2 * TAR_BLOCK && size != TAR_RECORD) || p->head_len < size)
                return false;
        return p->head[0] == 0 && memcmp(p->head, p->head + 1, (size_t)size - 1) == 0;
}

static bool tar_probe(const struct lsr_probe *p)
{
        return (p->head_len >= TAR_BLOCK && tar_header_plausible(p->head)) || tar_is_empty(p);
}

/* A first header that is damaged is passed over, as others are. */
static bool tar_probe_damaged(const struct lsr_probe *p)
{
        if (p->head_len < TAR_BLOCK || !tar_header_damaged(p->head, true))
                return false;
        for (size_t at = TAR_BLOCK; at <= p->head_len - TAR_BLOCK; at += TAR_BLOCK)
                if (tar_header_plausible(p->head + at))
                        return true;
        return tar_header_damaged(p->head, false);
}

/* --- paths -------------------------------------------------------------------- */

/* The next component of a path that the builder keeps; len 0: there is none. */
static struct tar_text tar_component(const char **at, const char *end)
{
        for (;;) {
                struct tar_text c = { .s = *at };

                while (*at < end && **at != '/' && **at)
                        ++*at;
                c.len = (size_t)(*at - c.s);
                if (*at < end && **at == '/')
                        ++*at;
                else
                        *at = end;
                if (*at == end && c.len == 0)
                        return c;
                if (c.len && !(c.s[0] == '.' && (c.len == 1 || (c.len == 2 && c.s[1] == '.'))))
                        return c;
        }
}

/* Do two paths, cleaned or not, name the same member? */
static bool tar_same_path(struct tar_text a, struct tar_text b)
{
        const char *a_at = a.s, *b_at = b.s;
        struct tar_text x, y;

        do {
                x = tar_component(&a_at, a.s + a.len);
                y = tar_component(&b_at, b.s + b.len);
                if (x.len != y.len || memcmp(x.s, y.s, x.len) != 0)
                        return false;
        } while (x.len);
        return true;
}

/* Does a path go up?  Where it leads then cleaning it tells. */
static bool tar_goes_up(struct tar_text path)
{
        for (const char *p = path.s, *end = path.s + path.len; p < end; p++)
                if (end - p >= 2 && p[0] == '.' && p[1] == '.' && (p == path.s || p[-1] == '/') &&
                    (end - p == 2 || p[2] == '/' || !p[2]))
                        return true;
        return false;
}

/* Is a member of that path the one at @path, or one that it goes through? */
static bool tar_leads_to(struct tar_text member, struct tar_text path)
{
        const char *a = member.s, *b = path.s;
        struct tar_text x = tar_component(&a, member.s + member.len), y = tar_component(&b, path.s + path.len);

        if (x.len == 0)
                return false;
        while (x.len && x.len == y.len && memcmp(x.s, y.s, x.len) == 0) {
                x = tar_component(&a, member.s + member.len);
                y = tar_component(&b, path.s + path.len);
        }
        return x.len == 0;
}

/* --- scan --------------------------------------------------------------------- */

/*
 * The questions to a stream that need not be read to its end: for the content of files.  Of several of one name the
 * first is taken, as whoever reads to the end to know of another decodes all of it.
 */
struct tar_asked {
        const struct lsr_wanted *wanted; /* NULL: it is read to its end */
        size_t found;                    /* how many paths are, */
        bool is_found[TAR_ASKED_MAX];    /* and which */
};

/* Can it answer these?  Where members are easily passed over all are listed. */
static bool tar_can_answer(const struct lsr_scan *scan, const struct lsr_wanted *wanted)
{
        if (!wanted->content || wanted->n > TAR_ASKED_MAX || lsr_input_random(scan->input))
                return false;
        for (size_t i = 0; i < wanted->n; i++)
                if (tar_goes_up((struct tar_text){ wanted->paths[i], strlen(wanted->paths[i]) }))
                        return false;
        return true;
}

/*
 * Can the content of the member at hand be read without its header?  What a hard link leads to is content of another,
 * and the map of an old sparse file is behind the header.
 */
static bool tar_can_stop(const struct tar_walk *w)
{
        return w->type == S_IFREG && !(w->flags & LSR_MEMBER_HARDLINK) && w->header.type != 'S';
}

/* The member at hand answers one of the questions: it does not count, where another has done so before. */
static bool tar_answers(struct tar_asked *asked, const struct tar_walk *w)
{
        bool first = false, again = false;

        if (!asked->wanted || w->type == S_IFDIR || tar_goes_up(w->path))
                return true;
        for (size_t i = 0; i < asked->wanted->n; i++) {
                const char *path = asked->wanted->paths[i];

                if (!tar_leads_to(w->path, (struct tar_text){ path, strlen(path) }))
                        continue;
                again |= asked->is_found[i];
                if (asked->is_found[i] || !tar_can_stop(w))
                        continue;
                asked->is_found[i] = first = true;
                asked->found++;
        }
        return first || !again;
}

static int tar_add(struct tar_walk *w)
{
        struct lsr_member m;
        int r;

        tar_walk_member(w, &m);
        r = lsr_builder_add(w->scan->builder, &m);
        if (r > 0)
                lsr_scan_trouble(w->scan, -EBADMSG, "the member at byte %s has no name", lsr_grouped(w->position));
        if (r < 0)
                lsr_scan_trouble(w->scan, r, "more than can be listed: the tar is listed up to byte %s",
                                 lsr_grouped(w->position));
        return r;
}

/* The member at hand with its content.  0 or a negative errno. */
static int tar_add_whole(struct tar_walk *w)
{
        int r = tar_add(w);

        if (r == 0 && w->type == S_IFREG && !(w->flags & LSR_MEMBER_HARDLINK))
                r = tar_content(w, w->scan->content);
        if (r == 0)
                r = lsr_input_skip(w->in, w->data + tar_padded(w->stored) - w->in->at);
        return r;
}

/* As lsr_format.list; with scan->stopped @w is at the member where it did. */
static int tar_scan_members(struct tar_walk *w, const struct lsr_wanted *wanted)
{
        struct lsr_scan *scan = w->scan;
        struct tar_asked asked = { .wanted = wanted };
        int r;

        while ((r = tar_walk_next(w)) > 0) {
                bool counts = tar_answers(&asked, w);

                scan->some |= !counts;
                if (asked.wanted && asked.found == asked.wanted->n) {
                        scan->stopped = scan->some = tar_add(w) >= 0;
                        scan->stopped_at = w->position;
                        break;
                }
                if (scan->content) {
                        r = tar_add_whole(w);
                        if (r < 0)
                                return r;
                        continue;
                }
                r = tar_walk_pass(w);
                if ((counts && tar_add(w) < 0) || r < 0)
                        break;
        }
        return r < 0 && lsr_builder_count(scan->builder) == 0 ? r : 0;
}

static void tar_close(struct lsr_scan *scan)
{
        tar_walk_close(scan->state);
        free(scan->state);
}

/* @wanted NULL: all. */
static int tar_answer(struct lsr_scan *scan, const struct lsr_wanted *wanted)
{
        struct tar_walk *w = lsr_xmalloc(sizeof(*w));
        int r;

        memset(w, 0, sizeof(*w));
        w->scan = scan;
        w->in = scan->input;
        w->want_map = scan->content;
        if (lsr_input_random(scan->input) && !scan->content) {
                w->in = tar_hop_new(scan->input);
                w->hops = true;
        }
        r = tar_scan_members(w, wanted);
        if (scan->stopped) {
                w->want_map = true;
                scan->state = w;
        } else {
                tar_walk_close(w);
                free(w);
        }
        return r;
}

static int tar_scan(struct lsr_scan *scan)
{
        return tar_answer(scan, NULL);
}

static int tar_list(struct lsr_scan *scan, const struct lsr_wanted *wanted)
{
        return tar_can_answer(scan, wanted) ? tar_answer(scan, wanted) : 1;
}

/* --- find a member again ------------------------------------------------------ */

/* What is known of a hard link is that of its target, which may be of any type. */
static bool tar_same_kind(const struct tar_walk *w, const struct lsr_member *m)
{
        if ((w->flags ^ m->flags) & LSR_MEMBER_HARDLINK)
                return false;
        return m->flags & LSR_MEMBER_HARDLINK || !(m->meta.known & LSR_FIELD_TYPE) ||
               (m->meta.mode & S_IFMT) == w->type;
}

/* Is @m the member that @w is at? */
static bool tar_is_it(const struct tar_walk *w, const struct lsr_member *m)
{
        struct tar_text path = { m->path, m->path_len };

        if (!tar_same_kind(w, m))
                return false;
        if (m->flags & LSR_MEMBER_HARDLINK || !(m->meta.known & LSR_FIELD_SIZE) || m->meta.size == w->header.meta.size)
                return m->raw ? w->path.len == m->raw_len && memcmp(w->path.s, m->raw, m->raw_len) == 0
                              : tar_same_path(w->path, path);
        return false;
}

/* 0: @w is at the content of @m; a negative errno, said. */
static int tar_find(struct tar_walk *w, const struct lsr_member *m)
{
        struct lsr_input *in = w->in;
        struct tar_text path = { m->path, m->path_len };
        int r;

        /* The scan has stopped here. */
        if (w->path.s && w->position == m->position && w->data == in->at && tar_is_it(w, m))
                return 0;
        if (lsr_input_random(in) && m->position > in->size)
                r = -ENODATA;
        else if (in->at <= m->position)
                r = lsr_input_skip(in, m->position - in->at);
        else
                r = in->ops->seek ? lsr_input_seek(in, m->position) : -ENODATA;
        if (r < 0 && r != -ENODATA)
                return tar_walk_failed(w, r);
        if (r == 0) {
                w->here = true;
                r = tar_walk_next(w);
                w->here = false;
        }
        if (r < 0 && r != -ENODATA)
                return r;
        if (r == 1 && w->position == m->position && tar_is_it(w, m))
                return 0;
        lsr_scan_trouble(w->scan, -EBADMSG, "what is at byte %s is not, or no longer, the header of '%.*s'",
                         lsr_grouped(m->position), TAR_SHOWN(path));
        return -EBADMSG;
}

/* --- content ------------------------------------------------------------------ */

/* @n bytes as they are. */
static int tar_copy(struct tar_walk *w, uint64_t n, const struct lsr_sink *sink)
{
        while (n > 0) {
                const uint8_t *data;
                ssize_t got = lsr_input_peek(w->in, 1, &data);
                int r;

                if (got < 0)
                        return tar_walk_failed(w, (int)got);
                if (got == 0) {
                        lsr_scan_trouble(w->scan, -EBADMSG,
                                         "tar ends too early: %s bytes of '%.*s' are missing at byte %s",
                                         lsr_grouped(n), TAR_SHOWN(w->path), lsr_grouped(w->in->at));
                        return -EBADMSG;
                }
                if ((uint64_t)got > n)
                        got = (ssize_t)n;
                r = sink->write(sink->ctx, data, (size_t)got);
                if (r < 0)
                        return r;
                lsr_input_take(w->in, (size_t)got);
                n -= (uint64_t)got;
        }
        return 0;
}

/* --- version 1.0 of sparse members: the map is text at the start of the content --- */

struct tar_lines {
        struct tar_walk *w;
        uint64_t left; /* bytes of content not read yet */
        size_t at;     /* in block */
        uint8_t block[TAR_BLOCK];
};

/* The number on the next line.  0 or a negative errno. */
static int tar_line(struct tar_lines *l, uint64_t *ret_number)
{
        char text[21];
        const char *p = text;
        size_t n = 0;

        for (;;) {
                if (l->at == TAR_BLOCK) {
                        ssize_t got = l->left < TAR_BLOCK ? 0 : lsr_input_read(l->w->in, l->block, TAR_BLOCK);

                        if (got < (ssize_t)TAR_BLOCK)
                                return got < 0 ? tar_walk_failed(l->w, (int)got) : -EBADMSG;
                        l->left -= TAR_BLOCK;
                        l->at = 0;
                }
                if (l->block[l->at] == '\n')
                        break;
                if (n == sizeof(text))
                        return -EBADMSG;
                text[n++] = (char)l->block[l->at++];
        }
        l->at++;
        return tar_decimal(&p, text + n, ret_number) < 0 || p != text + n ? -EBADMSG : 0;
}

static int tar_map_lines(struct tar_walk *w, uint64_t *ret_left)
{
        struct tar_lines l = { .w = w, .left = w->stored, .at = TAR_BLOCK };
        uint64_t n;
        int r = tar_line(&l, &n);

        if (r == 0 && n > lsr_limit(LSR_LIMIT_PIECES))
                r = -E2BIG;
        for (; r == 0 && n > 0; n--) {
                uint64_t offset, size;

                r = tar_line(&l, &offset);
                if (r == 0)
                        r = tar_line(&l, &size);
                if (r == 0)
                        r = tar_map_add(&w->map, offset, size);
        }
        *ret_left = l.left;
        return r;
}

int tar_member_map(struct tar_walk *w, const struct tar_map **ret_map, uint64_t *ret_stored)
{
        const struct tar_pax *p = &w->pax;
        int64_t major = tar_pax_has(p, TAR_SPARSE_MAJOR) ? p->values[TAR_SPARSE_MAJOR] : 0;

        *ret_stored = w->stored;
        *ret_map = &w->map;
        if (major == 1)
                return tar_map_lines(w, ret_stored);
        if (major != 0)
                return -EOPNOTSUPP;
        if (p->texts[TAR_SPARSE_MAP].s)
                return tar_map_text(&w->map, p->texts[TAR_SPARSE_MAP]);
        if (!w->map.n && p->map.n)
                *ret_map = &p->map;
        return p->half ? -EBADMSG : 0;
}

/* Say where data is: pieces may be empty, and adjacent. */
static int tar_tell_map(const struct tar_map *map, const struct lsr_sink *sink)
{
        struct lsr_extent *extents;
        size_t n = 0;
        int r;

        if (!sink->map || map->n > LSR_EXTENTS_MAX)
                return 0;
        extents = lsr_xmalloc((map->n + 1) * sizeof(*extents));
        for (size_t i = 0; i < map->n; i++) {
                const struct tar_piece *p = &map->pieces[i];

                if (n > 0 && extents[n - 1].offset + extents[n - 1].size == p->offset)
                        extents[n - 1].size += p->size;
                else if (p->size > 0)
                        extents[n++] = (struct lsr_extent){ p->offset, p->size };
        }
        r = sink->map(sink->ctx, extents, n);
        free(extents);
        return r;
}

static int tar_read_sparse(struct tar_walk *w, const struct lsr_sink *sink)
{
        const struct tar_map *map;
        uint64_t stored, at = 0, size = w->header.meta.size;
        int r = tar_member_map(w, &map, &stored);

        if (r == 0 && !tar_map_valid(map, size, stored))
                r = -EBADMSG;
        if (r < 0) {
                lsr_scan_trouble(w->scan, r, "sparse map of '%.*s' at byte %s %s%s", TAR_SHOWN(w->path),
                                 lsr_grouped(w->position),
                                 r == -EOPNOTSUPP ? "is of an unknown version"
                                 : r == -E2BIG    ? "has too many pieces"
                                                  : "is damaged",
                                 r == -E2BIG ? lsr_limit_raised(LSR_LIMIT_PIECES) : "");
                return r;
        }
        r = tar_tell_map(map, sink);
        for (size_t i = 0; i < map->n && r == 0; i++) {
                r = lsr_sink_hole(sink, map->pieces[i].offset - at);
                if (r == 0)
                        r = tar_copy(w, map->pieces[i].size, sink);
                at = map->pieces[i].offset + map->pieces[i].size;
        }
        return r < 0 ? r : lsr_sink_hole(sink, size - at);
}

int tar_content(struct tar_walk *w, const struct lsr_sink *sink)
{
        if (w->type != S_IFREG || (w->flags & LSR_MEMBER_HARDLINK && w->stored == 0))
                return -EOPNOTSUPP;
        return w->flags & LSR_MEMBER_SPARSE ? tar_read_sparse(w, sink) : tar_copy(w, w->stored, sink);
}

static int tar_read(struct lsr_scan *scan, const struct lsr_member *m, const struct lsr_sink *sink)
{
        struct tar_walk own = { .in = scan->input, .want_map = true }, *w = scan->state ? scan->state : &own;
        int r;

        w->scan = scan;
        r = tar_find(w, m);
        if (r == 0)
                r = tar_content(w, sink);
        tar_walk_close(&own);
        return r;
}

/* --- members that are to be restored -------------------------------------------- */

static bool tar_is_exact_path(const struct tar_walk *w, const struct lsr_member *m)
{
        size_t depth, len, n = strnlen(w->path.s, w->path.len);
        char *clean = lsr_xmalloc(n + 1);
        bool same;

        len = build_clean(clean, w->path.s, n, &depth);
        same = len == m->path_len && memcmp(clean, m->path, len) == 0;
        free(clean);
        return same;
}

/* The header at hand is that of @m: does it say all that @m does?  0 or -EBADMSG, said. */
static int tar_compare(struct tar_walk *w, const struct lsr_member *m)
{
        struct tar_text path = { m->path, m->path_len };
        struct lsr_member own;
        char words[128] = "";

        tar_walk_member(w, &own);
        if (!tar_is_exact_path(w, m))
                strcpy(words, "path");
        else if (!(m->flags & LSR_MEMBER_HARDLINK))
                lsr_member_differ(m, &own, words, sizeof(words));
        else if (m->target_len != own.target_len ||
                 (own.target_len && memcmp(m->target, own.target, own.target_len) != 0))
                strcpy(words, "link");
        if (!words[0])
                return 0;
        lsr_scan_trouble(w->scan, -EBADMSG,
                         "'%.*s' differs between the table of contents and the header at byte %s: %s", TAR_SHOWN(path),
                         lsr_grouped(w->position), words);
        return -EBADMSG;
}

/* The next member that is known of begins at @position, or there is none, and the tar is to end here. */
static void tar_look_between(struct tar_walk *w, uint64_t position, bool ends)
{
        struct lsr_scan *scan = w->scan;
        uint64_t at = scan->exact_follow;
        int r;

        if (!scan->exact || scan->exact_gaps || at == LSR_INPUT_UNKNOWN || (!ends && position <= at))
                return;
        if (ends) {
                r = at < w->in->at ? -EBADMSG : lsr_input_skip(w->in, at - w->in->at);
                if (r == 0)
                        r = tar_walk_next(w);
                if (r <= 0)
                        return;
        }
        lsr_scan_trouble(scan, -EBADMSG, "what is at byte %s of the tar is not in the table of contents",
                         lsr_grouped(at));
}

/* The content of @m.  What is exact has none unless it is a regular file, which is no reason to complain. */
static int tar_read_member(struct tar_walk *w, const struct lsr_member *m, const struct lsr_sink *sink)
{
        struct lsr_scan *scan = w->scan;
        int r = tar_find(w, m);

        if (r == 0 && scan->exact)
                r = tar_compare(w, m);
        scan->exact_follow = LSR_INPUT_UNKNOWN;
        if (r < 0)
                return r;
        if (scan->exact)
                scan->exact_follow = w->data + tar_padded(w->stored);
        if (scan->exact && (w->type != S_IFREG || w->flags & LSR_MEMBER_HARDLINK))
                return 0;
        return tar_content(w, sink);
}

/*
 * Of a stream that is not read to its end what is near is looked at all the same: most of it is decoded already, and
 * who asks for a member wants to know that the bundle is damaged.
 */
static void tar_look_on(struct tar_walk *w)
{
        uint64_t end = w->in->at + TAR_LOOK_ON, content = w->data + tar_padded(w->stored);
        int r = lsr_input_skip(w->in, content > w->in->at ? content - w->in->at : 0);

        while (r >= 0 && w->in->at < end && tar_walk_next(w) > 0) {
                if (w->stored < end - w->in->at) {
                        r = tar_walk_pass(w);
                        continue;
                }
                r = lsr_input_skip(w->in, end - w->in->at);
                if (r < 0 && r != -ENODATA)
                        tar_walk_failed(w, r);
        }
}

static int tar_read_many(struct lsr_scan *scan, const struct lsr_many *many)
{
        struct tar_walk own = { .in = scan->input, .want_map = true }, *w = scan->state ? scan->state : &own;
        struct lsr_member_sink sink;
        struct lsr_member m;
        int r = 0;

        lsr_member_sink_init(&sink, many);
        w->scan = scan;
        while (r == 0 && many->next(many->ctx, &m)) {
                const uint8_t *data;

                tar_look_between(w, m.position, false);
                r = tar_read_member(w, &m, &sink.sink);
                /* What an input failed with it fails with again. */
                if (sink.result < 0 || (r < 0 && lsr_input_peek(w->in, 1, &data) < 0))
                        break;
                r = many->end(many->ctx, r);
        }
        if (r == 0 && sink.result >= 0 && scan->exact_end)
                tar_look_between(w, 0, true);
        if (r == 0 && sink.result >= 0 && w != &own)
                tar_look_on(w);
        tar_walk_close(&own);
        return r;
}

static int tar_extent(struct lsr_scan *scan, const struct lsr_member *m, uint64_t *ret_offset, uint64_t *ret_size)
{
        struct tar_walk w = { .scan = scan, .in = scan->input };
        int r = 1;

        if (!lsr_input_random(scan->input))
                return 1;
        r = tar_find(&w, m);
        if (r == 0) {
                if (w.type != S_IFREG || w.flags & (LSR_MEMBER_SPARSE | LSR_MEMBER_HARDLINK)) {
                        r = 1;
                } else if (w.stored > scan->input->size - w.data) {
                        r = tar_walk_pass(&w);
                } else {
                        *ret_offset = w.data;
                        *ret_size = w.stored;
                }
        }
        tar_walk_close(&w);
        return r;
}

static bool tar_range(struct lsr_scan *scan, const struct lsr_member *m, struct lsr_input_range *ret_range)
{
        *ret_range = (struct lsr_input_range){ m->position, m->data - m->position + m->packed };
        return m->data >= m->position && m->packed < INT64_MAX && m->data < INT64_MAX;
}

const struct lsr_format lsr_format_tar = {
        .name = "tar",
        .suffixes = tar_suffixes,
        .offsets = true,
        .streams = true,
        .probe = tar_probe,
        .probe_damaged = tar_probe_damaged,
        .scan = tar_scan,
        .list = tar_list,
        .read = tar_read,
        .read_many = tar_read_many,
        .extent = tar_extent,
        .range = tar_range,
        .close = tar_close,
};
