/* accounts - the text stays in memory, and is searched from its beginning: who looks up a name looks up few */
#include "base/accounts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"

#define ACCOUNTS_READ ((size_t)32 << 10)
#define ACCOUNTS_TEXT_MAX ((size_t)256 << 20) /* what is behind that is not used */

/* A line, name:password:id:...  Comments, and what compat of nsswitch.conf has in them, are none. */
static bool account_parse(const char *line, const char *end, struct lsr_account *ret_account)
{
        const char *colon = memchr(line, ':', (size_t)(end - line)), *p;
        uint64_t id = 0;

        if (!colon || colon == line || *line == '#' || *line == '+' || *line == '-')
                return false;
        p = memchr(colon + 1, ':', (size_t)(end - colon - 1));
        if (!p || p + 1 == end || p[1] < '0' || p[1] > '9')
                return false;
        for (p++; p < end && *p >= '0' && *p <= '9'; p++) {
                id = 10 * id + (uint64_t)(*p - '0');
                if (id > UINT32_MAX)
                        return false;
        }
        if (p < end && *p != ':')
                return false;
        *ret_account = (struct lsr_account){ line, (size_t)(colon - line), (uint32_t)id };
        return true;
}

bool lsr_account_next(const char **inout_at, const char *end, struct lsr_account *ret_account)
{
        const char *at = *inout_at;
        bool found = false;

        while (!found && at < end) {
                const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;

                found = account_parse(at, stop, ret_account);
                at = newline ? newline + 1 : end;
        }
        *inout_at = at;
        return found;
}

/* All of a file, or what can be read of it. */
static char *accounts_read(const char *file, size_t *ret_len)
{
        size_t cap = 0, len = 0;
        int fd = open(file, O_RDONLY | O_CLOEXEC);
        char *text = NULL;
        ssize_t n = fd < 0 ? 0 : 1;

        while (n != 0 && cap <= ACCOUNTS_TEXT_MAX) {
                if (len == cap) {
                        cap = cap ? 2 * cap : ACCOUNTS_READ;
                        text = lsr_xrealloc(text, cap);
                }
                n = read(fd, text + len, cap - len);
                if (n < 0 && errno != EINTR)
                        break;
                len += n > 0 ? (size_t)n : 0;
        }
        if (fd >= 0)
                close(fd);
        *ret_len = len;
        return text;
}

const char *lsr_accounts_text(bool group, size_t *ret_len)
{
        static struct {
                const char *text;
                size_t len;
        } files[2];

        if (!files[group].text) {
                files[group].text = accounts_read(group ? "/etc/group" : "/etc/passwd", &files[group].len);
                if (!files[group].text)
                        files[group].text = "";
        }
        *ret_len = files[group].len;
        return files[group].text;
}

bool lsr_account_find(bool group, const char *name, size_t len, uint32_t *ret_id)
{
        struct lsr_account account;
        size_t n;
        const char *at = lsr_accounts_text(group, &n), *end = at + n;

        while (lsr_account_next(&at, end, &account))
                if (account.name_len == len && memcmp(account.name, name, len) == 0) {
                        *ret_id = account.id;
                        return true;
                }
        return false;
}
