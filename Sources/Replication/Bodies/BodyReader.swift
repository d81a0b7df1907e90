package import DocumentStore
package import Fleece
package import SyncCore

/// What the body of a `rev` turns out to be.
package enum ReceivedContent {
    case body(IncomingBody)
    /// The user may not see the document any more: `{"_removed":true}` (Replication 5.2).
    case accessRemoved
}

/// A body as it is stored, and the blobs it needs.
package struct IncomingBody {
    package let body: OwnedBody
    /// The blobs it refers to, each once.
    package let blobs: [BlobReference]
    /// The digests that the peer listed as attachments; nil when it sends blobs without.
    package let listedDigests: Set<BlobDigest>?
}

/// Turns bodies as peers send them into bodies that can be stored (Replication 4.6, 4.9).
package struct BodyReader {
    private let file: DatabaseFile?

    /// - Parameter file: Where the bodies are going to be stored: its numbers of keys are used. Nil for nowhere.
    package init(file: DatabaseFile?) {
        self.file = file
    }

    /// Reads a body that was sent as a whole. Nothing counts as an empty object.
    ///
    /// One parse and one copy, unless the document has properties beginning with an underscore, or blobs.
    ///
    /// - Throws: {LiteCore, 5} when it is not the JSON of an object, or cannot be stored.
    package func content(json: [UInt8]) throws(SyncError) -> ReceivedContent {
        guard !json.isEmpty else { return .body(IncomingBody(body: .empty, blobs: [], listedDigests: nil)) }
        let parsed = try encoded { (encoder) throws(SyncError) in
            let outcome = json.withUnsafeBytes { text in
                Result { () throws(JSONError) in try JSON.parse(text, into: &encoder) }
            }
            if case .failure(let error) = outcome { throw SyncError(.liteCore, 5, "The body is no document: \(error)") }
        }
        return try content(parsed)
    }

    /// Reads a body that was sent as a delta (Replication 4.8).
    ///
    /// - Parameters:
    ///   - delta: JSON.
    ///   - base: What it was made from, a Fleece dictionary.
    /// - Throws: {LiteCore, 32} when it is no delta, or does not fit: the whole body is needed then.
    package func content(delta: [UInt8], base: FleeceData, sharedKeys: SharedKeys) throws(SyncError) -> ReceivedContent {
        let changes: FleeceData
        do {
            changes = try FleeceData.parsing(json: delta)
        } catch {
            throw SyncError(.liteCore, 32, "The delta is no JSON: \(error)")
        }
        let mentionsAttachments =
            changes.withRoot { $0.dictionary?.value(for: OutgoingBody.attachmentsKey) != nil } ?? false
        // Then the peer has made it from the form that the body has with attachments.
        let old = mentionsAttachments ? try Self.withAttachments(base, sharedKeys) : base
        let oldKeys = mentionsAttachments ? .empty : sharedKeys
        let result = try encoded { (encoder) throws(SyncError) in
            let outcome = changes.withRoot { changes in
                old.withRoot { old in
                    Result { () throws(DeltaError) in try Delta.apply(changes, to: old, oldKeys, into: &encoder) }
                }
            }
            switch outcome {
            case .some(.some(.success)): break
            case .some(.some(.failure(let error))): throw SyncError(.liteCore, 32, error.description)
            case .some(.none), .none: throw SyncError(.liteCore, 32, "The delta or its base is empty")
            }
        }
        guard result.isDictionary else { throw SyncError(.liteCore, 32, "The delta makes no document") }
        return try content(result, listsAttachments: mentionsAttachments)
    }

    /// - Parameter listsAttachments: Whether `_attachments`, if there are any, are the peer's, and so complete.
    private func content(_ parsed: OwnedBody, listsAttachments: Bool = true) throws(SyncError) -> ReceivedContent {
        let special = parsed.data.withRoot { root in
            root.dictionary.map { SpecialKeys(in: $0, sharedKeys: parsed.keys) }
        }
        guard let special = special ?? nil else { throw SyncError(.liteCore, 5, "The body is no object") }
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

    /// A body in the form that has attachments, without shared keys.
    private static func withAttachments(_ body: FleeceData, _ sharedKeys: SharedKeys) throws(SyncError) -> FleeceData {
        do {
            return try .parsing(json: OutgoingBody.jsonWithAttachments(body, sharedKeys, generation: 1))
        } catch {
            throw SyncError(.liteCore, 32, "The base of the delta cannot be read: \(error)")
        }
    }

    private static func blobs(in body: OwnedBody) -> [BlobReference] {
        guard body.hasBlobs else { return [] }
        return body.data.withRoot { BlobReference.all(in: $0, sharedKeys: body.keys) } ?? []
    }

    /// What `write` writes, with the numbers of keys of the file.
    private func encoded(_ write: (inout Encoder) throws(SyncError) -> Void) throws(SyncError) -> OwnedBody {
        let outcome: Result<OwnedBody, SyncError> = withEncoder { encoder in
            do throws(SyncError) {
                try write(&encoder.encoder)
            } catch {
                encoder.encoder.reset()
                return .failure(error)
            }
            do throws(FleeceError) {
                return .success(try encoder.finishOwned())
            } catch {
                return .failure(SyncError(.liteCore, 5, error.description))
            }
        }
        return try outcome.get()
    }

    private func withEncoder<Result>(_ body: (BodyEncoder) -> Result) -> Result {
        file?.withBodyEncoder(body) ?? body(BodyEncoder())
    }
}

/// Whether a document has top-level properties that are the protocol's (Replication 4.6).
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

extension OwnedBody {
    fileprivate var isDictionary: Bool { data.withRoot { $0.dictionary != nil } ?? false }
}
