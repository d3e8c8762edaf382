/*
 * zip - the central directory as a list of members
 *
 * The directory is streamed once, header by header within the pieces that the
 * input gives, and each goes to the builder at once: no memory grows with it.
 * Symbolic links are the exception to "the directory alone": what they lead
 * to is their content, so a look at it follows right away.
 *
 * Entries that share bytes are how a small zip unpacks to a huge one, and how
 * two programs come to see different content.  Honest writers put members and
 * entries in the same order, so one comparison an entry shows that nothing
 * overlaps.  Only where the order breaks, a second walk collects spans and
 * sorts them; and only if some of them do overlap, the list is made anew, in which of
 * those entries as many are good as do not overlap each other: the sum of what is read is no more
 * than the file.
 *
 * The directory has no checksum.  Behind a damaged entry the walk goes on with the next
 * signature, and members are looked for by their local headers, too (recover.c).
 *
 * Rejected: trusting the number of entries (it is modulo 65,536), reading local
 * headers (a seek for each member, and the directory is what counts).
 */
#include "formats/zip/zip.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/merge.h"
#include "formats/drivers.h"

#define ZIP_CENTRAL_MAX (LSR_ZIP_CENTRAL_BYTES + 3 * (size_t)UINT16_MAX)
#define ZIP_SEARCH_BYTES ((size_t)64 << 10)
#define ZIP_POSITIONS_TRIED 64u
#define ZIP_UNSETTLED_MAX 1000u /* entries for which so many are tried in vain; for more the next one alone */
#define ZIP_PLACES_MAX 1000u    /* of damage in a directory: each may cost a header of 192 KiB */
#define ZIP_EXTRA_USUAL 128u    /* bytes of extra fields in a local header, more than most have */

/* --- a walk ---------------------------------------------------------------------- */

/* Whether @signature is that of something that may follow the last entry. */
static bool zip_is_behind(uint32_t signature)
{
        return signature == LSR_ZIP_SIGNATURE || signature == LSR_ZIP_END64 || signature == LSR_ZIP_LOCATOR64 ||
               signature == LSR_ZIP_END;
}

/*
 * Visit the headers from @from on.  0; 1: there is none at w->at; 2: there is one, which claims too much; a negative
 * errno.
 */
static int zip_walk_from(struct lsr_zip_walk *w, uint64_t from)
{
        struct lsr_input *in = w->scan->input;
        /* All of it is wanted: what is cached need not be copied. */
        const uint8_t *view = lsr_input_view(in, from, w->end - from);
        size_t need = LSR_ZIP_CENTRAL_BYTES;
        int r = view ? 0 : lsr_input_seek(in, from);

        w->at = from;
        while (r == 0 && w->at < w->end) {
                const uint8_t *p = view ? view + (w->at - from) : NULL;
                ssize_t got = view ? (ssize_t)(w->end - w->at) : lsr_input_peek(in, need, &p);
                size_t n, used = 0;

                if (got < 0)
                        return (int)got;
                n = (uint64_t)got < w->end - w->at ? (size_t)got : (size_t)(w->end - w->at);
                if (n < need && need > LSR_ZIP_CENTRAL_BYTES)
                        return 2;
                if (n < need)
                        return n >= 4 && zip_is_behind(lsr_le32(p)) ? 0 : 1;
                while (r == 0 && n - used >= need) {
                        size_t length;

                        if (lsr_le32(p + used) != LSR_ZIP_CENTRAL)
                                return zip_is_behind(lsr_le32(p + used)) ? 0 : 1;
                        length = lsr_zip_central_length(p + used);
                        need = length;
                        if (n - used < length)
                                break;
                        r = w->visit(w, p + used, length);
                        need = LSR_ZIP_CENTRAL_BYTES;
                        used += length;
                        w->seen = w->at;
                        w->at += length;
                        w->entries++;
                }
                if (!view)
                        lsr_input_take(in, used);
        }
        return r;
}

