/*
 * libarchive - one driver for all formats that have none of their own
 *
 * These formats are not used often enough to deserve a reader of their own:
 * libarchive is correct, well tested and fast enough.  Only the format whose
 * magic number was seen is enabled, so that hostile bytes reach one parser.
 * The *_all functions are never used: they bring filters that run external
 * programs, and libxml2 with xar.  Compression around an archive is decoded by
 * our own filters; only an rpm has one inside.
 *
 * Times of DOS (cab, rar, some lha) are civil, and libarchive asks mktime() what
 * that means.  Members are marked as having such times, which is right where
 * scans run in UTC, as the worker does: see LSR_MEMBER_LOCALTIME.
 */
#undef _TIME_BITS /* in the library time_t is what the machine has by itself */

#include "formats/libarchive/libarchive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "formats/drivers.h"
#include "formats/libarchive/magic.h"

#define ARCHIVE_LHA_HEADER ((size_t)25 + 255) /* up to the mark of Unix behind the longest name */

#define ARCHIVE_OWNER (LSR_FIELD_UID | LSR_FIELD_GID)
#define ARCHIVE_PLAIN (LSR_FIELD_TYPE | LSR_FIELD_SIZE | LSR_FIELD_MTIME)
#define ARCHIVE_TIMES (LSR_FIELD_MTIME | LSR_FIELD_ATIME | LSR_FIELD_CTIME | LSR_FIELD_BTIME)
#define ARCHIVE_UNIX (ARCHIVE_PLAIN | ARCHIVE_TIMES | ARCHIVE_OWNER | LSR_FIELD_MODE | LSR_FIELD_DEV)

/*
 * Begin a pass as lsr_archive_begin() does; @lists: through all that there is.  Nobody tells which format was
 * recognised, so it is looked up again.
 */
static int archive_start(struct archive_pass *pass, struct lsr_scan *scan, bool lists);

/*
 * Bytes as they are stored where libarchive keeps them; converted to UTF-8 where they are stored as UTF-16.
 * Asking for UTF-8 first would compose what the archive has decomposed.
 */
static const char *archive_path(struct archive_entry *e)
{
        const char *path = archive_entry_pathname(e);

        return path ? path : archive_entry_pathname_utf8(e);
}

static const char *archive_hardlink(struct archive_entry *e)
{
        const char *path = archive_entry_hardlink(e);

        return path ? path : archive_entry_hardlink_utf8(e);
}

static const char *archive_symlink(struct archive_entry *e)
{
        const char *path = archive_entry_symlink(e);

        return path ? path : archive_entry_symlink_utf8(e);
}

/* --- the listing ------------------------------------------------------------- */

static void archive_time(struct lsr_meta *meta, enum lsr_time which, int64_t sec, long nsec)
{
        static const unsigned bits[] = { LSR_FIELD_MTIME, LSR_FIELD_ATIME, LSR_FIELD_CTIME, LSR_FIELD_BTIME };

        meta->known |= bits[which];
        meta->sec[which] = sec;
        meta->nsec[which] = nsec >= 0 && nsec < 1000000000 ? (uint32_t)nsec : 0;
}

static void archive_times(const struct archive_kind *kind, struct archive_entry *e, struct lsr_meta *meta)
{
        if (archive_entry_mtime_is_set(e))
                archive_time(meta, LSR_MTIME, archive_entry_mtime(e), archive_entry_mtime_nsec(e));
        if (archive_entry_atime_is_set(e))
                archive_time(meta, LSR_ATIME, archive_entry_atime(e), archive_entry_atime_nsec(e));
        if (archive_entry_ctime_is_set(e))
                archive_time(meta, kind->created ? LSR_BTIME : LSR_CTIME, archive_entry_ctime(e),
                             archive_entry_ctime_nsec(e));
        if (archive_entry_birthtime_is_set(e))
                archive_time(meta, LSR_BTIME, archive_entry_birthtime(e), archive_entry_birthtime_nsec(e));
}

