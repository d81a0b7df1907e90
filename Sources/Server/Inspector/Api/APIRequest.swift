import DocumentStore
import Fleece

/// A call of the API: what remains of an HTTP request after the checks of who sent it.
struct APIRequest: Sendable {
    var method: String
    /// The part of the path after `/api/`.
    var name: String
    /// The decoded parameters of the query string. The first one of a name counts.
    var parameters: [(name: String, value: String)] = []
    var body: [UInt8] = []
    /// The value of the header `Range`; `nil` if there is none, or it has no meaning.
    var range: String?

    /// Returns a parameter, or `nil` if it is not given.
    subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// Returns a parameter.
    ///
    /// - Throws: ``APIError`` if it is not given.
    func required(_ name: String) throws(APIError) -> String {
        guard let value = self[name] else { throw APIError(.badRequest, "the parameter \(name) is missing") }
        return value
    }

    /// Returns a parameter that is a number in a range, or `standard` if it is not given.
    func number(_ name: String, in range: ClosedRange<Int>, default standard: Int) throws(APIError) -> Int {
        guard let text = self[name] else { return standard }
        guard let number = Int(text), range.contains(number) else {
            throw APIError(.badRequest, "the parameter \(name) must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Returns a parameter that is a revision ID, or `nil` if it is not given.
    func revision(_ name: String) throws(APIError) -> RevisionID? {
        guard let text = self[name] else { return nil }
        guard let revision = RevisionID(text) else { throw APIError(.badRequest, "the parameter \(name) is not a revision ID") }
        return revision
    }

    /// The body as a JSON object.
    func object() throws(APIError) -> JSONObject { try JSONObject(body) }
}

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

    func string(_ name: String) -> String? { withMember(name) { $0?.string } ?? nil }

    func bool(_ name: String) -> Bool { (withMember(name) { $0?.boolean } ?? nil) ?? false }

    func number(_ name: String) -> Double? { withMember(name) { $0?.double } ?? nil }

    func required(_ name: String) throws(APIError) -> String {
        guard let text = string(name) else { throw APIError(.badRequest, "the member \"\(name)\" is missing, or is not a string") }
        return text
    }

    /// Returns the texts of an array; an empty array if the member is missing or has another type.
    func strings(_ name: String) -> [String] {
        let found = withMember(name) { value -> [String] in
            guard let array = value?.array else { return [] }
            return (0..<array.count).compactMap { array[$0]?.string }
        }
        return found ?? []
    }
}
