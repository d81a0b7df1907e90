package import Foundation

/// A file system of four megabytes, where the system and the rights of the tests allow one. Unmounted with the last reference.
package final class SmallDisk: Sendable {
    package let url: URL

    /// Whether the tests may mount one. Use as `.enabled(if: SmallDisk.canBeMade, "…")`.
    package static let canBeMade = SmallDisk() != nil

    package init?() {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("cbl-small-disk-\(UUID().uuidString)")
        guard (try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)) != nil else { return nil }
        guard Self.run("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", url.path) else {
            try? FileManager.default.removeItem(at: url)
            return nil
        }
    }

    deinit {
        _ = Self.run("umount", url.path)
        try? FileManager.default.removeItem(at: url)
    }

    /// Lets nobody write any more, not even root. False when the system refuses.
    package func makeReadOnly() -> Bool {
        Self.run("mount", "-o", "remount,ro", url.path)
    }

    private static func run(_ arguments: String...) -> Bool {
        let result = try? ProcessRunner(executable: URL(fileURLWithPath: "/usr/bin/env")).run(arguments)
        return result?.exitCode == 0
    }
}
