import Fleece

/// Writing the columns of records with version vectors, byte for byte like 4.x (Version vectors 3.3, 3.4).
extension KnownRevisions {
    /// The columns `version`, `body` and `extra`; `nil` stands for NULL.
    typealias Columns = (version: [UInt8], body: [UInt8]?, extra: [UInt8]?)

    /// Encodes the columns.
    ///
    /// - Parameter documentID: The document, for errors.
    /// - Throws: `corruptDocument` if a body is damaged or too large.
    func columns(of documentID: String) throws(StoreError) -> Columns {
        (current.lineage.binary, storedBody, try extra(of: documentID))
    }

    /// The flags of the record (Version vectors 3.6). The mark of a pushed revision is not among them, because the remotes contain it.
    var recordFlags: RecordFlags {
        var flags: RecordFlags = current.flags.contains(.deleted) ? .deleted : []
        if current.flags.contains(.hasAttachments) || remotes.values.contains(where: { $0.flags.contains(.hasAttachments) }) {
            flags.insert(.hasAttachments)
        }
        if remotes.values.contains(where: { $0.flags.contains(.conflicted) }) { flags.insert(.conflicted) }
        return flags
    }

    /// The column `body`. A tombstone without properties has none. A live document without properties has an empty dictionary, because the
    /// original reads NULL as null in queries.
    private var storedBody: [UInt8]? {
        guard let body = current.body, !body.isEmpty else { return current.flags.contains(.deleted) ? nil : Self.emptyBody }
        return current.flags.contains(.deleted) && body == Self.emptyBody ? nil : body
    }

    private static var emptyBody: [UInt8] { [0x70, 0x00] }

    /// Encodes the column `extra`; `nil` if nothing is known besides the current revision.
    func extra(of documentID: String) throws(StoreError) -> [UInt8]? {
        let last = remotes.keys.max() ?? 0
        guard last > 0 || legacy != nil || names != nil else { return nil }
        let body = storedBody ?? []
        do throws(FleeceError) {
            return try body.withUnsafeBytes { body throws(FleeceError) in
                var encoder = Encoder(capacity: body.count + 256)
                let hasOthers = remotes.values.contains { $0.body.map { $0 != current.body && $0 != Self.emptyBody } ?? false }
                encoder.beginContinuation(of: body, mark: Self.mark, sharesStrings: hasOthers)
                encoder.beginArray()
                writeCurrent(body, &encoder)
                if last > 0 {
                    for remote in 1...last {
                        guard let revision = remotes[remote] else {
                            encoder.writeNull()
                            continue
                        }
                        try write(revision, body, &encoder)
                    }
                }
                encoder.endArray()
                return try encoder.finishContinuation(of: body.count)
            }
        } catch {
            throw .corruptDocument(documentID: documentID, reason: "its properties are damaged: \(error.description)")
        }
    }

    /// Writes the item of the local revision, whose properties are those in the body.
    private func writeCurrent(_ body: UnsafeRawBufferPointer, _ encoder: inout Encoder) {
        encoder.beginDictionary()
        encoder.write(Key.properties)
        writeBody(body, &encoder)
        if let names {
            encoder.write(Key.names)
            encoder.beginArray()
            names.version.binary.withUnsafeBytes { encoder.write(data: $0) }
            for id in names.ids { id.withBinary { encoder.write(data: $0) } }
            encoder.endArray()
        }
        if let legacy {
            encoder.write(Key.legacy)
            legacy.withBinary { encoder.write(data: $0) }
        }
        encoder.endDictionary()
    }

    /// Writes the item of a remote.
    private func write(_ revision: KnownRevision, _ body: UnsafeRawBufferPointer, _ encoder: inout Encoder) throws(FleeceError) {
        encoder.beginDictionary()
        if !revision.flags.isEmpty {
            encoder.write(Key.flags)
            encoder.write(Int64(revision.flags.rawValue))
        }
        if let properties = revision.body {
            encoder.write(Key.properties)
            if properties == current.body {
                writeBody(body, &encoder)
            } else {
                try properties.withUnsafeBytes { bytes throws(FleeceError) in
                    guard let value = Value(root: bytes), value.type == .dictionary else { throw FleeceError(.badRoot) }
                    encoder.write(value, keys: .same)
                }
            }
        }
        encoder.write(Key.revision)
        revision.lineage.binary.withUnsafeBytes { encoder.write(data: $0) }
        encoder.endDictionary()
    }

    /// Writes a pointer to the properties in the body, or an empty dictionary if there are none.
    private func writeBody(_ body: UnsafeRawBufferPointer, _ encoder: inout Encoder) {
        if let root = Value(root: body), root.dictionary?.pairCount != 0 { return encoder.writePointer(to: root.position) }
        encoder.beginDictionary()
        encoder.endDictionary()
    }
}
