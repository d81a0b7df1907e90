import DocumentStore
import SQLiteEngine

/// What an index of one kind consists of in the file (Storage format 5).
///
/// The registry asks it whether the index in the file is already the wanted one, and otherwise, in the same transaction and
/// after an older one of the name has been dropped, has it made.
protocol IndexLayout {
    /// The number in the registry.
    var kind: IndexInfo.Kind { get }

    /// The index's own table as the registry is to name it; nil for an index without one.
    ///
    /// - Parameter name: The name of the index in the registry.
    func table(ofIndex name: String) -> String?

    /// Whether an index of the same name and kind is what ``create(named:on:)`` would make: the same expressions, condition
    /// and options, however they were written.
    func matches(_ existing: IndexInfo, on connection: Connection) throws -> Bool

    /// Makes the index and fills it from the documents there are.
    ///
    /// - Parameter name: The name of the index in the registry.
    func create(named name: String, on connection: Connection) throws
}

extension IndexSpecification {
    /// How an index of this kind is laid out.
    ///
    /// - Throws: ``QueryError`` when expressions cannot be indexed in this way.
    func layout(on collection: CollectionStore) throws -> any IndexLayout {
        switch kind {
        case .value:
            return ValueIndexLayout(self, on: collection)
        case .fullText(let options):
            return try FullTextIndexLayout(self, options, on: collection)
        case .array(let path):
            return try ArrayIndexLayout(self, path: path, on: collection)
        }
    }
}
