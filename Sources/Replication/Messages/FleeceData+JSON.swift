import Fleece

extension FleeceData {
    /// Parses the JSON in the body of a message. Any value may be the root.
    ///
    /// - Throws: `JSONError`.
    static func parsing(json: [UInt8]) throws -> FleeceData {
        try json.withUnsafeBytes { try JSON.fleece($0, allowingFragments: true) }
    }
}
