/*
 * fault - an engine that fails on purpose, for tests
 *
 *      --io=fault:ENGINE:WHAT[,WHAT...]
 *      WHAT   stat=ERR/N     every Nth stat fails with ERR
 *             dir=ERR/N      every Nth getdents64 fails with ERR
 *             twice/N        every Nth getdents64 gives a name twice
 *             open=ERR/N     every Nth open of a directory or a bundle fails with ERR
 *             file=ERR/N     every Nth file read fails with ERR
 *             short/N        every Nth file read ends after half of the file
 *             read=ERR/N     every Nth read of a stream or at an offset fails with ERR
 *             part/N         every Nth of these is for half of the bytes
 *      ERR    EIO ENOENT EINTR ENOMEM EACCES EAGAIN ECANCELED
 *
 * Counting is deterministic, so that every engine shows the same listing for
 * the same spec.  Results are overwritten after the wrapped engine has done the
 * work: what is tested is that the layers above believe no field of a failure.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "io/engine.h"

enum fault_kind {
        FAULT_STAT,
        FAULT_DIR,
        FAULT_OPEN,
        FAULT_FILE,
        FAULT_SHORT,
        FAULT_READ,
        FAULT_PART,
        FAULT_TWICE,
        FAULT_KINDS
};

static const char *const fault_names[FAULT_KINDS] = { "stat=", "dir=",  "open=", "file=",
                                                      "short", "read=", "part",  "twice" };

#define FAULT_EVERY_MAX 1000000000ul

struct fault_rule {
        int error;      /* negative errno */
        unsigned every; /* 0: never */
        unsigned count;
};

struct fault_pending {
        const struct lsr_stat_op *ops;
        size_t n;
};

struct fault_engine {
        struct lsr_engine base;
        struct lsr_engine *inner;
        struct fault_rule rules[FAULT_KINDS];
        struct fault_pending *pending; /* ops of the running batch */
        size_t n_pending;
        struct lsr_file_read *files; /* being read */
        size_t n_files;
};

static int fault_hit(struct fault_engine *f, enum fault_kind kind)
{
        struct fault_rule *rule = &f->rules[kind];

        if (!rule->every || ++rule->count % rule->every != 0)
                return 0;
        f->base.stats->faults++;
        return rule->error;
}

static int fault_parse_error(const char *s, size_t len)
{
        static const struct {
                const char *name;
                int error;
        } table[] = { { "EIO", -EIO },       { "ENOENT", -ENOENT }, { "EINTR", -EINTR },        { "ENOMEM", -ENOMEM },
                      { "EACCES", -EACCES }, { "EAGAIN", -EAGAIN }, { "ECANCELED", -ECANCELED } };

        for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
                if (strlen(table[i].name) == len && memcmp(table[i].name, s, len) == 0)
                        return table[i].error;
        return 0;
}

/* One WHAT, up to @end. */
static int fault_parse_rule(struct fault_engine *f, const char *s, const char *end)
{
        const char *slash = memchr(s, '/', (size_t)(end - s));
        unsigned long every;
        char *stop = NULL;

        if (!slash)
                return -EINVAL;
        for (unsigned kind = 0; kind < FAULT_KINDS; kind++) {
                size_t len = strlen(fault_names[kind]);
                struct fault_rule *rule = &f->rules[kind];

                if ((size_t)(slash - s) < len || memcmp(s, fault_names[kind], len) != 0)
                        continue;
                /* "short", "part" and "twice" have no error of their own and nothing before the slash. */
                if (kind == FAULT_SHORT || kind == FAULT_PART || kind == FAULT_TWICE)
                        rule->error = s + len == slash ? -EIO : 0;
                else
                        rule->error = fault_parse_error(s + len, (size_t)(slash - s) - len);
                every = slash[1] >= '0' && slash[1] <= '9' ? strtoul(slash + 1, &stop, 10) : 0;
                rule->every = every <= FAULT_EVERY_MAX ? (unsigned)every : 0;
                return rule->error && rule->every && stop == end ? 0 : -EINVAL;
        }
        return -EINVAL;
}

static struct lsr_engine *fault_free(struct lsr_engine *e)
{
        struct fault_engine *f = (struct fault_engine *)e;

        f->inner->ops->free(f->inner);
        free(f->pending);
        free(f);
        return NULL;
}

static int fault_stat_begin(struct lsr_engine *e, const struct lsr_stat_batch *batch)
{
        struct fault_engine *f = (struct fault_engine *)e;

        f->n_pending = 0;
        return f->inner->ops->stat_begin(f->inner, batch);
}

static int fault_stat_add(struct lsr_engine *e, const struct lsr_stat_op *ops, size_t n)
{
        struct fault_engine *f = (struct fault_engine *)e;

        f->pending = lsr_xrealloc(f->pending, (f->n_pending + 1) * sizeof(*f->pending));
        f->pending[f->n_pending++] = (struct fault_pending){ ops, n };
        return f->inner->ops->stat_add(f->inner, ops, n);
}

