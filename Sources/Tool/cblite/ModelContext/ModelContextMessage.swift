import Fleece

/// A message of JSON-RPC 2.0: a request, which has an ID, or a notification.
struct ModelContextMessage: Sendable {
    /// The ID as JSON: a string or an integer; `nil` for a notification.
    let id: String?
    let method: String
    let parameters: MessageArguments
    /// The number of bytes that were received.
    let size: Int

    /// Parses one line. `nil` for a response, which no request of this side expects.
    ///
    /// - Throws: ``ProtocolError`` if the line is no message.
    init?(_ line: [UInt8]) throws(ProtocolError) {
        let data: FleeceData
        do {
            data = try line.withUnsafeBytes { text in try JSON.fleece(text) }
        } catch {
            throw ProtocolError(.parseError, "not JSON: \(error)", id: nil)
        }
        let (id, method) = try Self.head(data)
        guard let method else { return nil }
        (self.id, self.method) = (id, method)
        parameters = MessageArguments(data, ["params"])
        size = line.count
    }

    private static func head(_ data: FleeceData) throws(ProtocolError) -> (id: String?, method: String?) {
        let head = data.withRoot { root -> (String?, String?)? in
            guard let message = root.dictionary, message.value(for: "jsonrpc")?.string == "2.0" else { return nil }
            guard let id = message.value(for: "id") else { return (nil, message.value(for: "method")?.string) }
            guard id.type == .string || id.isInteger, let text = try? JSON.string(id) else { return nil }
            return (text, message.value(for: "method")?.string)
        }
        guard let head, let head else { throw ProtocolError(.invalidRequest, "not a message of JSON-RPC 2.0", id: nil) }
        return head
    }
}

/// The arguments of a request or tool: an object in a message.
struct MessageArguments: Sendable {
    private let message: FleeceData
    private let path: [String]

    /// - Parameter path: The names of the members that lead to the object. If it does not exist, there are no arguments.
    init(_ message: FleeceData, _ path: [String]) { (self.message, self.path) = (message, path) }

    /// Returns the arguments in a member.
    subscript(name: String) -> MessageArguments { MessageArguments(message, path + [name]) }

    /// Returns the value of an argument; `nil` if it is missing or null.
    private func value<Result>(_ name: String, _ body: (Value) throws -> Result) rethrows -> Result? {
        try message.withRoot { root -> Result? in
            var value: Value? = root
            for name in path + [name] { value = value?.dictionary?.value(for: name) }
            guard let value, value.type != .null else { return nil }
            return try body(value)
        } ?? nil
    }

    /// - Throws: ``Failure`` if the value is no string.
    func string(_ name: String) throws -> String? {
        try value(name) { value in
            guard let string = value.string else { throw Failure(.usage, "the argument \(name) must be a string") }
            return string
        }
    }

    /// - Throws: ``Failure`` if the value is missing or no string.
    func requiredString(_ name: String) throws -> String {
        guard let string = try self.string(name) else { throw Failure(.usage, "the argument \(name) is missing") }
        return string
    }

    /// - Throws: ``Failure`` if the value is no integer from 1 to `maximum`.
    func count(_ name: String, upTo maximum: Int) throws -> Int? {
        try value(name) { value in
            guard value.isInteger, let number = value.int64, (1...Int64(maximum)).contains(number) else {
                throw Failure(.usage, "the argument \(name) must be an integer from 1 to \(maximum)")
            }
            return Int(number)
        }
    }

    /// Returns an argument that is an object, as JSON.
    ///
    /// - Throws: ``Failure`` if the value is no object.
    func object(_ name: String) throws -> String? {
        try value(name) { value in
            guard value.type == .dictionary else { throw Failure(.usage, "the argument \(name) must be an object") }
            return try JSON.string(value)
        }
    }

    /// Returns an argument that is a string or an integer, as JSON; `nil` for other values.
    func id(_ name: String) -> String? { value(name) { $0.type == .string || $0.isInteger ? try? JSON.string($0) : nil } ?? nil }

    /// - Throws: ``Failure`` if there is an argument with another name.
    func check(names: [String]) throws {
        let unknown = message.withRoot { root -> String? in
            var value: Value? = root
            for name in path { value = value?.dictionary?.value(for: name) }
            return value?.dictionary?.pairs.lazy.compactMap { $0.key.text(.empty) }.first { name in
                !names.contains { $0.isSame(as: name) }
            }
        }
        guard let unknown, let unknown else { return }
        let hint = Suggestion.question(unknown, among: names) ?? "The arguments are: \(names.joined(separator: ", "))"
        throw Failure(.usage, "there is no argument \"\(unknown)\"", hint: hint)
    }
}

/// An error of the protocol, in contrast to one of a tool.
struct ProtocolError: Error {
    /// The codes of JSON-RPC 2.0, section 5.1, and of the Model Context Protocol.
    enum Code: Int {
        case parseError = -32700
        case invalidRequest = -32600
        case methodNotFound = -32601
        case invalidParameters = -32602
        case internalError = -32603
        case resourceNotFound = -32002
        /// Too many requests wait.
        case busy = -32000
    }

    let code: Code
    let message: String
    /// The ID of the request as JSON, if it is known.
    let id: String?

    init(_ code: Code, _ message: String, id: String?) { (self.code, self.message, self.id) = (code, message, id) }

    /// The message that tells the other side.
    var response: String {
        JSONWriter.object { writer in
            writer.member("jsonrpc", "2.0")
            writer.member("id", json: id ?? "null")
            writer.object("error", ["code": code.rawValue, "message": message])
        }.string
    }
}
