#if Replication
import DocumentStore
import Replication
import WebServer

/// The turns of the documents of a collection that one client reads.
struct LargeDocuments: Sendable {
    private let keyspace: Keyspace
    private let owner: RequestOwner
    /// Whether the contents of attachments are added.
    private let hasAttachments: Bool

    /// The size that counts at least for a document if the size of what is sent is not known, in bytes.
    private static let unknownSize = 1 << 20

    init(_ keyspace: Keyspace, _ owner: RequestOwner, hasAttachments: Bool = false) {
        (self.keyspace, self.owner, self.hasAttachments) = (keyspace, owner, hasAttachments)
    }

    init(_ keyspace: Keyspace, _ request: WebRequest) {
        self.init(keyspace, request.body.owner, hasAttachments: request.isTrue("attachments"))
    }

    /// Waits for the turn of a document, whose size is read without the document. Returns `nil` if the document is small, does not exist, or is
    /// damaged, so that reading it gives the error.
    ///
    /// - Throws: As ``DocumentTurns/turn(of:for:)``.
    func turn(of documentID: String) async throws -> DocumentTurn? {
        guard let change = try readableChange(of: documentID) else { return nil }
        let isUnknown = change.isConflicted || hasAttachments && change.hasAttachments
        return try await turn(of: isUnknown ? max(change.bodySize, Self.unknownSize) : change.bodySize)
    }

    private func readableChange(of documentID: String) throws -> LocalChange? {
        do {
            return try keyspace.replica.change(of: documentID, remote: nil)
        } catch StoreError.corruptDocument {
            return nil
        }
    }

    /// The same for a document whose size in bytes is known.
    func turn(of size: Int) async throws -> DocumentTurn? {
        guard size >= DocumentTurns.largeSize else { return nil }
        return try await keyspace.database.documentTurns.turn(of: size, for: owner)
    }

    /// Sends a part of a response that contains a document, when it is its turn.
    ///
    /// - Parameter encode: Reads and encodes the document.
    func send(_ documentID: String, to writer: WebResponseWriter, _ encode: () throws -> [UInt8]) async throws {
        let turn = try await self.turn(of: documentID)
        let bytes = try encode()
        turn?.encoded(bytes.count)
        try await writer.write(bytes, isCounted: turn != nil)
        withExtendedLifetime(turn) {}
    }

    /// Adds a row that contains a document, when it is its turn.
    ///
    /// - Parameter encode: Reads and encodes the document.
    func send(_ documentID: String, to rows: inout ResponseRows, _ encode: () throws -> [UInt8]) async throws {
        try await send(turn(of: documentID), to: &rows, encode)
    }

    /// The same for a document whose turn it is.
    func send(_ turn: DocumentTurn?, to rows: inout ResponseRows, _ encode: () throws -> [UInt8]) async throws {
        let row = try encode()
        turn?.encoded(row.count)
        try await rows.write(row, isCounted: turn != nil)
        withExtendedLifetime(turn) {}
    }
}
#endif
