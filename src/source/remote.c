/* remote - the helper, names, gaps, and the cache of what lies on servers */
#include "source/remote.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/stdfds.h"
#include "io/stream.h"
#include "remote/client.h"
#include "remote/url.h"
#include "source/cache.h"
#include "worker/wire.h"

struct bundle_remote {
        struct lsr_remote_file file; /* data negative: it is parked */
        struct lsr_remote_known known;
        struct lsr_remote_stats past; /* of it, before it was parked */
        char *url;                    /* with all that is sent */
        char *key;                    /* without what is secret: its name in the cache */
        bool stale;                   /* it was changed, which is not said */
        int error;                    /* something could not be had, which was said: nothing more is asked for */
        uint64_t before;              /* blocks that were there before the NEED under way */
        struct lsr_cache_entry cached;
        bool claimed, filtered; /* of that */
};

static struct bundle_remote *remote_of(const struct lsr_bundle *bundle)
{
        return bundle_outermost((struct lsr_bundle *)(uintptr_t)bundle)->remote;
}

static int remote_say(struct lsr_bundle *bundle, int error, const char *text)
{
        bundle->troubled = true;
        bundle->all->o.trouble(bundle->all->o.ctx, bundle->path, error, text);
        return error;
}

/* What may help against @error of the helper, behind its words, which say what happened. */
static const char *remote_advice(int error)
{
        switch (error) {
        case -ENOENT:
                return "; check the URL";
        case -EKEYREJECTED:
                return "; CURL_CA_BUNDLE can name a file of certificates to trust";
        case -ESTALE:
                return "; run lsr again";
        case -EBUSY:
        case -ECONNREFUSED:
        case -ECONNRESET:
        case -EIO:
        case -EPROTO:
        case -ETIMEDOUT:
                return "; try again later";
        default:
                return "";
        }
}

/* --- how far it is ------------------------------------------------------------------ */

static uint64_t remote_blocks(const struct lsr_remote_file *f)
{
        uint64_t blocks = 0;

        for (uint64_t i = 0; f->data >= 0 && i <= f->size / LSR_REMOTE_BLOCK / 8; i++)
                blocks += (uint64_t)__builtin_popcount(__atomic_load_n(&f->have[i], __ATOMIC_RELAXED));
        return blocks;
}

/* The helper tells its numbers with its answers; what has come since then is in the bitmap. */
static void remote_waiting(void *ctx)
{
        struct lsr_bundles *b = ctx;
        const struct lsr_bundle *outermost = b->current ? bundle_outermost(b->current) : NULL;
        struct lsr_remote_stats stats;

        lsr_bundles_remote_stats(b, &stats);
        if (outermost && outermost->remote) {
                uint64_t now = remote_blocks(&outermost->remote->file), before = outermost->remote->before;

                stats.bytes += now > before ? (now - before) * LSR_REMOTE_BLOCK : 0;
        }
        b->o.fetching(&stats);
}

static void remote_waited(const struct lsr_bundles *b)
{
        if (b->o.fetching)
                b->o.fetching(NULL);
}

/* --- the helper ------------------------------------------------------------------- */

/* 0, or a negative errno, which was said. */
static int remote_start(struct lsr_bundle *bundle)
{
        struct lsr_bundles *b = bundle->all;
        lsr_autofree char *text = NULL;
        int r;

        if (b->remote)
                return 0;
        /* The socket to it must not be where messages go. */
        lsr_io_count(b->o.io, 1);
        lsr_stdfds_guard();
        b->remote = lsr_xmalloc(sizeof(*b->remote));
        r = lsr_remote_start(NULL, b->remote);
        if (r == 0) {
                b->remote->waiting = b->o.fetching ? remote_waiting : NULL;
                b->remote->ctx = b;
                b->remote->whole_max = b->o.download ? LSR_REMOTE_HELD_MAX : 0;
                return 0;
        }
        free(lsr_take(&b->remote, NULL));
        if (r == -ENOENT)
                return remote_say(bundle, r,
                                  "what lies on servers is read by the program lsr-remote, which is not installed: "
                                  "install it, or download the file");
        text = lsr_xprintf("lsr-remote cannot be started: %s", strerror(-r));
        return remote_say(bundle, r, text);
}

