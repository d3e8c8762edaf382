/* path, cleanup - joined names, and what is given back at the end of a function */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>

#include "base/cleanup.h"
#include "base/path.h"

static void path_check(const char *dir, const char *name, const char *joined)
{
        lsr_autofree char *path = lsr_path_new(dir, name);

        cr_assert_str_eq(path, joined);
}

Test(path, join)
{
        path_check("d", "f", "d/f");
        path_check("d/", "f", "d/f");
        path_check("", "f", "f");
        path_check("/", "f", "/f");
        path_check("d", "", "d/");
        path_check("a/b", "c/d", "a/b/c/d");
}

Test(path, name)
{
        cr_assert_str_eq(lsr_path_name("a/b"), "b");
        cr_assert_str_eq(lsr_path_name("b"), "b");
        cr_assert_str_eq(lsr_path_name("a/"), "");
        cr_assert_str_eq(lsr_path_name("/"), "");
}

/* A descriptor, given away or closed. */
static int cleanup_open(bool keep, int *ret_number)
{
        lsr_autoclose int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), none __attribute__((unused)) = -1;

        *ret_number = fd;
        errno = ERANGE;
        return keep ? lsr_take(&fd, -1) : -1;
}

Test(cleanup, closes_what_is_not_taken)
{
        int number, fd = cleanup_open(true, &number);

        cr_assert(fd >= 0 && fd == number && fcntl(fd, F_GETFD) >= 0);
        close(fd);
        cr_assert_eq(cleanup_open(false, &number), -1);
        cr_assert_eq(errno, ERANGE);
        cr_assert(fcntl(number, F_GETFD) < 0 && errno == EBADF);
}

Test(cleanup, arrays_grow)
{
        lsr_autofree int *numbers = NULL;
        size_t cap = 0;

        for (size_t n = 0; n < 1000; n++) {
                lsr_grow(&numbers, n, &cap);
                cr_assert_gt(cap, n);
                numbers[n] = (int)n;
        }
        for (int n = 0; n < 1000; n++)
                cr_assert_eq(numbers[n], n);
}
