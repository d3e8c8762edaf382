/*
 * upload - what comes through a pipe becomes an object of s3, as a whole or not at all
 *
 *      pipe ─► less than a part ─► PUT ───────────────────────────────┐
 *        └───► parts in memory ─► POST ?uploads ─► PUT ... ─► POST ───┴─► the ETag is right? else HEAD ─► ended
 *                                                    └─ failed, cancelled ─► DELETE ─► ended
 *
 * Parts are sent while others are read, several at a time; LSR_MULTIPART_MEMORY bounds what of them is held.  The
 * store compares each with the hash that is signed.  A PUT of all of it that is cut again and again becomes a part,
 * too: the POST before that has no body, so the answer to it arrives, and tells what the store refuses.  Unless
 * something may be replaced, a HEAD asks meanwhile whether there is an object already, as not every store heeds
 * If-None-Match where an upload ends.
 */
#pragma once

#include "remote/object.h"

struct lsr_upload;

/* Begin to read from @pipe, which is taken over.  0; -ENOMEM; what is wrong with the URL or the account ends it. */
int lsr_upload_new(struct lsr_remote *remote, const struct lsr_remote_put *put, const char *url, int pipe,
                   struct lsr_upload **ret_upload);
struct lsr_upload *lsr_upload_free(struct lsr_remote *remote, struct lsr_upload *u);

/* All @size bytes are in the pipe, and the object shall be. */
void lsr_upload_commit(struct lsr_upload *u, uint64_t size);

/* It shall not be: -ECANCELED, once nothing is left of it. */
void lsr_upload_cancel(struct lsr_upload *u);

/* Read, and start what may be started. */
void lsr_upload_pump(struct lsr_remote *remote, struct lsr_upload *u);

/* What it waits for to read from; negative: nothing. */
int lsr_upload_waits(const struct lsr_upload *u);

bool lsr_upload_ended(const struct lsr_upload *u);

/* Since it was last asked another part has been stored. */
bool lsr_upload_moved(struct lsr_upload *u);

/* Result, words, and stats, of which the bytes are those that were stored. */
void lsr_upload_tell(const struct lsr_upload *u, struct lsr_remote_answer *answer);

/* A request of it has ended: fetch.c. */
void lsr_upload_fetched(struct lsr_remote *remote, struct lsr_fetch *f, int error);
