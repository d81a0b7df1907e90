import ExactStrings

/// A dictionary of Swift's that is encoded as a dictionary. By itself it has another order in every process (API 1.4).
protocol StringKeyedValues {
    /// Encodes the pairs in the order of the bytes of their keys.
    func encodeInOrder(to encoder: any Swift.Encoder) throws
}

extension Dictionary: StringKeyedValues where Key == String, Value: Encodable {
    func encodeInOrder(to encoder: any Swift.Encoder) throws {
        var container = encoder.container(keyedBy: AnyKey.self)
        for (key, value) in sorted(by: { $0.key.isOrderedBefore($1.key) }) {
            try container.encode(value, forKey: AnyKey(stringValue: key))
        }
    }
}

/// Any text as a key.
private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) {
        return nil
    }
}
