import Crypto
import DocumentStore
import Fleece

/// The values from which the ID of a checkpoint is derived (Replication 4.2). The ID is the same as in Couchbase Lite, so existing
/// databases continue from their checkpoints.
struct CheckpointID: Sendable {
    /// The database's private UUID, 16 bytes.
    var databaseUUID: [UInt8]
    var collection = CollectionID.default
    /// The effective URL of the remote database, or the unique ID of a message endpoint.
    var remoteURL: String
    var isPulling = true
    var isPushing = true
    var channels: [String] = []
    var documentIDs: [String] = []

    /// Returns the ID: `cp-` followed by the Base64 of a digest.
    ///
    /// - Throws: `FleeceError` if the names are too long to be encoded.
    func name() throws -> String {
        let fleece = try encoded()
        var writer = JSONWriter()
        let digest = collection.isDefault ? Array(Insecure.SHA1.hash(data: fleece)) : Array(SHA256.hash(data: fleece))
        digest.withUnsafeBytes { writer.append(data: $0) }
        // Without the quotes of the JSON string.
        return "cp-" + writer.string.dropFirst().dropLast()
    }

    /// Returns the Fleece data from which the digest is computed.
    func encoded() throws -> [UInt8] {
        var encoder = Encoder()
        encoder.beginArray()
        databaseUUID.withUnsafeBytes { encoder.write(utf8: $0) }
        if !collection.isDefault {
            encoder.write(collection.name)
            encoder.write(collection.scope)
            encoder.write(isPulling)
            encoder.write(isPushing)
        }
        encoder.write(remoteURL)
        if !channels.isEmpty || !documentIDs.isEmpty {
            Self.write(channels, into: &encoder)
            // The name and the parameters of a server-side filter, which is never used.
            encoder.writeNull()
            encoder.writeNull()
            Self.write(documentIDs, into: &encoder)
        }
        encoder.endArray()
        return try encoder.finishedBytes()
    }

    private static func write(_ strings: [String], into encoder: inout Encoder) {
        guard !strings.isEmpty else { return encoder.writeNull() }
        encoder.beginArray()
        for string in strings { encoder.write(string) }
        encoder.endArray()
    }

    /// Returns the IDs of the database from which this one was copied, for all spellings that the URL may have had (Replication 4.2):
    /// unchanged, with the standard port added, and with it removed.
    func previous(databaseUUID: [UInt8]) -> [CheckpointID] {
        Self.spellings(of: remoteURL).map { url in
            var id = self
            id.databaseUUID = databaseUUID
            id.remoteURL = url
            return id
        }
    }

    static func spellings(of url: String) -> [String] {
        guard let separator = url.firstRange(of: "://") else { return [url] }
        let port =
            switch url[..<separator.lowerBound] {
            case "ws": ":80"
            case "wss": ":443"
            default: ""
            }
        guard !port.isEmpty else { return [url] }
        let authority = url[separator.upperBound...].prefix { $0 != "/" }
        let rest = url[authority.endIndex...]
        if authority.hasSuffix(port) {
            return [url, String(url[..<separator.upperBound] + authority.dropLast(port.count) + rest)]
        }
        // The colons of an IPv6 address are inside brackets.
        let hasPort = authority.reversed().prefix { $0 != "]" }.contains(":")
        return hasPort ? [url] : [url, String(url[..<authority.endIndex] + port + rest)]
    }
}
