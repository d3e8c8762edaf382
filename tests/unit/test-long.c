/* Long rows: where they begin in the output buffer makes no difference. */
#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "render/view.h"

#define LONG_BEFORE 4096u /* bytes before the end of the buffer at which a row begins, at most */

/* The row of a file with a name of @len bytes, with @before bytes in the buffer of @out. */
static void long_show(struct lsr_out *out, size_t before, size_t len, bool owner)
{
        char name[200];
        struct lsr_view v = { .o = { .format = LSR_FORMAT_LONG,
                                     .numeric = true,
                                     .color = true,
                                     .size_style = { .unit = 1 },
                                     .end = '\n',
                                     .width = 80 },
                              .out = out };
        const unsigned shown = LSR_SHOW_INODE | LSR_SHOW_LONG | LSR_SHOW_TIME << LSR_MTIME;
        struct lsr_entry e = { .name = name, .name_len = (uint32_t)len, .flags = LSR_ENTRY_STAT };
        struct lsr_entry *rows[1] = { &e };
        struct lsr_set set = { .dir = "", .rows = rows, .n = 1, .measured = rows, .n_measured = 1 };
        char bad[3];

        lsr_cells_add(&v.cells, owner ? shown | LSR_SHOW_USER : shown);
        memset(name, 'x', len);
        name[len] = '\0';
        e.meta = (struct lsr_meta){
                .known = UINT16_MAX, .mode = S_IFREG | 0755, .nlink = 1, .size = 123456, .inode = 77
        };
        lsr_when_init(&v.when, LSR_WHEN_LONG_ISO);
        lsr_zone_load(&v.when.zone, NULL, 0);
        cr_assert_eq(lsr_colors_parse(&v.colors, "ex=1", true, bad), 0);
        if (before > 0)
                lsr_out_fill(out, '.', before);
        lsr_long_set(&v, &set);
        lsr_colors_free(&v.colors);
}

static void long_check(size_t len, bool owner, bool wraps)
{
        static char got[1024];
        struct lsr_out want, out;
        int fd = memfd_create("out", MFD_CLOEXEC);

        lsr_out_init(&want, -1);
        long_show(&want, 0, len, owner);
        cr_assert_lt(want.len, sizeof(got));
        cr_assert_eq(memmem(want.buf, want.len, "\033[K", 3) != NULL, wraps);
        for (size_t before = LSR_OUT_FLUSH - LONG_BEFORE; before <= LSR_OUT_FLUSH; before++) {
                cr_assert_eq(ftruncate(fd, 0), 0);
                cr_assert_eq(lseek(fd, 0, SEEK_SET), 0);
                lsr_out_init(&out, fd);
                long_show(&out, before, len, owner);
                cr_assert_eq(lsr_out_flush(&out), 0);
                cr_assert_eq(out.written, before + want.len, "behind %zu", before);
                cr_assert_eq(pread(fd, got, want.len, (off_t)before), (ssize_t)want.len);
                cr_assert_eq(memcmp(got, want.buf, want.len), 0, "behind %zu", before);
                lsr_out_free(&out);
        }
        lsr_out_free(&want);
        close(fd);
}

Test(long, any_place_in_the_buffer)
{
        long_check(30, false, false);
        long_check(50, false, true);
}

Test(long, any_place_in_the_buffer_with_owner)
{
        long_check(30, true, false);
        long_check(70, true, true);
}
