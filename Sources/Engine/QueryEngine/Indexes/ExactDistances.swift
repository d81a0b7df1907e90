import DocumentStore
import SQLiteEngine
import VectorSearch

/// The distances of the documents that can be among the first rows of a query with conditions, by the vectors in the documents (Vector search
/// EN-12).
///
/// The codes of a vector index give estimates. A document gets its exact distance if few of those that were asked for before have a smaller
/// estimate. Documents come in any order, so this is done for more of them than are returned: for 40 of n documents, for about 40 · ln(n / 40).
struct ExactDistances {
    private let reader: VectorIndexReader
    private let target: VectorTarget
    private let vectorOfRow: String
    /// The documents with the smallest estimates so far.
    private var nearest: NearestHeap
    /// The last document and its exact distance: a query asks for it more than once.
    private var last: NearestHeap.Entry?

    /// The number of documents that are compared again for each one that is returned.
    static let candidatesPerRow = 4

    /// - Parameter limit: The number of rows that the query returns at most.
    /// - Returns: `nil` if the index has no estimates, or if too many rows are wanted.
    init?(_ reader: VectorIndexReader, _ vector: [Float], limit: Int) throws {
        guard limit <= VectorIndexEntry.maximumRankedAgain, reader.entry.ranksAgain, let sql = try reader.vectorOfRow() else { return nil }
        self.reader = reader
        target = VectorTarget(vector, reader.entry.options, nil)
        vectorOfRow = sql
        nearest = NearestHeap(capacity: limit * Self.candidatesPerRow)
    }

    /// The table of the index, by which errors name it.
    var index: String { reader.entry.tables.name }

    /// Returns the distance of a document, exact if it can be among the first rows.
    mutating func distance(_ estimate: NearestHeap.Entry) throws -> Float {
        if let last, last.rowID == estimate.rowID { return last.distance }
        guard estimate.distance <= nearest.bound else { return estimate.distance }
        nearest.add(estimate.distance, estimate.rowID)
        var exact = estimate
        if let distance = try reader.distance(of: estimate.rowID, vectorOfRow, to: target) { exact.distance = distance }
        last = exact
        return exact.distance
    }
}
