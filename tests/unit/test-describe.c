/* What the man page says, against what the program does.  LSR_MAN_TEMPLATE is docs/lsr.1.in. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        const struct lsr_entry_member member = {
                .bundle = "b.zip",
                .method = "deflate",
                .raw = "\xff",
                .raw_len = 1,
                .packed = 7,
                .offset = 8,
                .rows = 9,
                .encrypted = true,
                .dangling = error == 0,
                .implied = true,
        };
        struct lsr_entry_extra extra = {
                .target = "t", .target_len = 1, .user = "u", .group = "g", .note = "n", .note_len = 1
        };
        struct lsr_entry e = {
                .name = "n\xff", .name_len = 2, .flags = LSR_ENTRY_STAT, .extra = &extra, .git = '?' << 8 | '?'
        };
        struct lsr_set set = { .dir = "", .rows = &(struct lsr_entry *){ &e }, .n = 1 };
        struct lsr_out out;

        extra.member = error ? NULL : &member;
        lsr_cells_add(&v.cells, LSR_SHOW_JSON | LSR_SHOW_GIT);
        e.meta.known = UINT16_MAX;
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

/* The keys are the bold words of the section. */
static void keys_of_man(struct keys *k)
{
        FILE *template = fopen(LSR_MAN_TEMPLATE, "r");
        char *text = NULL, *at, *line, *word;
        size_t cap = 0;

        cr_assert_not_null(template);
        cr_assert_gt(getdelim(&text, &cap, '\0', template), 0);
        fclose(template);
        at = strstr(text, "\n.SH JSON FIELDS\n");
        cr_assert_not_null(at);
        at = strchr(at + 1, '\n') + 1;
        while ((line = strsep(&at, "\n")) && strncmp(line, ".SH ", 4) != 0) {
                if (strncmp(line, ".B ", 3) != 0)
                        continue;
                for (line += 3; (word = strsep(&line, " "));)
                        keys_add(k, word, strlen(word));
        }
        free(text);
}

Test(describe, json_fields)
{
        struct keys printed = {}, told = {};

        keys_of_json(&printed, S_IFCHR | 0644, 0);
        keys_of_json(&printed, S_IFREG | 0644, -EIO);
        keys_of_man(&told);
        /* Of columns that were asked for, and of trees: tests/diff/diff-json.py. */
        keys_add(&printed, "ratio", strlen("ratio"));
        keys_add(&printed, "offset", strlen("offset"));
        keys_add(&printed, "children", strlen("children"));
        for (size_t i = 0; i < printed.n; i++)
                cr_assert(keys_have(&told, printed.names[i]), "the man page lacks %s", printed.names[i]);
        for (size_t i = 0; i < told.n; i++)
                cr_assert(keys_have(&printed, told.names[i]), "the man page has %s, which is not there", told.names[i]);
}
