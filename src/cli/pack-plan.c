/*
 * pack-plan - operands and options of --pack, checked before anything is made
 */
#include "cli/pack.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/accounts.h"
#include "base/cleanup.h"
#include "base/git.h"
#include "base/out.h"
#include "base/path.h"
#include "base/thread.h"
#include "cli/message.h"
#include "entry.h"
#include "formats/format.h"
#include "remote/url.h"

/* A copy that lives as long as the plan. */
static char *plan_text(struct lsr_pack_plan *plan, const char *text)
{
        return lsr_arena_strndup(&plan->texts, text, strlen(text));
}

/* --- options ------------------------------------------------------------------ */

char *lsr_pack_suffixes(void)
{
        struct lsr_out out = LSR_OUT_MEMORY;

        for (const struct lsr_writer_kind *const *kind = lsr_writers; *kind; kind++)
                lsr_out_printf(&out, "%s%s", out.len ? " " : "", (*kind)->suffixes[0]);
        lsr_out_putc(&out, '\0');
        return out.buf;
}

static int plan_unknown(const char *what, const char *name)
{
        lsr_autofree char *suffixes = lsr_pack_suffixes();

        lsr_default_blame(name);
        return lsr_message("%s %s is not a format that lsr can write; use one of %s", what, lsr_quoted_always(name),
                           suffixes);
}

static int plan_kind(struct lsr_pack_plan *plan, const struct lsr_settings *settings)
{
        const struct lsr_pack_settings *s = &settings->pack;
        size_t len = settings->output ? strlen(settings->output) : 0;
        bool to_file = len > 0 && strcmp(settings->output, "-") != 0 && !s->each && settings->output[len - 1] != '/';

        plan->kind = lsr_writers[0];
        if (s->format) {
                /* Suffixes are looked for at the end of names. */
                lsr_autofree char *name = lsr_xprintf("x%s%s", s->format[0] == '.' ? "" : ".", s->format);

                plan->kind = lsr_writer_kind_of(name);
                if (!plan->kind || strchr(s->format, '/'))
                        return plan_unknown("--bundle-format", s->format);
        } else if (to_file) {
                plan->kind = lsr_writer_kind_of(settings->output);
                if (!plan->kind)
                        return plan_unknown("the suffix of", settings->output);
        }
        return 0;
}

static int plan_writer(struct lsr_pack_plan *plan, const struct lsr_pack_settings *s)
{
        const struct lsr_writer_kind *kind = plan->kind;
        const char *format = kind->suffixes[0];

        plan->writer = (struct lsr_writer_options){ .level = s->level, .threads = lsr_thread_cpus() };
        if (s->level == LSR_LEVEL_DEFAULT)
                return 0;
        if (kind->level_min == 0 && kind->level_max == 0)
                return lsr_message("%s has no compression levels", format);
        if (s->level < kind->level_min || s->level > kind->level_max)
                return lsr_message("%s has no compression level %d: use %d to %d", format, s->level, kind->level_min,
                                   kind->level_max);
        return 0;
}

/* An id: a number, or a name that the database has. */
static bool plan_id(const char *text, bool group, uint32_t *ret_id, const char **ret_name)
{
        char *end;
        unsigned long v;
        bool found;

        errno = 0;
        v = strtoul(text, &end, 10);
        if (text[0] >= '0' && text[0] <= '9' && !*end) {
                *ret_id = (uint32_t)v;
                return errno == 0 && v < UINT32_MAX;
        }
        found = lsr_account_find(group, text, strlen(text), ret_id);
        if (found)
                *ret_name = text;
        return found;
}

/* USER, USER:GROUP or :GROUP. */
static int plan_owner(struct lsr_pack_plan *plan, const char *owner)
{
        struct lsr_pack_options *o = &plan->pack;
        const char *bad = NULL;
        char *user, *group;

        if (!owner)
                return 0;
        user = plan_text(plan, owner);
        group = strchr(user, ':');
        if (group)
                *group++ = '\0';
        o->set_owner = user[0];
        o->set_group = group && group[0];
        if (o->set_owner && !plan_id(user, false, &o->uid, &o->user))
                bad = "user";
        else if (o->set_group && !plan_id(group, true, &o->gid, &o->group))
                bad = "group";
        else if (!o->set_owner && !o->set_group)
                bad = "owner";
        if (!bad)
                return 0;
        lsr_default_blame(owner);
        return lsr_message("invalid %s in '--owner=%s'", bad, lsr_printable(owner));
}

/* Whole seconds since 1970.  False: it is no such number. */
static bool plan_seconds(const char *text, int64_t *ret_sec)
{
        char *end;

        errno = 0;
        *ret_sec = strtoll(text, &end, 10);
        return end != text && !*end && errno == 0;
}

