import Fleece

/// The column `extra` of records that 4.x has written (Version vectors 3.4).
extension KnownRevisions {
    /// The bytes before the Fleece data, which distinguish it from a revision tree. They count for the positions in the data.
    static let mark: [UInt8] = [0, 0, 0, 0]

    /// Returns whether the column is not a revision tree. The mark alone would be a tree without revisions.
    static func isEncoded(_ extra: some Collection<UInt8>) -> Bool { extra.count > mark.count && extra.starts(with: mark) }

    /// The keys of the dictionaries, which are never shared keys.
    enum Key {
        static let properties = "."
        static let revision = "@"
        static let legacy = "~"
        /// Not one of the original, which drops it when it changes the document (Version vectors 7.6).
        static let names = "^"
        static let flags = "&"
    }

    /// Decodes a record.
    ///
    /// - Throws: `corruptDocument` with the reason.
    init(_ row: StoredRow) throws(StoreError) {
        do throws(KnownRevisionsError) {
            try self.init(decoding: row)
        } catch {
            throw .corruptDocument(documentID: row.id, reason: error.description)
        }
    }

    private init(decoding row: StoredRow) throws(KnownRevisionsError) {
        var flags: KnownRevision.Flags = row.flags.contains(.deleted) ? .deleted : []
        // The record has one flag for all revisions, so this one may have no attachments.
        if row.flags.contains(.hasAttachments) { flags.insert(.hasAttachments) }
        // The column is NULL for a document without properties.
        let body = row.body.isEmpty ? Array(FleeceData.emptyDictionary.bytes) : row.body
        current = KnownRevision(lineage: row.lineage, flags: flags, body: body)
        sequence = row.sequence
        if let extra = row.extra { try decode(extra, body: row.body) }
        // The flag means that the first remote has the current revision, whatever is stored about it (Version vectors 3.6).
        if row.flags.contains(.synced) { remotes[1] = current }
    }

    private mutating func decode(_ extra: [UInt8], body: [UInt8]) throws(KnownRevisionsError) {
        guard extra.starts(with: Self.mark) else { throw .init(.noMark) }
        let joined: FleeceData
        do throws(FleeceError) {
            joined = try FleeceData(body, continuedBy: extra)
        } catch {
            throw .init(.fleece(error))
        }
        defer { withExtendedLifetime(joined) {} }
        guard let items = joined.root?.array, items.count - 1 <= Int(RevisionTree.RemoteID.max) else { throw .init(.noArray) }
        let root = body.withUnsafeBytes { Value(root: $0)?.position }
        for index in 0..<items.count {
            guard let item = items[index], !item.isNull else { continue }
            guard let item = item.dictionary else { throw .init(.noDictionary, item: index) }
            if index > 0 {
                remotes[RevisionTree.RemoteID(index)] = try Self.revision(item, index, body: (root, body))
            } else {
                (names, legacy) = try Self.names(item)
            }
        }
    }

    /// Reads what the item of the current revision says besides its properties.
    private static func names(_ item: DictionaryValue) throws(KnownRevisionsError) -> (names: TreeNames?, legacy: TreeRevisionID?) {
        let list = item.value(for: Key.names)
        let names = list?.array.flatMap { TreeNames($0) }
        guard list == nil || names != nil else { throw .init(.badNames) }
        let id = item.value(for: Key.legacy)
        let legacy = id?.dataBytes.flatMap { TreeRevisionID(binary: $0) }
        guard id == nil || legacy != nil else { throw .init(.badLegacy) }
        return (names, legacy)
    }

