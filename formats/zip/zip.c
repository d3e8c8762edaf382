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
 * sorts them; and only if some of them do overlap, the list is made anew with those
 * entries marked.
 *
 * Rejected: trusting the number of entries (it is modulo 65,536), reading local
 * headers (a seek for each member, and the directory is what counts).
 */
#include "formats/zip/zip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/merge.h"
#include "formats/drivers.h"

#define ZIP_EXTRA_USUAL 128u /* bytes of extra fields in a local header, more than most have */

/* --- a walk ---------------------------------------------------------------------- */

/* Whether @signature is that of something that may follow the last entry. */
static bool zip_is_behind(uint32_t signature)
{
        return signature == LSR_ZIP_SIGNATURE || signature == LSR_ZIP_END64 || signature == LSR_ZIP_LOCATOR64 ||
               signature == LSR_ZIP_END;
}

/* Visit the headers from w->begin on.  0; 1: broken or cut short at w->at; a negative errno. */
static int zip_walk(struct lsr_zip_walk *w)
{
        struct lsr_input *in = w->scan->input;
        /* All of it is wanted: what is cached need not be copied. */
        const uint8_t *view = lsr_input_view(in, w->begin, w->end - w->begin);
        size_t need = LSR_ZIP_CENTRAL_BYTES;
        int r = view ? 0 : lsr_input_seek(in, w->begin);

        w->at = w->begin;
        while (r == 0 && w->at < w->end) {
                const uint8_t *p = view ? view + (w->at - w->begin) : NULL;
                ssize_t got = view ? (ssize_t)(w->end - w->at) : lsr_input_peek(in, need, &p);
                size_t n, used = 0;

                if (got < 0)
                        return (int)got;
                n = (uint64_t)got < w->end - w->at ? (size_t)got : (size_t)(w->end - w->at);
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
                        w->at += length;
                        w->entries++;
                }
                if (!view)
                        lsr_input_take(in, used);
        }
        return r;
}

/* --- listing ----------------------------------------------------------------------- */

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
                *s = (struct lsr_zip_span){ .begin = UINT64_MAX, .end = UINT64_MAX, .entry = w->entries };
}

static int zip_add(struct lsr_zip_walk *w)
{
        int r = lsr_builder_add(w->scan->builder, &w->member);

        if (r < 0)
                lsr_scan_trouble(w->scan, r, "there are more members than can be listed");
        return r < 0 ? r : 0;
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
        return zip_add(w);
}

/* What the entry lays claim to is taken.  Returns whether that is suspect. */
static bool zip_claim(struct lsr_zip_walk *w, const struct lsr_zip_entry *e)
{
        struct lsr_zip_span span;
        bool suspect = false;

        zip_span(w, e, &span);
        if (span.begin < w->covered) {
                w->disorder = true;
                suspect = w->recovering;
        }
        if (span.end > w->covered)
                w->covered = span.end;
        /* No member reaches into the directory. */
        return suspect || span.end > w->begin || (w->suspects && w->suspects[w->entries / 8] >> w->entries % 8 & 1);
}

/* An entry that is not wanted, as is told without all of it.  Nothing that would be complained about is passed over. */
static bool zip_pass(struct lsr_zip_walk *w, const uint8_t *p)
{
        struct lsr_zip_entry *e = &w->entry;

        e->packed = lsr_le32(p + 20);
        e->offset = lsr_le32(p + 42);
        if (e->packed == UINT32_MAX || e->offset == UINT32_MAX || lsr_le32(p + 24) == UINT32_MAX)
                return false;
        zip_claim(w, e);
        return true;
}

static int zip_list_entry(struct lsr_zip_walk *w, const uint8_t *p, size_t n)
{
        bool stands = w->ways && lsr_zip_name_stands(p), wanted = true;
        struct lsr_zip_entry *e = &w->entry;

        if (stands)
                wanted = lsr_ways_want(w->ways, (const char *)p + LSR_ZIP_CENTRAL_BYTES, lsr_le16(p + 28),
                                       lsr_zip_may_be_dir(p));
        if (!wanted && zip_pass(w, p))
                return 0;
        lsr_zip_central(p, e);
        w->name.encoding = w->scan->encoding;
        lsr_zip_member(&w->name, w->method, e, w->base, &w->member);
        if (e->incomplete)
                lsr_scan_trouble(w->scan, -EBADMSG, "the entry at byte %s lacks its 64-bit sizes", lsr_grouped(w->at));
        if (zip_claim(w, e))
                w->member.flags |= LSR_MEMBER_SUSPECT;
        if (w->ways && !stands)
                wanted = lsr_ways_want(w->ways, w->member.path, w->member.path_len, S_ISDIR(w->member.meta.mode));
        if (!wanted)
                return 0;
        return S_ISLNK(w->member.meta.mode) ? zip_add_link(w) : zip_add(w);
}

