import CouchbaseLiteSwift
import DocumentStore
import Fleece

/// A position in the input.
struct SourcePosition: CustomStringConvertible {
    var file: String
    /// The line number, from 1.
    var line: Int
    /// The column in Unicode scalars, from 1.
    var column: Int

    var description: String { "\(file):\(line):\(column)" }
}

/// An invalid document in the input, and its position.
struct ImportProblem: Error, CustomStringConvertible {
    let position: SourcePosition
    let message: String
    /// Whether the beginning of the next document is known, so that the import can continue.
    var isRecoverable = true
    /// The line in which the document begins; `nil` if the problem is not in a document.
    var documentLine: Int?

    /// The position and the message, with the beginning of the document if that is in another line.
    var description: String {
        guard let documentLine, documentLine != position.line else { return "\(position): \(message)" }
        return "\(position): \(message) (the document begins in line \(documentLine))"
    }
}

/// The JSON text of one document.
struct SourceDocument {
    let text: UnsafeRawBufferPointer
    /// The ID of the document if its properties do not contain one.
    var fallbackID: String?
}

/// Input that contains the JSON texts of documents, one after the other.
protocol DocumentSource: AnyObject {
    /// The beginning of the current document.
    var position: SourcePosition { get }
    /// The number of bytes consumed.
    var bytesConsumed: Int { get }

    /// Calls `body` with the next document, which is valid only during the call. Returns `nil` at the end of the input.
    ///
    /// - Throws: ``ImportProblem`` if the input is not a sequence of documents; errors of `body`.
    func withNext<Result>(_ body: (SourceDocument) throws -> Result) throws -> Result?
}

/// Parses the JSON text of a document into an ID and properties, and stores them. The public API creates an object for each document,
/// which is slower.
struct DocumentWriter: ~Copyable {
    private let idProperty: String
    /// The property that is always removed: it cannot be stored, because replication reserves it.
    private static let reservedProperty = "_id"
    // Reused for all documents, to avoid allocations.
    private var encoder = Encoder(capacity: 1 << 16)
    private(set) var blobs: BlobImport

    /// - Parameters:
    ///   - idProperty: The property that contains the ID. It is stored too, unless it is `_id`.
    ///   - blobs: Stores the contents of blobs.
    init(idProperty: String, blobs: BlobImport) { (self.idProperty, self.blobs) = (idProperty, blobs) }

    /// Stores one document as a new revision, and returns whether the document is new. A document without an ID gets the fallback ID of the
    /// source, or a generated one.
    ///
    /// - Throws: ``ImportProblem`` if the text is not a valid document; the errors of the store if it cannot be stored.
    mutating func store(
        _ document: SourceDocument,
        at position: SourcePosition,
        in transaction: DocumentCollection.Transaction
    ) throws -> Bool {
        encoder.reset()
        let root = try parse(document.text, at: position)
        guard let properties = root.dictionary else { throw ImportProblem(position: position, message: "a document must be a JSON object") }
        let id = try documentID(of: properties, in: document.text, position) ?? document.fallbackID ?? DocumentIdentifier.generate()
        do {
            let hasBlobs = BlobReferences.containsBlobs(root, sharedKeys: .empty)
            var blobs = blobs
            let outcome = try transaction.store.save(DocumentSave(id, base: .latest, isDeleted: false), in: transaction.writer) { encoder in
                if hasBlobs {
                    try blobs.write(root, omitting: Self.reservedProperty, into: &encoder)
                } else {
                    Self.copy(properties, to: &encoder)
                }
                return hasBlobs
            }
            self.blobs = blobs
            guard case .saved(let revision, _) = outcome else { throw StoreError.conflict(documentID: id) }
            return revision.generation == 1
        } catch let error as BlobImportProblem {
            throw ImportProblem(position: position, message: error.message)
        } catch let error as StoreError {
            switch error {
            case .invalidDocumentID, .reservedKey:
                throw ImportProblem(position: position, message: error.description)
            default: throw error
            }
        }
    }

    /// - Returns: A value in the memory of the encoder, valid until the encoder is reset.
    private mutating func parse(_ text: UnsafeRawBufferPointer, at position: SourcePosition) throws -> Value {
        do {
            try JSON.parse(text, into: &encoder, allowingFragments: true)
            if let root = Value(root: try encoder.finish()) { return root }
            throw ImportProblem(position: position, message: "the document cannot be stored")
        } catch let error as JSONError {
            var place = position
            place.line += error.line - 1
            place.column = error.line == 1 ? position.column + error.column - 1 : error.column
            throw ImportProblem(position: place, message: "not JSON: \(error.what)")
        } catch let error as FleeceError {
            throw ImportProblem(position: position, message: error.description)
        }
    }

    /// Returns the ID; `nil` if there is none. That of a number is its text: a conversion could give different numbers the same ID.
    private func documentID(
        of properties: DictionaryValue,
        in text: UnsafeRawBufferPointer,
        _ position: SourcePosition
    ) throws -> String? {
        guard let value = properties.value(for: idProperty) else { return nil }
        if let text = value.string { return text }
        if value.isInteger { return try JSON.string(value) }
        // An integer of more than 64 bits is stored as the nearest floating-point number.
        if value.type == .number, let number = value.double, let digits = JSONMember.integer(number, of: idProperty, in: text) {
            return digits
        }
        throw ImportProblem(position: position, message: "the ID in \"\(idProperty)\" must be a string or an integer")
    }

    private static func copy(_ properties: DictionaryValue, to encoder: inout Encoder) {
        encoder.beginDictionary()
        properties.forEach { key, value in
            if key.text(.empty) == reservedProperty { return }
            encoder.copyKey(key, from: .other(.empty))
            encoder.write(value, keys: .other(.empty))
        }
        encoder.endDictionary()
    }
}

extension DocumentCollection {
    /// A transaction in which documents are stored in the collection.
    struct Transaction {
        fileprivate let store: CollectionStore
        fileprivate let writer: Writer

        /// Returns the same transaction for another collection of the database.
        func with(_ collection: DocumentCollection) -> Transaction { Transaction(store: collection.store, writer: writer) }
    }

    /// Runs `body` in a transaction, which is rolled back if it throws.
    func transaction<Result>(_ body: (Transaction) throws -> Result) throws -> Result {
        try database.openFile().transaction { try body(Transaction(store: store, writer: $0)) }
    }
}
