// Functions that can be left in the middle and gone on with later, on one thread. For the simulator.
#ifndef CCOROUTINE_H
#define CCOROUTINE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ccoroutine ccoroutine;

/// Prepares a call of the body on a stack of its own, with a page behind it that nobody may touch.
/// NULL where there is no memory.
ccoroutine *_Nullable ccoroutine_make(
    size_t stackByteCount, void (*_Nonnull body)(void *_Nullable), void *_Nullable context);

/// Runs the body until it yields or ends; true where it has ended.
bool ccoroutine_resume(ccoroutine *_Nonnull coroutine);

/// Leaves the body, from within, until it is resumed.
void ccoroutine_yield(ccoroutine *_Nonnull coroutine);

/// Prepares a further call, of another body, on the stack of one that has ended.
void ccoroutine_reuse(
    ccoroutine *_Nonnull coroutine, void (*_Nonnull body)(void *_Nullable),
    void *_Nullable context);

/// Frees one that has ended, or was never resumed.
void ccoroutine_free(ccoroutine *_Nonnull coroutine);

#endif
