/*
 * criterion - the part of Criterion's interface that the tests here use, for runner.c
 *
 * Each test runs in a process of its own, which must exit with status 0: what a
 * sanitizer finds when that process ends, a leak for instance, is a failure of
 * the test.  The names and their meaning are Criterion's (its manual: "Assertion
 * reference"), so that the same files build with Criterion itself, by meson's
 * option `criterion`.
 *
 *      Test(suite, name, .init = f, .fini = f, .timeout = s, .exit_code = n) { ... }
 *      TestSuite(suite, .init = f, .fini = f)
 *      cr_assert_X(a, b [, format, ...])       ends the test
 *      cr_expect_X(a, b [, format, ...])       goes on
 *      cr_skip_test([format, ...])
 */
#pragma once

/* Operands of a comparison need not have the same type; a warning about that would be one about this file. */
#pragma GCC system_header

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct unit_options {
        void (*init)(void);
        void (*fini)(void);
        double timeout; /* seconds; 0: that of the command line */
        int exit_code;  /* the status it must end with */
};

struct unit_test {
        const char *suite, *name; /* NULL: a suite, whose options hold for its tests */
        void (*run)(void);
        struct unit_options options;
        struct unit_test *next;
};

void unit_add(struct unit_test *test);

/* A check failed: say so, with the two texts if it compared any. */
void unit_failed(const char *file, int line, const char *what, const char *format, ...)
        __attribute__((format(printf, 4, 5)));
void unit_texts(const char *a, const char *b);
_Noreturn void unit_end(void);
_Noreturn void unit_skip(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define UNIT_ADD(id_, suite_, name_, run_, ...)                                                                    \
        static struct unit_test id_ = { .suite = suite_, .name = name_, .run = run_, .options = { __VA_ARGS__ } }; \
        __attribute__((constructor)) static void id_##_add(void)                                                   \
        {                                                                                                          \
                unit_add(&id_);                                                                                    \
        }

#define Test(suite_, name_, ...)                                                                 \
        static void suite_##_##name_##_impl(void);                                               \
        UNIT_ADD(suite_##_##name_##_test, #suite_, #name_, suite_##_##name_##_impl, __VA_ARGS__) \
        static void suite_##_##name_##_impl(void)

#define TestSuite(suite_, ...) UNIT_ADD(suite_##_suite, #suite_, NULL, NULL, __VA_ARGS__)

#define UNIT_CHECK(then_, condition_, what_, ...) \
        ((condition_) ? (void)0 : (unit_failed(__FILE__, __LINE__, what_, " " __VA_ARGS__), then_))
#define UNIT_COMPARE(then_, a_, op_, b_, ...) UNIT_CHECK(then_, (a_)op_(b_), #a_ " " #op_ " " #b_, __VA_ARGS__)
#define UNIT_TEXT(then_, a_, op_, b_, ...)                                                                          \
        do {                                                                                                        \
                const char *unit_a = (a_), *unit_b = (b_);                                                          \
                UNIT_CHECK((unit_texts(unit_a, unit_b), then_), strcmp(unit_a, unit_b) op_ 0, #a_ " " #op_ " " #b_, \
                           __VA_ARGS__);                                                                            \
        } while (0)
#define UNIT_BYTES(then_, a_, b_, n_, ...) \
        UNIT_CHECK(then_, memcmp(a_, b_, n_) == 0, #n_ " bytes of " #a_ " and " #b_ " are the same", __VA_ARGS__)
#define UNIT_GO_ON (void)0

#define cr_assert(c, ...) UNIT_CHECK(unit_end(), c, #c, __VA_ARGS__)
#define cr_assert_not(c, ...) UNIT_CHECK(unit_end(), !(c), "!(" #c ")", __VA_ARGS__)
#define cr_assert_null(p, ...) UNIT_COMPARE(unit_end(), p, ==, NULL, __VA_ARGS__)
#define cr_assert_not_null(p, ...) UNIT_COMPARE(unit_end(), p, !=, NULL, __VA_ARGS__)
#define cr_assert_eq(a, b, ...) UNIT_COMPARE(unit_end(), a, ==, b, __VA_ARGS__)
#define cr_assert_neq(a, b, ...) UNIT_COMPARE(unit_end(), a, !=, b, __VA_ARGS__)
#define cr_assert_lt(a, b, ...) UNIT_COMPARE(unit_end(), a, <, b, __VA_ARGS__)
#define cr_assert_leq(a, b, ...) UNIT_COMPARE(unit_end(), a, <=, b, __VA_ARGS__)
#define cr_assert_gt(a, b, ...) UNIT_COMPARE(unit_end(), a, >, b, __VA_ARGS__)
#define cr_assert_geq(a, b, ...) UNIT_COMPARE(unit_end(), a, >=, b, __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...) UNIT_TEXT(unit_end(), a, ==, b, __VA_ARGS__)
#define cr_assert_str_neq(a, b, ...) UNIT_TEXT(unit_end(), a, !=, b, __VA_ARGS__)
#define cr_assert_str_empty(a, ...) UNIT_TEXT(unit_end(), a, ==, "", __VA_ARGS__)
#define cr_assert_arr_eq(a, b, n, ...) UNIT_BYTES(unit_end(), a, b, n, __VA_ARGS__)
#define cr_assert_fail(...) UNIT_CHECK(unit_end(), false, "failed", __VA_ARGS__)

#define cr_expect(c, ...) UNIT_CHECK(UNIT_GO_ON, c, #c, __VA_ARGS__)
#define cr_expect_not(c, ...) UNIT_CHECK(UNIT_GO_ON, !(c), "!(" #c ")", __VA_ARGS__)
#define cr_expect_null(p, ...) UNIT_COMPARE(UNIT_GO_ON, p, ==, NULL, __VA_ARGS__)
#define cr_expect_not_null(p, ...) UNIT_COMPARE(UNIT_GO_ON, p, !=, NULL, __VA_ARGS__)
#define cr_expect_eq(a, b, ...) UNIT_COMPARE(UNIT_GO_ON, a, ==, b, __VA_ARGS__)
#define cr_expect_neq(a, b, ...) UNIT_COMPARE(UNIT_GO_ON, a, !=, b, __VA_ARGS__)
#define cr_expect_lt(a, b, ...) UNIT_COMPARE(UNIT_GO_ON, a, <, b, __VA_ARGS__)
#define cr_expect_leq(a, b, ...) UNIT_COMPARE(UNIT_GO_ON, a, <=, b, __VA_ARGS__)
#define cr_expect_gt(a, b, ...) UNIT_COMPARE(UNIT_GO_ON, a, >, b, __VA_ARGS__)
#define cr_expect_geq(a, b, ...) UNIT_COMPARE(UNIT_GO_ON, a, >=, b, __VA_ARGS__)
#define cr_expect_str_eq(a, b, ...) UNIT_TEXT(UNIT_GO_ON, a, ==, b, __VA_ARGS__)
#define cr_expect_str_neq(a, b, ...) UNIT_TEXT(UNIT_GO_ON, a, !=, b, __VA_ARGS__)
#define cr_expect_arr_eq(a, b, n, ...) UNIT_BYTES(UNIT_GO_ON, a, b, n, __VA_ARGS__)

#define cr_skip_test(...) unit_skip(" " __VA_ARGS__)
