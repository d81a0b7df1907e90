package import DocumentStore
package import Fleece
package import SyncCore

/// The content of the body of a `rev`.
package enum ReceivedContent {
    /// The properties of the document.
    case body(IncomingBody)
    /// The user has lost access to the document: `{"_removed":true}` (Replication 5.2).
    case accessRemoved
}

/// A body in the form in which it is stored, and the blobs it needs.
package struct IncomingBody {
    /// The body as it is stored, with the shared keys of the database.
    package let body: OwnedBody
    /// The blobs that the body refers to, each once.
    package let blobs: [BlobReference]
    /// The digests that the peer listed in `_attachments`; `nil` if the peer sent none.
    package let listedDigests: Set<BlobDigest>?
    /// The contents of blobs that were in the body.
    var contents = ReceivedContents()

    /// The body without properties.
    package static var empty: IncomingBody { IncomingBody(body: .empty, blobs: [], listedDigests: nil) }
}

/// Converts bodies received from peers into the form in which they are stored (Replication 4.6, 4.9).
package struct BodyReader {
    private let file: DatabaseFile?

    /// - Parameter file: The database in which the bodies will be stored; its shared keys are used. `nil` encodes without shared keys.
    package init(file: DatabaseFile?) { self.file = file }

    /// Reads a complete body. An empty body counts as an empty object.
    ///
    /// The JSON is parsed once and copied once. A document with blobs, or with properties whose names begin with an underscore, costs more.
    ///
    /// - Throws: {LiteCore, 5} if the body is not a JSON object or cannot be stored.
    package func content(json: [UInt8]) throws(SyncError) -> ReceivedContent {
        guard !json.isEmpty else { return .body(.empty) }
        let parsed = try encoded { (encoder) throws(SyncError) in
            let outcome = json.withUnsafeBytes { text in
                Result { () throws(JSONError) in try JSON.parse(text, into: &encoder) }
            }
            if case .failure(let error) = outcome {
                throw SyncError(engine: .corruptRevisionData, "The body is not a valid document: \(error)")
            }
        }
        return try content(parsed)
    }

    /// Reads a complete body that `write` writes: a dictionary.
    ///
    /// - Throws: {LiteCore, 5} if the body cannot be stored.
    package func content(writing write: (inout Encoder) -> Void) throws(SyncError) -> ReceivedContent {
        try content(try encoded { encoder in write(&encoder) })
    }

    /// Reads a body that was sent as a delta (Replication 4.8).
    ///
    /// - Parameters:
    ///   - delta: The JSON of the delta.
    ///   - base: The body from which the delta was made, a Fleece dictionary.
    /// - Throws: {LiteCore, 32} if the delta is invalid or does not fit the base. The peer has to send the complete body then.
    package func content(delta: [UInt8], base: FleeceData, sharedKeys: SharedKeys) throws(SyncError) -> ReceivedContent {
        let changes: FleeceData
        do {
            changes = try FleeceData.parsing(json: delta)
        } catch {
            throw SyncError(engine: .corruptDelta, "The delta is not valid JSON: \(error)")
        }
        let mentionsAttachments = changes.withRoot { $0.dictionary?.value(for: OutgoingBody.attachmentsKey) != nil } ?? false
        // A delta with `_attachments` was made from the form of the body that has `_attachments`.
        let old = mentionsAttachments ? try Self.withAttachments(base, sharedKeys) : base
        let oldKeys = mentionsAttachments ? .empty : sharedKeys
        let result = try encoded { (encoder) throws(SyncError) in
            let outcome = changes.withRoot { changes in
                old.withRoot { old in
                    Result { () throws(DeltaError) in try Delta.apply(changes, to: old, oldKeys, into: &encoder) }
                }
            }
            guard let outcome = outcome ?? nil else { throw SyncError(engine: .corruptDelta, "The delta or its base is empty") }
            if case .failure(let error) = outcome { throw SyncError(engine: .corruptDelta, error.description) }
        }
        guard result.data.withRoot({ $0.dictionary != nil }) == true else {
            throw SyncError(engine: .corruptDelta, "The result of the delta is not a JSON object")
        }
        return try content(result, listsAttachments: mentionsAttachments)
    }

    /// - Parameter listsAttachments: Whether `_attachments`, if present, come from the peer and are therefore complete.
    private func content(_ parsed: OwnedBody, listsAttachments: Bool = true) throws(SyncError) -> ReceivedContent {
        let special = parsed.data.withRoot { root in root.dictionary.map { SpecialKeys(in: $0, sharedKeys: parsed.keys) } }
        guard let special = special ?? nil else { throw SyncError(engine: .corruptRevisionData, "The body is not a JSON object") }
        if special.isRemoved { return .accessRemoved }
        guard special.areAny else { return .body(IncomingBody(body: parsed, blobs: Self.blobs(in: parsed), listedDigests: nil)) }
        let attachments = parsed.data.withRoot { Attachments(in: $0, sharedKeys: parsed.keys) } ?? nil
        let body = try encoded { encoder in
            guard let root = parsed.data.root?.dictionary else { return }
            BodyCleaner(sharedKeys: parsed.keys, attachments: attachments).write(root, into: &encoder)
        }
        withExtendedLifetime(parsed) {}
        return .body(IncomingBody(body: body, blobs: Self.blobs(in: body), listedDigests: listsAttachments ? attachments?.digests : nil))
    }

    /// Returns a body in the form that has `_attachments`, without shared keys.
    private static func withAttachments(_ body: FleeceData, _ sharedKeys: SharedKeys) throws(SyncError) -> FleeceData {
        do {
            return try .parsing(json: OutgoingBody.jsonWithAttachments(body, sharedKeys, generation: 1))
        } catch {
            throw SyncError(engine: .corruptDelta, "The base of the delta cannot be read: \(error)")
        }
    }

    private static func blobs(in body: OwnedBody) -> [BlobReference] {
        guard body.hasBlobs else { return [] }
        return body.data.withRoot { BlobReference.all(in: $0, sharedKeys: body.keys) } ?? []
    }

    /// Returns the body written by `write`, encoded with the shared keys of the file.
    private func encoded(_ write: (inout Encoder) throws(SyncError) -> Void) throws(SyncError) -> OwnedBody {
        func encode(_ encoder: BodyEncoder) -> Result<OwnedBody, SyncError> {
            do throws(SyncError) {
                try write(&encoder.encoder)
            } catch {
                encoder.encoder.reset()
                return .failure(error)
            }
            do throws(FleeceError) {
                return .success(try encoder.finishOwned())
            } catch {
                return .failure(SyncError(engine: .corruptRevisionData, error.description))
            }
        }
        return try (file?.withBodyEncoder(encode) ?? encode(BodyEncoder())).get()
    }
}

/// The top-level properties of a document that belong to the protocol (Replication 4.6).
private struct SpecialKeys {
    private(set) var areAny = false
    private(set) var isRemoved = false

    init(in root: DictionaryValue, sharedKeys: SharedKeys) {
        root.forEach { key, _ in
            if sharedKeys.withText(of: key, { $0.first == UInt8(ascii: "_") }) { areAny = true }
        }
        if areAny { isRemoved = root.value(for: "_removed", sharedKeys: sharedKeys)?.boolean == true }
    }
}
