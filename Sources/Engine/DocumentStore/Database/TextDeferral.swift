/// Indexes the texts of new documents together, instead of one by one.
///
/// A full-text index is maintained by triggers. Before each of their statements SQLite writes the terms that it has collected to the index,
/// so a transaction that inserts many documents writes a piece of the index for each, and merges these pieces again and again. That takes
/// several times longer than everything else. Therefore the triggers insert rows without text, and before the commit, or before anything
/// reads the index, the texts of these rows are indexed by statements of their own, for which SQLite does not write the terms.
///
/// The row IDs kept here are only a list of rows to be indexed again: indexing a row whose text is already indexed, or that has been changed
/// or removed meanwhile, leaves the index as it must be. The texts are indexed before a part of the transaction begins that may be rolled
/// back alone (``Writer/undoably(_:)``), so nothing in the list needs to be undone with it.
struct TextDeferral {
    private enum Indexes {
        case unknown
        case none
        case found(any DeferredTextIndexes)
    }

    /// The number and the total size of documents after which their texts are indexed. They are still in the page cache then.
    private static let maximumCount = 4096
    private static let maximumSize = 4 << 20

    /// The number of documents that the transaction has inserted since the indexes were complete.
    private var count = 0
    private var indexes = Indexes.unknown
    /// The collection of the documents.
    private var collection: CollectionStore?
    private var rowIDs: [Int64] = []
    private var size = 0

    /// Begins inserting a document, and returns whether its texts are to be indexed later. They are not for the first document of a
    /// transaction, which may be the only one.
    mutating func begin(_ collection: CollectionStore, _ context: ConnectionContext) throws -> Bool {
        count += 1
        self.collection = collection
        guard count > 1, let indexes = try found(collection, context) else { return false }
        if rowIDs.count >= Self.maximumCount || size >= Self.maximumSize { try index(indexes) }
        return true
    }

    /// Adds a row to be indexed.
    mutating func add(rowID: Int64, size: Int) {
        rowIDs.append(rowID)
        self.size += size
    }

    /// Indexes all rows. The indexes may be changed afterwards.
    mutating func finish(_ context: ConnectionContext) throws {
        guard let collection else { return }
        if !rowIDs.isEmpty, let indexes = try found(collection, context) { try index(indexes) }
        indexes = .unknown
        self.collection = nil
        rowIDs.removeAll(keepingCapacity: true)
        (count, size) = (0, 0)
    }

    /// Forgets the indexes, of which some may have been created by changes that are rolled back.
    mutating func forgetIndexes() { indexes = .unknown }

    private mutating func found(_ collection: CollectionStore, _ context: ConnectionContext) throws -> (any DeferredTextIndexes)? {
        if case .unknown = indexes {
            let found = try collection.file.options.indexes?.deferredTexts(collection, context)
            indexes = found.map { .found($0) } ?? .none
        }
        guard case .found(let indexes) = indexes else { return nil }
        return indexes
    }

    private mutating func index(_ indexes: any DeferredTextIndexes) throws {
        // In ascending order, because SQLite writes the collected terms if a row ID is not greater than the one before.
        rowIDs.sort()
        for rowID in rowIDs { try indexes.index(rowID: rowID) }
        rowIDs.removeAll(keepingCapacity: true)
        size = 0
    }
}
