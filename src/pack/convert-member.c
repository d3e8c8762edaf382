/* convert-member - which members of a bundle are packed again, and what is said of each */
#include "pack/converting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/cleanup.h"
#include "catalogue/acl.h"

char *convert_path(const struct convert *v, uint32_t row)
{
        size_t len = lsr_catalogue_path(v->c, row, NULL, 0), skip = v->skip < len ? v->skip : len;
        char *path = lsr_xmalloc(len + 1);

        lsr_catalogue_path(v->c, row, path, len + 1);
        memmove(path, path + skip, len - skip + 1);
        return path;
}

void convert_trouble(struct convert *v, enum lsr_pack_trouble what, const char *path, int error, uint64_t at)
{
        const struct lsr_pack_options *o = v->o->options;

        o->trouble(o->ctx, what, *path ? path : ".", error, at);
}

/* --- what a member says ---------------------------------------------------------- */

/* Access control lists as the kernel has them; what cannot be understood stays as it is.  Allocated. */
static uint8_t *convert_xattrs(const struct lsr_member *m, size_t *ret_len)
{
        const uint8_t *p = m->xattrs, *end = p + (m->xattrs ? m->xattrs_len : 0);
        uint8_t *all = NULL;
        size_t len = 0;

        while (p < end) {
                const char *name = (const char *)p, *kernel;
                size_t name_len = strnlen(name, (size_t)(end - p)), size;
                lsr_autofree uint8_t *converted = NULL;
                const uint8_t *value;
                uint32_t n;
                bool is_text;

                if ((size_t)(end - p) < name_len + 1 + 4)
                        break;
                n = lsr_le32(p + name_len + 1);
                value = p + name_len + 1 + 4;
                if (n > (size_t)(end - value))
                        break;
                p = value + n;
                kernel = lsr_acl_kernel_name(name, &is_text);
                if (is_text && n > 0 && lsr_acl_from_text((const char *)value, n, &converted, &size) == 0) {
                        name = kernel;
                        value = converted;
                        n = (uint32_t)size;
                } else if (is_text) {
                        continue;
                }
                name_len = strlen(name) + 1;
                all = lsr_xrealloc(all, len + name_len + 4 + n);
                memcpy(all + len, name, name_len);
                lsr_put_le32(all + len + name_len, n);
                memcpy(all + len + name_len + 4, value, n);
                len += name_len + 4 + n;
        }
        *ret_len = len;
        return all;
}

/* What the bundle does not say is as unpacking would make it. */
static void convert_complete(struct convert *v, uint32_t row, struct lsr_member *m)
{
        const struct lsr_pack_options *o = v->o->options;
        struct lsr_meta *meta = &m->meta;
        bool is_dir = S_ISDIR(meta->mode);

        if (!(meta->known & LSR_FIELD_TYPE))
                meta->mode = S_IFREG | (meta->mode & 07777);
        if (!(meta->known & LSR_FIELD_MODE))
                meta->mode = (uint16_t)((meta->mode & S_IFMT) | (is_dir ? 0755 : 0644));
        if (!(meta->known & LSR_FIELD_UID))
                meta->uid = geteuid();
        if (!(meta->known & LSR_FIELD_GID))
                meta->gid = getegid();
        if (meta->known & LSR_FIELD_MTIME) {
                meta->sec[LSR_MTIME] = lsr_member_mtime(m);
        } else if (is_dir) {
                struct lsr_member newest;

                lsr_catalogue_get(v->c, lsr_catalogue_newest((struct lsr_catalogue *)(uintptr_t)v->c, row), &newest);
                meta->sec[LSR_MTIME] = newest.meta.known & LSR_FIELD_MTIME ? lsr_member_mtime(&newest) : 0;
        }
        meta->known |= LSR_FIELD_TYPE | LSR_FIELD_MODE | LSR_FIELD_UID | LSR_FIELD_GID | LSR_FIELD_MTIME;
        lsr_pack_override(o, m);
        if (!S_ISREG(meta->mode))
                meta->size = 0;
        m->flags &= LSR_MEMBER_HARDLINK;
        if (o->no_xattrs)
                m->xattrs = NULL, m->xattrs_len = 0;
}

void convert_set(struct convert *v, uint32_t row, const struct lsr_member *m, char *path)
{
        v->m = *m;
        v->m.flags &= ~(unsigned)LSR_MEMBER_HARDLINK;
        free(v->path);
        free(v->xattrs);
        v->path = path;
        v->xattrs = convert_xattrs(m, &v->m.xattrs_len);
        v->m.path = path;
        v->m.path_len = strlen(path);
        v->m.xattrs = v->xattrs;
        v->m.packed = UINT64_MAX;
        convert_complete(v, row, &v->m);
}

