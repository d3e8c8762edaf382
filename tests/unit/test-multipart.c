/* remote/multipart - sizes of parts, what stores answer, what they are told, and ETags */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "remote/multipart.h"

Test(multipart, sizes)
{
        uint64_t sum = 0, last = 0;

        for (uint32_t i = 1; i <= LSR_MULTIPART_PARTS; i++) {
                uint64_t size = lsr_multipart_size(i);

                cr_assert_geq(size, last);
                cr_assert_leq(size, LSR_MULTIPART_MEMORY);
                last = size;
                sum += size;
        }
        cr_expect_eq(lsr_multipart_size(1), LSR_MULTIPART_LEAST);
        cr_expect_eq(sum >> 30, 437); /* as a message says */
}

static void text_check(const char *xml, const char *name, const char *expected)
{
        lsr_autofree char *text = lsr_multipart_text(xml, name);

        if (expected)
                cr_expect_str_eq(text, expected);
        else
                cr_expect_null(text);
}

Test(multipart, text)
{
        static const char xml[] = "<?xml version=\"1.0\"?>\n<R xmlns=\"x\"><UploadIdMarker>no</UploadIdMarker>"
                                  "<UploadId>a&amp;b&lt;&#34;&x;</UploadId><ETag>&quot;1&quot;</ETag><Empty></Empty>";

        text_check(xml, "UploadId", "a&b<\"&x;");
        text_check(xml, "ETag", "\"1\"");
        text_check(xml, "Empty", "");
        text_check(xml, "Id", NULL);
        text_check("<UploadId>cut", "UploadId", NULL);
        text_check("<UploadId", "UploadId", NULL);
        text_check("", "UploadId", NULL);
}

Test(multipart, body)
{
        struct lsr_multipart_tag tags[2] = { { "\"one\"" }, { "\"two\"" } };
        lsr_autofree char *body = lsr_multipart_body(tags, 2);

        cr_expect_str_eq(body, "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                               "<Part><PartNumber>1</PartNumber><ETag>\"one\"</ETag></Part>"
                               "<Part><PartNumber>2</PartNumber><ETag>\"two\"</ETag></Part>"
                               "</CompleteMultipartUpload>");
        strcpy(tags[1].text, "\"</ETag>\"");
        cr_expect_null(lsr_multipart_body(tags, 2));
        strcpy(tags[1].text, "");
        cr_expect_null(lsr_multipart_body(tags, 2));
}

/* printf one | md5sum, and of the 32 bytes of both hashes together. */
Test(multipart, tags)
{
        struct lsr_multipart_tag tags[2];
        char tag[LSR_MULTIPART_TAG];

        lsr_multipart_plain_tag("one", 3, tags[0].text);
        lsr_multipart_plain_tag("two", 3, tags[1].text);
        cr_expect_str_eq(tags[0].text, "\"f97c5d29941bfb1b2fdab0874906ab82\"");
        lsr_multipart_whole_tag(tags, 2, tag);
        cr_expect_str_eq(tag, "\"1397b7ee3222e3980d0d20f23a871b02-2\"");
        strcpy(tags[0].text, "\"F97C5D29941BFB1B2FDAB0874906AB82\"");
        lsr_multipart_whole_tag(tags, 2, tag);
        cr_expect_str_eq(tag, "");
        strcpy(tags[0].text, "\"f97c5d29941bfb1b2fdab0874906ab82-1\"");
        lsr_multipart_whole_tag(tags, 2, tag);
        cr_expect_str_eq(tag, "");
}
