/*
 * experiment - rounds of all ways
 *
 * A disturbance of the machine then affects all ways alike.  Before the rounds each way runs once traced, for its
 * system calls; that run also leaves everything in the caches.
 *
 *      inventory ─► all read once ─► bundles ─► traced runs ─► round 1 ─► round 2 ... ─► digests compared
 */
#include "compare/experiment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/self.h"
#include "base/thread.h"
#include "compare/bundling.h"
#include "compare/child.h"
#include "compare/cold.h"
#include "compare/facts.h"

#define COMPARE_RUNS 5u
#define COMPARE_TIME_NS UINT64_C(60000000000)  /* no further round is begun after it */
#define COMPARE_PICKS_NS UINT64_C(10000000000) /* of random reads, in one run */
#define COMPARE_FDS 64u                        /* that may be open beside the bundles */
#define COMPARE_HEADERS 1024u                  /* bytes that a format adds to a member, at most as a rule */
#define COMPARE_FILE_WAYS 4u

/* A way and its results. */
struct compare_way {
        struct lsr_way_job job;
        struct lsr_bundled bundled;
        struct lsr_way_result *result;
        bool has_digest;
};

struct compare {
        const struct lsr_compare_options *o;
        struct lsr_experiment *x;
        struct lsr_inventory inventory;
        struct lsr_bundling_format *formats;
        struct lsr_scratch scratch;
        struct compare_way *ways;
        struct lsr_way_pick *picks;
        uint64_t began;
        unsigned done, steps;
};

static void compare_tell(struct compare *c, enum lsr_compare_trouble what, const char *name, int error, uint64_t a,
                         uint64_t b)
{
        c->o->trouble(c->o->ctx, what, name, error, a, b);
}

static void compare_step(struct compare *c, const char *what, const char *name)
{
        c->o->progress(c->o->ctx, what, name, c->done++, c->steps);
}

/* Can children be started? */
static int compare_may_start(struct compare *c)
{
        if (access(LSR_SELF, X_OK) == 0)
                return 0;
        compare_tell(c, LSR_COMPARE_NO_PROC, LSR_SELF, -errno, 0, 0);
        return 1;
}

/* --- the tree ----------------------------------------------------------------- */

static void compare_unreadable(void *ctx, const char *path, int error)
{
        compare_tell(ctx, LSR_COMPARE_UNREADABLE, path, error, 0, 0);
}

static int compare_inventory(struct compare *c)
{
        struct lsr_inventory *v = &c->inventory;
        int r = lsr_inventory_take(v, &(struct lsr_inventory_options){
                                              .dir = c->o->dir,
                                              .each = c->o->each,
                                              .paths = c->o->random > 0,
                                              .ctx = c,
                                              .unreadable = compare_unreadable,
                                      });

        if (r < 0)
                return r;
        c->x->members = v->members;
        c->x->files = v->files;
        c->x->bytes = v->bytes;
        if (c->o->each && v->n_packages == 0) {
                compare_tell(c, LSR_COMPARE_NO_PACKAGES, "", 0, 0, 0);
                return 1;
        }
        if (v->files + v->links == 0 || (c->o->random > 0 && v->n_paths == 0)) {
                compare_tell(c, LSR_COMPARE_EMPTY, "", 0, 0, 0);
                return 1;
        }
        if (v->special > 0)
                compare_tell(c, LSR_COMPARE_SPECIAL, "", 0, v->special, 0);
        if (v->loose > 0)
                compare_tell(c, LSR_COMPARE_LOOSE, "", 0, v->loose, 0);
        return 0;
}

/* --- bundles ------------------------------------------------------------------ */

/* All bundles stay open. */
static int compare_may_open(struct compare *c)
{
        uint64_t need = c->o->n_formats * (c->o->each ? c->inventory.n_packages : 1) + COMPARE_FDS;
        struct rlimit limit;

        if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= need)
                return 0;
        limit.rlim_cur = need < limit.rlim_max ? need : limit.rlim_max;
        if (limit.rlim_cur >= need && setrlimit(RLIMIT_NOFILE, &limit) == 0)
                return 0;
        compare_tell(c, LSR_COMPARE_NO_FILES, "", 0, need, limit.rlim_max);
        return 1;
}

/* The expected size of the bundles: half of the bytes for compressed ones, which is more than usual. */
static uint64_t compare_need(const struct compare *c)
{
        const struct lsr_inventory *v = &c->inventory;
        uint64_t need = 0;

        for (size_t i = 0; i < c->o->n_formats; i++) {
                const struct lsr_bundling_format *f = &c->formats[i];
                bool stored = f->kind->level_max == 0 || f->level == 0;

                need += (stored ? v->bytes : v->bytes / 2) + v->members * COMPARE_HEADERS;
        }
        return need;
}