int lsr_zip_walk_list(struct lsr_zip_walk *w)
{
        int r;

        if (w->ways)
                lsr_ways_again(w->ways);
        w->visit = zip_list_entry;
        w->entries = w->covered = 0;
        w->links = 0;
        w->disorder = false;
        r = zip_walk(w);
        free(w->name.text);
        w->name = (struct lsr_zip_text){};
        return r;
}

/* --- overlaps ------------------------------------------------------------------------ */

static int zip_collect_entry(struct lsr_zip_walk *w, const uint8_t *p, size_t n)
{
        lsr_zip_central(p, &w->entry);
        if (w->entries == w->spans_cap) {
                w->spans_cap = w->spans_cap ? 2 * w->spans_cap : 1024;
                w->spans = lsr_xrealloc(w->spans, w->spans_cap * sizeof(*w->spans));
        }
        zip_span(w, &w->entry, &w->spans[w->entries]);
        return 0;
}

static int zip_compare_spans(const void *a, const void *b, void *ctx)
{
        const struct lsr_zip_span *x = a, *y = b;

        return x->begin != y->begin ? (x->begin < y->begin ? -1 : 1) : (x->end > y->end) - (x->end < y->end);
}

static void zip_suspect(struct lsr_zip_walk *w, const struct lsr_zip_span *s)
{
        w->suspects[s->entry / 8] |= (uint8_t)(1 << s->entry % 8);
}

/* Mark all that overlap.  Returns whether there are any. */
static bool zip_mark(struct lsr_zip_walk *w, uint64_t entries)
{
        const struct lsr_zip_span *furthest = w->spans;
        bool any = false;

        lsr_merge_sort(w->spans, (size_t)entries, sizeof(*w->spans), zip_compare_spans, NULL);
        for (uint64_t i = 1; i < entries; i++) {
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

/* Entries are not in order.  Find overlaps, and if there are some, list all again.  As zip_walk(). */
static int zip_untangle(struct lsr_zip_walk *w, int listed)
{
        uint64_t entries = w->entries;
        int r;

        w->visit = zip_collect_entry;
        w->entries = 0;
        r = zip_walk(w);
        if (r < 0)
                return r;
        entries = w->entries < entries ? w->entries : entries;
        w->suspects = lsr_xmalloc((size_t)entries / 8 + 1);
        memset(w->suspects, 0, (size_t)entries / 8 + 1);
        if (zip_mark(w, entries)) {
                r = lsr_builder_reset(w->scan->builder);
                if (r == 0) {
                        lsr_scan_trouble(w->scan, 0, "some members share bytes with others");
                        listed = lsr_zip_walk_list(w);
                } else {
                        listed = r;
                }
        }
        free(w->suspects);
        free(w->spans);
        w->suspects = NULL;
        w->spans = NULL;
        return listed;
}

/* --- the driver ------------------------------------------------------------------------ */

/* @ways: these alone, unless there are symbolic links among them and @links; NULL: all. */
static int zip_members(struct lsr_scan *scan, const struct lsr_zip_end *end, struct lsr_ways *ways, bool links)
{
        struct lsr_zip_walk w = {
                .scan = scan, .base = end->base, .begin = end->directory, .end = end->end, .ways = ways
        };
        int r = lsr_zip_walk_list(&w);

        /* Where those lead may be anywhere. */
        if (r >= 0 && links && w.has_links) {
                w.ways = NULL;
                r = lsr_builder_reset(scan->builder);
                if (r == 0)
                        r = lsr_zip_walk_list(&w);
        }
        if (r >= 0 && w.disorder)
                r = zip_untangle(&w, r);
        scan->some = w.ways;
        if (r < 0)
                return r;
        if (r > 0)
                lsr_scan_trouble(scan, -EBADMSG, "the central directory is damaged at byte %s", lsr_grouped(w.at));
        else if (end->wrapped ? (w.entries & UINT16_MAX) != end->entries : w.entries != end->entries)
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
        return r ? lsr_zip_recover(scan) : zip_members(scan, &end, ways, links);
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
