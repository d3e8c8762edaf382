/*
 * leak-probe - a passing test that leaks, to prove that leaks are seen
 *
 * Not a test of lsr and in no suite: `./dev test` runs it and expects a report
 * of LeakSanitizer.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

Test(leak_probe, leaks_on_purpose)
{
        char *volatile leaked = malloc(77);

        cr_assert_not_null(leaked);
        leaked = NULL;
}
