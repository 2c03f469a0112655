// C for Swift: zlib's macros deflateInit2 and inflateInit2 as functions, and the one call of Linux
// that Swift's Glibc module leaves out.
#ifndef CZLIB_H
#define CZLIB_H
#include <zlib.h>
#ifdef __linux__
#include <sys/vfs.h>

/// Finds the file system's type by an open file. Returns -1, with errno, where the call fails.
static inline int czlib_file_system_type(int file, unsigned int *type) {
    struct statfs found;
    int status = fstatfs(file, &found);
    if (status == 0) *type = (unsigned int)found.f_type;
    return status;
}
#endif

/// Starts a raw deflate stream (no zlib or gzip wrapper). Returns zlib's status.
static inline int czlib_deflate_init_raw(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
}

/// Starts a raw inflate stream. Returns zlib's status.
static inline int czlib_inflate_init_raw(z_stream *stream) {
    return inflateInit2(stream, -MAX_WBITS);
}

/// Starts an inflate stream that reads gzip members. Returns zlib's status.
static inline int czlib_inflate_init_gzip(z_stream *stream) {
    return inflateInit2(stream, MAX_WBITS + 16);
}
#endif
