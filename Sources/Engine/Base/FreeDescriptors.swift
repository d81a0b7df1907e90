import Dispatch
import Foundation
import Synchronization

/// Finds out whether the process can open more files, before something that would end the process if it cannot.
package enum FreeDescriptors {
    private static let isDispatchPrepared = Mutex(false)

    /// Opens a number of descriptors and closes them. Returns the error number of the first that cannot be opened, such as `EMFILE` or `ENFILE`;
    /// 0 if there is none.
    package static func error(ofOpening count: Int) -> Int32 {
        var opened: [Int32] = []
        defer { for descriptor in opened { close(descriptor) } }
        for _ in 0..<count {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return errno }
            opened.append(descriptor)
        }
        return 0
    }

    /// Has the dispatch library open the descriptors for its first timer, unless it has done so. On Linux the library ends the process if it cannot.
    ///
    /// - Returns: The error number if there are not enough descriptors; 0 otherwise.
    package static func prepareDispatch() -> Int32 {
        isDispatchPrepared.withLock { isPrepared in
            guard !isPrepared else { return 0 }
            // The queue of events and what wakes it, a descriptor for each of three clocks, and what other threads open now.
            let failure = error(ofOpening: 8)
            guard failure == 0 else { return failure }
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) {}
            isPrepared = true
            return 0
        }
    }
}
