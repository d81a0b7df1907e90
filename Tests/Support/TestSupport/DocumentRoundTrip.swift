import Foundation

/// Documents with extreme numbers, dates and texts, which the tool imports, exports and imports again.
///
/// The values are known from the generator, so that a conversion on the way is found even if it is made twice.
package struct DocumentRoundTrip {
    /// A value, and what is expected after the way.
    enum Expected {
        case signed(Int64), unsigned(UInt64), double(Double), text(String), boolean(Bool), null
    }

    private struct Document {
        let id: String
        let values: [(written: String, expected: Expected)]
    }

    package struct Outcome {
        package var failures: [String] = []
        package var values = 0
    }

    private let tool: ProcessRunner
    private var random: SeededGenerator

    /// - Parameter tool: The tool `cblite`.
    package init(_ tool: ProcessRunner, seed: UInt64) { (self.tool, random) = (tool, SeededGenerator(seed: seed)) }

    /// Imports `count` documents whose IDs are integers of any size, exports them, imports that, and exports it again.
    package mutating func run(count: Int) throws -> Outcome {
        let directory = try TemporaryDirectory()
        var outcome = Outcome()
        var documents: [String: Document] = [:]
        while documents.count < count {
            let document = makeDocument()
            documents[document.id] = document
        }
        let lines = documents.values.map { document in
            let members = document.values.enumerated().map { #""k\#($0.offset)":\#($0.element.written)"# }
            return "{\(([#""id":\#(document.id)"#] + members).joined(separator: space()))}"
        }
        try Data(lines.joined(separator: "\n").utf8).write(to: directory.url.appendingPathComponent("in.jsonl"))
        for arguments in [
            ["import", "--create", "first", "in.jsonl", "--id-property", "id"], ["export", "first", "-o", "first.jsonl"],
            ["import", "--create", "second", "first.jsonl"], ["export", "second", "-o", "second.jsonl"],
        ] {
            let result = try tool.run(arguments, directory: directory.url)
            guard result.exitCode == 0 else {
                outcome.failures.append("\(arguments): \(result.errorOutput)")
                return outcome
            }
        }
        let exported = try Data(contentsOf: directory.url.appendingPathComponent("first.jsonl"))
        if try Data(contentsOf: directory.url.appendingPathComponent("second.jsonl")) != exported {
            outcome.failures.append("the second export differs from the first")
        }
        for line in exported.split(separator: UInt8(ascii: "\n")) {
            let found = try JSONDecoder().decode(FoundDocument.self, from: Data(line)).members
            let id = try found.decode(String.self, forKey: FoundDocument.Key("_id"))
            guard let document = documents.removeValue(forKey: id) else {
                outcome.failures.append("a document has the ID \(id), which is not one of those imported")
                continue
            }
            for (offset, value) in document.values.enumerated() {
                outcome.values += 1
                if !Self.isFound(value.expected, in: found, "k\(offset)") {
                    outcome.failures.append("document \(id), \(value.written): \(String(decoding: line, as: UTF8.self))")
                }
            }
        }
        if !documents.isEmpty { outcome.failures.append("\(documents.count) documents are missing, such as \(documents.keys.first ?? "")") }
        return outcome
    }

    private static func isFound(_ value: Expected, in members: KeyedDecodingContainer<FoundDocument.Key>, _ name: String) -> Bool {
        let key = FoundDocument.Key(name)
        return switch value {
        case .signed(let number): (try? members.decode(Int64.self, forKey: key)) == number
        case .unsigned(let number): (try? members.decode(UInt64.self, forKey: key)) == number
        case .double(let number): (try? members.decode(Double.self, forKey: key))?.bitPattern == number.bitPattern
        case .text(let text): (try? members.decode(String.self, forKey: key)).map { Array($0.utf8) == Array(text.utf8) } ?? false
        case .boolean(let flag): (try? members.decode(Bool.self, forKey: key)) == flag
        case .null: members.contains(key) && (try? members.decodeNil(forKey: key)) == true
        }
    }
}

/// A document of which the types of the members are known to the reader only.
private struct FoundDocument: Decodable {
    struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    let members: KeyedDecodingContainer<Key>

    init(from decoder: any Decoder) throws { members = try decoder.container(keyedBy: Key.self) }
}

// MARK: - Values

extension DocumentRoundTrip {
    private mutating func makeDocument() -> Document {
        Document(id: integerText(), values: (0..<Int.random(in: 1...8, using: &random)).map { _ in makeValue() })
    }

    private mutating func space() -> String { [",", ", ", ",\t"].randomElement(using: &random) ?? "," }

    private mutating func makeValue() -> (written: String, expected: Expected) {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3: integer()
        case 3..<6: double()
        case 6..<9: string()
        default:
            switch Int.random(in: 0..<3, using: &random) {
            case 0: ("null", .null)
            case 1: ("true", .boolean(true))
            default: ("false", .boolean(false))
            }
        }
    }

    private mutating func integer() -> (written: String, expected: Expected) {
        let text = integerText()
        if let number = Int64(text) { return (text, .signed(number)) }
        if let number = UInt64(text) { return (text, .unsigned(number)) }
        return (text, .double(Double(text) ?? .nan))
    }

    /// An integer near a limit of a type, or of any number of digits.
    private mutating func integerText() -> String {
        if Bool.random(using: &random) {
            let limits: [Int128] = [0, 2047, 1 << 31, 1 << 32, 1 << 53, 1 << 62, 1 << 63, 1 << 64, 10_000_000_000_000_000_000]
            let limit = limits.randomElement(using: &random) ?? 0
            let number = limit + Int128(Int.random(in: -3...3, using: &random))
            return String(Bool.random(using: &random) ? number : -number)
        }
        let digits = (0..<Int.random(in: 0...39, using: &random)).map { _ in String(Int.random(in: 0...9, using: &random)) }
        return (Bool.random(using: &random) ? "-" : "") + String(Int.random(in: 1...9, using: &random)) + digits.joined()
    }

    private mutating func double() -> (written: String, expected: Expected) {
        let extremes: [Double] = [
            -0.0, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude,
            -.greatestFiniteMagnitude, 0.1, 1e21, 1e-7, 1e22,
            .leastNonzeroMagnitude * 12345,
            0x1p53 + 2, 0x1.FFFFFEp127, .pi,
        ]
        var number = Double(bitPattern: random.next())
        if !number.isFinite || Int.random(in: 0..<3, using: &random) == 0 { number = extremes.randomElement(using: &random) ?? 0.5 }
        // An integer without a fraction and exponent is an integer.
        let text = "\(number)"
        let written = text.contains("e") || text.contains(".") ? text : text + ".0"
        return (Bool.random(using: &random) ? written.replacing("e", with: "E") : written, .double(number))
    }

    private mutating func string() -> (written: String, expected: Expected) {
        let dates = [
            "0000-01-01T00:00:00Z", "-9999-12-31", "9999-12-31T23:59:59.999999999Z", "10000-01-01T00:00:00.000Z", "2016-12-31T23:59:60Z",
            "2000-02-29T24:00:00+14:00", "1883-11-18T12:03:58.5-0456",
        ]
        var text = Int.random(in: 0..<4, using: &random) == 0 ? dates.randomElement(using: &random) ?? "" : ""
        if text.isEmpty {
            for _ in 0..<Int.random(in: 0..<24, using: &random) { text.unicodeScalars.append(scalar()) }
        }
        let written = text.unicodeScalars.map { scalar -> String in
            let isEscaped = scalar.value < 0x20 || scalar == "\"" || scalar == "\\" || Int.random(in: 0..<4, using: &random) == 0
            return isEscaped ? String(scalar).utf16.map { "\\u" + Self.hexadecimal($0) }.joined() : String(scalar)
        }
        return ("\"\(written.joined())\"", .text(text))
    }

    private static func hexadecimal(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// A character of any plane, with those that are special to formats and terminals more often.
    private mutating func scalar() -> Unicode.Scalar {
        let ranges: [ClosedRange<UInt32>] = [
            0...0x1F, 0x20...0x7F, 0x80...0x9F, 0xA0...0x24F, 0x300...0x36F, 0x2000...0x206F, 0xD700...0xD7FF, 0xE000...0xFFFF,
            0x1F300...0x1FAFF, 0xE0000...0xE01EF, 0x10FFF0...0x10FFFF,
        ]
        let range = ranges.randomElement(using: &random) ?? 0x20...0x7F
        return Unicode.Scalar(UInt32.random(in: range, using: &random)) ?? " "
    }
}
