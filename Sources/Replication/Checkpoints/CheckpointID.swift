import Crypto
package import DocumentStore
import Fleece

/// What the name of a checkpoint is made of (Replication 4.2). Databases that synced with the original go on under the same name.
package struct CheckpointID: Sendable {
    /// The database's private UUID, 16 bytes.
    package var databaseUUID: [UInt8]
    package var collection: CollectionID
    /// The effective URL, or the unique ID of an endpoint.
    package var remoteURL: String
    package var isPulling: Bool
    package var isPushing: Bool
    package var channels: [String]
    package var documentIDs: [String]

    package init(
        databaseUUID: [UInt8],
        collection: CollectionID = .default,
        remoteURL: String,
        isPulling: Bool = true,
        isPushing: Bool = true,
        channels: [String] = [],
        documentIDs: [String] = []
    ) {
        self.databaseUUID = databaseUUID
        self.collection = collection
        self.remoteURL = remoteURL
        self.isPulling = isPulling
        self.isPushing = isPushing
        self.channels = channels
        self.documentIDs = documentIDs
    }

    /// The name: `cp-` and Base64 of a digest.
    ///
    /// - Throws: `FleeceError` when the names are too long to be encoded.
    package func name() throws -> String {
        let fleece = try encoded()
        var writer = JSONWriter()
        if collection.isDefault {
            Insecure.SHA1.hash(data: fleece).withUnsafeBytes { writer.append(data: $0) }
        } else {
            SHA256.hash(data: fleece).withUnsafeBytes { writer.append(data: $0) }
        }
        // Without the quotes of the JSON string.
        return "cp-" + writer.string.dropFirst().dropLast()
    }

    /// The Fleece that the digest is of.
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
            // The name and the parameters of a filter of the server's.
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

    /// The same for a database whose copy this is, in the spellings that the URL may have had (Replication 4.2): as it is, with the
    /// standard port, and without.
    package func previous(databaseUUID: [UInt8]) -> [CheckpointID] {
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
        // The colons of an IPv6 address stand in brackets.
        let hasPort = authority.reversed().prefix { $0 != "]" }.contains(":")
        return hasPort ? [url] : [url, String(url[..<authority.endIndex] + port + rest)]
    }
}
