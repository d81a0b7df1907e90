import CouchbaseLiteSwift
import DocumentStore
import Fleece
import Foundation

/// Where the contents of blobs are, beside documents as JSON.
enum BlobPlace: Sendable, Equatable {
    /// In the JSON, as base64 in the member `data` of each blob.
    case inline
    /// In a directory, in files named by their digests as in `Attachments`.
    case directory(String)
}

/// What happened to the contents of the blobs to which documents refer.
struct BlobTally {
    /// The contents that were written or stored.
    var copied = 0
    var bytes: UInt64 = 0
    /// The references whose content exists, but was left out.
    var omitted = 0
    /// The references whose content does not exist.
    var missing = 0
}

/// Copies a value, and changes the dictionaries of the blobs in it.
private struct BlobRewriter {
    enum Content {
        /// The content in base64 replaces the member `data`, or is added.
        case inline(String)
        /// The digest and the length replace the member `data`.
        case stored(BlobDigest, length: UInt64)
    }

    /// Returns the new content of a blob; `nil` copies the dictionary as it is.
    typealias NewContent = (DictionaryValue) throws -> Content?

    let keys: SharedKeys

    /// - Parameter omitted: The name of a property of the outermost dictionary that is left out.
    func write(_ root: Value, omitting omitted: String? = nil, into encoder: inout Encoder, content: NewContent) throws {
        var budget = ValueBudget(for: root)
        try write(root, [], omitted, &encoder, &budget, content)
    }

    private func write(
        _ value: Value,
        _ path: [Bool],
        _ omitted: String?,
        _ encoder: inout Encoder,
        _ budget: inout ValueBudget,
        _ content: NewContent
    ) throws {
        guard budget.consume(), path.count <= Limits.maximumDepth else { throw FleeceError(.badRoot) }
        if let array = value.array {
            encoder.beginArray()
            for index in 0..<array.count {
                if let item = array[index] { try write(item, path + [false], nil, &encoder, &budget, content) }
            }
            encoder.endArray()
        } else if let dictionary = value.dictionary {
            // `path` tells for each level whether its key is `_attachments`.
            let isAttachment = path.count == 2 && path[0] && BlobDictionary.isAttachment(dictionary, sharedKeys: keys)
            if isAttachment || BlobDictionary.isBlob(dictionary, sharedKeys: keys), let new = try content(dictionary) {
                return write(dictionary, new, &encoder)
            }
            encoder.beginDictionary()
            for (key, item) in dictionary.pairs where omitted == nil || key.text(keys) != omitted {
                encoder.copyKey(key, from: .other(keys))
                try write(item, path + [key.text(keys) == "_attachments"], nil, &encoder, &budget, content)
            }
            encoder.endDictionary()
        } else {
            encoder.write(value, keys: .other(keys))
        }
    }

    private func write(_ dictionary: DictionaryValue, _ content: Content, _ encoder: inout Encoder) {
        var replaced = [BlobDictionary.dataKey]
        if case .stored = content { replaced += [BlobDictionary.digestKey, BlobDictionary.lengthKey] }
        encoder.beginDictionary()
        for (key, item) in dictionary.pairs where !replaced.contains(where: { key.text(keys)?.elementsEqual($0) == true }) {
            encoder.copyKey(key, from: .other(keys))
            encoder.write(item, keys: .other(keys))
        }
        switch content {
        case .inline(let text):
            encoder.writeKey(BlobDictionary.dataKey)
            encoder.write(text)
        case .stored(let digest, let length):
            encoder.writeKey(BlobDictionary.digestKey)
            encoder.write(digest.string)
            encoder.writeKey(BlobDictionary.lengthKey)
            encoder.write(unsigned: length)
        }
        encoder.endDictionary()
    }
}

// MARK: Export

/// Writes the contents of blobs beside exported documents.
struct BlobExport {
    private let place: BlobPlace?
    private let blobs: BlobStore
    private(set) var tally = BlobTally()

