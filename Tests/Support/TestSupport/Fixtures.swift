package import Foundation
import Synchronization

/// The fixtures of the tests: real database files of Couchbase Lite, transcripts of real servers, query results, and the independent
/// checkers of the project.
package enum Fixtures {
    /// The root of the package.
    package static let packageRoot = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The directory of the fixtures in the repository.
    package static let directory = packageRoot.appendingPathComponent("Tests/Data/Fixtures")

    /// The directory of the checkers written in Python.
    package static let tools = packageRoot.appendingPathComponent("Tests/Tools")

    /// The environment variable with the directory of Couchbase's sample databases, which are not part of the project because others
    /// own them.
    package static let samplesVariable = "SAMPLE_DATABASES"

    private static let samples = ProcessInfo.processInfo.environment[samplesVariable].map { URL(fileURLWithPath: $0) }

    /// Returns a real database bundle, for example `"wal"` or `"travel-sample"`; `nil` if it is a sample that is not installed. Copy it
    /// before opening it.
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

/// Bundles that are archives in the repository, unpacked once into the build directory.
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
            // Another process may unpack it concurrently: each unpacks into its own directory, and the first to rename it wins.
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
