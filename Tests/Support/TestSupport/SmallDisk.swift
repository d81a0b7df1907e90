package import Foundation

/// A mounted file system of 4 MB, if the system and the permissions of the tests allow it. Unmounted when the object is released.
package final class SmallDisk: Sendable {
    package let url: URL

    /// Whether the tests can mount one. Use as `.enabled(if: SmallDisk.canBeMade, "…")`.
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

    /// Remounts the file system read-only, also for root. Returns `false` if the system refuses.
    package func makeReadOnly() -> Bool {
        Self.run("mount", "-o", "remount,ro", url.path)
    }

    private static func run(_ arguments: String...) -> Bool {
        let result = try? ProcessRunner(executable: URL(fileURLWithPath: "/usr/bin/env")).run(arguments)
        return result?.exitCode == 0
    }
}
