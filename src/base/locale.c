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

static enum locale_kind locale_category(const char *variable)
{
        const char *name = locale_env("LC_ALL");

        if (!name)
                name = locale_env(variable);
        if (!name)
                name = locale_env("LANG");
        return name ? locale_kind_of(name) : LOCALE_PLAIN;
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

/* Does any category need loading?  All count, as they do to setlocale(). */
static bool locale_any_named(void)
{
        static const char *const others[] = {
                "LC_MESSAGES", "LC_MONETARY",  "LC_PAPER",       "LC_NAME",
                "LC_ADDRESS",  "LC_TELEPHONE", "LC_MEASUREMENT", "LC_IDENTIFICATION",
        };

        for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
                if (locale_category(others[i]) == LOCALE_NAMED)
                        return true;
        return false;
}

void lsr_locale_init(void)
{
        enum locale_kind ctype = locale_category("LC_CTYPE");
        locale_t loaded;

        locale_state.named_collate = locale_category("LC_COLLATE") == LOCALE_NAMED;
        locale_state.named_time = locale_category("LC_TIME") == LOCALE_NAMED;
        locale_state.named_numeric = locale_category("LC_NUMERIC") == LOCALE_NAMED;
        locale_state.c_time = locale_category("LC_TIME") == LOCALE_UTF8;
        atomic_store(&locale_state.multibyte, ctype != LOCALE_PLAIN);
        atomic_store(&locale_state.object, (locale_t)0);

        if (!locale_state.named_collate && !locale_state.named_time && !locale_state.named_numeric &&
            ctype != LOCALE_NAMED && !locale_any_named())
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
