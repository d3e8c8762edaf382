/*
 * pass - inputs for libarchive, and its errors in our terms
 *
 * Skips cost nothing until the next read: a listing of an iso skips from file
 * to file, and would otherwise read the whole image.
 *
 * libarchive converts names to the character set of the locale, loses in the C
 * locale what is not ASCII, and asks nl_langinfo() which it is.  A UTF-8 locale
 * would have to be loaded from files that may be missing (a static binary in an
 * empty container) or forbidden (the worker).  So nl_langinfo() is defined here,
 * in front of that of libc, and says UTF-8 while an archive is being read.
 *
 * Memory is libarchive's own: a 7z dictionary or a rar5 window is allocated as
 * large as the archive says (4 GiB at most), when content is decoded, for 7z
 * also when its header is.  Nothing here can bound that; the address space limit
 * of the worker does, and then the allocation fails and the archive is refused.
 */
#include "formats/libarchive/libarchive.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <string.h>

#include "formats/drivers.h"

#define ARCHIVE_HEADER_MAX ((size_t)64 << 10) /* bytes of a header that is kept together */

static _Thread_local bool archive_reading;

bool lsr_archive_is_reading(void)
{
        return archive_reading;
}

/* Stands for libc's: see above. */
char *nl_langinfo(nl_item item)
{
        static locale_t global;
        static char utf8[] = "UTF-8";
        locale_t locale = uselocale((locale_t)0);

        if (archive_reading && item == CODESET)
                return utf8;
        if (locale != LC_GLOBAL_LOCALE)
                return nl_langinfo_l(item, locale);
        if (!global)
                global = duplocale(LC_GLOBAL_LOCALE);
        return nl_langinfo_l(item, global);
}

/* --- the input as libarchive sees it ----------------------------------------- */

static int archive_fail(struct archive_pass *pass, int r)
{
        const char *what = pass->scan->input->what;

        pass->error = r;
        archive_set_error(pass->a, -r, "%s", what ? what : strerror(-r));
        return ARCHIVE_FATAL;
}

/*
 * At least @least bytes, and no more than libarchive can be given: it takes the header of a warc for a bad one where
 * that goes on in the next piece.  So a piece ends behind an empty line, as headers and records do; the content of a
 * record need not have one.
 */
static ssize_t archive_piece(struct archive_pass *pass, size_t least, const uint8_t **ret_data)
{
        ssize_t got = lsr_input_peek(pass->scan->input, least, ret_data);

        if (got <= 0 || !pass->kind->headers_whole)
                return got;
        for (ssize_t n = got; n >= 4; n--)
                if (memcmp(*ret_data + n - 4, "\r\n\r\n", 4) == 0)
                        return n;
        return least == 1 ? archive_piece(pass, (size_t)got + ARCHIVE_HEADER_MAX, ret_data) : got;
}

static la_ssize_t archive_on_read(struct archive *a, void *ctx, const void **ret_data)
{
        struct archive_pass *pass = ctx;
        struct lsr_input *in = pass->scan->input;
        const uint8_t *data;
        ssize_t got;

        if (pass->gap) {
                int r = lsr_input_skip(in, pass->gap);

                pass->gap = 0;
                if (r == -ENODATA)
                        return 0;
                if (r < 0)
                        return archive_fail(pass, r);
        }
        if (pass->header < UINT64_MAX && !pass->kind->headers_whole)
                got = lsr_archive_newc_piece(pass, &data);
        else
                got = archive_piece(pass, 1, &data);
        if (got < 0)
                return archive_fail(pass, (int)got);
        if (got > 0) {
                if (pass->kind->headers_whole)
                        lsr_archive_warc_look(pass, data, (size_t)got);
                /* Bytes that were taken stay valid until the next call, as libarchive requires. */
                lsr_input_take(in, (size_t)got);
                *ret_data = data;
        }
        return got;
}

/* Never beyond the end: libarchive would take a cut archive for a whole one.  Nor beyond the next header of a newc. */
static la_int64_t archive_on_skip(struct archive *a, void *ctx, la_int64_t request)
{
        struct archive_pass *pass = ctx;
        const struct lsr_input *in = pass->scan->input;
        uint64_t left;

        if (request <= 0 || in->size == LSR_INPUT_UNKNOWN || in->at + pass->gap >= in->size)
                return 0;
        left = (in->size < pass->header ? in->size : pass->header) - in->at - pass->gap;
        if ((uint64_t)request > left)
                request = (la_int64_t)left;
        pass->gap += (uint64_t)request;
        return request;
}

static la_int64_t archive_on_seek(struct archive *a, void *ctx, la_int64_t offset, int whence)
{
        struct archive_pass *pass = ctx;
        struct lsr_input *in = pass->scan->input;
        la_int64_t target, base = 0;
        int r;

        if (whence == SEEK_CUR)
                base = (la_int64_t)(in->at + pass->gap);
        else
                base = (la_int64_t)(whence == SEEK_END ? in->size : pass->base);
        if (__builtin_add_overflow(base, offset, &target) || target < (la_int64_t)pass->base)
                return ARCHIVE_FATAL;
        if ((uint64_t)target > in->size)
                target = (la_int64_t)in->size;
        r = lsr_input_seek(in, (uint64_t)target);
        if (r < 0)
                return archive_fail(pass, r);
        pass->gap = 0;
        return target - (la_int64_t)pass->base;
}

/* --- a pass ------------------------------------------------------------------ */

void lsr_archive_end(struct archive_pass *pass)
{
        if (pass->a)
                archive_read_free(pass->a);
        pass->a = NULL;
        archive_reading = false;
}

