import DocumentStore

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
