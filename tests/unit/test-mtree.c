/* Descriptions of trees (mtree), and archives behind a program that unpacks them, through the driver for libarchive. */
#undef _TIME_BITS /* as in libarchive.c */

#include <unistd.h>

#include "libarchive-maker.h"

/* --- mtree ------------------------------------------------------------------- */

static void mtree(const char *text)
{
        la_file.n = 0;
        put_text(text);
}

Test(mtree, good_lines)
{
        struct lsr_catalogue *c;
        struct lsr_member m;

        mtree("#mtree v2.0\n"
              "# a comment\n"
              "/set type=file uid=1000 gid=33 mode=0644\n"
              "\n"
              "./d type=dir mode=0750 time=1577934245.5\n"
              "./d/a\\040b size=6 uname=u gname=g \\\n"
              "    time=1577934245.123456789\n"
              "./d/\\303\\274\\134\\012 size=0 mode=0\n"
              "./d/sym type=link link=a\\040b mode=0777\n"
              "/set uid=5\n"
              "./d/dev type=char device=native,1,3\n"
              "./d/pipe type=fifo\n"
              "/unset uid\n");
        c = la_list("mtree");
        cr_assert_str_empty(la_said);
        cr_assert_eq(lsr_catalogue_rows(c), 7);
        m = la_get(c, "d");
        la_expect_unix(&m, S_IFDIR | 0750);
        la_expect_owner(&m);
        /* As mtree(5) has it, not 0.5 s but 5 ns. */
        cr_assert_eq(m.meta.nsec[LSR_MTIME], 5);
        m = la_get(c, "d/a b");
        la_expect_unix(&m, S_IFREG | 0644);
        la_expect_owner(&m);
        cr_assert_eq(m.meta.size, 6);
        cr_assert_str_eq(m.user, "u");
        cr_assert_str_eq(m.group, "g");
        cr_assert_eq(m.meta.nsec[LSR_MTIME], 123456789);
        m = la_get(c, "d/\xc3\xbc\\\n");
        cr_assert_eq(m.meta.known & (LSR_FIELD_MODE | LSR_FIELD_SIZE | LSR_FIELD_MTIME), LSR_FIELD_SIZE);
        m = la_get(c, "d/sym");
        cr_assert_eq(m.meta.mode, S_IFLNK | 0777);
        cr_assert_eq(m.target_len, 3);
        cr_assert_arr_eq(m.target, "a b", 3);
        m = la_get(c, "d/dev");
        cr_assert(S_ISCHR(m.meta.mode));
        cr_assert_eq(m.meta.rdev, 1u << 20 | 3);
        cr_assert_eq(m.meta.uid, 5);
        cr_assert(S_ISFIFO(la_get(c, "d/pipe").meta.mode));
        lsr_catalogue_free(c);
}

/* The older form: a directory stays the current one until "..", and what has a slash is not below it. */
Test(mtree, good_relative)
{
        static const char *const paths[] = { "a", "d/b", "d/e/c", "x/f", "d/g", "h" };
        struct lsr_catalogue *c;

        mtree("#mtree\n"
              "a type=file\n"
              "d type=dir\n"
              "    b type=file\n"
              "    e type=dir\n"
              "        c type=file\n"
              "x/f type=file\n"
              "    ..\n"
              "    g type=file\n"
              "..\n"
              "h type=file\n");
        c = la_list("mtree");
        for (size_t i = 0; i < LA_COUNT(paths); i++)
                cr_assert(S_ISREG(la_get(c, paths[i]).meta.mode), "%s", paths[i]);
        cr_assert_eq(lsr_catalogue_rows(c), 10);
        lsr_catalogue_free(c);
}

/* libarchive has 0 for it. */
Test(mtree, good_what_is_not_said)
{
        const unsigned fields = LSR_FIELD_MODE | LSR_FIELD_UID | LSR_FIELD_GID | LSR_FIELD_SIZE | LSR_FIELD_MTIME;
        struct lsr_catalogue *c;

        mtree("#mtree\n./a type=file\n");
        c = la_list("mtree");
        cr_assert_eq(la_get(c, "a").meta.known & fields, 0);
        lsr_catalogue_free(c);
        /* These are said. */
        mtree("#mtree\n/set uid=0 gid=0 size=0\n./a type=file\n");
        c = la_list("mtree");
        cr_assert_eq(la_get(c, "a").meta.known & (LSR_FIELD_UID | LSR_FIELD_GID | LSR_FIELD_SIZE),
                     LSR_FIELD_UID | LSR_FIELD_GID | LSR_FIELD_SIZE);
        lsr_catalogue_free(c);
}

/* Files that it names, as members or as their content, are not looked at, though they are there. */
Test(mtree, hostile_names_of_files)
{
        char path[] = "/tmp/lsr-mtree-XXXXXX", text[256];
        struct lsr_catalogue *c;
        struct lsr_member m;
        int fd = mkstemp(path);

        cr_assert_geq(fd, 0);
        cr_assert_eq(write(fd, "content", 7), 7);
        snprintf(text, sizeof(text), "#mtree\n%s type=file size=1\n./b type=file content=%s size=2\n", path + 1, path);
        mtree(text);
        cr_assert_eq(chdir("/"), 0);
        c = la_list("mtree");
        m = la_get(c, path + 1);
        cr_assert_eq(m.meta.size, 1);
        cr_assert_not(m.meta.known & LSR_FIELD_MTIME);
        cr_assert_eq(la_get(c, "b").meta.size, 2);
        cr_assert_eq(la_read(c, path + 1), -EOPNOTSUPP);
        cr_assert_eq(la_read(c, "b"), -EOPNOTSUPP);
        cr_assert_eq(la_content_n, 0);
        cr_assert(strstr(la_said, "their content is not in it"), "%s", la_said);
        unlink(path);
        close(fd);
        lsr_catalogue_free(c);
}

