/* A temporary file for data that a format needs later than it is produced (spool.h). */
#include "io/file/spool.h"

#include "base/error.h"
#include "base/platform.h"

#include <errno.h>
#include <string.h>
#include <sys/types.h>

/* Returns RN_FILE, with a message of the file that the spool is for and the reason in errno, which callers set to 0
   before the call that failed; 0: the system gave no reason. */
static rn_result fail_spool(const rn_spool *spool) {
    const char *why = errno ? strerror(errno) : "the system gives no reason";
    return rn_fail(RN_FILE, "%.*s: cannot be written: %s", spool->for_length, spool->path, why);
}

rn_result rn_spool_open(rn_spool *spool, const char *for_path) {
    *spool = (rn_spool){.for_length = (int)strlen(for_path)};
    const int length = snprintf(spool->path, sizeof spool->path, "%s.spool.%ld.part", for_path, rn_process_number());
    if (length >= (int)sizeof spool->path) return rn_fail(RN_FILE, "%.200s…: the name is too long", for_path);
    errno = 0;
    spool->stream = fopen(spool->path, "w+b");
    if (!spool->stream) return fail_spool(spool);
    remove(spool->path); /* an open file stays until it is closed; Windows does not allow this, see below */
    return RN_OK;
}

void rn_spool_close(rn_spool *spool) {
    if (!spool->stream) return;
    fclose(spool->stream);
    spool->stream = NULL;
    remove(spool->path);
}

rn_result rn_spool_begin(rn_spool *spool) {
    clearerr(spool->stream);
    errno = 0;
    return fseeko(spool->stream, (off_t)spool->bytes, SEEK_SET) == 0 ? RN_OK : fail_spool(spool);
}

uint64_t rn_spool_place(const rn_spool *spool) { return (uint64_t)ftello(spool->stream); }

rn_result rn_spool_end(rn_spool *spool) {
    errno = 0; /* of an older write; if that failed, this one says why again */
    const bool flushed = fflush(spool->stream) == 0;
    if (ferror(spool->stream) || !flushed) return fail_spool(spool);
    spool->bytes = rn_spool_place(spool);
    return RN_OK;
}

rn_result rn_spool_copy(rn_spool *spool, uint64_t from, uint64_t length, FILE *to) {
    char bytes[1 << 15];
    errno = 0;
    if (fseeko(spool->stream, (off_t)from, SEEK_SET) != 0) return fail_spool(spool);
    while (length > 0) {
        const size_t part = length < sizeof bytes ? (size_t)length : sizeof bytes;
        if (fread(bytes, 1, part, spool->stream) != part)
            return rn_fail(RN_FILE, "%.*s: cannot be read back: %s", spool->for_length, spool->path,
                           ferror(spool->stream) && errno ? strerror(errno) : "its temporary file has been cut short");
        if (fwrite(bytes, 1, part, to) != part) return RN_OK; /* the failure is that of `to`, and stays with it */
        length -= part;
    }
    return RN_OK;
}
