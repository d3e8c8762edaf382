/* passwd(5) and group(5): lines in their order, whole or cut, and the files of this machine. */
#include <criterion/criterion.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/accounts.h"

/* "name=id " of each account.  The text is of its very length, so that the sanitizer sees what is touched behind it. */
static const char *accounts_of(const char *text)
{
        static char all[1024];
        size_t len = strlen(text);
        char *copy = malloc(len ? len : 1);
        const char *at = copy;
        struct lsr_account a;
        int n = 0;

        memcpy(copy, text, len);
        all[0] = '\0';
        while (lsr_account_next(&at, copy + len, &a))
                n += snprintf(all + n, sizeof(all) - (size_t)n, "%.*s=%u ", (int)a.name_len, a.name, a.id);
        cr_assert_eq(at, copy + len);
        cr_assert_not(lsr_account_next(&at, copy + len, &a));
        free(copy);
        return all;
}

Test(accounts, lines)
{
        cr_expect_str_eq(accounts_of(""), "");
        cr_expect_str_eq(accounts_of("\n\n"), "");
        cr_expect_str_eq(accounts_of("root:x:0:0:root:/root:/bin/bash\nb:x:2:\n"), "root=0 b=2 ");
        cr_expect_str_eq(accounts_of("end:x:1\nnone::2:\nsame:x:1:\n"), "end=1 none=2 same=1 ");
        cr_expect_str_eq(accounts_of("zeros:x:00000000000000000031:\nmax:x:4294967295:\n"), "zeros=31 max=4294967295 ");
}

Test(accounts, lines_that_are_none)
{
        cr_expect_str_eq(accounts_of("# comment:x:5:\n+:x:6:\n-nis:x:7:\n+@group:x:8:::\n"), "");
        cr_expect_str_eq(accounts_of(":\n::\n:::\n:x:9:\nshort:x\nnoid:x:\n"), "");
        cr_expect_str_eq(accounts_of("a:x:abc:\nb:x:12abc:\nc:x:-13:\nd:x: 14:\n"), "");
        cr_expect_str_eq(accounts_of("over:x:4294967296:\nhuge:x:99999999999999999999999:\n"), "");
}

/* The last line may lack its end. */
Test(accounts, cut)
{
        cr_expect_str_eq(accounts_of("a:x:1:\nb:x:23"), "a=1 b=23 ");
        cr_expect_str_eq(accounts_of("a:x:1:\nb:x:2:"), "a=1 b=2 ");
        cr_expect_str_eq(accounts_of("a:x:1:\nb:x:"), "a=1 ");
        cr_expect_str_eq(accounts_of("a:x:1:\nb:x"), "a=1 ");
        cr_expect_str_eq(accounts_of("a:x:1:\nb"), "a=1 ");
}

Test(accounts, found_by_name)
{
        const struct passwd *p;
        const struct group *g;
        uint32_t id = 77;

        cr_expect(lsr_account_find(false, "root", 4, &id));
        cr_expect_eq(id, 0);
        cr_expect_not(lsr_account_find(false, "roo", 3, &id));
        cr_expect_not(lsr_account_find(true, "no-such-group", 13, &id));
        cr_expect_eq(id, 0);
        while ((p = getpwent())) {
                cr_expect(lsr_account_find(false, p->pw_name, strlen(p->pw_name), &id), "%s", p->pw_name);
                cr_expect_eq(id, p->pw_uid, "%s", p->pw_name);
        }
        while ((g = getgrent())) {
                cr_expect(lsr_account_find(true, g->gr_name, strlen(g->gr_name), &id), "%s", g->gr_name);
                cr_expect_eq(id, g->gr_gid, "%s", g->gr_name);
        }
}
