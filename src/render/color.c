/*
 * color - LS_COLORS: which escape sequence goes around a name
 *
 * A value of LS_COLORS lies on top of the table compiled into GNU ls; keys that
 * it does not name keep that table's sequence.  All decoded text goes into one
 * buffer, which can never be longer than the value it came from.
 *
 * Suffixes form a trie that is read from the end of the name, so that a name
 * costs a step or two per character it shares with any suffix, however many
 * there are.  Of all suffixes met on the way the one defined last wins.
 *
 *      *.gz *.xz *z         first['z'] -> 'g' -> '.'
 *                                      \  'x' -> '.'
 *                                      (ends "*z")
 *
 * Coreutils 9.1 compares suffixes without regard to ASCII case, so the trie
 * holds lower-case letters, and *.TXT overrides an earlier *.txt.
 *
 * Rejected: GNU's list of all suffixes (150 comparisons for a plain file), a
 * hash per suffix length (needs as many probes as there are lengths).
 */
#include "render/color.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"

struct color_node {
        struct lsr_color_text seq; /* text NULL: no suffix ends here */
        unsigned rank;             /* counts definitions */
        unsigned child;            /* index of a longer suffix, 0 if none */
        unsigned sibling;          /* the next suffix of this length */
        unsigned char byte;
};

struct lsr_color_ext {
        struct color_node *nodes; /* [0] is the empty suffix */
        size_t n, cap;
        unsigned ranks;
        unsigned first[256]; /* children of the empty suffix by last byte */
        char bytes[];        /* decoded text of all entries */
};

/* Where the parser stands. */
struct color_reader {
        const char *p;
        char *out;
};

/* The keys of LS_COLORS, and the table compiled into GNU ls 9.1; kinds without a sequence are unset. */
static const struct {
        char key[3];
        const char *sequence;
} color_kinds[LSR_COLOR_N] = {
        [LSR_COLOR_LEFT] = { "lc", "\033[" },
        [LSR_COLOR_RIGHT] = { "rc", "m" },
        [LSR_COLOR_END] = { "ec" },
        [LSR_COLOR_RESET] = { "rs", "0" },
        [LSR_COLOR_NORMAL] = { "no" },
        [LSR_COLOR_FILE] = { "fi" },
        [LSR_COLOR_DIR] = { "di", "01;34" },
        [LSR_COLOR_LINK] = { "ln", "01;36" },
        [LSR_COLOR_FIFO] = { "pi", "33" },
        [LSR_COLOR_SOCK] = { "so", "01;35" },
        [LSR_COLOR_BLK] = { "bd", "01;33" },
        [LSR_COLOR_CHR] = { "cd", "01;33" },
        [LSR_COLOR_MISSING] = { "mi" },
        [LSR_COLOR_ORPHAN] = { "or" },
        [LSR_COLOR_EXEC] = { "ex", "01;32" },
        [LSR_COLOR_DOOR] = { "do", "01;35" },
        [LSR_COLOR_SETUID] = { "su", "37;41" },
        [LSR_COLOR_SETGID] = { "sg", "30;43" },
        [LSR_COLOR_STICKY] = { "st", "37;44" },
        [LSR_COLOR_OTHER_WRITABLE] = { "ow", "34;42" },
        [LSR_COLOR_STICKY_OTHER_WRITABLE] = { "tw", "30;42" },
        [LSR_COLOR_CAP] = { "ca" },
        [LSR_COLOR_MULTIHARDLINK] = { "mh" },
        [LSR_COLOR_CLEAR_TO_EOL] = { "cl", "\033[K" },
};

