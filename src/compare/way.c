/*
 * way - from job to report
 *
 * The process is executed anew, so that its memory and page tables contain
 * nothing of the process that measures.  It makes as few calls of its own as
 * possible: one to read the job, one to report, and one to wait, while its
 * parent reads its accounts under /proc.
 */
#include "compare/way.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "compare/ways.h"
#include "pack/digest.h"

bool way_unmeasured;

/* --- what is found ------------------------------------------------------------ */

static void way_count(struct lsr_way_report *report, const struct lsr_member *m, uint64_t content)
{
        report->members++;
        report->digest += lsr_digest_member(m, content);
}

void way_file(struct lsr_way_report *report, const char *path, size_t path_len, uint64_t content, uint64_t bytes)
{
        const struct lsr_member m = { .path = path, .path_len = path_len, .meta.mode = S_IFREG };

        way_count(report, &m, content);
        report->bytes += bytes;
}

void way_link(struct lsr_way_report *report, const char *path, size_t path_len, const char *target, size_t target_len)
{
        const struct lsr_member m = {
                .path = path, .path_len = path_len, .meta.mode = S_IFLNK, .target = target, .target_len = target_len
        };

        way_count(report, &m, 0);
}

int way_fail(struct way *w, int error, const char *what)
{
        struct lsr_way_report *report = w->report;

        if (report->error == 0) {
                report->error = error;
                snprintf(report->what, sizeof(report->what), "%s", what);
        }
        return error;
}

void lsr_way_run(const struct lsr_way_job *job, struct lsr_way_report *ret_report)
{
        struct way w = { .job = job, .report = ret_report };
        uint64_t began;

        *ret_report = (struct lsr_way_report){};
        began = way_clock();
        if (job->kind == LSR_WAY_BUNDLES)
                way_bundles(&w);
        else
                way_files(&w);
        ret_report->total_ns = way_clock() - began;
        ret_report->io_ns += w.io_ns;
        if (job->kind == LSR_WAY_BUNDLES && ret_report->total_ns > ret_report->io_ns + w.digest_ns)
                ret_report->decode_ns = ret_report->total_ns - ret_report->io_ns - w.digest_ns;
}

/* --- jobs as bytes ------------------------------------------------------------ */

struct way_head {
        struct lsr_way_job job; /* its pointers mean nothing */
        size_t size;
};

static void way_put(char **at, const void *data, size_t n)
{
        if (n > 0)
                memcpy(*at, data, n);
        *at += n;
}

void *lsr_way_encode(const struct lsr_way_job *job, size_t *ret_size)
{
        struct way_head head = { .job = *job };
        size_t dir_len = strlen(job->dir) + 1;
        char *data, *at;

        head.size = sizeof(head) + dir_len + job->n_fds * sizeof(*job->fds);
        for (size_t i = 0; i < job->n_picks; i++)
                head.size += sizeof(job->picks[i].bundle) + strlen(job->picks[i].path) + 1;
        at = data = lsr_xmalloc(head.size);
        way_put(&at, &head, sizeof(head));
        way_put(&at, job->fds, job->n_fds * sizeof(*job->fds));
        way_put(&at, job->dir, dir_len);
        for (size_t i = 0; i < job->n_picks; i++) {
                way_put(&at, &job->picks[i].bundle, sizeof(job->picks[i].bundle));
                way_put(&at, job->picks[i].path, strlen(job->picks[i].path) + 1);
        }
        *ret_size = head.size;
        return data;
}

/* Decode @data, which comes from lsr_way_encode() of this binary. */
static struct lsr_way_job way_decode(const char *data)
{
        struct lsr_way_job job = ((const struct way_head *)(const void *)data)->job;
        struct lsr_way_pick *picks = lsr_xmalloc(job.n_picks * sizeof(*picks) + 1);
        const char *at = data + sizeof(struct way_head);

        job.fds = (const int *)(const void *)at;
        at += job.n_fds * sizeof(*job.fds);
        job.dir = at;
        at += strlen(at) + 1;
        for (size_t i = 0; i < job.n_picks; i++) {
                memcpy(&picks[i].bundle, at, sizeof(picks[i].bundle));
                picks[i].path = at + sizeof(picks[i].bundle);
                at = picks[i].path + strlen(picks[i].path) + 1;
        }
        job.picks = job.n_picks > 0 ? picks : NULL;
        return job;
}

static bool way_is_socket(int fd)
{
        int domain;
        socklen_t len = sizeof(domain);

        return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) == 0 && domain == AF_UNIX;
}

void lsr_way_route(int argc, char **argv)
{
        struct lsr_way_report report;
        struct lsr_way_job job;
        size_t size;
        char *data;

        /* A user who gives this name to a link has an environment, or no such socket.  The second word is for `ps`. */
        if (argc < 3 || strcmp(argv[0], LSR_WAY_NAME) != 0 || environ[0] || !way_is_socket(LSR_WAY_FD))
                return;
        way_unmeasured = argc > 3 && strcmp(argv[3], LSR_WAY_UNMEASURED) == 0;
        size = strtoul(argv[2], NULL, 10);
        data = lsr_xmalloc(size);
        if (pread(LSR_WAY_JOB_FD, data, size, 0) != (ssize_t)size)
                _exit(2);
        job = way_decode(data);
        lsr_way_run(&job, &report);
        if (write(LSR_WAY_FD, &report, sizeof(report)) != sizeof(report))
                _exit(2);
        /*
         * The end of the socket permits the process to end.  The kernel takes back its memory; a leak check would
         * fail under ptrace.
         */
        _exit(read(LSR_WAY_FD, &(char){ 0 }, 1) == 0 ? 0 : 2);
}
