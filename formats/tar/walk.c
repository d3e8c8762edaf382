/*
 * walk - from header to header
 *
 * A tar has no index: each header gives the distance to the next one, so
 * listing walks along a chain, and its cost is passing over the contents.
 *
 * Extensions before a header may overrule it.  They are gathered until their
 * header comes; then all of them describe one member.
 *
 * Damage: an input that ends too early ends the walk; a header that is damaged
 * starts a search for the next one, block by block.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/path.h"
#include "formats/tar/tar.h"

static const struct tar_text tar_extension_name = { "an extension header", 19 };

/* --- trouble ------------------------------------------------------------------ */

/* The input failed, not the tar. */
int tar_walk_failed(struct tar_walk *w, int error)
{
        if (w->in->what)
                lsr_scan_trouble(w->scan, error, "%s; the tar is read up to byte %s", w->in->what,
                                 lsr_grouped(w->in->at));
        else
                lsr_scan_trouble(w->scan, error, "reading the tar failed at byte %s", lsr_grouped(w->in->at));
        return error;
}

static int tar_short_header(struct tar_walk *w)
{
        lsr_scan_trouble(w->scan, -EBADMSG, "tar ends too early: the header at byte %s is cut short",
                         lsr_grouped(w->in->at));
        return -EBADMSG;
}

/* @n bytes ending at @end were to be there. */
static int tar_short_data(struct tar_walk *w, struct tar_text name, uint64_t end)
{
        uint64_t at = w->in->at;

        if (end > at)
                lsr_scan_trouble(w->scan, -EBADMSG, "tar ends too early: %s bytes of '%.*s' are missing at byte %s",
                                 lsr_grouped(end - at), TAR_SHOWN(name), lsr_grouped(at));
        else
                lsr_scan_trouble(w->scan, -EBADMSG,
                                 "tar ends too early: the padding behind '%.*s' is cut short at byte %s",
                                 TAR_SHOWN(name), lsr_grouped(at));
        return -EBADMSG;
}

/* --- steps -------------------------------------------------------------------- */

/*
 * Pass over content of @n bytes and its padding.  0; -EBADMSG, said: the input ends before.
 */
static int tar_pass(struct tar_walk *w, struct tar_text name, uint64_t n)
{
        uint64_t end = w->in->at + n;
        int r = w->hops ? tar_hop_over(w->in, tar_padded(n)) : lsr_input_skip(w->in, tar_padded(n));

        if (r == -ENODATA)
                return tar_short_data(w, name, end);
        return r < 0 ? tar_walk_failed(w, r) : 0;
}

/*
 * The body of an extension, NUL-terminated.  0; 1: it is too large, and was passed over; -EBADMSG and the like, said.
 */
static int tar_body(struct tar_walk *w, uint64_t n, struct tar_text *ret_body)
{
        uint64_t at = w->in->at;
        ssize_t got;
        char *body;
        int r;

        if (n > lsr_limit(LSR_LIMIT_HEADER)) {
                lsr_scan_trouble(w->scan, -E2BIG, "extension header at byte %s is larger than %s bytes%s",
                                 lsr_grouped(at - TAR_BLOCK), lsr_grouped(lsr_limit(LSR_LIMIT_HEADER)),
                                 lsr_limit_raised(LSR_LIMIT_HEADER));
                r = tar_pass(w, tar_extension_name, n);
                return r < 0 ? r : 1;
        }
        body = lsr_arena_text(&w->bodies, (size_t)n + 1);
        got = lsr_input_read(w->in, body, (size_t)n);
        if (got < 0)
                return tar_walk_failed(w, (int)got);
        if ((uint64_t)got < n)
                return tar_short_data(w, tar_extension_name, at + n);
        r = lsr_input_skip(w->in, tar_padded(n) - n);
        if (r < 0)
                return r == -ENODATA ? tar_short_data(w, tar_extension_name, at + n) : tar_walk_failed(w, r);
        body[n] = '\0';
        *ret_body = (struct tar_text){ body, (size_t)n };
        return 0;
}

