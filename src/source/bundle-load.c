/* bundle-load - members of a bundle: all of them, those that some paths take, or one after the other */
#include "source/bundle-parts.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/limits.h"
#include "remote/url.h"

#define BUNDLE_ROOM_MIN ((uint64_t)1 << 20) /* a catalogue of less is not tried, bytes */
#define BUNDLE_WRITTEN_TRIES 6u             /* more of a database that is written to, */
#define BUNDLE_WRITTEN_PAUSE 1000000L       /* after so many ns, then twice as many, and so on: 63 ms in all */

/* What the catalogue of one more bundle may take. */
static uint64_t bundle_room(struct lsr_bundle *bundle)
{
        const struct lsr_bundle *outermost = bundle_outermost(bundle);
        uint64_t room = lsr_limit(LSR_LIMIT_ROWS_PIPE);

        /*
         * A file without content takes about 100, and may be little more than one byte of a .tar.xz; a column of a row
         * of a database takes as much, and may be one byte, too.
         */
        if (outermost->stored != LSR_INPUT_UNKNOWN)
                room = lsr_limit_in_proportion(LSR_LIMIT_ROWS, LSR_LIMIT_ROWS_PER_BYTE, outermost->stored);
        return room > outermost->taken ? room - outermost->taken : 0;
}

