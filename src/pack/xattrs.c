/* xattrs - listed by one call, for most files have none */
#include "pack/xattrs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"

static int xattrs_compare(const void *a, const void *b)
{
        return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Behind the @len bytes at @all: the name of an attribute with its NUL, the length of its value, the value. */
static uint8_t *xattrs_append(uint8_t *all, size_t *len, const struct lsr_op_data *value)
{
        size_t name_len = strlen(value->attribute) + 1, value_len = (size_t)value->ret;

        all = lsr_xrealloc(all, *len + name_len + 4 + value_len);
        memcpy(all + *len, value->attribute, name_len);
        lsr_put_le32(all + *len + name_len, (uint32_t)value_len);
        if (value_len)
                memcpy(all + *len + name_len + 4, value->buf, value_len);
        *len += name_len + 4 + value_len;
        return all;
}

/* The values of all attributes in @list.  One that is gone meanwhile is passed over. */
static int xattrs_values(struct lsr_io *io, const struct lsr_op *list, uint8_t **ret_xattrs, size_t *ret_len)
{
        const char *end = list->data->buf + list->data->ret;
        const char **sorted = lsr_xmalloc((size_t)list->data->ret * sizeof(*sorted));
        uint8_t *all = NULL;
        size_t n = 0, len = 0;
        int error = 0;

        for (const char *p = list->data->buf; p < end; p += strlen(p) + 1)
                sorted[n++] = p;
        qsort(sorted, n, sizeof(*sorted), xattrs_compare);
        for (size_t i = 0; i < n; i++) {
                struct lsr_op_data value = { .attribute = sorted[i] };
                struct lsr_op get = *list;

                get.kind = LSR_OP_GET_XATTR;
                get.data = &value;
                lsr_io_run(io, &get, 1);
                if (value.ret < 0) {
                        error = value.ret == -ENODATA ? error : (int)value.ret;
                        continue;
                }
                all = xattrs_append(all, &len, &value);
                free(value.buf);
        }
        free(sorted);
        *ret_xattrs = all;
        *ret_len = len;
        return error;
}

bool lsr_xattrs_are_there(const struct lsr_xattrs *x, uint32_t dev)
{
        return x->none != ((uint64_t)1 << 32 | dev);
}

int lsr_xattrs_read(struct lsr_xattrs *x, struct lsr_io *io, const struct lsr_op *list, uint32_t dev,
                    uint8_t **ret_xattrs, size_t *ret_len)
{
        ssize_t len = list->data->ret;
        int r = 0;

        if (len > 0)
                r = xattrs_values(io, list, ret_xattrs, ret_len);
        else if (len == -EOPNOTSUPP)
                x->none = (uint64_t)1 << 32 | dev;
        else if (len < 0 && len != -ENODATA)
                r = (int)len;
        if (len > 0)
                free(list->data->buf);
        return r;
}
