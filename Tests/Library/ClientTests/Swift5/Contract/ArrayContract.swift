import CouchbaseLiteSwift
import Testing

@Suite("Declarations of arrays")
struct ArrayContract {

    private func arrayProtocol<T: ArrayProtocol>(_: T.Type) {
        let _: (T) -> any ArrayFragment = { $0 }
        let _: KeyPath<T, Int> = \.count
        let _: (T) -> (Int) -> Any? = T.value(at:)
        let _: (T) -> (Int) -> String? = T.string(at:)
        let _: (T) -> (Int) -> Int = T.int(at:)
        let _: (T) -> (Int) -> Int64 = T.int64(at:)
        let _: (T) -> (Int) -> Float = T.float(at:)
        let _: (T) -> (Int) -> Double = T.double(at:)
        let _: (T) -> (Int) -> NSNumber? = T.number(at:)
        let _: (T) -> (Int) -> Bool = T.boolean(at:)
        let _: (T) -> (Int) -> Blob? = T.blob(at:)
        let _: (T) -> (Int) -> Date? = T.date(at:)
        let _: (T) -> (Int) -> ArrayObject? = T.array(at:)
        let _: (T) -> (Int) -> DictionaryObject? = T.dictionary(at:)
        let _: (T) -> () -> Array<Any> = T.toArray
        let _: (T) -> () -> String = T.toJSON
    }

    private func arrayProtocolOptionals<T: ArrayProtocol>(_ object: T) {
        if let value = object.value(at: 1) { let _: Any = value }
        if let value = object.string(at: 1) { let _: String = value }
        if let value = object.number(at: 1) { let _: NSNumber = value }
        if let value = object.blob(at: 1) { let _: Blob = value }
        if let value = object.date(at: 1) { let _: Date = value }
        if let value = object.array(at: 1) { let _: ArrayObject = value }
        if let value = object.dictionary(at: 1) { let _: DictionaryObject = value }
    }

    @Test("ArrayObject has the declared members and protocols")
    func arrayObject() {
        let _: any ArrayProtocol.Type = ArrayObject.self
        let _: any Equatable.Type = ArrayObject.self
        let _: any Hashable.Type = ArrayObject.self
        let _: any Sequence.Type = ArrayObject.self
        let _: KeyPath<ArrayObject, Int> = \.count
        let _: (ArrayObject) -> (Int) -> Any? = ArrayObject.value(at:)
        let _: (ArrayObject) -> (Int) -> String? = ArrayObject.string(at:)
        let _: (ArrayObject) -> (Int) -> NSNumber? = ArrayObject.number(at:)
        let _: (ArrayObject) -> (Int) -> Int = ArrayObject.int(at:)
        let _: (ArrayObject) -> (Int) -> Int64 = ArrayObject.int64(at:)
        let _: (ArrayObject) -> (Int) -> Float = ArrayObject.float(at:)
        let _: (ArrayObject) -> (Int) -> Double = ArrayObject.double(at:)
        let _: (ArrayObject) -> (Int) -> Bool = ArrayObject.boolean(at:)
        let _: (ArrayObject) -> (Int) -> Date? = ArrayObject.date(at:)
        let _: (ArrayObject) -> (Int) -> Blob? = ArrayObject.blob(at:)
        let _: (ArrayObject) -> (Int) -> ArrayObject? = ArrayObject.array(at:)
        let _: (ArrayObject) -> (Int) -> DictionaryObject? = ArrayObject.dictionary(at:)
        let _: (ArrayObject) -> () -> Array<Any> = ArrayObject.toArray
        let _: (ArrayObject) -> () -> MutableArrayObject = ArrayObject.toMutable
        let _: (ArrayObject) -> () -> AnyIterator<Any> = ArrayObject.makeIterator
        let _: KeyPath<ArrayObject, Fragment> = \.[1]
        let _: (ArrayObject, ArrayObject) -> Bool = (==)
        let _: (ArrayObject) -> (inout Hasher) -> Void = ArrayObject.hash(into:)
        let _: (ArrayObject) -> () -> String = ArrayObject.toJSON
    }

    private func arrayObjectOptionals(_ object: ArrayObject) {
        if let value = object.value(at: 1) { let _: Any = value }
        if let value = object.string(at: 1) { let _: String = value }
        if let value = object.number(at: 1) { let _: NSNumber = value }
        if let value = object.date(at: 1) { let _: Date = value }
        if let value = object.blob(at: 1) { let _: Blob = value }
        if let value = object.array(at: 1) { let _: ArrayObject = value }
        if let value = object.dictionary(at: 1) { let _: DictionaryObject = value }
    }