    /// - Parameter place: `nil` leaves the contents out, and counts them.
    /// - Throws: ``Failure`` if the directory cannot be created.
    init(_ place: BlobPlace?, from database: Database) throws {
        self.place = place
        blobs = try database.openFile().blobs
        guard case .directory(let path) = place else { return }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// Copies the contents of the blobs of a document.
    ///
    /// - Returns: The properties with the contents in them; `nil` if they are exported as they are.
    mutating func export(_ document: StoredDocument) throws -> FleeceData? {
        guard document.hasBlobs else { return nil }
        switch place {
        case .inline: return try document.withProperties { try inlined($0, $1) }
        case .directory(let path):
            for digest in try digests(of: document) {
                if let digest { try copy(digest, to: path) } else { tally.missing += 1 }
            }
        case nil:
            for digest in try digests(of: document) {
                if let digest, try blobs.contains(digest) { tally.omitted += 1 } else { tally.missing += 1 }
            }
        }
        return nil
    }

    private func digests(of document: StoredDocument) throws -> [BlobDigest?] {
        try document.blobReferences().filter { $0.digest != nil }.map(\.parsedDigest)
    }

    private mutating func inlined(_ root: Value, _ keys: SharedKeys) throws -> FleeceData {
        var tally = tally
        var encoder = Encoder()
        try BlobRewriter(keys: keys).write(root, into: &encoder) { dictionary in
            guard dictionary.value(for: BlobDictionary.digestKey, sharedKeys: keys) != nil else { return nil }
            let digest = BlobDictionary.digest(in: dictionary, sharedKeys: keys)
            guard let content = try digest.flatMap({ try blobs.contents(of: $0) }) else {
                tally.missing += 1
                return nil
            }
            tally.copied += 1
            tally.bytes += UInt64(content.count)
            return .inline(Data(content).base64EncodedString())
        }
        self.tally = tally
        return FleeceData(copying: try encoder.finish())
    }

    private mutating func copy(_ digest: BlobDigest, to directory: String) throws {
        guard let reader = try blobs.reader(of: digest) else { return tally.missing += 1 }
        defer { reader.close() }
        let path = directory + "/" + digest.fileName
        // The name is the digest of the content: it was exported before.
        guard FileStatus(path)?.size != Int(reader.size) else { return }
        try OutputFile.writing(to: path) { output in
            while true {
                let bytes = try reader.read(upTo: 1 << 18)
                guard !bytes.isEmpty else { break }
                try bytes.withUnsafeBytes { try output.write(content: $0) }
            }
            try output.flush()
        }
        tally.copied += 1
        tally.bytes += reader.size
    }
}

// MARK: Import

/// Stores the contents of blobs that come with imported documents.
struct BlobImport {
    private let directory: String?
    private let blobs: BlobStore
    private(set) var tally = BlobTally()

    /// - Parameter place: Where contents are that are not in the documents.
    init(_ place: BlobPlace?, into database: Database) throws {
        blobs = try database.openFile().blobs
        guard case .directory(let path) = place else {
            directory = nil
            return
        }
        directory = path
    }

    /// Writes the properties of a document with its blobs as stored ones. Must be called in the transaction that stores the document.
    ///
    /// - Throws: ``BlobImportProblem`` if a content is invalid; `BlobError`.
    mutating func write(_ root: Value, omitting omitted: String, into encoder: inout Encoder) throws {
        var tally = tally
        try BlobRewriter(keys: .empty).write(root, omitting: omitted, into: &encoder) { try content(of: $0, &tally) }
        self.tally = tally
    }

    private func content(of dictionary: DictionaryValue, _ tally: inout BlobTally) throws -> BlobRewriter.Content? {
        let digest = BlobDictionary.digest(in: dictionary, sharedKeys: .empty)
        if let text = dictionary.value(for: BlobDictionary.dataKey)?.string {
            guard let content = Data(base64Encoded: text) else { throw BlobImportProblem("the content of a blob is not valid base64") }
            let stored = try content.withUnsafeBytes { try blobs.store($0) }
            guard digest == nil || digest == stored else {
                throw BlobImportProblem("the content of blob \(digest?.string ?? "") has the digest \(stored.string)")
            }
            tally.copied += 1
            tally.bytes += UInt64(content.count)
            return .stored(stored, length: UInt64(content.count))
        }
        guard let digest else {
            tally.missing += 1
            return nil
        }
        guard try !blobs.contains(digest) else { return nil }
        guard let directory, let size = try store(digest, from: directory + "/" + digest.fileName) else {
            tally.missing += 1
            return nil
        }
        tally.copied += 1
        tally.bytes += size
        return nil
    }

    /// - Returns: The size; `nil` if there is no such file.
    private func store(_ digest: BlobDigest, from path: String) throws -> UInt64? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        var writer = try BlobWriter(store: blobs)
        while let piece = try file.read(upToCount: 1 << 18), !piece.isEmpty {
            try piece.withUnsafeBytes { try writer.write($0) }
        }
        let finished = try writer.finish()
        guard finished.digest == digest else { throw BlobImportProblem("the content of \(path) has the digest \(finished.digest.string)") }
        try finished.install()
        return finished.size
    }
}

/// The reason why the content of a blob cannot be imported.
struct BlobImportProblem: Error {
    let message: String

    init(_ message: String) { self.message = message }
}
