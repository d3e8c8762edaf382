/* name-list - a list is read as a whole: who sends it may wait for its end, and duplicates are found later */
#include "cli/name-list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "cli/message.h"

#define NAMES_READ ((size_t)64 << 10)

/* All of @fd, and a NUL.  0 or a negative errno. */
static int names_read_all(int fd, char **ret_text, size_t *ret_len)
{
        size_t cap = 0, len = 0;
        char *text = NULL;
        ssize_t n = 1;

        while (n != 0) {
                if (cap - len < NAMES_READ + 1) {
                        cap = 2 * cap + NAMES_READ + 1;
                        text = lsr_xrealloc(text, cap);
                }
                n = read(fd, text + len, NAMES_READ);
                if (n < 0 && errno != EINTR) {
                        free(text);
                        return -errno;
                }
                len += n > 0 ? (size_t)n : 0;
        }
        text[len] = '\0';
        *ret_text = text;
        *ret_len = len;
        return 0;
}

int lsr_name_list_read(const struct lsr_settings *settings, struct lsr_name_list *ret_names)
{
        struct lsr_name_list *names = ret_names;
        const char *path = settings->files_from;
        bool is_stdin = strcmp(path, "-") == 0;
        int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
        int r = fd < 0 ? -errno : 0;
        size_t len = 0, cap = 0;

        *names = (struct lsr_name_list){};
        if (r == 0)
                r = names_read_all(fd, &names->text, &len);
        if (fd >= 0 && !is_stdin)
                close(fd);
        if (r < 0)
                return lsr_message_errno(-r, "cannot read the names in %s", lsr_quoted_always(path));
        if (!settings->null && memchr(names->text, '\0', len)) {
                lsr_name_list_free(names);
                return lsr_message("the names in %s end in NUL bytes: use --null", lsr_quoted_always(path));
        }
        for (char *p = names->text, *end; p < names->text + len; p = end + 1) {
                end = memchr(p, settings->null ? '\0' : '\n', (size_t)(names->text + len - p));
                if (!end)
                        end = names->text + len;
                *end = '\0';
                if (end == p)
                        continue;
                lsr_grow(&names->list, names->n, &cap);
                names->list[names->n++] = p;
        }
        return 0;
}

void lsr_name_list_free(struct lsr_name_list *names)
{
        free(names->text);
        free(names->list);
        *names = (struct lsr_name_list){};
}