/* The next signature of an entry from @from on.  0; 1: there is none; a negative errno. */
static int zip_search(struct lsr_zip_walk *w, uint64_t from, uint64_t *ret_at)
{
        uint8_t *buf = lsr_xmalloc(ZIP_SEARCH_BYTES);
        int r = 1;

        while (r == 1 && from < w->end) {
                size_t n = w->end - from < ZIP_SEARCH_BYTES ? (size_t)(w->end - from) : ZIP_SEARCH_BYTES;
                ssize_t got = lsr_input_read_at(w->scan->input, buf, n, from);
                const uint8_t *p = got < 4 ? NULL : memmem(buf, (size_t)got, "PK\1\2", 4);

                if (got < 0) {
                        r = (int)got;
                } else if (p) {
                        *ret_at = from + (uint64_t)(p - buf);
                        r = 0;
                } else if (got < 4 || (size_t)got < n) {
                        break;
                } else {
                        from += (uint64_t)got - 3;
                }
        }
        free(buf);
        return r;
}

/*
 * The entry at w->at claims more than there is up to @end.  What there is of it is visited, if its name is, without
 * its comment.  0 or a negative errno.
 */
static int zip_visit_clipped(struct lsr_zip_walk *w, uint64_t end)
{
        size_t n = end - w->at < ZIP_CENTRAL_MAX ? (size_t)(end - w->at) : ZIP_CENTRAL_MAX, extra;
        uint8_t *p = lsr_xmalloc(ZIP_CENTRAL_MAX);
        ssize_t got = lsr_input_read_at(w->scan->input, p, n, w->at);
        int r = got < 0 ? (int)got : 0;

        if (got >= LSR_ZIP_CENTRAL_BYTES && lsr_le32(p) == LSR_ZIP_CENTRAL &&
            LSR_ZIP_CENTRAL_BYTES + (size_t)lsr_le16(p + 28) <= (size_t)got) {
                extra = (size_t)got - LSR_ZIP_CENTRAL_BYTES - lsr_le16(p + 28);
                if (extra > lsr_le16(p + 30))
                        extra = lsr_le16(p + 30);
                lsr_put_le16(p + 30, (uint16_t)extra);
                lsr_put_le16(p + 32, 0);
                r = w->visit(w, p, lsr_zip_central_length(p));
                w->entries++;
        }
        free(p);
        return r;
}

/*
 * Visit the headers from w->begin on; from a damaged one go on with the next signature, which may be within what the
 * entry before it claims.  0; 1: broken or cut short at w->broken; a negative errno.
 */
static int zip_walk(struct lsr_zip_walk *w)
{
        uint64_t next = w->begin;
        int found = 0;

        w->broken = UINT64_MAX;
        for (unsigned places = 0; found == 0 && places < ZIP_PLACES_MAX; places++) {
                uint64_t before = w->entries;
                int r = zip_walk_from(w, next);
                bool claims = r == 2;

                if (r < 0 || (r == 0 && w->broken == UINT64_MAX))
                        return r;
                if (r == 0)
                        break;
                found = zip_search(w, w->entries > before && !claims ? w->seen + LSR_ZIP_CENTRAL_BYTES : w->at + 4,
                                   &next);
                if (found < 0)
                        return found;
                if (w->broken == UINT64_MAX)
                        w->broken = found == 0 && next < w->at ? w->seen : w->at;
                r = claims ? zip_visit_clipped(w, found == 0 ? next : w->end) : 0;
                if (r < 0)
                        return r;
        }
        return 1;
}

/* --- listing ----------------------------------------------------------------------- */

static bool zip_is_local(struct lsr_zip_walk *w, const struct lsr_zip_entry *e, uint64_t at)
{
        return lsr_zip_is_local(w->scan->input, &w->window, e, at);
}

/*
 * Bytes were added before the directory, or taken away: the local header of the entry is where it says, or that many
 * bytes further, or it is one of the next that were found.
 */
