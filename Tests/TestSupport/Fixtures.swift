package import Foundation
import Synchronization

/// What the tests read: real files of the original, transcripts of real servers, rows of results, and the project's independent checkers.
package enum Fixtures {
    /// The root of the package.
    package static let packageRoot = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The folder with the files that belong to the project.
    package static let directory = packageRoot.appendingPathComponent("Tests/Fixtures")

    /// The folder with the checkers that are written in Python.
    package static let tools = packageRoot.appendingPathComponent("script/tools")

    /// The environment variable that names the folder with sample databases of the original's. They belong to somebody else, and are no
    /// part of the project.
    package static let samplesVariable = "SAMPLE_DATABASES"

    private static let samples = ProcessInfo.processInfo.environment[samplesVariable].map { URL(fileURLWithPath: $0) }

    /// A real database bundle, say `"wal"` or `"travel-sample"`; nil when it is a sample that is not there. Copy it before opening it.
    package static func database(_ name: String) throws -> URL? {
        let file = name + ".cblite2"
        let own = directory.appendingPathComponent("databases/\(file)")
        if FileManager.default.fileExists(atPath: own.path) { return own }
        let archive = own.appendingPathExtension("tar.gz")
        if FileManager.default.fileExists(atPath: archive.path) { return try unpacked.url(file, from: archive) }
        guard let sample = samples?.appendingPathComponent(file), FileManager.default.fileExists(atPath: sample.path)
        else { return nil }
        return sample
    }

    private static let unpacked = UnpackedFixtures(packageRoot.appendingPathComponent(".build/fixtures"))
}

/// Bundles that lie in the repository as archives, unpacked once beside what is built.
private final class UnpackedFixtures: Sendable {
    private let directory: URL
    private let lock = Mutex(())

    init(_ directory: URL) {
        self.directory = directory
    }

    func url(_ name: String, from archive: URL) throws -> URL {
        try lock.withLock { _ in
            let url = directory.appendingPathComponent(name)
            guard !FileManager.default.fileExists(atPath: url.path) else { return url }
            // Another process may do the same: each unpacks for itself, and the first gives its name.
            let own = directory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: own) }
            let tar = ProcessRunner(executable: URL(fileURLWithPath: "/usr/bin/env"), leading: ["tar"])
            let result = try tar.run(["-xzf", archive.path, "-C", own.path])
            guard result.exitCode == 0 else { throw UnpackingFailure(description: result.errorOutput) }
            try? FileManager.default.moveItem(at: own.appendingPathComponent(name), to: url)
            return url
        }
    }
}

private struct UnpackingFailure: Error {
    let description: String
}
