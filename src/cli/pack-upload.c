/*
 * pack-upload - a bundle in an object store
 *
 * What is packed goes through a pipe to lsr-remote, which stores it part by part meanwhile.  The object is there as a
 * whole when all of it has been stored, or not at all, however lsr ends.  A format that writes back is packed into a
 * file without a name before, and sent from there.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/pack.h"
#include "pack/target.h"
#include "remote/client.h"

static struct {
        struct lsr_remote_client client;
        bool under_way;
} upload = { .client = { .fd = -1 } };

/* Returns the exit status. */
static int upload_refused(const char *url, int error, const char *text)
{
        if (error == -EEXIST)
                return lsr_pack_report_refused(url, "--output", LSR_TARGET_EXISTS);
        if (error == -EPIPE)
                return lsr_message("cannot store %s: %s; parts of it may be left in the bucket", lsr_quoted_always(url),
                                   text);
        return lsr_message("cannot store %s: %s", lsr_quoted_always(url), lsr_printable(text));
}

int lsr_pack_upload_begin(const char *url, bool force, int *ret_fd)
{
        char text[LSR_REMOTE_TEXT_MAX] = "";
        int r;

        if (strncasecmp(url, "s3://", 5) != 0)
                return lsr_message("cannot store %s: only s3:// can be written to", lsr_quoted_always(url));
        if (upload.client.fd < 0) {
                /* A write to what has failed is an error as others are. */
                signal(SIGPIPE, SIG_IGN);
                r = lsr_remote_start(NULL, &upload.client);
                if (r == -ENOENT)
                        return upload_refused(url, r,
                                              "lsr-remote is not installed, which stores it: install it, or "
                                              "pack into a file");
                if (r < 0)
                        return upload_refused(url, r, strerror(-r));
        }
        r = lsr_remote_put(&upload.client, url, force, ret_fd, text);
        upload.under_way = r == 0;
        return r == 0 ? 0 : upload_refused(url, r, text);
}

int lsr_pack_upload_failed(void)
{
        return upload.under_way && lsr_remote_put_failed(&upload.client) ? -EPIPE : 0;
}

int lsr_pack_upload_end(const char *url, uint64_t size, void (*told)(void *ctx, uint64_t bytes), void *ctx)
{
        char text[LSR_REMOTE_TEXT_MAX] = "";
        struct lsr_remote_stats stats;
        int r = lsr_remote_put_end(&upload.client, true, size, told, ctx, &stats, text);

        upload.under_way = false;
        return r == 0 ? 0 : upload_refused(url, r, text);
}

int lsr_pack_upload_cancel(const char *url)
{
        char text[LSR_REMOTE_TEXT_MAX] = "";
        struct lsr_remote_stats stats;
        int r;

        if (!upload.under_way)
                return 0;
        r = lsr_remote_put_end(&upload.client, false, 0, NULL, NULL, &stats, text);
        upload.under_way = false;
        return r == -ECANCELED ? 0 : upload_refused(url, r, text);
}

void lsr_pack_upload_abandon(void)
{
        lsr_remote_abandon(&upload.client);
}

void lsr_pack_upload_stop(void)
{
        lsr_remote_stop(&upload.client);
}