static void zip_settle(struct lsr_zip_walk *w, struct lsr_zip_entry *e)
{
        size_t from = w->next_position, tried = w->unsettled < ZIP_UNSETTLED_MAX ? ZIP_POSITIONS_TRIED : 1;

        if ((!w->shift && !w->n_positions) || zip_is_local(w, e, w->base + e->offset))
                return;
        if (w->shift && zip_is_local(w, e, w->base + e->offset + (uint64_t)w->shift)) {
                e->offset += (uint64_t)w->shift;
                return;
        }
        for (size_t i = from; i < w->n_positions && i < from + tried; i++) {
                if (w->positions[i] < w->base || !zip_is_local(w, e, w->positions[i]))
                        continue;
                e->offset = w->positions[i] - w->base;
                w->next_position = i + 1;
                return;
        }
        w->unsettled++;
}

/*
 * What an entry claims: its local header, whose name and extra fields may differ in length from those here, and
 * its data.
 */
static void zip_span(const struct lsr_zip_walk *w, const struct lsr_zip_entry *e, struct lsr_zip_span *ret_span)
{
        struct lsr_zip_span *s = ret_span;

        s->entry = w->entries;
        if (__builtin_add_overflow(e->offset, w->base, &s->begin) ||
            __builtin_add_overflow(s->begin, LSR_ZIP_LOCAL_BYTES + e->packed, &s->end) ||
            e->packed > UINT64_MAX - LSR_ZIP_LOCAL_BYTES)
                *s = (struct lsr_zip_span){ UINT64_MAX, UINT64_MAX, w->entries, false };
}

/* What is stored as it is has one size: if there are two, one of them is damaged. */
static bool zip_is_odd(unsigned method, unsigned flags, uint64_t packed, uint64_t size)
{
        return method == LSR_ZIP_STORE && !(flags & LSR_ZIP_ENCRYPTED) && packed != size;
}

/* An entry whose packed size is damaged may claim too much, or another part.  One that is right stays as it is. */
static void zip_settle_claim(struct lsr_zip_walk *w, struct lsr_zip_entry *e)
{
        bool odd = zip_is_odd(e->method, e->flags, e->packed, e->size);
        struct lsr_zip_span span;
        uint64_t packed, size;

        zip_span(w, e, &span);
        if (e->disk != 0 && zip_is_local(w, e, span.begin)) {
                e->disk = 0;
                w->settled++;
        }
        if (e->incomplete ? e->size == UINT32_MAX || e->offset == UINT32_MAX
                          : !odd && !w->suspects && span.end <= w->begin)
                return;
        if (!lsr_zip_local_sizes(w->scan->input, &w->window, e, span.begin, &packed, &size) ||
            (odd ? packed != size : size != e->size || packed >= e->packed))
                return;
        e->packed = packed;
        e->size = size;
        e->incomplete = false;
        w->settled++;
}

/* 0; 1: it has no name; a negative errno, said. */
static int zip_put(struct lsr_zip_walk *w)
{
        int r = lsr_builder_add(w->scan->builder, &w->member);

        if (r < 0)
                lsr_scan_trouble(w->scan, r, "there are more members than can be listed");
        return r;
}

static int zip_add_link(struct lsr_zip_walk *w)
{
        char target[LSR_ZIP_LINK_MAX];
        ssize_t n = -E2BIG;

        w->has_links = true;
        if (w->links++ < lsr_limit(LSR_LIMIT_ZIP_LINKS))
                n = lsr_zip_target(w->scan->input, &w->member, &w->window, target);
        else if (w->links == lsr_limit(LSR_LIMIT_ZIP_LINKS) + 1)
                lsr_scan_trouble(w->scan, 0, "targets of symbolic links are shown for the first %s only%s",
                                 lsr_grouped(lsr_limit(LSR_LIMIT_ZIP_LINKS)), lsr_limit_raised(LSR_LIMIT_ZIP_LINKS));
        if (n >= 0) {
                w->member.target = target;
                w->member.target_len = (size_t)n;
        }
        return zip_put(w);
}

