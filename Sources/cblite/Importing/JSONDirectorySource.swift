import Foundation

/// A directory with one document in each file that ends in `.json`, in the order of their names.
///
/// The ID of a document that does not say its own is the file's name without the extension.
final class JSONDirectorySource: DocumentSource {
    private let directory: String
    private var names: ArraySlice<String>
    private(set) var position: SourcePosition
    private(set) var bytesConsumed = 0

    /// - Throws: ``Failure`` when the directory cannot be read, or has no such files.
    init(_ directory: String) throws {
        self.directory = directory
        let found = try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix(".json") }
        guard !found.isEmpty else { throw Failure(.notFound, "there are no .json files in \(directory)") }
        names = found.sorted()[...]
        position = SourcePosition(file: directory, line: 1, column: 1)
    }

    func withNext<Result>(_ body: (SourceDocument) throws -> Result) throws -> Result? {
        guard let name = names.popFirst() else { return nil }
        let path = directory + "/" + name
        position.file = path
        let text = try InputFile(path).rest()
        bytesConsumed += text.count
        return try text.withUnsafeBytes { bytes in
            try body(SourceDocument(text: bytes, fallbackID: String(name.dropLast(".json".count))))
        }
    }
}