/*
 * The fields that this archive has.  An iso without Rock Ridge has neither owners nor modes.  Nor has an lha
 * written under DOS: then there is no owner, and the mode is one that libarchive makes up.
 */
static unsigned archive_fields(const struct archive_pass *pass, struct archive_entry *e, unsigned known)
{
        const struct lsr_format *format = pass->kind->format;
        const char *name = archive_format_name(pass->a);
        unsigned writable = archive_entry_perm(e) | 0222;

        if (format == &lsr_format_iso9660 && !(name && strstr(name, "Rockridge")))
                return ARCHIVE_PLAIN;
        if (format == &lsr_format_lha && !(known & ARCHIVE_OWNER) && (writable == 0666 || writable == 0777))
                return pass->fields & ~(unsigned)LSR_FIELD_MODE;
        /* A line without a mode, more likely than one that forbids everything. */
        if (format == &lsr_format_mtree && !archive_entry_perm(e))
                return pass->fields & ~(unsigned)LSR_FIELD_MODE;
        return pass->fields;
}

static void archive_owner(const struct archive_kind *kind, struct archive_entry *e, struct lsr_member *m)
{
        int64_t uid = archive_entry_uid(e), gid = archive_entry_gid(e);

        m->user = archive_entry_uname(e);
        m->group = archive_entry_gname(e);
        if (m->user && !*m->user)
                m->user = NULL;
        if (m->group && !*m->group)
                m->group = NULL;
        if (kind->owner_optional && !uid && !gid && !m->user && !m->group)
                return;
        if (uid >= 0 && uid <= UINT32_MAX) {
                m->meta.known |= LSR_FIELD_UID;
                m->meta.uid = (uint32_t)uid;
        }
        if (gid >= 0 && gid <= UINT32_MAX) {
                m->meta.known |= LSR_FIELD_GID;
                m->meta.gid = (uint32_t)gid;
        }
}

static void archive_member(const struct archive_pass *pass, struct archive_entry *e, struct lsr_member *ret_member)
{
        struct lsr_member m = { .packed = UINT64_MAX, .position = pass->ordinal - 1 };
        const char *link = archive_hardlink(e);
        unsigned type = archive_entry_filetype(e);

        m.path = archive_path(e);
        m.path_len = m.path ? strlen(m.path) : 0;
        /* An ar need not store a type, nor does libarchive give every hard link one. */
        if (!type && (link || pass->kind->format == &lsr_format_ar))
                type = S_IFREG;
        /* Nor is every number that a cpio may have one. */
        if (type == S_IFMT)
                type = S_IFREG;
        m.meta.mode = type | archive_entry_perm(e);
        m.meta.known = LSR_FIELD_MODE | (type ? LSR_FIELD_TYPE : 0);
        if (archive_entry_size_is_set(e) && archive_entry_size(e) >= 0) {
                m.meta.known |= LSR_FIELD_SIZE;
                m.meta.size = (uint64_t)archive_entry_size(e);
        }
        if (type == S_IFCHR || type == S_IFBLK) {
                m.meta.known |= LSR_FIELD_DEV;
                m.meta.rdev = (uint32_t)(archive_entry_rdevmajor(e) << 20 | (archive_entry_rdevminor(e) & 0xfffff));
        }
        archive_owner(pass->kind, e, &m);
        archive_times(pass->kind, e, &m.meta);
        m.meta.known &= archive_fields(pass, e, m.meta.known);
        if (!(m.meta.known & LSR_FIELD_MODE))
                m.meta.mode &= S_IFMT;
        if (link) {
                m.flags |= LSR_MEMBER_HARDLINK;
                m.target = link;
        } else if (type == S_IFLNK) {
                m.target = archive_symlink(e);
        }
        m.target_len = m.target ? strlen(m.target) : 0;
        /* 7z says 0. */
        if (type == S_IFLNK && m.target)
                m.meta.size = m.target_len;
        if (archive_entry_is_encrypted(e))
                m.flags |= LSR_MEMBER_ENCRYPTED;
        if (pass->civil)
                m.flags |= LSR_MEMBER_LOCALTIME;
        *ret_member = m;
}

