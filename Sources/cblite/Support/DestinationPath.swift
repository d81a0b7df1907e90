import DocumentStore
import Foundation

/// The destination of `cp` and `mv`.
enum DestinationPath {
    /// Returns the path of a database to be created, with the extension.
    ///
    /// - Throws: ``Failure`` if the path exists, or its parent directory does not.
    static func check(_ typed: String) throws -> BundlePath {
        let path = BundlePath(DatabasePath.new(typed))
        guard !FileManager.default.fileExists(atPath: path.directory) else {
            throw Failure(.cannotCreate, "\(path.directory) already exists", hint: "Choose another name, or move the existing database.")
        }
        let parent = URL(fileURLWithPath: path.directory).deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: parent) else {
            throw Failure(.notFound, "there is no directory \(parent)", hint: "Create it with: mkdir -p")
        }
        return path
    }

    static func report(_ what: String, from source: BundlePath, to destination: BundlePath, json: Bool) throws {
        let output = Output()
        if json {
            try output.line(
                JSONPrinter.object { printer in
                    printer.member("from", source.directory)
                    printer.member("to", destination.directory)
                }
            )
        } else {
            try output.line("\(what) \(source.directory) to \(destination.directory)")
        }
        try output.flush()
    }
}
