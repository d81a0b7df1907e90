#if os(Linux)
import Foundation

/// The files that this process has open.
package enum OpenFiles {
    /// Returns the number of open files whose paths fulfil a condition. The path of a file that was unlinked ends with ` (deleted)`.
    package static func count(where isCounted: (String) -> Bool) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { descriptor in
            // A descriptor may have been closed since.
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + descriptor)).map(isCounted) ?? false
        }
    }

    /// Returns how often files in a directory, or the directory itself, are open.
    package static func count(below path: String) throws -> Int { try count { $0.hasPrefix(path) } }
}
#endif
