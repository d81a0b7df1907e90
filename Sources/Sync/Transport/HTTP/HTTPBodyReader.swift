#if Replication
/// Collects the body of an error response, which may contain a reason. Bytes beyond the limit are discarded.
package struct HTTPBodyReader: Sendable {
    private enum Framing {
        case length(remaining: Int)
        case chunked(ChunkState)
        case untilEnd
        case complete
    }

    private enum ChunkState {
        case size(line: [UInt8])
        case data(remaining: Int)
        case afterData(seen: Int)
    }

    /// The bytes received so far.
    package private(set) var body: [UInt8] = []
    private var framing: Framing
    private let limit: Int

    /// Whether nothing more will be read: the body has ended, has reached the limit or is malformed.
    package var isComplete: Bool {
        if case .complete = framing { true } else { body.count >= limit }
    }

    /// - Parameters:
    ///   - head: The response that the body belongs to.
    ///   - limit: The maximum number of bytes to retain.
    package init(after head: HTTPResponseHead, limit: Int = 64 * 1024) {
        self.limit = limit
        if head.status < 200 || head.status == 204 || head.status == 304 {
            framing = .complete
        } else if let coding = head.fields.tokens(of: "Transfer-Encoding").last {
            framing = coding.isEqualIgnoringCase(to: "chunked") ? .chunked(.size(line: [])) : .untilEnd
        } else if let text = head.fields["Content-Length"] {
            let length = text.utf8.allSatisfy(\.isDigit) ? Int(text) ?? limit : 0
            framing = length == 0 ? .complete : .length(remaining: length)
        } else {
            framing = .untilEnd
        }
    }

    /// Appends the next bytes of the connection.
    package mutating func append(_ new: some Collection<UInt8>) {
        var rest = Array(new)[...]
        while !isComplete, !rest.isEmpty {
            switch framing {
            case .complete: return
            case .untilEnd: _ = keep(rest.count, of: &rest)
            case .length(let remaining):
                let missing = keep(remaining, of: &rest)
                framing = missing == 0 ? .complete : .length(remaining: missing)
            case .chunked(let state): framing = readChunk(state, &rest)
            }
        }
    }

    private mutating func readChunk(_ state: ChunkState, _ rest: inout ArraySlice<UInt8>) -> Framing {
        switch state {
        case .size(var line):
            let byte = rest.removeFirst()
            guard byte == 0x0A else {
                line.append(byte)
                return line.count > 256 ? .complete : .chunked(.size(line: line))
            }
            let digits = line.prefix { Character(Unicode.Scalar($0)).isHexDigit }
            let size = digits.count <= 8 ? Int(String(decoding: digits, as: UTF8.self), radix: 16) : nil
            guard let size, size > 0 else { return .complete }
            return .chunked(.data(remaining: size))
        case .data(let remaining):
            let missing = keep(remaining, of: &rest)
            return .chunked(missing == 0 ? .afterData(seen: 0) : .data(remaining: missing))
        case .afterData(let seen):
            rest.removeFirst()
            return seen == 1 ? .chunked(.size(line: [])) : .chunked(.afterData(seen: seen + 1))
        }
    }

    /// Removes at most `count` bytes from `rest`, and keeps them within the limit. Returns how many of `count` are missing.
    private mutating func keep(_ count: Int, of rest: inout ArraySlice<UInt8>) -> Int {
        let part = rest.prefix(count)
        body += part.prefix(limit - body.count)
        rest = rest.dropFirst(part.count)
        return count - part.count
    }
}
#endif
