/* What the man page says, against what the program does. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/describe.h"
#include "render/view.h"

#define DESCRIBE_KEYS 64

struct keys {
        char names[DESCRIBE_KEYS][32];
        size_t n;
};

static bool keys_have(const struct keys *k, const char *name)
{
        for (size_t i = 0; i < k->n; i++)
                if (strcmp(k->names[i], name) == 0)
                        return true;
        return false;
}

static void keys_add(struct keys *k, const char *name, size_t len)
{
        cr_assert_lt(k->n, DESCRIBE_KEYS);
        cr_assert_lt(len, sizeof(k->names[0]));
        memcpy(k->names[k->n], name, len);
        k->names[k->n][len] = '\0';
        k->n += !keys_have(k, k->names[k->n]);
}

/* The keys of an entry that has all that there is to have: a member, or with @error a file. */
static void keys_of_json(struct keys *k, mode_t mode, int error)
{
        struct lsr_view v = { .o = { .format = LSR_FORMAT_JSON } };
        const struct lsr_entry_member member = { "b.zip", "deflate", "\xff", 1, 7, true, error == 0, true };
        struct lsr_entry_extra extra = { .target = "t", .target_len = 1, .user = "u", .group = "g" };
        struct lsr_entry e = {
                .name = "n\xff", .name_len = 2, .flags = LSR_ENTRY_STAT, .extra = &extra, .git = '?' << 8 | '?'
        };
        struct lsr_set set = { .dir = "", .rows = &(struct lsr_entry *){ &e }, .n = 1 };
        struct lsr_out out;

        extra.member = error ? NULL : &member;
        lsr_cells_add(&v.cells, LSR_SHOW_JSON | LSR_SHOW_GIT);
        e.meta.known = ~0u;
        e.meta.mode = mode;
        e.meta.error = error;
        lsr_out_init(&out, -1);
        v.out = &out;
        lsr_users_init(&v.users, "passwd");
        lsr_users_init(&v.groups, "group");
        lsr_json_set(&v, &set);
        lsr_out_putc(&out, '\0');
        for (const char *p = out.buf; (p = strpbrk(p, "{,")) != NULL; p++)
                if (p[1] == '"' && strchr(p + 2, '"')[1] == ':')
                        keys_add(k, p + 2, strcspn(p + 2, "\""));
        lsr_out_free(&out);
        lsr_users_free(&v.users);
        lsr_users_free(&v.groups);
}

/* The words of the section, without what is in parentheses; a sentence that begins with a capital has no keys. */
static void keys_of_man(struct keys *k)
{
        struct lsr_out out;
        const char *p;
        unsigned depth = 0;

        lsr_out_init(&out, -1);
        lsr_describe_man(&out);
        lsr_out_putc(&out, '\0');
        p = strstr(out.buf, ".SH JSON\n");
        cr_assert_not_null(p);
        p = strchr(p, ':') + 1;
        while (*p != '.') {
                size_t len = strspn(p, "abcdefghijklmnopqrstuvwxyz_0123456789");

                depth += *p == '(';
                depth -= *p == ')';
                if (len > 0 && depth == 0 && strncmp(p, "and ", 4) != 0)
                        keys_add(k, p, len);
                p += len ? len : 1;
        }
        lsr_out_free(&out);
}

Test(describe, json_fields)
{
        struct keys printed = {}, told = {};

        keys_of_json(&printed, S_IFCHR | 0644, 0);
        keys_of_json(&printed, S_IFREG | 0644, -EIO);
        keys_of_man(&told);
        for (size_t i = 0; i < printed.n; i++)
                cr_assert(keys_have(&told, printed.names[i]), "the man page lacks %s", printed.names[i]);
        for (size_t i = 0; i < told.n; i++)
                cr_assert(keys_have(&printed, told.names[i]), "the man page has %s, which is not there", told.names[i]);
}
