/*
 * restore - written from the handler
 *
 * GNU ls delays the signal to the end of a line.  Here rows are written in
 * large pieces, so this would wait long for nothing: text that the terminal
 * has not shown yet is lost in any case.
 */
#include "render/color.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static char restore_text[64];
static size_t restore_len;

static void restore_on_signal(int number)
{
        int error = errno;

        if (write(STDOUT_FILENO, restore_text, restore_len) < 0)
                errno = error;
        if (number == SIGTSTP) {
                raise(SIGSTOP);
        } else {
                signal(number, SIG_DFL);
                raise(number);
        }
        errno = error;
}

unsigned lsr_restore_on_signal(const struct lsr_color_text *left, const struct lsr_color_text *right)
{
        static const int numbers[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP };
        const struct sigaction action = { .sa_handler = restore_on_signal, .sa_flags = SA_RESTART };
        unsigned calls = 1;

        if (left->len + right->len > sizeof(restore_text))
                return 0;
        if (tcgetpgrp(STDOUT_FILENO) < 0)
                return calls;
        memcpy(restore_text, left->text, left->len);
        memcpy(restore_text + left->len, right->text, right->len);
        restore_len = left->len + right->len;
        for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
                struct sigaction old;

                calls++;
                if (sigaction(numbers[i], NULL, &old) != 0 || old.sa_handler != SIG_DFL)
                        continue;
                calls++;
                sigaction(numbers[i], &action, NULL);
        }
        return calls;
}
