/*
 * inventory - the files of the tree, listed before anything is measured
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lsr_inventory {
        uint64_t members;   /* all but the root */
        uint64_t files;     /* regular ones */
        uint64_t bytes;     /* in those */
        uint64_t links;     /* symbolic */
        uint64_t allocated; /* by files, each once, and directories */
        uint64_t special;   /* neither file, link nor directory: they hold nothing to be read */
        uint64_t loose;     /* beside the packages */
        bool hard_links;
        char **packages; /* subdirectories of the root, in the order of strcmp(3); owned */
        size_t n_packages;
        char **paths; /* of files that can be read, of each its first name in a bundle; owned; NULL: not wanted */
        size_t n_paths;
};

struct lsr_inventory_options {
        const char *dir;
        bool each;  /* what is not in a subdirectory is loose */
        bool paths; /* wanted */
        void *ctx;
        /* This file or directory cannot be read, so no way reads it. */
        void (*unreadable)(void *ctx, const char *path, int error);
};

/* 0 or a negative errno.  The result is to be freed in any case. */
int lsr_inventory_take(struct lsr_inventory *ret_inventory, const struct lsr_inventory_options *options);
void lsr_inventory_free(struct lsr_inventory *inventory);
