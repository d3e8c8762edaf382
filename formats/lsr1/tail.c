/*
 * tail - the locator and the seek table at the end of the file
 *
 * Locator, seek table and table of contents are redundant on purpose: each
 * number is stored twice, so damage is noticed.  Every error has the same
 * consequence: the table of contents is ignored, and the tar is read like any
 * other.  So there are no error codes here, only messages.
 *
 * The seek table becomes an array of the offsets of frames: its sums are
 * needed anyway, and finding a frame is then a binary search.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "formats/filter/crc.h"
#include "formats/drivers.h"
#include "formats/lsr1/lsr1.h"

#define TAIL_ZSTD_MAGIC UINT32_C(0xfd2fb528)
#define TAIL_LOST_MAX ((size_t)1 << 20) /* bytes from the end in which the remains of an index are looked for */
#define TAIL_ENTRIES_MIN 3u             /* E, T and L */

static const uint8_t tail_word[8] = "LSRTOC\r\n";

/* --- the parts -------------------------------------------------------------------- */

/* Bytes of an entry of the seek table, by its footer. */
static uint32_t tail_entry(const uint8_t *footer)
{
        return footer[4] & LSR1_SUMS ? LSR1_SUMMED : LSR1_ENTRY;
}

static uint64_t tail_table_size(uint32_t entries, const uint8_t *footer)
{
        return LSR1_SKIPPABLE + (uint64_t)entries * tail_entry(footer) + LSR1_FOOTER;
}

/* How many entries the seek table has that ends with @footer; 0: it is none. */
static uint32_t tail_entries(const uint8_t *footer, uint64_t size)
{
        uint32_t n = lsr_le32(footer);

        if (footer[4] & LSR1_RESERVED || lsr_le32(footer + 5) != LSR1_FOOTER_MAGIC || n < TAIL_ENTRIES_MIN ||
            n > LSR1_FRAMES_MAX || tail_table_size(n, footer) + LSR1_LOCATOR > size)
                return 0;
        return n;
}

static uint32_t tail_packed(const uint8_t *entry)
{
        return lsr_le32(entry);
}

static uint32_t tail_raw(const uint8_t *entry)
{
        return lsr_le32(entry + 4);
}

/* The last three entries, which are before @footer: E, T and L. */
static bool tail_entries_fit(const uint8_t *footer)
{
        const uint8_t *l = footer - tail_entry(footer), *t = l - tail_entry(footer), *e = t - tail_entry(footer);

        if (tail_entry(footer) == LSR1_SUMMED &&
            (lsr_le32(t + LSR1_ENTRY) != LSR1_NOTHING || lsr_le32(l + LSR1_ENTRY) != LSR1_NOTHING))
                return false;
        return tail_raw(e) == LSR1_END && tail_raw(t) == 0 && tail_packed(t) > LSR1_SKIPPABLE && tail_raw(l) == 0 &&
               tail_packed(l) == LSR1_LOCATOR;
}

static const char *tail_locator(const uint8_t *p, struct lsr1 *l)
{
        if (lsr_le32(p) != LSR1_MAGIC || lsr_le32(p + 4) != LSR1_LOCATOR - LSR1_SKIPPABLE ||
            memcmp(p + 8, tail_word, sizeof(tail_word)) != 0)
                return "there is no locator";
        if (lsr_le32(p + 60) != lsr_crc32(0, p, 60))
                return "its locator is damaged";
        if (lsr_le16(p + 16) != LSR1_MAJOR || lsr_le32(p + 20) != 0)
                return "it has a newer version";
        l->toc_at = lsr_le64(p + 24);
        l->toc_clen = lsr_le64(p + 32);
        l->toc_rlen = lsr_le64(p + 40);
        l->tar_length = lsr_le64(p + 48);
        l->rows = lsr_le32(p + 56);
        return NULL;
}

/* @whole: the locator is in sight and where it says, so that nothing lies before the bundle. */
static bool tail_probe(const struct lsr_probe *p, bool whole)
{
        const uint8_t *footer;
        uint64_t locator;
        struct lsr1 l;
        uint32_t n;

        if (p->tail_len < LSR1_FOOTER)
                return false;
        footer = p->tail + p->tail_len - LSR1_FOOTER;
        n = tail_entries(footer, p->size);
        if (n == 0 || p->tail_len < tail_table_size(TAIL_ENTRIES_MIN, footer) || !tail_entries_fit(footer))
                return false;
        /* Before a large seek table it is out of sight, and the entries have to do. */
        if (tail_table_size(n, footer) + LSR1_LOCATOR > p->tail_len)
                return !whole;
        locator = p->tail_len - tail_table_size(n, footer) - LSR1_LOCATOR;
        return !tail_locator(p->tail + locator, &l) &&
               (!whole || l.toc_at + LSR1_SKIPPABLE + l.toc_clen == p->size - p->tail_len + locator);
}

bool lsr1_probe(const struct lsr_probe *p)
{
        return p->head_len >= 4 && lsr_le32(p->head) == TAIL_ZSTD_MAGIC && tail_probe(p, false);
}

bool lsr1_probe_damaged(const struct lsr_probe *p)
{
        return p->head_len >= 4 && tail_probe(p, true);
}

