import DocumentStore
import Fleece

/// Where values that are read in place come from: the bytes, the keys they use, and the database of their blobs.
///
/// A document and everything taken out of it share one, which keeps the bytes alive.
struct FleeceSource: Sendable {
    let data: FleeceData
    let sharedKeys: SharedKeys
    /// Nil for values that did not come out of a database.
    let database: Database?

    init(data: FleeceData, sharedKeys: SharedKeys, database: Database? = nil) {
        self.data = data
        self.sharedKeys = sharedKeys
        self.database = database
    }

    /// Whether `value`, a part of the data, reads as a blob rather than as a dictionary.
    func isBlob(_ value: Value) -> Bool {
        guard let dictionary = value.dictionary, dictionary.pairCount > 0 else { return false }
        return BlobDictionary.isBlob(dictionary, sharedKeys: sharedKeys)
            || BlobDictionary.isAttachment(dictionary, sharedKeys: sharedKeys)
    }

    /// The blob, array or dictionary that `value`, a part of the data, stands for: an immutable object, new at every
    /// call. Nil for other values.
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
}

/// A value that is an object with an identity.
enum PropertyObject: Sendable {
    case blob(Blob)
    case array(ArrayObject)
    case dictionary(DictionaryObject)

    var blob: Blob? {
        guard case .blob(let blob) = self else { return nil }
        return blob
    }

    var array: ArrayObject? {
        guard case .array(let array) = self else { return nil }
        return array
    }

    var dictionary: DictionaryObject? {
        guard case .dictionary(let dictionary) = self else { return nil }
        return dictionary
    }

    var reference: AnyObject {
        switch self {
        case .blob(let blob): blob
        case .array(let array): array
        case .dictionary(let dictionary): dictionary
        }
    }

    var held: PropertyValue {
        switch self {
        case .blob(let blob): .blob(blob)
        case .array(let array): .array(array)
        case .dictionary(let dictionary): .dictionary(dictionary)
        }
    }
}

extension FleeceSource {
    /// - Throws: When `value`, a part of the data, refers to blobs of a database other than `database`.
    func checkBlobs(in value: Value?, belongTo database: Database) throws(ForeignBlob) {
        guard let value, let ownDatabase = self.database, ownDatabase !== database,
            BlobReferences.mayContainBlobs(value, sharedKeys: sharedKeys),
            BlobReferences.containsBlobDictionary(value, sharedKeys: sharedKeys)
        else { return }
        throw ForeignBlob()
    }
}
