import Fleece

extension FleeceData {
    /// Parses the JSON body of a message. The root may be any value.
    ///
    /// - Throws: `JSONError`.
    static func parsing(json: [UInt8]) throws -> FleeceData {
        try json.withUnsafeBytes { try JSON.fleece($0, allowingFragments: true) }
    }
}
