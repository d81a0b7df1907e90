import CLibrary
package import Fleece

/// The keys of a blob dictionary, by which a document refers to a blob (Storage format 4.2).
package enum BlobDictionary {
    package static let typeKey = "@type"
    package static let typeValue = "blob"
    package static let digestKey = "digest"
    package static let lengthKey = "length"
    package static let contentTypeKey = "content_type"
    /// The key of inline content, used instead of a digest.
    package static let dataKey = "data"

    /// Returns whether `dictionary` has the type of a blob, and has a digest or inline content.
    package static func isBlob(_ dictionary: DictionaryValue, sharedKeys: SharedKeys) -> Bool {
        guard let type = dictionary.value(for: typeKey, sharedKeys: sharedKeys),
            type.stringBytes.map({ $0.elementsEqual(typeValue.utf8) }) == true
        else { return false }
        if dictionary.value(for: digestKey, sharedKeys: sharedKeys)?.stringBytes != nil { return true }
        return dictionary.value(for: dataKey, sharedKeys: sharedKeys) != nil
    }

    /// Returns whether `dictionary` has the form of an entry of the `_attachments` of 1.x (Storage format 4.3). Its position in the
    /// document is not checked.
    package static func isAttachment(_ dictionary: DictionaryValue, sharedKeys: SharedKeys) -> Bool {
        guard dictionary.value(for: digestKey, sharedKeys: sharedKeys)?.stringBytes != nil,
            dictionary.value(for: lengthKey, sharedKeys: sharedKeys)?.type == .number
        else { return false }
        return dictionary.value(for: "stub", sharedKeys: sharedKeys)?.boolean == true
            || dictionary.value(for: "revpos", sharedKeys: sharedKeys)?.type == .number
    }
}

extension BlobDictionary {
    package enum Content {
        case digest(BlobDigest)
        case inline(UnsafeRawBufferPointer)
    }

    /// Writes the dictionary of a blob.
    package static func write(_ content: Content, length: UInt64, contentType: String?, into encoder: inout Encoder) {
        encoder.beginDictionary()
        encoder.writeKey(typeKey)
        encoder.write(typeValue)
        switch content {
        case .digest(let digest):
            encoder.writeKey(digestKey)
            encoder.write(digest.string)
        case .inline(let bytes):
            encoder.writeKey(dataKey)
            encoder.write(data: bytes)
        }
        encoder.writeKey(lengthKey)
        encoder.write(unsigned: length)
        if let contentType {
            encoder.writeKey(contentTypeKey)
            encoder.write(contentType)
        }
        encoder.endDictionary()
    }
}

/// Finds the blobs that a document refers to (Storage format 4.2, 4.3).
package struct BlobReferences {
    private let sharedKeys: SharedKeys
    private var budget: ValueBudget
    private let visit: (BlobDigest) -> Void

    /// Returns the digests in a document's body: those of blob dictionaries anywhere inside it, and those of its `_attachments`.
    ///
    /// Invalid digests are ignored, because no blob is stored under them.
    package static func digests(in body: Value, sharedKeys: SharedKeys) -> Set<BlobDigest> {
        var digests: Set<BlobDigest> = []
        withoutActuallyEscaping({ digests.insert($0) }) { (insert: @escaping (BlobDigest) -> Void) in
            var references = BlobReferences(sharedKeys: sharedKeys, budget: ValueBudget(for: body), visit: insert)
            if let root = body.dictionary { references.findAttachments(root) }
            references.find(in: body, depth: 0)
        }
        return digests
    }

    /// Returns whether a document's body refers to blobs, so that its revision must be flagged (Storage format 4.2).
    ///
    /// The values are examined only if the bytes contain a text that every blob dictionary contains.
    package static func containsBlobs(_ body: Value, sharedKeys: SharedKeys) -> Bool {
        if let attachments = body.dictionary?.value(for: "_attachments", sharedKeys: sharedKeys)?.dictionary,
            attachments.pairCount > 0
        {
            return true
        }
        guard mayContainBlobs(body, sharedKeys: sharedKeys) else { return false }
        return containsBlobDictionary(body, sharedKeys: sharedKeys)
    }

    /// Returns whether the data that contains `value` also contains the key `@type`. Fast: no value is parsed.
    package static func mayContainBlobs(_ value: Value, sharedKeys: SharedKeys) -> Bool {
        // `@` is not eligible for shared keys, so the key is in the data as text, unless the list of shared keys is invalid.
        if sharedKeys.number(of: BlobDictionary.typeKey) != nil { return true }
        var text = BlobDictionary.typeKey
        return text.withUTF8 { contains(UnsafeRawBufferPointer(start: value.base, count: Int(value.end)), $0) }
    }

    private static func contains(_ bytes: UnsafeRawBufferPointer, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let base = bytes.baseAddress, let pattern = text.baseAddress else { return false }
        var position = 0
        while position + text.count <= bytes.count,
            let found = memchr(base + position, Int32(pattern[0]), bytes.count - position - text.count + 1)
        {
            if memcmp(found, pattern, text.count) == 0 { return true }
            position = UnsafeRawPointer(found) - base + 1
        }
        return false
    }

    /// Returns whether `value` is or contains a blob dictionary.
    package static func containsBlobDictionary(_ value: Value, sharedKeys: SharedKeys) -> Bool {
        var budget = ValueBudget(for: value)
        return containsBlobDictionary(value, sharedKeys: sharedKeys, depth: 0, budget: &budget)
    }

    private static func containsBlobDictionary(_ value: Value, sharedKeys: SharedKeys, depth: Int, budget: inout ValueBudget) -> Bool {
        guard budget.take(), depth <= Limits.maximumDepth else { return false }
        if let array = value.array {
            for index in 0..<array.count {
                guard let item = array[index] else { continue }
                if containsBlobDictionary(item, sharedKeys: sharedKeys, depth: depth + 1, budget: &budget) {
                    return true
                }
            }
        } else if let dictionary = value.dictionary {
            if BlobDictionary.isBlob(dictionary, sharedKeys: sharedKeys) { return true }
            for (_, item) in dictionary.pairs {
                if containsBlobDictionary(item, sharedKeys: sharedKeys, depth: depth + 1, budget: &budget) {
                    return true
                }
            }
        }
        return false
    }

    private mutating func findAttachments(_ root: DictionaryValue) {
        guard let attachments = root.value(for: "_attachments", sharedKeys: sharedKeys)?.dictionary else { return }
        for (_, attachment) in attachments.pairs {
            if let attachment = attachment.dictionary { report(attachment) }
        }
    }

    private mutating func find(in value: Value, depth: Int) {
        guard budget.take(), depth <= Limits.maximumDepth else { return }
        if let array = value.array {
            for index in 0..<array.count {
                if let item = array[index] { find(in: item, depth: depth + 1) }
            }
        } else if let dictionary = value.dictionary {
            if BlobDictionary.isBlob(dictionary, sharedKeys: sharedKeys) { report(dictionary) }
            for (_, item) in dictionary.pairs { find(in: item, depth: depth + 1) }
        }
    }

    private func report(_ dictionary: DictionaryValue) {
        guard let text = dictionary.value(for: BlobDictionary.digestKey, sharedKeys: sharedKeys)?.string,
            let digest = BlobDigest(text)
        else { return }
        visit(digest)
    }
}
