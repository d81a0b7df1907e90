import DocumentStore
import Foundation

/// What `cp` and `mv` have in common.
enum DestinationPath {
    /// The path of a database that is going to be made, with the extension.
    ///
    /// - Throws: ``Failure`` when something is there, or the directory it would be in is not.
    static func check(_ typed: String) throws -> BundlePath {
        let path = BundlePath(DatabasePath.new(typed))
        guard !FileManager.default.fileExists(atPath: path.directory) else {
            throw Failure(.cannotCreate, "\(path.directory) exists already", hint: "Choose another name, or move that one away.")
        }
        let parent = URL(fileURLWithPath: path.directory).deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: parent) else {
            throw Failure(.notFound, "there is no directory \(parent)", hint: "Make it with: mkdir -p")
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
