/*
 * doubt - a file that is called as an archive and is none
 *
 * What a server sends in place of a download is a page of HTML with the archive's name.  Its beginning is compared with
 * a few others that are met so.
 */
#include "cli/doubt.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"
#include "formats/format.h"

#define DOUBT_BYTES 512

bool lsr_doubt_suits(const char *path)
{
        return lsr_suffix_known(path, strlen(path));
}

bool lsr_doubt_leads(const char *path)
{
        for (;;) {
                size_t n = strcspn(path, "/");

                if (lsr_suffix_known(path, n))
                        return true;
                if (!path[n])
                        return false;
                path += n + 1;
        }
}

static bool doubt_is_text(const char *p, size_t n)
{
        for (size_t i = 0; i < n; i++)
                if (((unsigned char)p[i] < 0x20 && !strchr("\t\n\r\f", p[i])) || p[i] == 0x7f || !p[i])
                        return false;
        return true;
}

/* What it begins as, in words in @buf or elsewhere. */
static const char *doubt_beginning(const char *p, size_t n, char buf[64])
{
        static const struct {
                const char *beginning, *name;
        } known[] = { { "<!doctype html", "HTML" }, { "<html", "HTML" }, { "<head", "HTML" },
                      { "<?xml", "XML" },           { "{\"", "JSON" },   { "%PDF-", "PDF" },
                      { "\x89PNG", "PNG" } };
        size_t blanks = 0;

        if (n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
                blanks = 3;
        while (blanks < n && strchr(" \t\r\n", p[blanks]) && p[blanks])
                blanks++;
        for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
                if (n - blanks >= strlen(known[i].beginning) &&
                    strncasecmp(p + blanks, known[i].beginning, strlen(known[i].beginning)) == 0)
                        return known[i].name;
        if (doubt_is_text(p, n))
                return "text";
        snprintf(buf, 64, "the bytes");
        for (size_t i = 0; i < n && i < 4; i++)
                snprintf(buf + strlen(buf), 64 - strlen(buf), " %02x", (unsigned char)p[i]);
        return buf;
}

void lsr_doubt(const char *path)
{
        int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        char head[DOUBT_BYTES], buf[64];
        struct stat st;
        ssize_t n = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? read(fd, head, sizeof(head)) : -1;

        if (fd >= 0)
                close(fd);
        if (n == 0)
                lsr_message("%s: not an archive (it is empty)", lsr_quoted_needed(path));
        /* A compressed file that holds no archive is what it is called. */
        else if (n > 0 && !lsr_plausible(&(struct lsr_probe){ .head = (uint8_t *)head, .head_len = (size_t)n }))
                lsr_message("%s: not an archive (it begins as %s)", lsr_quoted_needed(path),
                            doubt_beginning(head, (size_t)n, buf));
}
