/* marks - what of a member looks harmless in a listing, and is not; and its time */
#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>

#include "catalogue/member.h"

/* Zips of Windows have '\\' for '/'. */
static bool marks_separates(char c)
{
        return c == '/' || c == '\\';
}

static bool marks_moves(const char *raw, size_t n)
{
        if (n > 0 && marks_separates(raw[0]))
                return true;
        for (size_t i = 0; i + 1 < n; i++)
                if (raw[i] == '.' && raw[i + 1] == '.' && (i == 0 || marks_separates(raw[i - 1])) &&
                    (i + 2 == n || marks_separates(raw[i + 2])))
                        return true;
        return false;
}

unsigned lsr_member_marks(const struct lsr_member *m)
{
        unsigned marks = 0;

        if (m->raw && marks_moves(m->raw, m->raw_len))
                marks |= LSR_MARK_MOVED;
        if (m->flags & LSR_MEMBER_SHADOWS)
                marks |= LSR_MARK_SHADOWS;
        if ((m->meta.known & LSR_FIELD_MODE) && S_ISREG(m->meta.mode) && (m->meta.mode & (S_ISUID | S_ISGID)))
                marks |= LSR_MARK_SETID;
        if (m->flags & LSR_MEMBER_ENCRYPTED)
                marks |= LSR_MARK_ENCRYPTED;
        return marks;
}

int64_t lsr_member_mtime(const struct lsr_member *m)
{
        time_t sec = m->meta.sec[LSR_MTIME];
        struct tm tm;

        if (!(m->flags & LSR_MEMBER_LOCALTIME) || !gmtime_r(&sec, &tm))
                return sec;
        tm.tm_isdst = -1;
        return mktime(&tm);
}
