import CouchbaseLiteSwift

/// An input of an import. It is opened when the inputs before it are imported, because a process has a limited number of open files.
struct ImportInput {
    /// The collection into which the input is imported; `nil` for that of the options.
    var collection: CollectionName?
    /// The size in bytes; `nil` if it is unknown (directories, pipes, compressed files).
    var size: Int?
    let open: (DocumentCollection) throws -> any DocumentSource
}
