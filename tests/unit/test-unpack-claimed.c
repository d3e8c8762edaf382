/*
 * A table of contents that lies about one member: nothing of the lie gets to the disk, all else does.
 */
#include "lsr1-maker.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "source/bundle.h"
#include "unpack/unpack.h"

static struct tape *claimed_tape(void)
{
        struct tape *t = tape_new();

        tape_put(t, tape_header(t, '5', "d/", 0), 100, "0000700", 7);
        tape_file(t, "d/f", 1, 5);
        tape_link(t, '1', "d/h", "d/f");
        tape_link(t, '2', "l", "d/f");
        tape_header(t, '6', "p", 0);
        tape_pax(t, "mtime=1000000000.25");
        tape_file(t, "x", 2, 7);
        tape_file(t, "z", 3, 9);
        return t;
}

static const char *const claimed_names[] = { "d", "d/f", "d/h", "l", "p", "x", "z", "new", "d/new", "e" };

#define CLAIMED_NAMES (sizeof(claimed_names) / sizeof(*claimed_names))

/* What is there of each, a line a name. */
struct claimed_found {
        char lines[CLAIMED_NAMES][256];
        unsigned complaints;
        char said[1024];
};

static void claimed_look(const char *dir, struct claimed_found *f)
{
        for (size_t i = 0; i < CLAIMED_NAMES; i++) {
                char path[PATH_MAX], target[64] = "", names[64] = "";
                struct stat st;

                snprintf(path, sizeof(path), "%s/%s", dir, claimed_names[i]);
                strcpy(f->lines[i], "-");
                if (lstat(path, &st) < 0)
                        continue;
                if (S_ISLNK(st.st_mode))
                        cr_assert_gt(readlink(path, target, sizeof(target) - 1), 0);
                (void)!llistxattr(path, names, sizeof(names));
                snprintf(f->lines[i], sizeof(f->lines[i]), "%o %u/%u %lld %lld.%09ld %llx %u '%s' '%s'", st.st_mode,
                         st.st_uid, st.st_gid, S_ISDIR(st.st_mode) ? 0 : (long long)st.st_size,
                         (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, (unsigned long long)st.st_rdev,
                         S_ISDIR(st.st_mode) ? 0 : (unsigned)st.st_nlink, target, names);
        }
}

static void claimed_say(struct claimed_found *f, const char *text)
{
        size_t len = strlen(f->said);

        f->complaints++;
        snprintf(f->said + len, sizeof(f->said) - len, "%s\n", text);
}

static void claimed_bundle_trouble(void *ctx, const char *path, int error, const char *text)
{
        (void)path;
        if (error)
                claimed_say(ctx, text ? text : "?");
}

static void claimed_trouble(void *ctx, enum lsr_unpack_trouble what, const char *path, int error)
{
        char text[PATH_MAX];

        snprintf(text, sizeof(text), "%s: trouble %d, %d", path, (int)what, error);
        claimed_say(ctx, text);
}

static void claimed_unpack(const struct blob *file, const char *below, struct claimed_found *ret)
{
        char dir[] = "/tmp/lsr-claimed-XXXXXX", path[64], out[64], command[96];
        struct claimed_found *f = memset(ret, 0, sizeof(*ret));
        const struct lsr_unpack_options options = { .output = out, .ctx = f, .trouble = claimed_trouble };
        struct lsr_unpack_result result;
        struct lsr_bundles *bundles;
        struct lsr_unpack_what what = { .n = 1 };
        struct lsr_io *io;
        uint32_t row;
        int64_t found;
        bool began;
        int fd;

        cr_assert_not_null(mkdtemp(dir));
        snprintf(path, sizeof(path), "%s/b.tar.zst", dir);
        snprintf(out, sizeof(out), "%s/out", dir);
        fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        cr_assert_eq(write(fd, file->data, file->n), (ssize_t)file->n);
        close(fd);
        cr_assert_eq(lsr_io_new(&io, "sync"), 0);
        bundles = lsr_bundles_new(&(struct lsr_bundles_options){
                .io = io, .engine = "sync", .ctx = f, .trouble = claimed_bundle_trouble });
        cr_assert_eq(lsr_bundle_open(bundles, path, &what.bundle), 0);
        cr_assert_eq(lsr_bundle_load(what.bundle), 0);
        cr_assert(what.bundle->claimed);
        what.catalogue = what.bundle->catalogue;
        found = lsr_catalogue_find(what.bundle->catalogue, 0, below, strlen(below));
        cr_assert_geq(found, 0);
        row = (uint32_t)found;
        what.rows = &row;
        what.base = lsr_catalogue_parent(what.bundle->catalogue, row);
        cr_assert_eq(lsr_unpack(&what, &options, &began, &result), 0);
        lsr_bundles_free(bundles);
        lsr_io_free(io);
        claimed_look(out, f);
        snprintf(command, sizeof(command), "rm -r %s", dir);
        cr_assert_eq(system(command), 0);
}

/* --- lies ------------------------------------------------------------------------------ */

struct lie {
        const char *name;
        const char *path; /* of the member that is lied about */
        const char *gone; /* names that may not be there because of it, with blanks; NULL: that one */
        void (*tell)(struct lsr_member *m);
        const char *said; /* among what is said */
};

static void lie_mode(struct lsr_member *m)
{
        m->meta.mode |= 04777;
}

static void lie_device(struct lsr_member *m)
{
        m->meta.mode = S_IFCHR | 0666;
        m->meta.known |= LSR_FIELD_DEV;
        m->meta.rdev = 1 << 20 | 3;
}

static void lie_link_type(struct lsr_member *m)
{
        m->meta.mode = S_IFLNK | 0777;
        m->target = "/etc";
        m->target_len = 4;
}

static void lie_uid(struct lsr_member *m)
{
        m->meta.uid = 0;
}

static void lie_gid(struct lsr_member *m)
{
        m->meta.gid = 0;
}

static void lie_unknown_owner(struct lsr_member *m)
{
        m->meta.known &= ~(uint32_t)(LSR_FIELD_UID | LSR_FIELD_GID);
}

static void lie_user(struct lsr_member *m)
{
        m->user = "root";
}

static void lie_mtime(struct lsr_member *m)
{
        m->meta.sec[LSR_MTIME]++;
}

static void lie_nsec(struct lsr_member *m)
{
        m->meta.nsec[LSR_MTIME]++;
}

static void lie_size(struct lsr_member *m)
{
        m->meta.size++;
}

static void lie_target(struct lsr_member *m)
{
        m->target = "/etc";
        m->target_len = 4;
}

static void lie_hard_link(struct lsr_member *m)
{
        m->target = "z";
        m->target_len = 1;
}

static void lie_xattrs(struct lsr_member *m)
{
        m->xattrs = (const uint8_t *)"user.a\0\1\0\0\0x";
        m->xattrs_len = 12;
}

static void lie_acl(struct lsr_member *m)
{
        m->xattrs = (const uint8_t *)"SCHILY.acl.access\0\4\0\0\0u::r";
        m->xattrs_len = 26;
        m->flags |= LSR_MEMBER_ACL;
}

static void lie_sparse(struct lsr_member *m)
{
        m->flags |= LSR_MEMBER_SPARSE;
}

static void lie_path(struct lsr_member *m)
{
        m->path = "new";
        m->path_len = 3;
}

static void lie_place(struct lsr_member *m)
{
        m->position += 1024;
}

static const struct lie lies[] = {
        { "mode", "d/f", "d/f d/h", lie_mode, ": mode" },
        { "device", "p", NULL, lie_device, "byte" },
        { "link instead of a fifo", "p", NULL, lie_link_type, "byte" },
        { "uid", "x", NULL, lie_uid, ": owner" },
        { "gid", "l", NULL, lie_gid, ": owner" },
        { "owner not known", "z", NULL, lie_unknown_owner, ": owner" },
        { "user", "z", NULL, lie_user, ": owner" },
        { "mtime", "p", NULL, lie_mtime, ": mtime" },
        { "nanoseconds", "x", NULL, lie_nsec, ": mtime" },
        { "size", "z", NULL, lie_size, "byte" },
        { "target", "l", NULL, lie_target, ": link" },
        { "hard link", "d/h", NULL, lie_hard_link, ": link" },
        { "attributes", "z", NULL, lie_xattrs, ": attributes" },
        { "list", "z", NULL, lie_acl, ": attributes" },
        { "holes", "x", NULL, lie_sparse, ": holes" },
        { "path", "z", NULL, lie_path, "byte" },
        { "path of a link", "l", NULL, lie_path, "byte" },
        { "place", "d/f", "d/f d/h", lie_place, "byte" },
        { "left out", "l", NULL, NULL, "is not in the table of contents" },
        { "left out, the last", "z", NULL, NULL, "is not in the table of contents" },
        { "left out, the first", "d", "d", NULL, "is not in the table of contents" },
        { "mode of a directory", "d", "d", lie_mode, ": mode" },
        { "time of a directory", "d", "d", lie_mtime, ": mtime" },
};

/* The table of contents of @tape with @lie in it; and another member, unless @more is NULL. */
static struct bundle *claimed_forge(const struct tape *tape, const struct lie *lie, const struct lsr_member *more)
{
        uint32_t rows;
        struct blob honest = toc_of(&tape->tar, &rows), forged = {};
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_catalogue *c;
        struct bundle *bundle;

        cr_assert_eq(lsr_catalogue_decode(&c, honest.data, honest.n), 0);
        for (uint32_t row = 1; row < rows; row++) {
                char path[64];
                struct lsr_member m;

                lsr_catalogue_get(c, row, &m);
                m.path_len = lsr_catalogue_path(c, row, path, sizeof(path));
                m.path = path;
                m.raw = NULL;
                if (lie && strcmp(path, lie->path) == 0 && !lie->tell)
                        continue;
                if (lie && strcmp(path, lie->path) == 0)
                        lie->tell(&m);
                cr_assert_eq(lsr_builder_add(b, &m), 0);
        }
        if (more)
                cr_assert_eq(lsr_builder_add(b, more), 0);
        lsr_catalogue_free(c);
        cr_assert_eq(lsr_builder_finish(b, &c), 0);
        cr_assert_eq(lsr_catalogue_encode(c, &forged.data, &forged.n), 0);
        bundle = pack_toc(tape, &forged, lsr_catalogue_rows(c));
        lsr_catalogue_free(c);
        lsr_builder_free(b);
        free(honest.data);
        free(forged.data);
        return bundle;
}

static bool claimed_is_one(const char *names, const char *name)
{
        size_t n = strlen(name);

        for (const char *at = names; (at = strstr(at, name)); at += n)
                if ((at == names || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
                        return true;
        return false;
}

static void claimed_try(const struct tape *tape, const struct lie *lie, const struct lsr_member *more,
                        const struct claimed_found *honest)
{
        const char *gone = lie->gone ? lie->gone : lie->path;
        struct bundle *b = claimed_forge(tape, lie->path ? lie : NULL, more);
        struct claimed_found f;

        claimed_unpack(&b->file, "", &f);
        for (size_t i = 0; i < CLAIMED_NAMES; i++) {
                const char *want = honest->lines[i];

                /* A directory is there for what is in it, as any other that has no header. */
                if (claimed_is_one(gone, "d") && i == 0)
                        cr_expect(strncmp(f.lines[i], "40755 0/0", 9) == 0, "%s: %s", lie->name, f.lines[i]);
                else if (claimed_is_one(gone, claimed_names[i]))
                        cr_expect_str_eq(f.lines[i], "-", "%s: %s is %s", lie->name, claimed_names[i], f.lines[i]);
                else if (!strstr(gone, "d/h") || strcmp(claimed_names[i], "d/f") != 0)
                        cr_expect_str_eq(f.lines[i], want, "%s: %s is %s, not %s", lie->name, claimed_names[i],
                                         f.lines[i], want);
        }
        cr_expect_gt(f.complaints, 0, "%s", lie->name);
        cr_expect(strstr(f.said, lie->said), "%s: %s", lie->name, f.said);
        free(b->file.data);
        free(b);
}

Test(unpack_claimed, restores_no_lie)
{
        struct tape *tape = claimed_tape();
        struct bundle *b = claimed_forge(tape, NULL, NULL);
        struct claimed_found honest;

        if (geteuid() != 0)
                cr_skip_test("owners are given by root");
        claimed_unpack(&b->file, "", &honest);
        cr_expect_eq(honest.complaints, 0, "%s", honest.said);
        for (size_t i = 0; i < 7; i++)
                cr_expect_str_neq(honest.lines[i], "-");
        for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++)
                claimed_try(tape, &lies[i], NULL, &honest);
        free(b->file.data);
        free(b);
        tape_free(tape);
}

/* What the tar does not have: at a place of another member, or at none. */
Test(unpack_claimed, restores_nothing_more)
{
        struct tape *tape = claimed_tape();
        struct bundle *b = claimed_forge(tape, NULL, NULL);
        const unsigned known = LSR_FIELD_TYPE | LSR_FIELD_MODE | LSR_FIELD_UID | LSR_FIELD_GID | LSR_FIELD_SIZE;
        const struct {
                const char *path;
                mode_t mode;
                uint64_t position;
                unsigned flags;
        } more[] = {
                { "new", S_IFREG | 04755, 512, 0 },    { "d/new", S_IFLNK | 0777, 512, 0 },
                { "e", S_IFDIR | 0777, 0, 0 },         { "new", S_IFREG | 0644, 1 << 20, 0 },
                { "e/new", S_IFREG | 0644, 512, 0 },   { "new", S_IFREG | 0644, 1536, LSR_MEMBER_HARDLINK },
                { "new", S_IFIFO | 0644, 1 << 20, 0 }, { "new", S_IFREG | 0644, 512, LSR_MEMBER_HARDLINK },
        };
        struct claimed_found honest;

        claimed_unpack(&b->file, "", &honest);
        for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++) {
                const struct lie lie = { .name = more[i].path, .gone = "new d/new e", .said = "byte" };
                const struct lsr_member m = { .path = more[i].path,
                                              .path_len = strlen(more[i].path),
                                              .meta = { .known = known, .mode = more[i].mode },
                                              .position = more[i].position,
                                              .data = more[i].position + 512,
                                              .target = "d/f",
                                              .target_len = 3,
                                              .flags = more[i].flags };

                claimed_try(tape, &lie, &m, &honest);
        }
        free(b->file.data);
        free(b);
        tape_free(tape);
}

/* A hard link without what it leads to: it gets the content, and both headers count. */
Test(unpack_claimed, parts)
{
        struct tape *tape = tape_new();
        const struct lie lies_of_both[] = { { .path = "d/f", .tell = lie_mode },
                                            { .path = "e/h", .tell = lie_hard_link },
                                            { .path = "e/h", .tell = lie_place } };
        struct claimed_found f;
        struct bundle *b;

        tape_header(tape, '5', "d/", 0);
        tape_file(tape, "d/f", 1, 5);
        tape_header(tape, '5', "e/", 0);
        tape_link(tape, '1', "e/h", "d/f");
        tape_file(tape, "z", 1, 5);
        b = claimed_forge(tape, NULL, NULL);
        claimed_unpack(&b->file, "e", &f);
        cr_expect_eq(f.complaints, 0, "%s", f.said);
        cr_expect(strncmp(f.lines[9], "40644", 5) == 0, "%s", f.lines[9]);
        free(b->file.data);
        free(b);
        for (size_t i = 0; i < 3; i++) {
                b = claimed_forge(tape, &lies_of_both[i], NULL);
                claimed_unpack(&b->file, "e/h", &f);
                cr_expect_gt(f.complaints, 0);
                free(b->file.data);
                free(b);
        }
        tape_free(tape);
}
