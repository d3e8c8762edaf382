/*
 * ring - the door to liburing
 *
 * The one file that includes liburing.h, for the two that speak to a ring:
 * uring.c (metadata, small files) and uring-read.c (contents).  They share no
 * ring: one is made for the number of names and belongs to the thread that made
 * it, the other is small, may go from thread to thread and can be confined.
 */
#pragma once

#include <errno.h>
#include <liburing.h>
#include <stdbool.h>

#define LSR_RING_TRIES_MAX 1000u

/* io_uring_enter(2) failed for a moment: a signal, or completions or memory were short. */
static inline bool lsr_ring_transient(int error)
{
        return error == -EINTR || error == -EAGAIN || error == -EBUSY;
}
