import DatabaseRuntime
import DocumentStore
import Fleece

/// The source of values that are read in place: the bytes, the shared keys, and the database that contains their blobs.
///
/// A document and all values read from it share one source, which keeps the bytes in memory.
struct FleeceSource: Sendable {
    let data: FleeceData
    let sharedKeys: SharedKeys
    /// The database; `nil` for values that were not read from a database.
    let database: Database?
    /// The file with the content of blobs if there is no ``database``; `nil` if nothing has it. No existential: a source is copied for each
    /// container that is read.
    private let file: CallingFile?

    init(data: FleeceData, sharedKeys: SharedKeys, database: Database? = nil, file: CallingFile? = nil) {
        (self.data, self.sharedKeys, self.database, self.file) = (data, sharedKeys, database, file)
    }

    /// What has the content of blobs; `nil` if nothing has it.
    var blobHost: (any BlobHost)? { database ?? file }

    /// Returns whether `value`, a part of the data, is a blob and not a plain dictionary.
    func isBlob(_ value: Value) -> Bool {
        guard let dictionary = value.dictionary, dictionary.pairCount > 0 else { return false }
        return BlobDictionary.isBlob(dictionary, sharedKeys: sharedKeys)
            || BlobDictionary.isAttachment(dictionary, sharedKeys: sharedKeys)
    }

    /// Returns a new immutable object for `value`, a part of the data: a blob, array or dictionary; `nil` for other values.
    func makeObject(for value: Value) -> PropertyObject? {
        switch value.type {
        case .array: .array(ArrayObject(source: self, value: value, isMutable: false))
        case .dictionary:
            isBlob(value)
                ? .blob(Blob(source: self, value: value))
                : .dictionary(DictionaryObject(source: self, value: value, isMutable: false))
        default: nil
        }
    }

    /// Returns a new mutable object for `value`, a part of the data that is an array or dictionary; `nil` for other values.
    func makeMutableContainer(for value: Value) -> PropertyObject? {
        switch value.type {
        case .array: .array(MutableArrayObject(source: self, value: value))
        case .dictionary: .dictionary(MutableDictionaryObject(source: self, value: value))
        default: nil
        }
    }
}

extension FleeceSource {
    /// Returns a part of the data as JSON; `nil`, and logs a warning, if it is damaged.
    func json(_ value: Value?) -> String? { value?.loggedJSON(sharedKeys: sharedKeys) }

    /// - Throws: ``ForeignBlob`` if `value`, a part of the data, refers to blobs of a database other than `database`.
    func checkBlobs(in value: Value?, belongTo database: Database) throws(ForeignBlob) {
        guard let value, let ownDatabase = self.database, ownDatabase !== database,
            BlobReferences.mayContainBlobs(value, sharedKeys: sharedKeys),
            BlobReferences.containsBlobDictionary(value, sharedKeys: sharedKeys)
        else { return }
        throw ForeignBlob()
    }
}

/// Stores a blob's content unless it is already stored, and returns its digest.
typealias BlobSaver = (Blob) throws -> BlobDigest

extension EncodingContext {
    /// Notices what the key says of a value that was written: whether its dictionary is a blob, or where a value cannot be stored.
    @inline(__always)
    mutating func notice(_ value: PropertyValue, forKey key: String) {
        if case .scalar(.string(let text)) = value { notice(text, forKey: key) } else { noticeKey(key) }
    }
}
