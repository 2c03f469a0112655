// zlib for Swift: the macros deflateInit2 and inflateInit2 as functions.
#ifndef CZLIB_H
#define CZLIB_H
#include <zlib.h>

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
