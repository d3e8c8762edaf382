/*
 * entry - one row of a listing: filled by every producer and read by every
 * view
 *
 * Producers (a directory, a catalogue) and views know nothing of each other.
 * A field counts only if meta.known has its bit; unknown fields print as '?'.
 * Entries, names and extras live in the listing's arena.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "io/meta.h"

/* The mark after the mode bits (ls -l; GNU's alternate access method). */
enum lsr_acl {
        LSR_ACL_NONE,
        LSR_ACL_CONTEXT, /* '.': a security context and no other method */
        LSR_ACL_YES,     /* '+' */
};

/* Fields of members that files do not have; for --json. */
struct lsr_entry_member {
        const char *bundle; /* its path */
        const char *method; /* of compression, NULL if not known */
        const char *raw;    /* the stored path where the name shown differs, NULL if it does not */
        size_t raw_len;
        uint64_t packed; /* bytes in the bundle, UINT64_MAX if not known */
        uint64_t offset; /* where it begins in the bundle, before compression of that as a whole; as packed */
        uint64_t rows;   /* of a table, UINT64_MAX if not known */
        bool encrypted;
        bool dangling; /* a hard link to nothing */
        bool implied;
};

struct lsr_place;

/* Fields that few entries have.  Entries of a bundle may share one. */
struct lsr_entry_extra {
        const char *target; /* of a symbolic link; NULL if not read */
        uint32_t target_len;
        uint32_t target_mode; /* st_mode of what it leads to, if link_ok */
        int link_error;       /* negative errno of readlink, 0 if fine */
        int xattr_error;      /* negative errno of reading attributes, 0 if fine */
        const char *context;  /* security context, NULL if there is none */
        uint8_t acl;          /* enum lsr_acl */
        bool link_ok;         /* the target exists and could be stat-ed */
        bool has_cap;         /* security.capability is there */
        uint8_t marks;        /* of a member: LSR_MARK_* */
        const char *note;     /* of a member, for people; on one line.  NULL: there is none */
        uint32_t note_len;
        const char *user; /* name of the owner that the bundle stores, NULL if it stores none */
        const char *group;
        const struct lsr_entry_member *member; /* NULL outside bundles, and if nobody asks */
        const struct lsr_place *place;         /* of an operand in a bundle, or of what a link in one leads to */
};

enum {
        LSR_ENTRY_STAT = 1 << 0,     /* metadata was asked for; meta.error tells the outcome */
        LSR_ENTRY_OPERAND = 1 << 1,  /* named on the command line */
        LSR_ENTRY_FOLLOWED = 1 << 2, /* meta is that of a link's target */
        LSR_ENTRY_REPORTED = 1 << 3, /* why meta.error has been told already */
        LSR_ENTRY_MEMBER = 1 << 4,   /* an operand of which a bundle has the last word, not the kernel */
        LSR_ENTRY_IMPLIED = 1 << 5,  /* a directory that its bundle does not store: as unpacking would make it */
        LSR_ENTRY_IGNORED = 1 << 6,  /* by git, and that is to be left out */
};

struct lsr_entry {
        const char *name;              /* NUL-terminated; any byte but NUL, '/' only in operands */
        struct lsr_entry_extra *extra; /* NULL if there is nothing to say */
        uint32_t name_len;
        uint8_t type;  /* DT_* of readdir(3) */
        uint8_t flags; /* LSR_ENTRY_* */
        uint16_t git;  /* --git: the two status letters, 0 if none */
        struct lsr_meta meta;
};

_Static_assert(sizeof(struct lsr_entry) <= 128, "an entry is two cache lines");

/* Has a stat told us about this file?  (GNU ls calls it stat_ok.) */
static inline bool lsr_entry_stat_ok(const struct lsr_entry *e)
{
        return (e->flags & LSR_ENTRY_STAT) && e->meta.error == 0;
}

/* Is this field known?  Outside bundles all requested fields are. */
static inline bool lsr_entry_knows(const struct lsr_entry *e, unsigned field)
{
        return lsr_entry_stat_ok(e) && (e->meta.known & field);
}

/* The mode, or the type from d_type. */
static inline mode_t lsr_entry_mode(const struct lsr_entry *e)
{
        return lsr_entry_stat_ok(e) ? e->meta.mode : (mode_t)e->type << 12;
}

static inline bool lsr_entry_is_dir(const struct lsr_entry *e)
{
        return S_ISDIR(lsr_entry_mode(e));
}

/* The mode of a link's target, 0 if there is none. */
static inline mode_t lsr_entry_target_mode(const struct lsr_entry *e)
{
        return e->extra && e->extra->link_ok ? e->extra->target_mode : 0;
}

static inline bool lsr_entry_is_dots(const char *name)
{
        return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}