/* A directory with such a name would stand for the root. */
static int zip_add(struct lsr_zip_walk *w)
{
        if (!w->member.path_len || !*w->member.path)
                return 1;
        return S_ISLNK(w->member.meta.mode) ? zip_add_link(w) : zip_put(w);
}

/* The name of the entry is empty, or leads nowhere: that of its local header may lead somewhere. */
static int zip_add_nameless(struct lsr_zip_walk *w)
{
        uint8_t local[LSR_ZIP_LOCAL_BYTES + PATH_MAX];
        ssize_t got = lsr_input_read_at(w->scan->input, local, sizeof(local), w->member.position);
        unsigned suspect = w->member.flags & LSR_MEMBER_SUSPECT;
        struct lsr_zip_entry *e = &w->entry;
        int r = 1;

        if (got >= LSR_ZIP_LOCAL_BYTES && lsr_le32(local) == LSR_ZIP_LOCAL &&
            lsr_le16(local + 26) <= got - LSR_ZIP_LOCAL_BYTES) {
                e->name = local + LSR_ZIP_LOCAL_BYTES;
                e->name_len = lsr_le16(local + 26);
                lsr_zip_member(&w->name, w->method, e, w->base, &w->member);
                w->member.flags |= suspect;
                r = zip_add(w);
        }
        if (r < 0)
                return r;
        if (r == 0)
                lsr_scan_trouble(w->scan, -EBADMSG, "the entry at byte %s has no name, its local header has '%.*s'",
                                 lsr_grouped(w->at), (int)w->member.path_len, w->member.path);
        else
                lsr_scan_trouble(w->scan, -EBADMSG, "the entry at byte %s has no name", lsr_grouped(w->at));
        return 0;
}

static bool zip_is_suspect(const struct lsr_zip_walk *w)
{
        return w->suspects && w->suspects[w->entries / 8] >> w->entries % 8 & 1;
}

/* What the entry lays claim to is taken.  Returns whether that is suspect. */
static bool zip_claim(struct lsr_zip_walk *w, const struct lsr_zip_entry *e)
{
        struct lsr_zip_span span;

        zip_span(w, e, &span);
        if (span.begin < w->covered)
                w->disorder = true;
        if (span.end > w->covered)
                w->covered = span.end;
        /* No member reaches into the directory. */
        return span.end > w->begin || zip_is_suspect(w);
}

/* An entry that is not wanted, as is told without all of it.  Nothing that would be complained about is passed over. */
static bool zip_pass(struct lsr_zip_walk *w, const uint8_t *p)
{
        struct lsr_zip_entry *e = &w->entry;

        e->packed = lsr_le32(p + 20);
        e->offset = lsr_le32(p + 42);
        if (w->suspects || e->offset + (uint64_t)e->packed + w->base + LSR_ZIP_LOCAL_BYTES > w->begin)
                return false;
        if (e->packed == UINT32_MAX || e->offset == UINT32_MAX || lsr_le32(p + 24) == UINT32_MAX)
                return false;
        if (w->shift || w->recovering || zip_is_odd(lsr_le16(p + 10), lsr_le16(p + 8), e->packed, lsr_le32(p + 24)))
                return false;
        zip_claim(w, e);
        return true;
}

