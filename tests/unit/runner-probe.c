/*
 * runner-probe - tests that fail, to prove that it is seen
 *
 * Not a test of lsr and in no suite: `./dev test` runs it and expects one that
 * passes, one that is skipped, and that all others fail, each for its reason.
 */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

Test(runner_probe, passes)
{
        cr_expect_str_eq("a", "a");
}

Test(runner_probe, ends_as_it_must, .exit_code = 3)
{
        exit(3);
}

Test(runner_probe, is_skipped)
{
        cr_skip_test("for %s", "no reason");
}

Test(runner_probe, leaks)
{
        char *volatile leaked = malloc(77);

        cr_assert_not_null(leaked);
        leaked = NULL;
}

Test(runner_probe, expects_in_vain_and_goes_on)
{
        cr_expect_eq(1, 2, "first");
        cr_expect_str_eq("a", "b", "second");
}

Test(runner_probe, asserts_in_vain)
{
        cr_assert(false);
        exit(0);
}

Test(runner_probe, dies)
{
        raise(SIGKILL);
}

Test(runner_probe, ends_otherwise, .exit_code = 3)
{
}

Test(runner_probe, hangs, .timeout = 0.3)
{
        for (;;)
                pause();
}
