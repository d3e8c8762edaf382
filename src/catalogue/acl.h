/*
 * acl - access control lists, from text to the kernel's format
 *
 * tar keeps them as star(1) wrote them: "user::rw-,user:lisa:rw-:1234,mask::r--".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * @text, of @n bytes, as the value of system.posix_acl_access or _default: *ret_size bytes, to be freed.  Names
 * are looked up in /etc/passwd and /etc/group; the number behind a name, or in its place, counts if they do not
 * know it.  0; -EINVAL: it is not such a text; -ENOENT: a name is unknown.
 */
int lsr_acl_from_text(const char *text, size_t n, uint8_t **ret_value, size_t *ret_size);

/* The attribute in which the kernel has the access control list @name, which is perhaps a text; NULL: it is none. */
const char *lsr_acl_kernel_name(const char *name, bool *ret_text);
