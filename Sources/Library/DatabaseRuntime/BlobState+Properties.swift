import DocumentStore
package import Fleece
import Foundation

/// Blobs as dictionaries describe them.
extension BlobState {
    /// Creates the state of the blob that a dictionary describes; see ``description(in:)``.
    package init(describedBy properties: [String: Any]) {
        let stated = properties[BlobDictionary.lengthKey] as? NSNumber
        self.init(
            digest: properties[BlobDictionary.digestKey] as? String,
            // A negative length is invalid.
            length: stated?.compare(NSNumber(value: 0)) == .orderedDescending ? stated?.uint64Value ?? 0 : 0,
            content: Self.inlineContent(properties[BlobDictionary.dataKey]).map { .data($0) } ?? .absent
        )
    }

    /// Creates the state of the blob that a stored dictionary of `database` describes; `nil` for one of no database.
    package init(storedAs dictionary: DictionaryValue?, _ sharedKeys: SharedKeys, in database: (any BlobHost)?) {
        func property(_ key: String) -> Value? { dictionary?.value(for: key, sharedKeys: sharedKeys) }
        let data = property(BlobDictionary.dataKey)
        self.init(
            digest: property(BlobDictionary.digestKey)?.string,
            length: UInt64(clamping: property(BlobDictionary.lengthKey)?.int64 ?? 0),
            content: (data?.dataBytes.map { Data($0) } ?? Self.inlineContent(data?.string)).map { .data($0) } ?? .absent,
            database: database
        )
    }

    /// Returns the digest and the type of the blob that a dictionary describes; `nil` if it does not describe one: `@type` is `"blob"`,
    /// `digest` is a string or `data` contains the content itself, and `length` and `content_type`, if they exist, are a number and a string.
    package static func description(in properties: [String: Any]) -> (digest: String?, contentType: String?)? {
        guard let type = properties[BlobDictionary.typeKey] as? String, type == BlobDictionary.typeValue else { return nil }
        let digest = properties[BlobDictionary.digestKey] as? String
        guard digest != nil || inlineContent(properties[BlobDictionary.dataKey]) != nil else { return nil }
        if let length = properties[BlobDictionary.lengthKey], !(length is NSNumber) { return nil }
        guard let contentType = properties[BlobDictionary.contentTypeKey] else { return (digest, nil) }
        return (contentType as? String).map { (digest, $0) }
    }

    /// Returns the digest and the type of the stored blob that a dictionary describes.
    package static func storedDescription(in properties: [String: Any]) throws(Misuse) -> (digest: String, contentType: String?) {
        guard let described = description(in: properties), let digest = described.digest else {
            throw .invalidArgument("The properties do not describe a blob: \"@type\" must be \"blob\", and \"digest\" must be a string.")
        }
        return (digest, described.contentType)
    }

    /// Returns the properties `digest`, `length` and `content_type`, as far as they are known. A length of 0 is omitted.
    package func properties(contentType: String?) -> [String: Any] {
        var properties: [String: Any] = [:]
        properties[BlobDictionary.digestKey] = digest
        if length > 0 { properties[BlobDictionary.lengthKey] = NSNumber(value: length) }
        properties[BlobDictionary.contentTypeKey] = contentType
        return properties
    }

    /// Returns content that the document itself contains, as bytes or base64.
    private static func inlineContent(_ value: Any?) -> Data? {
        if let data = value as? Data { return data }
        return (value as? String).flatMap { Data(base64Encoded: $0) }
    }
}