Test(mtree, bad_lines)
{
        struct lsr_catalogue *c;

        mtree("#mtree\n./a type=file\n/sett mode=0\n");
        cr_assert_eq(la_scan(la_open(), &c), -EBADMSG);
        cr_assert(strstr(la_said, "mtree is damaged: Can't parse line 3"), "%s", la_said);
        /* Other files begin so, too. */
        mtree("#mtreelike\n./a type=file\n");
        cr_assert_eq(la_scan(la_open(), &c), 1);
        mtree("#!/bin/sh\n");
        cr_assert_eq(la_scan(la_open(), &c), 1);
}

/* --- behind a program -------------------------------------------------------- */

#define PROGRAM_BYTES 1000u

/* Two sections, the first of which ends last; headers at @pe. */
static void put_pe(uint32_t pe)
{
        uint8_t program[PROGRAM_BYTES] = "MZ";

        lsr_put_le32(program + 0x3c, pe);
        memcpy(program + pe, "PE\0\0", 4);
        lsr_put_le16(program + pe + 6, 2);
        lsr_put_le16(program + pe + 20, 16);
        lsr_put_le32(program + pe + 40 + 16, 300);
        lsr_put_le32(program + pe + 40 + 20, PROGRAM_BYTES - 300);
        lsr_put_le32(program + pe + 80 + 16, 100);
        lsr_put_le32(program + pe + 80 + 20, 500);
        la_file.n = 0;
        put(program, sizeof(program));
}

/* The table of three sections comes last. */
static void put_elf(bool wide)
{
        uint8_t program[PROGRAM_BYTES] = "\177ELF";
        unsigned each = wide ? 64 : 40;

        program[4] = wide ? 2 : 1;
        program[5] = 1;
        lsr_put_le32(program + (wide ? 0x28 : 0x20), PROGRAM_BYTES - 3 * each);
        lsr_put_le16(program + (wide ? 0x3a : 0x2e), (uint16_t)each);
        lsr_put_le16(program + (wide ? 0x3c : 0x30), 3);
        la_file.n = 0;
        put(program, sizeof(program));
}

static void put_7z(void)
{
        static struct la_bytes program;

        program = la_file;
        la_write(archive_write_set_format_7zip, la_tree, LA_COUNT(la_tree));
        memmove(la_file.data + program.n, la_file.data, la_file.n);
        memcpy(la_file.data, program.data, program.n);
        la_file.n += program.n;
}

Test(program, good_archives_behind)
{
        struct lsr_catalogue *c;

        for (int i = 0; i < 3; i++) {
                i == 0 ? put_pe(0x80) : put_elf(i == 2);
                put_rar(0, false);
                c = la_list("rar");
                la_expect(c, "d/" LA_UNICODE, "rar4");
                lsr_catalogue_free(c);
                i == 0 ? put_pe(0x80) : put_elf(i == 2);
                put_rar5();
                c = la_list("rar5");
                la_expect(c, "d/" LA_UNICODE, "rar5");
                lsr_catalogue_free(c);
                i == 0 ? put_pe(0x80) : put_elf(i == 2);
                put_7z();
                c = la_list("7z");
                la_expect(c, "d/a.txt", "hello\n");
                lsr_catalogue_free(c);
        }
        put_pe(0x80);
        put_text(";!@Install@!UTF-8!\nTitle=\"a title\"\n;!@InstallEnd@!");
        put_7z();
        c = la_list("7z");
        la_expect(c, "d/a.txt", "hello\n");
        lsr_catalogue_free(c);
}

/* What is wrong is said where it is in the file. */
Test(program, bad_archive_behind)
{
        struct lsr_catalogue *c = NULL;

        put_pe(0x80);
        put_rar(0, false);
        la_file.n -= 40;
        cr_assert_eq(la_scan(la_open(), &c), 0);
        cr_assert(strstr(la_said, "rar is damaged: "), "%s", la_said);
        cr_assert(strstr(la_said, "at byte 1,"), "%s", la_said);
        lsr_catalogue_free(c);
}

/* Not where the program ends, or not behind one; and what comes through a pipe cannot be read twice. */
Test(program, bad_not_behind)
{
        struct lsr_catalogue *c;

        put_pe(0x80);
        put(" ", 1);
        put_rar(0, false);
        cr_assert_eq(la_scan(la_open(), &c), 1);
        put_pe(0x80);
        la_file.data[0] = 'm';
        put_rar(0, false);
        cr_assert_eq(la_scan(la_open(), &c), 1);
        put_pe(0x80);
        put_rar(0, false);
        cr_assert_eq(la_scan(la_drip(37, 0), &c), 1);
}

/* Heads of every length, in memory of just that size: the sanitizer sees a read beyond. */
Test(program, hostile_headers)
{
        uint64_t seed = 88172645463325252;

        for (int kind = 0; kind < 3; kind++) {
                kind == 0 ? put_pe(0x80) : put_elf(kind == 2);
                for (size_t n = 0; n < 400; n++) {
                        uint8_t *head = malloc(n + 1);
                        uint64_t end;

                        memcpy(head + 1, la_file.data, n);
                        end = lsr_program_end(head + 1, n);
                        cr_assert(end == 0 || end == PROGRAM_BYTES, "%zu: %llu", n, (unsigned long long)end);
                        for (int k = 0; k < 20; k++) {
                                seed ^= seed << 13;
                                seed ^= seed >> 7;
                                seed ^= seed << 17;
                                if (n > 4)
                                        head[1 + 2 + seed % (n - 2)] = (uint8_t)(seed >> 32);
                                lsr_program_end(head + 1, n);
                        }
                        free(head);
                }
        }
}