/*
 * In a cpio the last of several hard links may have the content, and the first, which is the file to libarchive,
 * none.  Then the file is told once more, this time with the content; the last of two counts.
 */
static int archive_add_content(const struct archive_pass *pass, const struct lsr_member *m)
{
        struct lsr_member file = *m;

        if (!(m->flags & LSR_MEMBER_HARDLINK) || !m->meta.size || !(m->meta.known & LSR_FIELD_SIZE))
                return 0;
        file.flags = (file.flags & ~(unsigned)LSR_MEMBER_HARDLINK) | LSR_MEMBER_SHADOWS;
        file.path = m->target;
        file.path_len = m->target_len;
        file.target = NULL;
        file.target_len = 0;
        return lsr_builder_add(pass->scan->builder, &file);
}

static int archive_add(const struct archive_pass *pass, struct archive_entry *e)
{
        struct lsr_member m;
        int r;

        archive_member(pass, e, &m);
        /* Symbols and long names of an ar: "/", "//", "/SYM64/". */
        if (pass->kind->format == &lsr_format_ar && m.path && m.path[0] == '/')
                return 0;
        if (!m.path) {
                lsr_scan_trouble(pass->scan, -EILSEQ, "the name of member %s cannot be read",
                                 lsr_grouped(m.position + 1));
                return 0;
        }
        if (pass->kind->format == &lsr_format_cpio || pass->kind->format == &lsr_format_rpm) {
                r = archive_add_content(pass, &m);
                if (r < 0)
                        return r;
        }
        r = lsr_builder_add(pass->scan->builder, &m);
        if (r > 0)
                lsr_scan_trouble(pass->scan, -EBADMSG, "member %s has no name", lsr_grouped(m.position + 1));
        return r;
}

static int archive_scan(struct lsr_scan *scan)
{
        struct archive_pass pass;
        struct archive_entry *e;
        int r = archive_start(&pass, scan, true);

        if (r < 0)
                return r;
        for (;;) {
                r = lsr_archive_next(&pass, &e);
                if (r <= 0)
                        break;
                r = archive_add(&pass, e);
                if (r < 0) {
                        lsr_scan_trouble(scan, r, "it has too many members or too long names");
                        break;
                }
        }
        lsr_archive_end(&pass);
        /* Members before the damage are listed. */
        return pass.ordinal ? 0 : r;
}

/* --- one member -------------------------------------------------------------- */

/* The gap from the end of the last piece of content to the next one; a gap beyond the size of the member is damage. */
static int archive_hole(struct archive_pass *pass, const struct lsr_sink *sink, struct archive_entry *e, uint64_t from,
                        uint64_t to)
{
        if (to < from || (archive_entry_size_is_set(e) && to > (uint64_t)archive_entry_size(e))) {
                lsr_scan_trouble(pass->scan, -EBADMSG, "content of member %s is out of order",
                                 lsr_grouped(pass->ordinal));
                return -EBADMSG;
        }
        return lsr_sink_hole(sink, to - from);
}

static int archive_content(struct archive_pass *pass, struct archive_entry *e, const struct lsr_sink *sink)
{
        uint64_t done = 0;

        for (unsigned tries = 0; tries < ARCHIVE_RETRIES_MAX;) {
                const void *data;
                size_t size;
                la_int64_t offset;
                int r = archive_read_data_block(pass->a, &data, &size, &offset);

                if (r == ARCHIVE_EOF) {
                        pass->scan->verified = pass->kind->verifies;
                        return 0;
                }
                if (r == ARCHIVE_RETRY) {
                        tries++;
                        continue;
                }
                /* A warning about content means a wrong checksum. */
                if (r != ARCHIVE_OK)
                        break;
                if (offset < 0 || (uint64_t)offset != done) {
                        r = archive_hole(pass, sink, e, done, (uint64_t)offset);
                        if (r < 0)
                                return r;
                }
                r = size ? sink->write(sink->ctx, data, size) : 0;
                if (r < 0)
                        return r;
                tries = size ? 0 : tries + 1;
                done = (uint64_t)offset + size;
        }
        return lsr_archive_trouble(pass);
}

