/*
 * restore - metadata of unpacked files
 *
 * Owner, then attributes, then mode, then access control lists, then time: a
 * change of owner takes setuid bits and capabilities away, attributes want a
 * file that can be written to, a list changes the mode, and a mode the list.
 */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "catalogue/member.h"

/* The user, and how the target directory changes new files. */
struct lsr_restore {
        bool root; /* owners can be given */
        uid_t uid;
        gid_t gid;
        mode_t umask;
        bool inherits; /* some directory gives its group or an ACL to new files */
        void *ctx;
        /* An attribute that could not be set. */
        void (*lost)(void *ctx, const char *name, int error);
};

/* Find the user and the umask, which is read by setting it to 0. */
void lsr_restore_begin(struct lsr_restore *r);
void lsr_restore_end(const struct lsr_restore *r);

/* See whether the directory @fd (or @name in it, unless NULL) passes on its group or an ACL. */
void lsr_restore_look(struct lsr_restore *r, int fd, const char *name);

/* The mode it is to have in the end; setuid and setgid only if the owner is restored with it. */
mode_t lsr_restore_mode(const struct lsr_restore *r, const struct lsr_member *m);

/* The mode to create it with.  Until it is whole, who may not write to it in the end may do so even less. */
mode_t lsr_restore_first_mode(const struct lsr_restore *r, const struct lsr_member *m);

/* Is anything left to do besides setting the time, if it was created with the first mode?  */
bool lsr_restore_needed(const struct lsr_restore *r, const struct lsr_member *m);

/*
 * Do it for an open file or directory; @exact: its mode may be any.  0 or a negative errno, of the first step that
 * failed.
 */
int lsr_restore_fd(const struct lsr_restore *r, int fd, const struct lsr_member *m, bool exact);

/* The same for @name in @dir, which may be a symbolic link and is not followed. */
int lsr_restore_at(const struct lsr_restore *r, int dir, const char *name, const struct lsr_member *m);

/* Only the time. */
int lsr_restore_time_at(int dir, const char *name, const struct lsr_member *m);
