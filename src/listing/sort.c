/*
 * sort - by 64-bit keys, and by comparison only where they are equal
 *
 * Comparing two names through pointers costs two cache misses, thirteen times
 * for each of ten thousand names.  So every order is reduced to a 64-bit key
 * whose unsigned order is right wherever two keys differ.  Keys are sorted byte
 * by byte (LSD radix sort, stable; bytes that all keys share are skipped), and
 * runs of equal keys by a merge sort with the full comparison.
 *
 * The key of a text is the eight bytes behind the prefix that all texts share:
 * in a directory of file-00001, file-00002 ... the shared part would fill it
 * otherwise.  The text is the name, or its strxfrm in locales that do not sort
 * by bytes.
 */
#include "listing/sort.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"

#define SORT_RUN 12

#define SORT_RADIX_MIN 64 /* below, counting bytes costs more than comparing */

struct sort_item {
        uint64_t key;
        void *of; /* an entry; in locales that do not sort by bytes a struct sort_text */
};

/* The strxfrm of a name. */
struct sort_text {
        struct lsr_entry *entry;
        char text[];
};

struct sort_ctx {
        const struct lsr_list_options *o;
        const char *shared; /* a text that begins as all do */
        size_t prefix;      /* in how many bytes */
        locale_t collate;   /* (locale_t)0: by bytes */
        bool texts;         /* items are of texts */
        const struct sort_order *order;
};

/* An order is a row of sort_orders[]. */
struct sort_order {
        void (*keys)(struct sort_ctx *ctx, struct sort_item *items, size_t n); /* NULL: they stay 0 */
        int (*ties)(const struct sort_ctx *ctx, const struct sort_item *a, const struct sort_item *b);
        bool by_name; /* nothing else decides */
};

static struct lsr_entry *sort_entry(const struct sort_ctx *ctx, const struct sort_item *item)
{
        return ctx->texts ? ((const struct sort_text *)item->of)->entry : item->of;
}

/* What names are compared by. */
static const char *sort_text(const struct sort_ctx *ctx, const struct sort_item *item)
{
        return ctx->texts ? ((const struct sort_text *)item->of)->text : ((const struct lsr_entry *)item->of)->name;
}

static int sort_names(const struct sort_ctx *ctx, const char *a, const char *b)
{
        return ctx->collate ? strcoll_l(a, b, ctx->collate) : strcmp(a, b);
}

static int sort_ties_name(const struct sort_ctx *ctx, const struct sort_item *a, const struct sort_item *b)
{
        int r = strcmp(sort_text(ctx, a), sort_text(ctx, b));

        return r || !ctx->collate ? r : strcoll_l(sort_entry(ctx, a)->name, sort_entry(ctx, b)->name, ctx->collate);
}

static int sort_ties_time(const struct sort_ctx *ctx, const struct sort_item *a, const struct sort_item *b)
{
        const struct lsr_entry *p = sort_entry(ctx, a), *q = sort_entry(ctx, b);
        uint32_t x = lsr_entry_stat_ok(p) ? p->meta.nsec[ctx->o->time] : 0;
        uint32_t y = lsr_entry_stat_ok(q) ? q->meta.nsec[ctx->o->time] : 0;

        return x != y ? (x > y ? -1 : 1) : sort_ties_name(ctx, a, b);
}

static const char *sort_extension(const struct lsr_entry *e)
{
        const char *dot = strrchr(e->name, '.');

        return dot ? dot : "";
}

static int sort_ties_extension(const struct sort_ctx *ctx, const struct sort_item *a, const struct sort_item *b)
{
        int r = sort_names(ctx, sort_extension(sort_entry(ctx, a)), sort_extension(sort_entry(ctx, b)));

        return r ? r : sort_ties_name(ctx, a, b);
}

static int sort_ties_version(const struct sort_ctx *ctx, const struct sort_item *a, const struct sort_item *b)
{
        const struct lsr_entry *p = sort_entry(ctx, a), *q = sort_entry(ctx, b);
        int r = lsr_version_compare(p->name, p->name_len, q->name, q->name_len);

        return r ? r : strcmp(p->name, q->name);
}

static int sort_ties_natural(const struct sort_ctx *ctx, const struct sort_item *a, const struct sort_item *b)
{
        int r = lsr_natural_compare(sort_entry(ctx, a)->name, sort_entry(ctx, b)->name);

        return r ? r : sort_ties_name(ctx, a, b);
}

