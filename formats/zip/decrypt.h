/*
 * decrypt - encrypted members of a zip
 */
#pragma once

#include <stdint.h>

#include "formats/input.h"

struct lsr_zip_cipher {
        unsigned strength;          /* of AES: 1 to 3, for 128, 192 and 256 bits; 0: PKWARE's own */
        uint8_t check, other_check; /* the byte that PKWARE's own begins with is one of these */
};

/*
 * What @inner, the data of a member, decrypts to.  0, and @inner is freed with the result; -EKEYREJECTED: that is not
 * the password; -EBADMSG: there is too little; another negative errno.
 */
int lsr_zip_decrypt(struct lsr_input **ret_input, struct lsr_input *inner, const struct lsr_zip_cipher *cipher,
                    const char *password);

/*
 * All was read that the decoder wanted: pass over the rest.  0; -EBADMSG: it is not authentic; another negative errno.
 */
int lsr_zip_decrypt_end(struct lsr_input *in);