    private func mutableArrayProtocol<T: MutableArrayProtocol>(_: T.Type) {
        let _: (T) -> any ArrayProtocol = { $0 }
        let _: (T) -> any MutableArrayFragment = { $0 }
        let _: (T) -> (Any?, Int) -> T = T.setValue(_:at:)
        let _: (T) -> (String?, Int) -> T = T.setString(_:at:)
        let _: (T) -> (NSNumber?, Int) -> T = T.setNumber(_:at:)
        let _: (T) -> (Int, Int) -> T = T.setInt(_:at:)
        let _: (T) -> (Int64, Int) -> T = T.setInt64(_:at:)
        let _: (T) -> (Float, Int) -> T = T.setFloat(_:at:)
        let _: (T) -> (Double, Int) -> T = T.setDouble(_:at:)
        let _: (T) -> (Bool, Int) -> T = T.setBoolean(_:at:)
        let _: (T) -> (Date?, Int) -> T = T.setDate(_:at:)
        let _: (T) -> (Blob?, Int) -> T = T.setBlob(_:at:)
        let _: (T) -> (ArrayObject?, Int) -> T = T.setArray(_:at:)
        let _: (T) -> (DictionaryObject?, Int) -> T = T.setDictionary(_:at:)
        let _: (T) -> (Any?) -> T = T.addValue(_:)
        let _: (T) -> (String?) -> T = T.addString(_:)
        let _: (T) -> (NSNumber?) -> T = T.addNumber(_:)
        let _: (T) -> (Int) -> T = T.addInt(_:)
        let _: (T) -> (Int64) -> T = T.addInt64(_:)
        let _: (T) -> (Float) -> T = T.addFloat(_:)
        let _: (T) -> (Double) -> T = T.addDouble(_:)
        let _: (T) -> (Blob?) -> T = T.addBlob(_:)
        let _: (T) -> (Bool) -> T = T.addBoolean(_:)
        let _: (T) -> (Date?) -> T = T.addDate(_:)
        let _: (T) -> (ArrayObject?) -> T = T.addArray(_:)
        let _: (T) -> (DictionaryObject?) -> T = T.addDictionary(_:)
        let _: (T) -> (Any?, Int) -> T = T.insertValue(_:at:)
        let _: (T) -> (String?, Int) -> T = T.insertString(_:at:)
        let _: (T) -> (NSNumber?, Int) -> T = T.insertNumber(_:at:)
        let _: (T) -> (Int, Int) -> T = T.insertInt(_:at:)
        let _: (T) -> (Int64, Int) -> T = T.insertInt64(_:at:)
        let _: (T) -> (Float, Int) -> T = T.insertFloat(_:at:)
        let _: (T) -> (Double, Int) -> T = T.insertDouble(_:at:)
        let _: (T) -> (Bool, Int) -> T = T.insertBoolean(_:at:)
        let _: (T) -> (Date?, Int) -> T = T.insertDate(_:at:)
        let _: (T) -> (Blob?, Int) -> T = T.insertBlob(_:at:)
        let _: (T) -> (ArrayObject?, Int) -> T = T.insertArray(_:at:)
        let _: (T) -> (DictionaryObject?, Int) -> T = T.insertDictionary(_:at:)
        let _: (T) -> (Array<Any>?) -> T = T.setData(_:)
        let _: (T) -> (String) throws -> T = T.setJSON(_:)
        let _: (T) -> (Int) -> T = T.removeValue(at:)
        let _: (T) -> (Int) -> MutableArrayObject? = T.array(at:)
        let _: (T) -> (Int) -> MutableDictionaryObject? = T.dictionary(at:)
    }

    private func mutableArrayProtocolOptionals<T: MutableArrayProtocol>(_ object: T) {
        if let value = object.array(at: 1) { let _: MutableArrayObject = value }
        if let value = object.dictionary(at: 1) { let _: MutableDictionaryObject = value }
    }

