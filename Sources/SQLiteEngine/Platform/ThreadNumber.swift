internal import CLibrary

/// Returns the number of the calling thread. It is unique among running threads and never 0.
package func currentThreadNumber() -> UInt {
    #if canImport(Darwin)
    UInt(bitPattern: pthread_self())
    #else
    UInt(pthread_self())
    #endif
}
