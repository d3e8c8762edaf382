/*
 * record - a head with a bit for each field that follows it
 *
 *      head        8 bytes each: the fields whose bits are set        texts
 *
 * Most members have the owner of the one before, no target and one time, so a
 * record is about 60 bytes and the path.
 */
#include "worker/record.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"

enum {
        RECORD_SIZE,
        RECORD_SEC,
        RECORD_NSEC = RECORD_SEC + LSR_TIMES,
        RECORD_RDEV = RECORD_NSEC + LSR_TIMES,
        RECORD_PACKED,
        RECORD_POSITION,
        RECORD_DATA,
        RECORD_TARGET, /* lengths of texts, plus 1 */
        RECORD_XATTRS,
        RECORD_RAW,
        RECORD_ROW, /* which one it is of all, and above that how many links it has */
        RECORD_FIELDS,
        RECORD_OWNER, /* uid, gid and three words follow the texts */
};

struct record_head {
        uint32_t present; /* bits by the numbers above */
        uint32_t known;
        uint32_t mode;
        uint32_t flags;
        uint64_t path_size; /* with its NUL */
};

static int record_reserve(struct lsr_records *r, size_t n)
{
        size_t cap = 2 * r->cap > r->len + n ? 2 * r->cap : r->len + n;

        if (r->cap - r->len >= n)
                return 0;
        if (lsr_try_resize(&r->data, cap) < 0)
                return -ENOMEM;
        r->cap = cap;
        return 0;
}

void lsr_records_clear(struct lsr_records *r)
{
        r->len = 0;
        r->owner = (struct lsr_record_owner){};
}

static void record_append(struct lsr_records *r, const void *data, size_t n)
{
        if (n > 0)
                memcpy(r->data + r->len, data, n);
        r->len += n;
}

static void record_append_text(struct lsr_records *r, const void *text, size_t n)
{
        if (!text)
                return;
        record_append(r, text, n);
        record_append(r, "", 1);
}

static bool record_word_same(const char *old, const char *word)
{
        return strcmp(old, word ? word : "") == 0;
}

static size_t record_word(char *to, const char *word)
{
        size_t n = word ? strnlen(word, LSR_RECORD_WORD_MAX) : 0;

        if (n > 0)
                memcpy(to, word, n);
        to[n] = '\0';
        return n + 1;
}

int lsr_record_put(struct lsr_records *r, const struct lsr_member *m)
{
        const struct lsr_meta *meta = &m->meta;
        struct lsr_record_owner *o = &r->owner;
        const uint64_t fields[RECORD_FIELDS] = {
                [RECORD_SIZE] = meta->size,
                [RECORD_SEC + LSR_MTIME] = (uint64_t)meta->sec[LSR_MTIME],
                [RECORD_SEC + LSR_ATIME] = (uint64_t)meta->sec[LSR_ATIME],
                [RECORD_SEC + LSR_CTIME] = (uint64_t)meta->sec[LSR_CTIME],
                [RECORD_SEC + LSR_BTIME] = (uint64_t)meta->sec[LSR_BTIME],
                [RECORD_NSEC + LSR_MTIME] = meta->nsec[LSR_MTIME],
                [RECORD_NSEC + LSR_ATIME] = meta->nsec[LSR_ATIME],
                [RECORD_NSEC + LSR_CTIME] = meta->nsec[LSR_CTIME],
                [RECORD_NSEC + LSR_BTIME] = meta->nsec[LSR_BTIME],
                [RECORD_RDEV] = meta->rdev,
                [RECORD_PACKED] = m->packed + 1,
                [RECORD_POSITION] = m->position,
                [RECORD_DATA] = m->data,
                [RECORD_TARGET] = m->target ? m->target_len + 1 : 0,
                [RECORD_XATTRS] = m->xattrs ? m->xattrs_len + 1 : 0,
                [RECORD_RAW] = m->raw ? m->raw_len + 1 : 0,
                [RECORD_ROW] = meta->known & LSR_FIELD_NLINK ? (uint64_t)meta->nlink << 32 | (uint32_t)meta->inode : 0,
        };
        struct record_head head = {
                .known = meta->known, .mode = meta->mode, .flags = m->flags, .path_size = m->path_len + 1
        };
        size_t begin = r->len;

        if (record_reserve(r, sizeof(head) + sizeof(fields) + m->path_len + m->target_len + m->xattrs_len + m->raw_len +
                                      4 + sizeof(*o)) < 0)
                return -ENOMEM;
        r->len += sizeof(head);
        for (unsigned i = 0; i < RECORD_FIELDS; i++) {
                if (fields[i]) {
                        head.present |= 1u << i;
                        record_append(r, &fields[i], sizeof(fields[i]));
                }
        }
        record_append_text(r, m->path, m->path_len);
        record_append_text(r, m->target, m->target_len);
        record_append_text(r, m->xattrs, m->xattrs_len);
        record_append_text(r, m->raw, m->raw_len);
        if (o->uid != meta->uid || o->gid != meta->gid || !record_word_same(o->user, m->user) ||
            !record_word_same(o->group, m->group) || !record_word_same(o->method, m->method)) {
                head.present |= 1u << RECORD_OWNER;
                o->uid = meta->uid;
                o->gid = meta->gid;
                record_append(r, &o->uid, sizeof(o->uid));
                record_append(r, &o->gid, sizeof(o->gid));
                record_append(r, o->user, record_word(o->user, m->user));
                record_append(r, o->group, record_word(o->group, m->group));
                record_append(r, o->method, record_word(o->method, m->method));
        }
        memcpy(r->data + begin, &head, sizeof(head));
        return 0;
}