int lsr_archive_trouble(struct archive_pass *pass)
{
        const char *name = pass->kind->format->name;
        const char *text = archive_error_string(pass->a);
        const char *place = lsr_grouped(pass->base + (uint64_t)archive_filter_bytes(pass->a, -1));
        bool encrypted = text && strcasestr(text, "encrypt");

        if (pass->lost)
                return -EBADMSG;
        if (pass->error && pass->error != -EBADMSG) {
                lsr_scan_trouble(pass->scan, pass->error, "%s at byte %s", strerror(-pass->error), place);
                return pass->error;
        }
        if (archive_errno(pass->a) == ENOMEM) {
                lsr_scan_trouble(pass->scan, -ENOMEM, "%s needs more memory than is allowed, at byte %s", name, place);
                return -ENOMEM;
        }
        if (pass->ordinal == 0 && ((pass->open && archive_read_has_encrypted_entries(pass->a) == 1) || encrypted)) {
                lsr_scan_trouble(pass->scan, -EACCES, "its directory is encrypted");
                return -EACCES;
        }
        if (encrypted) {
                lsr_scan_trouble(pass->scan, -EACCES, "%s cannot be read beyond byte %s: %s", name, place, text);
                return -EACCES;
        }
        /* Of a block whose coder it does not know, what follows fails for other reasons, not the archive's own. */
        pass->unsupported |= text && (strcasestr(text, "unsupported") || strcasestr(text, "unavailable") ||
                                      strstr(text, "codec ID"));
        if (text && pass->unsupported) {
                lsr_scan_trouble(pass->scan, -EOPNOTSUPP, "%s cannot be read beyond byte %s: %s", name, place, text);
                return -EOPNOTSUPP;
        }
        lsr_scan_trouble(pass->scan, -EBADMSG, "%s is damaged: %s, at byte %s", name, text ? text : "no entry found",
                         place);
        return -EBADMSG;
}

int lsr_archive_begin(struct archive_pass *pass, struct lsr_scan *scan)
{
        int r;

        pass->scan = scan;
        if (pass->kind->format->needs_random && !lsr_input_random(scan->input))
                return -ESPIPE;
        r = pass->base ? lsr_input_seek(scan->input, pass->base) : 0;
        if (r < 0)
                return r;
        pass->a = archive_read_new();
        if (!pass->a)
                return -ENOMEM;
        archive_reading = true;
        pass->kind->enable(pass->a);
        archive_read_set_read_callback(pass->a, archive_on_read);
        if (scan->input->ops->seek)
                archive_read_set_skip_callback(pass->a, archive_on_skip);
        if (lsr_input_random(scan->input))
                archive_read_set_seek_callback(pass->a, archive_on_seek);
        archive_read_set_callback_data(pass->a, pass);
        if (archive_read_open1(pass->a) != ARCHIVE_OK) {
                r = lsr_archive_trouble(pass);
                lsr_archive_end(pass);
                return r;
        }
        pass->open = true;
        return 0;
}

/* More records than there is room for: libarchive notices only some directories that contain themselves. */
static int archive_endless(struct archive_pass *pass)
{
        lsr_scan_trouble(pass->scan, -EBADMSG, "%s is damaged: its directories contain themselves",
                         pass->kind->format->name);
        return -EBADMSG;
}

/* A cpio goes on behind a damaged header, and says so with the next one. */
static void archive_warning(struct archive_pass *pass)
{
        const char *text = archive_error_string(pass->a);

        if (text && strncmp(text, "Skipped ", 8) == 0)
                lsr_archive_trouble(pass);
}

static int archive_cut(struct archive_pass *pass, uint64_t at)
{
        lsr_scan_trouble(pass->scan, -EBADMSG, "%s ends too early: the header at byte %s is cut short",
                         pass->kind->format->name, lsr_grouped(pass->base + at));
        return -EBADMSG;
}

/*
 * libarchive takes an ar or a warc that ends within a header for a whole one, and a warc that ends within a record
 * that it passes over.  A line may end an ar.  0 or a negative errno, said.
 */
static int archive_ended(struct archive_pass *pass)
{
        uint64_t behind = pass->scan->input->at - pass->base, end = (uint64_t)archive_read_header_position(pass->a);

        if (pass->kind->format == &lsr_format_warc) {
                if (archive_error_string(pass->a))
                        return lsr_archive_trouble(pass);
                end = (uint64_t)archive_filter_bytes(pass->a, -1);
                return behind > end ? archive_cut(pass, end) : 0;
        }
        /* The first header comes behind a magic number, which is all that an empty one has. */
        end += pass->ordinal == 0 ? 8 : 0;
        return pass->kind->format == &lsr_format_ar && behind > end + 1 ? archive_cut(pass, end) : 0;
}

int lsr_archive_next(struct archive_pass *pass, struct archive_entry **ret_entry)
{
        for (unsigned tries = 0; tries < ARCHIVE_RETRIES_MAX; tries++) {
                int r = archive_read_next_header(pass->a, ret_entry);

                if (r == ARCHIVE_EOF)
                        return archive_ended(pass);
                if (r == ARCHIVE_WARN)
                        archive_warning(pass);
                if (r == ARCHIVE_OK || r == ARCHIVE_WARN) {
                        pass->ordinal++;
                        if (pass->kind->record && pass->ordinal > pass->scan->input->size / pass->kind->record + 1)
                                return archive_endless(pass);
                        return 1;
                }
                if (r != ARCHIVE_RETRY)
                        break;
        }
        return lsr_archive_trouble(pass);
}
