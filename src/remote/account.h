/*
 * account - credentials, region and endpoint of an object store, by AWS's conventions
 *
 * Credentials are taken from the first of these that has any:
 *
 *      AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN
 *      the profile AWS_PROFILE, or "default", in ~/.aws/credentials and ~/.aws/config, or the files that
 *              AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE name
 *      the container: AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI, with
 *              AWS_CONTAINER_AUTHORIZATION_TOKEN or _TOKEN_FILE
 *      the instance: metadata version 2, unless AWS_EC2_METADATA_DISABLED=true
 *
 * With none of them requests go unsigned, as public buckets allow.  Roles, single sign-on and credential_process of
 * a profile are not done: nothing is executed, and nobody else is asked for credentials.
 *
 * The endpoint is AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, or endpoint_url of the profile; the region AWS_REGION,
 * AWS_DEFAULT_REGION, region of the profile, or us-east-1.
 */
#pragma once

#include <stddef.h>
#include <time.h>

#define LSR_ACCOUNT_TEXT_MAX 256u

struct lsr_account {
        char *key_id, *secret, *token; /* NULL: none; without key_id nothing is signed */
        char *region;
        char *endpoint;                  /* NULL: Amazon's */
        time_t expires;                  /* 0: never */
        char text[LSR_ACCOUNT_TEXT_MAX]; /* what is wrong, where it failed */
};

/*
 * Ask the metadata service: @headers are lines, each with its "\n".  0 and the body, which is the caller's, on status
 * 200 only; else a negative errno.
 */
typedef int lsr_account_fetch(void *ctx, const char *method, const char *url, const char *headers, char **ret_body);

/* 0; -EINVAL: something is configured that cannot be used, and @account->text says what; -ENOMEM. */
int lsr_account_read(struct lsr_account *account, lsr_account_fetch *fetch, void *ctx);

/* All secrets are overwritten. */
void lsr_account_end(struct lsr_account *account);

/*
 * Where @key of @bucket lies: the host names the bucket at Amazon's, unless the bucket has a dot, which certificates
 * do not cover; elsewhere the path does.  @key is plain text.  NULL: no memory.
 */
char *lsr_account_url(const struct lsr_account *account, const char *bucket, const char *key);