/* --- and back ---------------------------------------------------------------------- */

struct record_reader {
        const uint8_t *data;
        size_t size;
        size_t at;
        bool bad;
};

static const void *record_take(struct record_reader *r, uint64_t n)
{
        const void *p = r->data + r->at;

        if (n > r->size - r->at) {
                r->bad = true;
                return NULL;
        }
        r->at += n;
        return p;
}

/* @length counts the NUL; 0: there is none. */
static const void *record_take_text(struct record_reader *r, uint64_t length, size_t *ret_len)
{
        const char *p = length > 0 ? record_take(r, length) : NULL;

        if (!p)
                return NULL;
        r->bad |= p[length - 1] != '\0';
        *ret_len = (size_t)length - 1;
        return p;
}

static void record_take_word(struct record_reader *r, char *to)
{
        size_t most = r->size - r->at < LSR_RECORD_WORD_MAX + 1 ? r->size - r->at : LSR_RECORD_WORD_MAX + 1;
        size_t n = strnlen((const char *)r->data + r->at, most);

        if (n == most) {
                r->bad = true;
                return;
        }
        memcpy(to, r->data + r->at, n + 1);
        r->at += n + 1;
}

static void record_take_owner(struct record_reader *r, struct lsr_record_owner *o)
{
        const uint8_t *ids = record_take(r, 2 * sizeof(uint32_t));

        if (!ids)
                return;
        memcpy(&o->uid, ids, sizeof(o->uid));
        memcpy(&o->gid, ids + sizeof(o->uid), sizeof(o->gid));
        record_take_word(r, o->user);
        record_take_word(r, o->group);
        record_take_word(r, o->method);
}

int lsr_record_get(const uint8_t *data, size_t size, size_t *at, struct lsr_record_owner *owner,
                   struct lsr_member *ret_member)
{
        struct record_reader r = { data, size, *at, false };
        struct lsr_member *m = ret_member;
        uint64_t fields[RECORD_FIELDS] = { 0 };
        struct record_head head;
        const void *p = record_take(&r, sizeof(head));

        if (!p)
                return -EBADMSG;
        memcpy(&head, p, sizeof(head));
        for (uint32_t bits = head.present & ((1u << RECORD_FIELDS) - 1); bits; bits &= bits - 1) {
                p = record_take(&r, sizeof(*fields));
                if (!p)
                        return -EBADMSG;
                memcpy(&fields[__builtin_ctz(bits)], p, sizeof(*fields));
        }
        *m = (struct lsr_member){
                .meta = { .known = head.known,
                          .mode = head.mode,
                          .rdev = (uint32_t)fields[RECORD_RDEV],
                          .nlink = (uint32_t)(fields[RECORD_ROW] >> 32),
                          .inode = (uint32_t)fields[RECORD_ROW],
                          .size = fields[RECORD_SIZE] },
                .packed = fields[RECORD_PACKED] - 1,
                .position = fields[RECORD_POSITION],
                .data = fields[RECORD_DATA],
                .flags = head.flags,
        };
        for (unsigned t = 0; t < LSR_TIMES; t++) {
                m->meta.sec[t] = (int64_t)fields[RECORD_SEC + t];
                m->meta.nsec[t] = (uint32_t)fields[RECORD_NSEC + t];
        }
        m->path = record_take_text(&r, head.path_size, &m->path_len);
        m->target = record_take_text(&r, fields[RECORD_TARGET], &m->target_len);
        m->xattrs = record_take_text(&r, fields[RECORD_XATTRS], &m->xattrs_len);
        m->raw = record_take_text(&r, fields[RECORD_RAW], &m->raw_len);
        if (head.present & 1u << RECORD_OWNER)
                record_take_owner(&r, owner);
        if (r.bad || !m->path)
                return -EBADMSG;
        m->meta.uid = owner->uid;
        m->meta.gid = owner->gid;
        m->user = owner->user[0] ? owner->user : NULL;
        m->group = owner->group[0] ? owner->group : NULL;
        m->method = owner->method[0] ? owner->method : NULL;
        *at = r.at;
        return 0;
}
