/// Determines where documents store the properties of a model: decodes the model from sample values, and checks which property changes when
/// one value is changed.
///
/// A key path reveals neither the name of a property nor its coding key. But it can read a property, and decoding shows which keys are
/// read. So the effects of `CodingKeys`, `init(from:)` and property wrappers are respected, and a computed property is recognized because
/// it does not equal a decoded value. Costs one decoding for each value of the model, some microseconds each.
struct ModelProbe<Model: Decodable> {
    enum Place {
        case found([String])
        /// The ID of the document.
        case id
        /// The property does not depend on any decoded value.
        case unknown
        /// The property is computed from decoded values.
        case computed
        /// The model has too many values to be decoded once for each of them.
        case tooLarge
    }

    private let record: ProbeRecord
    private let original: Model?

    init(_ model: Model.Type, _ types: ModelTypes) {
        var recursion = ProbeRecord.maximumRecursion + 1
        var record: ProbeRecord
        var original: Model?
        // The number of values of a model that refers to itself several times grows exponentially with the recursion.
        repeat {
            recursion -= 1
            let limit = recursion > 1 ? ProbeRecord.usualLeafCount : ProbeRecord.maximumLeafCount
            record = ProbeRecord(types, recursion: recursion, leafLimit: limit, samples: CaseSamples(of: model, types))
            original = try? Model(from: ProbeDecoder(record))
        } while record.isFull && recursion > 1
        self.record = record
        self.original = record.isFull ? nil : original
    }

    /// The type that has rejected the sample values, so that the model could not be decoded; `nil` if none has.
    var rejecting: Any.Type? { original == nil ? record.rejecting : nil }

    /// Returns whether the model has a coding key of that name.
    func accepts(key: String) -> Bool { record.acceptsKey?(key) ?? false }

    func place(of keyPath: PartialKeyPath<Model>) -> Place {
        guard let original else { return record.isFull ? .tooLarge : .unknown }
        let value = Self.text(original[keyPath: keyPath])
        var common: [String]?
        for leaf in record.leaves {
            guard let changed = try? Model(from: ProbeDecoder(record.changing(leaf))), Self.text(changed[keyPath: keyPath]) != value
            else { continue }
            common = common.map { Array(zip($0, leaf).prefix { $0 == $1 }.map(\.0)) } ?? leaf
        }
        guard let common else { return .unknown }
        let wanted = type(of: keyPath).valueType
        for length in stride(from: common.count, to: 0, by: -1) {
            let path = Array(common.prefix(length))
            for decoded in record.values[path] ?? [] {
                if let id = decoded as? any ModelDocumentID, Self.text(id.wrappedValue as Any) == value { return .id }
                guard Self.text(decoded) == value, Self.wraps(wanted, type(of: decoded)) else { continue }
                return .found(path)
            }
        }
        return .computed
    }

    /// Returns whether a property is the value at a path.
    func isStored(_ keyPath: PartialKeyPath<Model>, at path: [String]) -> Bool {
        guard let original, record.leaves.contains(path) || record.values[path] != nil else { return false }
        let value = Self.text(original[keyPath: keyPath])
        guard let changed = try? Model(from: ProbeDecoder(record.changing(path))), Self.text(changed[keyPath: keyPath]) != value
        else { return false }
        return record.values[path]?.contains { Self.text($0) == value } ?? false
    }

    /// Returns whether `type` is `decoded`, or an optional of it.
    private static func wraps(_ type: Any.Type, _ decoded: Any.Type) -> Bool {
        if type == decoded { return true }
        return (type as? any OptionalValue.Type).map { wraps($0.wrappedType, decoded) } ?? false
    }

    /// Returns a text with the whole content of a value, by which any two values can be compared. An optional is treated as the value it
    /// wraps.
    private static func text(_ value: Any) -> String {
        if let optional = value as? any OptionalValue, let wrapped = optional.wrapped { return text(wrapped) }
        var text = ""
        dump(value, to: &text)
        return text
    }
}

/// A record of what one decoding of sample values has read.
final class ProbeRecord {
    /// How often a type may be nested in itself at first.
    static let maximumRecursion = 8
    /// The number of values above which a type is nested in itself less often.
    static let usualLeafCount = 128
    /// The maximum number of values. Finding a property takes as many decodings, each of all values, which takes seconds.
    static let maximumLeafCount = 1024

    let types: ModelTypes
    /// Cases of enumerations that reject other sample values.
    let samples: CaseSamples
    /// The innermost type that has rejected the sample values; `nil` if none has.
    private(set) var rejecting: Any.Type?
    /// How often a type may be nested in itself. Optional values beyond that are decoded as `nil`.
    let recursion: Int
    private let leafLimit: Int
    /// The path at which this decoding has the second sample value instead of the first; `nil` for none.
    let changed: [String]?
    /// The paths of the values. Values within an array or dictionary have no path of their own.
    var leaves: Set<[String]> = []
    /// The values decoded at each path.
    private(set) var values: [[String]: [Any]] = [:]
    /// The keys of the types; `nil` if they are not recorded.
    var fields: ModelFields?
    /// Returns whether the type's own coding keys include a name.
    var acceptsKey: ((String) -> Bool)?

    init(_ types: ModelTypes, recursion: Int, leafLimit: Int, changing changed: [String]? = nil, samples: CaseSamples) {
        self.types = types
        self.samples = samples
        self.recursion = recursion
        self.leafLimit = leafLimit
        self.changed = changed
    }

    /// Returns an empty record for a decoding of the same values, except the one at `path`.
    func changing(_ path: [String]) -> ProbeRecord {
        ProbeRecord(types, recursion: recursion, leafLimit: leafLimit, changing: path, samples: samples)
    }

    /// Whether there are more values than allowed. Then the decoding ends.
    var isFull: Bool { leaves.count > leafLimit }

    func add(_ value: Any, at path: [String]) { values[path, default: []].append(value) }

    /// Remembers a type that rejects sample values, unless a type within it was remembered.
    func noteRejection(by type: Any.Type) { if rejecting == nil { rejecting = type } }
}