/* Records of an x or g header. */
static int tar_records(struct tar_walk *w, bool global)
{
        bool more = w->records;
        struct tar_text body;
        size_t bad;
        int r = tar_body(w, w->header.meta.size, &body);

        if (r)
                return r < 0 ? r : 0;
        if (global) {
                w->global.left_out = w->global.invalid = false;
                r = tar_pax_parse_global(&w->global, &w->pax, (char *)body.s, body.len, &bad);
                /* After an x, which prevails, it is for those behind only. */
                if (!w->records)
                        tar_pax_begin(&w->pax, &w->global);
        } else {
                r = tar_pax_parse(&w->pax, (char *)body.s, body.len, &bad);
                w->records = true;
        }
        if (r < 0)
                lsr_scan_trouble(w->scan, r, "pax record at byte %s is damaged",
                                 lsr_grouped(w->in->at - tar_padded(body.len) + bad));
        /* It may have been the header of the member to which those before it belong. */
        if (r < 0 && !global && (more || w->long_name.s || w->long_link.s)) {
                tar_pax_begin(&w->pax, &w->global);
                w->long_name = w->long_link = (struct tar_text){};
        }
        if (global ? w->global.left_out : w->pax.left_out)
                lsr_scan_trouble(w->scan, -E2BIG, "extended attributes of the header at byte %s are too large",
                                 lsr_grouped(w->in->at - tar_padded(body.len) - TAR_BLOCK));
        if (global ? w->global.invalid : w->pax.invalid)
                lsr_scan_trouble(w->scan, -EBADMSG,
                                 "a value of the header at byte %s cannot be read, and is passed over",
                                 lsr_grouped(w->in->at - tar_padded(body.len) - TAR_BLOCK));
        return 0;
}

/* Forget what was gathered for the last member. */
static void tar_begin(struct tar_walk *w)
{
        if (w->chain) {
                lsr_arena_reset(&w->bodies);
                tar_pax_begin(&w->pax, &w->global);
        }
        w->long_name = w->long_link = (struct tar_text){};
        w->map.n = 0;
        w->flags = 0;
        w->chain = 0;
        w->owed = false;
        w->records = false;
        w->position = w->in->at;
}

/* An extension is gathered: 1; it is none: 0; a negative errno, said. */
static int tar_extension(struct tar_walk *w)
{
        struct tar_text *name = NULL, body;
        char type = w->header.type;
        int r;

        switch (type) {
        case 'L':
                name = &w->long_name;
                break;
        case 'K':
                name = &w->long_link;
                break;
        case 'A': /* Solaris: an access control list */
                w->flags |= LSR_MEMBER_ACL;
                break;
        case 'x':
        case 'X': /* Solaris, before it was standardised */
        case 'g':
        case 'N': /* old GNU: a script of renames, nothing of a member */
        case 'V': /* GNU: the name of the volume, no member either */
                break;
        default:
                return 0;
        }
        w->owed |= type != 'g' && type != 'N' && type != 'V';
        if (++w->chain > lsr_limit(LSR_LIMIT_HEADER_CHAIN)) {
                lsr_scan_trouble(w->scan, -E2BIG, "more than %s extension headers in a row at byte %s%s",
                                 lsr_grouped(lsr_limit(LSR_LIMIT_HEADER_CHAIN)), lsr_grouped(w->in->at - TAR_BLOCK),
                                 lsr_limit_raised(LSR_LIMIT_HEADER_CHAIN));
                r = tar_pass(w, tar_extension_name, w->header.meta.size);
                tar_begin(w);
                return r < 0 ? r : 1;
        }
        if (type == 'x' || type == 'X' || type == 'g') {
                r = tar_records(w, type == 'g');
        } else if (name) {
                r = tar_body(w, w->header.meta.size, &body);
                if (r == 0)
                        *name = (struct tar_text){ body.s, strnlen(body.s, body.len) };
        } else {
                r = tar_pass(w, w->header.name, w->header.meta.size);
        }
        return r < 0 ? r : 1;
}

/* --- a member ----------------------------------------------------------------- */

