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
        guard let any else {
            self = .null
            return
        }
        self = Self.common(any, &nesting) ?? Self.rare(any, &nesting)
    }

    init(_ number: NSNumber?) { self = number.map(Self.number) ?? .null }

    init(_ string: String?) { self = string.map(PropertyValue.string) ?? .null }

    init(_ date: Date?) { self = date.map { .string($0.stored) } ?? .null }

    init(_ blob: Blob?) { self = blob.map(PropertyValue.blob) ?? .null }

    /// A mutable array is shared; an immutable one is copied.
    init(_ array: ArrayObject?) { self = array.map { .array($0 is MutableArrayObject ? $0 : $0.toMutable()) } ?? .null }

    /// A mutable dictionary is shared; an immutable one is copied.
    init(_ dictionary: DictionaryObject?) {
        self = dictionary.map { .dictionary($0 is MutableDictionaryObject ? $0 : $0.toMutable()) } ?? .null
    }

    /// Converts a value of one of the most frequent types. Comparing types is several times faster than casting.
    private static func common(_ any: Any, _ nesting: inout Nesting) -> PropertyValue? {
        let type = ObjectIdentifier(Swift.type(of: any))
        if type == ObjectIdentifier(String.self), let string = any as? String { return .string(string) }
        if type == ObjectIdentifier(Int.self), let number = any as? Int { return .integer(Int64(number)) }
        if type == ObjectIdentifier(Bool.self), let boolean = any as? Bool { return .boolean(boolean) }
        if type == ObjectIdentifier(Double.self), let number = any as? Double { return .double(number) }
        if type == ObjectIdentifier([String: Any].self), let values = any as? [String: Any] {
            return container(values, &nesting)
        }
        if type == ObjectIdentifier([Any].self), let values = any as? [Any] { return container(values, &nesting) }
        return nil
    }

    private static func rare(_ any: Any, _ nesting: inout Nesting) -> PropertyValue {
        if let object = foundationContainer(any) { return nesting.inside(object) { value(any, &$0) } }
        return value(any, &nesting)
    }

    /// Returns `any` if it is an object that may contain itself.
    private static func foundationContainer(_ any: Any) -> AnyObject? {
        let type = type(of: any)
        if type is NSArray.Type { return any as? NSArray }
        if type is NSDictionary.Type { return any as? NSDictionary }
        return nil
    }

    private static func value(_ any: Any, _ nesting: inout Nesting) -> PropertyValue {
        switch any {
        // This case is first because casts of an optional in `Any` look through it to the wrapped value. `nil` matches no other case.
        case let optional as any OptionalValue where optional.wrapped == nil: return .null
        case is NSNull: return .null
        // An `NSNumber` would also cast to `Bool` and to every number type that can represent its value.
        case let number as NSNumber where type(of: any) is NSNumber.Type: return self.number(number)
        case let number as any FixedWidthInteger: return wholeNumber(number, &nesting)
        case let boolean as Bool: return .boolean(boolean)
        case let number as Float: return .float(number)
        case let number as Double: return .double(number)
        case let number as NSNumber: return self.number(number)
        case let number as any BinaryFloatingPoint: return .double(Double(number))
        case let string as String: return .string(string)
        case let date as Date: return .string(date.stored)
        case let data as Data: return .blob(Blob(contentType: "application/octet-stream", data: data))
        case let blob as Blob: return .blob(blob)
        case let array as ArrayObject: return PropertyValue(array)
        case let dictionary as DictionaryObject: return PropertyValue(dictionary)
        case let values as [String: Any]: return container(values, &nesting)
        case let values as [Any]: return container(values, &nesting)
        default:
            return nesting.refuse(
                """
                \(type(of: any)) is not a valid type. Valid types are String, numbers, Bool, Date, Data, Blob, arrays, \
                dictionaries, ArrayObject, DictionaryObject, NSNull and nil.
                """
            )
        }
    }

    private static func wholeNumber(_ number: any FixedWidthInteger, _ nesting: inout Nesting) -> PropertyValue {
        if let signed = Int64(exactly: number) { return .integer(signed) }
        if let unsigned = UInt64(exactly: number) { return .unsigned(unsigned) }
        return nesting.refuse("An integer is out of range: only values of Int64 and UInt64 can be stored.")
    }

    private static func container(_ values: [Any], _ nesting: inout Nesting) -> PropertyValue {
        nesting.deeper { .array(MutableArrayObject(ArrayContents(values, &$0))) }
    }

    private static func container(_ values: [String: Any], _ nesting: inout Nesting) -> PropertyValue {
        if Blob.isBlob(properties: values) { return .blob(Blob(properties: values)) }
        return nesting.deeper { .dictionary(MutableDictionaryObject(DictionaryContents(values, &$0))) }
    }

    // MARK: NSNumber

    /// Converts an `NSNumber`, which preserves the type it was created with; booleans are two distinct objects (API 17).
    private static func number(_ number: NSNumber) -> PropertyValue {
        if number === trueNumber { return .boolean(true) }
        if number === falseNumber { return .boolean(false) }
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "f"): return .float(number.floatValue)
        case UInt8(ascii: "d"): return .double(number.doubleValue)
        case UInt8(ascii: "Q"): return .unsigned(number.uint64Value)
        default: return .integer(number.int64Value)
        }
    }
}

// The objects are immutable and therefore safe to share.
private let trueNumber = NSNumber(value: true)
private let falseNumber = NSNumber(value: false)

/// The nesting level at which a value of the app is being converted, and why it cannot be stored.
///
/// Values that are nested too deeply or contain themselves are replaced by a placeholder that cannot be saved.
struct Nesting {
    private var depth = 0
    private var objects: [ObjectIdentifier] = []
    /// Why the first value that cannot be stored cannot be.
    private(set) var misuse: Misuse?

    /// Ends the process if a value cannot be stored.
    func trap() { if let misuse { _CBLMisuse.fail(misuse) } }

    /// Records that a value cannot be stored, and returns a placeholder.
    mutating func refuse(_ reason: String) -> PropertyValue {
        if misuse == nil { misuse = .badValue(reason) }
        return .null
    }

    /// Calls `convert` one level deeper.
    mutating func deeper(_ convert: (inout Nesting) -> PropertyValue) -> PropertyValue {
        guard depth < Limits.maximumDepth else { return Self.tooDeep }
        depth += 1
        defer { depth -= 1 }
        return convert(&self)
    }

    /// Calls `convert` for the values that `object` contains.
    mutating func inside(_ object: AnyObject, _ convert: (inout Nesting) -> PropertyValue) -> PropertyValue {
        let identity = ObjectIdentifier(object)
        guard !objects.contains(identity) else { return Self.tooDeep }
        objects.append(identity)
        defer { objects.removeLast() }
        return convert(&self)
    }

    private static var tooDeep: PropertyValue { .array(MutableArrayObject(.tooDeep)) }
}
