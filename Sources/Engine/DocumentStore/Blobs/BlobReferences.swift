import Base
package import Fleece

/// The keys of a blob dictionary, by which a document refers to a blob (Storage format 4.2).
package enum BlobDictionary {
    /// The key of the type, which distinguishes a blob from other dictionaries.
    package static let typeKey = "@type"
    /// The type of a blob.
    package static let typeValue = "blob"
    /// The key of the digest, in the form of ``BlobDigest/string``.
    package static let digestKey = "digest"
    /// The key of the size of the content in bytes, before any encryption.
    package static let lengthKey = "length"
    /// The key of the MIME type; a blob can be without one.
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

    /// Returns the digest in a blob dictionary or an attachment; `nil` if it is missing or invalid.
    package static func digest(in dictionary: DictionaryValue, sharedKeys: SharedKeys) -> BlobDigest? {
        dictionary.value(for: digestKey, sharedKeys: sharedKeys)?.string.flatMap { BlobDigest($0) }
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
    /// Where the content of a blob is.
    package enum Content {
        /// The content is in the store, under this digest.
        case digest(BlobDigest)
        /// The content is in the dictionary itself. The bytes are borrowed until the dictionary has been written.
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

extension BlobDictionary {
    /// Returns the dictionary of a stored blob as JSON.
    package static func json(digest: String, length: UInt64, contentType: String?) -> String {
        JSONWriter.object(capacity: 128) { writer in
            writer.member("@type", "blob")
            writer.member("digest", digest)
            writer.member("length", length)
            if let contentType { writer.member("content_type", contentType) }
        }.string
    }
}

/// Finds the blobs that a document refers to (Storage format 4.2, 4.3).
package enum BlobReferences {
    /// Returns the digests in a document's body: those of blob dictionaries anywhere inside it, and those of its `_attachments`.
    ///
    /// Invalid digests are ignored, because no blob is stored under them.
    package static func digests(in body: Value, sharedKeys: SharedKeys) -> Set<BlobDigest> {
        var digests: Set<BlobDigest> = []
        forEach(in: body, sharedKeys: sharedKeys) { dictionary in
            if let digest = BlobDictionary.digest(in: dictionary, sharedKeys: sharedKeys) { digests.insert(digest) }
        }
        return digests
    }

    /// Calls `visit` with the blob dictionaries in a document's body, and then with the entries of its `_attachments`.
    package static func forEach(in body: Value, sharedKeys: SharedKeys, _ visit: (DictionaryValue) -> Void) {
        var budget = ValueBudget(for: body)
        _ = contains(in: body, sharedKeys: sharedKeys, depth: 0, budget: &budget) { dictionary in
            visit(dictionary)
            return false
        }
        body.dictionary?.value(for: "_attachments", sharedKeys: sharedKeys)?.dictionary?.forEach { _, attachment in
            if let attachment = attachment.dictionary { visit(attachment) }
        }
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
        return contains(in: value, sharedKeys: sharedKeys, depth: 0, budget: &budget) { _ in true }
    }

    /// Returns whether `isFound` accepts a blob dictionary in `value`. It is called with each one until it accepts one.
    private static func contains(
        in value: Value,
        sharedKeys: SharedKeys,
        depth: Int,
        budget: inout ValueBudget,
        _ isFound: (DictionaryValue) -> Bool
    ) -> Bool {
        guard budget.consume(), depth <= Limits.maximumDepth else { return false }
        if let array = value.array {
            for index in 0..<array.count {
                guard let item = array[index] else { continue }
                if contains(in: item, sharedKeys: sharedKeys, depth: depth + 1, budget: &budget, isFound) { return true }
            }
        } else if let dictionary = value.dictionary {
            if BlobDictionary.isBlob(dictionary, sharedKeys: sharedKeys), isFound(dictionary) { return true }
            for (_, item) in dictionary.pairs {
                if contains(in: item, sharedKeys: sharedKeys, depth: depth + 1, budget: &budget, isFound) { return true }
            }
        }
        return false
    }
}