static int compare_scratch(struct compare *c)
{
        uint64_t need = compare_need(c);
        int r;

        if (c->o->n_formats == 0)
                return 0;
        r = lsr_scratch_open(&c->scratch, c->o->dir, need);
        if (r < 0)
                compare_tell(c, LSR_COMPARE_NO_SCRATCH, c->scratch.where, r, 0, 0);
        if (r > 0)
                compare_tell(c, LSR_COMPARE_NO_SPACE, c->scratch.where, 0, need, c->scratch.free_bytes);
        return r != 0;
}

/* 0 or 1; what else goes wrong is an error of the way. */
static int compare_pack(struct compare *c, const struct lsr_bundling_format *format, struct compare_way *w)
{
        const struct lsr_bundling bundling = {
                .scratch = &c->scratch,
                .format = format,
                .dir = c->o->dir,
                .inventory = &c->inventory,
                .each = c->o->each,
                .threads = lsr_thread_cpus(),
        };
        lsr_autofree char *text = NULL;
        int r = lsr_bundling_make(&w->bundled, &bundling, &text);

        if (r < 0)
                w->result->error = lsr_xprintf("cannot be packed: %s", text);
        if (r == -ENOSPC || r == -EDQUOT) {
                compare_tell(c, LSR_COMPARE_FULL, c->scratch.where, 0, 0, 0);
                return 1;
        }
        if (r < 0)
                compare_tell(c, LSR_COMPARE_FAILED, w->result->name, 0, 0, 0);
        w->job.fds = w->bundled.fds;
        w->job.n_fds = w->bundled.n;
        w->result->pack_ns = w->bundled.pack_ns;
        w->result->apparent = w->bundled.apparent;
        w->result->allocated = w->bundled.allocated;
        return 0;
}

/* --- ways --------------------------------------------------------------------- */

/* A sequence that is the same every time (splitmix64). */
static uint64_t compare_random(uint64_t *state)
{
        uint64_t z = *state += 0x9e3779b97f4a7c15u;

        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
}

