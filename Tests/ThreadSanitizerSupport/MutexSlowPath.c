// ThreadSanitizer sees only what was compiled with it. Of the standard library's Mutex on Linux that is the part that locks a free
// mutex and unlocks it; the part that waits for one that is taken stands in the library, and whoever gets the lock there would
// seem not to have any. So programs built for the sanitizer get a waiting part of their own, which it sees.
#if defined(__linux__) && defined(__has_feature)
#if __has_feature(thread_sanitizer)

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

/// `_MutexHandle._lockSlow(_: UInt32)`: waits until the word is 0, that is until nobody has the lock, and puts the thread's ID there.
/// Stands for the library's function, because the linker takes what is in the program first.
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
