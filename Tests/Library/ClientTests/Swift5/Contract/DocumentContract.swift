import CouchbaseLiteSwift
import Testing

@Suite("Declarations of documents")
struct DocumentContract {

    @Test("Document has the declared members and protocols")
    func document() {
        let _: any DictionaryProtocol.Type = Document.self
        let _: any Equatable.Type = Document.self
        let _: any Hashable.Type = Document.self
        let _: any Sequence.Type = Document.self
        let _: KeyPath<Document, String> = \.id
        let _: KeyPath<Document, String?> = \.revisionID
        let _: KeyPath<Document, UInt64> = \.sequence
        let _: KeyPath<Document, Collection?> = \.collection
        let _: (Document) -> () -> String? = Document._getRevisionHistory
        let _: (Document) -> () -> MutableDocument = Document.toMutable
        let _: KeyPath<Document, Int> = \.count
        let _: KeyPath<Document, Array<String>> = \.keys
        let _: (Document) -> (String) -> Any? = Document.value(forKey:)
        let _: (Document) -> (String) -> String? = Document.string(forKey:)
        let _: (Document) -> (String) -> NSNumber? = Document.number(forKey:)
        let _: (Document) -> (String) -> Int = Document.int(forKey:)
        let _: (Document) -> (String) -> Int64 = Document.int64(forKey:)
        let _: (Document) -> (String) -> Float = Document.float(forKey:)
        let _: (Document) -> (String) -> Double = Document.double(forKey:)
        let _: (Document) -> (String) -> Bool = Document.boolean(forKey:)
        let _: (Document) -> (String) -> Blob? = Document.blob(forKey:)
        let _: (Document) -> (String) -> Date? = Document.date(forKey:)
        let _: (Document) -> (String) -> ArrayObject? = Document.array(forKey:)
        let _: (Document) -> (String) -> DictionaryObject? = Document.dictionary(forKey:)
        let _: (Document) -> (String) -> Bool = Document.contains(key:)
        let _: (Document) -> () -> Dictionary<String, Any> = Document.toDictionary
        let _: (Document) -> () -> IndexingIterator<[String]> = Document.makeIterator
        let _: KeyPath<Document, Fragment> = \.["x"]
        let _: (Document, Document) -> Bool = (==)
        let _: (Document) -> (inout Hasher) -> Void = Document.hash(into:)
        let _: (Document) -> () -> String = Document.toJSON
    }

    private func documentOptionals(_ object: Document) {
        if let value = object._getRevisionHistory() { let _: String = value }
        if let value = object.value(forKey: "x") { let _: Any = value }
        if let value = object.string(forKey: "x") { let _: String = value }
        if let value = object.number(forKey: "x") { let _: NSNumber = value }
        if let value = object.blob(forKey: "x") { let _: Blob = value }
        if let value = object.date(forKey: "x") { let _: Date = value }
        if let value = object.array(forKey: "x") { let _: ArrayObject = value }
        if let value = object.dictionary(forKey: "x") { let _: DictionaryObject = value }
    }

    @Test("MutableDocument has the declared members and protocols")
    func mutableDocument() {
        let _: (MutableDocument) -> Document = { $0 }
        let _: any MutableDictionaryProtocol.Type = MutableDocument.self
        let _: () -> MutableDocument = MutableDocument.init
        let _: (String?) -> MutableDocument = MutableDocument.init(id:)
        let _: (Dictionary<String, Any>?) -> MutableDocument = MutableDocument.init(data:)
        let _: (String) throws -> MutableDocument = MutableDocument.init(json:)
        let _: (String?, Dictionary<String, Any>?) -> MutableDocument = MutableDocument.init(id:data:)
        let _: (String?, String) throws -> MutableDocument = MutableDocument.init(id:json:)
        let _: (MutableDocument) -> () -> MutableDocument = MutableDocument.toMutable
        let _: (MutableDocument) -> (Any?, String) -> MutableDocument = MutableDocument.setValue(_:forKey:)
        let _: (MutableDocument) -> (String?, String) -> MutableDocument = MutableDocument.setString(_:forKey:)
        let _: (MutableDocument) -> (NSNumber?, String) -> MutableDocument = MutableDocument.setNumber(_:forKey:)
        let _: (MutableDocument) -> (Int, String) -> MutableDocument = MutableDocument.setInt(_:forKey:)
        let _: (MutableDocument) -> (Int64, String) -> MutableDocument = MutableDocument.setInt64(_:forKey:)
        let _: (MutableDocument) -> (Double, String) -> MutableDocument = MutableDocument.setDouble(_:forKey:)
        let _: (MutableDocument) -> (Float, String) -> MutableDocument = MutableDocument.setFloat(_:forKey:)
        let _: (MutableDocument) -> (Bool, String) -> MutableDocument = MutableDocument.setBoolean(_:forKey:)
        let _: (MutableDocument) -> (Blob?, String) -> MutableDocument = MutableDocument.setBlob(_:forKey:)
        let _: (MutableDocument) -> (Date?, String) -> MutableDocument = MutableDocument.setDate(_:forKey:)
        let _: (MutableDocument) -> (ArrayObject?, String) -> MutableDocument = MutableDocument.setArray(_:forKey:)
        let _: (MutableDocument) -> (DictionaryObject?, String) -> MutableDocument = MutableDocument.setDictionary(
            _:
            forKey:
        )
        let _: (MutableDocument) -> (Dictionary<String, Any>?) -> MutableDocument = MutableDocument.setData(_:)
        let _: (MutableDocument) -> (String) throws -> MutableDocument = MutableDocument.setJSON(_:)
        let _: (MutableDocument) -> (String) -> MutableDocument = MutableDocument.removeValue(forKey:)
        let _: (MutableDocument) -> (String) -> MutableArrayObject? = MutableDocument.array(forKey:)
        let _: (MutableDocument) -> (String) -> MutableDictionaryObject? = MutableDocument.dictionary(forKey:)
        let _: KeyPath<MutableDocument, MutableFragment> = \.["x"]
        let _: (MutableDocument) -> () -> String = MutableDocument.toJSON
    }

    private func mutableDocumentOptionals(_ object: MutableDocument) {
        if let value = object.array(forKey: "x") { let _: MutableArrayObject = value }
        if let value = object.dictionary(forKey: "x") { let _: MutableDictionaryObject = value }
    }

    private func mutableDocumentResults(_ object: MutableDocument) throws {
        object.setValue(nil, forKey: "x")
        object.setString(nil, forKey: "x")
        object.setNumber(nil, forKey: "x")
        object.setInt(1, forKey: "x")
        object.setInt64(1, forKey: "x")
        object.setDouble(1, forKey: "x")
        object.setFloat(1, forKey: "x")
        object.setBoolean(true, forKey: "x")
        object.setBlob(nil, forKey: "x")
        object.setDate(nil, forKey: "x")
        object.setArray(nil, forKey: "x")
        object.setDictionary(nil, forKey: "x")
        object.setData(nil)
        try object.setJSON("x")
        object.removeValue(forKey: "x")
    }

    @Test("DocumentFragment has the declared members and protocols")
    func documentFragment() {
        let _: any DictionaryFragment.Type = DocumentFragment.self
        let _: KeyPath<DocumentFragment, Bool> = \.exists
        let _: KeyPath<DocumentFragment, Document?> = \.document
        let _: KeyPath<DocumentFragment, Fragment> = \.["x"]
    }
}