    private func mutableArrayProtocolResults<T: MutableArrayProtocol>(_ object: T) throws {
        object.setValue(nil, at: 1)
        object.setString(nil, at: 1)
        object.setNumber(nil, at: 1)
        object.setInt(1, at: 1)
        object.setInt64(1, at: 1)
        object.setFloat(1, at: 1)
        object.setDouble(1, at: 1)
        object.setBoolean(true, at: 1)
        object.setDate(nil, at: 1)
        object.setBlob(nil, at: 1)
        object.setArray(nil, at: 1)
        object.setDictionary(nil, at: 1)
        object.addValue(nil)
        object.addString(nil)
        object.addNumber(nil)
        object.addInt(1)
        object.addInt64(1)
        object.addFloat(1)
        object.addDouble(1)
        object.addBlob(nil)
        object.addBoolean(true)
        object.addDate(nil)
        object.addArray(nil)
        object.addDictionary(nil)
        object.insertValue(nil, at: 1)
        object.insertString(nil, at: 1)
        object.insertNumber(nil, at: 1)
        object.insertInt(1, at: 1)
        object.insertInt64(1, at: 1)
        object.insertFloat(1, at: 1)
        object.insertDouble(1, at: 1)
        object.insertBoolean(true, at: 1)
        object.insertDate(nil, at: 1)
        object.insertBlob(nil, at: 1)
        object.insertArray(nil, at: 1)
        object.insertDictionary(nil, at: 1)
        object.setData(nil)
        try object.setJSON("x")
        object.removeValue(at: 1)
    }

    @Test("MutableArrayObject has the declared members and protocols")
    func mutableArrayObject() {
        let _: (MutableArrayObject) -> ArrayObject = { $0 }
        let _: any MutableArrayProtocol.Type = MutableArrayObject.self
        let _: () -> MutableArrayObject = MutableArrayObject.init
        let _: (Array<Any>?) -> MutableArrayObject = MutableArrayObject.init(data:)
        let _: (String) throws -> MutableArrayObject = MutableArrayObject.init(json:)
        let _: (MutableArrayObject) -> (Any?, Int) -> MutableArrayObject = MutableArrayObject.setValue(_:at:)
        let _: (MutableArrayObject) -> (String?, Int) -> MutableArrayObject = MutableArrayObject.setString(_:at:)
        let _: (MutableArrayObject) -> (NSNumber?, Int) -> MutableArrayObject = MutableArrayObject.setNumber(_:at:)
        let _: (MutableArrayObject) -> (Int, Int) -> MutableArrayObject = MutableArrayObject.setInt(_:at:)
        let _: (MutableArrayObject) -> (Int64, Int) -> MutableArrayObject = MutableArrayObject.setInt64(_:at:)
        let _: (MutableArrayObject) -> (Float, Int) -> MutableArrayObject = MutableArrayObject.setFloat(_:at:)
        let _: (MutableArrayObject) -> (Double, Int) -> MutableArrayObject = MutableArrayObject.setDouble(_:at:)
        let _: (MutableArrayObject) -> (Bool, Int) -> MutableArrayObject = MutableArrayObject.setBoolean(_:at:)
        let _: (MutableArrayObject) -> (Date?, Int) -> MutableArrayObject = MutableArrayObject.setDate(_:at:)
        let _: (MutableArrayObject) -> (Blob?, Int) -> MutableArrayObject = MutableArrayObject.setBlob(_:at:)
        let _: (MutableArrayObject) -> (ArrayObject?, Int) -> MutableArrayObject = MutableArrayObject.setArray(_:at:)
        let _: (MutableArrayObject) -> (DictionaryObject?, Int) -> MutableArrayObject = MutableArrayObject
            .setDictionary(_:at:)
        let _: (MutableArrayObject) -> (Any?) -> MutableArrayObject = MutableArrayObject.addValue(_:)
        let _: (MutableArrayObject) -> (String?) -> MutableArrayObject = MutableArrayObject.addString(_:)
        let _: (MutableArrayObject) -> (NSNumber?) -> MutableArrayObject = MutableArrayObject.addNumber(_:)
        let _: (MutableArrayObject) -> (Int) -> MutableArrayObject = MutableArrayObject.addInt(_:)
        let _: (MutableArrayObject) -> (Int64) -> MutableArrayObject = MutableArrayObject.addInt64(_:)
        let _: (MutableArrayObject) -> (Float) -> MutableArrayObject = MutableArrayObject.addFloat(_:)
        let _: (MutableArrayObject) -> (Double) -> MutableArrayObject = MutableArrayObject.addDouble(_:)
        let _: (MutableArrayObject) -> (Bool) -> MutableArrayObject = MutableArrayObject.addBoolean(_:)
        let _: (MutableArrayObject) -> (Date?) -> MutableArrayObject = MutableArrayObject.addDate(_:)
        let _: (MutableArrayObject) -> (Blob?) -> MutableArrayObject = MutableArrayObject.addBlob(_:)
        let _: (MutableArrayObject) -> (ArrayObject?) -> MutableArrayObject = MutableArrayObject.addArray(_:)
        let _: (MutableArrayObject) -> (DictionaryObject?) -> MutableArrayObject = MutableArrayObject.addDictionary(_:)
        let _: (MutableArrayObject) -> (Any?, Int) -> MutableArrayObject = MutableArrayObject.insertValue(_:at:)
        let _: (MutableArrayObject) -> (String?, Int) -> MutableArrayObject = MutableArrayObject.insertString(_:at:)
        let _: (MutableArrayObject) -> (NSNumber?, Int) -> MutableArrayObject = MutableArrayObject.insertNumber(_:at:)
        let _: (MutableArrayObject) -> (Int, Int) -> MutableArrayObject = MutableArrayObject.insertInt(_:at:)
        let _: (MutableArrayObject) -> (Int64, Int) -> MutableArrayObject = MutableArrayObject.insertInt64(_:at:)
        let _: (MutableArrayObject) -> (Float, Int) -> MutableArrayObject = MutableArrayObject.insertFloat(_:at:)
        let _: (MutableArrayObject) -> (Double, Int) -> MutableArrayObject = MutableArrayObject.insertDouble(_:at:)
        let _: (MutableArrayObject) -> (Bool, Int) -> MutableArrayObject = MutableArrayObject.insertBoolean(_:at:)
        let _: (MutableArrayObject) -> (Date?, Int) -> MutableArrayObject = MutableArrayObject.insertDate(_:at:)
        let _: (MutableArrayObject) -> (Blob?, Int) -> MutableArrayObject = MutableArrayObject.insertBlob(_:at:)
        let _: (MutableArrayObject) -> (ArrayObject?, Int) -> MutableArrayObject = MutableArrayObject.insertArray(_:at:)
        let _: (MutableArrayObject) -> (DictionaryObject?, Int) -> MutableArrayObject = MutableArrayObject
            .insertDictionary(_:at:)
        let _: (MutableArrayObject) -> (Int) -> MutableArrayObject = MutableArrayObject.removeValue(at:)
        let _: (MutableArrayObject) -> (Array<Any>?) -> MutableArrayObject = MutableArrayObject.setData(_:)
        let _: (MutableArrayObject) -> (String) throws -> MutableArrayObject = MutableArrayObject.setJSON(_:)
        let _: (MutableArrayObject) -> (Int) -> MutableArrayObject? = MutableArrayObject.array(at:)
        let _: (MutableArrayObject) -> (Int) -> MutableDictionaryObject? = MutableArrayObject.dictionary(at:)
        let _: KeyPath<MutableArrayObject, MutableFragment> = \.[1]
        let _: (MutableArrayObject) -> () -> String = MutableArrayObject.toJSON
    }

