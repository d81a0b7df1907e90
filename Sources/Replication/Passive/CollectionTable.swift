import BLIP
import DocumentStore
import ExactStrings
import SyncCore

/// Which collections a client uses on its connection, and by which numbers (Replication 3.2, 6.2).
struct CollectionTable {
    private enum Mode {
        /// The client has said nothing yet.
        case undecided
        /// The client knows of the default collection only, and names none.
        case legacy
        /// The client names collections by their place in the list. Nil: there is none of that name.
        case aware([CollectionID?])
    }

    private let served: Set<CollectionID>
    private var mode: Mode = .undecided

    init(served: some Sequence<CollectionID>) {
        self.served = Set(served)
    }

    /// Takes the list that a client begins with.
    ///
    /// - Returns: The collection of each name, nil where none of that name is served.
    /// - Throws: What is to be answered instead.
    mutating func choose(_ names: [String]) throws(SyncError) -> [CollectionID?] {
        guard case .undecided = mode else { throw SyncError(.blip, 400, "getCollections must be the first message, and come once") }
        let collections = names.map { CollectionID(wireName: $0).flatMap { served.contains($0) ? $0 : nil } }
        let known = collections.compactMap(\.self)
        guard Set(known).count == known.count, Set(exactly: names).count == names.count else {
            throw SyncError(.blip, 400, "getCollections names a collection twice")
        }
        // A client that misses one of its collections stops: nothing is served to it meanwhile.
        mode = .aware(known.count == names.count ? collections : names.map { _ in nil })
        return collections
    }

    /// The collection that a request is about, and the number it has in messages: nil where collections are not named.
    ///
    /// - Throws: What is to be answered instead.
    mutating func collection(of request: IncomingRequest) throws(SyncError) -> (id: CollectionID, index: Int?) {
        let property = request.properties["collection"]
        switch mode {
        case .undecided, .legacy:
            guard property == nil else { throw Self.inappropriate }
            mode = .legacy
            guard served.contains(.default) else { throw SyncError(.blip, 400, "This server is not configured for 3.0 client support") }
            return (.default, nil)
        case .aware(let collections):
            guard let property else { throw Self.inappropriate }
            guard let index = Int(property), collections.indices.contains(index) else {
                throw SyncError(.http, 400, "the collection property is out of range.")
            }
            guard let id = collections[index] else { throw SyncError(.http, 404, "the collection is not found") }
            return (id, index)
        }
    }

    private static let inappropriate = SyncError(.http, 400, "inappropriate use of the collection property.")
}

extension CollectionID {
    /// Reads a name as `getCollections` has it: `scope.collection`, without a scope for the default one. Nil when no collection can
    /// have that name.
    init?(wireName: String) {
        let parts = wireName.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let scope = parts.count == 2 ? parts[0] : Self.defaultName
        guard let name = parts.last, let id = try? CollectionID(name: name, scope: scope) else { return nil }
        self = id
    }

    /// The name that ``init(wireName:)`` reads.
    var wireName: String {
        scope == Self.defaultName ? name : fullName
    }
}
