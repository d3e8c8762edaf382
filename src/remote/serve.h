/* serve - the requests of lsr, answered until it closes the socket */
#pragma once

/* 0: the other end is gone; or a negative errno. */
int lsr_remote_serve(int fd);