static bool archive_same(const char *stored, const struct lsr_member *m)
{
        const char *want = m->raw ? m->raw : m->path;
        size_t n = m->raw ? m->raw_len : m->path_len;

        /* The catalogue stores no raw path for such a small difference. */
        if (!m->raw && stored && !strncmp(stored, "./", 2))
                stored += 2;
        return stored && strlen(stored) == n && !memcmp(stored, want, n);
}

/*
 * Is it the member that was listed?  A file whose content came with a later link (archive_add_content) has the
 * header of that link.
 */
static bool archive_agrees(struct archive_entry *e, const struct lsr_member *m)
{
        return archive_same(archive_path(e), m) || archive_same(archive_hardlink(e), m);
}

/* Go to @m, whose position is not behind.  0, or a negative errno, reported where it does not say all. */
static int archive_find(struct archive_pass *pass, const struct lsr_member *m, struct archive_entry **ret_entry)
{
        int r = 1;

        while (r > 0 && pass->ordinal <= m->position)
                r = lsr_archive_next(pass, ret_entry);
        if (r == 0 || (r > 0 && (pass->ordinal != m->position + 1 || !archive_agrees(*ret_entry, m)))) {
                lsr_scan_trouble(pass->scan, -EBADMSG, "member %s is not what was listed",
                                 lsr_grouped(m->position + 1));
                return -EBADMSG;
        }
        if (r < 0)
                return r;
        if (archive_entry_is_data_encrypted(*ret_entry))
                return -EACCES;
        if (archive_entry_filetype(*ret_entry) && archive_entry_filetype(*ret_entry) != S_IFREG)
                return -EOPNOTSUPP;
        return 0;
}

static int archive_read(struct lsr_scan *scan, const struct lsr_member *m, const struct lsr_sink *sink)
{
        struct archive_pass pass;
        struct archive_entry *e;
        int r = archive_start(&pass, scan, false);

        if (r < 0)
                return r;
        r = archive_find(&pass, m, &e);
        if (r == 0)
                r = archive_content(&pass, e, sink);
        lsr_archive_end(&pass);
        return r;
}

/* After damage libarchive goes on where the format lets it, and says so where not. */
static int archive_read_many(struct lsr_scan *scan, const struct lsr_many *many)
{
        struct lsr_member_sink sink;
        struct archive_pass pass;
        struct archive_entry *e = NULL;
        struct lsr_member m;
        int r = archive_start(&pass, scan, false);

        if (r < 0)
                return r;
        lsr_member_sink_init(&sink, many);
        while (r == 0 && many->next(many->ctx, &m)) {
                r = archive_find(&pass, &m, &e);
                /* Nothing can be read after an unreadable header. */
                if (r < 0 && pass.ordinal <= m.position)
                        break;
                if (r == 0)
                        r = archive_content(&pass, e, &sink.sink);
                if (sink.result < 0)
                        break;
                r = many->end(many->ctx, r);
        }
        lsr_archive_end(&pass);
        return r;
}

/* --- the formats ------------------------------------------------------------- */

/* A cpio in a compression, behind a header of its own. */
static int archive_enable_rpm(struct archive *a)
{
        archive_read_support_filter_rpm(a);
        archive_read_support_filter_gzip(a);
        archive_read_support_filter_bzip2(a);
        archive_read_support_filter_xz(a);
        archive_read_support_filter_lzma(a);
        archive_read_support_filter_zstd(a);
        return archive_read_support_format_cpio(a);
}

#define ARCHIVE_FORMAT(NAME, ...)                                                                   \
        .name = NAME, .suffixes = (const char *const[]){ __VA_ARGS__, NULL }, .scan = archive_scan, \
        .read = archive_read, .read_many = archive_read_many

const struct lsr_format lsr_format_7z = {
        ARCHIVE_FORMAT("7z", ".7z"),
        .probe = lsr_magic_7z,
        .needs_random = true,
};

