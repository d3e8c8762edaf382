/*
 * locale - which categories are plain, and one locale object for the others
 *
 * Each category of the environment is sorted into one of three kinds:
 *
 *      plain   C, POSIX, unset     bytes, English dates; never loaded
 *      utf8    C.UTF-8             the same, but bytes above 0x7f are characters
 *      named   anything else       loaded at once, all categories together
 *
 * Only `named` costs a start its file reads.  `utf8` loads LC_CTYPE alone, and
 * only when a name needs it; that is the common case in containers.  A locale
 * that turns out not to be installed makes every category plain, which is what
 * a program sees whose setlocale(LC_ALL, "") has failed.
 *
 * Loading takes no lock: threads that race for the first load each make an
 * object, one is kept and the others are freed.
 *
 * Rejected: setlocale(), which in a static glibc leaves strcoll() without its
 * tables and has every start pay for thirteen categories.
 */
#include "base/locale.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum locale_kind {
        LOCALE_PLAIN,
        LOCALE_UTF8,
        LOCALE_NAMED,
};

/* The result of init.  Zeroed, everything is plain. */
static struct {
        bool named_collate;
        bool named_time;
        bool named_numeric;
        bool c_time; /* C.UTF-8, whose dates are English but which is not POSIX */
        atomic_bool multibyte;
        _Atomic(locale_t) object; /* NULL: not loaded yet */
} locale_state;

static _Thread_local locale_t locale_adopted;

/* Other spellings than these two may load or not: glibc decides, as for any name. */
static enum locale_kind locale_kind_of(const char *name)
{
        if (!strcmp(name, "C") || !strcmp(name, "POSIX"))
                return LOCALE_PLAIN;
        if (!strncmp(name, "C.", 2) && (!strcasecmp(name + 2, "UTF-8") || !strcasecmp(name + 2, "UTF8")))
                return LOCALE_UTF8;
        return LOCALE_NAMED;
}

static const char *locale_env(const char *variable)
{
        const char *value = getenv(variable);

        return value && *value ? value : NULL;
}

static void locale_make_plain(void)
{
        locale_state.named_collate = false;
        locale_state.named_time = false;
        locale_state.named_numeric = false;
        locale_state.c_time = false;
        atomic_store(&locale_state.multibyte, false);
}

/* Glibc keeps the C object in its text: this opens nothing and cannot fail. */
static locale_t locale_c(void)
{
        return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* If one needs loading, all are loaded, as setlocale() would: also those that lsr does not use. */
enum { LOCALE_CTYPE, LOCALE_COLLATE, LOCALE_TIME, LOCALE_NUMERIC, LOCALE_CATEGORIES = 12 };

void lsr_locale_init(void)
{
        static const char *const variables[LOCALE_CATEGORIES] = {
                "LC_CTYPE", "LC_COLLATE", "LC_TIME",    "LC_NUMERIC",   "LC_MESSAGES",    "LC_MONETARY",
                "LC_PAPER", "LC_NAME",    "LC_ADDRESS", "LC_TELEPHONE", "LC_MEASUREMENT", "LC_IDENTIFICATION",
        };
        const char *all = locale_env("LC_ALL"), *lang = locale_env("LANG");
        enum locale_kind kinds[LOCALE_CATEGORIES];
        bool any_named = false;
        locale_t loaded;

        for (size_t i = 0; i < LOCALE_CATEGORIES; i++) {
                const char *name = all ? all : locale_env(variables[i]);

                kinds[i] = locale_kind_of(name ? name : lang ? lang : "C");
                any_named |= kinds[i] == LOCALE_NAMED;
        }
        locale_state.named_collate = kinds[LOCALE_COLLATE] == LOCALE_NAMED;
        locale_state.named_time = kinds[LOCALE_TIME] == LOCALE_NAMED;
        locale_state.named_numeric = kinds[LOCALE_NUMERIC] == LOCALE_NAMED;
        locale_state.c_time = kinds[LOCALE_TIME] == LOCALE_UTF8;
        atomic_store(&locale_state.multibyte, kinds[LOCALE_CTYPE] != LOCALE_PLAIN);
        atomic_store(&locale_state.object, (locale_t)0);

        if (!any_named)
                return;

        loaded = newlocale(LC_ALL_MASK, "", (locale_t)0);
        if (!loaded) {
                locale_make_plain();
                return;
        }
        atomic_store(&locale_state.object, loaded);
        lsr_locale();
}

bool lsr_locale_collates_bytes(void)
{
        return !locale_state.named_collate;
}

bool lsr_locale_plain_time(void)
{
        return !locale_state.named_time;
}

bool lsr_locale_plain_numeric(void)
{
        return !locale_state.named_numeric;
}

bool lsr_locale_posix_time(void)
{
        return !locale_state.named_time && !locale_state.c_time;
}

bool lsr_locale_multibyte(void)
{
        return atomic_load_explicit(&locale_state.multibyte, memory_order_relaxed);
}

/* The first use in a C or C.UTF-8 environment. */
static locale_t locale_load(void)
{
        locale_t expected = (locale_t)0;
        locale_t made = (locale_t)0;

        if (lsr_locale_multibyte())
                made = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
        if (!made) {
                locale_make_plain();
                made = locale_c();
        }
        if (atomic_compare_exchange_strong(&locale_state.object, &expected, made))
                return made;
        freelocale(made); /* another thread was faster; the C object ignores this */
        return expected;
}

locale_t lsr_locale(void)
{
        locale_t object = atomic_load_explicit(&locale_state.object, memory_order_acquire);

        if (!object)
                object = locale_load();
        if (locale_adopted != object) {
                uselocale(object);
                locale_adopted = object;
        }
        return object;
}