/* Blocks of a GNU sparse map that has no room in the header. */
static int tar_sparse_blocks(struct tar_walk *w)
{
        bool more = w->header.extended;
        int r = w->want_map ? tar_map_gnu(&w->map, w->block + 386, 4) : 0;

        while (more && r == 0) {
                const uint8_t *data;
                ssize_t got = lsr_input_peek(w->in, TAR_BLOCK, &data);

                if (got < 0)
                        return tar_walk_failed(w, (int)got);
                if ((size_t)got < TAR_BLOCK)
                        return tar_short_header(w);
                if (w->want_map)
                        r = tar_map_gnu(&w->map, data, 21);
                more = data[504] != 0;
                lsr_input_take(w->in, TAR_BLOCK);
        }
        if (r < 0)
                lsr_scan_trouble(w->scan, r, "sparse map of the header at byte %s %s%s", lsr_grouped(w->position),
                                 r == -E2BIG ? "has too many pieces" : "is damaged",
                                 r == -E2BIG ? lsr_limit_raised(LSR_LIMIT_PIECES) : "");
        return r;
}

/*
 * Some writers give a hard link the size of what it leads to, and no content; others the content, too.  What
 * follows tells: a header or the end is no content.
 */
static bool tar_body_follows(struct tar_walk *w)
{
        const uint8_t *data;
        struct tar_header h;

        return lsr_input_peek(w->in, TAR_BLOCK, &data) >= (ssize_t)TAR_BLOCK && tar_header_parse(data, &h) < 0;
}

/* What the type letter means for type, content and flags. */
static int tar_settle_type(struct tar_walk *w)
{
        w->type = S_IFREG;
        switch (w->header.type) {
        case '0':
        case '\0':
                if (w->path.len && w->path.s[w->path.len - 1] == '/') {
                        w->type = S_IFDIR;
                        if (w->stored && !tar_body_follows(w))
                                w->stored = 0;
                        /* That would be the root, and have content, so it is a file that has lost its name. */
                        if (w->stored && lsr_path_is_dots(w->path.s, w->path.len))
                                w->type = S_IFREG;
                }
                return 0;
        case '1':
                w->flags |= LSR_MEMBER_HARDLINK;
                if (w->stored && !w->records && !tar_body_follows(w))
                        w->stored = 0;
                return 0;
        case '2':
                w->type = S_IFLNK;
                break;
        case '3':
                w->type = S_IFCHR;
                break;
        case '4':
                w->type = S_IFBLK;
                break;
        case '5':
                w->type = S_IFDIR;
                break;
        case '6':
                w->type = S_IFIFO;
                break;
        case 'D': /* GNU, incremental: with names of what was in it */
                w->type = S_IFDIR;
                return 0;
        case 'M': /* GNU: the rest of a file that began on another volume */
                w->flags |= LSR_MEMBER_SUSPECT;
                lsr_scan_trouble(w->scan, -EBADMSG, "'%.*s' at byte %s continues from another volume, and is not whole",
                                 TAR_SHOWN(w->path), lsr_grouped(w->position));
                return 0;
        case 'S':
                if (w->header.dialect != TAR_GNU)
                        return 0;
                w->flags |= LSR_MEMBER_SPARSE;
                return tar_sparse_blocks(w);
        default: /* '7', contiguous, and what POSIX says of unknown ones: as regular files */
                return 0;
        }
        w->stored = 0;
        return 0;
}

static void tar_settle_ids(struct lsr_meta *m, const struct tar_pax *p)
{
        static const struct {
                enum tar_value value;
                unsigned bit;
        } ids[] = { { TAR_UID, LSR_FIELD_UID }, { TAR_GID, LSR_FIELD_GID } };

        for (size_t i = 0; i < 2; i++) {
                int64_t v = p->values[ids[i].value];

                if (!tar_pax_has(p, ids[i].value))
                        continue;
                m->known &= ~ids[i].bit;
                if (v < 0 || v > UINT32_MAX)
                        continue;
                m->known |= ids[i].bit;
                *(i ? &m->gid : &m->uid) = (uint32_t)v;
        }
}

static void tar_settle_times(struct lsr_meta *m, const struct tar_pax *p)
{
        static const unsigned bits[LSR_TIMES] = { LSR_FIELD_MTIME, LSR_FIELD_ATIME, LSR_FIELD_CTIME, LSR_FIELD_BTIME };

        for (unsigned i = 0; i < LSR_TIMES; i++) {
                if (!(p->times_set & 1u << i))
                        continue;
                m->sec[i] = p->sec[i];
                m->nsec[i] = p->nsec[i];
                m->known |= bits[i];
        }
}