const struct lsr_format lsr_format_rar = {
        ARCHIVE_FORMAT("rar", ".rar"),
        .probe = lsr_magic_rar,
};

const struct lsr_format lsr_format_rar5 = {
        ARCHIVE_FORMAT("rar5", ".rar"),
        .probe = lsr_magic_rar5,
};

/* Directories may lie behind what they lead to. */
const struct lsr_format lsr_format_iso9660 = {
        ARCHIVE_FORMAT("iso9660", ".iso"),
        .probe = lsr_magic_iso9660,
        .needs_random = true,
};

const struct lsr_format lsr_format_cpio = {
        ARCHIVE_FORMAT("cpio", ".cpio"),
        .probe = lsr_magic_cpio,
        .probe_damaged = lsr_magic_newc,
};

const struct lsr_format lsr_format_rpm = {
        ARCHIVE_FORMAT("rpm", ".rpm"),
        .probe = lsr_magic_rpm,
};

const struct lsr_format lsr_format_cab = {
        ARCHIVE_FORMAT("cab", ".cab"),
        .probe = lsr_magic_cab,
};

const struct lsr_format lsr_format_lha = {
        ARCHIVE_FORMAT("lha", ".lha", ".lzh"),
        .probe = lsr_magic_lha,
};

const struct lsr_format lsr_format_ar = {
        ARCHIVE_FORMAT("ar", ".a", ".ar", ".deb", ".udeb"),
        .probe = lsr_magic_ar,
};

/*
 * No read_many(): behind content that came in several pieces libarchive passes over its length once more, and is lost.
 * Passing over members without reading them is right.
 */
const struct lsr_format lsr_format_warc = {
        .name = "warc",
        .suffixes = (const char *const[]){ ".warc", NULL },
        .scan = archive_scan,
        .read = archive_read,
        .probe = lsr_magic_warc,
};

/* Not even where its lines name a file that is there: a bundle opens no path. */
static int archive_enable_mtree(struct archive *a)
{
        int r = archive_read_support_format_mtree(a);

        return r == ARCHIVE_OK ? archive_read_set_format_option(a, "mtree", "checkfs", NULL) : r;
}

static int archive_refuse(struct lsr_scan *scan, const struct lsr_member *m, const struct lsr_sink *sink)
{
        lsr_scan_trouble(scan, -EOPNOTSUPP, "an mtree only describes files: their content is not in it");
        return -EOPNOTSUPP;
}

const struct lsr_format lsr_format_mtree = {
        .name = "mtree",
        .suffixes = (const char *const[]){ ".mtree", NULL },
        .scan = archive_scan,
        .read = archive_refuse,
        .probe = lsr_magic_mtree,
};

static const struct archive_kind archive_kinds[] = {
        { .format = &lsr_format_7z,
          .enable = archive_read_support_format_7zip,
          .fields = ARCHIVE_PLAIN | ARCHIVE_TIMES | LSR_FIELD_MODE,
          .created = true,
          .verifies = true },
        /* Of its civil times only the mtime can be marked as such, and hardly any has others. */
        { .format = &lsr_format_rar,
          .enable = archive_read_support_format_rar,
          .fields = ARCHIVE_PLAIN | LSR_FIELD_MODE,
          .civil = true,
          .verifies = true },
        { .format = &lsr_format_rar5,
          .enable = archive_read_support_format_rar5,
          .fields = ARCHIVE_UNIX,
          .owner_optional = true,
          .created = true,
          .verifies = true },
        /* A directory record, ECMA-119 9.1. */
        { .format = &lsr_format_iso9660,
          .enable = archive_read_support_format_iso9660,
          .record = 34,
          .fields = ARCHIVE_UNIX },
        { .format = &lsr_format_cpio, .enable = archive_read_support_format_cpio, .fields = ARCHIVE_UNIX },
        { .format = &lsr_format_rpm, .enable = archive_enable_rpm, .fields = ARCHIVE_UNIX },
        { .format = &lsr_format_cab,
          .enable = archive_read_support_format_cab,
          .fields = ARCHIVE_PLAIN,
          .civil = true,
          .verifies = true },
        { .format = &lsr_format_lha,
          .enable = archive_read_support_format_lha,
          .fields = ARCHIVE_UNIX,
          .owner_optional = true,
          .verifies = true },
        { .format = &lsr_format_ar, .enable = archive_read_support_format_ar, .fields = ARCHIVE_UNIX },
        { .format = &lsr_format_warc,
          .enable = archive_read_support_format_warc,
          .fields = ARCHIVE_PLAIN | LSR_FIELD_CTIME,
          .headers_whole = true },
        { .format = &lsr_format_mtree, .enable = archive_enable_mtree, .fields = ARCHIVE_UNIX },
};

