/* passwd and group files as they are found in the wild. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/users.h"

static struct lsr_users users;

/* The text is of its very length, so that the sanitizer sees what is touched behind it; it stays. */
static char *users_text;

static void users_take(const char *text)
{
        size_t len = strlen(text);

        users_text = malloc(len ? len : 1);
        memcpy(users_text, text, len);
        lsr_users_init(&users, "passwd");
        lsr_users_load(&users, users_text, len);
}

static void users_drop(void)
{
        lsr_users_free(&users);
        free(users_text);
}

/* NULL: the number it is. */
static void users_check(uint32_t id, const char *name)
{
        const struct lsr_user *u = lsr_users_find(&users, id);
        char number[16];

        sprintf(number, "%u", id);
        cr_assert_eq(u->id, id);
        if (!name) {
                cr_assert_null(u->name, "%u: %s", id, u->name);
                cr_assert_eq(u->width, strlen(number), "%u: width %u", id, u->width);
                return;
        }
        cr_assert_not_null(u->name, "%u has no name", id);
        cr_assert(u->name_len == strlen(name) && !memcmp(u->name, name, u->name_len), "%u: %.*s", id, (int)u->name_len,
                  u->name);
        cr_assert_eq(u->width, strlen(name));
}

Test(users, lines)
{
        users_take("root:x:0:0:root:/root:/bin/bash\n"
                   "# comment:x:5:\n"
                   "+:x:6:\n-nis:x:7:\n+@group:x:8:::\n"
                   "\n:\n::\n:::\n"
                   ":x:9:\n"
                   "short:x\n"
                   "noid:x:\n"
                   "letters:x:abc:\n"
                   "mixed:x:12abc:\n"
                   "negative:x:-13:\n"
                   "blank:x: 14:\n"
                   "end:x:15\n"
                   "none::16:\n"
                   "nobody:x:65534:65534::/:\n"
                   "twice:x:20:\nagain:x:20:\n"
                   "max:x:4294967295:\n"
                   "over:x:4294967296:\n"
                   "wrap:x:4294967326:\n"
                   "huge:x:99999999999999999999999:\n"
                   "zeros:x:00000000000000000031:\n");
        users_check(0, "root");
        for (uint32_t id = 5; id <= 9; id++)
                users_check(id, NULL);
        users_check(12, NULL);
        users_check(13, NULL);
        users_check(14, NULL);
        users_check(15, "end");
        users_check(16, "none");
        users_check(20, "twice");
        users_check(30, NULL);
        users_check(31, "zeros");
        users_check(65534, "nobody");
        users_check(4294967295, "max");
        users_check(4294967295u - 12, NULL);
        users_check(0, "root");
        users_drop();
}

Test(users, empty)
{
        users_take("");
        users_check(0, NULL);
        users_check(1234567890, NULL);
        users_drop();
}

/* The last line is not to be read behind its end; getent answers for it. */
Test(users, no_final_newline)
{
        users_take("a:x:1:\nb:x:2");
        users_check(1, "a");
        lsr_users_find(&users, 2);
        users_drop();
        users_take("a:x:1");
        lsr_users_find(&users, 1);
        users_drop();
}

Test(users, many)
{
        enum { N = 100000 };
        size_t room = (size_t)N * 40, len = 0;
        char *text = malloc(room);

        for (unsigned i = 0; i < N; i++)
                len += (size_t)sprintf(text + len, "user%u:x:%u:0::/:\n", i, i * 42949u);
        lsr_users_init(&users, "passwd");
        lsr_users_load(&users, text, len);
        for (unsigned i = 0; i < N; i += 7) {
                char name[32];

                sprintf(name, "user%u", i);
                users_check(i * 42949u, name);
        }
        users_check(1, NULL);
        users_text = text;
        users_drop();
}

/* Who is not in the file is asked for once, all in one run of getent. */
Test(users, getent)
{
        users_take("a:x:4000000001:\n");
        lsr_users_find(&users, 4000000001u);
        cr_assert_eq(users.n_missing, 0);
        lsr_users_find(&users, 0);
        lsr_users_find(&users, 4000000002u);
        lsr_users_find(&users, 4000000002u);
        lsr_users_find(&users, 0);
        cr_assert_eq(users.n_missing, 2);
        cr_assert_eq(lsr_users_resolve(&users), 1);
        /* Also of the one that was looked up last. */
        users_check(0, "root");
        users_check(4000000001u, "a");
        users_check(4000000002u, NULL);
        lsr_users_find(&users, 4000000002u);
        cr_assert_eq(lsr_users_resolve(&users), 0, "asked again for one that nobody knows");
        /* What getent printed belongs to the names and stays, so the table does too. */
}