static void tar_settle_device(struct lsr_meta *m, const struct tar_pax *p)
{
        int64_t major = p->values[TAR_DEVMAJOR], minor = p->values[TAR_DEVMINOR];

        if (!tar_pax_has(p, TAR_DEVMAJOR) || !tar_pax_has(p, TAR_DEVMINOR))
                return;
        m->known &= ~LSR_FIELD_DEV;
        if (major < 0 || major > 4095 || minor < 0 || minor >= 1 << 20)
                return;
        m->rdev = (uint32_t)major << 20 | (uint32_t)minor;
        m->known |= LSR_FIELD_DEV;
}

static struct tar_text tar_first(struct tar_text a, struct tar_text b, struct tar_text c)
{
        return a.s ? a : b.s ? b : c;
}

/* The header of a member is here, and all extensions to it.  0 or a negative errno, said. */
static int tar_settle(struct tar_walk *w)
{
        const struct tar_pax *p = &w->pax;
        struct tar_header *h = &w->header;
        struct lsr_meta *m = &h->meta;
        int r;

        w->path = tar_first(p->texts[TAR_PATH], w->long_name, h->name);
        if (p->texts[TAR_SPARSE_NAME].s)
                w->path = p->texts[TAR_SPARSE_NAME];
        w->target = tar_first(p->texts[TAR_LINK], w->long_link, h->link);
        w->stored = m->size;
        /* Old libarchives gave sparse files of 8 GiB and more their real size there, and the header the right one. */
        if (tar_pax_has(p, TAR_SIZE) && p->values[TAR_SIZE] >= 0 &&
            !(m->size && tar_pax_has(p, TAR_REAL_SIZE) && p->values[TAR_SIZE] == p->values[TAR_REAL_SIZE]))
                w->stored = (uint64_t)p->values[TAR_SIZE];
        if (p->acl)
                w->flags |= LSR_MEMBER_ACL;
        r = tar_settle_type(w);
        if (r < 0)
                return r;
        w->data = w->in->at;
        m->mode = (m->mode & 07777) | w->type;
        m->known |= LSR_FIELD_TYPE;
        m->size = w->type == S_IFREG ? w->stored : w->type == S_IFLNK ? w->target.len : 0;
        if (w->flags & LSR_MEMBER_SPARSE) {
                m->size = h->real_size;
        } else if (tar_pax_has(p, TAR_REAL_SIZE) && p->values[TAR_REAL_SIZE] >= 0 && w->type == S_IFREG) {
                m->size = (uint64_t)p->values[TAR_REAL_SIZE];
                w->flags |= LSR_MEMBER_SPARSE;
        }
        tar_settle_ids(m, p);
        tar_settle_times(m, p);
        if (w->type == S_IFCHR || w->type == S_IFBLK)
                tar_settle_device(m, p);
        return 0;
}

/* --- the walk ----------------------------------------------------------------- */

/*
 * Where blocks end.  Data after the end mark is ignored.  A tar without members may have the name of a
 * volume or, of an empty tree from git, global records.
 */
static int tar_end(struct tar_walk *w)
{
        if (w->owed)
                lsr_scan_trouble(w->scan, -EBADMSG, "extension header at byte %s belongs to no member",
                                 lsr_grouped(w->position));
        return w->owed ? -EBADMSG : 0;
}

/* The file ended without a block of zeros: the tar may have been cut between two members. */
static int tar_no_end(struct tar_walk *w)
{
        int r = tar_end(w);

        if (r == 0)
                lsr_scan_trouble(w->scan, -EBADMSG, "tar has no end mark: it may be cut short at byte %s",
                                 lsr_grouped(w->in->at));
        return r;
}

static bool tar_zeros(const uint8_t *data, size_t n)
{
        while (n && *data == 0)
                data++, n--;
        return n == 0;
}