/*
 * libarchive gives 0 for what no line says.  What a description says it says from its beginning on, as a line /set or
 * with each file.
 */
static unsigned archive_mtree_fields(const struct lsr_probe *p)
{
        static const struct {
                const char *keyword;
                unsigned field;
        } keywords[] = { { " size=", LSR_FIELD_SIZE }, { " uid=", LSR_FIELD_UID }, { " gid=", LSR_FIELD_GID } };
        unsigned fields = ARCHIVE_UNIX;

        for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
                if (!memmem(p->head, p->head_len, keywords[i].keyword, strlen(keywords[i].keyword)))
                        fields &= ~keywords[i].field;
        return fields;
}

/* The kind of archive that @in is, and what is known of it before libarchive looks.  0 or a negative errno. */
static int archive_kind_of(struct lsr_input *in, bool lists, struct archive_pass *ret_pass)
{
        uint8_t behind[LSR_PROBE_BEHIND];
        struct lsr_probe p = { .size = in->size };
        ssize_t got = lsr_input_peek(in, LSR_PROBE_BYTES, &p.head);
        uint64_t program;

        /* The bytes before an error may be enough. */
        if (got < 0)
                got = lsr_input_peek(in, 1, &p.head);
        if (got <= 0)
                return -EBADMSG;
        p.head_len = (size_t)got;
        program = lsr_probe_behind(in, &p, behind);
        for (size_t i = 0; i < sizeof(archive_kinds) / sizeof(archive_kinds[0]); i++) {
                const struct archive_kind *kind = &archive_kinds[i];

                if (!kind->format->probe(&p) && !(kind->format->probe_damaged && kind->format->probe_damaged(&p)))
                        continue;
                *ret_pass = (struct archive_pass){ .kind = kind, .fields = kind->fields, .civil = kind->civil };
                if (kind->format == &lsr_format_mtree)
                        ret_pass->fields = archive_mtree_fields(&p);
                ret_pass->header = kind->format == &lsr_format_cpio && lsr_magic_newc(&p) ? in->at : UINT64_MAX;
                /* Once, where all records are passed: each member is read in a pass of its own. */
                if (kind->headers_whole && lists)
                        ret_pass->header = in->at;
                if (p.behind_len > 0)
                        ret_pass->base = program + lsr_magic_behind(&p);
                return 0;
        }
        return -EBADMSG;
}

/*
 * Headers of level 0 and 1 have a time of DOS, which Unix programs overrule by one of theirs behind the name, the
 * checksum and a 'U'; from level 2 on there is but the latter.
 */
static bool archive_lha_civil(struct lsr_input *in)
{
        const uint8_t *p;
        ssize_t n = lsr_input_peek(in, ARCHIVE_LHA_HEADER, &p);

        return n > 21 && p[20] < 2 && (n <= 24 + p[21] || p[24 + p[21]] != 'U');
}

static int archive_start(struct archive_pass *pass, struct lsr_scan *scan, bool lists)
{
        int r = archive_kind_of(scan->input, lists, pass);

        if (r < 0)
                return r;
        pass->civil |= pass->kind->format == &lsr_format_lha && archive_lha_civil(scan->input);
        return lsr_archive_begin(pass, scan);
}
