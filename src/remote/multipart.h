/*
 * multipart - sizes and texts of S3's multipart uploads
 *
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html
 *
 *      POST ?uploads                   begins one, and tells its id
 *      PUT ?partNumber=1&uploadId=id   a part, and its ETag
 *      POST ?uploadId=id               with all numbers and ETags: now the object is there, as a whole
 *      DELETE ?uploadId=id             or else it never will be
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "remote/protocol.h"

#define LSR_MULTIPART_PARTS 10000u                 /* of one object, at most */
#define LSR_MULTIPART_LEAST ((uint64_t)8 << 20)    /* bytes of the first part */
#define LSR_MULTIPART_MEMORY ((uint64_t)64 << 20)  /* bytes of the largest, and of all that are held */
#define LSR_MULTIPART_TAG (size_t)(32 + 2 + 5 + 1) /* of an ETag that is computed: MD5, quotes, "-10000" */

struct lsr_multipart_tag {
        char text[LSR_REMOTE_TAG_MAX]; /* with its quotes */
};

/* Bytes of part @number, the first of which is 1: they grow, so that LSR_MULTIPART_PARTS reach 437 GiB. */
uint64_t lsr_multipart_size(uint32_t number);

/* The text of the first element @name in @xml, with "&quot;" and the like resolved.  NULL: none, or no memory. */
char *lsr_multipart_text(const char *xml, const char *name);

/* What completes an upload of @n parts.  NULL: a tag that is none, or no memory. */
char *lsr_multipart_body(const struct lsr_multipart_tag *tags, uint32_t n);

/*
 * The ETag that an object of these parts has where ETags are made of MD5: of the hashes of the parts, and "-@n".  It is
 * empty if those of the parts are none.
 */
void lsr_multipart_whole_tag(const struct lsr_multipart_tag *tags, uint32_t n, char ret_tag[LSR_MULTIPART_TAG]);

/* The same of an object that is stored at once. */
void lsr_multipart_plain_tag(const void *data, size_t n, char ret_tag[LSR_MULTIPART_TAG]);