/* Numbers that are equal have more behind them. */
static int sort_ties_number(const struct sort_ctx *ctx, const struct sort_item *a, const struct sort_item *b)
{
        return a->key != 0 && a->key != UINT64_MAX ? sort_ties_version(ctx, a, b) : sort_ties_name(ctx, a, b);
}

/* -r turns keys and ties around, but not what dirs_first put in front. */
static int sort_compare(const struct sort_ctx *ctx, const struct sort_item *a, const struct sort_item *b)
{
        int r;

        if (a->key != b->key)
                return a->key < b->key ? -1 : 1;
        r = ctx->order->ties(ctx, a, b);
        return ctx->o->reverse ? -r : r;
}

static void sort_merge(const struct sort_ctx *ctx, const struct sort_item *from, struct sort_item *to, size_t begin,
                       size_t mid, size_t end)
{
        size_t i = begin, j = mid;

        for (size_t k = begin; k < end; k++) {
                if (i < mid && (j >= end || sort_compare(ctx, &from[i], &from[j]) <= 0))
                        to[k] = from[i++];
                else
                        to[k] = from[j++];
        }
}

/* Bottom-up from runs sorted by insertion.  The result is in @items, with @spare as room. */
static void sort_by_comparison(const struct sort_ctx *ctx, struct sort_item *items, struct sort_item *spare, size_t n)
{
        struct sort_item *from = items, *to = spare;

        for (size_t begin = 0; begin < n; begin += SORT_RUN) {
                size_t end = n - begin < SORT_RUN ? n : begin + SORT_RUN;

                for (size_t i = begin + 1; i < end; i++) {
                        struct sort_item item = items[i];
                        size_t j = i;

                        for (; j > begin && sort_compare(ctx, &items[j - 1], &item) > 0; j--)
                                items[j] = items[j - 1];
                        items[j] = item;
                }
        }
        for (size_t run = SORT_RUN; run < n; run *= 2) {
                struct sort_item *swap = from;

                for (size_t begin = 0; begin < n; begin += 2 * run) {
                        size_t mid = n - begin < run ? n : begin + run;
                        size_t end = n - begin < 2 * run ? n : begin + 2 * run;

                        sort_merge(ctx, from, to, begin, mid, end);
                }
                from = to;
                to = swap;
        }
        if (from != items)
                memcpy(items, from, n * sizeof(*items));
}

/* Sort by keys alone.  Returns which of @items and @spare has the result. */
static struct sort_item *sort_by_keys(struct sort_item *items, struct sort_item *spare, size_t n)
{
        static const unsigned radix = 256;
        size_t counts[8][256] = {};

        for (size_t i = 0; i < n; i++)
                for (unsigned byte = 0; byte < 8; byte++)
                        counts[byte][items[i].key >> 8 * byte & 0xff]++;
        for (unsigned byte = 0; byte < 8; byte++) {
                struct sort_item *swap = items;
                size_t *count = counts[byte], at = 0;

                if (count[items[0].key >> 8 * byte & 0xff] == n)
                        continue;
                for (unsigned v = 0; v < radix; v++) {
                        size_t here = count[v];

                        count[v] = at;
                        at += here;
                }
                for (size_t i = 0; i < n; i++)
                        spare[count[items[i].key >> 8 * byte & 0xff]++] = items[i];
                items = spare;
                spare = swap;
        }
        return items;
}

/* Sorts @items with @spare as room; returns which of the two has the result. */
static struct sort_item *sort_items(const struct sort_ctx *ctx, struct sort_item *items, struct sort_item *spare,
                                    size_t n)
{
        struct sort_item *sorted;

        if (n < SORT_RADIX_MIN) {
                sort_by_comparison(ctx, items, spare, n);
                return items;
        }
        sorted = sort_by_keys(items, spare, n);
        spare = sorted == items ? spare : items;
        for (size_t begin = 0, end; begin < n; begin = end) {
                for (end = begin + 1; end < n && sorted[end].key == sorted[begin].key;)
                        end++;
                if (end - begin > 1)
                        sort_by_comparison(ctx, sorted + begin, spare + begin, end - begin);
        }
        return sorted;
}