/*
 * The shortest candidate is it nearly always, so the others are asked only if it is not there; a store that lists
 * nothing refuses what it has not.
 */
static int remote_ask(struct lsr_bundle *bundle, const uint32_t *ends, unsigned n, const struct lsr_remote_known *known)
{
        struct lsr_remote_client *client = bundle->all->remote;
        struct bundle_remote *o = bundle->remote;
        char text[LSR_REMOTE_TEXT_MAX] = "", others[LSR_REMOTE_TEXT_MAX] = "";
        int r = lsr_remote_open(client, o->url, ends, 1, known, &o->file, text);
        lsr_autofree char *said = NULL;

        remote_waited(bundle->all);
        if ((r == -ENOENT || r == -EACCES) && n > 1) {
                int r_others = lsr_remote_open(client, o->url, ends + 1, n - 1, NULL, &o->file, others);

                if (r_others == 0)
                        o->file.candidate++;
                if (r_others != -ENOENT) {
                        r = r_others;
                        memcpy(text, others, sizeof(text));
                }
        }
        if (r == 0)
                return 0;
        o->file.data = -1;
        said = lsr_xprintf("it cannot be opened: %s%s", text, remote_advice(r));
        /* Another candidate may still be it. */
        return known && r == -ENOENT ? r : remote_say(bundle, r, said);
}

/* --- names ------------------------------------------------------------------------ */

static bool remote_is_bundle_name(const char *name, void *ctx)
{
        return lsr_suffix_known(name, strlen(name));
}

unsigned bundle_remote_candidates(const char *url, uint32_t *ends)
{
        return lsr_url_candidates(url, remote_is_bundle_name, NULL, ends);
}

/* The name of a beginning of @url in the cache: secrets are not part of it. */
static char *remote_key(const char *url, uint32_t end)
{
        char *key = lsr_url_show(url, end);

        return key ? key : lsr_xstrdup("");
}

/* The candidate that the cache knows, which then is the only one.  False: none. */
static bool remote_find_cached(struct lsr_bundle *bundle, const uint32_t *ends, unsigned n, uint32_t *ret_end)
{
        struct bundle_remote *o = bundle->remote;

        for (unsigned i = 0; i < n && bundle->all->o.cache; i++) {
                lsr_autofree char *key = remote_key(o->url, ends[i]);
                struct lsr_cache_url what;

                if (!lsr_cache_get_url(key, &what, &o->cached))
                        continue;
                o->known.size = what.size;
                memcpy(o->known.tag, what.tag, sizeof(o->known.tag));
                o->claimed = what.claimed;
                o->filtered = what.filtered;
                *ret_end = ends[i];
                return true;
        }
        return false;
}

static void remote_forget_cached(struct bundle_remote *o)
{
        lsr_catalogue_free(o->cached.catalogue);
        o->cached.catalogue = NULL;
}

/* What is known of it now, as of a file. */
static void remote_describe(struct lsr_bundle *bundle)
{
        const struct lsr_remote_file *f = &bundle->remote->file;

        bundle->fd = f->data;
        bundle->size = f->size;
        bundle->meta = (struct lsr_meta){ .known = LSR_FIELD_TYPE | LSR_FIELD_MODE | LSR_FIELD_SIZE,
                                          .mode = S_IFREG | 0444,
                                          .size = f->size };
}

int bundle_remote_open(struct lsr_bundle *bundle, uint32_t *ret_end)
{
        struct bundle_remote *o = bundle->remote = lsr_xmalloc(sizeof(*o));
        uint32_t ends[LSR_URL_CANDIDATES], end;
        unsigned n = bundle_remote_candidates(bundle->path, ends);
        int r;

        *o = (struct bundle_remote){ .file = { .data = -1, .bits = -1 }, .url = lsr_xstrdup(bundle->path) };
        if (n == 0)
                return remote_say(bundle, -EINVAL, "the URL is not valid");
        r = remote_start(bundle);
        if (r < 0)
                return r;
        if (remote_find_cached(bundle, ends, n, &end)) {
                r = remote_ask(bundle, &end, 1, &o->known);
                if (r < 0 || !o->file.not_modified)
                        remote_forget_cached(o);
                if (r == 0)
                        ends[0] = end;
        }
        if (o->file.data < 0 && (r == 0 || r == -ENOENT))
                r = remote_ask(bundle, ends, n, NULL);
        if (r < 0)
                return r;
        *ret_end = end = ends[o->file.candidate];
        bundle->path[end] = o->url[end] = '\0';
        o->key = remote_key(o->url, end);
        o->known.size = o->file.size;
        memcpy(o->known.tag, o->file.tag, sizeof(o->known.tag));
        remote_describe(bundle);
        return 0;
}

