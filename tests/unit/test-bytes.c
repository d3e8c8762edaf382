/* Integers at odd addresses, in both orders; a directory and a name joined. */
#include <criterion/criterion.h>

#include "base/bytes.h"
#include "base/path.h"

static const unsigned char bytes_raw[] = { 0xff, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x88 };

Test(bytes, either_order_at_any_address)
{
        cr_assert_eq(lsr_le16(bytes_raw + 1), 0x0201);
        cr_assert_eq(lsr_be16(bytes_raw + 1), 0x0102);
        cr_assert_eq(lsr_le32(bytes_raw + 1), 0x04030201u);
        cr_assert_eq(lsr_be32(bytes_raw + 1), 0x01020304u);
        cr_assert_eq(lsr_le64(bytes_raw + 1), 0x8807060504030201u);
        cr_assert_eq(lsr_be64(bytes_raw + 1), 0x0102030405060788u);
}

Test(bytes, what_is_put_is_read)
{
        unsigned char room[11] = { [9] = 0xee, [10] = 0xee };

        lsr_put_le64(room + 1, 0x8807060504030201u);
        cr_assert_arr_eq(room + 1, bytes_raw + 1, 8);
        lsr_put_le32(room + 1, 0xfffefdfcu);
        cr_assert_eq(lsr_le32(room + 1), 0xfffefdfcu);
        lsr_put_le16(room + 7, 0x1234);
        cr_assert_eq(lsr_be16(room + 7), 0x3412);
        cr_assert_eq(room[9], 0xee);
}

static void bytes_join(const char *dir, const char *name, const char *want)
{
        char path[64];
        size_t at;

        memset(path, '#', sizeof(path));
        at = lsr_path_put(path, dir, strlen(dir), name, strlen(name));
        cr_assert_str_eq(path, want);
        cr_assert_str_eq(path + at, name);
        cr_assert_leq(strlen(path), strlen(dir) + 1 + strlen(name));
}

Test(bytes, path_has_one_slash)
{
        bytes_join("", "a", "a");
        bytes_join("d", "a", "d/a");
        bytes_join("d/", "a", "d/a");
        bytes_join("/", "a", "/a");
        bytes_join("d//", "", "d//");
        bytes_join("d", "", "d/");
}

/* As GNU ls has it in messages. */
Test(bytes, path_without_a_dot_in_front)
{
        static const char *const cases[][3] = {
                { NULL, "a/b", "a/b" }, { ".", "a", "a" },   { "..", "a", "../a" },
                { ".d", "a", ".d/a" },  { "d", "a", "d/a" },
        };
        struct lsr_arena arena = {};

        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
                cr_assert_str_eq(lsr_path_shown(&arena, cases[i][0], cases[i][1]), cases[i][2]);
        lsr_arena_free(&arena);
}
