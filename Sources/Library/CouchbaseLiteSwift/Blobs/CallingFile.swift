import DatabaseRuntime
import DocumentStore

/// The file whose statement calls a model, as the database of the blobs in the input.
final class CallingFile: BlobHost {
    private let file: DatabaseFile

    init(_ file: DatabaseFile) { self.file = file }

    func openFile() throws(StoreError) -> DatabaseFile {
        guard !file.isClosed else { throw .notOpen(what: "the database at \(file.bundle.directory)") }
        return file
    }
}
