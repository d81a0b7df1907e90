package import Foundation

/// An independent checker of database bundles, written in Python only from the storage format. It finds errors that the library makes in
/// the same way when writing and when reading.
package enum DatabaseChecker {
    /// A finding of the checker.
    package struct Finding: Decodable, Sendable, CustomStringConvertible {
        /// `problem`, `warning` or `note`. Only a problem violates the format.
        package let level: String
        package let text: String
        package let collection: String?
        package let doc: String?

        package var description: String {
            [level, collection, doc, text].compactMap(\.self).joined(separator: ": ")
        }
    }

    /// The report of the checker on one bundle.
    package struct Report: Decodable, Sendable {
        /// The schema version of the file; `nil` if it could not be read.
        package let userVersion: Int?
        /// The reason why the bundle could not be read at all; `nil` if it could be read.
        package let unreadable: String?
        package let findings: [Finding]
        /// The numbers of documents, revisions and so on, by name.
        package let statistics: [String: Int]

        /// The violations of the format. Empty for a valid bundle.
        package var problems: [String] {
            (unreadable.map { ["unreadable: \($0)"] } ?? [])
                + findings.filter { $0.level == "problem" }.map(\.description)
        }
    }

    /// The checker could not be run, or its output is invalid.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private static let script = Fixtures.tools.appendingPathComponent("cblite_fsck.py")

    /// Checks a bundle without writing to it.
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

    /// Returns every document of a bundle as a line of canonical JSON.
    package static func dump(_ bundle: URL) throws -> [String] {
        let result = try python([script.path, "--dump", bundle.path])
        // The exit code is 1 if there are findings, which go to standard error; the dump is complete nevertheless.
        guard let code = result.exitCode, code < 2 else {
            throw Failure(description: "no dump of \(bundle.path) (\(result.ending)): \(result.errorOutput)")
        }
        return result.outputLines
    }

    private static func python(_ arguments: [String]) throws -> ProcessResult {
        try Python.runner.run(arguments, environment: ["PYTHONIOENCODING": "utf-8"])
    }
}
