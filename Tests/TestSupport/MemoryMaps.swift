import Foundation

/// The files of which a process has parts in its memory.
package enum MemoryMaps {
    /// Whether this process has mapped some of a file; nil where the system does not say it.
    package static func contain(_ path: String) -> Bool? {
        // Reading a whole file at once would stop after the first page of this one.
        guard let data = try? FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps")).readToEnd()
        else { return nil }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").contains { $0.hasSuffix(" " + path) }
    }
}
