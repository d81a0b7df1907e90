import CouchbaseLiteSwift
import Testing

@Suite("Declarations of dictionaries")
struct DictionaryContract {

    private func dictionaryProtocol<T: DictionaryProtocol>(_: T.Type) {
        let _: (T) -> any DictionaryFragment = { $0 }
        let _: KeyPath<T, Int> = \.count
        let _: KeyPath<T, Array<String>> = \.keys
        let _: (T) -> (String) -> Any? = T.value(forKey:)
        let _: (T) -> (String) -> String? = T.string(forKey:)
        let _: (T) -> (String) -> NSNumber? = T.number(forKey:)
        let _: (T) -> (String) -> Int = T.int(forKey:)
        let _: (T) -> (String) -> Int64 = T.int64(forKey:)
        let _: (T) -> (String) -> Float = T.float(forKey:)
        let _: (T) -> (String) -> Double = T.double(forKey:)
        let _: (T) -> (String) -> Bool = T.boolean(forKey:)
        let _: (T) -> (String) -> Date? = T.date(forKey:)
        let _: (T) -> (String) -> Blob? = T.blob(forKey:)
        let _: (T) -> (String) -> ArrayObject? = T.array(forKey:)
        let _: (T) -> (String) -> DictionaryObject? = T.dictionary(forKey:)
        let _: (T) -> (String) -> Bool = T.contains(key:)
        let _: (T) -> () -> Dictionary<String, Any> = T.toDictionary
    }

    private func dictionaryProtocolOptionals<T: DictionaryProtocol>(_ object: T) {
        if let value = object.value(forKey: "x") { let _: Any = value }
        if let value = object.string(forKey: "x") { let _: String = value }
        if let value = object.number(forKey: "x") { let _: NSNumber = value }
        if let value = object.date(forKey: "x") { let _: Date = value }
        if let value = object.blob(forKey: "x") { let _: Blob = value }
        if let value = object.array(forKey: "x") { let _: ArrayObject = value }
        if let value = object.dictionary(forKey: "x") { let _: DictionaryObject = value }
    }

    @Test("DictionaryObject has the declared members and protocols")
    func dictionaryObject() {
        let _: any DictionaryProtocol.Type = DictionaryObject.self
        let _: any Equatable.Type = DictionaryObject.self
        let _: any Hashable.Type = DictionaryObject.self
        let _: any Sequence.Type = DictionaryObject.self
        let _: KeyPath<DictionaryObject, Int> = \.count
        let _: KeyPath<DictionaryObject, Array<String>> = \.keys
        let _: (DictionaryObject) -> (String) -> Any? = DictionaryObject.value(forKey:)
        let _: (DictionaryObject) -> (String) -> String? = DictionaryObject.string(forKey:)
        let _: (DictionaryObject) -> (String) -> NSNumber? = DictionaryObject.number(forKey:)
        let _: (DictionaryObject) -> (String) -> Int = DictionaryObject.int(forKey:)
        let _: (DictionaryObject) -> (String) -> Int64 = DictionaryObject.int64(forKey:)
        let _: (DictionaryObject) -> (String) -> Float = DictionaryObject.float(forKey:)
        let _: (DictionaryObject) -> (String) -> Double = DictionaryObject.double(forKey:)
        let _: (DictionaryObject) -> (String) -> Bool = DictionaryObject.boolean(forKey:)
        let _: (DictionaryObject) -> (String) -> Date? = DictionaryObject.date(forKey:)
        let _: (DictionaryObject) -> (String) -> Blob? = DictionaryObject.blob(forKey:)
        let _: (DictionaryObject) -> (String) -> ArrayObject? = DictionaryObject.array(forKey:)
        let _: (DictionaryObject) -> (String) -> DictionaryObject? = DictionaryObject.dictionary(forKey:)
        let _: (DictionaryObject) -> (String) -> Bool = DictionaryObject.contains(key:)
        let _: (DictionaryObject) -> () -> Dictionary<String, Any> = DictionaryObject.toDictionary
        let _: (DictionaryObject) -> () -> MutableDictionaryObject = DictionaryObject.toMutable
        let _: (DictionaryObject) -> () -> IndexingIterator<[String]> = DictionaryObject.makeIterator
        let _: KeyPath<DictionaryObject, Fragment> = \.["x"]
        let _: (DictionaryObject, DictionaryObject) -> Bool = (==)
        let _: (DictionaryObject) -> (inout Hasher) -> Void = DictionaryObject.hash(into:)
        let _: (DictionaryObject) -> () -> String = DictionaryObject.toJSON
    }