/* @SECONDS, or a date with perhaps a time, in UTC. */
static bool plan_time(const char *text, int64_t *ret_sec)
{
        static const char *const formats[] = { "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S",
                                               "%Y-%m-%d %H:%M", "%Y-%m-%d" };

        if (text[0] == '@')
                return plan_seconds(text + 1, ret_sec);
        for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
                struct tm tm = {};
                const char *end = strptime(text, formats[i], &tm);

                if (end && !*end) {
                        *ret_sec = timegm(&tm);
                        return true;
                }
        }
        return false;
}

static int plan_times(struct lsr_pack_plan *plan, const char *mtime)
{
        struct lsr_pack_options *o = &plan->pack;
        const char *epoch = getenv("SOURCE_DATE_EPOCH");

        o->set_time = mtime;
        o->clamp = epoch && *epoch;
        lsr_default_blame(mtime);
        if (mtime && !plan_time(mtime, &o->time_sec))
                return lsr_message("invalid time %s for '--mtime': use @SECONDS or 2024-05-06 07:08:09, in UTC",
                                   lsr_quoted_always(mtime));
        lsr_default_blame(NULL);
        if (o->clamp && !plan_seconds(epoch, &o->clamp_sec))
                return lsr_message("SOURCE_DATE_EPOCH is not a number of seconds: %s", lsr_quoted_always(epoch));
        return 0;
}

/* --- operands ----------------------------------------------------------------- */

/* The last component of @path, without the '/' behind it; "" where that is "." or "..", or there is none. */
static const char *plan_prefix(struct lsr_pack_plan *plan, const char *path)
{
        size_t end = strlen(path), begin;

        while (end > 0 && path[end - 1] == '/')
                end--;
        for (begin = end; begin > 0 && path[begin - 1] != '/'; begin--)
                ;
        if (end - begin <= 2 && strncmp(path + begin, "..", end - begin) == 0)
                begin = end;
        return lsr_arena_strndup(&plan->texts, path + begin, end - begin);
}

/* Where @operand is, which may be below the directory that was named. */
static const char *plan_place(struct lsr_pack_plan *plan, const struct lsr_settings *s, const char *operand)
{
        const char *dir = s->pack.directory;
        lsr_autofree char *path = dir && operand[0] != '/' ? lsr_path_new(dir, operand) : NULL;

        return path ? plan_text(plan, path) : operand;
}

/* zip and 7z have the name of what is made as an operand, too. */
static int plan_missing(const char *operand)
{
        int error = errno, status = lsr_message_errno(error, "cannot access %s", lsr_quoted_always(operand));

        if (error == ENOENT && lsr_writer_kind_of(operand))
                lsr_message("what is to be made is named with '--output=%s'", lsr_printable(operand));
        return status;
}

/* One operand, at its place.  Returns 0 or an exit status. */
static int plan_root(struct lsr_pack_plan *plan, const char *operand, bool gitignore, struct lsr_walk_root *ret_root)
{
        lsr_autofree char *real = realpath(operand, NULL);
        struct lsr_keep *keep = NULL;
        struct stat st;
        int r;

        if (!real || stat(real, &st) < 0)
                return plan_missing(operand);
        r = gitignore && S_ISDIR(st.st_mode) ? lsr_keep_git(&keep, real) : 0;
        if (r == -EINVAL)
                return lsr_message("git cannot list what it ignores in %s: %s", lsr_quoted_always(operand),
                                   lsr_git_said());
        if (r < 0)
                return lsr_message_errno(-r, "cannot run git");
        *ret_root = (struct lsr_walk_root){ .path = plan_text(plan, real),
                                            .given = plan_text(plan, operand),
                                            .prefix = plan_prefix(plan, operand),
                                            .is_dir = S_ISDIR(st.st_mode),
                                            .keep = keep };
        return 0;
}

/* Sort roots by their prefixes, in the order of members. */
static int plan_compare(const void *a, const void *b)
{
        const struct lsr_walk_root *x = a, *y = b;

        return lsr_walk_order(x->prefix, strlen(x->prefix), x->is_dir, y->prefix, strlen(y->prefix), y->is_dir);
}

static int plan_check_prefixes(const struct lsr_pack_job *job)
{
        for (size_t i = 1; i < job->n_roots; i++) {
                const char *prefix = job->roots[i].prefix;

                if (!job->roots[0].prefix[0])
                        return lsr_message("%s has no name to be stored under: it can only be packed alone",
                                           lsr_quoted_always(job->roots[0].path));
                if (strcmp(job->roots[i - 1].prefix, prefix) == 0)
                        return lsr_message("%s and %s would both be stored as %s: pack them separately",
                                           lsr_quoted_always(job->roots[i - 1].path),
                                           lsr_quoted_always(job->roots[i].path), lsr_quoted_always(prefix));
        }
        return 0;
}

