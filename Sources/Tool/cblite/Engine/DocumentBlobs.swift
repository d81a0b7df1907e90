import CouchbaseLiteSwift
import DocumentStore
import Fleece

/// A blob to which a document refers.
struct DocumentBlob {
    let path: ValuePath
    /// The digest as the document states it; `nil` if the document contains the content itself.
    let digest: String?
    let contentType: String?
    /// The length that the document states.
    let length: UInt64?
    let parsedDigest: BlobDigest?
}

extension StoredDocument {
    /// Returns the blobs of the current revision with their places, which the public API does not list.
    func blobReferences() throws -> [DocumentBlob] {
        guard hasBlobs else { return [] }
        return try withProperties { root, keys in
            var found: [DocumentBlob] = []
            var budget = ValueBudget(for: root)
            Self.collect(root, ValuePath(), keys, &budget, into: &found)
            return found
        }
    }

    /// Returns the value at a path as JSON; `nil` if there is none.
    func json(at path: ValuePath) throws -> String? {
        try withProperties { root, keys in
            try Self.value(at: path, in: root, keys).map { try JSON.string($0, sharedKeys: keys, form: .canonical) }
        }
    }

    private static func collect(
        _ value: Value,
        _ path: ValuePath,
        _ keys: SharedKeys,
        _ budget: inout ValueBudget,
        into found: inout [DocumentBlob]
    ) {
        // Valid documents are not nested deeper, and do not expand.
        guard budget.consume(), path.steps.count <= Limits.maximumDepth else { return }
        if let array = value.array {
            for index in 0..<array.count {
                if let item = array[index] { collect(item, path + .index(index), keys, &budget, into: &found) }
            }
        } else if let dictionary = value.dictionary {
            let isAttachment = path.steps.count == 2 && path.steps[0] == .key("_attachments")
            if BlobDictionary.isBlob(dictionary, sharedKeys: keys)
                || isAttachment && BlobDictionary.isAttachment(dictionary, sharedKeys: keys)
            {
                found.append(DocumentBlob(dictionary, path, keys))
            }
            for (key, item) in dictionary.pairs {
                if let key = key.text(keys) { collect(item, path + .key(key), keys, &budget, into: &found) }
            }
        }
    }

    fileprivate static func value(at path: ValuePath, in root: Value, _ keys: SharedKeys) -> Value? {
        path.steps.reduce(root) { value, step -> Value? in
            switch step {
            case .key(let key): value?.dictionary?.value(for: key, sharedKeys: keys)
            case .index(let index): value?.array.flatMap { index < $0.count ? $0[index] : nil }
            }
        }
    }
}

extension DocumentBlob {
    fileprivate init(_ dictionary: DictionaryValue, _ path: ValuePath, _ keys: SharedKeys) {
        func value(_ key: String) -> Value? { dictionary.value(for: key, sharedKeys: keys) }
        self.path = path
        digest = value(BlobDictionary.digestKey)?.string
        contentType = value(BlobDictionary.contentTypeKey)?.string
        length = value(BlobDictionary.lengthKey)?.int64.flatMap { UInt64(exactly: $0) }
        parsedDigest = BlobDictionary.digest(in: dictionary, sharedKeys: keys)
    }

    /// Returns whether the content is stored: in a file of the database, or in the document itself.
    func isStored(in database: Database) throws -> Bool {
        guard digest != nil else { return true }
        return try parsedDigest.map { try database.openFile().blobs.contains($0) } ?? false
    }
}

extension JSONInput {
    /// Returns whether two JSON texts mean the same.
    static func areEqual(_ left: [UInt8], _ right: [UInt8]) throws -> Bool {
        let left = try left.withUnsafeBytes { try JSON.fleece($0, allowingFragments: true) }
        let right = try right.withUnsafeBytes { try JSON.fleece($0, allowingFragments: true) }
        return left.withRoot { left in right.withRoot { ValueComparison.areEqual(left, .empty, $0, .empty) } ?? false } ?? false
    }

    /// Returns the value at a path in a JSON text as JSON; `nil` if there is none.
    static func json(at path: ValuePath, in text: [UInt8]) throws -> String? {
        let data = try text.withUnsafeBytes { try JSON.fleece($0) }
        return try data.withRoot { root in
            try StoredDocument.value(at: path, in: root, .empty).map { try JSON.string($0) }
        } ?? nil
    }
}