static int fault_stat_go(struct lsr_engine *e)
{
        struct lsr_engine *inner = ((struct fault_engine *)e)->inner;

        return inner->ops->stat_go ? inner->ops->stat_go(inner) : 0;
}

static int fault_stat_wait(struct lsr_engine *e)
{
        struct fault_engine *f = (struct fault_engine *)e;
        int r = f->inner->ops->stat_wait(f->inner);

        for (size_t p = 0; p < f->n_pending; p++) {
                for (size_t i = 0; i < f->pending[p].n; i++) {
                        int error = fault_hit(f, FAULT_STAT);

                        if (error) {
                                /* Garbage in every field: nobody may look at it. */
                                memset(f->pending[p].ops[i].meta, 0x5a, sizeof(struct lsr_meta));
                                f->pending[p].ops[i].meta->error = error;
                                f->pending[p].ops[i].meta->known = 0;
                        }
                }
        }
        f->n_pending = 0;
        return r;
}

static int fault_files_start(struct lsr_engine *e, struct lsr_file_read *files, size_t n)
{
        struct fault_engine *f = (struct fault_engine *)e;
        unsigned syscalls = 0;

        f->files = files;
        f->n_files = n;
        if (f->inner->ops->files_start)
                return f->inner->ops->files_start(f->inner, files, n);
        for (size_t i = 0; i < n; i++)
                lsr_sync_read_file(&files[i], &syscalls);
        e->stats->syscalls += syscalls;
        return 0;
}

static int fault_files_wait(struct lsr_engine *e)
{
        struct fault_engine *f = (struct fault_engine *)e;
        int r = f->inner->ops->files_wait ? f->inner->ops->files_wait(f->inner) : 0;

        for (size_t i = 0; i < f->n_files; i++) {
                int error = fault_hit(f, FAULT_FILE);

                if (error)
                        f->files[i].ret = error;
                else if (fault_hit(f, FAULT_SHORT) && f->files[i].ret > 0)
                        f->files[i].ret /= 2;
        }
        f->n_files = 0;
        return r;
}

static void fault_each(struct lsr_engine *e, size_t n, void (*fn)(void *ctx, size_t i), void *ctx)
{
        struct fault_engine *f = (struct fault_engine *)e;

        if (f->inner->ops->each) {
                f->inner->ops->each(f->inner, n, fn, ctx);
        } else {
                for (size_t i = 0; i < n; i++)
                        fn(ctx, i);
        }
}

static int fault_read(struct lsr_engine *e, uint32_t *size)
{
        struct fault_engine *f = (struct fault_engine *)e;
        int error = fault_hit(f, FAULT_READ);

        if (error == 0 && *size > 1 && fault_hit(f, FAULT_PART))
                *size /= 2;
        return error;
}

static int fault_open(struct lsr_engine *e)
{
        return fault_hit((struct fault_engine *)e, FAULT_OPEN);
}

static int fault_read_dir(struct lsr_engine *e)
{
        return fault_hit((struct fault_engine *)e, FAULT_DIR);
}

static size_t fault_dir_done(struct lsr_engine *e, char *buf, size_t n, size_t size)
{
        const struct dirent64 *d, *last = NULL;

        for (size_t at = 0; at < n; at += d->d_reclen) {
                d = (const struct dirent64 *)(void *)(buf + at);
                if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
                        last = d;
        }
        if (!last || n + last->d_reclen > size || !fault_hit((struct fault_engine *)e, FAULT_TWICE))
                return n;
        memcpy(buf + n, last, last->d_reclen);
        return n + last->d_reclen;
}

static const struct lsr_engine_ops fault_ops = {
        .name = "fault",
        .free = fault_free,
        .stat_begin = fault_stat_begin,
        .stat_add = fault_stat_add,
        .stat_go = fault_stat_go,
        .stat_wait = fault_stat_wait,
        .files_start = fault_files_start,
        .files_wait = fault_files_wait,
        .each = fault_each,
        .before_open = fault_open,
        .before_read_dir = fault_read_dir,
        .before_read = fault_read,
        .after_read_dir = fault_dir_done,
};

int lsr_fault_new(struct lsr_engine **ret_engine, struct lsr_engine *inner, const char *spec,
                  struct lsr_io_stats *stats)
{
        struct fault_engine *f = lsr_xmalloc(sizeof(*f));

        memset(f, 0, sizeof(*f));
        f->base = (struct lsr_engine){ &fault_ops, stats };
        while (*spec) {
                const char *end = strchrnul(spec, ',');

                if (fault_parse_rule(f, spec, end) < 0) {
                        free(f);
                        return -EINVAL;
                }
                if (*end && !end[1]) {
                        free(f);
                        return -EINVAL;
                }
                spec = *end ? end + 1 : end;
        }
        f->inner = inner;
        *ret_engine = &f->base;
        return 0;
}
