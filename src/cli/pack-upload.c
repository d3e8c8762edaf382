/*
 * pack-upload - a bundle in an object store
 *
 * It is packed into a file without a name, read back, and then stored by one request: the object is there as a whole,
 * or not at all, however lsr ends.  The request has the hash of all bytes, which the store compares.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/message.h"
#include "cli/pack.h"
#include "pack/target.h"
#include "remote/client.h"
#include "remote/url.h"

static struct lsr_remote_client upload_client = { .fd = -1 };

/* Returns the exit status. */
static int upload_refused(const char *url, int error, const char *text)
{
        if (error == -EEXIST)
                return lsr_pack_report_refused(url, "--output", LSR_TARGET_EXISTS);
        return lsr_message("cannot store %s: %s", lsr_quoted_always(url), lsr_printable(text));
}

int lsr_pack_upload_begin(const char *url, bool force)
{
        char text[LSR_REMOTE_TEXT_MAX] = "";
        struct lsr_remote_file file;
        int r;

        if (strncasecmp(url, "s3://", 5) != 0)
                return lsr_message("cannot store %s: only s3:// can be written to", lsr_quoted_always(url));
        if (upload_client.fd < 0) {
                r = lsr_remote_start(NULL, &upload_client);
                if (r == -ENOENT)
                        return upload_refused(url, r,
                                              "lsr-remote is not installed, which stores it: install it, or "
                                              "pack into a file");
                if (r < 0)
                        return upload_refused(url, r, strerror(-r));
        }
        /* Better now than when all is packed. */
        r = lsr_remote_open(&upload_client, url, &(uint32_t){ (uint32_t)strlen(url) }, 1, NULL, &file, text);
        if (r == 0) {
                lsr_remote_close(&upload_client, &file);
                return force ? 0 : upload_refused(url, -EEXIST, NULL);
        }
        /* Who may not read may still write. */
        return r == -ENOENT && strstr(text, "NoSuchBucket") == NULL ? 0
               : r == -EACCES                                       ? 0
                                                                    : upload_refused(url, r, text);
}

int lsr_pack_upload(const char *url, int fd, bool force)
{
        char text[LSR_REMOTE_TEXT_MAX] = "";
        struct stat st;
        int r = fstat(fd, &st) < 0 ? -errno : 0;

        if (r == 0)
                r = lsr_remote_put(&upload_client, url, fd, (uint64_t)st.st_size, force, text);
        if (r == 0)
                lsr_remote_stop(&upload_client);
        return r == 0 ? 0 : upload_refused(url, r, *text ? text : strerror(-r));
}
