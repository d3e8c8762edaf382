/*
 * fault - operations that fail on purpose, for tests
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
 *      ERR    EIO ENOENT EINTR ENOMEM EACCES EAGAIN ECANCELED EFAULT
 *
 * Counting is deterministic, so that every engine shows the same listing for
 * the same spec.  Results are overwritten after the engine has done the work: what
 * is tested is that the layers above believe no field of a failure.  What moves on
 * in a file fails before it is done, so that nothing is lost when it is repeated.
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

struct fault_lot {
        const struct lsr_op *ops;
        size_t n;
};

struct lsr_fault {
        struct lsr_io_stats *stats;
        struct fault_rule rules[FAULT_KINDS];
        struct fault_lot *lots; /* that are under way */
        size_t n_lots;
};

static int fault_hit(struct lsr_fault *f, enum fault_kind kind)
{
        struct fault_rule *rule = &f->rules[kind];

        if (!rule->every || ++rule->count % rule->every != 0)
                return 0;
        f->stats->faults++;
        return rule->error;
}

static int fault_parse_error(const char *s, size_t len)
{
        static const struct {
                const char *name;
                int error;
        } table[] = {
                { "EIO", -EIO },       { "ENOENT", -ENOENT }, { "EINTR", -EINTR },         { "ENOMEM", -ENOMEM },
                { "EACCES", -EACCES }, { "EAGAIN", -EAGAIN }, { "ECANCELED", -ECANCELED }, { "EFAULT", -EFAULT }
        };

        for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
                if (strlen(table[i].name) == len && memcmp(table[i].name, s, len) == 0)
                        return table[i].error;
        return 0;
}

/* One WHAT, up to @end. */
static int fault_parse_rule(struct lsr_fault *f, const char *s, const char *end)
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

struct lsr_fault *lsr_fault_free(struct lsr_fault *f)
{
        if (!f)
                return NULL;
        free(f->lots);
        free(f);
        return NULL;
}

void lsr_fault_add(struct lsr_fault *f, const struct lsr_op *ops, size_t n)
{
        f->lots = lsr_xrealloc(f->lots, (f->n_lots + 1) * sizeof(*f->lots));
        f->lots[f->n_lots++] = (struct fault_lot){ ops, n };
}

void lsr_fault_done(struct lsr_fault *f)
{
        for (size_t l = 0; l < f->n_lots; l++)
                for (size_t i = 0; i < f->lots[l].n; i++)
                        lsr_fault_after(f, &f->lots[l].ops[i]);
        f->n_lots = 0;
}

int lsr_fault_before(struct lsr_fault *f, const struct lsr_op *op)
{
        if (op->kind == LSR_OP_OPEN)
                return fault_hit(f, FAULT_OPEN);
        return op->kind == LSR_OP_READ_DIR ? fault_hit(f, FAULT_DIR) : 0;
}

static void fault_stat(struct lsr_fault *f, struct lsr_meta *meta)
{
        int error = fault_hit(f, FAULT_STAT);

        if (!error)
                return;
        /* Garbage in every field: nobody may look at it. */
        memset(meta, 0x5a, sizeof(*meta));
        meta->error = error;
        meta->known = 0;
}

static void fault_file(struct lsr_fault *f, struct lsr_op_data *file)
{
        int error = fault_hit(f, FAULT_FILE);

        if (error)
                file->ret = error;
        else if (fault_hit(f, FAULT_SHORT) && file->ret > 0)
                file->ret /= 2;
}

/* The last name that is not one of the dots once more. */
static void fault_twice(struct lsr_fault *f, struct lsr_op_data *dir)
{
        const struct dirent *d, *last = NULL;
        size_t n = dir->ret > 0 ? (size_t)dir->ret : 0;

        for (size_t at = 0; at < n; at += d->d_reclen) {
                d = (const struct dirent *)(void *)(dir->buf + at);
                if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
                        last = d;
        }
        if (!last || n + last->d_reclen > dir->cap || !fault_hit(f, FAULT_TWICE))
                return;
        memcpy(dir->buf + n, last, last->d_reclen);
        dir->ret += last->d_reclen;
}

void lsr_fault_after(struct lsr_fault *f, const struct lsr_op *op)
{
        if (op->kind == LSR_OP_STAT)
                fault_stat(f, op->meta);
        else if (op->kind == LSR_OP_READ_FILE)
                fault_file(f, op->data);
        else if (op->kind == LSR_OP_READ_DIR)
                fault_twice(f, op->data);
}

int lsr_fault_read(struct lsr_fault *f, uint32_t *size)
{
        int error = fault_hit(f, FAULT_READ);

        if (error == 0 && *size > 1 && fault_hit(f, FAULT_PART))
                *size /= 2;
        return error;
}

int lsr_fault_new(struct lsr_fault **ret_fault, const char *spec, struct lsr_io_stats *stats)
{
        struct lsr_fault *f = lsr_xmalloc(sizeof(*f));

        *f = (struct lsr_fault){ .stats = stats };
        while (*spec) {
                const char *end = strchrnul(spec, ',');

                if (fault_parse_rule(f, spec, end) < 0 || (*end && !end[1])) {
                        lsr_fault_free(f);
                        return -EINVAL;
                }
                spec = *end ? end + 1 : end;
        }
        *ret_fault = f;
        return 0;
}
