/*
 * accounts - users and groups by passwd(5) and group(5)
 *
 * A static binary has no NSS, so the files are read as they are.  Who is in them is known by this alone; for others
 * render/users asks getent(1).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lsr_account {
        const char *name; /* of name_len bytes, in the text */
        size_t name_len;
        uint32_t id;
};

/*
 * The next account from *inout_at on, which moves behind it.  Lines that are none are passed over.  False: that was
 * all.
 */
bool lsr_account_next(const char **inout_at, const char *end, struct lsr_account *ret_account);

/*
 * The text of /etc/group or /etc/passwd, of *ret_len bytes: read by the first call, and kept.  Empty where the file
 * cannot be read.  One thread at a time.
 */
const char *lsr_accounts_text(bool group, size_t *ret_len);

/* The id of a name in that text.  False: it is not there. */
bool lsr_account_find(bool group, const char *name, size_t len, uint32_t *ret_id);