static int zip_list_entry(struct lsr_zip_walk *w, const uint8_t *p, size_t n)
{
        bool stands = w->ways && lsr_zip_name_stands(p), wanted = true;
        struct lsr_zip_entry *e = &w->entry;
        int r;

        if (stands)
                wanted = lsr_ways_want(w->ways, (const char *)p + LSR_ZIP_CENTRAL_BYTES, lsr_le16(p + 28),
                                       lsr_zip_may_be_dir(p));
        if (!wanted && zip_pass(w, p))
                return 0;
        lsr_zip_central(p, e);
        zip_settle(w, e);
        zip_settle_claim(w, e);
        w->name.encoding = w->scan->encoding;
        lsr_zip_member(&w->name, w->method, e, w->base, &w->member);
        /* What was recovered is not replaced by what leads nowhere. */
        if (w->recovering && (w->member.flags & LSR_MEMBER_SUSPECT || !zip_is_local(w, NULL, w->member.position))) {
                w->lost++;
                return 0;
        }
        if (e->incomplete)
                lsr_scan_trouble(w->scan, -EBADMSG, "the entry at byte %s lacks its 64-bit sizes", lsr_grouped(w->at));
        if (zip_claim(w, e))
                w->member.flags |= LSR_MEMBER_SUSPECT;
        if (w->ways && !stands)
                wanted = lsr_ways_want(w->ways, w->member.path, w->member.path_len, S_ISDIR(w->member.meta.mode));
        if (!wanted)
                return 0;
        r = zip_add(w);
        return r > 0 ? zip_add_nameless(w) : r;
}

int lsr_zip_walk_list(struct lsr_zip_walk *w)
{
        int r;

        if (w->ways)
                lsr_ways_again(w->ways);
        w->visit = zip_list_entry;
        w->entries = w->covered = 0;
        w->links = w->settled = w->lost = 0;
        w->next_position = 0;
        w->unsettled = 0;
        w->disorder = false;
        r = zip_walk(w);
        free(w->name.text);
        w->name = (struct lsr_zip_text){};
        return r;
}

/* --- overlaps ------------------------------------------------------------------------ */

/* A first time all of them; a second time those that overlap, stay before the directory and have a local header. */
static int zip_collect_entry(struct lsr_zip_walk *w, const uint8_t *p, size_t n)
{
        struct lsr_zip_entry *e = &w->entry;
        struct lsr_zip_span *s;

        if (w->suspects && !zip_is_suspect(w))
                return 0;
        lsr_zip_central(p, e);
        zip_settle(w, e);
        zip_settle_claim(w, e);
        if (w->spans_n == w->spans_cap) {
                w->spans_cap = w->spans_cap ? 2 * w->spans_cap : 1024;
                w->spans = lsr_xrealloc(w->spans, w->spans_cap * sizeof(*w->spans));
        }
        s = &w->spans[w->spans_n];
        zip_span(w, e, s);
        if (w->suspects) {
                s->named = zip_is_local(w, e, s->begin);
                if (s->end > w->begin || (!s->named && !zip_is_local(w, NULL, s->begin)))
                        return 0;
        }
        w->spans_n++;
        return 0;
}

static int zip_collect(struct lsr_zip_walk *w)
{
        w->visit = zip_collect_entry;
        w->entries = w->next_position = w->unsettled = 0;
        w->spans_n = 0;
        return zip_walk(w);
}

static int zip_compare_begins(const void *a, const void *b, void *ctx)
{
        const struct lsr_zip_span *x = a, *y = b;

        return x->begin != y->begin ? (x->begin < y->begin ? -1 : 1) : (x->end > y->end) - (x->end < y->end);
}

/*
 * From the last one on; of those that begin together first the one whose name is there, then the shortest, and of the
 * same the last, which is listed.
 */
static int zip_compare_back(const void *a, const void *b, void *ctx)
{
        const struct lsr_zip_span *x = a, *y = b;

        if (x->begin != y->begin)
                return x->begin > y->begin ? -1 : 1;
        if (x->named != y->named)
                return x->named ? -1 : 1;
        if (x->end != y->end)
                return x->end < y->end ? -1 : 1;
        return (x->entry < y->entry) - (x->entry > y->entry);
}

static void zip_suspect(struct lsr_zip_walk *w, const struct lsr_zip_span *s)
{
        w->suspects[s->entry / 8] |= (uint8_t)(1 << s->entry % 8);
}

