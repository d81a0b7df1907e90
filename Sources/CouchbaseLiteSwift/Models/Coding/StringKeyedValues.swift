import ExactStrings

/// A Swift dictionary with string keys. Its own order differs between processes (API 1.4).
protocol StringKeyedValues {
    /// Encodes the pairs, sorted by the bytes of their keys.
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

/// A coding key with any text.
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
