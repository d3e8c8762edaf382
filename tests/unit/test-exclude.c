/* Patterns of what is not packed. */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pack/exclude.h"

static unsigned allocations, fails_at = UINT_MAX;

void *__real_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n)
{
        return allocations++ == fails_at ? NULL : __real_realloc(p, n);
}

/* clang calls malloc() for a realloc() of nothing. */
void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_malloc(size_t n)
{
        return allocations++ == fails_at ? NULL : __real_malloc(n);
}

char *__real_strndup(const char *s, size_t n);
char *__wrap_strndup(const char *s, size_t n);
char *__wrap_strndup(const char *s, size_t n)
{
        return allocations++ == fails_at ? NULL : __real_strndup(s, n);
}

/* Below the operand "../home", which is /srv/home. */
static bool exclude_one(const char *pattern, const char *path, bool is_dir)
{
        struct lsr_excludes *e = lsr_excludes_new((const char *const[]){ pattern, NULL });
        char *copy = strdup(path), *slash = strrchr(copy, '/');
        size_t at = 0;
        bool has;

        lsr_excludes_root(e, "../home/", "home", "/srv/home");
        has = lsr_excludes_has(e, copy, slash ? slash + 1 : copy, is_dir);
        cr_assert_str_eq(copy, path, "%s has changed %s", pattern, path);
        cr_assert_eq(lsr_excludes_unused(e, &at) == NULL, has, "%s, %s", pattern, path);
        lsr_excludes_free(e);
        free(copy);
        return has;
}

#define YES(pattern, path) cr_assert(exclude_one(pattern, path, false), "%s should match %s", pattern, path)
#define NO(pattern, path) cr_assert(!exclude_one(pattern, path, false), "%s should not match %s", pattern, path)

Test(exclude, names)
{
        YES("x", "x");
        YES("x", "a/b/x");
        NO("x", "x/y");
        NO("x", "xx");
        YES("*.o", "a/b/c.o");
        YES(".*", "a/.x");
        YES("*", ".x");
        YES("[ab]?", "d/ax");
        YES("\\[a", "[a");
        YES("**", "a/b");
        NO("", "x");
}

Test(exclude, directories)
{
        cr_assert(exclude_one("x/", "x", true));
        cr_assert(exclude_one("x//", "a/x", true));
        cr_assert(exclude_one("/a/x/", "a/x", true));
        cr_assert(!exclude_one("/x/", "a/x", true));
        NO("x/", "x");
        NO("a/x/", "a/x");
        NO("/", "x");
        NO("./", "x");
        NO("//", "x");
}

Test(exclude, paths)
{
        YES("/x", "x");
        YES("./x", "x");
        YES(".//./x", "x");
        YES("//x", "x");
        NO("/x", "a/x");
        NO("./x", "a/x");
        YES("a/x", "a/x");
        YES("/a/x", "a/x");
        NO("a/x", "b/a/x");
        YES("a/*", "a/x");
        YES("a/*", "a/x/y");
        YES("a/*.o", "a/x/y.o");
        NO("*/x", "x");
        YES("*/x", "a/b/x");
}

Test(exclude, operand)
{
        YES("home/x", "x");
        YES("/home/x", "x");
        YES("./home/x", "x");
        YES("home//x", "x");
        YES("../home/x", "x");
        YES("/srv/home/x", "x");
        YES("home/x", "home/x");
        YES("home/*", "x");
        NO("home/x", "a/x");
        NO("srv/home/x", "x");
        NO("/srv/x", "x");
        NO("../homes/x", "x");
        NO("homex", "x");
        NO("home/", "x");
        NO("hom?/x", "x");
        NO("*/x", "x");
}

/* Directories between, or none. */
Test(exclude, deep)
{
        YES("a/**/b", "a/b");
        YES("a/**/b", "a/x/b");
        YES("a/**/b", "a/x/y/b");
        NO("a/**/b", "ab");
        NO("a/**/b", "a/xb");
        NO("a/**/b", "x/a/b");
        NO("a/**/b", "a/b/c");
        YES("**/b", "b");
        YES("**/b", "x/y/b");
        NO("**/b", "xb");
        YES("a/**", "a/x");
        YES("a/**", "a/x/y");
        NO("a/**", "a");
        YES("**/a/**/b", "x/a/y/b");
        YES("**/a/**/b", "a/b");
        NO("**/a/**/b", "b/a");
        YES("a/**/b/**/c", "a/b/c");
        YES("a/**/b/**/c", "a/1/b/2/3/c");
        YES("a/**/b/**/c", "a/b/b/c/c");
        NO("a/**/b/**/c", "a/c/b");
        YES("a/**/**/b", "a/b");
        YES("/**/b", "b");
        YES("home/**/b", "b");
        YES("home/**/b", "x/b");
        YES("a/**/x*/b", "a/1/xy/b");
        NO("a**/b", "ab");
        YES("a**/b", "ax/y/b");
}

/* Each that would have matched is used, and what comes first is no different. */
Test(exclude, unused)
{
        struct lsr_excludes *e = lsr_excludes_new((const char *const[]){ "*.o", "x.o", "no", "a/x.o", "/none", NULL });
        char path[] = "a/x.o", other[] = "other";
        size_t at = 0;

        lsr_excludes_root(e, NULL, "", "/");
        cr_assert(!lsr_excludes_has(e, other, other, false));
        cr_assert(lsr_excludes_has(e, path, path + 2, false));
        cr_assert(lsr_excludes_has(e, path, path + 2, false));
        cr_assert_str_eq(lsr_excludes_unused(e, &at), "no");
        cr_assert_str_eq(lsr_excludes_unused(e, &at), "/none");
        cr_assert_null(lsr_excludes_unused(e, &at));
        /* Another operand. */
        lsr_excludes_root(e, "b", "b", "/b");
        cr_assert(lsr_excludes_has(e, path, path + 2, false));
        cr_assert_null(lsr_excludes_free(e));
        cr_assert_null(lsr_excludes_new(NULL));
        cr_assert_null(lsr_excludes_new((const char *const[]){ NULL }));
        at = 0;
        cr_assert_null(lsr_excludes_unused(NULL, &at));
}

/* An operand that is the root, and one that is ".". */
Test(exclude, roots)
{
        struct lsr_excludes *e = lsr_excludes_new((const char *const[]){ "/etc/x", "./y", "/srv/z", NULL });
        char x[] = "etc/x", y[] = "y", z[] = "z";

        lsr_excludes_root(e, "/", "", "/");
        cr_assert(lsr_excludes_has(e, x, x + 4, false));
        lsr_excludes_root(e, ".", "", "/srv");
        cr_assert(lsr_excludes_has(e, y, y, false));
        cr_assert(lsr_excludes_has(e, z, z, false));
        lsr_excludes_free(e);
}

/* Each allocation fails in turn, in a process of its own: that ends as the program does without memory. */
Test(exclude, no_memory)
{
        bool failed = true;

        for (unsigned i = 0; failed; i++) {
                int status;
                pid_t pid = fork();

                if (pid == 0) {
                        allocations = 0;
                        fails_at = i;
                        lsr_excludes_free(lsr_excludes_new((const char *const[]){ "x", "./y/", NULL }));
                        _exit(0);
                }
                cr_assert_eq(waitpid(pid, &status, 0), pid);
                cr_assert(WIFEXITED(status), "allocation %u: signal %d", i, WTERMSIG(status));
                failed = WEXITSTATUS(status) != 0;
                cr_assert(WEXITSTATUS(status) == (failed ? 2 : 0) && failed == (i < 4), "allocation %u: status %d", i,
                          WEXITSTATUS(status));
        }
}