/* Mark all that overlap.  Returns whether there are any. */
static bool zip_mark(struct lsr_zip_walk *w)
{
        const struct lsr_zip_span *furthest = w->spans;
        bool any = false;

        lsr_merge_sort(w->spans, w->spans_n, sizeof(*w->spans), zip_compare_begins, NULL);
        for (size_t i = 1; i < w->spans_n; i++) {
                const struct lsr_zip_span *s = &w->spans[i];

                /* It overlaps one before it just if it overlaps the one that reaches furthest. */
                if (s->begin < furthest->end) {
                        zip_suspect(w, s);
                        zip_suspect(w, furthest);
                        any = true;
                }
                if (s->end > furthest->end)
                        furthest = s;
        }
        return any;
}

/*
 * An entry that is damaged may claim what belongs to others, which are as good as before: where a local header is, no
 * member before it goes on.  So they are cleared from the last one on, unless they reach into one that is cleared.
 */
static void zip_clear(struct lsr_zip_walk *w)
{
        uint64_t begin = UINT64_MAX;

        lsr_merge_sort(w->spans, w->spans_n, sizeof(*w->spans), zip_compare_back, NULL);
        for (size_t i = 0; i < w->spans_n; i++) {
                const struct lsr_zip_span *s = &w->spans[i];

                if (s->end > begin)
                        continue;
                begin = s->begin;
                w->suspects[s->entry / 8] &= (uint8_t) ~(1 << s->entry % 8);
        }
}

/* Find what overlaps.  0: nothing does; 1: w->suspects, to be freed, is set; a negative errno. */
static int zip_untangle(struct lsr_zip_walk *w)
{
        int r = zip_collect(w);

        if (r < 0)
                return r;
        w->suspects = lsr_xmalloc((size_t)w->entries / 8 + 1);
        memset(w->suspects, 0, (size_t)w->entries / 8 + 1);
        if (zip_mark(w)) {
                r = zip_collect(w);
                if (r >= 0)
                        zip_clear(w);
                r = r < 0 ? r : 1;
        } else {
                r = 0;
        }
        if (r <= 0) {
                free(w->suspects);
                w->suspects = NULL;
        }
        free(w->spans);
        w->spans = NULL;
        w->spans_cap = 0;
        return r;
}

static int zip_list_untangled(struct lsr_zip_walk *w)
{
        int r;

        lsr_scan_trouble(w->scan, 0, "some members share bytes with others");
        r = lsr_zip_walk_list(w);
        free(w->suspects);
        w->suspects = NULL;
        return r;
}

int lsr_zip_walk_list_sound(struct lsr_zip_walk *w)
{
        int r = zip_untangle(w);

        if (r < 0)
                return r;
        return r > 0 ? zip_list_untangled(w) : lsr_zip_walk_list(w);
}

/* --- the driver ------------------------------------------------------------------------ */

/* @ways: these alone, unless there are symbolic links among them and @links; NULL: all. */
static int zip_members(struct lsr_scan *scan, const struct lsr_zip_end *end, struct lsr_ways *ways, bool links)
{
        struct lsr_zip_walk w = {
                .scan = scan,
                .base = end->base,
                .shift = end->shift,
                .begin = end->directory,
                .end = end->end,
                .ways = ways,
        };
        int r = lsr_zip_walk_list(&w);

        /* Where those lead may be anywhere. */
        if (r >= 0 && links && w.has_links) {
                w.ways = NULL;
                r = lsr_builder_reset(scan->builder);
                if (r == 0)
                        r = lsr_zip_walk_list(&w);
        }
        if (r > 0) {
                r = lsr_builder_reset(scan->builder);
                return r < 0 ? r : lsr_zip_recover(scan, end, w.broken);
        }
        if (r == 0 && w.disorder)
                r = zip_untangle(&w);
        if (r > 0) {
                r = lsr_builder_reset(scan->builder);
                if (r == 0)
                        r = zip_list_untangled(&w);
                free(w.suspects);
        }
        scan->some = w.ways;
        if (r < 0)
                return r;
        if (w.settled)
                lsr_scan_trouble(scan, -EBADMSG, "the central directory is damaged: %s",
                                 w.settled == 1 ? "a member has other sizes in its local header"
                                                : "members have other sizes in their local headers");
        if (end->shift)
                lsr_scan_trouble(scan, -EBADMSG, "%s bytes %s before the central directory",
                                 lsr_grouped((uint64_t)(end->shift < 0 ? -end->shift : end->shift)),
                                 end->shift < 0 ? "are missing" : "were added");
        if (end->wrapped ? (w.entries & UINT16_MAX) != end->entries : w.entries != end->entries)
                lsr_scan_trouble(scan, -EBADMSG, "the end record announces %s members, the central directory has %s",
                                 lsr_grouped(end->entries), lsr_grouped(w.entries));
        return 0;
}