void convert_get(struct convert *v, uint32_t row)
{
        struct lsr_member m;

        lsr_catalogue_get(v->c, lsr_catalogue_link(v->c, row), &m);
        convert_set(v, row, &m, convert_path(v, row));
}

int convert_header(struct convert *v, const struct lsr_extent *extents, size_t n)
{
        struct lsr_member *m = &v->m;
        int r = v->w->kind->member(v->w, m, extents, n);

        if (r < 0)
                return r;
        if (r & (LSR_LOSS_SIZE | LSR_LOSS_NAME))
                convert_trouble(v, r & LSR_LOSS_SIZE ? LSR_PACK_SIZE : LSR_PACK_NAME, m->path, 0, 0);
        else
                lsr_pack_lost(v->stats, (unsigned)r, m->path);
        if (r & LSR_LOSS_KIND)
                return 1;
        v->stats->members++;
        return 0;
}

int convert_put(struct convert *v)
{
        int r;

        if (S_ISSOCK(v->m.meta.mode)) {
                convert_trouble(v, LSR_PACK_SOCKET, v->m.path, 0, 0);
                return 1;
        }
        if (S_ISLNK(v->m.meta.mode) && v->m.target_len == 0) {
                convert_trouble(v, LSR_PACK_MEMBER, v->m.path, -EBADMSG, 0);
                return 1;
        }
        r = convert_header(v, NULL, 0);
        if (r == 0)
                v->stats->digest += lsr_digest_member(&v->m, 0);
        return r;
}

int convert_plain(struct convert *v, uint32_t row)
{
        int r;

        convert_get(v, row);
        if (v->targets && v->targets[row]) {
                v->m.target = v->targets[row];
                v->m.target_len = strlen(v->m.target);
        }
        r = convert_put(v);
        v->state[row] |= r == 0 ? CONVERT_WRITTEN | CONVERT_DONE : CONVERT_DONE;
        return r < 0 ? r : 0;
}

/* --- which ------------------------------------------------------------------------ */

/* Is it left out, or taken by itself?  Parents come before their children. */
static void convert_match(struct convert *v, uint32_t row, uint32_t top)
{
        uint32_t parent = lsr_catalogue_parent(v->c, row);
        uint8_t above = row == top ? 0 : v->state[parent];
        lsr_autofree char *path = convert_path(v, row);
        char *matched = strlen(path) > v->below ? path + v->below : path;
        struct lsr_member m;
        bool is_dir;

        lsr_catalogue_get(v->c, row, &m);
        is_dir = S_ISDIR(m.meta.mode);
        v->state[row] = above & (CONVERT_ALL | CONVERT_OUT);
        if (row != top && v->o->options->excludes && lsr_excludes_has(v->o->options->excludes, matched, m.path, is_dir))
                v->state[row] |= CONVERT_OUT;
        if (v->o->includes && row != top && lsr_excludes_has(v->o->includes, matched, m.path, is_dir)) {
                v->state[row] |= CONVERT_ALL;
                v->o->matched++;
        }
        if (v->state[row] & CONVERT_OUT || !(v->state[row] & CONVERT_ALL || !v->o->includes))
                return;
        v->state[row] |= CONVERT_WANTED;
        /* With the directories that it is in. */
        for (; row != top && !(v->state[parent] & CONVERT_WANTED);
             row = parent, parent = lsr_catalogue_parent(v->c, row))
                v->state[parent] |= CONVERT_WANTED;
}

/* In breadth-first order, as slices. */
void convert_select(struct convert *v, uint32_t top)
{
        uint32_t rows = lsr_catalogue_rows(v->c);
        uint32_t *all = lsr_xmalloc(((size_t)rows + 1) * sizeof(*all));
        size_t n = 0;
        struct lsr_member root;

        lsr_catalogue_get(v->c, top, &root);
        v->below = top ? root.path_len + 1 : 0;
        if (v->o->options->excludes)
                lsr_excludes_root(v->o->options->excludes, NULL, top ? root.path : "", NULL);
        if (v->o->includes)
                lsr_excludes_root(v->o->includes, NULL, top ? root.path : "", NULL);
        all[n++] = top;
        for (size_t i = 0; i < n; i++) {
                struct lsr_slice below = lsr_catalogue_children(v->c, all[i]);

                convert_match(v, all[i], top);
                for (uint32_t k = 0; k < below.n; k++)
                        all[n++] = below.first + k;
        }
        free(all);
        if (top == 0 && root.flags & LSR_MEMBER_IMPLIED)
                v->state[0] &= (uint8_t)~CONVERT_WANTED;
}