static int bundle_compare_paths(const void *a, const void *b)
{
        return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void lsr_bundles_expect(struct lsr_bundles *b, const struct lsr_wanted *wanted)
{
        assert(b->wanted.n == 0 && wanted->n > 0);
        b->wanted = *wanted;
}

bool lsr_bundles_list(const struct lsr_bundles *b)
{
        return b->wanted.n == 0 || b->wanted.depth > 0;
}

/* The first path expected that is not before @path followed by @c. */
static size_t bundle_expected_from(const struct lsr_bundles *b, const char *path, char c)
{
        size_t len = strlen(path), low = 0, high = b->wanted.n;

        while (low < high) {
                size_t middle = low + (high - low) / 2;
                int r = strncmp(b->expected[middle], path, len);

                if (r < 0 || (r == 0 && (unsigned char)b->expected[middle][len] < (unsigned char)c))
                        low = middle + 1;
                else
                        high = middle;
        }
        return low;
}

/* Sorted, each once. */
static void bundle_ask_once(struct lsr_bundle *bundle, size_t n)
{
        size_t kept = 0;

        qsort(bundle->asked, n, sizeof(*bundle->asked), bundle_compare_paths);
        for (size_t i = 0; i < n; i++)
                if (i == 0 || strcmp(bundle->asked[i], bundle->asked[kept - 1]) != 0)
                        bundle->asked[kept++] = bundle->asked[i];
        bundle->n_asked = kept;
}

/* The same for what lies on a server: URLs have other signs for what is in a path. */
static void bundle_gather_urls(struct lsr_bundle *bundle, const char *path)
{
        const struct lsr_wanted *wanted = &bundle->all->wanted;
        size_t len = strlen(bundle->path), size = strlen(path) + 1, n = 0;
        char *to;

        for (size_t i = 0; i < wanted->n; i++)
                size += strlen(wanted->paths[i]) + 1;
        bundle->asked = lsr_xmalloc((wanted->n + 1) * sizeof(*bundle->asked));
        bundle->asked_text = lsr_xmalloc(size);
        bundle->asked[n++] = bundle->asked_text;
        to = stpcpy(bundle->asked_text, path) + 1;
        for (size_t i = 0; i < wanted->n; i++) {
                const char *url = wanted->paths[i];
                lsr_autofree char *inner = NULL;

                if (strncmp(url, bundle->path, len) != 0 || !strchr("/#", url[len]))
                        continue;
                inner = lsr_url_inner(url, (uint32_t)len);
                if (!inner)
                        continue;
                bundle->asked[n++] = to;
                to = stpcpy(to, inner) + 1;
        }
        bundle_ask_once(bundle, n);
}

/* The questions for it: @path, and what is expected of paths through it. */
static void bundle_gather(struct lsr_bundle *bundle, const char *path)
{
        struct lsr_bundles *b = bundle->all;
        size_t len = strlen(bundle->path), size = b->wanted.n * sizeof(*b->expected), n = 0;
        size_t exact, first, end;

        if (!b->expected) {
                b->expected = memcpy(lsr_xmalloc(size), b->wanted.paths, size);
                qsort(b->expected, b->wanted.n, sizeof(*b->expected), bundle_compare_paths);
        }
        exact = bundle_expected_from(b, bundle->path, '\0');
        first = bundle_expected_from(b, bundle->path, '/');
        end = bundle_expected_from(b, bundle->path, '/' + 1);
        bundle->asked_text = lsr_xstrdup(path);
        bundle->asked = lsr_xmalloc((end - first + 2) * sizeof(*bundle->asked));
        bundle->asked[n++] = bundle->asked_text;
        if (exact < b->wanted.n && strcmp(b->expected[exact], bundle->path) == 0)
                bundle->asked[n++] = "";
        for (size_t i = first; i < end; i++)
                bundle->asked[n++] = b->expected[i] + len + strspn(b->expected[i] + len, "/");
        bundle_ask_once(bundle, n);
}

static bool bundle_answers(const struct lsr_bundle *bundle, const char *path)
{
        return bsearch(&path, bundle->asked, bundle->n_asked, sizeof(*bundle->asked), bundle_compare_paths);
}

struct bundle_scan {
        const struct lsr_wanted *wanted; /* NULL: all */
        uint64_t room;
        struct lsr_worker_answer answer;
};

static int bundle_ask_scan(struct lsr_bundle *bundle, void *ctx)
{
        struct bundle_scan *scan = ctx;

        return lsr_worker_scan(bundle_worker(bundle), bundle->id, scan->wanted, &scan->room, &scan->answer);
}

/*
 * Other programs write to databases, and lsr takes no lock that would stop them; what it has read meanwhile may be of
 * two times, and look damaged.  So such a one is read again, and what was wrong with it is said only if nobody wrote.
 */
static int bundle_scan_steady(struct lsr_bundle *bundle, struct bundle_scan *scan)
{
        int r;

        for (unsigned i = 0;; i++) {
                bundle->all->holding = true;
                r = bundle_retry(bundle, bundle_ask_scan, scan);
                if (!bundle_is_written(bundle)) {
                        bundle_hear(bundle, true);
                        return r;
                }
                bundle_hear(bundle, false);
                if (i == BUNDLE_WRITTEN_TRIES)
                        break;
                if (r == 0)
                        lsr_catalogue_free(scan->answer.catalogue);
                scan->answer = (struct lsr_worker_answer){};
                nanosleep(&(struct timespec){ .tv_nsec = BUNDLE_WRITTEN_PAUSE << i }, NULL);
                r = bundle_open_again(bundle);
                if (r < 0)
                        return r;
        }
        bundle_tell_written(bundle);
        return r;
}

/* From now on it is what @answer says. */
static void bundle_take(struct lsr_bundle *bundle, const struct lsr_worker_answer *answer)
{
        bundle->catalogue = answer->catalogue;
        bundle->members = answer->members;
        bundle->claimed = answer->claimed;
        bundle_outermost(bundle)->taken += lsr_catalogue_size(answer->catalogue);
        if (answer->some)
                bundle->some = answer->catalogue;
        else
                bundle_remember(bundle);
}

/* @wanted: what that takes will do. */
static int bundle_load(struct lsr_bundle *bundle, const struct lsr_wanted *wanted)
{
        struct bundle_scan scan = { .wanted = wanted, .room = bundle_room(bundle) };
        int r;

        if (bundle->loaded)
                return bundle->load_error;
        assert(!wanted || !bundle->some);
        /* Where memory is short, what fits of it. */
        do
                r = bundle->database ? bundle_scan_steady(bundle, &scan) : bundle_retry(bundle, bundle_ask_scan, &scan);
        while (r == -ENOMEM && scan.room >= BUNDLE_ROOM_MIN && bundle->size != LSR_INPUT_UNKNOWN);
        bundle->loaded = r < 0 || !scan.answer.some;
        bundle->load_error = r;
        if (r == 0)
                bundle_take(bundle, &scan.answer);
        else if (!bundle->troubled)
                bundle->all->o.trouble(bundle->all->o.ctx, bundle->path, r, NULL);
        return r;
}

int lsr_bundle_load(struct lsr_bundle *bundle)
{
        return bundle_load(bundle, NULL);
}

bool lsr_bundle_streams(const struct lsr_bundle *bundle)
{
        return !bundle->loaded && bundle->filtered && bundle->size != LSR_INPUT_UNKNOWN &&
               strcmp(bundle->format, "tar") == 0;
}

struct bundle_stream {
        bool busy;
        int (*member)(void *ctx, const struct lsr_member *m);
        const struct lsr_sink *content;
        uint64_t room;
        struct lsr_worker_answer answer;
};

static int bundle_ask_stream(struct lsr_bundle *bundle, void *ctx)
{
        struct bundle_stream *s = ctx;

        return lsr_worker_stream(bundle_worker(bundle), bundle->id, &s->room, s->busy, s->member, s->content,
                                 &s->answer);
}

int lsr_bundle_stream(struct lsr_bundle *bundle, bool busy, int (*member)(void *ctx, const struct lsr_member *m),
                      const struct lsr_sink *content)
{
        struct lsr_bundles *b = bundle->all;
        struct bundle_stream stream = { busy, member, content, bundle_room(bundle), {} };
        int r;

        if (!lsr_bundle_streams(bundle))
                return 1;
        b->heard = false;
        b->trying = true;
        r = bundle_retry(bundle, bundle_ask_stream, &stream);
        b->trying = false;
        if (r == 0 && !b->heard) {
                bundle->loaded = true;
                bundle_take(bundle, &stream.answer);
                return 0;
        }
        lsr_catalogue_free(stream.answer.catalogue);
        return 1;
}

/*
 * Of what lies on a server all that costs time is fetched for some of it, too, and all of it can be remembered; but a
 * database has an index, and a stream may end early where something is looked up.
 */
static bool bundle_wants_all(const struct lsr_bundle *bundle)
{
        return bundle->remote && bundle->all->o.cache && !bundle->all->wanted.content &&
               strcmp(bundle->format, "sqlite") != 0;
}

int lsr_bundle_load_some(struct lsr_bundle *bundle, const char *path)
{
        struct lsr_wanted wanted = bundle->all->wanted;

        if (bundle->loaded || (bundle->some && bundle_answers(bundle, path)))
                return bundle->load_error;
        if (bundle->some || wanted.n == 0 || bundle_wants_all(bundle))
                return lsr_bundle_load(bundle);
        if (bundle->remote)
                bundle_gather_urls(bundle, path);
        else
                bundle_gather(bundle, path);
        wanted.paths = bundle->asked;
        wanted.n = bundle->n_asked;
        return bundle_load(bundle, &wanted);
}
