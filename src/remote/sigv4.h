/*
 * sigv4 - AWS Signature Version 4 in an Authorization header, as S3 wants it
 *
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 *
 *      canonical request   method, path, sorted query, sorted headers, their names, hash of the body
 *      string to sign      "AWS4-HMAC-SHA256", time, scope, hash of the canonical request
 *      signature           HMAC of it, by a key derived from secret, day, region and service
 *
 * As S3 does it: the path is signed as it is sent, neither normalised nor escaped once more.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define LSR_SIGV4_EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" /* hash of no body */
#define LSR_SIGV4_HEADERS_MAX 16u

struct lsr_sigv4_header {
        const char *name; /* in small letters */
        const char *value;
};

struct lsr_sigv4 {
        const char *method;
        const char *path;                       /* escaped, as it is sent; empty stands for "/" */
        const char *query;                      /* as it is sent, in any order; NULL or empty: none */
        const struct lsr_sigv4_header *headers; /* that are signed: "host" and all "x-amz-" at least; in any order */
        unsigned n_headers;
        const char *payload; /* hash of the body, in hexadecimal */
        const char *region, *service, *key_id, *secret;
        time_t when; /* what x-amz-date says */
};

/* The hash of @data, as payload is to be. */
void lsr_sigv4_hash(const void *data, size_t n, char ret_hash[65]);

/* @when as x-amz-date has it: 20130524T000000Z. */
void lsr_sigv4_date(time_t when, char ret_date[17]);

/* Texts on the way, and the value of the header Authorization.  NULL: no memory, or too many headers. */
char *lsr_sigv4_canonical(const struct lsr_sigv4 *s);
char *lsr_sigv4_to_sign(const struct lsr_sigv4 *s);
char *lsr_sigv4_authorization(const struct lsr_sigv4 *s);

/* The query in the order and the escapes in which it is signed, which is also good for sending.  NULL: no memory. */
char *lsr_sigv4_query(const char *query);
