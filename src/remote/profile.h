/*
 * profile - the files ~/.aws/config and ~/.aws/credentials
 *
 *      [default]                    # in config: [profile NAME] for any other
 *      aws_access_key_id = ...
 *      s3 =
 *        addressing_style = path    a line that begins with a blank belongs to the one before: passed over
 */
#pragma once

/*
 * The value of @key in @section of the file @path.  With @key NULL an empty text if there is such a section.
 * 0: *ret_value is set, and is the caller's.  -ENOENT: no such file, section or key; other errors of reading it.
 */
int lsr_profile_value(const char *path, const char *section, const char *key, char **ret_value);