/* The name of a bundle of @root, in @dir unless that is "". */
static const char *plan_output(struct lsr_pack_plan *plan, const struct lsr_walk_root *root, const char *dir)
{
        const char *name = root->prefix[0] ? root->prefix : plan_prefix(plan, root->path);
        lsr_autofree char *file = lsr_xprintf("%s%s", name[0] ? name : "root", plan->kind->suffixes[0]);
        lsr_autofree char *path = lsr_path_new(dir, file);

        return plan_text(plan, path);
}

static struct lsr_pack_job *plan_add(struct lsr_pack_plan *plan, size_t n_roots)
{
        lsr_grow(&plan->jobs, plan->n_jobs, &plan->cap_jobs);
        plan->jobs[plan->n_jobs] =
                (struct lsr_pack_job){ .roots = lsr_arena_new(&plan->texts, struct lsr_walk_root, n_roots) };
        return &plan->jobs[plan->n_jobs++];
}

/* A root that cannot be read makes no bundle; with --each, the others are packed nevertheless. */
static int plan_readable(const struct lsr_walk_root *root, const char *operand)
{
        /* EPERM is what a container says that does not know faccessat2: then the walk finds out. */
        if (faccessat(AT_FDCWD, root->path, root->is_dir ? R_OK | X_OK : R_OK, AT_EACCESS) == 0 || errno == EPERM)
                return 0;
        return lsr_message_errno(errno, "cannot read %s", lsr_quoted_always(operand));
}

/* The name of the bundle of @job. */
static const char *plan_name(struct lsr_pack_plan *plan, const struct lsr_settings *s, const struct lsr_pack_job *job)
{
        size_t len = s->output ? strlen(s->output) : 0;
        bool is_dir = len > 0 && s->output[len - 1] == '/';

        return s->output && !is_dir ? s->output : plan_output(plan, &job->roots[0], is_dir ? s->output : "");
}

/* What is named by a list. */
static int plan_listed(struct lsr_pack_plan *plan, const struct lsr_settings *s)
{
        struct lsr_pack_job *job = plan_add(plan, 1);
        int status;

        if (s->n_operands > 0)
                return lsr_message_usage("--files-from takes no operands: put %s into the list",
                                         lsr_quoted_always(s->operands[0]));
        if (s->pack.each || s->pack.gitignore)
                return lsr_message_usage("--files-from takes neither --each nor --gitignore");
        status = lsr_pack_names(plan, s, s->pack.directory ? s->pack.directory : ".", job->roots);
        if (status)
                return status;
        job->n_roots = 1;
        job->output = plan_name(plan, s, job);
        return 0;
}

/* All operands in one bundle. */
static int plan_one(struct lsr_pack_plan *plan, const struct lsr_settings *s)
{
        struct lsr_pack_job *job = plan_add(plan, s->n_operands);
        int status;

        for (size_t i = 0; i < s->n_operands; i++) {
                status = plan_root(plan, plan_place(plan, s, s->operands[i]), s->pack.gitignore, &job->roots[i]);
                if (status)
                        return status;
                job->roots[i].given = s->operands[i];
                job->n_roots++;
                status = plan_readable(&job->roots[i], s->operands[i]);
                if (status)
                        return status;
        }
        qsort(job->roots, job->n_roots, sizeof(*job->roots), plan_compare);
        status = plan_check_prefixes(job);
        if (status)
                return status;
        if (s->n_operands > 1 && !s->output)
                return lsr_message("several directories make one bundle: name it with --output=FILE, or use --each");
        if (s->n_operands > 1 && s->output[strlen(s->output) - 1] == '/')
                return lsr_message("several directories make one bundle: name it behind %s, or use --each",
                                   lsr_quoted_always(s->output));
        job->output = plan_name(plan, s, job);
        return 0;
}

static int plan_no_dots(const struct dirent *d)
{
        return !lsr_entry_is_dots(d->d_name);
}

static int plan_by_bytes(const struct dirent **a, const struct dirent **b)
{
        return strcmp((*a)->d_name, (*b)->d_name);
}

/* A bundle of @path, which is a subdirectory unless @type, or a look at it, says otherwise. */
static int plan_subdirectory(struct lsr_pack_plan *plan, const struct lsr_settings *s, const char *path,
                             unsigned char type, uint64_t *loose)
{
        struct lsr_pack_job *job;
        struct stat st;
        int status;

        if (type == DT_UNKNOWN && lstat(path, &st) == 0)
                type = IFTODT(st.st_mode);
        if (type != DT_DIR) {
                ++*loose;
                return 0;
        }
        job = plan_add(plan, 1);
        status = plan_root(plan, path, s->pack.gitignore, job->roots);
        if (status == 0) {
                job->n_roots = 1;
                job->output = plan_output(plan, job->roots, s->output ? s->output : "");
        }
        return status;
}

