import DatabaseRuntime
import Fleece
import ModelCoding

extension PropertyValue {
    /// Converts `any` to a value of a document (API 1.4). A type that cannot be stored is a programming error, which traps.
    init(_ any: Any?) {
        var nesting = Nesting()
        self.init(any, &nesting)
        nesting.trap()
    }

    /// Converts `any` to a value of a document, unless it or a value in it cannot be stored.
    init(validating any: Any?) throws(Misuse) {
        var nesting = Nesting()
        self.init(any, &nesting)
        if let misuse = nesting.misuse { throw misuse }
    }

    init(_ any: Any?, _ nesting: inout Nesting) {
        self = any.map { Self.frequent($0, &nesting) ?? Self.rare($0, &nesting) } ?? .null
    }

    init(_ number: NSNumber?) { self = number.map { .scalar(ScalarValue($0)) } ?? .null }

    init(_ string: String?) { self = string.map { .scalar(.string($0)) } ?? .null }

    init(_ date: Date?) { self = date.map { .scalar(.date($0.timeIntervalSince1970)) } ?? .null }

    init(_ blob: Blob?) { self = blob.map { .object(.blob($0)) } ?? .null }

    /// A mutable array is shared; an immutable one is copied.
    init(_ array: ArrayObject?) { self = array.map { .object(.array($0 is MutableArrayObject ? $0 : $0.toMutable())) } ?? .null }

    /// A mutable dictionary is shared; an immutable one is copied.
    init(_ dictionary: DictionaryObject?) {
        self = dictionary.map { .object(.dictionary($0 is MutableDictionaryObject ? $0 : $0.toMutable())) } ?? .null
    }

    /// Converts a value of one of the most frequent types. Comparing types is several times faster than casting.
    private static func frequent(_ any: Any, _ nesting: inout Nesting) -> PropertyValue? {
        if let scalar = ScalarValue(frequent: any) { return .scalar(scalar) }
        let type = ObjectIdentifier(Swift.type(of: any))
        if type == ObjectIdentifier([String: Any].self), let values = any as? [String: Any] { return container(values, &nesting) }
        if type == ObjectIdentifier([Any].self), let values = any as? [Any] { return container(values, &nesting) }
        return nil
    }

    private static func rare(_ any: Any, _ nesting: inout Nesting) -> PropertyValue {
        guard let object = Nesting.foundationContainer(any) else { return value(any, &nesting) }
        guard nesting.begin(object) else { return tooDeep }
        defer { nesting.endLast() }
        return value(any, &nesting)
    }

    private static func value(_ any: Any, _ nesting: inout Nesting) -> PropertyValue {
        do throws(Misuse) {
            if let scalar = try ScalarValue(any) { return .scalar(scalar) }
            switch any {
            case let data as Data: return .object(.blob(Blob(contentType: "application/octet-stream", data: data)))
            case let blob as Blob: return .object(.blob(blob))
            case let array as ArrayObject: return PropertyValue(array)
            case let dictionary as DictionaryObject: return PropertyValue(dictionary)
            case let values as [String: Any]: return container(values, &nesting)
            case let values as [Any]: return container(values, &nesting)
            default: throw .invalidType(of: any)
            }
        } catch {
            nesting.refuse(error)
            return .null
        }
    }

    private static func container(_ values: [Any], _ nesting: inout Nesting) -> PropertyValue {
        guard nesting.enter() else { return tooDeep }
        defer { nesting.leave() }
        return .object(.array(MutableArrayObject(ArrayContents(values, &nesting))))
    }

    private static func container(_ values: [String: Any], _ nesting: inout Nesting) -> PropertyValue {
        if Blob.isBlob(properties: values) { return .object(.blob(Blob(properties: values))) }
        guard nesting.enter() else { return tooDeep }
        defer { nesting.leave() }
        return .object(.dictionary(MutableDictionaryObject(DictionaryContents(values, &nesting))))
    }

    private static var tooDeep: PropertyValue { .object(.array(MutableArrayObject(.tooDeep))) }
}

extension Nesting {
    /// Ends the process if a value cannot be stored.
    func trap() { if let misuse { _CBLMisuse.fail(misuse) } }
}