static unsigned char color_fold(char c)
{
        return (unsigned char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}

/* --- the trie --- */

static unsigned color_node_new(struct lsr_color_ext *e, unsigned char byte, unsigned sibling)
{
        lsr_grow(&e->nodes, e->n, &e->cap);
        e->nodes[e->n] = (struct color_node){ .byte = byte, .sibling = sibling };
        return (unsigned)e->n++;
}

static unsigned color_node_child(const struct lsr_color_ext *e, unsigned parent, unsigned char byte)
{
        unsigned at = parent ? e->nodes[parent].child : e->first[byte];

        while (at && e->nodes[at].byte != byte)
                at = e->nodes[at].sibling;
        return at;
}

static void color_define_suffix(struct lsr_color_ext *e, struct lsr_color_text suffix, struct lsr_color_text seq)
{
        unsigned at = 0;

        for (size_t i = suffix.len; i--;) {
                unsigned char byte = color_fold(suffix.text[i]);
                unsigned next = color_node_child(e, at, byte);
                if (!next) {
                        next = color_node_new(e, byte, at ? e->nodes[at].child : 0);
                        if (at)
                                e->nodes[at].child = next;
                        else
                                e->first[byte] = next;
                }
                at = next;
        }
        e->nodes[at].seq = seq;
        e->nodes[at].rank = ++e->ranks;
}

static const struct lsr_color_text *color_find_suffix(const struct lsr_color_ext *e, const char *name, size_t len)
{
        const struct color_node *best = &e->nodes[0];
        unsigned at = 0;

        while (len-- && (at = color_node_child(e, at, color_fold(name[len]))))
                if (e->nodes[at].rank > best->rank)
                        best = &e->nodes[at];
        return best->rank ? &best->seq : NULL;
}

/* --- parsing --- */

static int color_digit(char c, unsigned base)
{
        int v = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : 16;
        return v < (int)base ? v : -1;
}

/* Decode what stands behind a backslash.  Numbers may have any number of digits and count modulo 256. */
static bool color_decode_backslash(struct color_reader *r)
{
        static const char letters[] = "abefnrtv?_";
        static const char meanings[] = "\a\b\033\f\n\r\t\v\177 ";
        unsigned value = 0, base = 8;
        const char *found;

        if (!*r->p)
                return false;
        if (*r->p == 'x' || *r->p == 'X') {
                base = 16;
                r->p++;
        } else if (color_digit(*r->p, 8) < 0) {
                found = strchr(letters, *r->p);
                *r->out++ = found ? meanings[found - letters] : *r->p;
                r->p++;
                return true;
        }
        for (int digit; (digit = color_digit(*r->p, base)) >= 0; r->p++)
                value = value * base + (unsigned)digit;
        *r->out++ = (char)value;
        return true;
}

/* Decode what stands behind a caret. */
static bool color_decode_caret(struct color_reader *r)
{
        if (*r->p >= '@' && *r->p <= '~') {
                *r->out++ = *r->p++ & 0x1f;
                return true;
        }
        if (*r->p == '?') {
                *r->out++ = 0x7f; /* as in GNU ls the '?' stays, and follows as itself */
                return true;
        }
        return false;
}

/* Decode text up to a colon, the end, or (a suffix) an equals sign. */
static bool color_decode(struct color_reader *r, bool is_suffix, struct lsr_color_text *ret_text)
{
        char *start = r->out;

        while (*r->p && *r->p != ':' && !(is_suffix && *r->p == '=')) {
                char c = *r->p++;
                if (c == '\\') {
                        if (!color_decode_backslash(r))
                                return false;
                } else if (c == '^') {
                        if (!color_decode_caret(r))
                                return false;
                } else {
                        *r->out++ = c;
                }
        }
        *ret_text = (struct lsr_color_text){ start, (size_t)(r->out - start) };
        return true;
}

/* Parse "*suffix=sequence". */
static bool color_parse_suffix(struct color_reader *r, struct lsr_color_ext *e)
{
        struct lsr_color_text suffix, seq;

        r->p++;
        if (!color_decode(r, true, &suffix) || *r->p != '=')
                return false;
        r->p++;
        if (!color_decode(r, false, &seq))
                return false;
        color_define_suffix(e, suffix, seq);
        return true;
}

/* Parse "xx=sequence".  GNU ls names the key also when the sequence is malformed. */
static bool color_parse_key(struct color_reader *r, struct lsr_colors *c, char ret_bad_prefix[3])
{
        const char *key = r->p;

        if (!key[1] || key[2] != '=')
                return false;
        r->p += 3;
        for (unsigned i = 0; i < LSR_COLOR_N; i++)
                if (memcmp(color_kinds[i].key, key, 2) == 0 && color_decode(r, false, &c->kinds[i]))
                        return true;
        ret_bad_prefix[0] = key[0];
        ret_bad_prefix[1] = key[1];
        ret_bad_prefix[2] = '\0';
        return false;
}

/*
 * On a malformed value *ret_colors is left alone.  The empty string comes back
 * in ret_bad_prefix for "*.c" without "=", a key without "=" or cut short, and a
 * bad escape in a suffix's entry; GNU ls then prints the second warning only.
 */
int lsr_colors_parse(struct lsr_colors *ret_colors, const char *value, bool gnu, char ret_bad_prefix[3])
{
        struct lsr_colors c = { 0 };

        for (unsigned i = 0; i < LSR_COLOR_N; i++)
                if (color_kinds[i].sequence)
                        c.kinds[i] =
                                (struct lsr_color_text){ color_kinds[i].sequence, strlen(color_kinds[i].sequence) };
        ret_bad_prefix[0] = '\0';
        if (!value || !*value)
                value = gnu ? "" : lsr_color_default;
        if (!*value) {
                *ret_colors = c;
                return 0;
        }

        size_t size = sizeof(*c.exts) + strlen(value);
        c.exts = lsr_xmalloc(size);
        memset(c.exts, 0, sizeof(*c.exts));
        (void)color_node_new(c.exts, 0, 0);

        struct color_reader r = { .p = value, .out = c.exts->bytes };
        while (*r.p) {
                bool ok = true;
                if (*r.p == ':')
                        r.p++;
                else if (*r.p == '*')
                        ok = color_parse_suffix(&r, c.exts);
                else
                        ok = color_parse_key(&r, &c, ret_bad_prefix);
                if (!ok) {
                        lsr_colors_free(&c);
                        return 1;
                }
        }
        const struct lsr_color_text *link = &c.kinds[LSR_COLOR_LINK];
        c.link_as_target = link->len == 6 && memcmp(link->text, "target", 6) == 0;
        *ret_colors = c;
        return 0;
}

void lsr_colors_free(struct lsr_colors *c)
{
        if (!c)
                return;
        if (c->exts)
                free(c->exts->nodes);
        free(c->exts);
        memset(c, 0, sizeof(*c));
}

/* --- choosing --- */

bool lsr_colors_has(const struct lsr_colors *c, enum lsr_color_kind kind)
{
        const struct lsr_color_text *t = &c->kinds[kind];

        return t->len > 2 || (t->len > 0 && memcmp(t->text, "00", t->len) != 0);
}

static enum lsr_color_kind color_kind_file(const struct lsr_colors *c, const struct lsr_color_subject *s, mode_t mode)
{
        if ((mode & S_ISUID) && lsr_colors_has(c, LSR_COLOR_SETUID))
                return LSR_COLOR_SETUID;
        if ((mode & S_ISGID) && lsr_colors_has(c, LSR_COLOR_SETGID))
                return LSR_COLOR_SETGID;
        if (s->stat_ok && s->has_cap && lsr_colors_has(c, LSR_COLOR_CAP))
                return LSR_COLOR_CAP;
        if ((mode & (S_IXUSR | S_IXGRP | S_IXOTH)) && lsr_colors_has(c, LSR_COLOR_EXEC))
                return LSR_COLOR_EXEC;
        if (s->stat_ok && s->nlink > 1 && lsr_colors_has(c, LSR_COLOR_MULTIHARDLINK))
                return LSR_COLOR_MULTIHARDLINK;
        return LSR_COLOR_FILE;
}

static enum lsr_color_kind color_kind_dir(const struct lsr_colors *c, mode_t mode)
{
        if ((mode & S_ISVTX) && (mode & S_IWOTH) && lsr_colors_has(c, LSR_COLOR_STICKY_OTHER_WRITABLE))
                return LSR_COLOR_STICKY_OTHER_WRITABLE;
        if ((mode & S_IWOTH) && lsr_colors_has(c, LSR_COLOR_OTHER_WRITABLE))
                return LSR_COLOR_OTHER_WRITABLE;
        if ((mode & S_ISVTX) && lsr_colors_has(c, LSR_COLOR_STICKY))
                return LSR_COLOR_STICKY;
        return LSR_COLOR_DIR;
}

static enum lsr_color_kind color_kind(const struct lsr_colors *c, const struct lsr_color_subject *s)
{
        /* A type that is not known takes the orphan's colour. */
        static const enum lsr_color_kind types[16] = {
                [S_IFLNK >> 12] = LSR_COLOR_LINK, [S_IFIFO >> 12] = LSR_COLOR_FIFO, [S_IFSOCK >> 12] = LSR_COLOR_SOCK,
                [S_IFBLK >> 12] = LSR_COLOR_BLK,  [S_IFCHR >> 12] = LSR_COLOR_CHR,
        };
        mode_t mode = s->stat_ok ? s->mode : s->mode & S_IFMT;

        if (s->is_target && s->missing)
                return lsr_colors_has(c, LSR_COLOR_MISSING) ? LSR_COLOR_MISSING : LSR_COLOR_ORPHAN;
        if (S_ISREG(mode))
                return color_kind_file(c, s, mode);
        if (S_ISDIR(mode))
                return color_kind_dir(c, mode);
        if (S_ISLNK(mode) && s->link_broken && (c->link_as_target || lsr_colors_has(c, LSR_COLOR_ORPHAN)))
                return LSR_COLOR_ORPHAN;
        return types[(mode & S_IFMT) >> 12] ? types[(mode & S_IFMT) >> 12] : LSR_COLOR_ORPHAN;
}

/*
 * The text of the indicator is returned even if it is "0": a kind without
 * colour only makes a more general kind be tried, and does not return NULL.
 */
const struct lsr_color_text *lsr_colors_pick(const struct lsr_colors *c, const struct lsr_color_subject *s)
{
        enum lsr_color_kind kind = color_kind(c, s);

        if (kind == LSR_COLOR_FILE && c->exts) {
                const struct lsr_color_text *ext = color_find_suffix(c->exts, s->name, s->name_len);
                if (ext)
                        return ext;
        }
        return c->kinds[kind].text ? &c->kinds[kind] : NULL;
}

bool lsr_colors_terminal_known(const char *colorterm, const char *term)
{
        if (colorterm && *colorterm)
                return true;
        if (!term || !*term)
                return false;
        for (const char *const *glob = lsr_color_terminals; *glob; glob++)
                if (fnmatch(*glob, term, 0) == 0)
                        return true;
        return false;
}
