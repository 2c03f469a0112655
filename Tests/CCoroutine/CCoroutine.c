#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE

#include "CCoroutine.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

struct ccoroutine {
    ucontext_t own;
    ucontext_t caller;
    void (*body)(void *);
    void *context;
    char *memory;
    size_t byteCount;
    bool isDone;
};

// makecontext passes ints, so an address comes in two.
static void enter(unsigned high, unsigned low) {
    ccoroutine *coroutine = (ccoroutine *)(((uintptr_t)high << 32) | (uintptr_t)low);
    coroutine->body(coroutine->context);
    coroutine->isDone = true;
}

void ccoroutine_reuse(ccoroutine *coroutine, void (*body)(void *), void *context) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    coroutine->body = body;
    coroutine->context = context;
    coroutine->isDone = false;
    getcontext(&coroutine->own);
    coroutine->own.uc_stack.ss_sp = coroutine->memory + page;
    coroutine->own.uc_stack.ss_size = coroutine->byteCount - page;
    coroutine->own.uc_link = &coroutine->caller;
    uintptr_t address = (uintptr_t)coroutine;
    makecontext(
        &coroutine->own, (void (*)(void))enter, 2, (unsigned)((uint64_t)address >> 32),
        (unsigned)address);
}

ccoroutine *ccoroutine_make(size_t stackByteCount, void (*body)(void *), void *context) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    ccoroutine *coroutine = malloc(sizeof *coroutine);
    if (coroutine == NULL) return NULL;
    coroutine->byteCount = stackByteCount + page;
    coroutine->memory = mmap(
        NULL, coroutine->byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    if (coroutine->memory == MAP_FAILED) {
        free(coroutine);
        return NULL;
    }
    mprotect(coroutine->memory, page, PROT_NONE);
    ccoroutine_reuse(coroutine, body, context);
    return coroutine;
}

bool ccoroutine_resume(ccoroutine *coroutine) {
    swapcontext(&coroutine->caller, &coroutine->own);
    return coroutine->isDone;
}

void ccoroutine_yield(ccoroutine *coroutine) { swapcontext(&coroutine->own, &coroutine->caller); }

void ccoroutine_free(ccoroutine *coroutine) {
    munmap(coroutine->memory, coroutine->byteCount);
    free(coroutine);
}
