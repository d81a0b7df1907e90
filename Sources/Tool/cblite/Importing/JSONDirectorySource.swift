import Foundation

/// A directory with one document in each `.json` file, read in the order of the file names.
///
/// A document whose properties do not contain an ID gets the file name without the extension.
final class JSONDirectorySource: DocumentSource {
    private let directory: String
    private var names: ArraySlice<String>
    private(set) var position: SourcePosition
    private(set) var bytesConsumed = 0

    /// - Throws: ``Failure`` if the directory has no `.json` files; `CocoaError` if it cannot be read.
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