    private func mutableArrayObjectOptionals(_ object: MutableArrayObject) {
        if let value = object.array(at: 1) { let _: MutableArrayObject = value }
        if let value = object.dictionary(at: 1) { let _: MutableDictionaryObject = value }
    }

    private func mutableArrayObjectResults(_ object: MutableArrayObject) throws {
        object.setValue(nil, at: 1)
        object.setString(nil, at: 1)
        object.setNumber(nil, at: 1)
        object.setInt(1, at: 1)
        object.setInt64(1, at: 1)
        object.setFloat(1, at: 1)
        object.setDouble(1, at: 1)
        object.setBoolean(true, at: 1)
        object.setDate(nil, at: 1)
        object.setBlob(nil, at: 1)
        object.setArray(nil, at: 1)
        object.setDictionary(nil, at: 1)
        object.addValue(nil)
        object.addString(nil)
        object.addNumber(nil)
        object.addInt(1)
        object.addInt64(1)
        object.addFloat(1)
        object.addDouble(1)
        object.addBoolean(true)
        object.addDate(nil)
        object.addBlob(nil)
        object.addArray(nil)
        object.addDictionary(nil)
        object.insertValue(nil, at: 1)
        object.insertString(nil, at: 1)
        object.insertNumber(nil, at: 1)
        object.insertInt(1, at: 1)
        object.insertInt64(1, at: 1)
        object.insertFloat(1, at: 1)
        object.insertDouble(1, at: 1)
        object.insertBoolean(true, at: 1)
        object.insertDate(nil, at: 1)
        object.insertBlob(nil, at: 1)
        object.insertArray(nil, at: 1)
        object.insertDictionary(nil, at: 1)
        object.removeValue(at: 1)
        object.setData(nil)
        try object.setJSON("x")
    }
}