/* A bundle for every subdirectory of @operand. */
static int plan_each(struct lsr_pack_plan *plan, const struct lsr_settings *s, const char *operand)
{
        struct dirent **names;
        int n = scandir(operand, &names, plan_no_dots, plan_by_bytes), status = 0;
        size_t before = plan->n_jobs;
        uint64_t loose = 0;

        if (n < 0)
                return lsr_message_errno(errno, "cannot open directory %s", lsr_quoted_always(operand));
        for (int i = 0; i < n; i++) {
                lsr_autofree char *path = lsr_path_new(operand, names[i]->d_name);

                if (status == 0)
                        status = plan_subdirectory(plan, s, path, names[i]->d_type, &loose);
                free(names[i]);
        }
        free(names);
        if (status == 0 && plan->n_jobs == before)
                return lsr_message("cannot pack %s: it has no subdirectories for --each to make bundles of",
                                   lsr_quoted_always(operand));
        if (status == 0 && loose > 0)
                lsr_message("%s file%s in %s left out: with --each, only subdirectories become bundles",
                            lsr_grouped(loose), loose == 1 ? "" : "s", lsr_quoted_always(operand));
        return status;
}

/* With a '/' behind its name, a directory that is not there is made when the first bundle is. */
static bool plan_will_be_dir(const char *path)
{
        return errno == ENOENT && path[0] && path[strlen(path) - 1] == '/';
}

static int plan_all_each(struct lsr_pack_plan *plan, const struct lsr_settings *s)
{
        size_t len = s->output ? strlen(s->output) : 0;
        bool remote = s->output && lsr_url_is(s->output);
        struct stat st;
        int status = 0;

        if (remote && s->output[len - 1] != '/')
                return lsr_message("%s names one object: with --each, let it end in '/'", lsr_quoted_always(s->output));
        if (s->output && strcmp(s->output, "-") == 0)
                return lsr_message("--each makes several bundles, and standard output takes only one: name a directory "
                                   "with --output=DIR");
        if (s->output && !remote && (stat(s->output, &st) < 0 ? !plan_will_be_dir(s->output) : !S_ISDIR(st.st_mode)))
                return lsr_message("%s is not a directory, which --output must be with --each",
                                   lsr_quoted_always(s->output));
        for (size_t i = 0; i < s->n_operands && status == 0; i++)
                status = plan_each(plan, s, plan_place(plan, s, s->operands[i]));
        return status;
}

/* Members of a bundle in another one. */
static int plan_bundle(struct lsr_pack_plan *plan, const struct lsr_settings *s)
{
        if (!s->output || s->output[strlen(s->output) - 1] == '/')
                return lsr_message("%s is a bundle already: name the new one with --output=FILE",
                                   lsr_quoted_always(s->operands[0]));
        plan_add(plan, 0)->output = s->output;
        return 0;
}

int lsr_pack_plan_make(struct lsr_pack_plan *ret_plan, const struct lsr_settings *s, bool from_bundle)
{
        struct lsr_pack_plan *plan = ret_plan;
        int status;

        *plan = (struct lsr_pack_plan){ .pack = { .excludes = lsr_excludes_new(s->pack.excludes.list),
                                                  .follow = s->given.follow == LSR_FOLLOW_ALWAYS,
                                                  .one_file_system = s->pack.one_file_system,
                                                  .no_xattrs = s->pack.no_xattrs },
                                        .includes = lsr_excludes_new(s->pack.includes.list) };
        status = plan_kind(plan, s);
        if (status == 0)
                status = plan_writer(plan, &s->pack);
        if (status == 0)
                status = plan_owner(plan, s->pack.owner);
        if (status == 0)
                status = plan_times(plan, s->pack.mtime);
        if (status == 0)
                status = from_bundle     ? plan_bundle(plan, s)
                         : s->files_from ? plan_listed(plan, s)
                         : s->pack.each  ? plan_all_each(plan, s)
                                         : plan_one(plan, s);
        return status;
}

void lsr_pack_plan_free(struct lsr_pack_plan *plan)
{
        for (size_t i = 0; i < plan->n_jobs; i++)
                for (size_t j = 0; j < plan->jobs[i].n_roots; j++)
                        lsr_keep_free(plan->jobs[i].roots[j].keep);
        lsr_excludes_free(plan->pack.excludes);
        lsr_excludes_free(plan->includes);
        lsr_arena_free(&plan->texts);
        free(plan->jobs);
        *plan = (struct lsr_pack_plan){};
}