static int zip_answer(struct lsr_scan *scan, struct lsr_ways *ways, bool links)
{
        struct lsr_zip_end end;
        int r;

        if (!lsr_input_random(scan->input))
                return -ESPIPE;
        r = lsr_zip_end_find(scan, &end);
        if (r < 0)
                return r;
        return r ? lsr_zip_recover(scan, NULL, 0) : zip_members(scan, &end, ways, links);
}

static int zip_scan(struct lsr_scan *scan)
{
        return zip_answer(scan, NULL, false);
}

/* The directory is read in any case, but only what is wanted of it is listed. */
static int zip_list(struct lsr_scan *scan, const struct lsr_wanted *wanted)
{
        struct lsr_ways ways;
        int r;

        if (wanted->numbers || !lsr_ways_begin(&ways, wanted->paths, wanted->n, !wanted->content))
                return 1;
        r = zip_answer(scan, &ways, wanted->links);
        lsr_ways_end(&ways);
        return r;
}

static int zip_read_one(void *ctx, const struct lsr_member *m, const struct lsr_sink *sink)
{
        return lsr_zip_read(ctx, m, sink);
}

/* Members that lie one behind the other come out of the same reads. */
static int zip_read_many(struct lsr_scan *scan, const struct lsr_many *many)
{
        return lsr_many_each(many, scan, zip_read_one);
}

/* The local header may have other extra fields than the directory. */
static bool zip_range(struct lsr_scan *scan, const struct lsr_member *m, struct lsr_input_range *ret_range)
{
        *ret_range = (struct lsr_input_range){ m->position,
                                               LSR_ZIP_LOCAL_BYTES + m->path_len + ZIP_EXTRA_USUAL + m->packed };
        return m->packed < INT64_MAX;
}

static bool zip_probe(const struct lsr_probe *p)
{
        uint32_t first;

        if (p->head_len >= 8) {
                first = lsr_le32(p->head);
                if (first == LSR_ZIP_LOCAL || first == LSR_ZIP_END)
                        return true;
                if ((first == LSR_ZIP_DESCRIPTOR || first == LSR_ZIP_ONE_PART) &&
                    lsr_le32(p->head + 4) == LSR_ZIP_LOCAL)
                        return true;
        }
        return p->tail_len && lsr_zip_end_probe(p);
}

static const char *const zip_suffixes[] = {
        ".zip",  ".jar",  ".war",  ".ear", ".aar", ".apk", ".ipa",  ".whl", ".egg", ".xpi", ".crx",  ".vsix", ".nupkg",
        ".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".epub", ".cbz", ".kmz", ".pyz", ".zipx", NULL,
};

const struct lsr_format lsr_format_zip = {
        .name = "zip",
        .suffixes = zip_suffixes,
        .offsets = true,
        .needs_random = true,
        .from_end = true,
        .probe = zip_probe,
        .scan = zip_scan,
        .list = zip_list,
        .read = lsr_zip_read,
        .read_many = zip_read_many,
        .extent = lsr_zip_extent,
        .range = zip_range,
};
