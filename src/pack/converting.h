/*
 * converting - what the parts of a conversion share: which members there are and what is said of each
 * (convert-member.c), how they come (convert.c), and what hard links lead to (convert-links.c)
 */
#pragma once

#include "pack/convert.h"
#include "pack/digest.h"
#include "source/spool.h"

enum {
        CONVERT_WANTED = 1 << 0,
        CONVERT_ALL = 1 << 1,     /* and what is below it */
        CONVERT_OUT = 1 << 2,     /* it is left out with what is below it */
        CONVERT_WRITTEN = 1 << 3, /* it is stored */
        CONVERT_TRUE = 1 << 4,    /* a hard link, whose header says the same as the catalogue */
        CONVERT_DONE = 1 << 5,    /* whatever came of it */
        CONVERT_QUEUED = 1 << 6,  /* a pass is about to store what hard links lead to */
};

/* A row and where it is; or of a stream a hash of the path in place of the row. */
struct convert_step {
        uint64_t position;
        uint32_t row;
        bool written;
};

struct convert {
        struct lsr_convert *o;
        const struct lsr_catalogue *c;
        struct lsr_writer *w;
        struct lsr_pack_stats *stats;
        size_t skip;      /* bytes of paths in front of what is stored, */
        size_t below;     /* and then in front of what patterns are compared with */
        uint8_t *state;   /* of each row */
        uint32_t *copied; /* of each row that hard links lead to: under which its content was stored; 0: not yet */
        struct convert_step *steps; /* of the pass; of a stream, of the members that came */
        size_t n;
        size_t cap;                 /* of a stream's */
        struct convert_step *plain; /* without content, to be written in between */
        size_t n_plain, plain_at;
        char **targets; /* of each row: of a symbolic link that the catalogue does not tell; NULL: all are told */
        /*
         * While content of hard links is stored: of each row that they lead to the first that waits, of each of these
         * the next; 0: none.  NULL: it is not stored yet.
         */
        uint32_t *next;
        bool keeps;             /* those that wait for the content at hand get it, */
        struct lsr_spool spool; /* from here */
        bool by_itself;         /* hard links are read for their headers */
        bool streams;           /* there is no catalogue yet */
        bool open;              /* then: content of the last member may come */
        /* The file at hand. */
        size_t at;
        struct lsr_member m;
        char *path;
        uint8_t *xattrs;
        struct lsr_digest digest;
        uint64_t left;   /* of its size, */
        uint64_t stored; /* and of its data, which is less of one with holes */
        int error;       /* that ended the work */
        bool begun;
        bool dropped; /* the writer does not take it */
};

/* The path that @row is stored under; to be freed. */
char *convert_path(const struct convert *v, uint32_t row);

void convert_trouble(struct convert *v, enum lsr_pack_trouble what, const char *path, int error, uint64_t at);

/* Which rows below @top are wanted, and it. */
void convert_select(struct convert *v, uint32_t top);

/* Make @m what is written next, as @path, which is taken over. */
void convert_set(struct convert *v, uint32_t row, const struct lsr_member *m, char *path);

/* Make it @row under its own name, with what a hard link leads to. */
void convert_get(struct convert *v, uint32_t row);

/* Write the header of what is next; then data, if it is a file.  0; 1: it is left out; a negative errno. */
int convert_header(struct convert *v, const struct lsr_extent *extents, size_t n);

/* The same for anything but a file with content. */
int convert_put(struct convert *v);

/* The same for @row.  0 or a negative errno. */
int convert_plain(struct convert *v, uint32_t row);

/* Is the row a file whose content is stored with it? */
bool convert_has_content(const struct convert *v, uint32_t row);

/* One pass for v->steps, to which convert_add() adds.  What went wrong with the work is in v->error. */
void convert_add(struct convert *v, struct convert_step *steps, size_t *n, uint32_t row);
int convert_read(struct convert *v);

/* Content of the file at hand, and its end: @error says how it could be read.  0, or a negative errno. */
int convert_write(void *ctx, const void *data, size_t n);
int convert_end(struct convert *v, uint32_t row, int error);

/* Of content that has no map: @n zeros. */
int convert_zeros(struct convert *v, uint64_t n);

/* Hard links to content that is stored under another name, or else the next of them gets it. */
int convert_links(struct convert *v);

/* The content of @row comes; some of it has come; it has ended, which was told. */
void convert_keep_begin(struct convert *v, uint32_t row);
void convert_keep(struct convert *v, const void *data, size_t n);
int convert_keep_end(struct convert *v, uint32_t row, int error);