    private func dictionaryObjectOptionals(_ object: DictionaryObject) {
        if let value = object.value(forKey: "x") { let _: Any = value }
        if let value = object.string(forKey: "x") { let _: String = value }
        if let value = object.number(forKey: "x") { let _: NSNumber = value }
        if let value = object.date(forKey: "x") { let _: Date = value }
        if let value = object.blob(forKey: "x") { let _: Blob = value }
        if let value = object.array(forKey: "x") { let _: ArrayObject = value }
        if let value = object.dictionary(forKey: "x") { let _: DictionaryObject = value }
    }

    private func mutableDictionaryProtocol<T: MutableDictionaryProtocol>(_: T.Type) {
        let _: (T) -> any DictionaryProtocol = { $0 }
        let _: (T) -> any MutableDictionaryFragment = { $0 }
        let _: (T) -> (Any?, String) -> T = T.setValue(_:forKey:)
        let _: (T) -> (String?, String) -> T = T.setString(_:forKey:)
        let _: (T) -> (NSNumber?, String) -> T = T.setNumber(_:forKey:)
        let _: (T) -> (Int, String) -> T = T.setInt(_:forKey:)
        let _: (T) -> (Int64, String) -> T = T.setInt64(_:forKey:)
        let _: (T) -> (Float, String) -> T = T.setFloat(_:forKey:)
        let _: (T) -> (Double, String) -> T = T.setDouble(_:forKey:)
        let _: (T) -> (Bool, String) -> T = T.setBoolean(_:forKey:)
        let _: (T) -> (Date?, String) -> T = T.setDate(_:forKey:)
        let _: (T) -> (Blob?, String) -> T = T.setBlob(_:forKey:)
        let _: (T) -> (ArrayObject?, String) -> T = T.setArray(_:forKey:)
        let _: (T) -> (DictionaryObject?, String) -> T = T.setDictionary(_:forKey:)
        let _: (T) -> (Dictionary<String, Any>?) -> T = T.setData(_:)
        let _: (T) -> (String) throws -> T = T.setJSON(_:)
        let _: (T) -> (String) -> T = T.removeValue(forKey:)
        let _: (T) -> (String) -> MutableArrayObject? = T.array(forKey:)
        let _: (T) -> (String) -> MutableDictionaryObject? = T.dictionary(forKey:)
    }

    private func mutableDictionaryProtocolOptionals<T: MutableDictionaryProtocol>(_ object: T) {
        if let value = object.array(forKey: "x") { let _: MutableArrayObject = value }
        if let value = object.dictionary(forKey: "x") { let _: MutableDictionaryObject = value }
    }

    private func mutableDictionaryProtocolResults<T: MutableDictionaryProtocol>(_ object: T) throws {
        object.setValue(nil, forKey: "x")
        object.setString(nil, forKey: "x")
        object.setNumber(nil, forKey: "x")
        object.setInt(1, forKey: "x")
        object.setInt64(1, forKey: "x")
        object.setFloat(1, forKey: "x")
        object.setDouble(1, forKey: "x")
        object.setBoolean(true, forKey: "x")
        object.setDate(nil, forKey: "x")
        object.setBlob(nil, forKey: "x")
        object.setArray(nil, forKey: "x")
        object.setDictionary(nil, forKey: "x")
        object.setData(nil)
        try object.setJSON("x")
        object.removeValue(forKey: "x")
    }