static int compare_by_name(const void *a, const void *b)
{
        return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Which package has @path. */
static uint32_t compare_bundle_of(const struct compare *c, const char *path)
{
        const struct lsr_inventory *v = &c->inventory;
        char *package, **found;

        if (!c->o->each)
                return 0;
        package = lsr_xstrndup(path, strcspn(path, "/"));
        found = bsearch(&package, v->packages, v->n_packages, sizeof(*v->packages), compare_by_name);
        free(package);
        return found ? (uint32_t)(found - v->packages) : 0;
}

static void compare_choose(struct compare *c)
{
        const struct lsr_inventory *v = &c->inventory;
        uint64_t state = 0;

        if (c->o->random == 0)
                return;
        c->picks = lsr_xmalloc(c->o->random * sizeof(*c->picks));
        for (uint64_t i = 0; i < c->o->random; i++) {
                const char *path = v->paths[compare_random(&state) % v->n_paths];

                c->picks[i] = (struct lsr_way_pick){ path, compare_bundle_of(c, path) };
        }
}

static void compare_ways(struct compare *c)
{
        static const struct {
                const char *name;
                enum lsr_way_kind kind;
        } files[COMPARE_FILE_WAYS] = { { "files, sync", LSR_WAY_SYNC },
                                       { "files, mmap", LSR_WAY_MMAP },
                                       { "files, threads", LSR_WAY_THREADS },
                                       { "files, uring", LSR_WAY_URING } };
        size_t n = COMPARE_FILE_WAYS + c->o->n_formats;

        c->ways = lsr_xmalloc(n * sizeof(*c->ways));
        c->x->ways = lsr_xmalloc(n * sizeof(*c->x->ways));
        c->x->n_ways = n;
        for (size_t i = 0; i < n; i++) {
                struct lsr_way_result *result = &c->x->ways[i];

                c->ways[i] = (struct compare_way){ .result = result };
                c->ways[i].job = (struct lsr_way_job){
                        .kind = i < COMPARE_FILE_WAYS ? files[i].kind : LSR_WAY_BUNDLES,
                        .each = c->o->each,
                        .links = c->inventory.hard_links,
                        .dir = c->o->dir,
                        .owner = getpid(),
                        .picks = c->picks,
                        .n_picks = c->picks ? c->o->random : 0,
                };
                *result = (struct lsr_way_result){};
                if (i < COMPARE_FILE_WAYS) {
                        result->name = files[i].name;
                        result->apparent = c->inventory.bytes;
                        result->allocated = c->inventory.allocated;
                } else {
                        result->name = c->formats[i - COMPARE_FILE_WAYS].name;
                        result->format = c->formats[i - COMPARE_FILE_WAYS].word;
                }
        }
}

static struct lsr_child compare_child(const struct compare_way *w)
{
        return (struct lsr_child){ w->result->name, &w->job };
}

/* A run has failed with @r and @text, which is taken. */
static void compare_failed(struct compare *c, const struct compare_way *w, int r, char *text)
{
        w->result->error = text ? text : lsr_xstrdup(strerror(-r));
        compare_tell(c, LSR_COMPARE_FAILED, w->result->name, 0, 0, 0);
}

/* A run has ended so, and reported this. */
static void compare_took(struct compare *c, struct compare_way *w, const struct lsr_way_report *report, int r,
                         char *text)
{
        struct lsr_way_result *result = w->result;

        if (r < 0) {
                compare_failed(c, w, r, text);
        } else if (!w->has_digest) {
                w->has_digest = true;
                result->digest = report->digest;
                result->members = report->members;
                result->bytes = report->bytes;
                result->files = report->opened;
        } else if (result->digest != report->digest) {
                result->differs = result->changed = true;
        }
}

static void compare_trace(struct compare *c, struct compare_way *w)
{
        const struct lsr_child child = compare_child(w);
        struct lsr_way_result *result = w->result;
        struct lsr_child_result got;
        char *text = NULL;
        int r;

        compare_step(c, "counting calls", result->name);
        r = lsr_child_trace(&child, &got, &text);
        if (got.refused) {
                result->untraced = "ptrace is refused";
                return;
        }
        result->calls = got.calls;
        result->n_calls = got.n_calls;
        for (size_t i = 0; i < got.n_calls; i++)
                result->n_syscalls += got.calls[i].n;
        compare_took(c, w, &got.report, r, text);
}

static void compare_chill(struct compare *c, const struct compare_way *w)
{
        if (!c->x->cold || (!c->x->names_warm && lsr_cold_drop_all()))
                return;
        if (w->job.kind == LSR_WAY_BUNDLES)
                lsr_cold_drop_files(w->job.fds, w->job.n_fds);
        else
                lsr_cold_drop_tree(c->o->dir);
}

static void compare_run(struct compare *c, struct compare_way *w)
{
        const struct lsr_child child = compare_child(w);
        struct lsr_way_result *result = w->result;
        struct lsr_child_result got;
        char *text = NULL;
        int r;

        compare_step(c, "reading", result->name);
        compare_chill(c, w);
        r = lsr_child_run(&child, &got, &text);
        if (r == 0) {
                result->runs = lsr_xrealloc(result->runs, (result->n_runs + 1) * sizeof(*result->runs));
                result->runs[result->n_runs++] = got.cost;
        }
        compare_took(c, w, &got.report, r, text);
}

/*
 * Read the whole tree into the caches, so that neither packing nor the first round pays for cold ones.  Files that
 * fail here will fail again when they are measured.
 */
static void compare_warm(struct compare *c)
{
        struct compare_way first = c->ways[0];
        struct lsr_child_result got;
        struct lsr_child child;
        lsr_autofree char *text = NULL;

        compare_step(c, "reading", "everything once");
        first.job.picks = NULL;
        first.job.n_picks = 0;
        child = compare_child(&first);
        lsr_child_run(&child, &got, &text);
}

/* The number of picks that there is time for; only these are read from then on. */
static void compare_limit(struct compare *c, struct compare_way *w)
{
        const struct lsr_child child = compare_child(w);
        struct lsr_child_result got;
        char *text = NULL;
        int r;

        compare_step(c, "trying", w->result->name);
        w->job.limit_ns = COMPARE_PICKS_NS;
        r = lsr_child_run(&child, &got, &text);
        w->job.limit_ns = 0;
        if (r == 0 && got.report.picks < w->job.n_picks) {
                compare_tell(c, LSR_COMPARE_LIMIT, w->result->name, 0, got.report.picks, w->job.n_picks);
                w->job.n_picks = got.report.picks;
        }
        compare_took(c, w, &got.report, r, text);
}

/* The digest of the first way over as many members as @w had time for; if it fails, @w has an error. */
static uint64_t compare_reference(struct compare *c, const struct compare_way *w)
{
        struct compare_way first = c->ways[0];
        struct lsr_child_result got;
        struct lsr_child child;
        char *text = NULL;
        int r;

        if (w->job.n_picks == first.job.n_picks)
                return first.result->digest;
        first.job.n_picks = w->job.n_picks;
        child = compare_child(&first);
        r = lsr_child_run(&child, &got, &text);
        if (r < 0)
                compare_failed(c, w, r, text);
        return got.report.digest;
}

static void compare_digests(struct compare *c)
{
        for (size_t i = 0; i < c->x->n_ways; i++) {
                struct compare_way *w = &c->ways[i];
                uint64_t digest;

                if (w->result->error || !w->has_digest || !c->ways[0].has_digest)
                        continue;
                digest = compare_reference(c, w);
                w->result->differs |= !w->result->error && w->result->digest != digest;
                if (w->result->differs)
                        compare_tell(c, LSR_COMPARE_DIFFERS, w->result->name, 0, 0, 0);
        }
}

/* --- the experiment ------------------------------------------------------------- */

/* Each way from @first on that has no error. */
static void compare_each_way(struct compare *c, size_t first, void (*fn)(struct compare *c, struct compare_way *w))
{
        for (size_t i = first; i < c->x->n_ways; i++)
                if (!c->ways[i].result->error)
                        fn(c, &c->ways[i]);
}

static int compare_bundles(struct compare *c)
{
        int r = 0;

        for (size_t i = 0; i < c->o->n_formats && r == 0; i++) {
                compare_step(c, "packing", c->formats[i].name);
                r = compare_pack(c, &c->formats[i], &c->ways[COMPARE_FILE_WAYS + i]);
        }
        return r;
}

static void compare_measure(struct compare *c)
{
        unsigned most = c->o->runs ? c->o->runs : COMPARE_RUNS;

        if (c->picks)
                compare_each_way(c, COMPARE_FILE_WAYS, compare_limit);
        compare_each_way(c, 0, compare_trace);
        c->began = lsr_clock();
        for (unsigned round = 0; round < most; round++) {
                if (!c->o->runs && round > 0 && lsr_clock() - c->began > COMPARE_TIME_NS)
                        break;
                compare_each_way(c, 0, compare_run);
        }
        compare_digests(c);
        for (size_t i = 0; i < c->x->n_ways; i++)
                lsr_way_summarize(&c->x->ways[i]);
}

static void compare_facts(struct compare *c)
{
        const char *cache = "warm: everything was read before it is measured";

        lsr_facts_machine(c->x);
        lsr_facts_place(c->x, "file system", c->o->dir);
        if (c->scratch.where)
                lsr_facts_place(c->x, "scratch", c->scratch.where);
        if (c->o->cold && lsr_cold_never(c->o->dir)) {
                c->x->cold = false;
                compare_tell(c, LSR_COMPARE_WARM, "", 0, 0, 0);
        }
        c->x->bundles_warm = c->x->cold && c->scratch.where && lsr_cold_never(c->scratch.where);
        c->x->names_warm = c->x->cold && !lsr_cold_drop_all();
        if (c->x->names_warm)
                cache = "cold: pages are dropped before each run by posix_fadvise; dentries and inodes stay warm";
        else if (c->x->cold)
                cache = "cold: pages, dentries and inodes are dropped before each run";
        lsr_fact_printf(c->x, "cache", "%s%s", cache,
                        c->x->bundles_warm ? "; the bundles are in memory, and stay warm" : "");
        if (c->x->bundles_warm)
                compare_tell(c, LSR_COMPARE_WARM_BUNDLES, c->scratch.where, 0, 0, 0);
}

static int compare_all(struct compare *c)
{
        unsigned rounds = c->o->runs ? c->o->runs : COMPARE_RUNS;
        int r = compare_may_start(c);

        if (r == 0)
                r = compare_inventory(c);
        c->steps = (unsigned)(1 + c->o->n_formats * (c->o->random > 0 ? 2 : 1) +
                              (1 + rounds) * (COMPARE_FILE_WAYS + c->o->n_formats));
        for (size_t i = 0; i < c->o->n_formats; i++)
                lsr_bundling_format(c->o->formats[i], &c->formats[i]);
        if (r == 0)
                r = compare_may_open(c);
        if (r == 0)
                r = compare_scratch(c);
        if (r != 0)
                return r;
        compare_facts(c);
        compare_choose(c);
        compare_ways(c);
        compare_warm(c);
        r = compare_bundles(c);
        if (r == 0)
                compare_measure(c);
        return r;
}

int lsr_compare(const struct lsr_compare_options *options, struct lsr_experiment *ret_experiment)
{
        struct compare c = { .o = options, .x = ret_experiment, .scratch.fd = -1 };
        int r;

        *ret_experiment = (struct lsr_experiment){
                .dir = options->dir, .cold = options->cold, .random = options->random, .each = options->each
        };
        c.formats = lsr_xmalloc(options->n_formats * sizeof(*c.formats) + 1);
        r = compare_all(&c);
        for (size_t i = 0; c.ways && i < c.x->n_ways; i++)
                lsr_bundled_free(&c.ways[i].bundled);
        lsr_scratch_close(&c.scratch);
        lsr_inventory_free(&c.inventory);
        free(c.formats);
        free(c.ways);
        free(c.picks);
        return r;
}
