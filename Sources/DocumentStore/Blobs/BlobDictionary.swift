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
