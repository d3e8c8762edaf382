/*
 * no-leaks - lsr that looks for no leaks at the end of its processes: options of AddressSanitizer and UBSan
 *
 * That search is most of the time of a sanitized worker, and a worker has no environment in which ASAN_OPTIONS could
 * stand.  The command tests and the units look for leaks; campaign.py opens 100,000 bundles.
 */

const char *__asan_default_options(void);
const char *__ubsan_default_options(void);

const char *__asan_default_options(void)
{
        return "detect_leaks=0";
}

const char *__ubsan_default_options(void)
{
        return "halt_on_error=1";
}
