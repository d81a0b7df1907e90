import Foundation

/// The files of which a process has parts in its memory.
package enum MemoryMaps {
    /// Whether this process has mapped some of a file; nil where the system does not say it.
    package static func contain(_ path: String) -> Bool? {
        guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) else { return nil }
        return maps.split(separator: "\n").contains { $0.hasSuffix(" " + path) }
    }
}