int bundle_remote_reopen(struct lsr_bundle *bundle)
{
        struct bundle_remote *o = bundle->remote;
        int r;

        if (o->error)
                return o->error;
        r = remote_ask(bundle, &(uint32_t){ (uint32_t)strlen(o->url) }, 1, *o->known.tag ? &o->known : NULL);
        if (r < 0)
                return o->error = r;
        remote_describe(bundle);
        if (o->file.size == o->known.size && strcmp(o->file.tag, o->known.tag) == 0)
                return 0;
        return o->error = remote_say(bundle, -ESTALE, "it was changed while it was read; run lsr again");
}

/* --- what is held of it ------------------------------------------------------------ */

void bundle_remote_close(struct lsr_bundle *bundle)
{
        struct bundle_remote *o = bundle->remote;

        if (!o || o->file.data < 0)
                return;
        o->past.requests += o->file.stats.requests;
        o->past.retries += o->file.stats.retries;
        o->past.bytes += o->file.stats.bytes;
        o->past.waited_ns += o->file.stats.waited_ns;
        lsr_remote_close(bundle->all->remote, &o->file);
}

struct bundle_remote *bundle_remote_free(struct lsr_bundle *bundle)
{
        struct bundle_remote *o = bundle->remote;

        if (!o)
                return NULL;
        bundle_remote_close(bundle);
        remote_forget_cached(o);
        free(o->url);
        free(o->key);
        free(o);
        return NULL;
}

bool bundle_is_far(const struct lsr_bundle *bundle)
{
        const struct bundle_remote *o = remote_of(bundle);

        return o && bundle->fd >= 0 && bundle->fd == o->file.data;
}

int bundle_remote_bitmap(const struct lsr_bundle *bundle)
{
        return remote_of(bundle)->file.bits;
}

bool bundle_remote_is_stale(const struct lsr_bundle *bundle)
{
        return bundle->remote->stale;
}

bool lsr_bundle_is_remote(const struct lsr_bundle *bundle)
{
        return remote_of(bundle);
}

bool lsr_bundle_is_cut(const struct lsr_bundle *bundle)
{
        return lsr_bundle_is_remote(bundle) && remote_of(bundle)->error;
}

const char *lsr_bundle_shown(struct lsr_bundle *bundle)
{
        const struct lsr_bundle *outermost = bundle_outermost(bundle);

        if (!outermost->remote)
                return bundle->path;
        /* What is in it follows its own path. */
        if (!bundle->shown)
                bundle->shown = lsr_xprintf("%s%s", outermost->remote->key, bundle->path + strlen(outermost->path));
        return bundle->shown;
}

void lsr_bundles_remote_stats(const struct lsr_bundles *b, struct lsr_remote_stats *ret_stats)
{
        *ret_stats = (struct lsr_remote_stats){};
        for (const struct lsr_bundle *bundle = b->all; bundle; bundle = bundle->next) {
                const struct bundle_remote *o = bundle->remote;

                if (!o)
                        continue;
                ret_stats->requests += o->past.requests + o->file.stats.requests;
                ret_stats->retries += o->past.retries + o->file.stats.retries;
                ret_stats->bytes += o->past.bytes + o->file.stats.bytes;
                ret_stats->waited_ns += o->past.waited_ns + o->file.stats.waited_ns;
        }
}

/* --- gaps -------------------------------------------------------------------------- */

