/*
 * lsr-remote - fetches ranges of bundles that lie on servers, for lsr, which starts it
 *
 *      lsr ══ socket ══ lsr-remote ══ https ══ server
 *       │                   │
 *       └── worker ◄── memfd with the blocks that are there
 *
 * A program of its own, since it links libraries for networks that a static lsr cannot have, and since it holds the
 * secrets: what parses bundles has neither.  protocol.h is what they say to each other.
 *
 *      serve     the loop: messages and transfers
 *      object    opening, and what a NEED makes of requests
 *      fetch     one request with its redirects and repetitions
 *      upload    storing, part by part; multipart: the texts of that
 *      store     blocks that are here
 *      http      libcurl
 *      sigv4     signatures; account, profile: whose they are; url: names
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "remote/confine.h"
#include "remote/serve.h"

int main(int argc, char **argv)
{
        int type = 0, r;
        socklen_t n = sizeof(type);

        if (argc > 1 || getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &type, &n) < 0 || type != SOCK_SEQPACKET) {
                fputs("lsr-remote: lsr starts this program, to read bundles on servers\n", stderr);
                return 2;
        }
        signal(SIGPIPE, SIG_IGN);
        /* It ends with its socket: ^C for lsr must not keep it from taking back what it stored. */
        signal(SIGINT, SIG_IGN);
        signal(SIGTERM, SIG_IGN);
        signal(SIGHUP, SIG_IGN);
        lsr_remote_confine();
        r = lsr_remote_serve(STDIN_FILENO);
        return r < 0 ? 1 : 0;
}
