/*
 * write-acl - access control lists in words
 *
 *      user::rw-,user:1000:r--,group::r--,mask::r--,other::---
 *
 * Names of users would have to be looked up, and may mean other users on
 * another machine, where the list would silently be wrong.  Ids do not change,
 * and GNU tar, bsdtar and star read them in the place of names.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "formats/tar/write.h"

/* As in linux/posix_acl_xattr.h. */
#define ACL_XATTR_VERSION 2u
#define ACL_XATTR_HEADER 4u
#define ACL_XATTR_ENTRY 8u

static const struct acl_tag {
        uint16_t tag;
        bool id;
        char word[6];
} acl_tags[] = {
        { 0x01, false, "user" }, { 0x02, true, "user" },  { 0x04, false, "group" },
        { 0x08, true, "group" }, { 0x10, false, "mask" }, { 0x20, false, "other" },
};

static const struct acl_tag *acl_tag(uint16_t tag)
{
        for (size_t i = 0; i < sizeof(acl_tags) / sizeof(acl_tags[0]); i++)
                if (acl_tags[i].tag == tag)
                        return &acl_tags[i];
        return NULL;
}

int tar_acl_text(struct tar_bytes *to, const uint8_t *acl, size_t n)
{
        if (n < ACL_XATTR_HEADER || lsr_le32(acl) != ACL_XATTR_VERSION || (n - ACL_XATTR_HEADER) % ACL_XATTR_ENTRY)
                return -EINVAL;
        for (size_t at = ACL_XATTR_HEADER; at < n; at += ACL_XATTR_ENTRY) {
                const struct acl_tag *tag = acl_tag(lsr_le16(acl + at));
                uint16_t perm = lsr_le16(acl + at + 2);
                char text[48], id[16] = "";

                if (!tag || perm > 7)
                        return -EINVAL;
                if (tag->id)
                        sprintf(id, "%u", lsr_le32(acl + at + 4));
                tar_bytes_add(to, text,
                              (size_t)sprintf(text, "%s%s:%s:%c%c%c", at == ACL_XATTR_HEADER ? "" : ",", tag->word, id,
                                              perm & 4 ? 'r' : '-', perm & 2 ? 'w' : '-', perm & 1 ? 'x' : '-'));
        }
        return 0;
}