static int remote_need(struct lsr_bundle *outermost, const struct lsr_input_range *ranges, unsigned n_needed,
                       unsigned n_wanted)
{
        struct bundle_remote *o = outermost->remote;
        struct lsr_remote_range sent[LSR_WIRE_RANGES_MAX];
        char text[LSR_REMOTE_TEXT_MAX] = "";
        lsr_autofree char *said = NULL;
        int r;

        for (unsigned i = 0; i < n_needed + n_wanted; i++)
                sent[i] = (struct lsr_remote_range){ ranges[i].offset, ranges[i].length };
        if (o->error)
                return -EIO;
        o->before = remote_blocks(&o->file);
        r = lsr_remote_need(outermost->all->remote, &o->file, sent, n_needed, n_wanted, text);
        remote_waited(outermost->all);
        if (r == 0)
                return 0;
        o->error = -EIO;
        if (r == -ESTALE && !outermost->catalogue && !outermost->all->again) {
                outermost->all->stale = outermost->troubled = o->stale = true;
                return -EIO;
        }
        said = lsr_xprintf("it cannot be read further: %s%s", text, remote_advice(r));
        remote_say(outermost, r, said);
        return -EIO;
}

int bundle_remote_need(void *ctx, const struct lsr_input_range *ranges, unsigned n_needed, unsigned n_wanted)
{
        struct lsr_bundles *b = ctx;
        struct lsr_bundle *outermost = b->current ? bundle_outermost(b->current) : NULL;

        /* A thread of the worker may still be reading what was closed here. */
        if (!outermost || !outermost->remote || outermost->remote->file.data < 0)
                return -EIO;
        return remote_need(outermost, ranges, n_needed, n_wanted);
}

ssize_t bundle_read_at(struct lsr_bundle *bundle, void *buf, size_t n, uint64_t offset)
{
        struct lsr_bundle *outermost = bundle_outermost(bundle);
        struct lsr_remote_range missing;

        assert(n <= LSR_REMOTE_REQUEST_MAX);
        if (bundle_is_far(bundle) &&
            lsr_remote_missing(outermost->remote->file.have, (struct lsr_remote_range){ offset, n }, &missing)) {
                int r = remote_need(outermost, &(struct lsr_input_range){ offset, n }, 1, 0);

                if (r < 0)
                        return r;
        }
        return lsr_io_read_at(bundle->all->o.io, bundle->fd, buf, n, offset);
}

/* --- the cache --------------------------------------------------------------------- */

bool bundle_remote_cached(struct lsr_bundle *bundle)
{
        struct bundle_remote *o = bundle->remote;

        /* As bundle_cached(). */
        if (!o->cached.catalogue || (bundle->all->wanted.content && strcmp(o->cached.format, "tar") == 0))
                return false;
        memcpy(bundle->format, o->cached.format, sizeof(bundle->format));
        memcpy(bundle->filters, o->cached.filters, sizeof(bundle->filters));
        bundle->filtered = o->filtered;
        bundle->claimed = o->claimed;
        bundle->catalogue = lsr_take(&o->cached.catalogue, NULL);
        bundle->cached = bundle->loaded = true;
        return true;
}

void bundle_remote_remember(const struct lsr_bundle *bundle)
{
        const struct bundle_remote *o = bundle->remote;
        struct lsr_cache_entry entry = { .catalogue = bundle->catalogue };
        struct lsr_cache_url what = { .size = o->known.size, .claimed = bundle->claimed, .filtered = bundle->filtered };

        /*
         * What opening brings anyway is not worth a file, nor is what cannot be recognised; and if a server without
         * ranges said that it is the same, nothing of it would be there to be read.
         */
        if (bundle->troubled || !*o->known.tag || o->known.size <= LSR_REMOTE_TAIL || o->file.whole)
                return;
        memcpy(what.tag, o->known.tag, sizeof(what.tag));
        memcpy(entry.format, bundle->format, sizeof(entry.format));
        memcpy(entry.filters, bundle->filters, sizeof(entry.filters));
        lsr_cache_put_url(o->key, &what, &entry);
}

int bundle_remote_refuse(struct lsr_bundle *bundle)
{
        if (bundle->remote->error)
                return bundle->remote->error;
        return bundle->troubled ? -EBADMSG : remote_say(bundle, -EINVAL, "it is not a bundle");
}
