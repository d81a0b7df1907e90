/// Finds where documents keep the properties of a model: by decoding it from made-up values, and looking which property changes
/// when one value does.
///
/// A key path does not tell the name of a property, let alone its coding key; but it reads a property, and decoding tells which
/// keys are read. So whatever `CodingKeys`, `init(from:)` and property wrappers do is taken into account, and a computed
/// property is found out: it is not the value that was decoded. Costs one decoding per value of the model, some microseconds each.
struct ModelProbe<Model: Decodable> {
    enum Place {
        case found([String])
        /// The ID of the document.
        case id
        /// Nothing that was decoded has to do with the property.
        case unknown
        /// The property is made of what was decoded.
        case computed
    }

    private let record: ProbeRecord
    private let original: Model?

    init(_ model: Model.Type) {
        record = ProbeRecord()
        original = try? Model(from: ProbeDecoder(record))
    }

    /// Whether the model has a coding key of that name.
    func accepts(key: String) -> Bool {
        record.acceptsKey?(key) ?? false
    }

    func place(of keyPath: PartialKeyPath<Model>) -> Place {
        guard let original else { return .unknown }
        let value = Self.text(original[keyPath: keyPath])
        var common: [String]?
        for leaf in record.leaves {
            guard let changed = try? Model(from: ProbeDecoder(ProbeRecord(changing: leaf))),
                Self.text(changed[keyPath: keyPath]) != value
            else { continue }
            common = common.map { Array(zip($0, leaf).prefix { $0 == $1 }.map(\.0)) } ?? leaf
        }
        guard let common else { return .unknown }
        let wanted = type(of: keyPath).valueType
        for length in stride(from: common.count, to: 0, by: -1) {
            let path = Array(common.prefix(length))
            for decoded in record.values[path] ?? [] {
                if let id = decoded as? DocumentID, Self.text(id.wrappedValue as Any) == value { return .id }
                guard Self.text(decoded) == value, Self.wraps(wanted, type(of: decoded)) else { continue }
                return .found(path)
            }
        }
        return .computed
    }

    /// Whether `type` is `decoded`, or an optional of it.
    private static func wraps(_ type: Any.Type, _ decoded: Any.Type) -> Bool {
        if type == decoded { return true }
        return (type as? any OptionalValue.Type).map { wraps($0.wrappedType, decoded) } ?? false
    }

    /// All that is in a value, so that any two values can be compared. An optional counts as what it wraps.
    private static func text(_ value: Any) -> String {
        if let optional = value as? any OptionalValue, let wrapped = optional.wrapped { return text(wrapped) }
        var text = ""
        dump(value, to: &text)
        return text
    }
}

/// What one decoding of made-up values has read.
final class ProbeRecord {
    /// The place whose value differs from that of other decodings.
    let changed: [String]?
    /// The places with values, in the order in which they were read. What is in an array or a dictionary is no place of its own.
    private(set) var leaves: [[String]] = []
    /// What was decoded at each place.
    private(set) var values: [[String]: [Any]] = [:]
    /// Whether the type's own coding keys have one of that name.
    var acceptsKey: ((String) -> Bool)?

    init(changing changed: [String]? = nil) {
        self.changed = changed
    }

    func addLeaf(_ path: [String]) {
        if !leaves.contains(path) { leaves.append(path) }
    }

    func add(_ value: Any, at path: [String]) {
        values[path, default: []].append(value)
    }
}