    @Test("MutableDictionaryObject has the declared members and protocols")
    func mutableDictionaryObject() {
        let _: (MutableDictionaryObject) -> DictionaryObject = { $0 }
        let _: any MutableDictionaryProtocol.Type = MutableDictionaryObject.self
        let _: () -> MutableDictionaryObject = MutableDictionaryObject.init
        let _: (Dictionary<String, Any>?) -> MutableDictionaryObject = MutableDictionaryObject.init(data:)
        let _: (String) throws -> MutableDictionaryObject = MutableDictionaryObject.init(json:)
        let _: (MutableDictionaryObject) -> (Any?, String) -> MutableDictionaryObject = MutableDictionaryObject
            .setValue(_:forKey:)
        let _: (MutableDictionaryObject) -> (String?, String) -> MutableDictionaryObject = MutableDictionaryObject
            .setString(_:forKey:)
        let _: (MutableDictionaryObject) -> (NSNumber?, String) -> MutableDictionaryObject = MutableDictionaryObject
            .setNumber(_:forKey:)
        let _: (MutableDictionaryObject) -> (Int, String) -> MutableDictionaryObject = MutableDictionaryObject.setInt(
            _:
            forKey:
        )
        let _: (MutableDictionaryObject) -> (Int64, String) -> MutableDictionaryObject = MutableDictionaryObject
            .setInt64(_:forKey:)
        let _: (MutableDictionaryObject) -> (Double, String) -> MutableDictionaryObject = MutableDictionaryObject
            .setDouble(_:forKey:)
        let _: (MutableDictionaryObject) -> (Float, String) -> MutableDictionaryObject = MutableDictionaryObject
            .setFloat(_:forKey:)
        let _: (MutableDictionaryObject) -> (Bool, String) -> MutableDictionaryObject = MutableDictionaryObject
            .setBoolean(_:forKey:)
        let _: (MutableDictionaryObject) -> (Date?, String) -> MutableDictionaryObject = MutableDictionaryObject
            .setDate(_:forKey:)
        let _: (MutableDictionaryObject) -> (Blob?, String) -> MutableDictionaryObject = MutableDictionaryObject
            .setBlob(_:forKey:)
        let _: (MutableDictionaryObject) -> (ArrayObject?, String) -> MutableDictionaryObject = MutableDictionaryObject
            .setArray(_:forKey:)
        let _: (MutableDictionaryObject) -> (DictionaryObject?, String) -> MutableDictionaryObject =
            MutableDictionaryObject.setDictionary(_:forKey:)
        let _: (MutableDictionaryObject) -> (Dictionary<String, Any>?) -> MutableDictionaryObject =
            MutableDictionaryObject.setData(_:)
        let _: (MutableDictionaryObject) -> (String) throws -> MutableDictionaryObject = MutableDictionaryObject
            .setJSON(_:)
        let _: (MutableDictionaryObject) -> (String) -> MutableDictionaryObject = MutableDictionaryObject.removeValue(forKey:)
        let _: (MutableDictionaryObject) -> (String) -> MutableArrayObject? = MutableDictionaryObject.array(forKey:)
        let _: (MutableDictionaryObject) -> (String) -> MutableDictionaryObject? = MutableDictionaryObject.dictionary(forKey:)
        let _: KeyPath<MutableDictionaryObject, MutableFragment> = \.["x"]
        let _: (MutableDictionaryObject) -> () -> String = MutableDictionaryObject.toJSON
    }

    private func mutableDictionaryObjectOptionals(_ object: MutableDictionaryObject) {
        if let value = object.array(forKey: "x") { let _: MutableArrayObject = value }
        if let value = object.dictionary(forKey: "x") { let _: MutableDictionaryObject = value }
    }

    private func mutableDictionaryObjectResults(_ object: MutableDictionaryObject) throws {
        object.setValue(nil, forKey: "x")
        object.setString(nil, forKey: "x")
        object.setNumber(nil, forKey: "x")
        object.setInt(1, forKey: "x")
        object.setInt64(1, forKey: "x")
        object.setDouble(1, forKey: "x")
        object.setFloat(1, forKey: "x")
        object.setBoolean(true, forKey: "x")
        object.setDate(nil, forKey: "x")
        object.setBlob(nil, forKey: "x")
        object.setArray(nil, forKey: "x")
        object.setDictionary(nil, forKey: "x")
        object.setData(nil)
        try object.setJSON("x")
        object.removeValue(forKey: "x")
    }
}
