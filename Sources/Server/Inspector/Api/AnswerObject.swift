import Fleece

/// A value of an answer, which is written as JSON.
typealias AnswerValue = any JSONWritable & Sendable

/// A JSON object of an answer, with its members in their order; `nil` is written as null.
struct AnswerObject: JSONWritable, Sendable, ExpressibleByDictionaryLiteral {
    typealias Member = (name: String, value: AnswerValue?)

    private var members: [Member]

    init(dictionaryLiteral members: (String, AnswerValue?)...) { self.members = members.map { ($0, $1) } }

    static func + (left: AnswerObject, right: AnswerObject) -> AnswerObject {
        var sum = left
        sum.members += right.members
        return sum
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            for (name, value) in members {
                writer.name(name)
                if let value { value.write(to: &writer) } else { writer.appendNull() }
            }
        }
    }
}

/// JSON text that is a value of an answer.
struct RawJSON: JSONWritable, Sendable {
    let bytes: [UInt8]

    func write(to writer: inout JSONWriter) { bytes.withUnsafeBytes { writer.append(raw: $0) } }
}
