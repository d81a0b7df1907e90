// ThreadSanitizer only checks code that was compiled with it. Of the standard library's Mutex on Linux, this is the part that locks a
// free mutex and unlocks it. The part that waits for a locked mutex is in the library, so a thread that gets the lock there would
// seem not to hold it. Therefore programs built for the sanitizer contain their own waiting part, which the sanitizer checks.
#if defined(__linux__) && defined(__has_feature)
#if __has_feature(thread_sanitizer)

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

/// `_MutexHandle._lockSlow(_: UInt32)`: waits until the word is 0, which means that no thread holds the lock, and stores the thread's ID.
/// Replaces the library's function, because the linker prefers the symbols of the program.
__attribute__((swiftcall)) void wait_for_mutex(uint32_t thread, __attribute__((swift_context)) _Atomic uint32_t *word)
    __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");

__attribute__((swiftcall)) void wait_for_mutex(uint32_t thread, __attribute__((swift_context)) _Atomic uint32_t *word) {
    uint32_t free = 0;
    while (!atomic_compare_exchange_weak_explicit(word, &free, thread, memory_order_acquire, memory_order_relaxed)) {
        free = 0;
        sched_yield();
    }
}

#endif
#endif
