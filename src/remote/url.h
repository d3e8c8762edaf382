/*
 * url - names of bundles on a web server or in an object store
 *
 *      https://host/dir/x.tar.zst/inner/path     what is in the bundle follows its name
 *      https://host/x?query#/inner/path          or "#/", which is never sent
 *      s3://bucket/key                           the key is plain text: '%', '?' and '+' stand for themselves
 *
 * In http and https the path is sent as it is written, but for bytes that no URL may have (spaces, UTF-8), which
 * are escaped.  Nothing is normalised: "..", "." and "//" are part of a key.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LSR_URL_MAX ((size_t)8192) /* bytes of one, without its NUL */
#define LSR_URL_CANDIDATES 4u

enum lsr_url_scheme { LSR_URL_HTTP, LSR_URL_HTTPS, LSR_URL_S3 };

struct lsr_url_part {
        const char *p;
        size_t n;
};

/* Parts of a text, which must live as long; what is missing is empty. */
struct lsr_url {
        enum lsr_url_scheme scheme;
        struct lsr_url_part user;  /* name and password, as written before the '@' */
        struct lsr_url_part host;  /* with its port; of s3 the bucket */
        struct lsr_url_part path;  /* with its first '/' */
        struct lsr_url_part query; /* without '?' */
        const char *inner;         /* behind "#/", or NULL */
};

/* Whether @text begins like one of the schemes. */
bool lsr_url_is(const char *text);

/* 0, or -EINVAL: no scheme of ours, no host, a character that must not be there; -ENAMETOOLONG. */
int lsr_url_parse(const char *text, struct lsr_url *ret_url);

/*
 * Which beginnings of @text may name the bundle, the shortest first: those that end behind a component of the path
 * whose name is @known as that of a bundle, and the whole.  Fewer than LSR_URL_CANDIDATES + 1; 0 if it is no URL.
 * @known gets the name unescaped.  A query or "#/" leaves no doubt: then it is all that is sent.
 */
unsigned lsr_url_candidates(const char *text, bool (*known)(const char *name, void *ctx), void *ctx,
                            uint32_t ret_ends[LSR_URL_CANDIDATES]);

/* What @text names inside of a bundle whose name ends at @end: unescaped, no slashes around it.  NULL: no memory. */
char *lsr_url_inner(const char *text, uint32_t end);

/* @text up to @end for a message: without user, password and query, which may hold secrets.  NULL: no memory. */
char *lsr_url_show(const char *text, uint32_t end);

/* The same of all of it, with what is behind "#/". */
char *lsr_url_show_all(const char *text);

/*
 * Whether @from may send to @to, both of http or https: 0, and both are the same server; 1: another one, which must
 * not see credentials; -EPERM: https would become http; -EINVAL: not a URL that is fetched.
 */
int lsr_url_redirect(const char *from, const char *to);

/* @to, which is of the same server as @from, with the name and password of @from.  NULL: no memory. */
char *lsr_url_with_user(const char *from, const char *to);

/*
 * Write the @n bytes of @from escaped: letters, digits, "-._~" and what @keep lists stay, any other byte becomes %XX.
 * Returns the length.  @to has room for 3 * @n + 1.
 */
size_t lsr_url_escape(char *to, const char *from, size_t n, const char *keep);

/* The reverse, for at most @n bytes; %XX that is none stays.  Returns the length; @to has room for @n + 1. */
size_t lsr_url_unescape(char *to, const char *from, size_t n);
