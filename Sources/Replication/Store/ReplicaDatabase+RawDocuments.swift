import DocumentStore
import ExactStrings

extension ReplicaDatabase {
    /// The key of the cookies among what the database knows about itself (Replication 4.13).
    private static let cookiesKey = "org.couchbase.cookies"

    // MARK: Checkpoints of our own

    /// The checkpoint of that ID, as JSON; nil when there is none.
    package func checkpoint(_ id: String) throws -> [UInt8]? {
        try file.read { try RawStore.checkpoints.document(id, on: $0) }?.body
    }

    package func setCheckpoint(_ id: String, _ json: [UInt8]) throws {
        try transaction { try RawStore.checkpoints.set(id, to: .init(body: json), in: $0) }
    }

    /// Forgets a checkpoint, if it is there.
    package func removeCheckpoint(_ id: String) throws {
        try transaction { try RawStore.checkpoints.set(id, to: nil, in: $0) }
    }

    // MARK: Checkpoints of peers

    /// The checkpoint that a peer has stored here, with the token that has to be known for changing it; nil when there is none.
    package func peerCheckpoint(_ id: String) throws -> (token: String, body: [UInt8])? {
        try file.read { try RawStore.peerCheckpoints.document(id, on: $0) }
            .map { (String(decoding: $0.version, as: UTF8.self), $0.body) }
    }

    /// Stores a checkpoint of a peer (Replication 3.4).
    ///
    /// - Parameters:
    ///   - id: As the peer calls it.
    ///   - token: The token of the stored one, empty for none.
    ///   - body: Is stored as it is.
    ///   - maximumSize: One that is longer, from an earlier version, counts as none.
    ///   - maximumTotal: How many checkpoints are kept, and how many bytes of them; those go first that were stored least recently.
    /// - Returns: The new token; nil when the stored one has another, and nothing was changed.
    package func setPeerCheckpoint(
        _ id: String,
        expecting token: String,
        body: [UInt8],
        maximumSize: Int = .max,
        maximumTotal: (count: Int, size: Int) = (.max, .max)
    ) throws -> String? {
        try transaction { writer in
            let found = try file.read { try RawStore.peerCheckpoints.document(id, on: $0) }
            let stored = found.flatMap { $0.body.count <= maximumSize ? $0 : nil }
            let current = stored.map { String(decoding: $0.version, as: UTF8.self) } ?? ""
            guard token.isExactly(current) else { return nil }
            let generation = current.prefix { $0 != "-" }
            let next = "\((UInt64(generation) ?? 0) &+ 1)-cc"
            try RawStore.peerCheckpoints.set(id, to: .init(version: Array(next.utf8), body: body), in: writer)
            try RawStore.peerCheckpoints.trim(toCount: maximumTotal.count, size: maximumTotal.size, in: writer)
            return next
        }
    }

    // MARK: Cookies

    /// The cookies that servers have set, in the form that they were stored in; nil when there are none.
    package func cookies() throws -> [UInt8]? {
        try file.read { try RawStore.info.document(Self.cookiesKey, on: $0) }?.body
    }

    /// Stores cookies, or with nil forgets them.
    package func setCookies(_ bytes: [UInt8]?) throws {
        try transaction { try RawStore.info.set(Self.cookiesKey, to: bytes.map { .init(body: $0) }, in: $0) }
    }
}