/* Whole, of whatever version. */
static bool tail_locator_whole(const uint8_t *p)
{
        return memcmp(p + 8, tail_word, sizeof(tail_word)) == 0 && lsr_le32(p + 60) == lsr_crc32(0, p, 60);
}

static bool tail_is_lost(const uint8_t *tail, size_t n, uint64_t at)
{
        const uint8_t *footer = tail + n - LSR1_FOOTER;
        uint32_t entries = n < LSR1_FOOTER ? 0 : tail_entries(footer, at + n);
        size_t table = entries ? tail_table_size(entries, footer) : 0;
        struct lsr1 l;

        if (table && table + LSR1_LOCATOR <= n && tail_entries_fit(footer))
                return !tail_locator_whole(tail + n - table - LSR1_LOCATOR);
        /*
         * A locator that is where it says, and no seek table behind it: one of a bundle that is a member is
         * elsewhere.
         */
        for (size_t i = 0; i + LSR1_LOCATOR <= n; i++)
                if (lsr_le32(tail + i) == LSR1_MAGIC && !tail_locator(tail + i, &l) &&
                    l.toc_at + LSR1_SKIPPABLE + l.toc_clen == at + i)
                        return true;
        return false;
}

bool lsr_lsr1_is_lost(struct lsr_input *in)
{
        size_t n = in->size < TAIL_LOST_MAX ? (size_t)in->size : TAIL_LOST_MAX;
        uint8_t *tail = lsr_xmalloc(n + 1);
        bool lost = lsr_input_read_at(in, tail, n, in->size - n) == (ssize_t)n && tail_is_lost(tail, n, in->size - n);

        free(tail);
        return lost;
}

/* --- all of it -------------------------------------------------------------------- */

/* Frames from the @entries, each of @size bytes, of the seek table at @table; l is otherwise complete. */
static const char *tail_frames(struct lsr1 *l, const uint8_t *table, uint32_t entries, uint32_t size)
{
        const uint8_t *entry = table + LSR1_SKIPPABLE;
        uint64_t at = 0, raw = 0;

        l->n = entries - 2;
        l->crc = lsr_crc32(0, entry, (size_t)l->n * size);
        l->frames = lsr_xmalloc(((size_t)l->n + 1) * sizeof(*l->frames));
        if (size == LSR1_SUMMED)
                l->sums = lsr_xmalloc((size_t)l->n * sizeof(*l->sums));
        for (uint32_t i = 0; i < l->n; i++, entry += size) {
                if (l->sums)
                        l->sums[i] = lsr_le32(entry + LSR1_ENTRY);
                l->frames[i] = (struct lsr1_frame){ at, raw };
                at += tail_packed(entry);
                raw += tail_raw(entry);
        }
        l->frames[l->n] = (struct lsr1_frame){ at, raw };
        if (raw != l->tar_length || at != l->toc_at - LSR1_SKIPPABLE ||
            tail_packed(entry) != l->toc_clen + LSR1_SKIPPABLE)
                return "seek table and locator disagree";
        return NULL;
}

static const char *tail_parse(struct lsr1 *l, struct lsr_input *in)
{
        uint64_t n = in->size < LSR1_TAIL ? in->size : LSR1_TAIL, need, locator_at;
        const uint8_t *tail, *footer, *table;
        const char *why;
        uint32_t entries;

        if (!lsr_input_random(in) || n < LSR1_FOOTER)
                return "there is none";
        if (lsr_input_keep_end(in, n, &tail) != (ssize_t)n)
                return "it cannot be read";
        footer = tail + n - LSR1_FOOTER;
        entries = tail_entries(footer, in->size);
        if (entries == 0)
                return "there is no seek table";
        need = tail_table_size(entries, footer) + LSR1_LOCATOR;
        if (need > n) {
                if (lsr_input_keep_end(in, need, &tail) != (ssize_t)need)
                        return "it cannot be read";
                n = need;
                footer = tail + n - LSR1_FOOTER;
        }
        table = tail + n - need + LSR1_LOCATOR;
        if (lsr_le32(table) != LSR1_TABLE_MAGIC || lsr_le32(table + 4) != need - LSR1_LOCATOR - LSR1_SKIPPABLE ||
            !tail_entries_fit(footer))
                return "the seek table is damaged";
        why = tail_locator(table - LSR1_LOCATOR, l);
        if (why)
                return why;
        locator_at = in->size - need;
        if (l->toc_clen > locator_at || l->toc_at > locator_at ||
            l->toc_at + LSR1_SKIPPABLE + l->toc_clen != locator_at)
                return "the locator leads elsewhere";
        l->toc_at += LSR1_SKIPPABLE;
        return tail_frames(l, table, entries, tail_entry(footer));
}

const char *lsr1_open(struct lsr1 *ret, struct lsr_input *in)
{
        struct lsr1 l = {};
        const char *why = tail_parse(&l, in);

        if (why)
                lsr1_close(&l);
        *ret = l;
        return why;
}

void lsr1_close(struct lsr1 *l)
{
        free(l->frames);
        free(l->sums);
        *l = (struct lsr1){};
}
