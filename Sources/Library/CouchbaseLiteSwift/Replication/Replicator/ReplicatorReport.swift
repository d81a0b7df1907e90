#if Replication
/// What a replication has done; the result of ``Replicator/run(reset:)``.
public struct ReplicatorReport: Sendable {
    /// The documents that were pushed, deletions included. The results of conflicts of this run are in ``conflicts`` instead.
    public internal(set) var pushed = List<ReplicatedDocument>()
    /// The documents that were pulled, deletions included, and those of ``conflicts``.
    public internal(set) var pulled = List<ReplicatedDocument>()
    /// The conflicts that were resolved.
    public internal(set) var conflicts = List<SettledConflict>()
    /// The documents that were not replicated, with the reasons: usually because one of the two sides refuses them, or because their
    /// conflict could not be resolved. A document that was tried again with success is not one of them, and neither is one that a filter of
    /// the app rejects.
    public internal(set) var refused = List<Refusal>()

    /// A number of documents, and the first of them by name, so that a report of any number of documents needs little memory.
    public struct List<Element: Sendable>: Sendable {
        /// The maximum number of elements that ``first`` has: 1,000.
        public static var maximumListed: Int { 1000 }

        /// The number of documents.
        public internal(set) var count = 0
        /// The first documents, in the order in which they were reported; at most ``maximumListed``.
        public internal(set) var first: [Element] = []

        /// Whether there are none.
        public var isEmpty: Bool { count == 0 }

        mutating func append(_ element: Element) {
            count += 1
            if first.count < Self.maximumListed { first.append(element) }
        }
    }

    /// A conflict that was resolved.
    public struct SettledConflict: Sendable {
        /// The document's ID.
        public let id: String
        /// The name of the scope.
        public let scope: String
        /// The name of the collection, without the name of its scope.
        public let collection: String
        /// What the document is since then.
        public let resolution: Resolution
    }

    /// The result of a conflict.
    public enum Resolution: Sendable {
        /// The version of this database.
        case local
        /// The version of the other side.
        case remote
        /// A document that was made from both.
        case merged
        /// The document is deleted.
        case deleted
    }

    /// A document that was not replicated.
    public struct Refusal: Sendable {
        /// The document's ID.
        public let id: String
        /// The name of the scope.
        public let scope: String
        /// The name of the collection, without the name of its scope.
        public let collection: String
        /// Whether the document was to be pushed; otherwise it was to be pulled.
        public let isPush: Bool
        /// The reason, an `NSError`.
        public let error: any Error
    }
}
#endif
