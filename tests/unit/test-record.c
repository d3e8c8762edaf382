/* record: what goes in comes out, and nothing that is cut */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "worker/record.h"

static void record_check(const struct lsr_member *got, const struct lsr_member *want)
{
        cr_assert_eq(got->path_len, want->path_len);
        cr_assert_eq(memcmp(got->path, want->path, want->path_len), 0);
        cr_assert_eq(memcmp(&got->meta, &want->meta, sizeof(want->meta)), 0);
        cr_assert_eq(got->packed, want->packed);
        cr_assert_eq(got->position, want->position);
        cr_assert_eq(got->data, want->data);
        cr_assert_eq(got->flags, want->flags);
        cr_assert_str_eq(got->user ?: "-", want->user ?: "-");
        cr_assert_str_eq(got->group ?: "-", want->group ?: "-");
        cr_assert_str_eq(got->method ?: "-", want->method ?: "-");
        cr_assert_eq(!got->target, !want->target);
        cr_assert_eq(got->target_len, want->target_len);
        if (want->target)
                cr_assert_eq(memcmp(got->target, want->target, want->target_len), 0);
        cr_assert_eq(!got->xattrs, !want->xattrs);
        cr_assert_eq(got->xattrs_len, want->xattrs_len);
        cr_assert_eq(!got->raw, !want->raw);
        cr_assert_eq(got->raw_len, want->raw_len);
        if (want->raw)
                cr_assert_str_eq(got->raw, want->raw);
        cr_assert_eq(got->path[got->path_len], '\0');
        if (want->xattrs)
                cr_assert_eq(memcmp(got->xattrs, want->xattrs, want->xattrs_len), 0);
}

static const struct lsr_member record_members[] = {
        { .path = "", .packed = UINT64_MAX },
        { .path = "a/b",
          .path_len = 3,
          .meta = { .known = LSR_FIELD_UID, .uid = 7 },
          .user = "root",
          .method = "store" },
        { .path = "a/c",
          .path_len = 3,
          .meta = { .known = 0xfff,
                    .mode = S_IFREG | 0644,
                    .uid = 7,
                    .gid = 8,
                    .nlink = UINT32_MAX,
                    .rdev = 9,
                    .inode = UINT32_MAX - 1,
                    .size = UINT64_MAX,
                    .sec = { -1, INT64_MIN, INT64_MAX, 4 },
                    .nsec = { 1, 2, 3, 4 } },
          .packed = 5,
          .position = 6,
          .data = 7,
          .user = "root",
          .group = "adm",
          .method = "store",
          .target = "x\0y",
          .target_len = 3,
          .xattrs = (const uint8_t *)"user.a\0\1\0\0\0v",
          .xattrs_len = 12,
          .flags = LSR_MEMBER_SPARSE | LSR_MEMBER_ACL },
        { .path = "a/d",
          .path_len = 3,
          .meta = { .uid = 7, .gid = 8 },
          .user = "root",
          .group = "adm",
          .method = "store" },
        { .path = "a/e", .path_len = 3, .target = "", .packed = 1, .raw = "/a/./e", .raw_len = 6 },
};
#define RECORD_MEMBERS (sizeof(record_members) / sizeof(*record_members))

static struct lsr_records record_all(void)
{
        struct lsr_records records = {};

        for (size_t i = 0; i < RECORD_MEMBERS; i++)
                lsr_record_put(&records, &record_members[i]);
        return records;
}

Test(record, comes_back_as_it_was)
{
        struct lsr_records records = record_all();
        struct lsr_record_owner owner = {};
        size_t at = 0;

        for (size_t i = 0; i < RECORD_MEMBERS; i++) {
                struct lsr_member m;

                cr_assert_eq(lsr_record_get(records.data, records.len, &at, &owner, &m), 0, "member %zu", i);
                record_check(&m, &record_members[i]);
        }
        cr_assert_eq(at, records.len);
        free(records.data);
}

Test(record, cuts_words_that_are_too_long)
{
        struct lsr_records records = {};
        struct lsr_record_owner owner = {};
        struct lsr_member m = { .path = "x", .path_len = 1 };
        char word[LSR_RECORD_WORD_MAX + 45];
        size_t at = 0;

        memset(word, 'w', sizeof(word) - 1);
        word[sizeof(word) - 1] = '\0';
        m.user = m.group = m.method = word;
        lsr_record_put(&records, &m);
        cr_assert_eq(lsr_record_get(records.data, records.len, &at, &owner, &m), 0);
        cr_assert_eq(strlen(m.user), LSR_RECORD_WORD_MAX);
        cr_assert_eq(strlen(m.method), LSR_RECORD_WORD_MAX);
        free(records.data);
}

/* Cut off at each byte, in memory of exactly that size: none but whole records come back. */
Test(record, cut_off_anywhere)
{
        struct lsr_records records = record_all();

        for (size_t size = 0; size < records.len; size++) {
                uint8_t *data = memcpy(lsr_xmalloc(size + !size), records.data, size);
                struct lsr_record_owner owner = {};
                struct lsr_member m;
                size_t at = 0, n = 0;
                int r = 0;

                while (at < size && (r = lsr_record_get(data, size, &at, &owner, &m)) == 0)
                        record_check(&m, &record_members[n++]);
                cr_assert(at == size ? r == 0 : r == -EBADMSG, "cut at %zu", size);
                cr_assert_lt(n, RECORD_MEMBERS);
                free(data);
        }
        free(records.data);
}

/* Any byte changed: some members, or an error; the sanitizers watch. */
Test(record, any_byte_changed)
{
        struct lsr_records records = record_all();

        for (size_t i = 0; i < 8 * records.len; i++) {
                struct lsr_record_owner owner = {};
                struct lsr_member m;
                size_t at = 0;

                records.data[i / 8] ^= 1u << i % 8;
                while (at < records.len && lsr_record_get(records.data, records.len, &at, &owner, &m) == 0)
                        cr_assert_leq(at, records.len);
                records.data[i / 8] ^= 1u << i % 8;
        }
        free(records.data);
}
