package import Foundation

/// An independent reader of database bundles, written in Python from the storage format alone: what our own code writes and reads back
/// wrongly in the same way, it finds.
package enum DatabaseChecker {
    /// One remark of the checker.
    package struct Finding: Decodable, Sendable, CustomStringConvertible {
        /// `problem`, `warning` or `note`. Only problems mean that the bundle breaks the format.
        package let level: String
        package let text: String
        package let collection: String?
        package let doc: String?

        package var description: String {
            [level, collection, doc, text].compactMap(\.self).joined(separator: ": ")
        }
    }

    /// What the checker says of one bundle.
    package struct Report: Decodable, Sendable {
        /// The schema version of the file, nil when it could not be read.
        package let userVersion: Int?
        /// Why the bundle could not be read at all.
        package let unreadable: String?
        package let findings: [Finding]
        /// How many documents, revisions and so on were seen, by name.
        package let statistics: [String: Int]

        /// What breaks the format. Empty for a good bundle.
        package var problems: [String] {
            (unreadable.map { ["unreadable: \($0)"] } ?? [])
                + findings.filter { $0.level == "problem" }.map(\.description)
        }
    }

    /// The checker could not be run, or its answer not be understood.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private static let script = Fixtures.tools.appendingPathComponent("cblite_fsck.py")

    /// Checks a bundle, without writing to it.
    package static func check(_ bundle: URL) throws -> Report {
        let result = try python([script.path, "--json", bundle.path])
        do {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return try decoder.decode(Report.self, from: result.standardOutput)
        } catch {
            throw Failure(description: "no report on \(bundle.path) (\(result.ending)): \(error)\n\(result.errorOutput)")
        }
    }

    /// Every document of a bundle as a line of canonical JSON.
    package static func dump(_ bundle: URL) throws -> [String] {
        let result = try python([script.path, "--dump", bundle.path])
        // Findings go to standard error and set the code to 1; the dump is complete nevertheless.
        guard let code = result.exitCode, code < 2 else {
            throw Failure(description: "no dump of \(bundle.path) (\(result.ending)): \(result.errorOutput)")
        }
        return result.outputLines
    }

    private static func python(_ arguments: [String]) throws -> ProcessResult {
        try ProcessRunner(executable: URL(fileURLWithPath: "/usr/bin/env")).run(
            ["python3"] + arguments,
            environment: ["PYTHONIOENCODING": "utf-8"]
        )
    }
}
