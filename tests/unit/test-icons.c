/* Icons: the type first, then the last suffix as a whole word. */
#include <criterion/criterion.h>
#include <string.h>

#include "render/view.h"

#define ARCHIVE "\uf1c6"
#define SOURCE "\uf121"
#define PROGRAM "\uf489"
#define PLAIN "\uf15b"

static void icons_check(const char *name, mode_t mode, const char *want)
{
        struct lsr_entry e = { .name = name, .name_len = (uint32_t)strlen(name), .flags = LSR_ENTRY_STAT };
        struct lsr_out out;

        e.meta.mode = mode;
        lsr_out_init(&out, -1);
        lsr_icon_put(&out, &e);
        lsr_out_putc(&out, '\0');
        cr_assert_eq(strncmp(out.buf, want, strlen(want)), 0, "%s", name);
        cr_assert_str_eq(out.buf + strlen(want), " ", "%s", name);
        lsr_out_free(&out);
}

Test(icons, type_before_name)
{
        icons_check("d.tar", S_IFDIR | 0755, "\uf07b");
        icons_check("l.c", S_IFLNK | 0777, "\uf0c1");
        icons_check("b.c", S_IFBLK | 0644, "\uf0a0");
        icons_check("c.c", S_IFCHR | 0644, "\uf0a0");
        icons_check("p.c", S_IFIFO | 0644, "\uf0ec");
        icons_check("s.c", S_IFSOCK | 0755, "\uf0ec");
}

Test(icons, last_suffix_as_a_word)
{
        icons_check("a.tar", S_IFREG | 0644, ARCHIVE);
        icons_check("a.c.gz", S_IFREG | 0644, ARCHIVE);
        icons_check("a.TGZ", S_IFREG | 0644, ARCHIVE);
        icons_check(".c", S_IFREG | 0644, SOURCE);
        icons_check("a.kt", S_IFREG | 0755, SOURCE);
        icons_check("a.k", S_IFREG | 0644, PLAIN);
        icons_check("a.c ", S_IFREG | 0644, PLAIN);
        icons_check("a.c cc", S_IFREG | 0644, PLAIN);
        icons_check("a.", S_IFREG | 0644, PLAIN);
        icons_check("tar", S_IFREG | 0644, PLAIN);
        icons_check("", S_IFREG | 0644, PLAIN);
        icons_check("a.a-suffix-longer-than-all-that-are-known", S_IFREG | 0644, PLAIN);
}

Test(icons, programs_are_known_by_their_mode)
{
        struct lsr_entry e = { .name = "run", .name_len = 3, .type = S_IFREG >> 12 };
        struct lsr_out out;

        icons_check("run", S_IFREG | 0755, PROGRAM);
        icons_check("run", S_IFREG | 0001, PROGRAM);
        icons_check("run", S_IFREG | 0644, PLAIN);
        /* Not asked for: its mode says nothing. */
        e.meta.mode = S_IFREG | 0755;
        lsr_out_init(&out, -1);
        lsr_icon_put(&out, &e);
        cr_assert_eq(memcmp(out.buf, PLAIN, strlen(PLAIN)), 0);
        lsr_out_free(&out);
}