/* The header at hand is damaged: find the next one.  1; 0: there is none; a negative errno, said. */
static int tar_resync(struct tar_walk *w)
{
        uint64_t from = w->in->at;

        for (;;) {
                const uint8_t *data;
                ssize_t got;

                lsr_input_take(w->in, TAR_BLOCK);
                got = lsr_input_peek(w->in, TAR_BLOCK, &data);
                if (got < 0)
                        return tar_walk_failed(w, (int)got);
                if ((size_t)got < TAR_BLOCK || w->in->at - from > lsr_limit(LSR_LIMIT_RESYNC)) {
                        lsr_scan_trouble(w->scan, -EBADMSG,
                                         "header at byte %s is damaged, and no other one was found after it%s",
                                         lsr_grouped(from),
                                         (size_t)got < TAR_BLOCK ? "" : lsr_limit_raised(LSR_LIMIT_RESYNC));
                        return 0;
                }
                if (tar_header_plausible(data))
                        break;
        }
        lsr_scan_trouble(w->scan, -EBADMSG, "header at byte %s is damaged; the next one found is at byte %s",
                         lsr_grouped(from), lsr_grouped(w->in->at));
        return 1;
}

/* Is the block of zeros at hand the end mark?  Some writers make one block of it; before anything else it is damage. */
static bool tar_is_end(struct tar_walk *w)
{
        const uint8_t *data;
        ssize_t got = lsr_input_peek(w->in, 2 * TAR_BLOCK, &data);

        return got < (ssize_t)(2 * TAR_BLOCK) || tar_zeros(data + TAR_BLOCK, TAR_BLOCK);
}

int tar_walk_next(struct tar_walk *w)
{
        tar_begin(w);
        for (;;) {
                const uint8_t *data = NULL;
                ssize_t got = lsr_input_peek(w->in, TAR_BLOCK, &data);
                int r;

                if (got < 0)
                        return tar_walk_failed(w, (int)got);
                if (got == 0)
                        return tar_no_end(w);
                if ((size_t)got < TAR_BLOCK)
                        return tar_zeros(data, (size_t)got) ? tar_end(w) : tar_short_header(w);
                memcpy(w->block, data, TAR_BLOCK);
                r = tar_header_parse(w->block, &w->header);
                if (r == 1 && (w->here || tar_is_end(w)))
                        return tar_end(w);
                if (r < 0 && w->here) {
                        lsr_scan_trouble(w->scan, r, "header at byte %s is damaged", lsr_grouped(w->in->at));
                        return r;
                }
                if (r != 0) {
                        r = tar_resync(w);
                        if (r <= 0)
                                return r;
                        tar_begin(w);
                        continue;
                }
                lsr_input_take(w->in, TAR_BLOCK);
                r = tar_extension(w);
                if (r < 0)
                        return r;
                if (r == 0) {
                        r = tar_settle(w);
                        return r < 0 ? r : 1;
                }
        }
}

int tar_walk_pass(struct tar_walk *w)
{
        int r = tar_pass(w, w->path, w->stored);

        if (r < 0 && w->in->at < w->data + w->stored)
                w->flags |= LSR_MEMBER_SUSPECT;
        return r;
}

void tar_walk_member(const struct tar_walk *w, struct lsr_member *ret_member)
{
        const struct tar_pax *p = &w->pax;
        const char *user = p->texts[TAR_USER].s ? p->texts[TAR_USER].s : w->header.user;
        const char *group = p->texts[TAR_GROUP].s ? p->texts[TAR_GROUP].s : w->header.group;
        bool link = w->type == S_IFLNK || w->flags & LSR_MEMBER_HARDLINK;

        *ret_member = (struct lsr_member){
                .path = w->path.s,
                .path_len = w->path.len,
                .meta = w->header.meta,
                .packed = w->stored,
                .position = w->position,
                .data = w->data,
                .user = *user ? user : NULL,
                .group = *group ? group : NULL,
                .target = link && w->target.len ? w->target.s : NULL,
                .target_len = link ? w->target.len : 0,
                .xattrs = p->xattrs_len ? p->xattrs : NULL,
                .xattrs_len = p->xattrs_len,
                .flags = w->flags,
        };
}

void tar_walk_close(struct tar_walk *w)
{
        tar_pax_free(&w->pax);
        tar_pax_free_global(&w->global);
        free(w->map.pieces);
        lsr_arena_free(&w->bodies);
        if (w->hops)
                lsr_input_free(w->in);
}