static uint64_t sort_text_key(const char *s)
{
        uint64_t key = 0;

        for (unsigned i = 0; i < 8 && s[i]; i++)
                key |= (uint64_t)(unsigned char)s[i] << (56 - 8 * i);
        return key;
}

/* Unsigned order of a signed number. */
static uint64_t sort_signed_key(int64_t v)
{
        return (uint64_t)v ^ (uint64_t)1 << 63;
}

/* A text that does not share the prefix comes before or after all that do. */
static uint64_t sort_shared_key(const struct sort_ctx *ctx, const char *text)
{
        int r = strncmp(text, ctx->shared, ctx->prefix);

        if (r)
                return r < 0 ? 0 : UINT64_MAX;
        return sort_text_key(text + ctx->prefix);
}

/* The number that a name is or, where a key has several columns, begins with.  Names that are none come behind. */
static uint64_t sort_number_key(const char *name)
{
        double value;
        uint64_t key;
        char *end;

        if (name[0] == '.')
                return 0;
        value = strtod(name, &end);
        if (!isdigit((unsigned char)name[name[0] == '-']) || (*end && *end != ',') || isnan(value))
                return UINT64_MAX;
        memcpy(&key, &value, sizeof(key));
        return key >> 63 ? ~key : key | (uint64_t)1 << 63;
}

/* The common prefix of all texts except "." and "..", which -a puts into every listing. */
static void sort_find_shared(struct sort_ctx *ctx, const struct sort_item *items, size_t n)
{
        const char *first = "";
        size_t prefix = SIZE_MAX;

        for (size_t i = 0; i < n; i++) {
                const char *text = sort_text(ctx, &items[i]);
                size_t same = 0;

                if (lsr_entry_is_dots(sort_entry(ctx, &items[i])->name))
                        continue;
                if (prefix == SIZE_MAX) {
                        first = text;
                        prefix = strlen(text);
                }
                while (same < prefix && text[same] == first[same])
                        same++;
                prefix = same;
        }
        ctx->shared = first;
        ctx->prefix = prefix == SIZE_MAX ? 0 : prefix;
}

/* While names are sorted, metadata may still be incomplete: it is read only where it decides the order. */
static void sort_keys_name(struct sort_ctx *ctx, struct sort_item *items, size_t n)
{
        sort_find_shared(ctx, items, n);
        for (size_t i = 0; i < n; i++)
                items[i].key = sort_shared_key(ctx, sort_text(ctx, &items[i]));
}

/* Keys of entries @e. */
#define SORT_KEYS(what, value)                                                                \
        static void sort_keys_##what(struct sort_ctx *ctx, struct sort_item *items, size_t n) \
        {                                                                                     \
                for (size_t i = 0; i < n; i++) {                                              \
                        const struct lsr_entry *e = sort_entry(ctx, &items[i]);               \
                                                                                              \
                        items[i].key = (value);                                               \
                }                                                                             \
        }
SORT_KEYS(size, ~sort_signed_key(lsr_entry_stat_ok(e) ? (int64_t)e->meta.size : 0))
SORT_KEYS(time, ~sort_signed_key(lsr_entry_stat_ok(e) ? e->meta.sec[ctx->o->time] : 0))
SORT_KEYS(inode, lsr_entry_stat_ok(e) ? e->meta.inode : 0)
SORT_KEYS(width, ctx->o->width(ctx->o->width_ctx, e))
SORT_KEYS(number, sort_number_key(e->name))

static const struct sort_order sort_orders[] = {
        [LSR_SORT_NAME] = { sort_keys_name, sort_ties_name, true },
        [LSR_SORT_NONE] = {},
        [LSR_SORT_SIZE] = { sort_keys_size, sort_ties_name },
        [LSR_SORT_TIME] = { sort_keys_time, sort_ties_time },
        [LSR_SORT_VERSION] = { NULL, sort_ties_version, true },
        [LSR_SORT_EXTENSION] = { NULL, sort_ties_extension, true },
        [LSR_SORT_WIDTH] = { sort_keys_width, sort_ties_name },
        [LSR_SORT_INODE] = { sort_keys_inode, sort_ties_name },
        [LSR_SORT_NATURAL] = { sort_keys_number, sort_ties_natural, true },
        [LSR_SORT_NUMBER] = { sort_keys_number, sort_ties_number, true },
};

bool lsr_sort_by_name_only(const struct lsr_list_options *o)
{
        return sort_orders[o->sort].by_name && !o->dirs_first;
}