    /// Reads the revision known at a remote.
    ///
    /// - Parameter body: The properties of the current revision, and the position of their dictionary. A remote that has the same ones refers
    ///   to them.
    private static func revision(
        _ item: DictionaryValue,
        _ index: Int,
        body: (root: Int?, bytes: [UInt8])
    ) throws(KnownRevisionsError) -> KnownRevision {
        guard let id = item.value(for: Key.revision)?.dataBytes else { throw .init(.noRevision, item: index) }
        let lineage: Lineage
        do throws(LineageError) {
            lineage = try Lineage(binary: id)
        } catch {
            throw .init(.lineage(error.description), item: index)
        }
        let bits = item.value(for: Key.flags)?.integerBits ?? 0
        let flags = KnownRevision.Flags(rawValue: UInt8(truncatingIfNeeded: bits))
        let properties = item.value(for: Key.properties)
        guard properties?.type ?? .dictionary == .dictionary else { throw .init(.badProperties, item: index) }
        guard let properties, properties.dictionary?.pairCount != 0 else {
            // A tombstone usually has no properties.
            let isEmpty = properties != nil || flags.contains(.deleted)
            return KnownRevision(lineage: lineage, flags: flags, body: isEmpty ? Array(FleeceData.emptyDictionary.bytes) : nil)
        }
        if properties.position == body.root { return KnownRevision(lineage: lineage, flags: flags, body: body.bytes) }
        do throws(FleeceError) {
            var encoder = Encoder()
            encoder.write(properties, keys: .same)
            return KnownRevision(lineage: lineage, flags: flags, body: try encoder.finishedBytes())
        } catch {
            throw .init(.fleece(error), item: index)
        }
    }

    /// Returns what the column says about the current revision, without reading its properties; nothing if it is not one of 4.x.
    ///
    /// - Throws: The reason why the names, or the last revision of the tree, are damaged.
    static func names(in extra: UnsafeRawBufferPointer) throws(LineageError) -> (names: TreeNames?, legacy: TreeRevisionID?) {
        guard isEncoded(extra), let item = Value(root: extra)?.array?[0]?.dictionary else { return (nil, nil) }
        do throws(KnownRevisionsError) {
            return try names(item)
        } catch {
            throw LineageError(description: error.description)
        }
    }

    /// Returns the revision known at a remote, without reading its properties; `nil` if there is none, or if the data is damaged.
    ///
    /// Only properties are stored as pointers into the body, so the body is not needed.
    static func remoteAncestor(_ remote: RevisionTree.RemoteID, in extra: UnsafeRawBufferPointer) -> RevisionID? {
        guard extra.starts(with: mark), let item = Value(root: extra)?.array?[Int(remote)]?.dictionary else { return nil }
        return item.value(for: Key.revision)?.dataBytes.flatMap { RevisionID(binary: $0) }
    }
}

extension TreeNames {
    /// Reads the names: the version, and the IDs with the newest first. Returns `nil` if they are invalid.
    fileprivate init?(_ list: ArrayValue) {
        guard list.count >= 2, case .version(let version)? = list[0]?.dataBytes.flatMap({ RevisionID(binary: $0) }) else { return nil }
        var ids: [TreeRevisionID] = []
        for index in 1..<list.count {
            guard let id = list[index]?.dataBytes.flatMap({ TreeRevisionID(binary: $0) }),
                ids.last.map({ $0.generation > id.generation }) ?? true
            else { return nil }
            ids.append(id)
        }
        self.init(version: version, ids: ids)
    }
}

/// The error in the column `extra` of a record that 4.x has written.
struct KnownRevisionsError: Error, CustomStringConvertible {
    enum Reason {
        case noMark
        case fleece(FleeceError)
        case noArray
        case noDictionary
        case badLegacy
        case badNames
        case noRevision
        case lineage(String)
        case badProperties
    }

    let reason: Reason
    /// The number of the remote; 0 for the local revision, and for the whole column.
    let item: Int

    init(_ reason: Reason, item: Int = 0) { (self.reason, self.item) = (reason, item) }

    var description: String {
        let what =
            switch reason {
            case .noMark: "they have no mark"
            case .fleece(let error): error.description
            case .noArray: "they are not an array"
            case .noDictionary: "an item is not a dictionary"
            case .badLegacy: "the last revision of the tree is invalid"
            case .badNames: "the names for clients with trees are invalid"
            case .noRevision: "a revision has no ID"
            case .lineage(let reason): reason
            case .badProperties: "the properties are not a dictionary"
            }
        return "its revisions at remotes are damaged: \(what)" + (item > 0 ? ", of remote \(item)" : "")
    }
}
