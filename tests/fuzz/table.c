/* table - all targets */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/drivers.h"
#include "fuzz.h"

_Noreturn void fuzz_failed(const char *file, int line, const char *what)
{
        fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
        abort();
}

#define FORMAT(name)                                             \
        static int run_##name(const uint8_t *data, size_t n)     \
        {                                                        \
                return fuzz_format(&lsr_format_##name, data, n); \
        }
#define FILTER(name)                                             \
        static int run_##name(const uint8_t *data, size_t n)     \
        {                                                        \
                return fuzz_filter(&lsr_filter_##name, data, n); \
        }

FORMAT(7z)
FORMAT(ar)
FORMAT(cab)
FORMAT(cpio)
FORMAT(iso9660)
FORMAT(lha)
FORMAT(lsr1)
FORMAT(mtree)
FORMAT(rar)
FORMAT(rar5)
FORMAT(rpm)
FORMAT(sqlite)
FORMAT(tar)
FORMAT(warc)
FORMAT(zip)
FILTER(bzip2)
FILTER(compress)
FILTER(gzip)
FILTER(lz4)
FILTER(lzip)
FILTER(lzma)
FILTER(xz)
FILTER(zstd)

const struct fuzz_target fuzz_targets[] = {
        { "7z", run_7z, NULL },
        { "ar", run_ar, NULL },
        { "cab", run_cab, NULL },
        { "cpio", run_cpio, NULL },
        { "iso9660", run_iso9660, NULL },
        { "lha", run_lha, NULL },
        { "lsr1", run_lsr1, fuzz_mend_lsr1 },
        { "mtree", run_mtree, NULL },
        { "rar", run_rar, NULL },
        { "rar5", run_rar5, NULL },
        { "rpm", run_rpm, NULL },
        { "sqlite", run_sqlite, fuzz_mend_sqlite },
        { "tar", run_tar, fuzz_mend_tar },
        { "warc", run_warc, NULL },
        { "zip", run_zip, fuzz_mend_zip },
        { "identify", fuzz_identify, NULL },
        { "session", fuzz_session, fuzz_mend_session },
        { "bzip2", run_bzip2, NULL },
        { "compress", run_compress, NULL },
        { "gzip", run_gzip, NULL },
        { "lz4", run_lz4, NULL },
        { "lzip", run_lzip, NULL },
        { "lzma", run_lzma, NULL },
        { "xz", run_xz, NULL },
        { "zstd", run_zstd, NULL },
        { "inflate", fuzz_inflate, NULL },
        { "catalogue", fuzz_catalogue_decode, NULL },
        { "wire", fuzz_wire, NULL },
        { "record", fuzz_record, NULL },
        { "lsr1-tail", fuzz_lsr1_tail, NULL },
        { "pax", fuzz_pax, NULL },
        { "sparse", fuzz_sparse, NULL },
        { "zip-extra", fuzz_zip_extra, NULL },
        { "zip-decrypt", fuzz_decrypt, NULL },
        { "sqlite-pages", fuzz_pages, fuzz_mend_sqlite },
        { "colors", fuzz_colors, NULL },
        { "when", fuzz_when, NULL },
        { "zone", fuzz_zone, NULL },
        { "exclude", fuzz_exclude, NULL },
        { "human", fuzz_human, NULL },
        { "quote", fuzz_quote, NULL },
        { "shell", fuzz_shell, NULL },
        { "config", fuzz_config, NULL },
        { "url", fuzz_url, NULL },
        { "store", fuzz_store, NULL },
        { "pack", fuzz_pack, NULL },
        { NULL, NULL, NULL },
};

const struct fuzz_target *fuzz_find(const char *name)
{
        const struct fuzz_target *t = fuzz_targets;

        while (t->name && strcmp(t->name, name) != 0)
                t++;
        return t->name ? t : NULL;
}