/* strxfrm once for each name, instead of strcoll once for each comparison. */
static void sort_collate(struct sort_ctx *ctx, struct sort_item *items, size_t n, struct lsr_arena *arena)
{
        ctx->texts = true;
        for (size_t i = 0; i < n; i++) {
                struct lsr_entry *e = items[i].of;
                size_t room = (size_t)e->name_len * 4 + 32;
                struct sort_text *text = lsr_arena_alloc(arena, sizeof(*text) + room);
                size_t len = strxfrm_l(text->text, e->name, room, ctx->collate);

                if (len >= room) {
                        lsr_arena_trim(arena, (char *)text);
                        text = lsr_arena_alloc(arena, sizeof(*text) + len + 1);
                        strxfrm_l(text->text, e->name, len + 1, ctx->collate);
                }
                lsr_arena_trim(arena, text->text + len + 1);
                text->entry = e;
                items[i].of = text;
        }
}

/* Directories, and links to them where the target was looked at, before the rest. */
static size_t sort_split_dirs(struct lsr_entry **rows, size_t n, struct lsr_arena *arena)
{
        struct lsr_entry **rest = lsr_arena_new(arena, struct lsr_entry *, n);
        size_t dirs = 0, files = 0;

        for (size_t i = 0; i < n; i++) {
                if (lsr_entry_is_dir(rows[i]) || S_ISDIR(lsr_entry_target_mode(rows[i])))
                        rows[dirs++] = rows[i];
                else
                        rest[files++] = rows[i];
        }
        memcpy(rows + dirs, rest, files * sizeof(*rest));
        return dirs;
}

/* The members of a bundle come in the order of their bytes; others rarely get far here. */
static bool sort_is_done(const struct sort_ctx *ctx, struct lsr_entry *const *rows, size_t n)
{
        if (ctx->o->sort != LSR_SORT_NAME || ctx->o->reverse || ctx->collate)
                return false;
        for (size_t i = 1; i < n; i++)
                if (strcmp(rows[i - 1]->name, rows[i]->name) > 0)
                        return false;
        return true;
}

static void sort_range(struct sort_ctx *ctx, struct lsr_entry *const *rows, struct lsr_entry **to, size_t n,
                       struct lsr_arena *arena)
{
        struct sort_item *items, *sorted;

        if (n < 2 || sort_is_done(ctx, rows, n)) {
                memmove(to, rows, n * sizeof(struct lsr_entry *));
                return;
        }
        items = lsr_arena_new(arena, struct sort_item, 2 * n);
        for (size_t i = 0; i < n; i++)
                items[i] = (struct sort_item){ .of = rows[i] };
        ctx->texts = false;
        if (ctx->collate && ctx->o->sort != LSR_SORT_VERSION)
                sort_collate(ctx, items, n, arena);
        if (ctx->order->keys)
                ctx->order->keys(ctx, items, n);
        for (size_t i = 0; i < n && ctx->o->reverse; i++)
                items[i].key = ~items[i].key;
        sorted = sort_items(ctx, items, items + n, n);
        /* @to takes the place of the room. */
        lsr_arena_forget(sorted == items ? items + n : items, n * sizeof(*items));
        for (size_t i = 0; i < n; i++)
                to[i] = sort_entry(ctx, &sorted[i]);
        lsr_arena_forget(sorted, n * sizeof(*items));
}

void lsr_sort(const struct lsr_list_options *o, struct lsr_entry *const *rows, struct lsr_entry **to, size_t n,
              struct lsr_arena *arena)
{
        struct sort_ctx ctx = { .o = o, .order = &sort_orders[o->sort] };
        bool any = o->sort != LSR_SORT_NONE && n > 1;
        size_t dirs = 0;

        if (n > 0 && (!any || o->dirs_first)) {
                memmove(to, rows, n * sizeof(struct lsr_entry *));
                rows = to;
        }
        if (!any)
                return;
        if (o->sort == LSR_SORT_WIDTH)
                o->width_set(o->width_ctx, rows, n);
        if (!lsr_locale_collates_bytes())
                ctx.collate = lsr_locale();
        if (o->dirs_first)
                dirs = sort_split_dirs(to, n, arena);
        sort_range(&ctx, rows, to, dirs, arena);
        sort_range(&ctx, rows + dirs, to + dirs, n - dirs, arena);
}
