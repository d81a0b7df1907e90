import SQLiteEngine

/// With which databases a remote one can replicate in both directions.
package enum RemoteKind: Sendable {
    /// Databases with revision trees only, as Sync Gateway 3 and Couchbase Lite 3.
    case trees
    /// Databases with version vectors, and perhaps those with revision trees too.
    case versions
}

/// The kinds of the remote databases, which are recorded because they decide whether this one can get version vectors (Version vectors 11).
extension DatabaseFile {
    /// Records the kind that a remote database had at a connection. Writes nothing if the kind is recorded already, or if this database has version
    /// vectors. A remote of which nothing is recorded counts as one of ``RemoteKind/versions``.
    ///
    /// - Parameters:
    ///   - kind: The kind of the remote.
    ///   - number: The number of the remote, see ``remoteID(for:)``.
    /// - Throws: The errors of reading and writing.
    package func noteKind(_ kind: RemoteKind, ofRemote number: Int) throws {
        guard let number = RevisionTree.RemoteID(exactly: number) else { return }
        let isRecorded = try read { context in
            try hasVersionVectors(on: context) || numbersOfTreeRemotes(on: context.connection).contains(number) == (kind == .trees)
        }
        guard !isRecorded else { return }
        try transaction { writer in
            guard !writer.usesVersions else { return }
            var numbers = try numbersOfTreeRemotes(on: writer.connection)
            switch kind {
            case .trees: numbers.insert(number)
            case .versions: numbers.remove(number)
            }
            guard !numbers.isEmpty else { return try InfoStore.remove(InfoStore.remotesWithTrees, on: writer.connection) }
            let bytes = numbers.sorted().flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
            try InfoStore.set(InfoStore.remotesWithTrees, to: bytes, on: writer.connection)
        }
    }

    /// Returns the names of the remote databases that are recorded as ``RemoteKind/trees``, for messages: their URLs, which contain no secrets,
    /// without the component for syncing.
    ///
    /// - Throws: `corrupt` if the list of the remotes cannot be read; the errors of reading.
    package func remotesWithTrees() throws -> [String] {
        try read { context in
            let numbers = try numbersOfTreeRemotes(on: context.connection)
            guard !numbers.isEmpty else { return [] }
            return try knownRemotes().filter { remote in numbers.contains { Int($0) == remote.number } }.map { Self.name(ofRemote: $0.url) }
        }
    }

    /// What URLs of WebSockets end with (Replication 4.2).
    private static let syncPath = "/_blipsync"

    private static func name(ofRemote url: String) -> String {
        guard url.utf8.reversed().starts(with: syncPath.utf8.reversed()) else { return url }
        return String(decoding: url.utf8.dropLast(syncPath.utf8.count), as: UTF8.self)
    }

    /// Each number has two bytes, big-endian.
    private func numbersOfTreeRemotes(on connection: Connection) throws -> Set<RevisionTree.RemoteID> {
        let bytes = try InfoStore.bytes(InfoStore.remotesWithTrees, on: connection) ?? []
        let ends = stride(from: 1, to: bytes.count, by: 2)
        return Set(ends.map { RevisionTree.RemoteID(bytes[$0 - 1]) << 8 | RevisionTree.RemoteID(bytes[$0]) })
    }
}
