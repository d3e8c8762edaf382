/*
 * target - the output file, complete or not there
 *
 * It is written without a name, or, where the file system has no such files,
 * under one that begins with '.', and gets its own name when it is complete.
 * However the process ends before that, the old file of that name is still
 * there.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum lsr_target_refusal {
        LSR_TARGET_EXISTS = 1, /* and may not be replaced */
        LSR_TARGET_IS_DIR,
        LSR_TARGET_INSIDE,    /* it would lie in a tree that is being packed */
        LSR_TARGET_NO_SPACE,  /* nothing is free there */
        LSR_TARGET_NO_READER, /* it is a FIFO that nobody reads */
};

#define LSR_TARGET_UNBOUNDED UINT64_MAX

struct lsr_target {
        int fd; /* to write to, and to read from if is_file */
        bool is_file;
        bool spooled;  /* goes to @end when it is complete */
        uint64_t room; /* bytes that are free where it is made; LSR_TARGET_UNBOUNDED: not known */
        int end;       /* of one that is spooled: standard output, or the pipe */
        /* The rest is private. */
        bool force;
        int dirfd;
        char *name;
        char *temporary; /* NULL: it has no name yet */
        uint64_t flown;  /* bytes that are on their way to the disk */
};

/*
 * Begin.  "-" is standard output; with @needs_file it is a file before.  An existing device or FIFO is written to
 * directly.  @roots are the directories to be packed.  0, enum lsr_target_refusal, or a negative errno.
 */
int lsr_target_open(struct lsr_target *ret_target, const char *path, bool force, bool needs_file,
                    const char *const *roots, unsigned n_roots);

/* The same into the pipe @fd, which is taken over, also if it fails. */
int lsr_target_open_pipe(struct lsr_target *ret_target, int fd, bool needs_file);

/* So many bytes were written: they begin to go to the disk while more are. */
void lsr_target_flow(struct lsr_target *t, uint64_t written);

/* Everything was written: flush it to the disk. */
int lsr_target_sync(struct lsr_target *t);

/* Give it its name.  0; LSR_TARGET_EXISTS: somebody else made one meanwhile; a negative errno. */
int lsr_target_commit(struct lsr_target *t);

/* Remove everything that was not committed. */
void lsr_target_close(struct lsr_target *t);

/* The same for any open target, for the handler of a signal that ends the process. */
void lsr_target_abandon(void);
