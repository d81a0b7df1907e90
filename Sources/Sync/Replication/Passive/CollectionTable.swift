import BLIP
import Base
import DocumentStore
import SyncCore

/// The collections that a client uses on its connection, and their indexes (Replication 3.2, 6.2).
struct CollectionTable {
    private enum Mode {
        /// The client has not sent a request yet.
        case undecided
        /// The client only uses the default collection, without the property `collection`.
        case legacy
        /// The client identifies collections by their position in this list. `nil` items cannot be used.
        case aware([CollectionID?])
    }

    private let served: Set<CollectionID>
    /// Whether the client must select collections, even if it only uses the default collection (Version vectors 6.2).
    private let mustBeChosen: Bool
    private var mode: Mode = .undecided

    init(served: some Sequence<CollectionID>, mustBeChosen: Bool = false) {
        self.served = Set(served)
        self.mustBeChosen = mustBeChosen
    }

    /// Selects the collections in the list that a client sends first.
    ///
    /// - Returns: The collection for each name; `nil` if no collection of that name is served.
    /// - Throws: The error to respond with.
    mutating func choose(_ names: [String]) throws(SyncError) -> [CollectionID?] {
        guard case .undecided = mode else {
            throw SyncError(blip: .badRequest, "getCollections must be the first message and must not be repeated")
        }
        let collections = names.map { CollectionID(wireName: $0).flatMap { served.contains($0) ? $0 : nil } }
        let known = collections.compactMap(\.self)
        guard Set(known).count == known.count, Set(exactly: names).count == names.count else {
            throw SyncError(blip: .badRequest, "getCollections names a collection twice")
        }
        // A client stops if one of its collections is missing, so nothing is served to it until then.
        mode = .aware(known.count == names.count ? collections : names.map { _ in nil })
        return collections
    }

    /// Returns the collection of a request and its index in messages; the index is `nil` on connections without named collections.
    ///
    /// - Throws: The error to respond with.
    mutating func collection(of request: IncomingRequest) throws(SyncError) -> (id: CollectionID, index: Int?) {
        let property = request.properties["collection"]
        switch mode {
        case .undecided, .legacy:
            guard property == nil, !mustBeChosen else { throw Self.inappropriate }
            mode = .legacy
            guard served.contains(.default) else {
                throw SyncError(blip: .badRequest, "This server is not configured for 3.0 client support")
            }
            return (.default, nil)
        case .aware(let collections):
            guard let property else { throw Self.inappropriate }
            guard let index = Int(property), collections.indices.contains(index) else {
                throw SyncError(http: .badRequest, "the collection property is out of range.")
            }
            guard let id = collections[index] else { throw SyncError(http: .notFound, "the collection was not found") }
            return (id, index)
        }
    }

    private static let inappropriate = SyncError(http: .badRequest, "inappropriate use of the collection property.")
}
