/*
 * read-url - bytes of an object on a server, read as lsr reads them
 *
 *      read-url HELPER URL STEP        all of it, STEP bytes at a time; "-" for HELPER: the one that is found
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "remote/client.h"

int main(int argc, char **argv)
{
        struct lsr_remote_client client;
        struct lsr_remote_file file;
        char text[LSR_REMOTE_TEXT_MAX] = "", *bytes;
        uint64_t step;
        int r;

        if (argc != 4)
                return 2;
        step = strtoull(argv[3], NULL, 10);
        r = lsr_remote_start(strcmp(argv[1], "-") == 0 ? NULL : argv[1], &client);
        if (r < 0) {
                fprintf(stderr, "start: %s\n", strerror(-r));
                return 1;
        }
        bytes = malloc(step);
        r = lsr_remote_open(&client, argv[2], &(uint32_t){ (uint32_t)strlen(argv[2]) }, 1, NULL, &file, text);
        if (r == 0) {
                for (uint64_t at = 0; r == 0 && at < file.size; at += step) {
                        struct lsr_remote_range range = { at, at + step < file.size ? step : file.size - at }, missing;

                        if (lsr_remote_missing(file.have, range, &missing))
                                r = lsr_remote_need(&client, &file, &missing, 1, 0, text);
                        if (r == 0 && (pread(file.data, bytes, range.length, (off_t)at) != (ssize_t)range.length ||
                                       fwrite(bytes, range.length, 1, stdout) != 1))
                                r = -EIO;
                }
                if (r == 0)
                        fprintf(stderr, "%s, %lu bytes\n", file.tag, file.stats.bytes);
                lsr_remote_close(&client, &file);
        }
        if (r < 0)
                fprintf(stderr, "%s: %s\n", strerror(-r), text);
        lsr_remote_stop(&client);
        free(bytes);
        return fflush(stdout) == 0 && r == 0 ? 0 : 1;
}
