/*
 * confine - what lsr-remote gives up before it reads a byte: executing, writing files, being looked at
 *
 * It holds secrets and talks to strangers through a large library.  Sockets and reading files stay: resolving names and
 * verifying certificates want them.
 */
#pragma once

/* Where the kernel lacks a part of this, the rest is done. */
void lsr_remote_confine(void);
