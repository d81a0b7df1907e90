import Fleece

/// A JSON object in the body of a request.
struct JSONObject {
    /// Its root is a dictionary without shared keys.
    let data: FleeceData

    init(_ text: [UInt8]) throws(APIError) {
        let result = text.withUnsafeBytes { text in Result { () throws(JSONError) in try JSON.fleece(text) } }
        switch result {
        case .success(let data): self.data = data
        case .failure(let error): throw APIError(.badRequest, "the text is not valid JSON: \(error.description)")
        }
        guard data.withRoot({ $0.dictionary != nil }) == true else { throw APIError(.badRequest, "the text is not a JSON object") }
    }

    /// Calls `body` with a member; `nil` if there is none.
    func withMember<Result>(_ name: String, _ body: (Value?) throws -> Result) rethrows -> Result? {
        try data.withRoot { try body($0.dictionary?.value(for: name)) }
    }

    /// Returns a member that `read` reads; `nil` if it is missing or null.
    ///
    /// - Throws: ``APIError`` if `read` returns `nil`, because the member is not what `what` says.
    private func member<Member>(_ name: String, _ what: String, _ read: (Value) -> Member?) throws(APIError) -> Member? {
        let found = withMember(name) { value -> Result<Member?, APIError> in
            guard let value, value.type != .null else { return .success(nil) }
            guard let member = read(value) else { return .failure(APIError(.badRequest, "the member \"\(name)\" is not \(what)")) }
            return .success(member)
        }
        return try found?.get() ?? nil
    }

    func string(_ name: String) throws(APIError) -> String? { try member(name, "a string") { $0.string } }

    /// `false` if the member is missing.
    func bool(_ name: String) throws(APIError) -> Bool { try member(name, "true or false") { $0.boolean } ?? false }

    /// Returns a number in a range, or `standard` if the member is missing.
    func number(_ name: String, in range: ClosedRange<Double>, default standard: Double) throws(APIError) -> Double {
        let what = "a number from \(range.lowerBound.shortest) to \(range.upperBound.shortest)"
        let number = try member(name, what) { value in
            value.type == .number ? value.double.flatMap { range.contains($0) ? $0 : nil } : nil
        }
        return number ?? standard
    }

    func required(_ name: String) throws(APIError) -> String {
        guard let text = try string(name) else { throw APIError(.badRequest, "the member \"\(name)\" is missing") }
        return text
    }

    /// Returns the texts of an array; an empty array if the member is missing.
    func strings(_ name: String) throws(APIError) -> [String] {
        let found = try member(name, "an array of strings") { value -> [String]? in
            guard let array = value.array else { return nil }
            let strings = (0..<array.count).compactMap { array[$0]?.string }
            return strings.count == array.count ? strings : nil
        }
        return found ?? []
    }

    /// Returns the members of an object, each as Fleece; an empty dictionary if the member is missing.
    func members(_ name: String) throws -> [(name: String, value: FleeceData)] {
        let found = try member(name, "an object") { value in
            value.dictionary.map { dictionary in Result { try Self.members(of: dictionary) } }
        }
        return try found?.get() ?? []
    }

    private static func members(of dictionary: DictionaryValue) throws -> [(name: String, value: FleeceData)] {
        try dictionary.pairs.compactMap { key, value in
            guard let name = key.text(.empty) else { return nil }
            var encoder = Encoder()
            encoder.write(value, keys: .other(.empty))
            return (name, try encoder.finishedData())
        }
    }
}

extension Double {
    /// The number as text, without a fraction if it has none.
    fileprivate var shortest: String { Int64(exactly: self).map { "\($0)" } ?? description }
}
