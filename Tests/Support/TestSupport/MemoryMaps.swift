import Foundation

/// The files that this process has mapped into memory.
package enum MemoryMaps {
    /// Returns whether this process has mapped a part of a file; `nil` if the system does not report it.
    package static func contain(_ path: String) -> Bool? {
        // Not `Data(contentsOf:)`, which would stop after the first page of this file.
        guard let data = try? FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps")).readToEnd()
        else { return nil }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").contains { $0.hasSuffix(" " + path) }
    }
}
